/** What every stage of an analysis is made of, on its own page as in a report. */

import type { Api } from "../api/routes/service.ts";
import type { AnalysisInput, TimelineInfo } from "../api/types.ts";
import type { TimeWindow } from "../api/window.ts";
import type { Span } from "../lib/time.ts";
import { PressureSource } from "../panels/psi/pressure-source.ts";
import type { PressureInput } from "../panels/psi/psi-panel.ts";
import type { ReplaySource } from "../panels/psi/replay-source.ts";
import type { Scene } from "../timeline/scene.ts";
import { decodeTasks } from "../timeline/tiles/arrow.ts";
import { placedSentence } from "./input-words.ts";

export function sceneOf(timeline: TimelineInfo, taskBytes: ArrayBuffer): Scene {
  const origin = BigInt(timeline.origin_ns);
  const relative = (ns: string | undefined) => Number(BigInt(ns ?? timeline.origin_ns) - origin);
  return {
    nodes: timeline.nodes,
    tasks: decodeTasks(taskBytes),
    origin,
    bounds: { from: 0, to: Math.max(1, relative(timeline.end_ns)) },
    common: { from: relative(timeline.window_ns[0]), to: relative(timeline.window_ns[1]) },
  };
}

interface PressureParts {
  readonly api: Api;
  readonly id: string;
  readonly timeline: TimelineInfo;
  readonly inputs: readonly AnalysisInput[];
}

export function pressureInput(
  { api, id, timeline, inputs }: PressureParts,
  origin: bigint,
  bounds: Span,
  replay: ReplaySource,
): PressureInput {
  const table = timeline.samples.find((samples) => samples.table === "psi");
  const placed = (input: number) => placedSentence(inputs[input]?.alignment);
  if (!table || table.rows === 0) return { state: "none", source: null, replay, placed };
  if (table.placed === 0) return { state: "unplaced", source: null, replay, placed };
  const fetch = async (window: TimeWindow | null, signal: AbortSignal) =>
    (await api.downloads.open(api.downloads.samples(id, "psi", "arrow", window), signal)).arrayBuffer();
  return { state: "placed", source: new PressureSource(fetch, table, origin, bounds), replay, placed };
}
