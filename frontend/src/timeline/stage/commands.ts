/** What keys do to the window and to what is chosen. */

import type { Choice } from "../input/selection.ts";
import type { Travel } from "../input/viewport-controller.ts";
import { type Command, HELD } from "../keys.ts";

/** Returns false when the command is not the timeline's, or has nothing to do. */
export function runCommand(command: Command, travel: Travel, choice: Choice): boolean {
  if (HELD.has(command)) {
    travel.press(command);
    return true;
  }
  switch (command) {
    case "fit-all":
      travel.stepTo(travel.limits);
      return true;
    case "commit":
      travel.commit();
      return true;
    case "fit-selection":
      travel.fitOrWhole(choice.span);
      return true;
    case "next":
      void choice.walk("next");
      return true;
    case "previous":
      void choice.walk("prev");
      return true;
    case "escape":
      if (choice.letGo()) return true;
      if (travel.ranges.length === 0) return false;
      travel.leaveRanges(travel.ranges.length - 1);
      return true;
    default:
      return false;
  }
}
