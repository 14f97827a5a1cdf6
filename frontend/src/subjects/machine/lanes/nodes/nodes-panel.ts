/** Nodes and CPUs: shares and depths, slices by task, and the attempts and worst waits that happened there. */

import { howToRecord } from "../../../../lib/terms.ts";
import { type Span, spanLength } from "../../../../lib/time.ts";
import { clustersIn, GLYPH_ROOM, paintGlyphs } from "../../../../timeline/draw/glyphs.ts";
import { cpuStrips } from "../../../../timeline/draw/strips.ts";
import { type EventFact, factList, pickMark } from "../../../../timeline/event-fact.ts";
import { HEADING, type LaneBox, type LaneSpec } from "../../../../timeline/lanes.ts";
import {
  type FactList,
  type Frame,
  laneCanvas,
  type Panel,
  type PanelContext,
  type PanelFields,
  type PanelState,
  type Picked,
  type Place,
} from "../../../../timeline/panel.ts";
import { nodeOfCpu } from "../../../../timeline/scene.ts";
import { coverWith, Kind, meansOver, type Tile } from "../../../../timeline/tiles/tiles.ts";
import {
  attemptFact,
  MARKS,
  Mark,
  type Marked,
  MarkSource,
  type MarkTrack,
  markOf,
  markRows,
  waitFact,
} from "../../../numa_balancing/lanes/index.ts";
import { SampleMarks } from "../../../stacks/lanes/index.ts";
import { MissedMarks } from "../../../wakeup_placement/lanes/index.ts";
import { describeHit, hitLane, type LaneHit, paintCpuLane, type Surroundings } from "./cpu-lane.ts";
import { cpuLane, defaultOpen, fitNodes, nodeLanes, nodeStrips, paintNodeLane } from "./node-lane.ts";

/** Waiting tasks at full height when the trace has fewer: one waiting task must not look like a jam. */
const LEAST_NODE_WAIT = 4;
const LEAST_CPU_WAIT = 2;
/** Slices thinner than the pointer's tip are still meant, CSS pixels. */
const REACH_PX = 3;
/** Width that a mark on a CPU's slices has for itself at least, CSS pixels. */
const PER_MARK = 130;

declare module "../../../../timeline/panel.ts" {
  interface PanelFields {
    /** Node ids whose CPUs are shown, ascending; null leaves it to the page. */
    readonly open: readonly number[] | null;
  }
}

export interface NodeMeans {
  readonly busy: number;
  readonly wait: number;
  readonly peak: number;
}

export interface NodesSnapshot {
  readonly means: ReadonlyMap<number, NodeMeans>;
  /** Waiting tasks at a node lane's full height. */
  readonly waitScale: number;
}

export class NodesPanel implements Panel<NodesSnapshot> {
  readonly #context: PanelContext;
  readonly #marks: MarkSource;
  readonly #samples: SampleMarks;
  readonly #missed: MissedMarks;
  readonly #around: Surroundings;
  readonly #learnt = new WeakSet<Tile>();
  #open: ReadonlySet<number>;
  /** A reader or a link said which nodes are open. */
  #chosen = false;
  #nodeMin: number | undefined;
  /** Scales only ever grow, so that nothing jumps back. */
  #nodeWait = LEAST_NODE_WAIT;
  #cpuWait = LEAST_CPU_WAIT;
  lanes: readonly LaneSpec[];
  onChange: () => void = () => {};

  constructor(context: PanelContext) {
    const { origin, nodes } = context.scene;
    this.#context = context;
    this.#open = new Set(defaultOpen(nodes));
    this.lanes = this.#lanes();
    this.#around = { origin, taskName: (task) => this.#taskName(task) };
    this.#marks = new MarkSource(context);
    this.#marks.onChange = () => this.onChange();
    this.#samples = new SampleMarks(context);
    this.#samples.onChange = () => this.onChange();
    this.#missed = new MissedMarks(context);
    this.#missed.onChange = () => this.onChange();
  }

  get state(): PanelState {
    // Samples alone show nothing of who ran: an empty lane would say that no task did.
    return this.lanes.length > 0
      ? { kind: "ready", note: null }
      : { kind: "none", note: `No event shows which tasks ran. ${howToRecord("findings")}` };
  }

  #setOpen(open: ReadonlySet<number>): void {
    this.#chosen = true;
    this.#open = open;
    this.lanes = this.#lanes();
  }

  #lanes(): readonly LaneSpec[] {
    const { scene, timeline } = this.#context;
    const recorded = Object.values(timeline.event_counts).some((count) => count > 0);
    return recorded ? nodeLanes(scene.nodes, this.#open, this.#nodeMin) : [];
  }

  toggle({ kind, nid }: LaneBox): boolean {
    if (kind !== "node") return false;
    const open = new Set(this.#open);
    if (!open.delete(nid)) open.add(nid);
    this.#setOpen(open);
    this.#context.commit();
    return true;
  }

  fit(room: number, key: string | null): void {
    if (this.#chosen) return;
    const { open, min } = fitNodes(this.#context.scene.nodes, room, key === null ? null : this.#nodeOf(key));
    if (min === this.#nodeMin && open.length === this.#open.size && open.every((nid) => this.#open.has(nid)))
      return;
    this.#open = new Set(open);
    this.#nodeMin = min;
    this.lanes = this.#lanes();
  }

  /** The node that a lane belongs to; null of a lane of another panel. */
  #nodeOf(key: string): number | null {
    const [kind, number] = key.split(":");
    if (kind === "node") return Number(number);
    return kind === "cpu" ? nodeOfCpu(this.#context.scene.nodes, Number(number)) : null;
  }

  reveal(key: string): boolean {
    const nid = this.#nodeOf(key);
    if (nid === null || this.#open.has(nid)) return false;
    this.#setOpen(new Set([...this.#open, nid]));
    return true;
  }

  fields() {
    return { open: [...this.#open].sort((a, b) => a - b) };
  }

  adopt({ open }: PanelFields): void {
    const { nodes } = this.#context.scene;
    const known = new Set(nodes.map(({ nid }) => nid));
    this.#setOpen(new Set((open ?? defaultOpen(nodes)).filter((nid) => known.has(nid))));
    this.#chosen = open !== null;
  }

  laneOf(key: string): LaneSpec | null {
    const cpu = /^cpu:(\d{1,6})$/.exec(key)?.[1];
    return cpu === undefined ? null : cpuLane(this.#context.scene.nodes, Number(cpu));
  }

  want(view: Span, lanes: readonly LaneBox[], width: number, calm: boolean): void {
    const keys = lanes.filter(({ kind }) => kind !== HEADING).map(({ key }) => key);
    this.#context.tiles.want(keys, view, width);
    this.#learn(lanes);
    if (!calm) return;
    this.#marks.want(view);
    this.#samples.want(view);
    if (lanes.some(({ kind }) => kind === "cpu")) this.#missed.want(view);
  }

  /** New tiles may hold a deeper queue than all before, also of nodes that are not seen: all have one scale. */
  #learn(lanes: readonly LaneBox[]): void {
    for (const { nid } of this.#context.scene.nodes) {
      for (const tile of this.#freshTiles(`node:${nid}`)) {
        this.#nodeWait = Math.max(this.#nodeWait, maxOf(tile.bars.waitMax));
      }
    }
    for (const { key, kind } of lanes) {
      if (kind !== "cpu") continue;
      for (const tile of this.#freshTiles(key)) {
        this.#cpuWait = Math.max(this.#cpuWait, maxOf(tile.waits.waitMax));
      }
    }
  }

  /** Tiles that were not read before: each is read once. */
  #freshTiles(key: string): readonly Tile[] {
    const fresh = this.#context.tiles.tiles(key).filter((tile) => !this.#learnt.has(tile));
    for (const tile of fresh) this.#learnt.add(tile);
    return fresh;
  }

  draw(frame: Frame, box: LaneBox, top: number): void {
    const { scale } = frame;
    const lane = laneCanvas(frame, box, top);
    const pieces = coverWith(this.#context.tiles.tiles(box.key), frame.view, 1 / scale.perNs);
    let { y } = lane.box;
    if (box.kind === "node") {
      paintNodeLane(lane, pieces, frame.nodeColour(box.nid), this.#nodeWait);
      y += nodeStrips(box.height).markY;
    } else {
      paintCpuLane(lane, pieces, {
        waitScale: this.#cpuWait,
        colour: frame.nodeColour(box.nid),
        focus: frame.focus,
        labelOf: (task) => this.#taskName(task),
        charWidth: frame.charWidth,
      });
      this.#samples.draw(lane, box.cpu);
      this.#missed.draw(lane, box.cpu);
      y += cpuMarkY(box.height);
    }
    const marks = this.#marksOf(box, frame.view, 1 / scale.perNs);
    if (!marks) return;
    paintGlyphs(lane, marks.track, y, {
      looks: MARKS,
      labelOf: (i) => labelOf(marks.event(i)),
      halo: box.kind === "cpu",
    });
  }

  /** A CPU's marks are on its slices: where they would cover them, only the node's row has them. */
  #marksOf(box: LaneBox, { from, to }: Span, perPixel: number): MarkTrack | null {
    const marks = this.#marks.marks?.byLane.get(box.key);
    if (!marks || box.kind === "node") return marks ?? null;
    const room = (to - from) / perPixel / PER_MARK;
    return clustersIn(marks.track.clusters(perPixel), from, to) <= room ? marks : null;
  }

  pick(place: Place): Picked | null {
    const ofCpu = place.box.kind === "cpu";
    const sample = ofCpu ? (this.#missed.pick(place) ?? this.#samples.pick(place)) : null;
    return this.#pickMark(place) ?? sample ?? this.#pickHit(place);
  }

  #pickMark(place: Place): Picked | null {
    const { box, y, view, perPixel } = place;
    const marks = this.#marksOf(box, view, perPixel);
    const middle = box.kind === "node" ? nodeStrips(box.height).markY : cpuMarkY(box.height);
    if (!marks || Math.abs(y - middle) > 7) return null;
    const sum = (facts: readonly EventFact[], first: number) =>
      markRows(facts.flatMap((_, i) => marks.event(first + i) ?? []));
    const factAt = (i: number) => factOf(marks.event(i));
    const picked = { track: marks.track, middle, word: "event", factAt, sum, reach: GLYPH_ROOM / 3 };
    return pickMark(place, picked, "nodes", this.#context.scene.origin);
  }

  /** Attempts and waits are two kinds: the next attempt is not a wait. */
  facts(lane: string): readonly FactList[] {
    const marks = this.#marks.marks?.byLane.get(lane);
    if (!marks) return [];
    const events = Array.from({ length: marks.track.glyphs.length }, (_, i) => marks.event(i));
    return (["attempt", "wait"] as const).map((kind) => {
      const own = events.filter((event) => event?.kind === kind);
      const factAt = (i: number) => factOf(own[i] ?? null);
      return factList(own.length, factAt, "nodes", lane, this.#context.scene.origin);
    });
  }

  #pickHit({ box, at, view, perPixel }: Place): Picked | null {
    const pieces = coverWith(this.#context.tiles.tiles(box.key), view, perPixel);
    const piece = pieces.find(({ span }) => at >= span.from && at < span.to);
    const hit = piece && hitLane(box, piece.tile, at, perPixel * REACH_PX);
    if (!piece || !hit) return null;
    const what = describeHit(box, piece.tile, hit, this.#around);
    const isBar = box.kind === "cpu" && hit.strip === "bars";
    const strips = cpuStrips(box.height);
    return {
      what,
      swatch:
        what.task !== null
          ? this.#context.taskFill(what.task)
          : box.kind === "node"
            ? this.#context.nodeColour(box.nid)
            : null,
      outline: isBar ? { span: hit, top: strips.runTop, height: strips.runHeight } : null,
      taken: isBar ? { kind: "slice", cpu: box.cpu, at: this.#insideOf(piece.tile, hit, at) } : null,
      zoom: hit.strip === "bars" ? { from: hit.from, to: hit.to } : null,
    };
  }

  /** A time at which the slice under the pointer ran: its own begin where it is exact, else what was pointed at. */
  #insideOf(tile: Tile, hit: LaneHit, at: number): number {
    const exact = tile.bars.kind[hit.index] === Kind.Slice;
    const time = exact
      ? Math.max(hit.from, this.#context.scene.bounds.from)
      : Math.min(Math.max(at, hit.from), hit.to - 1);
    return Math.ceil(time);
  }

  snapshot(view: Span, width: number): NodesSnapshot {
    const means = new Map<number, NodeMeans>();
    for (const { nid } of this.#context.scene.nodes) {
      const pieces = coverWith(this.#context.tiles.tiles(`node:${nid}`), view, spanLength(view) / width);
      const mean = meansOver(pieces, view);
      if (mean) means.set(nid, mean);
    }
    return { means, waitScale: this.#nodeWait };
  }

  close(): void {
    this.#marks.close();
    this.#samples.close();
    this.#missed.close();
  }

  #taskName(task: number): { comm: string; pid: number } | null {
    const { comm, pid } = this.#context.scene.tasks;
    const name = comm[task];
    return name === undefined ? null : { comm: name, pid: pid[task] ?? 0 };
  }
}

/** Low in the lane: labels of slices are in its middle. */
function cpuMarkY(height: number): number {
  return height - 8;
}

function labelOf(marked: Marked | null) {
  if (marked === null) return "inferred";
  if (marked.kind === "wait") return marked.label;
  return markOf(marked) === Mark.Unknown ? "inferred" : "observed";
}

function factOf(event: Marked | null): EventFact | null {
  if (event === null) return null;
  return event.kind === "wait" ? waitFact(event.wait, event.label) : attemptFact(event.attempt);
}

function maxOf(values: Uint32Array): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}
