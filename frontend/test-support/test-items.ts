/** Small columns for tests, from rows as a person writes them. */

import type { Items, Tile } from "../src/timeline/tiles/tiles.ts";
import { Kind, NO_CPU, NO_TASK } from "../src/timeline/tiles/tiles.ts";

export interface ItemRow {
  readonly kind: number;
  readonly t0: number;
  readonly t1: number;
  readonly busy?: number;
  readonly rt?: number;
  readonly wait?: number;
  readonly waitMax?: number;
  readonly task?: number;
  readonly count?: number;
  readonly cpu?: number;
  readonly wakerPid?: number;
  readonly cause?: number;
  readonly blocked?: number;
  readonly unknown?: number;
}

export function makeItems(rows: readonly ItemRow[]): Items {
  return {
    length: rows.length,
    kind: Uint8Array.from(rows, (row) => row.kind),
    t0: Float64Array.from(rows, (row) => row.t0),
    t1: Float64Array.from(rows, (row) => row.t1),
    busy: Float32Array.from(rows, (row) => row.busy ?? 0),
    rt: Float32Array.from(rows, (row) => row.rt ?? 0),
    wait: Float32Array.from(rows, (row) => row.wait ?? 0),
    waitMax: Uint32Array.from(rows, (row) => row.waitMax ?? 0),
    task: Uint32Array.from(rows, (row) => row.task ?? NO_TASK),
    count: Uint32Array.from(rows, (row) => row.count ?? (row.kind === Kind.Slice ? 1 : 0)),
    ofTask: {
      cpu: Uint32Array.from(rows, (row) => row.cpu ?? NO_CPU),
      wakerPid: Int32Array.from(rows, (row) => row.wakerPid ?? -1),
      cause: Uint8Array.from(rows, (row) => row.cause ?? 255),
      blocked: Float32Array.from(rows, (row) => row.blocked ?? 0),
      unknown: Float32Array.from(rows, (row) => row.unknown ?? 0),
      causes: ["busy", "throttled"],
    },
  };
}

interface TileParts {
  readonly from: number;
  readonly to: number;
  readonly resolution: number;
  readonly bars?: readonly ItemRow[];
  readonly gaps?: readonly ItemRow[];
  readonly waits?: readonly ItemRow[];
}

export function makeTile({ from, to, resolution, bars = [], gaps = [], waits = [] }: TileParts): Tile {
  return {
    span: { from, to },
    resolution,
    bars: makeItems(bars),
    gaps: makeItems(gaps),
    waits: makeItems(waits),
  };
}
