import { useEffect, useState } from "react";
import { followProgress } from "../api/progress.ts";
import type { Analysis, ProgressEvent } from "../api/types.ts";
import { formatShare } from "../lib/format.ts";

const STAGE_WORDS: Record<string, string> = {
  queued: "Waiting for its turn",
  storing: "Storing the files",
  memory: "Waiting for memory that other recordings use",
  worker: "Waiting for a worker",
  away: "Waiting, and trying again by itself",
  fetching: "Fetching the files",
  unpacking: "Unpacking archives",
  converting: "Converting Perfetto traces",
  decoding: "Decoding events",
  indexing: "Building the timeline index",
  keeping: "Keeping what was read",
};

export type Step = Pick<ProgressEvent, "stage" | "done" | "total" | "sentence">;

/** Follows an analysis that is being made; `onDone` is called once when it is ready or has failed. */
export function useProgress(analysis: Analysis, live: boolean, onDone: () => void): Step | null {
  const [step, setStep] = useState<Step | null>(null);
  const { id, status } = analysis;
  const pending = status === "queued" || status === "parsing";
  useEffect(() => {
    if (!live || !pending) return undefined;
    // How far an earlier reading came says nothing about this one.
    setStep(null);
    return followProgress(id, { progress: setStep, done: onDone });
  }, [id, live, pending, onDone]);
  if (!pending) return null;
  return step ?? analysis.progress ?? { stage: "queued", done: 0, total: 0 };
}

export function StageLine({ step }: { readonly step: Step }) {
  const share = step.total > 0 ? step.done / step.total : null;
  const words = STAGE_WORDS[step.stage ?? "queued"] ?? step.stage ?? "";
  return (
    <span className="stage-line" role="status" data-testid="stage">
      <span>
        {words}
        {share === null ? "" : `, ${formatShare(share)}`}
      </span>
      {typeof step.sentence === "string" && <span className="muted">{step.sentence}</span>}
      <progress max={1} {...(share === null ? {} : { value: share })} aria-label={words} />
    </span>
  );
}
