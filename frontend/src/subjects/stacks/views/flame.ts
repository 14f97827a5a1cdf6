/**
 * The flame graph of some stacks: boxes below each other, callers above callees, with their positions.
 *
 * Boxes are columns, never objects or elements: a window has up to 50,000 of them.
 */

import type { SectionContent } from "../../../api/routes/sections.ts";

export type StacksSection = SectionContent<"stacks">;

/** Left-heavy: larger callees first, all their calls together. Otherwise in order of time. */
export const FLAME_ORDERS = ["heavy", "time"] as const;
export type FlameOrder = (typeof FLAME_ORDERS)[number];

/** Position for "no box". */
export const NO_BOX = -1;

export interface Flame {
  readonly order: FlameOrder;
  readonly length: number;
  /** Both edges, 0 to 1. */
  readonly x0: Float64Array;
  readonly x1: Float64Array;
  readonly depth: Uint16Array;
  /** Place of the callsite in the answer. */
  readonly node: Uint32Array;
  /** The box above; NO_BOX for an outermost one. */
  readonly parent: Int32Array;
  readonly depths: number;
}

class Boxes {
  readonly x0: number[] = [];
  readonly x1: number[] = [];
  readonly depth: number[] = [];
  readonly node: number[] = [];
  readonly parent: number[] = [];

  push(x0: number, x1: number, depth: number, node: number, parent: number): number {
    this.x0.push(x0);
    this.x1.push(x1);
    this.depth.push(depth);
    this.node.push(node);
    this.parent.push(parent);
    return this.x0.length - 1;
  }

  flame(order: FlameOrder): Flame {
    return {
      order,
      length: this.x0.length,
      x0: Float64Array.from(this.x0),
      x1: Float64Array.from(this.x1),
      depth: Uint16Array.from(this.depth),
      node: Uint32Array.from(this.node),
      parent: Int32Array.from(this.parent),
      depths: this.depth.reduce((most, depth) => Math.max(most, depth + 1), 0),
    };
  }
}

export function flameOf(stacks: StacksSection, order: FlameOrder): Flame {
  return order === "heavy" ? leftHeavy(stacks) : byTime(stacks);
}

/** Widths are samples; what has no stack has no box. */
function leftHeavy({ nodes, functions }: StacksSection): Flame {
  const calls = new Map<number, number[]>();
  for (const [at, parent] of nodes.parent.entries()) {
    const list = calls.get(parent);
    if (list) list.push(at);
    else calls.set(parent, [at]);
  }
  const total = (at: number) => nodes.total[at] ?? 0;
  const name = (at: number) => functions[nodes.function[at] ?? 0]?.name ?? "";
  for (const list of calls.values()) list.sort((a, b) => total(b) - total(a) || (name(a) < name(b) ? -1 : 1));
  const all = (calls.get(-1) ?? []).reduce((sum, at) => sum + total(at), 0);
  const boxes = new Boxes();
  // Callers come first, so that the list itself is what is still to be done.
  const place = (list: readonly number[], from: number, depth: number, parent: number) => {
    let x = from;
    for (const at of list) {
      const width = total(at) / Math.max(1, all);
      boxes.push(x, x + width, depth, at, parent);
      x += width;
    }
  };
  place(calls.get(-1) ?? [], 0, 0, NO_BOX);
  for (let box = 0; box < boxes.x0.length; box += 1) {
    const list = calls.get(boxes.node[box] ?? 0);
    if (list) place(list, boxes.x0[box] ?? 0, (boxes.depth[box] ?? 0) + 1, box);
  }
  return boxes.flame("heavy");
}

/** Widths are steps of the window; of each the stack that most of its samples have. The same function in steps side by side is one box. */
function byTime({ nodes, steps, step_ns, from_ns, to_ns }: StacksSection): Flame {
  const boxes = new Boxes();
  const length = Math.max(1, (Number(BigInt(to_ns) - BigInt(from_ns)) + 1) / step_ns);
  let open: number[] = [];
  let last = Number.NaN;
  for (const [i, at] of steps.at.entries()) {
    const path: number[] = [];
    for (let node = steps.node[i] ?? -1; node >= 0; node = nodes.parent[node] ?? -1) path.unshift(node);
    const [from, to] = [at / length, Math.min(1, (at + 1) / length)];
    const before = at === last + 1 ? open : [];
    const same = path.findIndex((node, depth) => boxes.node[before[depth] ?? -1] !== node);
    const kept = before.slice(0, same < 0 ? path.length : same);
    for (const box of kept) boxes.x1[box] = to;
    open = kept;
    for (const [depth, node] of path.entries())
      if (depth >= open.length) open = [...open, boxes.push(from, to, depth, node, open.at(-1) ?? NO_BOX)];
    last = at;
  }
  return boxes.flame("time");
}

/** Visible part of a flame graph: 0 to 1. */
export interface FlameView {
  readonly from: number;
  readonly to: number;
}

export const WHOLE: FlameView = { from: 0, to: 1 };

/** Room for a box. */
export function viewOfBox(flame: Flame, box: number): FlameView {
  return box === NO_BOX ? WHOLE : { from: flame.x0[box] ?? 0, to: flame.x1[box] ?? 1 };
}

/** The box at a point, `x` of 0 to 1 of the view. */
export function boxAt(flame: Flame, view: FlameView, x: number, depth: number): number {
  const at = view.from + x * (view.to - view.from);
  for (let box = 0; box < flame.length; box += 1)
    if (flame.depth[box] === depth && (flame.x0[box] ?? 0) <= at && at < (flame.x1[box] ?? 0)) return box;
  return NO_BOX;
}

/**
 * Target of an arrow: up to the caller, down to the widest call, sideways to callees of the same function,
 * otherwise to the neighbour.
 */
export function stepBox(flame: Flame, box: number, key: string): number {
  if (flame.length === 0) return NO_BOX;
  if (box === NO_BOX || key === "Home") return widest(flame, NO_BOX);
  if (key === "ArrowUp") return flame.parent[box] === NO_BOX ? box : (flame.parent[box] ?? box);
  if (key === "ArrowDown") {
    const call = widest(flame, box);
    return call === NO_BOX ? box : call;
  }
  const right = key === "ArrowRight";
  let found = box;
  for (let other = 0; other < flame.length; other += 1) {
    if (flame.depth[other] !== flame.depth[box]) continue;
    const x = flame.x0[other] ?? 0;
    const [here, best] = [flame.x0[box] ?? 0, flame.x0[found] ?? 0];
    const nearer = found === box || Math.abs(x - here) < Math.abs(best - here);
    if (other !== box && (right ? x > here : x < here) && nearer) found = other;
  }
  return found;
}

function widest(flame: Flame, parent: number): number {
  let found = NO_BOX;
  const width = (box: number) => (flame.x1[box] ?? 0) - (flame.x0[box] ?? 0);
  for (let box = 0; box < flame.length; box += 1)
    if (flame.parent[box] === parent && (found === NO_BOX || width(box) > width(found))) found = box;
  return found;
}

/** The functions whose name or file has the text, by place; null without a text. */
export function matches({ functions }: StacksSection, text: string): ReadonlySet<number> | null {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return null;
  const has = (word: string) => word.toLowerCase().includes(wanted);
  return new Set(functions.flatMap(({ name, module }, at) => (has(name) || has(module) ? [at] : [])));
}

/** Samples in functions that match, or in what these called: each counts once. */
export function matchedSamples({ nodes }: StacksSection, found: ReadonlySet<number>): number {
  const inside: boolean[] = [];
  let sum = 0;
  for (const [at, parent] of nodes.parent.entries()) {
    const above = parent >= 0 && inside[parent] === true;
    const here = found.has(nodes.function[at] ?? -1);
    if (here && !above) sum += nodes.total[at] ?? 0;
    inside.push(here || above);
  }
  return sum;
}
