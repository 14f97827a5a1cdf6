import type { SqlQuery } from "../api/routes/sql.ts";
import { type AbsWindow, parseWindow } from "../lib/ranges.ts";
import { type AbsNs, parseNs } from "../lib/time.ts";

/** The views of the drawer, the tabs that they are in, and what a link sets in them. */

/** The tabs in their order, each with the views that links name; it opens with the first. A view is of a folder of `tabs/`, or of a subject. */
export const DRAWER_TABS = [
  { title: "Findings", views: ["findings"] },
  { title: "Waits", views: ["latency"] },
  { title: "Requests", views: ["requests"] },
  { title: "Tasks", views: ["tasks", "stacks", "scx"] },
  { title: "Pressure", views: ["pressure"] },
  { title: "NUMA", views: ["nodes", "ops", "cling", "memory", "loads", "vmstat", "domains", "distances"] },
  { title: "Events & SQL", views: ["types", "rows", "sql"] },
  { title: "Recording", views: ["inputs", "samples", "notes"] },
] as const;
export type DrawerTab = (typeof DRAWER_TABS)[number];
export type DrawerViewName = DrawerTab["views"][number];

export const DRAWER_VIEWS: readonly DrawerViewName[] = DRAWER_TABS.flatMap(({ views }) => views);

export function drawerTabOf(view: DrawerViewName): DrawerTab {
  const tab = DRAWER_TABS.find(({ views }) => views.some((each) => each === view));
  return tab ?? DRAWER_TABS[0];
}

/** The kinds of waits; each has its list, `worst` that of the wake-ups. */
export const WAIT_KINDS = ["worst", "preempted", "new", "unfinished"] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** `finding` lists the waits, of all kinds, that the chosen finding is about. */
export const LATENCY_VIEWS = [...WAIT_KINDS, "finding", "map", "cause", "node", "cgroup"] as const;
export type LatencyView = (typeof LATENCY_VIEWS)[number];

/** The kind that a view lists; null of the other views. */
export function kindOf(view: LatencyView): WaitKind | null {
  return WAIT_KINDS.find((kind) => kind === view) ?? null;
}

export function parseLatencyView(text: string | undefined): LatencyView | null {
  return LATENCY_VIEWS.find((view) => view === text) ?? null;
}

/** Cling's degree, percent. */
export function parseDegree(text: string | undefined): number | null {
  if (!/^\d{1,3}$/.test(text ?? "")) return null;
  const degree = Number(text);
  return degree <= 100 ? degree : null;
}

/** A step in a link: whole ns from 1 µs to a day. */
export function parseStep(text: string | undefined): number | null {
  if (text === undefined || !/^\d{4,14}$/.test(text)) return null;
  const step = Number(text);
  return step >= 1000 && step <= 86_400e9 ? step : null;
}

// Which wait is opened, as the link has it: `wait=<pid>:<cpu>@<from>~<to>`.

export interface WaitKey {
  readonly pid: number;
  /** CPU on which it ran. */
  readonly cpu: number;
  /** Begin and end: no two waits of a task on a CPU have the same. */
  readonly from: AbsNs;
  readonly to: AbsNs;
}

export function encodeWait({ pid, cpu, from, to }: WaitKey): string {
  return `${pid}:${cpu}@${from}~${to}`;
}

export function parseWait(text: string | undefined): WaitKey | null {
  const match = /^(\d{1,10}):(\d{1,6})@(-?\d{1,20})~(-?\d{1,20})$/.exec(text ?? "");
  const [from, to] = [parseNs(match?.[3] ?? ""), parseNs(match?.[4] ?? "")];
  if (!match || from === null || to === null || from >= to) return null;
  return { pid: Number(match[1]), cpu: Number(match[2]), from, to };
}

/** Key of a wait in the lists; null for one without length, which has no details. */
export function waitKey(wait: {
  readonly pid: number;
  readonly cpu: number;
  readonly waking_ns: string;
  readonly switch_in_ns: string;
}): WaitKey | null {
  return parseWait(`${wait.pid}:${wait.cpu}@${wait.waking_ns}~${wait.switch_in_ns}`);
}

/** Of the wait before a slice; null when none is known. */
export function waitOfSlice(slice: {
  readonly pid: number;
  readonly cpu: number;
  readonly start_ns: string;
  readonly wait_ns?: string | null;
}): WaitKey | null {
  const [to, ns] = [parseNs(slice.start_ns), parseNs(slice.wait_ns ?? "")];
  if (to === null || ns === null || ns <= 0n) return null;
  return { pid: slice.pid, cpu: slice.cpu, from: to - ns, to };
}

// A query as a link says it: its text, and the interval of the recording that the trace processor is given.

/** `shown`: what the timeline shows when the query is run; null: the whole recording. */
export type QueryWindow = AbsWindow | "shown" | null;

/** Longer ones the service refuses. */
export const MOST_SQL = 50_000;
/** Of an encoded query: a link with a longer one could not be shared. */
const MOST_LINKED = 6000;

export function isLinked(sql: string): boolean {
  return encodeURIComponent(sql).length <= MOST_LINKED;
}

/** As it was run; null for none, and for one that is too long to be one. */
export function parseQuery(text: string | undefined): string | null {
  return text === undefined || text.trim() === "" || !isLinked(text) ? null : text;
}

/** `1`: the window that is shown; otherwise the interval that was queried. */
export function parseQueryWindow(text: string | undefined): QueryWindow {
  return text === "1" ? "shown" : parseWindow(text);
}

export function isSameQuery(a: SqlQuery | null, b: SqlQuery | null): boolean {
  if (a === null || b === null) return a === b;
  return a.sql === b.sql && a.window?.from === b.window?.from && a.window?.to === b.window?.to;
}
