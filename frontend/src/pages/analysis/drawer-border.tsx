import type { KeyboardEvent, PointerEvent } from "react";
import { LEAST_HEIGHT } from "./drawer-height.ts";

/** CSS pixels that an arrow key moves the border by. */
const KEY_STEP = 24;

interface Props {
  /** CSS pixels; null is left to the page. */
  readonly height: number | null;
  /** CSS pixels; null leaves it to the page. */
  readonly onHeight: (height: number | null) => void;
}

const drawerOf = (border: HTMLElement) => border.parentElement?.getBoundingClientRect().height ?? 0;

/** The upper border of the drawer: dragging it, or arrows on it, make the drawer higher or lower. */
export function DrawerBorder({ height, onHeight }: Props) {
  const drag = (event: PointerEvent<HTMLElement>) => {
    const border = event.currentTarget;
    const bottom = border.parentElement?.getBoundingClientRect().bottom;
    if (border.hasPointerCapture(event.pointerId) && bottom !== undefined) onHeight(bottom - event.clientY);
  };
  const key = (event: KeyboardEvent<HTMLElement>) => {
    const by = event.key === "ArrowUp" ? KEY_STEP : event.key === "ArrowDown" ? -KEY_STEP : null;
    if (by === null) return;
    event.preventDefault();
    event.stopPropagation();
    onHeight(drawerOf(event.currentTarget) + by);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule that can be moved is no <hr>
    <div
      className="drawer-border"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the drawer"
      aria-valuemin={LEAST_HEIGHT}
      aria-valuenow={height ?? LEAST_HEIGHT}
      aria-valuetext={height === null ? "height of its content" : `${height} pixels`}
      title="Drag, or press ArrowUp or ArrowDown, to resize the drawer; double-click to fit it to its content"
      tabIndex={0}
      onKeyDown={key}
      onDoubleClick={() => onHeight(null)}
      onPointerDown={(event) => {
        if (event.button === 0) event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
    />
  );
}
