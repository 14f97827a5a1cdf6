/** Idle load balancing: CPUs in the idle mask, kicks with their outcomes, and overdue balancing. */

import type { IlbSection } from "../../../api/types.ts";
import { bothDurations, formatTime, plural } from "../../../lib/format.ts";
import { absentText } from "../../../lib/terms.ts";
import { type AbsNs, parseNs, type Span, toAbs } from "../../../lib/time.ts";
import { firstFrom } from "../../../timeline/draw/glyphs.ts";
import { countTitles, type EventFact, factList, factOf, pickMark } from "../../../timeline/event-fact.ts";
import type { LaneBox, LaneSpec } from "../../../timeline/lanes.ts";
import {
  type Described,
  type FactList,
  type Frame,
  laneCanvas,
  type Panel,
  type PanelContext,
  type PanelState,
  type Picked,
  type Place,
} from "../../../timeline/panel.ts";
import type { WindowSource } from "../../../timeline/tiles/window-source.ts";
import { type IlbTracks, ilbTracks, kickFact, staleFact } from "./ilb-tracks.ts";
import { kickStrips, paintKicksLane, rowMiddle } from "./kicks-lane.ts";

export interface IlbSnapshot {
  readonly section: IlbSection | null;
  readonly more: number;
}

function coversAll({ from_ns, to_ns }: IlbSection, origin: AbsNs, bounds: Span): boolean {
  return parseNs(from_ns) === toAbs(origin, bounds.from) && parseNs(to_ns) === toAbs(origin, bounds.to);
}

/** Height of a CPU's row, CSS pixels; of very many less, so that the lane fits a screen. */
const ROW = 7;
export const KICKS_LANE = "ilb:kicks";

export class IlbPanel implements Panel<IlbSnapshot> {
  readonly #source: WindowSource<IlbSection, IlbTracks>;
  readonly #origin: AbsNs;
  readonly #cpus: readonly { readonly cpu: number; readonly nid: number }[];
  /** True if the whole recording has no such events, as far as known: an empty lane would take space from others. */
  #nothing = false;
  lanes: readonly LaneSpec[] = [];
  onChange: () => void = () => {};

  constructor({ scene, windows }: PanelContext) {
    const { nodes, origin, bounds } = scene;
    const cpus = nodes.flatMap((node) => node.cpus);
    const source = windows.make("idle_balancing", {
      prepare: (answer, span) => ilbTracks(answer, cpus, origin, span),
      partial: ({ thinned, events, events_all }) =>
        thinned === true || (events_all ?? events.length) > events.length,
    });
    this.#source = source;
    this.#origin = origin;
    this.#cpus = nodes.flatMap(({ nid, cpus }) => cpus.map((cpu) => ({ cpu, nid })));
    const rows = this.#cpus.length;
    const lanes: readonly LaneSpec[] = [
      {
        key: KICKS_LANE,
        kind: "kicks",
        min: 48 + Math.min(280, Math.max(40, rows * ROW)),
        max: 48 + Math.min(420, Math.max(64, rows * 2 * ROW)),
      },
    ];
    source.onChange = () => {
      const { tracks } = source;
      if (tracks && coversAll(tracks.section, origin, bounds)) this.#nothing = tracks.empty;
      if (tracks) this.lanes = this.#nothing ? [] : lanes;
      else if (!source.loading) this.lanes = [];
      this.onChange();
    };
  }

  get state(): PanelState {
    const { problem, missing, tracks } = this.#source;
    if (problem !== null) return { kind: "failed", note: problem };
    if (missing !== null) return { kind: "none", note: absentText("ilb", missing) };
    if (!tracks) return { kind: "loading", note: null };
    const notes: string[] = [];
    if (tracks.section.sched_ext) notes.push(tracks.section.sched_ext);
    if (this.#nothing) notes.push("No kicks, and no CPUs in the idle mask.");
    else if (tracks.more > 0)
      notes.push(`${plural(tracks.more, "event")} more than are listed: zoom in to see them.`);
    return { kind: this.#nothing ? "none" : "ready", note: notes.join(" ") || null };
  }

  want(view: Span): void {
    this.#source.want(view);
  }

  draw(frame: Frame, box: LaneBox, top: number): void {
    const { tracks, span } = this.#source;
    if (!tracks || !span) return;
    const colours = this.#cpus.map(({ nid }) => frame.nodeColour(nid));
    paintKicksLane(laneCanvas(frame, box, top), tracks, { colours, span });
  }

  pick(place: Place): Picked | null {
    const { tracks } = this.#source;
    if (!tracks) return null;
    const strips = kickStrips(place.box.height);
    for (const [middle, track, word, factAt] of [
      [strips.lostY, tracks.lost, "lost kick", (i: number) => this.#kick(tracks.lostEvent(i))],
      [strips.servedY, tracks.served, "kick", (i: number) => this.#kick(tracks.servedEvent(i))],
      [strips.staleY, tracks.stale, "overdue balance", (i: number) => this.#stale(tracks, i)],
    ] as const) {
      if (Math.abs(place.y - middle) > 7) continue;
      return pickMark(place, { track, middle, word, factAt, sum: countTitles }, "ilb", this.#origin);
    }
    return this.#pickArrow(place, tracks) ?? this.#pickRow(place, tracks);
  }

  #kick(event: Parameters<typeof kickFact>[0] | null): EventFact | null {
    return event && kickFact(event);
  }

  #stale(tracks: IlbTracks, i: number): EventFact | null {
    const event = tracks.staleEvent(i);
    return event && staleFact(event, tracks.section.hz ?? null);
  }

  /** The arrow that is nearest to the pointer, at its ends or anywhere between them. */
  #pickArrow({ box, y, at, perPixel }: Place, tracks: IlbTracks): Picked | null {
    const { kicks, rows } = tracks;
    const strips = kickStrips(box.height);
    const middle = (row: number) => rowMiddle(strips, row, rows.length);
    let best = -1;
    let distance = 7;
    for (let i = firstFrom(kicks.t, kicks.length, at - 400 * perPixel); i < kicks.length; i += 1) {
      if ((kicks.t[i] ?? 0) > at + 10 * perPixel) break;
      const [from, to] = [kicks.from[i] ?? -1, kicks.to[i] ?? -1];
      const [sent, arrived] = [kicks.t[i] ?? 0, kicks.arrived[i] ?? 0].map((t) => (t - at) / perPixel);
      // Where one end is not known there is no line, only the other end.
      const [x0 = 0, x1 = 0] = from < 0 ? [arrived, arrived] : to < 0 ? [sent, sent] : [sent, arrived];
      const away = awayFrom(x0, middle(from < 0 ? to : from) - y, x1, middle(to < 0 ? from : to) - y);
      if (away < distance) {
        best = i;
        distance = away;
      }
    }
    const event = best < 0 ? null : tracks.eventOf(best);
    if (!event) return null;
    const words = kickFact(event);
    const fact = factOf(words, "ilb", KICKS_LANE, this.#origin);
    const [a, b] = [middle(kicks.from[best] ?? 0), middle(kicks.to[best] ?? 0)];
    return {
      what: words.what,
      swatch: null,
      outline: {
        span: { from: (kicks.t[best] ?? 0) - 7 * perPixel, to: (kicks.arrived[best] ?? 0) + 7 * perPixel },
        top: Math.min(a, b) - 7,
        height: Math.abs(a - b) + 14,
      },
      taken: { kind: "fact", fact },
      zoom: fact.span,
    };
  }

  /** Finds the row of a CPU, with its state in the idle mask. */
  #pickRow({ box, y, at }: Place, tracks: IlbTracks): Picked | null {
    const strips = kickStrips(box.height);
    const place = Math.floor(((y - strips.top) / strips.height) * tracks.rows.length);
    const row = tracks.rows[place];
    const cpu = this.#cpus[place];
    if (!row || !cpu) return null;
    const i = firstFrom(row.to, row.to.length, at);
    const idle = i < row.from.length && (row.from[i] ?? 0) <= at;
    const span: Span = idle
      ? { from: row.from[i] ?? 0, to: row.to[i] ?? 0 }
      : { from: row.to[i - 1] ?? at, to: row.from[i] ?? at };
    const rows: [string, string][] = [["where", `CPU ${cpu.cpu}, node ${cpu.nid}`]];
    if (span.to > span.from) {
      rows.push(
        ["from", `${formatTime(toAbs(this.#origin, span.from))}`],
        ["to", `${formatTime(toAbs(this.#origin, span.to))}`],
        ["duration", bothDurations(span.to - span.from)],
      );
    }
    const what: Described = {
      title: idle ? "in the idle mask" : "not in the idle mask",
      task: null,
      rows,
      label: tracks.section.label,
      note: tracks.thinned ? "Close events are shown as one: zoom in." : null,
    };
    return { what, swatch: null, outline: null, taken: null, zoom: idle ? span : null };
  }

  facts(lane: string): readonly FactList[] {
    const { tracks } = this.#source;
    if (!tracks || lane !== KICKS_LANE) return [];
    const list = (length: number, factAt: (i: number) => EventFact | null) =>
      factList(length, factAt, "ilb", KICKS_LANE, this.#origin);
    return [
      list(tracks.lost.glyphs.length, (i) => this.#kick(tracks.lostEvent(i))),
      list(tracks.served.glyphs.length, (i) => this.#kick(tracks.servedEvent(i))),
      list(tracks.stale.glyphs.length, (i) => this.#stale(tracks, i)),
    ];
  }

  snapshot(): IlbSnapshot {
    return { section: this.#source.tracks?.section ?? null, more: this.#source.tracks?.more ?? 0 };
  }

  close(): void {
    this.#source.close();
  }
}

/** Distance of a line from (x0, y0) to (x1, y1) from the origin. */
function awayFrom(x0: number, y0: number, x1: number, y1: number): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const square = dx * dx + dy * dy;
  const share = square === 0 ? 0 : Math.min(1, Math.max(0, -(x0 * dx + y0 * dy) / square));
  return Math.hypot(x0 + share * dx, y0 + share * dy);
}
