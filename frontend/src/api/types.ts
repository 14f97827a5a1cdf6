/** The service's shapes, all from the OpenAPI document; some have shorter names here. */

import type { Analysis, ChangeAnalysis } from "./schema.ts";

export type * from "./schema.ts";
export type {
  ComparisonAnswer as Comparison,
  CreateCopy as CopyWish,
  CreateNote as NoteWish,
  CreateShare as ShareWish,
  CreateToken as TokenWish,
  ExplainedCause as LedgerCause,
  ExplainedSection as ExplainSection,
  Group as ClingGroup,
  IdleBalancingSection as IlbSection,
  NumaBalancingSection as BalancingSection,
  PageMigrationSection as MigrationSection,
  PutMember as MemberWish,
  RequestPointsSection as RequestsSection,
  SaveReport as ReportWish,
  SqlTable as SqlTableInfo,
  Token as ApiToken,
  Unavailable as MissingPart,
} from "./schema.ts";

export type AnalysisChange = Partial<ChangeAnalysis>;
export type Permission = Analysis["may"][number];

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
