/** Arrow IPC streams of the service into typed arrays. Nothing here builds an object per row. */

import { type Table, tableFromIPC } from "@uwdata/flechette";
import type { Span } from "../../lib/time.ts";
import { type Items, Kind, type TaskColumns, type Tile } from "./tiles.ts";

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/** A column's values; the service promises one record batch, so this copies nothing. */
function numbers<T extends Numbers>(
  table: Table,
  name: string,
  make: new (values: ArrayLike<number>) => T,
): T {
  const column = table.getChild(name);
  if (!column) throw new Error(`The timeline answer has no column ${name}.`);
  const values: unknown = column.toArray();
  return values instanceof make ? values : new make(values as ArrayLike<number>);
}

/** A timeline answer by lane and strip, as columns that can be handed over whole: from a worker, without a copy. */
export interface SortedTimeline {
  readonly columns: Items;
  /** Ends of the rows of each lane's bars, gaps, and waits, three numbers a lane. */
  readonly ends: Uint32Array;
}

const STRIPS = 3;

/** @param laneCount number of lanes that were requested; column `lane` counts in their order */
export function sortTimeline(bytes: ArrayBuffer | Uint8Array, laneCount: number): SortedTimeline {
  const table = tableFromIPC(bytes, { useProxy: true });
  const lane = numbers(table, "lane", Uint16Array);
  const columns: Items = {
    length: lane.length,
    kind: numbers(table, "kind", Uint8Array),
    t0: numbers(table, "t0", Float64Array),
    t1: numbers(table, "t1", Float64Array),
    busy: numbers(table, "busy", Float32Array),
    rt: numbers(table, "rt", Float32Array),
    wait: numbers(table, "wait", Float32Array),
    waitMax: numbers(table, "wait_max", Uint32Array),
    task: numbers(table, "task", Uint32Array),
    count: numbers(table, "count", Uint32Array),
    ofTask: taskColumns(table),
  };
  const strips: number[][] = Array.from({ length: laneCount * STRIPS }, () => []);
  for (let row = 0; row < columns.length; row += 1) {
    const kind = columns.kind[row];
    const strip = kind === Kind.Wait ? 2 : kind === Kind.Lost || kind === Kind.Unknown ? 1 : 0;
    strips[(lane[row] ?? 0) * STRIPS + strip]?.push(row);
  }
  const order = new Uint32Array(strips.reduce((sum, rows) => sum + rows.length, 0));
  const ends = new Uint32Array(strips.length);
  let end = 0;
  for (const [i, rows] of strips.entries()) {
    order.set(ascending(rows, columns.t0), end);
    end += rows.length;
    ends[i] = end;
  }
  return { columns: pick(columns, order), ends };
}

function taskColumns(table: Table): TaskColumns | null {
  if (!table.getChild("cause")) return null;
  return {
    cpu: numbers(table, "cpu", Uint32Array),
    wakerPid: numbers(table, "waker_pid", Int32Array),
    cause: numbers(table, "cause", Uint8Array),
    blocked: numbers(table, "blocked", Float32Array),
    unknown: numbers(table, "unknown", Float32Array),
    causes: (table.schema.metadata?.get("causes") ?? "").split(","),
  };
}

/** All arrays of an answer, to be handed over. */
export function arraysOf({ columns, ends }: SortedTimeline): readonly ArrayBufferView[] {
  const { length: _, ofTask, ...arrays } = columns;
  if (ofTask === null) return [...Object.values(arrays), ends];
  const { causes: __, ...own } = ofTask;
  return [...Object.values(arrays), ...Object.values(own), ends];
}

/** One tile per lane; nothing is copied. */
export function tilesOf({ columns, ends }: SortedTimeline, span: Span, resolution: number): Tile[] {
  const strip = (i: number) => part(columns, ends[i - 1] ?? 0, ends[i] ?? 0);
  return Array.from({ length: ends.length / STRIPS }, (_, lane) => ({
    span,
    resolution,
    bars: strip(lane * STRIPS),
    gaps: strip(lane * STRIPS + 1),
    waits: strip(lane * STRIPS + 2),
  }));
}

/** Splits a timeline answer into one tile per lane. */
export function decodeTimeline(
  bytes: ArrayBuffer | Uint8Array,
  laneCount: number,
  span: Span,
  resolution: number,
): Tile[] {
  return tilesOf(sortTimeline(bytes, laneCount), span, resolution);
}

/** Rows in ascending time, which they mostly are already. */
function ascending(rows: number[], t0: Float64Array): number[] {
  for (let i = 1; i < rows.length; i += 1) {
    if ((t0[rows[i - 1] ?? 0] ?? 0) > (t0[rows[i] ?? 0] ?? 0)) {
      return rows.sort((a, b) => (t0[a] ?? 0) - (t0[b] ?? 0));
    }
  }
  return rows;
}

function part(columns: Items, from: number, to: number): Items {
  const { kind, t0, t1, busy, rt, wait, waitMax, task, count, ofTask } = columns;
  return {
    length: to - from,
    kind: kind.subarray(from, to),
    t0: t0.subarray(from, to),
    t1: t1.subarray(from, to),
    busy: busy.subarray(from, to),
    rt: rt.subarray(from, to),
    wait: wait.subarray(from, to),
    waitMax: waitMax.subarray(from, to),
    task: task.subarray(from, to),
    count: count.subarray(from, to),
    ofTask: ofTask && {
      cpu: ofTask.cpu.subarray(from, to),
      wakerPid: ofTask.wakerPid.subarray(from, to),
      cause: ofTask.cause.subarray(from, to),
      blocked: ofTask.blocked.subarray(from, to),
      unknown: ofTask.unknown.subarray(from, to),
      causes: ofTask.causes,
    },
  };
}

/** The named rows, in the order in which they are named. */
function pick(columns: Items, rows: Uint32Array): Items {
  return {
    length: rows.length,
    kind: gather(columns.kind, rows, new Uint8Array(rows.length)),
    t0: gather(columns.t0, rows, new Float64Array(rows.length)),
    t1: gather(columns.t1, rows, new Float64Array(rows.length)),
    busy: gather(columns.busy, rows, new Float32Array(rows.length)),
    rt: gather(columns.rt, rows, new Float32Array(rows.length)),
    wait: gather(columns.wait, rows, new Float32Array(rows.length)),
    waitMax: gather(columns.waitMax, rows, new Uint32Array(rows.length)),
    task: gather(columns.task, rows, new Uint32Array(rows.length)),
    count: gather(columns.count, rows, new Uint32Array(rows.length)),
    ofTask: columns.ofTask && {
      cpu: gather(columns.ofTask.cpu, rows, new Uint32Array(rows.length)),
      wakerPid: gather(columns.ofTask.wakerPid, rows, new Int32Array(rows.length)),
      cause: gather(columns.ofTask.cause, rows, new Uint8Array(rows.length)),
      blocked: gather(columns.ofTask.blocked, rows, new Float32Array(rows.length)),
      unknown: gather(columns.ofTask.unknown, rows, new Float32Array(rows.length)),
      causes: columns.ofTask.causes,
    },
  };
}

function gather<T extends Numbers>(from: T, rows: Uint32Array, into: T): T {
  for (let i = 0; i < rows.length; i += 1) into[i] = from[rows[i] ?? 0] ?? 0;
  return into;
}

/** The task table: row number = `task` of the timeline. */
export interface Tasks {
  readonly length: number;
  readonly pid: Int32Array;
  readonly comm: readonly string[];
  /** Time on any CPU in the whole trace, ns. */
  readonly runNs: Float64Array;
}

export function decodeTasks(bytes: ArrayBuffer | Uint8Array): Tasks {
  const table = tableFromIPC(bytes, { useProxy: true });
  const pid = numbers(table, "pid", Int32Array);
  const comm = table.getChild("comm")?.toArray() as ArrayLike<string | null> | undefined;
  return {
    length: pid.length,
    pid,
    comm: Array.from({ length: pid.length }, (_, i) => comm?.[i] ?? ""),
    runNs: numbers(table, "run_ns", Float64Array),
  };
}
