/**
 * A numa group's lane. From top to bottom: flips; the share of failed attempts of each node as a line that holds
 * until the next count, with the degree across it and busy intervals shaded. Then a bar per node while it is busy,
 * and decisions.
 */

import type { Label } from "../../../lib/terms.ts";
import type { RelNs, Span } from "../../../lib/time.ts";
import { DASHES, markTable, paintGlyphs } from "../../../timeline/draw/glyphs.ts";
import type { LaneCanvas } from "../../../timeline/draw/strips.ts";
import { fillFaint, setText, strokeLine, traceMark } from "../../../ui/canvas/pen.ts";
import { xOf } from "../../../ui/canvas/surface.ts";
import {
  type BusyTrack,
  Decided,
  Flipped,
  type GroupTrack,
  holdsAt,
  type NodeTrack,
} from "./cling-tracks.ts";

export interface ClingStrips {
  readonly flipY: number;
  readonly plotTop: number;
  readonly plotHeight: number;
  readonly bandTop: number;
  readonly band: number;
  readonly noteY: number;
}

const FLIP_ROW = 13;
const NOTES = 15;

/** Positions of the strips inside a lane; bands get thinner for a group with many nodes. */
export function clingStrips(height: number, nodes: number): ClingStrips {
  const band = Math.min(4, Math.max(1, Math.floor(16 / Math.max(1, nodes))));
  const bands = band * nodes + 2;
  const plotHeight = Math.max(8, height - FLIP_ROW - NOTES - bands - 2);
  const bandTop = FLIP_ROW + plotHeight + 2;
  return { flipY: 7, plotTop: FLIP_ROW, plotHeight, bandTop, band, noteY: bandTop + bands + 5 };
}

export interface ClingLook {
  readonly degree: number;
  /** The degree is one that the reader tries: the ground is hatched. */
  readonly whatIf: boolean;
  /** Busy intervals and flips are those of this degree. */
  readonly computed: boolean;
  readonly parts: RelNs | null;
  /** Range of the answer, and end of the listed decisions. */
  readonly span: Span;
  readonly listedTo: RelNs;
  readonly colours: readonly string[];
}

export function paintClingLane(lane: LaneCanvas, group: GroupTrack, look: ClingLook): void {
  const { ctx, scale, box, ink } = lane;
  const { palette } = ink;
  const strips = clingStrips(box.height, group.nodes.length);
  const plot = { top: box.y + strips.plotTop, height: strips.plotHeight };
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, plot.top, box.width, plot.height);
  if (look.whatIf) {
    ctx.fillStyle = ink.whatIf;
    ctx.fillRect(0, plot.top, box.width, plot.height);
  }
  if (look.computed) {
    group.busy.forEach((busy, place) => {
      const band = {
        top: box.y + strips.bandTop + place * strips.band,
        height: Math.max(1, strips.band - 1),
      };
      paintBusy(lane, busy, plot, band, look.colours[place] ?? palette.text);
    });
  }
  paintUnknown(lane, group.known);
  const yOf = (ratio: number) =>
    plot.top + plot.height - (Math.min(100, ratio) / 100) * (plot.height - 2) - 1;
  const label: Label = look.whatIf ? "what-if" : group.label;
  group.nodes.forEach((node, place) => {
    const colour = look.colours[place] ?? palette.text;
    paintNodeLine(lane, node, group.known, yOf, { colour, label, place });
  });
  paintDegree(lane, yOf(look.degree), look);
  if (look.computed) {
    paintGlyphs(lane, group.flips, box.y + strips.flipY, { looks: FLIPS, labelOf: () => label });
    paintGlyphs(lane, group.decisions, box.y + strips.noteY, {
      looks: DECISIONS,
      labelOf: (i) => group.decision(i)?.label ?? "inferred",
    });
  }
  if (look.parts !== null) paintParts(lane, xOf(scale, look.parts));
  paintUnlisted(lane, look, box.y + strips.noteY);
}

export const FLIPS = markTable(Flipped, {
  NotBusy: { shape: "up", tone: "muted", means: "no longer busy" },
  Busy: { shape: "down", tone: "cost", means: "busy" },
});

export const DECISIONS = markTable(Decided, {
  Other: { shape: "circle", tone: "muted", means: "other decision" },
  Clings: { shape: "square", tone: "accent", means: "clings" },
  Released: { shape: "diamond", tone: "warn", means: "released" },
});

interface Rows {
  readonly top: number;
  readonly height: number;
}

function paintBusy(lane: LaneCanvas, { from, to }: BusyTrack, plot: Rows, band: Rows, colour: string): void {
  const { ctx, scale, ink } = lane;
  const { width } = lane.box;
  const visible = scale.from + width / scale.perNs;
  let drawnTo = Number.NEGATIVE_INFINITY;
  for (let i = Math.max(0, holdsAt(from, scale.from)); i < from.length; i += 1) {
    if ((from[i] ?? 0) > visible) break;
    const x0 = Math.max(-2, xOf(scale, from[i] ?? 0), drawnTo);
    const x1 = Math.min(width + 2, Math.max(x0 + 1, xOf(scale, to[i] ?? 0)));
    if (x1 <= drawnTo || x1 < 0) continue;
    ctx.fillStyle = ink.palette.costSoft;
    ctx.fillRect(x0, plot.top, x1 - x0, plot.height);
    ctx.fillStyle = colour;
    ctx.fillRect(x0, band.top, x1 - x0, band.height);
    drawnTo = x1;
  }
}

/** Before the group existed, and after its end. */
function paintUnknown({ ctx, scale, box, ink }: LaneCanvas, known: Span): void {
  ctx.fillStyle = ink.palette.beyond;
  const from = Math.min(box.width, xOf(scale, known.from));
  const to = Math.max(0, xOf(scale, known.to));
  if (from > 0.5) ctx.fillRect(0, box.y, from, box.height - 2);
  if (to < box.width - 0.5) ctx.fillRect(to, box.y, box.width - to, box.height - 2);
}

interface LineLook {
  readonly colour: string;
  readonly label: Label;
  readonly place: number;
}

/** Many counts inside a pixel are one line from the least to the most of them: at most four points a column. */
function paintNodeLine(
  lane: LaneCanvas,
  track: NodeTrack,
  known: Span,
  yOf: (ratio: number) => number,
  look: LineLook,
): void {
  const { ctx, scale, box } = lane;
  const { t, ratio } = track;
  if (t.length === 0) return;
  const snap = (x: number) => (Math.round(x * box.ratio) + 0.5) / box.ratio;
  const end = Math.min(box.width + 2, xOf(scale, known.to));
  ctx.strokeStyle = look.colour;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([...DASHES[look.label]]);
  ctx.beginPath();
  let column = Number.NaN;
  let least = 0;
  let most = 0;
  let last = Number.NaN;
  const flush = () => {
    if (Number.isNaN(column)) return;
    ctx.lineTo(column, least);
    ctx.lineTo(column, most);
    ctx.lineTo(column, last);
  };
  for (let i = Math.max(0, holdsAt(t, scale.from)); i < t.length; i += 1) {
    const exact = xOf(scale, t[i] ?? 0);
    if (exact > end) break;
    const x = snap(Math.max(-2, exact));
    const y = yOf(ratio[i] ?? 0);
    if (x === column) {
      least = Math.min(least, y);
      most = Math.max(most, y);
    } else {
      flush();
      if (Number.isNaN(last)) ctx.moveTo(x, y);
      else ctx.lineTo(x, last);
      column = x;
      least = Number.isNaN(last) ? y : Math.min(last, y);
      most = Number.isNaN(last) ? y : Math.max(last, y);
    }
    last = y;
  }
  flush();
  if (!Number.isNaN(last) && end > column) ctx.lineTo(end, last);
  ctx.stroke();
  ctx.setLineDash([]);
  paintMarks(lane, track, known, yOf, look);
}

/**
 * Marks of a different form for each node distinguish the lines without colour; they are at round times and move
 * with them.
 */
function paintMarks(
  lane: LaneCanvas,
  { t, ratio }: NodeTrack,
  known: Span,
  yOf: (ratio: number) => number,
  look: LineLook,
): void {
  const { ctx, scale, box, ink } = lane;
  const { colour, label, place } = look;
  const period = 2 ** Math.ceil(Math.log2(110 / scale.perNs));
  const shift = ((place % 3) / 3) * period;
  ctx.lineWidth = 1.2;
  ctx.strokeStyle = colour;
  ctx.fillStyle = label === "observed" ? colour : ink.palette.track;
  const to = Math.min(known.to, scale.from + box.width / scale.perNs);
  for (let k = Math.floor((scale.from - shift) / period) * period + shift; k <= to; k += period) {
    const i = holdsAt(t, k);
    if (i < 0 || k < known.from) continue;
    traceMark(ctx, xOf(scale, k), yOf(ratio[i] ?? 0), place, FORM);
    ctx.fill();
    ctx.stroke();
  }
}

const FORM = 2.6;

function paintDegree({ ctx, box, ink }: LaneCanvas, y: number, { degree, whatIf }: ClingLook): void {
  const { palette } = ink;
  const colour = whatIf ? palette.accent : palette.text;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.setLineDash([6, 4]);
  strokeLine(ctx, 0, Math.round(y) + 0.5, box.width, Math.round(y) + 0.5);
  ctx.setLineDash([]);
  const text = `degree ${degree} %`;
  setText(ctx, `10px ${palette.font}`, palette.ground);
  const wide = ctx.measureText(text).width;
  fillFaint(ctx, palette.ground, 0.85, [2, y - 6, wide + 4, 12]);
  ctx.fillStyle = colour;
  ctx.fillText(text, 4, y + 0.5);
}

function paintParts({ ctx, box, ink }: LaneCanvas, x: number): void {
  if (x < 0 || x > box.width) return;
  ctx.strokeStyle = ink.palette.accent;
  ctx.lineWidth = 2;
  ctx.setLineDash([2, 3]);
  strokeLine(ctx, x, box.y, x, box.y + box.height - 2);
  ctx.setLineDash([]);
}

/** From here on decisions are not listed: their row says so instead of looking empty. */
function paintUnlisted(
  { ctx, scale, box, ink }: LaneCanvas,
  { listedTo, span, computed }: ClingLook,
  y: number,
): void {
  if (!computed || listedTo >= span.to) return;
  const x = Math.max(0, xOf(scale, listedTo));
  const end = Math.min(box.width, xOf(scale, span.to));
  if (x >= end) return;
  ctx.strokeStyle = ink.palette.line;
  ctx.lineWidth = 1;
  ctx.setLineDash([1, 3]);
  strokeLine(ctx, x, Math.round(y) + 0.5, end, Math.round(y) + 0.5);
  ctx.setLineDash([]);
}
