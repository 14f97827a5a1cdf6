/** What the panels of one analysis ask for, one question at a time: the window's own tiles are what the reader waits for. */

import { type FetchSection, inTurn } from "../api/routes/section-source.ts";
import { MOST_LISTED, type SectionQuery } from "../api/routes/sections.ts";
import type { Api } from "../api/routes/service.ts";
import type {
  BalancingSection,
  ClingSection,
  IlbSection,
  LatencySection,
  MigrationSection,
  MissingPart,
  PlacementSection,
} from "../api/types.ts";
import type { AbsNs, Span } from "../lib/time.ts";
import type { NodeInfo } from "../timeline/lanes.ts";
import { WindowSource } from "../timeline/tiles/window-source.ts";
import { clingTracks } from "./cling/cling-tracks.ts";
import { ilbTracks } from "./ilb/ilb-tracks.ts";
import { memoryTracks } from "./memory/memory-tracks.ts";
import { placementTracks } from "./memory/placement-tracks.ts";
import { MarkSource } from "./nodes/mark-source.ts";

/** What the scene says of the machine and its time. */
export interface SceneFacts {
  readonly nodes: readonly NodeInfo[];
  readonly origin: AbsNs;
  readonly bounds: Span;
}

export function panelSources(api: Api, id: string, { nodes, origin, bounds }: SceneFacts) {
  const turn = inTurn<unknown>((query, signal) => (query as Asked).ask(signal));
  const queued =
    <A>(fetch: (query: SectionQuery, signal: AbortSignal) => Promise<A>): FetchSection<A> =>
    (query, signal) =>
      turn(
        { ...query, ask: (live: AbortSignal) => fetch({ ...query, listed: MOST_LISTED }, live) } as Asked,
        signal,
      ) as Promise<A>;
  const base = { origin, bounds };
  const cling = (fetch: (query: SectionQuery, signal: AbortSignal) => Promise<ClingSection | MissingPart>) =>
    new WindowSource<ClingSection, ReturnType<typeof clingTracks>>({
      ...base,
      fetch: queued(fetch),
      prepare: (answer, span) => clingTracks(answer, origin, span),
      // Of another degree no decisions are asked for.
      partial: ({ what_if, decisions_more, groups }) =>
        (what_if === null && decisions_more > 0) || groups.some(({ series }) => series.length >= THINNED),
    });
  const nodeOf = new Map(nodes.flatMap(({ nid, cpus }) => cpus.map((cpu) => [cpu, nid] as const)));
  const cpus = nodes.flatMap((node) => node.cpus);
  return {
    recorded: cling((query, signal) => api.sections.cling(id, query, signal)),
    tried: cling((query, signal) => api.sections.cling(id, query, signal)),
    memory: new WindowSource<MigrationSection, ReturnType<typeof memoryTracks>>({
      ...base,
      fetch: queued((query, signal) => api.sections.migration(id, query, signal)),
      prepare: (answer) => memoryTracks(answer, origin),
      // A shorter window has shorter steps.
      partial: () => true,
    }),
    placement: new WindowSource<PlacementSection, ReturnType<typeof placementTracks>>({
      ...base,
      fetch: queued((query, signal) => api.sections.placement(id, query, signal)),
      prepare: (answer) => placementTracks(answer, origin),
      // A shorter window has shorter steps.
      partial: () => true,
    }),
    ilb: new WindowSource<IlbSection, ReturnType<typeof ilbTracks>>({
      ...base,
      fetch: queued((query, signal) => api.sections.ilb(id, query, signal)),
      prepare: (answer, span) => ilbTracks(answer, cpus, origin, span),
      partial: ({ thinned, events, events_all }) =>
        thinned === true || (events_all ?? events.length) > events.length,
    }),
    marks: new MarkSource(
      new WindowSource<BalancingSection, BalancingSection>({
        ...base,
        fetch: queued((query, signal) => api.sections.balancing(id, query, signal)),
        prepare: (answer) => answer,
        partial: ({ attempts_more }) => attempts_more > 0,
      }),
      new WindowSource<LatencySection, LatencySection>({
        ...base,
        fetch: queued((query, signal) => api.sections.latency(id, { ...query, listed: WORST }, signal)),
        prepare: (answer) => answer,
        // Only the worst are listed: a shorter window has worst ones of its own.
        partial: () => true,
      }),
      (cpu) => nodeOf.get(cpu) ?? null,
      origin,
    ),
  };
}

interface Asked extends SectionQuery {
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
}

/** Waits that get a mark: more would cover the lanes. */
const WORST = 60;
/** A series of this many points was thinned by the service: a narrower window has more. */
const THINNED = 2000;
