import { useSyncExternalStore } from "react";
import { formatAbs, formatDuration } from "../../lib/format.ts";
import { spanLength, toAbs } from "../../lib/time.ts";
import type { Stage } from "../stage/stage.ts";

/** The committed ranges as breadcrumbs: each is the way back to it. Nothing is shown while there is none. */
export function RangeCrumbs({ stage }: { readonly stage: Stage }) {
  const { ranges } = useSyncExternalStore(stage.subscribe, stage.getSnapshot);
  if (ranges.length === 0) return null;
  const { origin, bounds } = stage.scene;
  return (
    <ol className="ranges" aria-label="Committed ranges" data-testid="ranges">
      <li>
        <button
          type="button"
          className="inline"
          onClick={() => stage.leaveRanges(0)}
          title="Leave all ranges"
        >
          whole recording <span className="num">{formatDuration(spanLength(bounds))}</span>
        </button>
      </li>
      {ranges.map((range, place) => {
        const from = formatAbs(toAbs(origin, range.from), 3);
        const to = formatAbs(toAbs(origin, range.to), 3);
        const last = place === ranges.length - 1;
        return (
          <li key={`${range.from} ${range.to}`}>
            <button
              type="button"
              className="inline"
              aria-current={last ? "location" : undefined}
              onClick={() => (last ? stage.command("fit-all") : stage.leaveRanges(place + 1))}
              title={`${from} to ${to} s: ${last ? "everything stays inside of it (Esc leaves)" : "back to this range"}`}
            >
              <span className="num">
                {from} + {formatDuration(spanLength(range))}
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
