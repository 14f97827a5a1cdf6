/** What is computed over a window of an analysis. */

import type { Rules } from "../../panels/psi/psi-table.ts";
import type { WaitCell } from "../../tabs/latency/wait-heat.ts";
import type { WaitKey } from "../../view-state/wait-key.ts";
import { type Answer, type ServiceClient, take } from "../client.ts";
import type { paths } from "../schema.ts";
import type {
  BalancingSection,
  ClingSection,
  FindingsSection,
  IlbSection,
  LatencySection,
  MigrationSection,
  MissingPart,
  PlacementSection,
  PressureSection,
  ResidencySection,
  UtilisationSection,
  VmstatSection,
  WaitHeatSection,
  WaitSection,
  WaitsSection,
  WasteSection,
} from "../types.ts";
import { nsParam, type TimeWindow, windowParams } from "../window.ts";

/** What of a section is asked for; without a window the common one of all CPUs. */
export interface SectionQuery {
  readonly window: TimeWindow | null;
  /** In place of the traced kernel's own. */
  readonly rules?: Rules | null;
  readonly stepNs?: number | null;
  /** In place of the traced kernel's own, percent. */
  readonly degree?: number | null;
  /** How many single events are listed; the rest is in the sums. */
  readonly listed?: number;
  /** Of all waits those of a part of their map. */
  readonly cell?: WaitCell | null;
  /** Whose wait the window is. */
  readonly wait?: Pick<WaitKey, "pid" | "cpu"> | null;
}

/** How many waits, tasks and attempts are listed; the rest is in the sums. */
const LISTED = 200;

/** As many events as the service lists at once. */
export const MOST_LISTED = 500;

const ROUTE = "/api/v1/analyses/{analysis_id}/sections";

/** What the service calls a section. */
type Name = { [P in keyof paths]: P extends `${typeof ROUTE}/${infer N}` ? N : never }[keyof paths];
type Asked<N extends Name> = paths[`${typeof ROUTE}/${N}`]["get"]["parameters"]["query"];
type Told<N extends Name> =
  paths[`${typeof ROUTE}/${N}`]["get"]["responses"][200]["content"]["application/json"];

export class SectionsApi {
  readonly #routes: ServiceClient["routes"];

  constructor({ routes }: ServiceClient) {
    this.#routes = routes;
  }

  findings(
    id: string,
    { window }: SectionQuery,
    signal: AbortSignal,
  ): Promise<FindingsSection | MissingPart> {
    return this.#ask("findings", id, windowParams(window), signal);
  }

  latency(
    id: string,
    { window, listed = LISTED }: SectionQuery,
    signal: AbortSignal,
  ): Promise<LatencySection | MissingPart> {
    return this.#ask("latency", id, { ...windowParams(window), limit: listed }, signal);
  }

  pressure(
    id: string,
    { window, rules }: SectionQuery,
    signal: AbortSignal,
  ): Promise<PressureSection | MissingPart> {
    const by = rules ? { psi_rules: rules } : {};
    return this.#ask("psi", id, { ...windowParams(window), ...by }, signal);
  }

  utilisation(
    id: string,
    { window, stepNs }: SectionQuery,
    signal: AbortSignal,
  ): Promise<UtilisationSection | MissingPart> {
    const step = stepNs ? { step_ns: stepNs } : {};
    return this.#ask("utilisation", id, { ...windowParams(window), ...step }, signal);
  }

  residency(
    id: string,
    { window }: SectionQuery,
    signal: AbortSignal,
  ): Promise<ResidencySection | MissingPart> {
    return this.#ask("residency", id, { ...windowParams(window), limit: LISTED }, signal);
  }

  waitHeat(
    id: string,
    { window }: SectionQuery,
    signal: AbortSignal,
  ): Promise<WaitHeatSection | MissingPart> {
    return this.#ask("wait_heat", id, windowParams(window), signal);
  }

  waits(
    id: string,
    { window, cell, listed = LISTED }: SectionQuery,
    signal: AbortSignal,
  ): Promise<WaitsSection | MissingPart> {
    const of = cell
      ? {
          kind: cell.kind,
          least_ns: cell.leastNs,
          below_ns: cell.belowNs,
          ended_from_ns: nsParam(cell.from),
          ended_to_ns: nsParam(cell.to),
        }
      : {};
    return this.#ask("waits", id, { ...windowParams(window), ...of, limit: listed }, signal);
  }

  wait(id: string, { window, wait }: SectionQuery, signal: AbortSignal): Promise<WaitSection | MissingPart> {
    return this.#ask("wait", id, { ...windowParams(window), ...(wait ?? {}) }, signal);
  }

  waste(id: string, { window }: SectionQuery, signal: AbortSignal): Promise<WasteSection | MissingPart> {
    return this.#ask("waste", id, windowParams(window), signal);
  }

  balancing(
    id: string,
    { window, listed = LISTED }: SectionQuery,
    signal: AbortSignal,
  ): Promise<BalancingSection | MissingPart> {
    return this.#ask("numa_balancing", id, { ...windowParams(window), limit: listed }, signal);
  }

  cling(
    id: string,
    { window, degree, listed = LISTED }: SectionQuery,
    signal: AbortSignal,
  ): Promise<ClingSection | MissingPart> {
    // Another degree is asked for its groups: decisions are those that were recorded.
    const what = typeof degree === "number" ? { degree, limit: 1 } : { limit: listed };
    return this.#ask("cling", id, { ...windowParams(window), ...what }, signal);
  }

  migration(
    id: string,
    { window }: SectionQuery,
    signal: AbortSignal,
  ): Promise<MigrationSection | MissingPart> {
    return this.#ask("page_migration", id, windowParams(window), signal);
  }

  /** CPU time and memory by numa group and node. */
  placement(
    id: string,
    { window }: SectionQuery,
    signal: AbortSignal,
  ): Promise<PlacementSection | MissingPart> {
    return this.#ask("placement", id, windowParams(window), signal);
  }

  vmstat(id: string, { window }: SectionQuery, signal: AbortSignal): Promise<VmstatSection | MissingPart> {
    return this.#ask("vmstat", id, windowParams(window), signal);
  }

  ilb(
    id: string,
    { window, listed = MOST_LISTED }: SectionQuery,
    signal: AbortSignal,
  ): Promise<IlbSection | MissingPart> {
    return this.#ask("idle_balancing", id, { ...windowParams(window), limit: listed }, signal);
  }

  #ask<N extends Name>(name: N, id: string, query: Asked<N>, signal: AbortSignal): Promise<Told<N>> {
    // All sections have one shape of route; the client tells them apart only when they are written out.
    const route = `${ROUTE}/${name}` as `${typeof ROUTE}/findings`;
    const asked = this.#routes.GET(route, {
      params: { path: { analysis_id: id }, query: query as Asked<"findings"> & {} },
      signal,
    });
    return take(asked as Promise<Answer<unknown>>) as Promise<Told<N>>;
  }
}
