import { useCallback, useEffect, useState } from "react";
import { sentenceOf } from "../api/client.ts";
import { followProgress } from "../api/progress.ts";
import type { Reading } from "../api/routes/analyses.ts";
import type { Api } from "../api/routes/service.ts";
import type { Analysis, ProgressEvent } from "../api/types.ts";
import { formatShare } from "../lib/format.ts";

const STAGE_WORDS: Record<string, string> = {
  queued: "Queued",
  storing: "Storing the files",
  memory: "Waiting for memory in use by other imports",
  worker: "Waiting for a worker",
  away: "Waiting to retry",
  fetching: "Fetching the files",
  unpacking: "Unpacking archives",
  converting: "Converting Perfetto traces",
  decoding: "Decoding events",
  indexing: "Building the timeline index",
  keeping: "Saving results",
};

export type Step = Pick<ProgressEvent, "stage" | "done" | "total"> & Partial<Pick<ProgressEvent, "sentence">>;

/** Follows an analysis that is being made; `onDone` is called once when it is ready or has failed. */
export function useProgress(
  analysis: Analysis,
  live: boolean,
  onDone: (ready: boolean) => void,
): Step | null {
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

// Reading an analysis's files again: requesting it, following it, and what came of it.

export interface Rereading {
  /** Only an owner may, and only where the files are kept. */
  readonly allowed: boolean;
  /** Current step, null while no import runs. */
  readonly step: Step | null;
  /** Reason for which the last one failed. */
  readonly problem: string | null;
  readonly start: (reading: Reading) => void;
}

/**
 * @param analysis as it was last loaded
 * @param onDone called once when it was read or could not be
 */
export function useReread(api: Api, analysis: Analysis, onDone: () => void): Rereading {
  const [queued, setQueued] = useState<Analysis | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  // What was requested stays until the service reports the analysis again.
  useEffect(() => {
    void analysis;
    setQueued(null);
  }, [analysis]);
  const step = useProgress(queued ?? analysis, api.token === null, onDone);
  const { id } = analysis;
  const start = useCallback(
    (reading: Reading) => {
      setProblem(null);
      api.analyses.reread(id, reading).then(setQueued, (error: unknown) => setProblem(sentenceOf(error)));
    },
    [api, id],
  );
  const failed = step === null && analysis.status === "ready" ? (analysis.error?.sentence ?? null) : null;
  return {
    allowed: analysis.access === "owner" && analysis.rereadable,
    step,
    problem: problem ?? failed,
    start,
  };
}
