/** Tasks that are pinned: what each did, and who woke it. */

import { taskName } from "../../lib/rank-tasks.ts";
import { type Span, spanLength, toAbs } from "../../lib/time.ts";
import { factOf } from "../../timeline/event-fact.ts";
import type { LaneBox, LaneSpec } from "../../timeline/lanes.ts";
import {
  type FactList,
  type Frame,
  laneCanvas,
  type Panel,
  type PanelContext,
  type PanelState,
  type Picked,
  type Place,
  type SeenLane,
  type Taken,
} from "../../timeline/panel.ts";
import { coverWith, Kind, meansOver, type Piece } from "../../timeline/tiles/tiles.ts";
import type { TimelineSource } from "../../timeline/tiles/timeline-source.ts";
import { stateFact, type TaskNames } from "./state-facts.ts";
import { hitState, isWait, paintStateLane, type StateHit, stateAt, stateStrip } from "./state-lane.ts";
import { paintArrows, wakeArrows } from "./wake-arrows.ts";

/** A wait, as its story is requested. */
export interface TaskWait {
  readonly pid: number;
  readonly cpu: number;
  readonly from: bigint;
  readonly to: bigint;
}

/** States thinner than the pointer's tip are still meant, CSS pixels. */
const REACH_PX = 3;
const LANE = 26;
const KEY = /^task:(\d{1,10})$/;

/** As large as the kernel's type. */
const MOST_PID = 2 ** 31 - 1;

/** The pid of a task's lane; null for every other lane. */
export function taskOfLane(lane: string): number | null {
  const pid = Number(KEY.exec(lane)?.[1] ?? Number.NaN);
  return pid <= MOST_PID ? pid : null;
}

/** Of the time that is shown. */
export interface TaskShare {
  readonly title: string;
  readonly ran: number;
  readonly waited: number;
}

export interface TasksSnapshot {
  /** By lane; of a pid that is not in the recording there is none. */
  readonly shares: ReadonlyMap<string, TaskShare | null>;
}

export class TasksPanel implements Panel<TasksSnapshot> {
  readonly #context: PanelContext;
  readonly #source: TimelineSource;
  readonly #names: TaskNames;
  #view: { readonly span: Span; readonly perPixel: number } | null = null;
  lanes: readonly LaneSpec[] = [];
  onChange: () => void = () => {};
  /** A wait was clicked. */
  onWait: (wait: TaskWait) => void = () => {};

  constructor(context: PanelContext) {
    const { origin, nodes, tasks } = context.scene;
    this.#context = context;
    // Its answers are small, and must not wait for those of hundreds of CPUs.
    this.#source = context.tiles.sibling();
    this.#source.onChange = () => this.onChange();
    const nidOf = new Map(nodes.flatMap(({ nid, cpus }) => cpus.map((cpu) => [cpu, nid] as const)));
    this.#names = {
      origin,
      nodeOf: (cpu) => nidOf.get(cpu) ?? null,
      has: (pid) => tasks.pid.includes(pid),
      taskOf: (pid) => `${taskName(tasks, pid) ?? ""} ${pid}`.trim(),
    };
  }

  /** Without a pinned task it is not there. */
  get absent(): boolean {
    return this.lanes.length === 0;
  }

  get state(): PanelState {
    const { problem } = this.#source;
    if (problem !== null) return { kind: "failed", note: problem };
    const empty = this.lanes.some(({ key }) => this.#source.tiles(key).length === 0);
    return { kind: empty ? "loading" : "ready", note: null };
  }

  pinned(keys: readonly string[]): void {
    const own = keys.filter((key) => taskOfLane(key) !== null);
    if (own.length === this.lanes.length && own.every((key, i) => key === this.lanes[i]?.key)) return;
    this.lanes = own.flatMap((key) => this.laneOf(key) ?? []);
  }

  laneOf(key: string): LaneSpec | null {
    const pid = taskOfLane(key);
    if (pid === null) return null;
    const title = this.#names.taskOf(pid);
    return { key, kind: "task", title, resource: String(pid), min: LANE, max: LANE };
  }

  want(view: Span, lanes: readonly LaneBox[], width: number): void {
    this.#view = { span: view, perPixel: spanLength(view) / Math.max(1, width) };
    const keys = lanes.filter(({ kind }) => kind === "task").map(({ key }) => key);
    if (keys.length > 0) this.#source.want(keys, view, width);
  }

  #pieces(lane: string, view: Span, perPixel: number): readonly Piece[] {
    const source = lane.startsWith("task:") ? this.#source : this.#context.tiles;
    return coverWith(source.tiles(lane), view, perPixel);
  }

  draw(frame: Frame, box: LaneBox, top: number): void {
    const { view, scale, focus, nodeColour, charWidth } = frame;
    const pieces = this.#pieces(box.key, view, 1 / scale.perNs);
    const { pid } = this.#context.scene.tasks;
    const own = Number(box.resource);
    const dimmed = focus !== null && ![...focus].some((row) => pid[row] === own);
    const { nodeOf } = this.#names;
    paintStateLane(laneCanvas(frame, box, top), pieces, { nodeOf, nodeColour, charWidth, dimmed });
  }

  drawOver({ ctx, scale, view, width, ink, ratio }: Frame, seen: readonly SeenLane[]): void {
    const { pid } = this.#context.scene.tasks;
    const kept = new Map<string, readonly Piece[]>();
    const pieces = (lane: string) => {
      const found = kept.get(lane) ?? this.#pieces(lane, view, 1 / scale.perNs);
      kept.set(lane, found);
      return found;
    };
    const world = { scale, view, width, seen, pieces, pidOf: (task: number) => pid[task] ?? -1 };
    const pids = this.lanes.map(({ resource }) => Number(resource));
    paintArrows(ctx, wakeArrows(world, pids), ink.palette.text, ratio);
  }

  pick({ box, at, view, perPixel }: Place): Picked | null {
    const pieces = this.#pieces(box.key, view, perPixel);
    const piece = pieces.find(({ span }) => at >= span.from && at < span.to);
    const hit = piece && hitState(piece.tile, at, perPixel * REACH_PX);
    if (!hit) return null;
    const { what } = stateFact(hit, Number(box.resource), this.#names);
    const span = { from: hit.from, to: hit.to };
    const merged = hit.kind === Kind.Merged;
    return {
      what,
      swatch: this.#context.taskFill(hit.items.task[hit.index] ?? -1),
      outline: { span, ...stateStrip(box.height, hit.kind) },
      taken: merged ? null : this.#taken(hit, box.key),
      zoom: span,
    };
  }

  #taken(hit: StateHit, lane: string): Taken {
    const { kind, from, to, items, index } = hit;
    const { bounds, origin } = this.#context.scene;
    const cpu = items.ofTask?.cpu[index] ?? -1;
    if (kind === Kind.Slice) return { kind: "slice", cpu, at: Math.ceil(Math.max(from, bounds.from)) };
    const pid = taskOfLane(lane) ?? -1;
    const fact = factOf(stateFact(hit, pid, this.#names), "tasks", lane, origin);
    if (!isWait(kind)) return { kind: "fact", fact };
    const wait = { pid, cpu, from: toAbs(origin, from), to: toAbs(origin, to) };
    return { kind: "fact", fact, also: () => this.onWait(wait) };
  }

  /** The states that are seen, each kind by itself: the next wait is not a sleep. */
  facts(lane: string): readonly FactList[] {
    const pid = taskOfLane(lane);
    if (pid === null || !this.#view) return [];
    const { span, perPixel } = this.#view;
    const kinds = new Map<number, StateHit[]>();
    for (const { tile } of this.#pieces(lane, span, perPixel)) {
      for (let i = 0; i < tile.bars.length; i += 1) {
        const hit = stateAt(tile.bars, i);
        if (hit.kind === Kind.Merged || hit.kind === Kind.Slice) continue;
        const list = kinds.get(hit.kind);
        if (list) list.push(hit);
        else kinds.set(hit.kind, [hit]);
      }
    }
    const { origin } = this.#context.scene;
    return [...kinds.values()].map((hits) => ({
      length: hits.length,
      fact: (i) => {
        const hit = hits[i];
        return hit ? factOf(stateFact(hit, pid, this.#names), "tasks", lane, origin) : null;
      },
    }));
  }

  snapshot(view: Span, width: number): TasksSnapshot {
    const shares = new Map<string, TaskShare | null>();
    for (const { key, title = key } of this.lanes) {
      if (!this.#names.has(taskOfLane(key) ?? -1)) {
        shares.set(key, null);
        continue;
      }
      // All but running and waiting has neither.
      const means = meansOver(this.#pieces(key, view, spanLength(view) / width), view);
      if (means) shares.set(key, { title, ran: means.busy, waited: means.wait });
    }
    return { shares };
  }

  close(): void {
    this.#source.close();
  }
}
