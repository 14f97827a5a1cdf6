/** Tasks, processes and cgroups that are pinned, and the tasks of a critical path: what each did, and who woke it. */

import type { SectionSource } from "../../../../api/routes/section-source.ts";
import type { SectionAnswer } from "../../../../api/routes/sections.ts";
import type { TaskSleep } from "../../../../api/types.ts";
import { taskName } from "../../../../lib/rank-tasks.ts";
import { type Span, spanLength, toAbs, toRel } from "../../../../lib/time.ts";
import { inkOf } from "../../../../timeline/draw/glyphs.ts";
import { type EventFact, factOf } from "../../../../timeline/event-fact.ts";
import type { LaneBox, LaneSpec } from "../../../../timeline/lanes.ts";
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
  type SeenLane,
  type Taken,
} from "../../../../timeline/panel.ts";
import { coverWith, Kind, meansOver, type Piece } from "../../../../timeline/tiles/tiles.ts";
import type { TimelineSource } from "../../../../timeline/tiles/timeline-source.ts";
import { SleepSources, sleepFact } from "../../../off_cpu/lanes/index.ts";
import {
  type FoundPath,
  PATH,
  type PathKey,
  paintPath,
  pathArrows,
  pathPids,
} from "../../../waits/lanes/index.ts";
import { stateFact, type TaskNames } from "./state-facts.ts";
import {
  hitState,
  isSleep,
  isWait,
  paintStateLane,
  type StateHit,
  stateAt,
  stateStrip,
} from "./state-lane.ts";
import { hitThreads, mostThreads, paintThreads, threadsFact } from "./threads-lane.ts";
import { paintArrows, WOKEN_BY, wakeArrows } from "./wake-arrows.ts";

/** Identifies a wait, to request its story. */
export interface TaskWait {
  readonly pid: number;
  readonly cpu: number;
  readonly from: bigint;
  readonly to: bigint;
}

/** States thinner than the pointer's tip are still meant, CSS pixels. */
const REACH_PX = 3;
const LANE = 26;
const THREADS_LANE = 34;
const KEY = /^task:(\d{1,10})$/;
const THREADS_KEY = /^(process|cgroup):(\d{1,10})$/;

/** As large as the kernel's type. */
const MOST_PID = 2 ** 31 - 1;

/** The pid of a task's lane; null for every other lane. */
export function taskOfLane(lane: string): number | null {
  const pid = Number(KEY.exec(lane)?.[1] ?? Number.NaN);
  return pid <= MOST_PID ? pid : null;
}

export interface Together {
  readonly kind: "process" | "cgroup";
  /** Of a process its pid, of a cgroup its lane's. */
  readonly number: number;
}

/** Owner of a lane of several threads; null for every other lane. */
export function threadsOfLane(lane: string): Together | null {
  const match = THREADS_KEY.exec(lane);
  const number = Number(match?.[2] ?? Number.NaN);
  if (!match || number > MOST_PID) return null;
  return { kind: match[1] as Together["kind"], number };
}

/** Sums over the visible time: shares for a task, mean numbers for a group of threads. */
export interface TaskShare {
  readonly title: string;
  readonly together: boolean;
  readonly ran: number;
  readonly waited: number;
}

export interface TasksSnapshot {
  /** By lane; of a pid that is not in the recording there is none. */
  readonly shares: ReadonlyMap<string, TaskShare | null>;
  readonly path: PathKey | null;
  /** Causes of the sleeps that are shown, those with most time first. */
  readonly asleep: readonly string[];
}

/** The cgroups' names by their lanes need no window of their own: they are those of the whole recording. */
const NAMES = "lanes";

function isOwn(lane: string): boolean {
  return taskOfLane(lane) !== null || threadsOfLane(lane) !== null;
}

/** The question whose answer is a path: its window begins at the moment. */
export function pathQuery({ pid, at }: PathKey) {
  return { window: { from: at, to: at + 1n }, pid };
}

export class TasksPanel implements Panel<TasksSnapshot> {
  readonly #context: PanelContext;
  readonly #source: TimelineSource;
  readonly #names: TaskNames;
  #view: { readonly span: Span; readonly perPixel: number } | null = null;
  readonly #pathSource: SectionSource<SectionAnswer<"critical_path">>;
  readonly #threads: SectionSource<SectionAnswer<"threads">>;
  readonly #sleeps: SleepSources;
  #pins: readonly string[] = [];
  #path: PathKey | null = null;
  #cgroups: ReadonlyMap<number, string> = new Map();
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
    this.#pathSource = context.sections.of("critical_path");
    this.#pathSource.subscribe(() => this.#layOut());
    this.#threads = context.sections.of("threads", NAMES);
    this.#threads.subscribe(() => this.#takeNames());
    this.#sleeps = new SleepSources(context.sections, context.scene);
    this.#sleeps.onChange = () => this.onChange();
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
    this.#pins = keys.filter((key) => taskOfLane(key) !== null || threadsOfLane(key) !== null);
    if (this.#cgroups.size === 0 && this.#pins.some((key) => threadsOfLane(key)?.kind === "cgroup"))
      this.#threads.want({ window: null });
    this.#arrange();
  }

  /** The critical path that is shown, as a link names it. */
  get path(): PathKey | null {
    return this.#path;
  }

  set path(path: PathKey | null) {
    if (path?.pid === this.#path?.pid && path?.at === this.#path?.at) return;
    this.#path = path;
    if (path) this.#pathSource.want(pathQuery(path));
    else this.#pathSource.drop();
    this.#layOut();
  }

  /** The answer to it; null while there is none, and where there is no path. */
  get found(): FoundPath | null {
    const { answer, query } = this.#pathSource.getSnapshot();
    const path = this.#path;
    if (!path || !answer?.available || query?.pid !== path.pid || query.window?.from !== path.at) return null;
    return answer;
  }

  fields() {
    return { path: this.#path };
  }

  adopt({ path }: PanelFields): void {
    this.path = path;
  }

  /** Arranges the pinned tasks, then those of the path that are not pinned. */
  #arrange(): boolean {
    const { found } = this;
    const shown = (found ? pathPids(found) : []).map((pid) => `task:${pid}`);
    const keys = [...new Set([...this.#pins, ...shown])];
    const same = keys.length === this.lanes.length && keys.every((key, i) => key === this.lanes[i]?.key);
    if (!same) this.lanes = keys.flatMap((key) => this.laneOf(key) ?? []);
    return !same;
  }

  #layOut(): void {
    this.#arrange();
    this.onChange();
  }

  #takeNames(): void {
    const { answer } = this.#threads.getSnapshot();
    if (!answer?.available) return;
    this.#cgroups = new Map(answer.cgroups.map(({ path, lane }) => [lane, path]));
    this.lanes = [];
    this.#layOut();
  }

  laneOf(key: string): LaneSpec | null {
    const pid = taskOfLane(key);
    if (pid !== null) {
      const title = this.#names.taskOf(pid);
      return { key, kind: "task", title, resource: String(pid), min: LANE, max: LANE };
    }
    const together = threadsOfLane(key);
    if (together === null) return null;
    const { kind, number } = together;
    const title =
      kind === "process"
        ? `process ${this.#names.taskOf(number)}`
        : `cgroup ${this.#cgroups.get(number) ?? ""}`;
    return { key, kind, title, resource: String(number), min: THREADS_LANE, max: THREADS_LANE };
  }

  want(view: Span, lanes: readonly LaneBox[], width: number, calm: boolean): void {
    this.#view = { span: view, perPixel: spanLength(view) / Math.max(1, width) };
    const keys = lanes.filter(({ key }) => isOwn(key)).map(({ key }) => key);
    if (keys.length > 0) this.#source.want(keys, view, width);
    const pids = keys.flatMap((key) => taskOfLane(key) ?? []).filter((pid) => this.#names.has(pid));
    if (calm) this.#sleeps.want(pids, view);
  }

  #pieces(lane: string, view: Span, perPixel: number): readonly Piece[] {
    const source = isOwn(lane) ? this.#source : this.#context.tiles;
    return coverWith(source.tiles(lane), view, perPixel);
  }

  draw(frame: Frame, box: LaneBox, top: number): void {
    const { view, scale, focus, nodeColour, charWidth } = frame;
    const pieces = this.#pieces(box.key, view, 1 / scale.perNs);
    if (box.kind !== "task") {
      const most = mostThreads(pieces, view);
      paintThreads(laneCanvas(frame, box, top), pieces, { most, dimmed: this.found !== null });
      return;
    }
    const { pid } = this.#context.scene.tasks;
    const own = Number(box.resource);
    const dimmed = focus !== null && ![...focus].some((row) => pid[row] === own);
    const { nodeOf } = this.#names;
    const sleepAt = (at: number) => this.#sleeps.at(own, at);
    paintStateLane(laneCanvas(frame, box, top), pieces, { nodeOf, nodeColour, charWidth, dimmed, sleepAt });
  }

  drawOver({ ctx, scale, view, width, ink, ratio }: Frame, seen: readonly SeenLane[]): void {
    const { found } = this;
    if (found) {
      const { ground } = ink.palette;
      paintPath(ctx, pathArrows(found, seen, scale, this.#context.scene.origin), {
        colour: inkOf(ink, PATH),
        ground,
      });
      return;
    }
    const { pid } = this.#context.scene.tasks;
    const kept = new Map<string, readonly Piece[]>();
    const pieces = (lane: string) => {
      const found = kept.get(lane) ?? this.#pieces(lane, view, 1 / scale.perNs);
      kept.set(lane, found);
      return found;
    };
    const world = { scale, view, width, seen, pieces, pidOf: (task: number) => pid[task] ?? -1 };
    const pids = this.lanes.flatMap(({ key }) => taskOfLane(key) ?? []);
    paintArrows(ctx, wakeArrows(world, pids), inkOf(ink, WOKEN_BY), ratio);
  }

  pick({ box, at, view, perPixel }: Place): Picked | null {
    const pieces = this.#pieces(box.key, view, perPixel);
    const piece = pieces.find(({ span }) => at >= span.from && at < span.to);
    if (box.kind !== "task") return piece ? this.#pickThreads(box, piece, at, perPixel) : null;
    const hit = piece && hitState(piece.tile, at, perPixel * REACH_PX);
    if (!hit) return null;
    const { what } = this.#factOf(hit, Number(box.resource));
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

  /** Describes a state: a sleep with its cause, if known. */
  #factOf(hit: StateHit, pid: number): EventFact {
    const sleep = isSleep(hit.kind) ? this.#sleeps.at(pid, (hit.from + hit.to) / 2) : null;
    return sleep ? sleepFact(sleep, this.#names.taskOf(pid)) : stateFact(hit, pid, this.#names);
  }

  /** The sleep of a task's lane at a moment; null where none is known. */
  sleepAt(lane: string, at: bigint): TaskSleep | null {
    const pid = taskOfLane(lane);
    return pid === null ? null : this.#sleeps.at(pid, toRel(this.#context.scene.origin, at));
  }

  /** Describes a sleep of a lane, which may be loaded later than the lane's states. */
  sleepFact(lane: string, sleep: TaskSleep): EventFact["fact"] {
    return sleepFact(sleep, this.#names.taskOf(taskOfLane(lane) ?? 0)).fact;
  }

  #pickThreads(box: LaneBox, piece: Piece, at: number, perPixel: number): Picked | null {
    const hit = hitThreads(piece, at, perPixel * REACH_PX);
    if (!hit) return null;
    const { origin } = this.#context.scene;
    const event = threadsFact(hit, box.title ?? "", origin);
    const span = { from: hit.items.t0[hit.index] ?? 0, to: hit.items.t1[hit.index] ?? 0 };
    return {
      what: event.what,
      swatch: null,
      outline: { span, top: 1, height: box.height - 2 },
      taken: { kind: "fact", fact: factOf(event, "tasks", box.key, origin) },
      zoom: span,
    };
  }

  #taken(hit: StateHit, lane: string): Taken {
    const { kind, from, to, items, index } = hit;
    const { bounds, origin } = this.#context.scene;
    const cpu = items.ofTask?.cpu[index] ?? -1;
    if (kind === Kind.Slice) return { kind: "slice", cpu, at: Math.ceil(Math.max(from, bounds.from)) };
    const pid = taskOfLane(lane) ?? -1;
    const fact = factOf(this.#factOf(hit, pid), "tasks", lane, origin);
    if (!isWait(kind)) return { kind: "fact", fact };
    const wait = { pid, cpu, from: toAbs(origin, from), to: toAbs(origin, to) };
    return { kind: "fact", fact, also: () => this.onWait(wait) };
  }

  /** The states that are seen, each kind by itself: the next wait is not a sleep. */
  facts(lane: string): readonly FactList[] {
    const pid = taskOfLane(lane);
    if (!this.#view) return [];
    const { span, perPixel } = this.#view;
    if (pid === null) return threadsOfLane(lane) ? this.#threadFacts(lane, span, perPixel) : [];
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
        return hit ? factOf(this.#factOf(hit, pid), "tasks", lane, origin) : null;
      },
    }));
  }

  #threadFacts(lane: string, span: Span, perPixel: number): readonly FactList[] {
    const { origin } = this.#context.scene;
    const title = this.laneOf(lane)?.title ?? "";
    return this.#pieces(lane, span, perPixel).map(({ tile: { bars: items } }) => ({
      length: items.length,
      fact: (index) =>
        index < 0 || index >= items.length
          ? null
          : factOf(threadsFact({ items, index }, title, origin), "tasks", lane, origin),
    }));
  }

  snapshot(view: Span, width: number): TasksSnapshot {
    const shares = new Map<string, TaskShare | null>();
    for (const { key, title = key } of this.lanes) {
      const pid = taskOfLane(key);
      if (pid !== null && !this.#names.has(pid)) {
        shares.set(key, null);
        continue;
      }
      // All but running and waiting has neither.
      const means = meansOver(this.#pieces(key, view, spanLength(view) / width), view);
      if (means) shares.set(key, { title, together: pid === null, ran: means.busy, waited: means.wait });
    }
    const pids = this.lanes.flatMap(({ key }) => taskOfLane(key) ?? []);
    return { shares, path: this.#path, asleep: this.#sleeps.causes(pids, view) };
  }

  close(): void {
    this.#sleeps.close();
    this.#source.close();
  }
}
