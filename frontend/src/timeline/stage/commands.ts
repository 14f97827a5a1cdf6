/** What keys do to the window and to what is chosen. */

import type { SelectionController } from "../input/selection.ts";
import type { ViewportController } from "../input/viewport-controller.ts";
import { type Command, HELD } from "../keys.ts";

/** Returns false when the command is not the timeline's, or has nothing to do. */
export function runCommand(
  command: Command,
  viewport: ViewportController,
  selected: SelectionController,
): boolean {
  if (HELD.has(command)) {
    viewport.press(command);
    return true;
  }
  switch (command) {
    case "fit-all":
      viewport.stepTo(viewport.limits);
      return true;
    case "commit":
      viewport.commit();
      return true;
    case "fit-selection":
      viewport.fitOrWhole(selected.span);
      return true;
    case "next":
      void selected.walk("next");
      return true;
    case "previous":
      void selected.walk("prev");
      return true;
    case "escape":
      if (selected.letGo()) return true;
      if (viewport.ranges.length === 0) return false;
      viewport.leaveRanges(viewport.ranges.length - 1);
      return true;
    default:
      return false;
  }
}
