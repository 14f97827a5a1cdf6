/**
 * Idle load balancing. Above, rows of marks: lost kicks, served kicks, overdue balancing. Below, one row for each
 * CPU, filled while it is in the idle mask, and each kick as an arrow from its sender to its target. The head
 * shows the outcome, the stroke its provenance. Many close kicks are merged into a bar over their rows.
 */

import type { Label } from "../../../lib/terms.ts";
import type { Span } from "../../../lib/time.ts";
import {
  type Clusters,
  DASHES,
  firstFrom,
  type GlyphTrack,
  inkOf,
  markTable,
  oneMark,
  paintGlyphs,
} from "../../../timeline/draw/glyphs.ts";
import type { LaneCanvas } from "../../../timeline/draw/strips.ts";
import type { Palette } from "../../../ui/canvas/palette.ts";
import { strokeLine } from "../../../ui/canvas/pen.ts";
import { xOf } from "../../../ui/canvas/surface.ts";
import { type Arrow, arrowOf, COSTLY, FATES, Fates, type IlbTracks, type MaskRow } from "./ilb-tracks.ts";

/** Each arrow is drawn where no more than these are near each other. */
export const ARROWS_NEAR = 3;
const MARKS = 14;

export interface KickStrips {
  /** Middles of the rows of marks. */
  readonly lostY: number;
  readonly servedY: number;
  readonly staleY: number;
  readonly top: number;
  readonly height: number;
}

export function kickStrips(height: number): KickStrips {
  const top = 3 * MARKS + 4;
  const [lostY, servedY, staleY] = [8, 8 + MARKS, 8 + 2 * MARKS] as const;
  return { lostY, servedY, staleY, top, height: Math.max(8, height - top - 4) };
}

/** Middle of a CPU's row, from the lane's upper edge. */
export function rowMiddle({ top, height }: KickStrips, row: number, rows: number): number {
  return top + ((row + 0.5) * height) / Math.max(1, rows);
}

export const KICKS = markTable(Fates, {
  not_seen: { shape: "ring", tone: "muted", means: "outcome unknown" },
  handled: { shape: "right", tone: "text", means: "handled" },
  latched: { shape: "circle", tone: "accent", means: "latched" },
  aborted: { shape: "bar", tone: "cost", means: "aborted" },
  dropped: { shape: "cross", tone: "cost", means: "dropped" },
});

export const STALE = oneMark({ shape: "diamond", tone: "warn", means: "overdue" });

export interface KicksLook {
  readonly colours: readonly string[];
  readonly span: Span;
}

export function paintKicksLane(lane: LaneCanvas, tracks: IlbTracks, look: KicksLook): void {
  const { ctx, scale, box, ink } = lane;
  const { palette } = ink;
  const strips = kickStrips(box.height);
  const rows = tracks.rows.length;
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, box.y + strips.top, box.width, strips.height);
  tracks.rows.forEach((row, i) => {
    const middle = box.y + rowMiddle(strips, i, rows);
    const height = Math.max(0.75, Math.min(12, (strips.height / Math.max(1, rows)) * 0.62));
    const place = { ...box, y: middle - height / 2, height };
    paintMask({ ...lane, box: place }, row, look.colours[i] ?? palette.muted);
  });
  ctx.globalAlpha = 1;
  const { kicks } = tracks;
  const x = (t: number) => xOf(scale, t);
  const y = (row: number) => box.y + rowMiddle(strips, row, rows);
  // What was lost comes last: it lies above.
  for (const [track, kickOf] of [
    [tracks.served, tracks.servedKick],
    [tracks.lost, tracks.lostKick],
  ] as const) {
    eachCluster(lane, track, (clusters, c) => {
      const count = clusters.count[c] ?? 0;
      const first = clusters.first[c] ?? 0;
      const colour = inkOf(ink, KICKS, clusters.kind[c]);
      if (count > ARROWS_NEAR) {
        paintMany(ctx, tracks, first, count, kickOf, x, y, colour);
        return;
      }
      for (let i = first; i < first + count; i += 1) {
        const kick = kickOf(i);
        const arrow = arrowOf(kicks, kick, x, y);
        const fate = kicks.kind[kick] ?? 0;
        const own = inkOf(ink, KICKS, fate);
        if (arrow) paintArrow(ctx, arrow, fate, own, kicks.label[kick] ?? "inferred", palette);
      }
    });
  }
  paintGlyphs(lane, tracks.lost, box.y + strips.lostY, {
    looks: KICKS,
    labelOf: (i) => tracks.lostEvent(i)?.label ?? "inferred",
  });
  paintGlyphs(lane, tracks.served, box.y + strips.servedY, {
    looks: KICKS,
    labelOf: (i) => tracks.servedEvent(i)?.label ?? "inferred",
  });
  paintGlyphs(lane, tracks.stale, box.y + strips.staleY, {
    looks: STALE,
    labelOf: (i) => tracks.staleEvent(i)?.label ?? "inferred",
  });
}

function eachCluster(
  { scale, box }: LaneCanvas,
  track: GlyphTrack,
  draw: (clusters: Clusters, c: number) => void,
): void {
  const clusters = track.clusters(1 / scale.perNs);
  const margin = 40 / scale.perNs;
  const end = scale.from + (box.width + 40) / scale.perNs;
  for (let c = firstFrom(clusters.t0, clusters.length, scale.from - margin); c < clusters.length; c += 1) {
    if ((clusters.t0[c] ?? 0) > end) break;
    draw(clusters, c);
  }
}

/** Time ranges thinner than a pixel darken it by their share. */
function paintMask({ ctx, scale, box }: LaneCanvas, { from, to }: MaskRow, colour: string): void {
  const pixel = 1 / box.ratio;
  const end = scale.from + box.width / scale.perNs;
  ctx.fillStyle = colour;
  let column = Number.NaN;
  let filled = 0;
  const flush = () => {
    if (filled <= 0) return;
    ctx.globalAlpha = 0.12 + 0.5 * Math.min(1, filled);
    ctx.fillRect(column, box.y, pixel, box.height);
    filled = 0;
  };
  for (let i = firstFrom(to, to.length, scale.from); i < from.length; i += 1) {
    if ((from[i] ?? 0) > end) break;
    const x0 = Math.max(0, xOf(scale, from[i] ?? 0));
    const x1 = Math.min(box.width, xOf(scale, to[i] ?? 0));
    if (x1 - x0 > 2 * pixel) {
      flush();
      ctx.globalAlpha = 0.62;
      ctx.fillRect(x0, box.y, x1 - x0, box.height);
      continue;
    }
    const at = Math.floor(x0 * box.ratio) / box.ratio;
    if (at !== column) {
      flush();
      column = at;
    }
    filled += (x1 - x0) / pixel;
  }
  flush();
}

/** Kicks that have no room of their own: a bar from the first row that they touch to the last. */
function paintMany(
  ctx: CanvasRenderingContext2D,
  { kicks }: IlbTracks,
  first: number,
  count: number,
  kickOf: (i: number) => number,
  x: (t: number) => number,
  y: (row: number) => number,
  colour: string,
): void {
  let top = Number.POSITIVE_INFINITY;
  let bottom = -1;
  for (let i = first; i < first + count; i += 1) {
    const kick = kickOf(i);
    for (const row of [kicks.from[kick] ?? -1, kicks.to[kick] ?? -1]) {
      if (row < 0) continue;
      top = Math.min(top, row);
      bottom = Math.max(bottom, row);
    }
  }
  if (bottom < 0) return;
  ctx.globalAlpha = 0.4;
  ctx.fillStyle = colour;
  ctx.fillRect(x(kicks.t[kickOf(first)] ?? 0) - 1, y(top) - 2, 2, y(bottom) - y(top) + 4);
  ctx.globalAlpha = 1;
}

const HEAD = 4.5;

function paintArrow(
  ctx: CanvasRenderingContext2D,
  { x0, y0, x1, y1 }: Arrow,
  fate: number,
  colour: string,
  label: Label,
  palette: Palette,
): void {
  ctx.strokeStyle = colour;
  ctx.lineWidth = fate >= COSTLY ? 1.8 : 1.2;
  ctx.setLineDash([...DASHES[label]]);
  strokeLine(ctx, x0, y0, x1, y1);
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.arc(x0, y0, 1.8, 0, 2 * Math.PI);
  ctx.fillStyle = colour;
  ctx.fill();
  const angle = x0 === x1 && y0 === y1 ? 0 : Math.atan2(y1 - y0, x1 - x0);
  ctx.save();
  ctx.translate(x1, y1);
  ctx.rotate(angle);
  ctx.beginPath();
  switch (FATES[fate]) {
    case "dropped":
      ctx.moveTo(-HEAD, -HEAD);
      ctx.lineTo(HEAD, HEAD);
      ctx.moveTo(-HEAD, HEAD);
      ctx.lineTo(HEAD, -HEAD);
      ctx.lineWidth = 2;
      break;
    case "aborted":
      ctx.moveTo(0, -HEAD);
      ctx.lineTo(0, HEAD);
      ctx.lineWidth = 2.4;
      break;
    case "not_seen":
      ctx.arc(0, 0, HEAD - 1.5, 0, 2 * Math.PI);
      ctx.fillStyle = palette.ground;
      ctx.fill();
      break;
    default:
      ctx.moveTo(0, 0);
      ctx.lineTo(-1.8 * HEAD, -HEAD * 0.8);
      ctx.lineTo(-1.8 * HEAD, HEAD * 0.8);
      ctx.closePath();
      ctx.fillStyle = FATES[fate] === "latched" ? palette.ground : colour;
      ctx.fill();
  }
  ctx.stroke();
  ctx.restore();
}
