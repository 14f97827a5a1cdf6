import { afterEach, expect, it, vi } from "vitest";
import { askedClient } from "../../../test-support/recorded-requests.ts";
import type { WaitCell } from "../../tabs/latency/wait-heat.ts";
import { type SectionQuery, SectionsApi } from "./sections.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const SIGNAL = new AbortController().signal;
const WINDOW = { from: 5n, to: 9n };
const CELL: WaitCell = { kind: "preempted", leastNs: "10", belowNs: "20", from: 6n, to: 7n } as never;

type Section = { [K in keyof SectionsApi]: K }[keyof SectionsApi];

/** The part of the address behind the analysis. */
async function asked(section: Section, query: SectionQuery): Promise<string> {
  const { client, lines } = askedClient({ available: true });
  expect(await new SectionsApi(client)[section]("a", query, SIGNAL)).toEqual({ available: true });
  return lines().join().replace("GET /api/v1/analyses/a/sections/", "");
}

it.each<[Section, string, string]>([
  ["findings", "findings", ""],
  ["latency", "latency", "limit=200"],
  ["pressure", "psi", ""],
  ["utilisation", "utilisation", ""],
  ["residency", "residency", "limit=200"],
  ["waitHeat", "wait_heat", ""],
  ["waits", "waits", "limit=200"],
  ["wait", "wait", ""],
  ["waste", "waste", ""],
  ["balancing", "numa_balancing", "limit=200"],
  ["cling", "cling", "limit=200"],
  ["migration", "page_migration", ""],
  ["placement", "placement", ""],
  ["vmstat", "vmstat", ""],
  ["ilb", "idle_balancing", "limit=500"],
])("asks for %s in a window and in all", async (section, name, more) => {
  expect(await asked(section, { window: null })).toBe(more === "" ? name : `${name}?${more}`);
  const within = "from_ns=5&to_ns=9";
  expect(await asked(section, { window: WINDOW })).toBe(
    `${name}?${[within, more].filter(Boolean).join("&")}`,
  );
});

it.each<[Section, Omit<SectionQuery, "window">, string]>([
  ["latency", { listed: 3 }, "latency?limit=3"],
  ["pressure", { rules: "5.13" as never }, "psi?psi_rules=5.13"],
  ["utilisation", { stepNs: 100 }, "utilisation?step_ns=100"],
  ["waits", { cell: CELL, listed: 3 }, waitsOf("kind=preempted&least_ns=10&below_ns=20", "limit=3")],
  ["wait", { wait: { pid: 4, cpu: 1 } }, "wait?pid=4&cpu=1"],
  ["balancing", { listed: 3 }, "numa_balancing?limit=3"],
  ["ilb", { listed: 3 }, "idle_balancing?limit=3"],
  ["cling", { listed: 3 }, "cling?limit=3"],
  // Also the degree 0 is one that was asked for.
  ["cling", { degree: 0, listed: 3 }, "cling?degree=0&limit=1"],
])("asks for %s with what is its own", async (section, query, line) => {
  expect(await asked(section, { window: null, ...query })).toBe(line);
});

function waitsOf(what: string, limit: string): string {
  return `waits?${what}&ended_from_ns=6&ended_to_ns=7&${limit}`;
}
