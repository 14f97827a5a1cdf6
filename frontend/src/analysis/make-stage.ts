/** The stage of an analysis with what it draws, on the analysis' own page as in a report. */

import { SectionSources } from "../api/routes/section-source.ts";
import type { Api } from "../api/routes/service.ts";
import type { AnalysisInput, TimelineInfo } from "../api/types.ts";
import { PANELS } from "../panels/index.ts";
import { withLlcs } from "../subjects/machine/lanes/index.ts";
import type { Scene } from "../timeline/scene.ts";
import { Stage } from "../timeline/stage/stage.ts";
import type { StageHooks } from "../timeline/stage/stage-parts.ts";
import { decodeTasks } from "../timeline/tiles/arrow.ts";
import { makeDecoder } from "../timeline/tiles/decoder.ts";
import { TimelineSource } from "../timeline/tiles/timeline-source.ts";
import { currentTheme, subscribeTheme } from "../ui/canvas/theme.ts";

export interface StageWish {
  readonly api: Api;
  readonly id: string;
  readonly timeline: TimelineInfo;
  readonly inputs: readonly AnalysisInput[];
  readonly limits: { readonly maxLanes: number; readonly maxPx: number };
  /** The table of tasks, Arrow IPC. */
  readonly tasks: ArrayBuffer;
  readonly hooks: StageHooks;
  /** Decodes in a worker; a report has many stages and no need of one each. */
  readonly worker: boolean;
  /** Device pixels per CSS pixel; null is the screen's. */
  readonly ratio?: number | null;
}

export interface MadeStage {
  readonly stage: Stage;
  readonly sections: SectionSources;
  readonly close: () => void;
}

export function makeStage(wish: StageWish): MadeStage {
  const { api, id, timeline, inputs, limits, tasks, hooks, worker, ratio = null } = wish;
  const scene = sceneOf(timeline, tasks);
  const sections = new SectionSources(api.sections, id);
  const decoder = worker ? makeDecoder() : null;
  const source = new TimelineSource(
    (query, signal) => api.timeline.columns(id, query, signal),
    scene.origin,
    scene.bounds,
    limits,
    ...(decoder ? [decoder.decode] : []),
  );
  const stage = new Stage({
    analysis: { api, id, timeline, inputs, sections },
    scene,
    source,
    lookup: {
      at: (cpu, at, signal) => api.timeline.slice(id, cpu, at, signal),
      neighbour: (pid, at, dir, signal) => api.timeline.neighbour(id, pid, at, dir, signal),
    },
    kinds: PANELS,
    hooks,
    theme: currentTheme(),
    ratio,
  });
  const endTheme = subscribeTheme(() => stage.setTheme(currentTheme()));
  const close = () => {
    endTheme();
    source.close();
    decoder?.close();
    stage.close();
    sections.close();
  };
  return { stage, sections, close };
}

function sceneOf(timeline: TimelineInfo, tasks: ArrayBuffer): Scene {
  const origin = BigInt(timeline.origin_ns);
  const relative = (ns: string | undefined) => Number(BigInt(ns ?? timeline.origin_ns) - origin);
  return {
    nodes: withLlcs(timeline.nodes, timeline.llcs ?? []),
    tasks: decodeTasks(tasks),
    origin,
    bounds: { from: 0, to: Math.max(1, relative(timeline.end_ns)) },
    common: { from: relative(timeline.window_ns[0]), to: relative(timeline.window_ns[1]) },
  };
}
