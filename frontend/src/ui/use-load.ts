import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError, isAbort, sentenceOf } from "../api/client.ts";

export interface Loaded<T> {
  /** The last answer; it stays while the next one is requested. */
  readonly answer: T | null;
  /** Replaces the answer with a newer one. */
  readonly setAnswer: (answer: T) => void;
  /** Reason for which the last request failed. */
  readonly problem: string | null;
  /** HTTP status of that failure, 0 when the service could not be reached. */
  readonly status: number | null;
  /** Counts the requests. */
  readonly turn: number;
  readonly reload: () => void;
}

/**
 * Data of the service, requested at once and at every `reload`.
 * @param load a new function starts a new request
 * @param pause ms after which it is requested again: after an answer, or without one after a failure; 0 leaves it
 */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  pause: (answer: T | null, status: number | null) => number = () => 0,
): Loaded<T> {
  const [answer, setAnswer] = useState<T | null>(null);
  const [failure, setFailure] = useState<{ problem: string; status: number | null } | null>(null);
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: how long a pause is asks nothing again
  useEffect(() => {
    void turn;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const rest = (ms: number) => {
      if (ms > 0) timer = setTimeout(reload, ms);
    };
    load(stop.signal).then(
      (loaded) => {
        if (stop.signal.aborted) return;
        setAnswer(loaded);
        setFailure(null);
        rest(pause(loaded, null));
      },
      (error: unknown) => {
        if (isAbort(error) || stop.signal.aborted) return;
        const status = error instanceof ApiError ? error.status : null;
        setFailure({ problem: sentenceOf(error), status });
        rest(pause(null, status));
      },
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [load, turn, reload]);
  return {
    answer,
    setAnswer,
    problem: failure?.problem ?? null,
    status: failure?.status ?? null,
    turn,
    reload,
  };
}

export interface Answered<T> {
  /** To the question before while another one is asked. */
  readonly answer: T | null;
  readonly loading: boolean;
  readonly problem: string | null;
  /** Repeats the request. */
  readonly again: () => void;
}

/**
 * The answer to a question that changes; a failure takes it away.
 * @param key names the question, null for none; another key asks again
 * @param turn another number repeats the same question
 * @param restMs a question that changes is asked when it has been the same for this long
 * @param retryMs ms after which it is asked again after a failure; 0 leaves it
 */
export function useAnswer<T>(
  key: string | null,
  ask: (signal: AbortSignal) => Promise<T>,
  { turn = 0, restMs = 0, retryMs = (_: unknown): number => 0 } = {},
): Answered<T> {
  const [state, setState] = useState<Omit<Answered<T>, "again">>({
    answer: null,
    loading: true,
    problem: null,
  });
  const [attempt, setAttempt] = useState(0);
  const again = useCallback(() => setAttempt((n) => n + 1), []);
  const last = useRef(key);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all of the question that matters here
  useEffect(() => {
    if (key === null) {
      setState({ answer: null, loading: false, problem: null });
      return undefined;
    }
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // What went wrong stays to be read while it is tried again; another question begins without it.
    const same = last.current === key;
    last.current = key;
    setState((before) => ({ ...before, loading: true, problem: same ? before.problem : null }));
    const start = () =>
      ask(stop.signal).then(
        (answer) => {
          if (!stop.signal.aborted) setState({ answer, loading: false, problem: null });
        },
        (error: unknown) => {
          if (isAbort(error) || stop.signal.aborted) return;
          setState({ answer: null, loading: false, problem: sentenceOf(error) });
          const pause = retryMs(error);
          if (pause > 0) timer = setTimeout(again, pause);
        },
      );
    if (restMs > 0) timer = setTimeout(start, restMs);
    else void start();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, turn, attempt, again]);
  return { ...state, again };
}

export interface Acting {
  /** Something is under way: its buttons rest. */
  readonly busy: boolean;
  /** Reason for which the last action failed, null while all is well. */
  readonly problem: string | null;
  /** Waits for what was begun; `after` follows however it ended. */
  readonly act: (work: Promise<unknown>, after?: () => void) => void;
}

/** Actions of a reader on an object of the service, one after the other. */
export function useAct(): Acting {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const act = useCallback((work: Promise<unknown>, after?: () => void) => {
    setBusy(true);
    setProblem(null);
    work
      .catch((error: unknown) => setProblem(sentenceOf(error)))
      .finally(() => {
        setBusy(false);
        after?.();
      });
  }, []);
  return { busy, problem, act };
}
