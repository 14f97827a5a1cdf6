import { memo, type ReactNode, type RefObject, useEffect, useSyncExternalStore } from "react";
import { Button } from "../../ui/fields.tsx";
import { oneStop } from "../../ui/one-stop.ts";
import type { TextTable } from "../../ui/table/described-table.ts";
import { type LaneBox, type LaneLayout, MOST_PINS, pinnedHeight } from "../lanes.ts";
import type { Stage } from "../stage/stage.ts";
import type { StageSnapshot } from "../stage/stage-parts.ts";
import { LaneName } from "./panel-heading.tsx";

interface Props {
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
}

/** The names of the pinned lanes; the lanes themselves are on the canvas as all others are. */
export function PinnedLanes({ stage, snapshot }: Props) {
  const { layout } = snapshot;
  if (layout.pinned.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      className="pinned-lanes"
      role="group"
      aria-label="Pinned lanes"
      ref={oneStop}
      style={{ height: pinnedHeight(layout) }}
      data-testid="pinned"
    >
      {layout.pinned.map((box) => (
        <LaneName key={box.key} box={box} stage={stage} snapshot={snapshot} />
      ))}
      {layout.pinned.map((box) => (
        <PinButton
          key={box.key}
          stage={stage}
          lane={box.key}
          title={box.title ?? ""}
          y={pinTop(box)}
          pinned={true}
        />
      ))}
    </div>
  );
}

/** A button for each lane that can be pinned. */
export function PinButtons({ stage, layout }: { readonly stage: Stage; readonly layout: LaneLayout }) {
  return layout.boxes
    .filter(({ title }) => title !== null)
    .map((box) => (
      <PinButton
        key={box.key}
        stage={stage}
        lane={box.key}
        title={box.title ?? ""}
        y={pinTop(box)}
        pinned={false}
      />
    ));
}

/** Position of the pin: in the lower corner, without a name; next to the name of a CPU or a task. */
function pinTop({ kind, y, height }: LaneBox): number {
  return CENTRED.has(kind) ? y + (height - PIN) / 2 : y + height - PIN;
}

const CENTRED: ReadonlySet<string> = new Set(["cpu", "task", "process", "cgroup"]);
/** CSS pixels; as in the style sheet. */
const PIN = 18;

/** Names and notes that scroll are cut off where the pinned lanes begin: the canvas below shows through there. */
export function usePinnedEdge(
  scroller: RefObject<HTMLElement | null>,
  parts: readonly RefObject<HTMLElement | null>[],
  height: number,
): void {
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const cut = () => {
      for (const { current } of parts) {
        if (current)
          current.style.clipPath = height > 0 ? `inset(${element.scrollTop + height}px 0 0 0)` : "";
      }
    };
    cut();
    if (height === 0) return undefined;
    element.addEventListener("scroll", cut, { passive: true });
    return () => element.removeEventListener("scroll", cut);
  }, [scroller, parts, height]);
}

interface PinButtonProps {
  readonly stage: Stage;
  readonly lane: string;
  readonly title: string;
  /** CSS pixels. */
  readonly y: number;
  readonly pinned: boolean;
}

export const PIN_SIGN = (
  <svg viewBox="0 0 12 12" aria-hidden="true">
    <title>Pin</title>
    <path d="M4 1h4l-.6 4L9.5 7v1h-3l-.5 3.5L5.5 8h-3V7l2.1-2z" />
  </svg>
);

/** Pins a task as a lane to the top, or lets it go. */
export function PinTask({ pid, name, stage }: { pid: number; name: string; stage: Stage }) {
  const lane = `task:${pid}`;
  const pinned = useSyncExternalStore(stage.subscribe, () => stage.pins.includes(lane));
  return (
    <Button
      className="pin-task"
      aria-pressed={pinned}
      aria-label={`${pinned ? "Unpin" : "Pin"} ${name} ${pid}`}
      title={pinned ? "Remove its lane" : "Pin it add a lane with its states and wakers"}
      onClick={() => stage.togglePin(lane)}
    >
      {PIN_SIGN}
    </Button>
  );
}

/** Fields of a table of tasks, whose columns begin with name and pid: each pid has its pin. */
export function pinCells({ head, rows }: Pick<TextTable, "head" | "rows">, stage: Stage) {
  return (row: number, column: number): ReactNode => {
    const [name = "", pid = ""] = rows[row] ?? [];
    if (column !== 1 || head[1] !== "pid" || !/^[1-9]\d*$/.test(pid)) return undefined;
    return (
      <>
        <PinTask pid={Number(pid)} name={name} stage={stage} />
        {pid}
      </>
    );
  };
}

/** Pins a lane to the top, or lets it go. */
export const PinButton = memo(function PinButton({ stage, lane, title, y, pinned }: PinButtonProps) {
  return (
    <Button
      className={lane.startsWith("cpu:") ? "pin small" : "pin"}
      style={{ top: y }}
      aria-pressed={pinned}
      aria-label={`${pinned ? "Unpin" : "Pin"} ${title}`}
      title={pinned ? "Unpin it from the top" : `Pin it to the top, with up to ${MOST_PINS - 1} more`}
      onClick={() => stage.togglePin(lane)}
    >
      {PIN_SIGN}
    </Button>
  );
});
