import { useEffect, useRef, useState } from "react";
import { ApiError, isAbort, sentenceOf } from "../../api/errors.ts";
import type { Api } from "../../api/routes/service.ts";
import type { Comparison } from "../../api/types.ts";
import { type CompareState, compareQuery, idsText } from "./compare-state.ts";

export interface ComparisonUse {
  /** Of the state before while another is requested. */
  readonly answer: Comparison | null;
  readonly loading: boolean;
  readonly problem: string | null;
  readonly again: () => void;
}

/** While the service is away, or an analysis is still being read. */
const RETRY_MS = 2500;

function passes(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 || (error.status === 409 && /still being read/.test(error.message));
}

/** The comparison that a state means, requested when what it is made of changes. */
export function useComparison(api: Api, state: CompareState): ComparisonUse {
  const [comparison, setAnswer] = useState<Omit<ComparisonUse, "again">>({
    answer: null,
    loading: true,
    problem: null,
  });
  const [attempt, setAttempt] = useState(0);
  // What is only shown in another way asks nothing anew.
  const key = compareQuery({ ...state, rule: "2020", axes: "shared", curve: "bins" });
  const enough = state.sides.length > 1;
  const wanted = useRef(key);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all of the state that matters here
  useEffect(() => {
    void attempt;
    if (!enough) {
      setAnswer({ answer: null, loading: false, problem: null });
      return undefined;
    }
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // What went wrong stays to be read while it is tried again; another question begins without it.
    const same = wanted.current === key;
    wanted.current = key;
    setAnswer((before) => ({ ...before, loading: true, problem: same ? before.problem : null }));
    const { base, step: stepNs, windows } = state;
    api.analyses.compare({ ids: idsText(state.sides), base, stepNs, windows }, stop.signal).then(
      (answer) => {
        if (!stop.signal.aborted) setAnswer({ answer, loading: false, problem: null });
      },
      (error: unknown) => {
        if (isAbort(error) || stop.signal.aborted) return;
        setAnswer({ answer: null, loading: false, problem: sentenceOf(error) });
        if (passes(error)) timer = setTimeout(() => setAttempt((n) => n + 1), RETRY_MS);
      },
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [api, key, enough, attempt]);
  return { ...comparison, again: () => setAttempt((n) => n + 1) };
}
