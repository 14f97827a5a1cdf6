import { useCallback, useEffect, useRef, useState } from "react";
import { isAbort, sentenceOf } from "../../api/errors.ts";
import type { Api } from "../../api/routes/service.ts";
import type { EventRow } from "../../api/types.ts";
import type { TimeWindow } from "../../api/window.ts";

export interface EventRows {
  readonly rows: readonly EventRow[];
  /** All that the window has, listed or not; null while it is not known. */
  readonly matched: number | null;
  readonly loading: boolean;
  /** What is wrong with the filter, or with the way to the service. */
  readonly problem: string | null;
  /** Reads on. */
  readonly more: () => void;
}

const PAGE = 200;
/** Scrolling further is not reading: a filter or an export does that. */
const MOST_ROWS = 20_000;
/** A window or a filter that changes is requested when it has been still for this long, ms. */
const REST_MS = 300;

interface LoadedPage {
  readonly rows: readonly EventRow[];
  readonly matched: number | null;
  readonly next: string | null;
  readonly problem: string | null;
  readonly loading: boolean;
}

const NOTHING: LoadedPage = { rows: [], matched: null, next: null, problem: null, loading: true };

/** The events of a window that a filter means: the first page at once, others when they are scrolled to. */
export function useEventRows(api: Api, id: string, window: TimeWindow, filter: string): EventRows {
  const [known, setLoaded] = useState<LoadedPage>(NOTHING);
  const pending = useRef<AbortController | null>(null);
  const { from, to } = window;
  const load = useCallback(
    (after: string | null, before: readonly EventRow[]) => {
      pending.current?.abort();
      const stop = new AbortController();
      pending.current = stop;
      setLoaded((old) => ({ ...old, loading: true }));
      api.events.rows(id, { filter, window: { from, to }, after }, PAGE, stop.signal).then(
        ({ events, matched, next_page }) =>
          setLoaded({
            rows: [...before, ...events],
            matched,
            next: next_page ?? null,
            problem: null,
            loading: false,
          }),
        (error: unknown) => {
          if (isAbort(error)) return;
          // Rows of another filter next to the sentence would be taken for this one's.
          setLoaded({ ...NOTHING, problem: sentenceOf(error), loading: false });
        },
      );
    },
    [api, id, filter, from, to],
  );
  useEffect(() => {
    const timer = setTimeout(() => load(null, []), REST_MS);
    return () => {
      clearTimeout(timer);
      pending.current?.abort();
    };
  }, [load]);
  const { rows, next, loading, matched, problem } = known;
  const more = useCallback(() => {
    if (next !== null && !loading && rows.length < MOST_ROWS) load(next, rows);
  }, [load, next, loading, rows]);
  return { rows, matched, loading, problem, more };
}
