import { afterEach, expect, it, vi } from "vitest";
import { recordingClient } from "../../../test-support/recorded-requests.ts";
import { type SectionName, type SectionQuery, SectionsApi, type WaitCell } from "./sections.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const SIGNAL = new AbortController().signal;
const WINDOW = { from: 5n, to: 9n };
const CELL: WaitCell = { kind: "preempted", leastNs: "10", belowNs: "20", from: 6n, to: 7n } as never;

/** The part of the address behind the analysis. */
async function requested(name: SectionName, query: SectionQuery): Promise<string> {
  const { client, lines } = recordingClient({ available: true });
  expect(await new SectionsApi(client).get(name, "a", query, SIGNAL)).toEqual({ available: true });
  return lines().join().replace("GET /api/v1/analyses/a/sections/", "");
}

it.each<[SectionName, string]>([
  ["findings", ""],
  ["latency", "limit=200"],
  ["psi", ""],
  ["utilisation", ""],
  ["residency", "limit=200"],
  ["wait_heat", ""],
  ["waits", "limit=200"],
  ["wait", ""],
  ["waste", ""],
  ["numa_balancing", "limit=200"],
  ["cling", "limit=200"],
  ["page_migration", ""],
  ["placement", ""],
  ["vmstat", ""],
  ["schedstat", ""],
  ["domain_balancing", ""],
  ["wakeup_placement", ""],
  ["sched_ext", ""],
  ["distances", ""],
  ["memory_samples", ""],
  ["idle_balancing", "limit=500"],
])("requests %s in a window and in all", async (name, more) => {
  expect(await requested(name, { window: null })).toBe(more === "" ? name : `${name}?${more}`);
  const within = "from_ns=5&to_ns=9";
  expect(await requested(name, { window: WINDOW })).toBe(
    `${name}?${[within, more].filter(Boolean).join("&")}`,
  );
});

it.each<[SectionName, Omit<SectionQuery, "window">, string]>([
  ["latency", { listed: 3 }, "latency?limit=3"],
  ["psi", { rules: "5.14" }, "psi?psi_rules=5.14"],
  ["utilisation", { stepNs: 100 }, "utilisation?step_ns=100"],
  ["waits", { cell: CELL, listed: 3 }, waitsOf("kind=preempted&least_ns=10&below_ns=20", "limit=3")],
  ["wait", { wait: { pid: 4, cpu: 1 } }, "wait?pid=4&cpu=1"],
  ["numa_balancing", { listed: 3 }, "numa_balancing?limit=3"],
  ["idle_balancing", { listed: 3 }, "idle_balancing?limit=3"],
  ["cling", { listed: 3 }, "cling?limit=3"],
  // Also the degree 0 is one.
  ["cling", { degree: 0, listed: 3 }, "cling?degree=0&limit=1"],
])("requests %s with what is its own", async (name, query, line) => {
  expect(await requested(name, { window: null, ...query })).toBe(line);
});

function waitsOf(what: string, limit: string): string {
  return `waits?${what}&ended_from_ns=6&ended_to_ns=7&${limit}`;
}
