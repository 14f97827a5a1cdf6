/** The rows of a query on the time axis: a panel that is there only while the reader wants it. */

import { bothDurations, formatCount, formatShare, formatTime, plural } from "../../lib/format.ts";
import { type AbsNs, toAbs } from "../../lib/time.ts";
import { firstFrom } from "../../timeline/draw/glyphs.ts";
import { type EventFact, factOf, merged, pickMark } from "../../timeline/event-fact.ts";
import type { LaneBox, LaneSpec } from "../../timeline/lanes.ts";
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
} from "../../timeline/panel.ts";
import { paintQueryLane, sliceStrip } from "./query-lane.ts";
import { cellText, distinctNames } from "./sql-table.ts";
import { blockAt, SliceRow, type SqlLane, type SqlTrack } from "./sql-track.ts";

export interface SqlSnapshot {
  readonly track: SqlTrack | null;
}

/** Columns of a row that the tooltip has room for; the table has all. */
const MOST_LISTED = 12;
const REACH = 4;
const ROW = 18;
const NOTE = "A row of the query.";

export class SqlPanel implements Panel<SqlSnapshot> {
  readonly #origin: AbsNs;
  #track: SqlTrack | null = null;
  #slices: readonly (readonly SliceRow[])[] = [];
  #names: readonly string[] = [];
  lanes: readonly LaneSpec[] = [];
  onChange: () => void = () => {};

  constructor({ scene }: PanelContext) {
    this.#origin = scene.origin;
  }

  /** The rows of the query that are shown; null takes the panel away. */
  set track(track: SqlTrack | null) {
    if (track === this.#track) return;
    this.#track = track;
    this.#learn();
  }

  get absent(): boolean {
    return this.#track === null;
  }

  get state(): PanelState {
    return { kind: this.absent ? "none" : "ready", note: this.#track?.note ?? null };
  }

  #learn(): void {
    const track = this.#track;
    this.#slices = (track?.lanes ?? []).map(({ kind, rows }) =>
      kind === "slices" ? rows.map((row) => new SliceRow(row)) : [],
    );
    this.#names = distinctNames(track?.answer.columns.map(({ name }) => name) ?? []);
    this.lanes = (track?.lanes ?? []).map(({ index, kind, rows }): LaneSpec => {
      const min = kind === "slices" ? 10 + ROW * Math.max(1, rows.length) : kind === "counter" ? 44 : 28;
      const max = kind === "counter" ? 84 : min;
      return {
        key: `sql:${index}`,
        kind: "query",
        title: `lane ${index + 1} of the query`,
        resource: String(index),
        min,
        max,
        gap: 1,
      };
    });
    this.onChange();
  }

  want(): void {
    // The query was run by the drawer, for all of its rows.
  }

  #laneOf(resource: string): SqlLane | null {
    return this.#track?.lanes[Number(resource)] ?? null;
  }

  draw(frame: Frame, box: LaneBox, top: number): void {
    const track = this.#track;
    const lane = this.#laneOf(box.resource);
    if (!track || !lane) return;
    const look = {
      lane,
      slices: this.#slices[lane.index] ?? [],
      nameOf: track.nameOf,
      charWidth: frame.charWidth,
    };
    paintQueryLane(laneCanvas(frame, box, top), look);
  }

  pick(place: Place): Picked | null {
    const lane = this.#laneOf(place.box.resource);
    if (!lane) return null;
    if (lane.kind === "counter") return this.#pickValue(place, lane);
    if (!lane.marks) return this.#pickSlice(place, lane);
    const marks = {
      track: lane.marks,
      middle: place.box.height / 2,
      word: "row",
      factAt: (i: number) => this.#notify(lane, 0, i),
      sum: () => [],
    };
    return pickMark(place, marks, "sql", this.#origin);
  }

  #pickSlice({ box, y, at, perPixel }: Place, lane: SqlLane): Picked | null {
    const slices = this.#slices[lane.index] ?? [];
    for (const [depth, row] of slices.entries()) {
      const strip = sliceStrip(box.height, slices.length, depth);
      if (y < strip.top || y >= strip.top + strip.height + 1) continue;
      const blocks = row.blocks(perPixel);
      const found = blockAt(blocks, at, REACH * perPixel);
      if (found < 0) return null;
      const span = { from: blocks.t0[found] ?? 0, to: blocks.t1[found] ?? 0 };
      const outline = { span, ...strip };
      const count = blocks.count[found] ?? 1;
      if (count > 1) {
        const rows: [string, string][] = [["filled", formatShare(blocks.share[found] ?? 0)]];
        const what = merged(plural(count, "row"), rows, span, this.#origin);
        return { what, swatch: null, outline, taken: null, zoom: span };
      }
      const words = this.#notify(lane, depth, blocks.first[found] ?? 0);
      if (!words) return null;
      const fact = factOf(words, "sql", box.key, this.#origin);
      return { what: words.what, swatch: null, outline, taken: { kind: "fact", fact }, zoom: span };
    }
    return null;
  }

  /** The value that holds at the pointer, or what the values of its pixel range over. */
  #pickValue({ box, at, perPixel }: Place, lane: SqlLane): Picked | null {
    const [only] = lane.rows;
    if (!only) return null;
    const end = firstFrom(only.t0, only.length, at + perPixel / 2);
    const first = firstFrom(only.t0, only.length, at - perPixel / 2);
    if (end - first > 1) return { ...this.#range(only.value, first, end, at, perPixel), outline: null };
    const words = this.#notify(lane, 0, end - 1);
    if (!words) return null;
    const fact = factOf(words, "sql", box.key, this.#origin);
    const span = { from: only.t0[end - 1] ?? 0, to: only.t1[end - 1] ?? 0 };
    const outline = { span, top: 3, height: box.height - 6 };
    return { what: words.what, swatch: null, outline, taken: { kind: "fact", fact }, zoom: span };
  }

  #range(value: Float64Array, first: number, end: number, at: number, perPixel: number) {
    const seen = value.subarray(first, end);
    const span = { from: at - perPixel / 2, to: at + perPixel / 2 };
    const rows: [string, string][] = [
      ["lowest", String(Math.min(...seen))],
      ["highest", String(Math.max(...seen))],
    ];
    const what = merged(plural(end - first, "value"), rows, span, this.#origin);
    return { what, swatch: null, taken: null, zoom: { from: at - 20 * perPixel, to: at + 20 * perPixel } };
  }

  #notify(lane: SqlLane, depth: number, i: number): EventFact | null {
    const track = this.#track;
    const columns = lane.rows[depth];
    const row = columns?.row[i];
    const cells = row === undefined ? undefined : track?.answer.rows[row];
    if (!track || !columns || row === undefined || !cells || i < 0) return null;
    const span = { from: columns.t0[i] ?? 0, to: columns.t1[i] ?? 0 };
    const at = toAbs(this.#origin, span.from);
    const all = this.#names.map((name, column): [string, string] => [name, cellText(cells[column])]);
    const length: [string, string][] =
      lane.kind === "slices" ? [["duration", bothDurations(span.to - span.from)]] : [];
    const title = track.nameOf(row);
    const words: Described = {
      title,
      task: null,
      rows: [["start", `${formatTime(at)}`], ...length, ...all.slice(0, MOST_LISTED)],
      label: null,
      note:
        all.length > MOST_LISTED
          ? `${formatCount(all.length - MOST_LISTED)} more columns are in the table.`
          : null,
    };
    return {
      what: words,
      fact: { at, title, label: null, rows: [...length, ...all], note: NOTE, fn: null },
      from: at,
      to: toAbs(this.#origin, span.to),
    };
  }

  facts(key: string): readonly FactList[] {
    const lane = this.#laneOf(key.replace(/^sql:/, ""));
    if (!lane || !key.startsWith("sql:")) return [];
    return lane.rows.map(({ length }, depth) => ({
      length,
      fact: (i) => {
        const words = this.#notify(lane, depth, i);
        return words && factOf(words, "sql", key, this.#origin);
      },
    }));
  }

  snapshot(): SqlSnapshot {
    return { track: this.#track };
  }

  close(): void {
    this.onChange = () => {};
  }
}
