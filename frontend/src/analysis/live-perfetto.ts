/** What binds Perfetto's own page to what the timeline shows. */

import type { TimelineInfo } from "../api/types.ts";
import type { Stage } from "../timeline/stage/stage.ts";
import { type TracePart, usualPart } from "./perfetto.ts";
import type { PerfettoUi } from "./perfetto-ui.ts";
import { shownWindow } from "./use-section.ts";

export interface LivePerfetto {
  readonly ui: PerfettoUi;
  /** Of the whole recording. */
  readonly events: number;
  /** By a click or a key of the reader; without a part as much as a browser can bear. */
  readonly open: (part?: TracePart) => void;
}

export function livePerfetto(ui: PerfettoUi, timeline: TimelineInfo, stage: Stage): LivePerfetto {
  const events = Object.values(timeline.event_counts).reduce((sum, count) => sum + count, 0);
  return {
    ui,
    events,
    open: (part = usualPart(events)) => {
      const view = shownWindow(stage, stage.getSnapshot());
      const title = document.title.replace(/ · NumaLens$/, "");
      void ui.open({ part, window: part === "window" ? view : null, view, title });
    },
  };
}
