/** Reading an analysis's files again: requesting it, following it, and what came of it. */

import { useCallback, useEffect, useState } from "react";
import { sentenceOf } from "../api/errors.ts";
import type { Reading } from "../api/routes/analyses.ts";
import type { Api } from "../api/routes/service.ts";
import type { Analysis } from "../api/types.ts";
import { type Step, useProgress } from "./stage-progress.tsx";

export interface Rereading {
  /** Only an owner may, and only where the files are kept. */
  readonly allowed: boolean;
  /** How far it is, null while nothing is read. */
  readonly step: Step | null;
  /** Why the last one came to nothing. */
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
  // What was requested stands until the service tells of the analysis anew.
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
