/** The tabs of the drawer, and what a link sets in them: which of their views, and its settings. */

/** In their order; each is a folder of `tabs/`. */
export const DRAWER_TABS = [
  "findings",
  "latency",
  "pressure",
  "nodes",
  "sums",
  "balancers",
  "tasks",
  "events",
  "sql",
  "samples",
  "inputs",
  "notes",
] as const;
export type DrawerTab = (typeof DRAWER_TABS)[number];

/** The kinds of waits; each has its list, `worst` that of the wake-ups. */
export const WAIT_KINDS = ["worst", "preempted", "new", "unfinished"] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** `finding` lists the waits, of all kinds, that the chosen finding is about. */
export const LATENCY_VIEWS = [...WAIT_KINDS, "finding", "map", "task", "node", "cgroup"] as const;
export type LatencyView = (typeof LATENCY_VIEWS)[number];

/** The kind that a view lists; null of the other views. */
export function kindOf(view: LatencyView): WaitKind | null {
  return WAIT_KINDS.find((kind) => kind === view) ?? null;
}

export function parseLatencyView(text: string | undefined): LatencyView | null {
  return LATENCY_VIEWS.find((view) => view === text) ?? null;
}

export const AGGREGATE_VIEWS = ["thread", "node", "cause"] as const;
export type AggregateView = (typeof AGGREGATE_VIEWS)[number];

export function parseAggregateView(text: string | undefined): AggregateView | null {
  return AGGREGATE_VIEWS.find((view) => view === text) ?? null;
}

export const BALANCERS_VIEWS = ["ops", "cling", "memory", "vmstat"] as const;
export type BalancersView = (typeof BALANCERS_VIEWS)[number];

export function parseBalancersView(text: string | undefined): BalancersView | null {
  return BALANCERS_VIEWS.find((view) => view === text) ?? null;
}

/** Cling's degree, percent. */
export function parseDegree(text: string | undefined): number | null {
  if (!/^\d{1,3}$/.test(text ?? "")) return null;
  const degree = Number(text);
  return degree <= 100 ? degree : null;
}

/** A step as it may stand in a link: whole ns from 1 µs to a day. */
export function parseStep(text: string | undefined): number | null {
  if (text === undefined || !/^\d{4,14}$/.test(text)) return null;
  const step = Number(text);
  return step >= 1000 && step <= 86_400e9 ? step : null;
}
