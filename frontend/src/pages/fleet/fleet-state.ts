import type { FleetQuery, Grouping, Period } from "../../api/routes/fleet.ts";
import type { Api } from "../../api/routes/service.ts";
import type { FleetFindings, FleetMachines, FleetRows, FleetSeries, FleetUpgrade } from "../../api/types.ts";
import { type Answered, useAnswer } from "../../ui/use-load.ts";
/** A question over all analyses as a link: `ask=metric&metric=flips&by=kernel&every=day&days=30&machine=db7`. */

export const QUESTIONS = ["machines", "metric", "upgrade", "findings", "sql"] as const;
export type Question = (typeof QUESTIONS)[number];
export const GROUPINGS: readonly Grouping[] = ["all", "machine", "kernel", "tag", "incident", "nodes"];
export const PERIODS: readonly Period[] = ["day", "week", "month", "all"];

export interface FleetState {
  readonly ask: Question;
  readonly metric: string;
  readonly by: Grouping;
  readonly every: Period;
  /** The last so many days; null: from `from` on, to the end of `to`. */
  readonly days: number | null;
  /** Days of UTC, `2026-11-02`; null where the interval is open. */
  readonly from: string | null;
  readonly to: string | null;
  readonly machine: string | null;
  readonly kernel: string | null;
  readonly tag: string | null;
  /** Kernels of an upgrade; null leaves the choice to the server. */
  readonly before: string | null;
  readonly after: string | null;
  readonly sql: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOST_DAYS = 36_500;
const DAY_MS = 86_400_000;
const LONGEST = 200;
const LONGEST_SQL = 20_000;
const USUAL: FleetState = {
  ask: "machines",
  metric: "wakeup_p99",
  by: "kernel",
  every: "week",
  days: null,
  from: null,
  to: null,
  machine: null,
  kernel: null,
  tag: null,
  before: null,
  after: null,
  sql: "",
};
const NAMES = ["machine", "kernel", "tag", "before", "after"] as const;

export function parseFleet(query: string): FleetState {
  const params = new URLSearchParams(query);
  const one = <T extends string>(name: string, known: readonly T[], usual: T): T =>
    known.find((each) => each === params.get(name)) ?? usual;
  const text = (name: string) => params.get(name)?.slice(0, LONGEST) || null;
  const days = Number(params.get("days"));
  const known = Number.isInteger(days) && days > 0 && days <= MOST_DAYS ? days : null;
  const [from, to] = [parseDay(params.get("from")), parseDay(params.get("to"))];
  const empty = known !== null || (from !== null && to !== null && from > to);
  return {
    ask: one("ask", QUESTIONS, USUAL.ask),
    metric: /^\w{1,64}$/.exec(params.get("metric") ?? "")?.[0] ?? USUAL.metric,
    by: one("by", GROUPINGS, USUAL.by),
    every: one("every", PERIODS, USUAL.every),
    days: known,
    from: empty ? null : from,
    to: empty ? null : to,
    machine: text("machine"),
    kernel: text("kernel"),
    tag: text("tag"),
    before: text("before"),
    after: text("after"),
    sql: (params.get("sql") ?? "").slice(0, LONGEST_SQL),
  };
}

/** A day that there is, or null. */
function parseDay(text: string | null): string | null {
  if (text === null || !DAY.test(text)) return null;
  const moment = new Date(`${text}T00:00:00Z`);
  const year = moment.getUTCFullYear();
  return Number.isNaN(moment.getTime()) || year < 1970 || year > 2199 || dayOf(moment) !== text ? null : text;
}

export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

export function fleetQuery(state: FleetState): string {
  const params = new URLSearchParams();
  if (state.ask !== USUAL.ask) params.set("ask", state.ask);
  if (state.ask === "metric") {
    params.set("metric", state.metric);
    if (state.by !== USUAL.by) params.set("by", state.by);
  }
  if (["metric", "findings"].includes(state.ask) && state.every !== USUAL.every)
    params.set("every", state.every);
  if (state.ask === "sql") {
    if (state.sql !== "") params.set("sql", state.sql);
    return params.toString();
  }
  if (state.days !== null) params.set("days", String(state.days));
  if (state.from !== null) params.set("from", state.from);
  if (state.to !== null) params.set("to", state.to);
  for (const name of NAMES) {
    const value = state[name];
    const apart = name === "before" || name === "after";
    if (value !== null && (state.ask === "upgrade" ? name !== "kernel" : !apart)) params.set(name, value);
  }
  return params.toString();
}

/** Filter of recordings for the service; `now` is the time of the query. */
export function chosenOf(state: FleetState, now: Date): FleetQuery {
  const { days, from, to, machine, kernel, tag } = state;
  const start = days === null ? from : new Date(now.getTime() - days * DAY_MS).toISOString();
  const end = to === null ? null : new Date(new Date(`${to}T00:00:00Z`).getTime() + DAY_MS).toISOString();
  return {
    ...(start === null ? {} : { from: start }),
    ...(end === null ? {} : { to: end }),
    ...(machine === null ? {} : { machine }),
    ...(kernel === null || state.ask === "upgrade" ? {} : { kernel }),
    ...(tag === null ? {} : { tag }),
  };
}

/** The answer, by the question that it is to. */
export type FleetAnswer =
  | { readonly ask: "machines"; readonly answered: FleetMachines }
  | { readonly ask: "metric"; readonly answered: FleetSeries }
  | { readonly ask: "upgrade"; readonly answered: FleetUpgrade }
  | { readonly ask: "findings"; readonly answered: FleetFindings }
  | { readonly ask: "sql"; readonly answered: FleetRows };

async function ask(api: Api, state: FleetState, signal: AbortSignal): Promise<FleetAnswer> {
  const chosen = chosenOf(state, new Date());
  const { every, by, metric, before, after, sql } = state;
  switch (state.ask) {
    case "machines":
      return { ask: "machines", answered: await api.fleet.machines(chosen, signal) };
    case "metric":
      return { ask: "metric", answered: await api.fleet.metric({ ...chosen, metric, by, every }, signal) };
    case "upgrade": {
      const kernels = { ...(before ? { before } : {}), ...(after ? { after } : {}) };
      return { ask: "upgrade", answered: await api.fleet.upgrade({ ...chosen, ...kernels }, signal) };
    }
    case "findings":
      return { ask: "findings", answered: await api.fleet.findings({ ...chosen, every }, signal) };
    default:
      return { ask: "sql", answered: await api.fleet.sql(sql, signal) };
  }
}

/** The answer to the question of a state. Another `turn` repeats the same question. */
export function useFleet(api: Api, state: FleetState, turn: number): Answered<FleetAnswer> {
  const empty = state.ask === "sql" && state.sql.trim() === "";
  return useAnswer(empty ? null : fleetQuery(state), (signal) => ask(api, state, signal), { turn });
}
