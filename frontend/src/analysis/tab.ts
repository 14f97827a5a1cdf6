/** A tab of the drawer: a folder of `tabs/` whose `index.tsx` exports it as `tab`; `DRAWER_TABS` gives its place. */

import type { ComponentType } from "react";
import type { SectionState } from "../api/routes/section-source.ts";
import type { SectionAnswer } from "../api/routes/sections.ts";
import type { Api } from "../api/routes/service.ts";
import type { AnalysisDetail, TimelineInfo } from "../api/types.ts";
import type { StageSnapshot } from "../timeline/stage/stage-parts.ts";
import type { Rereading } from "../ui/stage-progress.tsx";
import type { DrawerTab } from "../view-state/tab-views.ts";
import type { FindingPlace } from "./incident.ts";
import type { DrawerState, LiveAnalysis } from "./live-analysis.ts";

export interface TabProps {
  readonly live: LiveAnalysis;
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly timeline: TimelineInfo;
  readonly snapshot: StageSnapshot;
  readonly drawer: DrawerState;
  readonly findings: SectionState<SectionAnswer<"findings">>;
  /** The occurrence of a finding that was gone to. */
  readonly place: FindingPlace | null;
  readonly rereading: Rereading;
}

export interface Tab {
  /** As links name it. */
  readonly id: DrawerTab;
  readonly title: string;
  readonly Body: ComponentType<TabProps>;
}
