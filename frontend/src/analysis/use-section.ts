import { useEffect, useSyncExternalStore } from "react";
import type { SectionSource, SectionState } from "../api/routes/section-source.ts";
import type { SectionQuery } from "../api/routes/sections.ts";
import type { TimeWindow } from "../api/types.ts";
import { toAbs } from "../lib/time.ts";
import type { Stage } from "../timeline/stage/stage.ts";
import type { StageSnapshot } from "../timeline/stage/stage-parts.ts";

/** A section's answer for a query that changes; unmounting ends the request. */
export function useSection<A>(source: SectionSource<A>, query: SectionQuery): SectionState<A> {
  const state = useSyncExternalStore(source.subscribe, source.getSnapshot);
  // Asked after every render: the source distinguishes queries, and rests while the window moves.
  useEffect(() => source.want(query));
  useEffect(() => () => source.drop(), [source]);
  return state;
}

/** The same for a section that is not always requested. */
export function useOptionalSection<A>(source: SectionSource<A>, query: SectionQuery | null): SectionState<A> {
  const state = useSyncExternalStore(source.subscribe, source.getSnapshot);
  useEffect(() => {
    if (query) source.want(query);
    else source.drop();
  });
  useEffect(() => () => source.drop(), [source]);
  return state;
}

/** The selected area, otherwise the visible window, with an exclusive end. */
export function shownWindow(stage: Stage, { view, area }: StageSnapshot): TimeWindow {
  const { origin } = stage.scene;
  if (area) return { from: toAbs(origin, area.from), to: toAbs(origin, area.to) };
  // A committed range bounds what is requested, as it bounds what is shown.
  const { limits } = stage;
  const from = toAbs(origin, Math.max(view.from, limits.from));
  const to = toAbs(origin, Math.min(view.to, limits.to)) + 1n;
  return { from: from < to ? from : to - 1n, to };
}
