/** The critical path of a wait or a sleep over the lanes: who is on it, in a link and as arrows. */

import type { CriticalPathSection } from "../../../api/types.ts";
import { type AbsNs, parseNs, type Span, toRel } from "../../../lib/time.ts";
import { oneMark } from "../../../timeline/draw/glyphs.ts";
import type { SeenLane } from "../../../timeline/panel.ts";
import type { LitWait, Scene } from "../../../timeline/scene.ts";
import { type TimeScale, xOf } from "../../../ui/canvas/surface.ts";

/** A moment of a wait or a sleep whose path is shown. */
export interface PathKey {
  readonly pid: number;
  readonly at: AbsNs;
}

declare module "../../../timeline/panel.ts" {
  interface PanelFields {
    readonly path: PathKey | null;
  }
}

export function parsePath(text: string | undefined): PathKey | null {
  const match = /^(\d{1,10})@(-?\d{1,20})$/.exec(text ?? "");
  const at = parseNs(match?.[2] ?? "");
  const pid = Number(match?.[1]);
  return at === null || !(pid < 2 ** 31) ? null : { pid, at };
}

export function formatPath(path: PathKey | null): string | null {
  return path && `${path.pid}@${path.at}`;
}

export type FoundPath = CriticalPathSection;

/** Lanes that are shown for a path besides those that are pinned. */
const MOST_SHOWN = 8;

/** Tasks of a path, the delayed task first. */
export function pathPids({ pid, steps }: FoundPath): readonly number[] {
  return [...new Set([pid, ...steps.map((step) => step.pid)])].slice(0, MOST_SHOWN);
}

const relative = (origin: AbsNs, ns: string) => toRel(origin, BigInt(ns));

/** From the start of the sleep to the end of the wait. */
export function pathSpan({ begin_ns, end_ns }: FoundPath, origin: AbsNs): Span {
  return { from: relative(origin, begin_ns), to: relative(origin, end_ns) };
}

/** Highlighted tasks, and the parts of the lanes that are on the path. */
export function litPath(path: FoundPath, { tasks, origin }: Scene): LitWait {
  const pids = new Set([path.pid, ...path.steps.map(({ pid }) => pid)]);
  const rows = new Set<number>();
  tasks.pid.forEach((pid, row) => {
    if (pids.has(pid)) rows.add(row);
  });
  const parts = path.steps.map(({ pid, from_ns, to_ns }) => ({
    lane: `task:${pid}`,
    span: { from: relative(origin, from_ns), to: relative(origin, to_ns) },
  }));
  return { tasks: rows, parts };
}

export const PATH = oneMark({ shape: "arrow", tone: "accent", means: "critical path" });

export interface PathArrow {
  /** CSS pixels on the canvas. */
  readonly x: number;
  /** null: an interrupt or the idle task woke it, whose lane there is none of. */
  readonly from: number | null;
  readonly to: number;
}

/** An arrow for each wake-up of the path whose lanes are seen. */
export function pathArrows(
  path: FoundPath,
  seen: readonly SeenLane[],
  scale: TimeScale,
  origin: AbsNs,
): readonly PathArrow[] {
  const middles = new Map(seen.map(({ box, top }) => [box.key, top + box.height / 2]));
  return path.steps.flatMap(({ pid, woken }, place) => {
    const to = middles.get(`task:${pid}`);
    if (to === undefined || !woken) return [];
    const by = path.steps[place + 1];
    const from = by ? middles.get(`task:${by.pid}`) : null;
    return from === undefined ? [] : [{ x: xOf(scale, relative(origin, woken.t_ns)), from, to }];
  });
}

const HEAD = 5;
/** Length of an arrow without a source lane. */
const STUB = 13;

export function paintPath(
  ctx: CanvasRenderingContext2D,
  arrows: readonly PathArrow[],
  { colour, ground }: { readonly colour: string; readonly ground: string },
): void {
  for (const [stroke, width] of [
    [ground, 5],
    [colour, 2],
  ] as const) {
    ctx.strokeStyle = stroke;
    ctx.lineWidth = width;
    ctx.beginPath();
    for (const { x, from, to } of arrows) {
      const begin = from ?? to - STUB;
      const back = begin < to ? -HEAD : HEAD;
      ctx.moveTo(x, begin);
      ctx.lineTo(x, to);
      ctx.moveTo(x - HEAD, to + back);
      ctx.lineTo(x, to);
      ctx.lineTo(x + HEAD, to + back);
      if (from === null) {
        ctx.moveTo(x - 4, begin);
        ctx.lineTo(x + 4, begin);
      } else {
        ctx.moveTo(x + 3, begin);
        ctx.arc(x, begin, 3, 0, 2 * Math.PI);
      }
    }
    ctx.stroke();
  }
}
