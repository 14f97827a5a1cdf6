/** Difference between slow and typical requests: time per request by cause and by the task responsible. */

import type { ExplainSection } from "../../../api/types.ts";

type Requests = NonNullable<ExplainSection["requests"]>;
type Cause = Requests["slow"]["causes"][number];

export interface CauseDifference extends Pick<Cause, "state" | "cause" | "title"> {
  readonly by: string | null;
  /** Name of the service that the request waited for, if another than the one responsible. */
  readonly through: string | null;
  /** Per request, ns. */
  readonly slowNs: number;
  readonly typicalNs: number;
}

/** Key of a row: causes of one kind differ in the task responsible and in the service that led to it. */
export const causeKey = ({
  state,
  cause,
  by,
  through,
}: Omit<CauseDifference, "title" | "slowNs" | "typicalNs">) => [state, cause, by, through].join(" ");

/** The largest difference first, whichever side has more. */
export function compareCauses({
  slow,
  typical,
}: Pick<Requests, "slow" | "typical">): readonly CauseDifference[] {
  const rows = new Map<string, CauseDifference>();
  const add = (
    { causes, count }: Pick<Requests["slow"], "causes" | "count">,
    side: "slowNs" | "typicalNs",
  ) => {
    for (const { state, cause, title, by = null, through = null, ms } of causes) {
      const key = causeKey({ state, cause, by, through });
      const row = rows.get(key) ?? { state, cause, title, by, through, slowNs: 0, typicalNs: 0 };
      rows.set(key, { ...row, [side]: row[side] + (ms * 1e6) / Math.max(1, count) });
    }
  };
  add(slow, "slowNs");
  add(typical, "typicalNs");
  const apart = ({ slowNs, typicalNs }: CauseDifference) => Math.abs(slowNs - typicalNs);
  return [...rows.values()].toSorted((a, b) => apart(b) - apart(a));
}
