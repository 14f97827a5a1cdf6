/** Opens an analysis for as long as its page is shown. */

import { useEffect, useState, useSyncExternalStore } from "react";
import { isAbort, sentenceOf } from "../api/errors.ts";
import { parseView } from "../view-state/view-state.ts";
import { type AnalysisSource, type DrawerState, LiveAnalysis } from "./live-analysis.ts";

export type AnalysisState =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly sentence: string }
  /** The link was made by a later version of this page. */
  | { readonly kind: "newer" }
  | { readonly kind: "live"; readonly live: LiveAnalysis };

export function useAnalysis(source: AnalysisSource): AnalysisState {
  const [state, setState] = useState<AnalysisState>({ kind: "loading" });
  const { api, id, timeline, inputs, limits, path } = source;
  useEffect(() => {
    const stop = new AbortController();
    let close = () => {};
    setState({ kind: "loading" });
    api.timeline.tasks(id, stop.signal).then(
      (tasks) => {
        if (stop.signal.aborted) return;
        if (parseView(window.location.search.slice(1)).kind === "newer") {
          setState({ kind: "newer" });
          return;
        }
        const live = new LiveAnalysis({ api, id, timeline, inputs, limits, path }, tasks);
        close = () => live.close();
        setState({ kind: "live", live });
      },
      (error: unknown) => {
        if (!isAbort(error)) setState({ kind: "failed", sentence: sentenceOf(error) });
      },
    );
    return () => {
      stop.abort();
      close();
    };
  }, [api, id, timeline, inputs, limits, path]);
  return state;
}

export function useDrawer(live: LiveAnalysis): DrawerState {
  return useSyncExternalStore(live.subscribeDrawer, live.drawer);
}
