/** Fields for a redacted copy, and the copy itself. */

import { type ReactNode, useId } from "react";
import type { Api } from "../../api/routes/service.ts";
import type { Analysis, AnalysisDetail } from "../../api/types.ts";
import { formatAbs, formatTime } from "../../lib/format.ts";
import type { AbsWindow } from "../../lib/ranges.ts";
import { Check } from "../../ui/fields.tsx";
import type { ViewState } from "../../view-state/view-state.ts";
import type { CopyOptions } from "./share-fields.tsx";

/** Source of a copy: an analysis with its current view. */
export interface GivenProps {
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly view: ViewState;
  readonly window: AbsWindow;
  readonly task: { readonly pid: number; readonly name: string } | null;
  readonly onClose: () => void;
}

/** Choices of one kind, on the line of their name. */
export function Group({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend cannot be on the line of what it names
    <div role="group" aria-labelledby={id}>
      <span id={id}>{name}</span>
      {children}
    </div>
  );
}

interface CopyProps extends Pick<GivenProps, "window" | "task"> {
  readonly name: string;
  readonly part: CopyOptions;
  readonly onPart: (part: CopyOptions) => void;
}

/** Choice of the parts that a copy contains. */
export function CopyGroup({ name, part, window, task, onPart }: CopyProps) {
  const option = (key: keyof CopyOptions, words: string) => (
    <Check checked={part[key]} onCheck={(on) => onPart({ ...part, [key]: on })}>
      {words}
    </Check>
  );
  return (
    <Group name={name}>
      {option("window", `only ${formatAbs(window.from, 3)} to ${formatTime(window.to, 3)}`)}
      {task && option("task", `only ${task.name} ${task.pid}`)}
      {option("pseudonyms", "pseudonyms for names")}
    </Group>
  );
}

/** Copies of large recordings take a while; the reader waits here. */
const LOOK_MS = 700;

/** The id of an analysis once it is read. Raises why it could not be. */
export async function untilReady(api: Api, analysis: Analysis): Promise<string> {
  let now: Analysis = analysis;
  while (now.status !== "ready") {
    if (now.status === "failed") throw new Error(now.error?.sentence ?? "The copy could not be created.");
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    now = await api.analyses.one(now.id);
  }
  return now.id;
}
