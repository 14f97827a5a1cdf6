/** The service's shapes under the names the page uses. All of them come from the OpenAPI document. */

import type { components } from "./schema.ts";

type Schemas = components["schemas"];

export type Info = Schemas["Info"];
export type Analysis = Schemas["Analysis"];
export type AnalysisDetail = Schemas["AnalysisDetail"];
export type AnalysisInput = Schemas["AnalysisInput"];
export type Alignment = Schemas["Alignment"];
export type SampleTable = Schemas["SampleTable"];
export type TimelineInfo = Schemas["TimelineInfo"];
export type Slice = Schemas["Slice"];
export type EventPage = Schemas["EventPage"];
export type EventRow = Schemas["EventRow"];
export type Share = Schemas["Share"];
export type SharedAnalysis = Schemas["SharedAnalysis"];
export type AnalysisChange = Partial<Schemas["ChangeAnalysis"]>;
export type Permission = Analysis["may"][number];
export type Note = Schemas["Note"];
export type NotePlace = Schemas["NotePlace"];
export type NoteWish = Schemas["CreateNote"];
export type CreatedNote = Schemas["CreatedNote"];
export type ListedReport = Schemas["ListedReport"];
export type WrittenReport = Schemas["WrittenReport"];
export type ReportWish = Schemas["SaveReport"];
export type ListedRevision = Schemas["ListedRevision"];
export type Revision = Schemas["Revision"];
export type CopyWish = Schemas["CreateCopy"];
export type ShareWish = Schemas["CreateShare"];
export type CreatedShare = Schemas["CreatedShare"];
export type OpenedShare = Schemas["OpenedShare"];
export type Member = Schemas["Member"];
export type MemberWish = Schemas["PutMember"];
export type ApiToken = Schemas["Token"];
export type CreatedToken = Schemas["CreatedToken"];
export type TokenWish = Schemas["CreateToken"];

/** Values over a window; a section without its inputs is a `MissingPart`. */
export type MissingPart = Schemas["Unavailable"];
export type Finding = Schemas["Finding"];
export type FindingsSection = Schemas["FindingsSection"];
export type Occurrence = Schemas["Occurrence"];
export type LatencySection = Schemas["LatencySection"];
export type Wait = Schemas["Wait"];
export type WaitsOfAKind = Schemas["WaitsOfAKind"];
export type WaitHeatSection = Schemas["WaitHeatSection"];
export type HeatWaits = Schemas["HeatWaits"];
export type WaitSection = Schemas["WaitSection"];
export type TaskSection = Schemas["TaskSection"];
export type ExplainSection = Schemas["ExplainedSection"];
export type LedgerCause = Schemas["ExplainedCause"];
export type RequestsSection = Schemas["RequestPointsSection"];
export type SlowRequest = Schemas["SlowRequest"];
export type TaskSleep = Schemas["TaskSleep"];
export type ThreadsSection = Schemas["ThreadsSection"];
export type Thread = Schemas["Thread"];
export type CriticalPathSection = Schemas["CriticalPathSection"];
export type PathStep = Schemas["PathStep"];
export type WakeHop = Schemas["WakeHop"];
export type CauseTime = Schemas["CauseTime"];
export type PressureSection = Schemas["PressureSection"];
export type PressureTotals = Schemas["PressureTotals"];
export type PressureResiduals = Schemas["PressureResiduals"];
export type UtilisationSection = Schemas["UtilisationSection"];
export type WasteSection = Schemas["WasteSection"];
export type ResidencySection = Schemas["ResidencySection"];

export type BalancingSection = Schemas["NumaBalancingSection"];
export type Ops = Schemas["Ops"];
export type Attempt = Schemas["Attempt"];
export type ClingSection = Schemas["ClingSection"];
export type IlbSection = Schemas["IdleBalancingSection"];
export type IlbEvent = Schemas["IlbEvent"];
export type ClingGroup = Schemas["Group"];
export type Annotation = Schemas["Annotation"];
export type ClingWhatIf = Schemas["ClingWhatIf"];
export type Reproduced = Schemas["Reproduced"];
export type MigrationSection = Schemas["PageMigrationSection"];
export type PlacementSection = Schemas["PlacementSection"];
export type MigrationMetrics = Schemas["MigrationMetrics"];
export type AutomigTable = Schemas["AutomigTable"];
export type VmstatSection = Schemas["VmstatSection"];

export type Comparison = Schemas["ComparisonAnswer"];
export type ComparedAnalysis = Schemas["ComparedAnalysis"];
export type ComparedOutcome = Schemas["ComparedOutcome"];
export type ComparedTable = Schemas["ComparedTable"];
export type ComparedTableRow = Schemas["ComparedTableRow"];
export type ComparedCell = Schemas["ComparedCell"];
export type FindingKind = Schemas["FindingKind"];

/** Questions over all analyses. */
export type FleetOverview = Schemas["FleetOverview"];
export type FleetMachines = Schemas["FleetMachines"];
export type FleetMachine = Schemas["FleetMachine"];
export type FleetSeries = Schemas["FleetSeries"];
export type FleetPoint = Schemas["FleetPoint"];
export type FleetUpgrade = Schemas["FleetUpgrade"];
export type UpgradeRow = Schemas["UpgradeRow"];
export type FleetFindings = Schemas["FleetFindings"];
export type FleetFinding = Schemas["FleetFinding"];
export type FleetRows = Schemas["FleetRows"];

/** Data of the server-sent event `progress`. */
export interface ProgressEvent {
  readonly status: Analysis["status"];
  readonly stage: string | null;
  readonly done: number;
  readonly total: number;
  /** Reason for the wait, if the stage alone does not show it. */
  readonly sentence?: string | null;
}

export type SqlAnswer = Schemas["SqlAnswer"];
export type SqlSchema = Schemas["SqlSchema"];
export type SqlTableInfo = Schemas["SqlTable"];

/** Time ranges in the form of requests. */

/** An interval in absolute ns; its end is excluded. */
export interface TimeWindow {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * ns as a query parameter. The document calls it an integer, which TypeScript knows only as a float64;
 * the digits go out as text, so that times beyond 2^53 keep every ns. Clocks do not run below zero.
 */
export function nsParam(ns: bigint): number {
  return (ns < 0n ? 0n : ns).toString() as unknown as number;
}

export function windowParams(window: TimeWindow | null): { from_ns?: number; to_ns?: number } {
  return window === null ? {} : { from_ns: nsParam(window.from), to_ns: nsParam(window.to) };
}

/** The same for an address that is written by hand; empty without a window. */
export function windowText(window: TimeWindow | null): string {
  return window === null ? "" : `from_ns=${nsParam(window.from)}&to_ns=${nsParam(window.to)}`;
}
