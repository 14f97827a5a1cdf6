/** Values computed over a window of an analysis. */

import { type Answer, Routes, take } from "../client.ts";
import type { paths } from "../schema.ts";
import { type MissingPart, nsParam, type TimeWindow, windowParams } from "../types.ts";

const ROUTE = "/api/v1/analyses/{analysis_id}/sections";

/** As the service names it. */
export type SectionName = {
  [P in keyof paths]: P extends `${typeof ROUTE}/${infer N}` ? N : never;
}[keyof paths];

type Get<N extends SectionName> = paths[`${typeof ROUTE}/${N}`]["get"];

/** A section, or why there is none. */
export type SectionAnswer<N extends SectionName> = Get<N>["responses"][200]["content"]["application/json"];

/** Content of a section that has its inputs. */
export type SectionContent<N extends SectionName> = Exclude<SectionAnswer<N>, MissingPart>;

/** Rules of pressure by the kernel at which they changed. */
type PressureRules = NonNullable<NonNullable<Get<"psi">["parameters"]["query"]>["psi_rules"]>;

/** A cell of the map of waits: those of a kind and a length that ended in a part of the window. */
export interface WaitCell {
  readonly kind: "wakeups" | "preempted";
  readonly leastNs: number;
  readonly belowNs: number;
  readonly from: bigint;
  readonly to: bigint;
}

/** Query of a section; without a window, the common one of all CPUs. */
export interface SectionQuery {
  readonly window: TimeWindow | null;
  /** Rules instead of the traced kernel's own. */
  readonly rules?: PressureRules | null;
  readonly stepNs?: number | null;
  /** Degree instead of the traced kernel's own, percent. */
  readonly degree?: number | null;
  /** Number of listed single events; the rest is in the sums. */
  readonly listed?: number;
  /** Of all waits those of a part of their map. */
  readonly cell?: WaitCell | null;
  /** Wait of the window. */
  readonly wait?: { readonly pid: number; readonly cpu: number } | null;
  /** The task that it is about. */
  readonly pid?: number;
  /** Name or pid of the tasks that served requests. */
  readonly task?: string;
  /** The percentile of durations from which requests are slow. */
  readonly slow?: number;
  /** The sampled event that it is about, by its place. */
  readonly event?: number;
}

/** As many events as the service lists at once. */
export const MOST_LISTED = 500;

/** Sections that list single waits, tasks or events, and how many of them unless the query says so. */
const LISTED: Readonly<Partial<Record<SectionName, number>>> = {
  latency: 200,
  residency: 200,
  waits: 200,
  numa_balancing: 200,
  cling: 200,
  idle_balancing: MOST_LISTED,
  sleeps: 2000,
  requests: 20_000,
};

export class SectionsApi extends Routes {
  get<N extends SectionName>(
    name: N,
    id: string,
    query: SectionQuery,
    signal: AbortSignal,
  ): Promise<SectionAnswer<N>> {
    // All sections have one shape of route; the client distinguishes them only when they are written out.
    const request = this.routes.GET(`${ROUTE}/${name}` as `${typeof ROUTE}/findings`, {
      params: { path: { analysis_id: id }, query: parameters(name, query) },
      signal,
    });
    return take(request as Promise<Answer<unknown>>) as Promise<SectionAnswer<N>>;
  }
}

/** The query as the route writes it; what it does not request is not in it. */
function parameters(name: SectionName, query: SectionQuery): Record<string, unknown> {
  const { window, rules, stepNs, degree, cell, wait, pid, task, slow, event } = query;
  const tried = typeof degree === "number";
  const usual = LISTED[name];
  return {
    ...windowParams(window),
    ...(rules ? { psi_rules: rules } : {}),
    ...(stepNs ? { step_ns: stepNs } : {}),
    ...(tried ? { degree } : {}),
    ...(cell ? cellParameters(cell) : {}),
    ...wait,
    ...(pid === undefined ? {} : { pid }),
    ...(task === undefined ? {} : { task }),
    ...(slow === undefined ? {} : { slow }),
    ...(event === undefined ? {} : { event }),
    // Another degree is wanted for its groups: decisions are those that were recorded.
    ...(usual === undefined ? {} : { limit: tried ? 1 : (query.listed ?? usual) }),
  };
}

function cellParameters({ kind, leastNs, belowNs, from, to }: WaitCell) {
  return {
    kind,
    least_ns: leastNs,
    below_ns: belowNs,
    ended_from_ns: nsParam(from),
    ended_to_ns: nsParam(to),
  };
}
