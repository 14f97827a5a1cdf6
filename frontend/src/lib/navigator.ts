/** The threads of a recording as a list in groups: what they are grouped by, in which order, and which match a text. */

import { plural } from "./format.ts";

/** A thread as the section `threads` has it. */
export interface NavThread {
  readonly pid: number;
  readonly comm: string;
  readonly tgid: number | null;
  /** Place among the cgroups. */
  readonly cgroup: number | null;
  readonly numa_group: number | null;
  readonly nid: number | null;
  readonly run_ns: number;
  readonly wait_ns: number;
}

export interface NavSource {
  readonly threads: readonly NavThread[];
  readonly cgroups: readonly { readonly path: string; readonly lane: number }[];
}

export const NAV_GROUPS = ["process", "cgroup", "group", "node", "thread"] as const;
export type NavGroup = (typeof NAV_GROUPS)[number];

export const NAV_SORTS = ["waited", "ran"] as const;
export type NavSort = (typeof NAV_SORTS)[number];

/** As a link keeps it. */
export interface NavView {
  /** null leaves it to the page. */
  readonly open: boolean | null;
  readonly by: NavGroup;
  readonly sort: NavSort;
  /** Totals cover the whole recording instead of the window. */
  readonly whole: boolean;
  readonly filter: string;
}

export const USUAL_NAV: NavView = { open: null, by: "process", sort: "waited", whole: false, filter: "" };

const MOST_FILTER = 200;

/** `1,cgroup,ran,whole,text`: what is as usual is empty, and empty ends are left out. */
export function formatNav({ open, by, sort, whole, filter }: NavView): string | null {
  const parts = [
    open === null ? "" : open ? "1" : "0",
    by === USUAL_NAV.by ? "" : by,
    sort === USUAL_NAV.sort ? "" : sort,
    whole ? "whole" : "",
    encodeURIComponent(filter),
  ];
  return parts.join(",").replace(/,+$/, "") || null;
}

export function parseNav(text: string | undefined): NavView {
  const [open, by, sort, whole, ...filter] = (text ?? "").split(",");
  return {
    open: open === "1" ? true : open === "0" ? false : null,
    by: NAV_GROUPS.find((each) => each === by) ?? USUAL_NAV.by,
    sort: NAV_SORTS.find((each) => each === sort) ?? USUAL_NAV.sort,
    whole: whole === "whole",
    filter: filter.join(",").slice(0, MOST_FILTER),
  };
}

export interface NavGroupRow {
  readonly kind: "group";
  readonly key: string;
  readonly title: string;
  /** The lane that shows it; null where there is none. */
  readonly lane: string | null;
  readonly runNs: number;
  readonly waitNs: number;
  readonly threads: number;
  readonly open: boolean;
}

export interface NavThreadRow {
  readonly kind: "thread";
  readonly key: string;
  readonly thread: NavThread;
  /** Below a group. */
  readonly inside: boolean;
}

export type NavRow = NavGroupRow | NavThreadRow;

interface Group {
  readonly key: string;
  readonly title: string;
  readonly lane: string | null;
}

/** Value of what was not recorded: it sorts last. */
const NONE = "none";

const NONE_WORDS: Readonly<Record<NavGroup, string>> = {
  process: "process not recorded",
  cgroup: "cgroup not recorded",
  group: "numa group not known",
  node: "did not run",
  thread: "",
};

function groupOf(
  { tgid, cgroup, numa_group, nid }: NavThread,
  by: NavGroup,
  { cgroups }: Pick<NavSource, "cgroups">,
  names: ReadonlyMap<number, string>,
): Group {
  const none = { key: NONE, title: NONE_WORDS[by], lane: null };
  switch (by) {
    case "process":
      if (tgid === null) return none;
      return {
        key: `process:${tgid}`,
        title: `${names.get(tgid) ?? "process"} ${tgid}`,
        lane: `process:${tgid}`,
      };
    case "cgroup": {
      const found = cgroup === null ? undefined : cgroups[cgroup];
      if (!found) return none;
      // All of the machine is no lane of its own.
      const lane = found.path === "/" ? null : `cgroup:${found.lane}`;
      return { key: `cgroup:${found.lane}`, title: found.path, lane };
    }
    case "group":
      if (numa_group === null) return none;
      return { key: `group:${numa_group}`, title: `numa group ${numa_group}`, lane: null };
    case "node":
      return nid === null ? none : { key: `node:${nid}`, title: `node ${nid}`, lane: `node:${nid}` };
    case "thread":
      return none;
  }
}

/** Words of a filter that all must be in the name, the pid or the group's name. */
function matches(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** @param turned groups whose fold is not the usual one: open while something is looked for, or where there is only one */
export function navRows(
  section: NavSource,
  { by, sort, filter }: Pick<NavView, "by" | "sort" | "filter">,
  turned: ReadonlySet<string>,
): readonly NavRow[] {
  const { threads } = section;
  const names = new Map(threads.map(({ pid, comm }) => [pid, comm]));
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const size = sort === "waited" ? (it: Sums) => it.wait_ns : (it: Sums) => it.run_ns;
  const other = sort === "waited" ? (it: Sums) => it.run_ns : (it: Sums) => it.wait_ns;
  const order = (a: NavThread, b: NavThread) => size(b) - size(a) || other(b) - other(a) || a.pid - b.pid;
  const groups = new Map<string, { readonly group: Group; readonly threads: NavThread[] }>();
  for (const thread of threads) {
    const group = groupOf(thread, by, section, names);
    if (!matches(`${thread.comm} ${thread.pid} ${group.title}`, words)) continue;
    const found = groups.get(group.key);
    if (found) found.threads.push(thread);
    else groups.set(group.key, { group, threads: [thread] });
  }
  const row = (inside: boolean) => (thread: NavThread) =>
    ({ kind: "thread", key: `task:${thread.pid}`, thread, inside }) as const;
  if (by === "thread") return [...groups.values()].flatMap((it) => it.threads.sort(order).map(row(false)));
  const usuallyOpen = words.length > 0 || groups.size === 1;
  const summed = [...groups.values()].map(({ group, threads }) => ({
    group,
    threads: threads.sort(order),
    run_ns: threads.reduce((sum, { run_ns }) => sum + run_ns, 0),
    wait_ns: threads.reduce((sum, { wait_ns }) => sum + wait_ns, 0),
  }));
  const last = (it: { readonly group: Group }) => Number(it.group.key === NONE);
  summed.sort((a, b) => last(a) - last(b) || size(b) - size(a) || other(b) - other(a));
  return summed.flatMap(({ group, threads, run_ns, wait_ns }): NavRow[] => {
    const open = turned.has(group.key) !== usuallyOpen;
    const head = { kind: "group" as const, ...group, runNs: run_ns, waitNs: wait_ns, open };
    return [{ ...head, threads: threads.length }, ...(open ? threads.map(row(true)) : [])];
  });
}

interface Sums {
  readonly run_ns: number;
  readonly wait_ns: number;
}

/** `12 threads in 3 groups` of what is listed. */
export function navSays(rows: readonly NavRow[], by: NavGroup): string {
  if (by === "thread") return plural(rows.length, "thread");
  const groups = rows.filter((row) => row.kind === "group");
  const threads = groups.reduce((sum, group) => sum + group.threads, 0);
  return `${plural(threads, "thread")} in ${plural(groups.length, "group")}`;
}

/** Effect of a key in the list. */
export type NavMove =
  | { readonly kind: "walk"; readonly to: number }
  | { readonly kind: "turn" | "go" | "pin" };

/**
 * @param at the row with the focus
 * @param page rows that are seen
 * @returns null for a key that is not the list's
 */
export function navMove(key: string, rows: readonly NavRow[], at: number, page: number): NavMove | null {
  const row = rows[at];
  if (!row) return null;
  const walk = (to: number) => ({ kind: "walk", to: Math.min(rows.length - 1, Math.max(0, to)) }) as const;
  switch (key) {
    case "ArrowDown":
      return walk(at + 1);
    case "ArrowUp":
      return walk(at - 1);
    case "PageDown":
      return walk(at + page);
    case "PageUp":
      return walk(at - page);
    case "Home":
      return walk(0);
    case "End":
      return walk(rows.length - 1);
    case "ArrowRight":
      return row.kind === "group" && !row.open ? { kind: "turn" } : walk(at + 1);
    case "ArrowLeft":
      if (row.kind === "group") return row.open ? { kind: "turn" } : walk(at);
      return walk(row.inside ? rows.findLastIndex(({ kind }, place) => kind === "group" && place < at) : at);
    case "Enter":
      return { kind: "go" };
    case " ":
      return { kind: "pin" };
    default:
      return null;
  }
}
