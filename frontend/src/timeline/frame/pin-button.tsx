import { memo } from "react";
import { MOST_PINS } from "../pins.ts";
import type { Stage } from "../stage/stage.ts";

interface Props {
  readonly stage: Stage;
  readonly lane: string;
  readonly title: string;
  /** CSS pixels. */
  readonly y: number;
  readonly pinned: boolean;
  /** Hundreds of CPUs are no stops on the way through the page: the palette pins them. */
  readonly reached: boolean;
}

/** Pins a lane to the top, or lets it go. */
export const PinButton = memo(function PinButton({ stage, lane, title, y, pinned, reached }: Props) {
  return (
    <button
      type="button"
      className={lane.startsWith("cpu:") ? "pin small" : "pin"}
      style={{ top: y }}
      aria-pressed={pinned}
      aria-label={`${pinned ? "Unpin" : "Pin"} ${title}`}
      title={
        pinned
          ? "Let it scroll with the others again (context key)"
          : `Keep it at the top while the others scroll, with up to ${MOST_PINS - 1} more (context key)`
      }
      {...(reached ? {} : { tabIndex: -1 })}
      onClick={() => stage.togglePin(lane)}
    >
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <title>Pin</title>
        <path d="M4 1h4l-.6 4L9.5 7v1h-3l-.5 3.5L5.5 8h-3V7l2.1-2z" />
      </svg>
    </button>
  );
});
