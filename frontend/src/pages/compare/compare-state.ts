/** A comparison as a link: `ids=a,b:c&base=1&rule=2024&step=5000000000&axes=own&curve=sum&w=0~<from>~<to>`. */

import { type AbsNs, parseNs } from "../../lib/time.ts";
import { parseStep } from "../../view-state/tab-views.ts";

/** Rule of significance of mmtests for the stars: that of February 2020, or the one since November 2024. */
export type StarRule = "2020" | "2024";
/** Scale of times: one for all, or each analysis fills the width. */
export type Axes = "shared" | "own";
/** Waits by length: how many in each bin, or how many up to it. */
export type Curve = "bins" | "sum";

export interface CompareWindow {
  readonly from: AbsNs;
  readonly to: AbsNs;
}

export interface CompareState {
  /** By side, the ids of its runs. */
  readonly sides: readonly (readonly string[])[];
  /** Side that the others are compared with. */
  readonly base: number;
  readonly rule: StarRule;
  /** Step of the per-node tables, ns; null leaves it to the server. */
  readonly step: number | null;
  readonly axes: Axes;
  readonly curve: Curve;
  /** Compared part, by position among all analyses; without one, the common window. */
  readonly windows: ReadonlyMap<number, CompareWindow>;
}

/** As the service has it. */
export const MOST_ANALYSES = 16;
const ID = /^[A-Za-z0-9_-]{1,64}$/;
const WINDOW = /^(\d{1,2})~(\d{1,19})~(\d{1,19})$/;

export function parseCompare(query: string): CompareState {
  const params = new URLSearchParams(query);
  const sides = (params.get("ids") ?? "")
    .split(",")
    .map((side) => side.split(":").filter((id) => ID.test(id)))
    .filter((side) => side.length > 0);
  const base = Number(params.get("base") ?? 0);
  return {
    sides,
    base: Number.isInteger(base) && base >= 0 && base < sides.length ? base : 0,
    rule: params.get("rule") === "2024" ? "2024" : "2020",
    step: parseStep(params.get("step") ?? undefined),
    axes: params.get("axes") === "own" ? "own" : "shared",
    curve: params.get("curve") === "sum" ? "sum" : "bins",
    windows: parseWindows(params.get("w") ?? "", sides.flat().length),
  };
}

function parseWindows(text: string, count: number): Map<number, CompareWindow> {
  const windows = new Map<number, CompareWindow>();
  for (const part of text.split(",")) {
    const [, place, first, last] = WINDOW.exec(part) ?? [];
    const [from, to] = [parseNs(first ?? ""), parseNs(last ?? "")];
    if (from !== null && to !== null && from < to && Number(place) < count) {
      windows.set(Number(place), { from, to });
    }
  }
  return windows;
}

export function compareQuery(state: CompareState): string {
  const parts = [`ids=${idsText(state.sides)}`];
  if (state.base !== 0) parts.push(`base=${state.base}`);
  if (state.rule !== "2020") parts.push(`rule=${state.rule}`);
  if (state.step !== null) parts.push(`step=${state.step}`);
  if (state.axes !== "shared") parts.push(`axes=${state.axes}`);
  if (state.curve !== "bins") parts.push(`curve=${state.curve}`);
  const windows = [...state.windows].sort(([a], [b]) => a - b);
  if (windows.length > 0)
    parts.push(`w=${windows.map(([at, { from, to }]) => `${at}~${from}~${to}`).join(",")}`);
  return parts.join("&");
}

export function idsText(sides: CompareState["sides"]): string {
  return sides.map((side) => side.join(":")).join(",");
}

/** The place of a side's first run among all analyses. */
function placeOf(sides: CompareState["sides"], side: number): number {
  return sides.slice(0, side).reduce((sum, runs) => sum + runs.length, 0);
}

export function addSide(state: CompareState, id: string): CompareState {
  return { ...state, sides: [...state.sides, [id]] };
}

/** Without one run; a side without runs goes. The base stays what it was, or becomes the first side. */
export function removeRun(state: CompareState, place: number): CompareState {
  const at = sideOf(state.sides, place);
  const run = place - placeOf(state.sides, at);
  const sides = state.sides.map((runs, side) => (side === at ? runs.filter((_, i) => i !== run) : runs));
  const windows = new Map(
    [...state.windows].flatMap(([other, window]): [number, CompareWindow][] =>
      other === place ? [] : [[other > place ? other - 1 : other, window]],
    ),
  );
  const gone = sides[at]?.length === 0;
  const base = gone && state.base === at ? 0 : state.base - (gone && state.base > at ? 1 : 0);
  return { ...state, sides: sides.filter((runs) => runs.length > 0), windows, base };
}

/** Puts a side with one run at the end of the side before it: another run of the same. */
export function joinBefore(state: CompareState, side: number): CompareState {
  const [before, here] = [state.sides[side - 1], state.sides[side]];
  if (!before || !here) return state;
  const sides = [...state.sides.slice(0, side - 1), [...before, ...here], ...state.sides.slice(side + 1)];
  return { ...state, sides, base: state.base >= side ? state.base - 1 : state.base };
}

/** Makes the last run of a side a separate side, after it. */
export function splitLast(state: CompareState, side: number): CompareState {
  const runs = state.sides[side];
  const last = runs?.at(-1);
  if (!runs || last === undefined || runs.length < 2) return state;
  const sides = [...state.sides.slice(0, side), runs.slice(0, -1), [last], ...state.sides.slice(side + 1)];
  return { ...state, sides, base: state.base > side ? state.base + 1 : state.base };
}

export function sideOf(sides: CompareState["sides"], place: number): number {
  let left = place;
  for (const [side, runs] of sides.entries()) {
    if (left < runs.length) return side;
    left -= runs.length;
  }
  return -1;
}

/** The part of an analysis between two times after the start of its window, ns; of all analyses with one scale. */
export function withPart(
  state: CompareState,
  places: readonly number[],
  starts: readonly AbsNs[],
  part: { readonly from: number; readonly to: number },
): CompareState {
  const windows = new Map(state.windows);
  for (const place of places) {
    const start = starts[place];
    if (start === undefined) continue;
    const [from, to] = [BigInt(Math.floor(part.from)), BigInt(Math.ceil(part.to))];
    if (from < to) windows.set(place, { from: start + from, to: start + to });
  }
  return { ...state, windows };
}
