/** A view of the drawer: `views/index.tsx` of a subject, or a folder of `tabs/`, exports it as `view`; `DRAWER_TABS` has its tab and its place. */

import type { ComponentType } from "react";
import type { SectionState } from "../api/routes/section-source.ts";
import type { SectionAnswer } from "../api/routes/sections.ts";
import type { Api } from "../api/routes/service.ts";
import type { AnalysisDetail, TimelineInfo } from "../api/types.ts";
import type { StageSnapshot } from "../timeline/stage/stage-parts.ts";
import type { Rereading } from "../ui/stage-progress.tsx";
import type { DrawerViewName } from "../view-state/tab-views.ts";
import type { DrawerState } from "../view-state/view-state.ts";
import type { FindingPlace } from "./incident.ts";
import type { LiveAnalysis } from "./live-analysis.ts";

export interface TabProps {
  readonly live: LiveAnalysis;
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly timeline: TimelineInfo;
  readonly snapshot: StageSnapshot;
  readonly drawer: DrawerState;
  readonly findings: SectionState<SectionAnswer<"findings">>;
  /** The opened occurrence of a finding. */
  readonly place: FindingPlace | null;
  readonly rereading: Rereading;
}

export interface DrawerView {
  /** As links name it. */
  readonly id: DrawerViewName;
  readonly title: string;
  readonly Body: ComponentType<TabProps>;
  /** True if the drawer is only as high as its content. */
  readonly fits?: boolean;
}
