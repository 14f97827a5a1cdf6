/** Annotations of the time axis besides events: the reader's marks, the findings, and users' notes. */

import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { type RelNs, type Span, spanLength } from "../lib/time.ts";
import type { LaneBox, NodeInfo } from "./lanes.ts";

export interface ThreadMark {
  readonly id: string;
  readonly at: RelNs;
}

export interface ThreadFlag {
  readonly x: number;
  readonly ids: readonly string[];
}

/** One flag for what begins closer together than a flag is wide; ascending. */
export function threadFlags(
  said: readonly ThreadMark[],
  view: Span,
  width: number,
  apart: number,
): readonly ThreadFlag[] {
  const perNs = width / Math.max(1, spanLength(view));
  const flags: { x: number; ids: string[] }[] = [];
  for (const { id, at } of [...said].sort((a, b) => a.at - b.at)) {
    if (at < view.from || at > view.to) continue;
    const x = (at - view.from) * perNs;
    const last = flags.at(-1);
    if (last && x - last.x < apart) last.ids.push(id);
    else flags.push({ x, ids: [id] });
  }
  return flags;
}

export interface NoteMark {
  readonly at: RelNs;
  readonly name: string;
}

export interface NoteFinding extends Span {
  readonly severity: string;
  readonly chosen: boolean;
}

/** Occurrence of the opened finding. */
export interface NotePlace extends Span {
  /** Empty: none in particular. */
  readonly cpus: readonly number[];
  readonly nodes: readonly number[];
  /** True for the chosen occurrence. */
  readonly chosen: boolean;
}

/**
 * Returns whether an occurrence is marked on a lane: on those of its CPUs; on a node's when its CPUs have no
 * lanes, or none is named.
 */
export function isMarkedOn(
  { cpus, nodes }: Pick<NotePlace, "cpus" | "nodes">,
  { kind, cpu, nid, open }: Pick<LaneBox, "kind" | "cpu" | "nid" | "open">,
  machine: readonly NodeInfo[],
): boolean {
  if (kind === "cpu") return cpus.includes(cpu);
  if (kind !== "node") return false;
  if (cpus.length === 0) return nodes.length === 0 || nodes.includes(nid);
  return !open && (machine.find((node) => node.nid === nid)?.cpus.some((one) => cpus.includes(one)) ?? false);
}

export interface Notes {
  readonly marks: readonly NoteMark[];
  readonly findings: readonly NoteFinding[];
  readonly places: readonly NotePlace[];
  readonly said: readonly ThreadMark[];
  /** Shows the first of these conversations. */
  readonly openThreads: (ids: readonly string[]) => void;
}

export const NO_NOTES: Notes = { marks: [], findings: [], places: [], said: [], openThreads: () => {} };

/** CSS pixels that a name may take before the next flag begins. */
const NAME_WIDTH = 96;
const PER_LETTER = 6.2;
/** Half of what a time on the axis takes. */
const TIME_HALF = 26;

/** Marks as flags on the axis: a reader has few, so they may be elements. */
export function drawNoteFlags(
  svg: SVGSVGElement,
  marks: readonly NoteMark[],
  view: Span,
  width: number,
): void {
  const scale = scaleLinear([view.from, view.to], [0, width]);
  const shown = marks.filter(({ at }) => at >= view.from && at <= view.to);
  const flags = select(svg)
    .selectAll<SVGGElement, NoteMark>("g.mark-flag")
    .data(shown, ({ at }) => String(at))
    .join((enter) => {
      const flag = enter.append("g").attr("class", "mark-flag");
      flag.append("rect").attr("height", 12).attr("rx", 2);
      flag.append("path").attr("d", "M0,0V22");
      flag.append("text").attr("x", 4).attr("y", 9);
      return flag;
    })
    .attr("transform", ({ at }) => `translate(${scale(at)},0)`);
  flags.select("text").text(({ name }, i) => {
    const next = shown[i + 1];
    const room = Math.min(NAME_WIDTH, (next ? scale(next.at) : width) - scale(shown[i]?.at ?? 0) - 8);
    const letters = Math.floor(room / PER_LETTER);
    return letters >= name.length ? name : letters > 1 ? `${name.slice(0, letters - 1)}…` : "";
  });
  flags.select("rect").attr("width", function () {
    const text = this instanceof Element ? this.parentElement?.querySelector("text") : null;
    const letters = text?.textContent?.length ?? 0;
    return letters === 0 ? 0 : letters * PER_LETTER + 8;
  });
  // A time that a flag half covers cannot be read.
  const covered = flags.nodes().map((flag, i) => ({
    from: scale(shown[i]?.at ?? 0) - TIME_HALF,
    to: scale(shown[i]?.at ?? 0) + Number(flag.querySelector("rect")?.getAttribute("width")) + TIME_HALF,
  }));
  select(svg)
    .selectAll<SVGGElement, number>("g.tick")
    .attr("visibility", (time) => {
      const x = scale(time);
      return covered.some(({ from, to }) => x > from && x < to) ? "hidden" : null;
    });
}

/** Width of a speech bubble, CSS pixels; what is closer shares one. */
const BUBBLE = 15;

/** Conversations as bubbles at the lower edge of the axis, with their number where several share one. */
export function drawThreadFlags(
  svg: SVGSVGElement,
  { said, openThreads }: Pick<Notes, "said" | "openThreads">,
  view: Span,
  width: number,
): void {
  select(svg)
    .selectAll<SVGGElement, ThreadFlag>("g.thread-flag")
    .data(threadFlags(said, view, width, BUBBLE), ({ ids }) => ids.join())
    .join((enter) => {
      const flag = enter.append("g").attr("class", "thread-flag");
      flag.append("path").attr("d", "M0,22V11h13v8h-10z");
      flag.append("text").attr("x", 6.5).attr("y", 18);
      flag.append("title");
      return flag;
    })
    .attr("transform", ({ x }) => `translate(${x},0)`)
    .on("click", (_event, { ids }) => openThreads(ids))
    .call((flags) => {
      flags.select("text").text(({ ids }) => (ids.length > 1 ? Math.min(ids.length, 99) : "…"));
      flags.select("title").text(({ ids }) => (ids.length > 1 ? `${ids.length} notes` : "A note"));
    });
}
