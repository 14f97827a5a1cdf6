/** Whether an analysis has requests, and the sentence about the slow ones, which is then the first one on the page. */

import type { LiveAnalysis } from "../../../analysis/live-analysis.ts";
import { useOptionalSection } from "../../../analysis/use-section.ts";

/** As the service names the kind of an input. */
const LOG = "requests";

export function hasRequests({ inputs }: Pick<LiveAnalysis, "inputs">): boolean {
  return inputs.some(({ kind }) => kind === LOG);
}

/** What the slow requests waited for; null where there are none, or the answer is not there yet. */
export function useRequestsSummary(live: LiveAnalysis): string | null {
  const query = hasRequests(live) ? { window: null, slow: 99 } : null;
  const { answer } = useOptionalSection(live.section("explain", "headline"), query);
  return answer?.available && (answer.requests?.count ?? 0) > 0 ? answer.summary : null;
}
