/** Constant values of an open analysis. */

import type { Slice } from "../api/types.ts";
import type { AbsWindow } from "../lib/ranges.ts";
import { type AbsNs, type Span, toAbs, toRel } from "../lib/time.ts";
import { clampSpan } from "../lib/viewport.ts";
import type { NodeInfo } from "./lanes.ts";
import type { Tasks } from "./tiles/arrow.ts";

export interface Scene {
  readonly nodes: readonly NodeInfo[];
  readonly tasks: Tasks;
  readonly origin: AbsNs;
  readonly bounds: Span;
  /** The window that all CPUs' buffers have in common. */
  readonly common: Span;
}

/** The service's answers about single slices. */
export interface SliceLookup {
  readonly at: (cpu: number, at: AbsNs, signal: AbortSignal) => Promise<Slice | null>;
  readonly neighbour: (
    pid: number,
    at: AbsNs,
    dir: "next" | "prev",
    signal: AbortSignal,
  ) => Promise<Slice | null>;
}

export interface Selection {
  readonly cpu: number;
  readonly at: AbsNs;
  /** null while it is being requested. */
  readonly slice: Slice | null;
}

/** A wait, and its highlighted tasks. */
export interface LitWait {
  /** Rows of the task table: who waited, and who ran where it was queued. */
  readonly tasks: ReadonlySet<number>;
  /** The parts of the wait by the lane on which it waited. */
  readonly parts: readonly { readonly lane: string; readonly span: Span }[];
}

export function sliceSpan(slice: Slice, origin: AbsNs): Span {
  return { from: toRel(origin, BigInt(slice.start_ns)), to: toRel(origin, BigInt(slice.end_ns)) };
}

export function nodeOfCpu(nodes: readonly NodeInfo[], cpu: number): number | null {
  return nodes.find((node) => node.cpus.includes(cpu))?.nid ?? null;
}

/** All lanes of the nodes themselves, as the timeline query names them. */
export function nodeLaneKeys(nodes: readonly NodeInfo[]): string[] {
  return nodes.map((node) => `node:${node.nid}`);
}

/** In whole ns, and never empty. */
export function windowOf(span: Span, { origin }: Scene): AbsWindow {
  const from = toAbs(origin, span.from);
  const to = toAbs(origin, span.to);
  return { from, to: to > from ? to : from + 1n };
}

export function spanOf(window: AbsWindow | null, { origin, bounds, common }: Scene): Span {
  const wanted = window ? { from: toRel(origin, window.from), to: toRel(origin, window.to) } : common;
  return clampSpan(wanted, bounds);
}
