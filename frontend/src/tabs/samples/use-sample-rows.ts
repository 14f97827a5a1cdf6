import { useEffect, useState } from "react";
import { readSampleRows, type SampleRows } from "../../analysis/sample-rows.ts";
import { isAbort, sentenceOf } from "../../api/errors.ts";
import type { Api } from "../../api/routes/service.ts";

/** More rows than this are left to the download. */
export const MOST_ROWS = 5000;
/** A window that moves is requested when it has been still for this long. */
const REST_MS = 250;

export interface LoadedRows {
  /** Of the table and window requested last, or still of the ones before. */
  readonly rows: SampleRows | null;
  readonly loading: boolean;
  readonly problem: string | null;
}

/** @param url of a table's rows in CSV; null for none */
export function useSampleRows(api: Api, url: string | null): LoadedRows {
  const [loaded, setLoaded] = useState<LoadedRows>({ rows: null, loading: true, problem: null });
  useEffect(() => {
    if (url === null) return undefined;
    const stop = new AbortController();
    setLoaded((before) => ({ ...before, loading: true }));
    const timer = setTimeout(() => {
      load(api, url, stop.signal).then(
        (rows) => {
          if (!stop.signal.aborted) setLoaded({ rows, loading: false, problem: null });
        },
        (error: unknown) => {
          if (!isAbort(error) && !stop.signal.aborted)
            setLoaded({ rows: null, loading: false, problem: sentenceOf(error) });
        },
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [api, url]);
  return loaded;
}

async function load(api: Api, url: string, signal: AbortSignal): Promise<SampleRows> {
  const { body } = await api.downloads.open(url, signal);
  return body ? readSampleRows(body, MOST_ROWS) : { head: [], rows: [], more: false };
}
