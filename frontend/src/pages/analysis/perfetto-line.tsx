import { useSyncExternalStore } from "react";
import { perfettoSentence } from "../../analysis/perfetto.ts";
import type { PerfettoUi } from "../../analysis/perfetto-ui.ts";

/** How far opening in Perfetto is; it lies over the timeline, so that nothing moves. */
export function PerfettoLine({ ui }: { readonly ui: PerfettoUi }) {
  const state = useSyncExternalStore(ui.subscribe, ui.getSnapshot);
  const failed = state.kind === "failed";
  const under = state.kind === "preparing" || state.kind === "starting" || state.kind === "reading";
  return (
    <div
      className={failed ? "perfetto-line problem" : "perfetto-line"}
      role={failed ? "alert" : "status"}
      hidden={state.kind === "idle"}
      data-testid="perfetto-line"
      data-state={state.kind}
    >
      <span>{perfettoSentence(state)}</span>
      {state.kind !== "idle" && (
        <button type="button" className="quiet" onClick={() => ui.dismiss()}>
          {under ? "Stop" : "Close"}
        </button>
      )}
    </div>
  );
}
