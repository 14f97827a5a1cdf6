import { describe, expect, it } from "vitest";
import {
  lineTable,
  loadsSentence,
  type MemorySamplesSection,
  type Move,
  meanwhileSentence,
  moveSentence,
  moveTable,
  nodeTable,
  pairTable,
  stepRows,
  stepTable,
  verdictText,
} from "./loads.ts";

type Loads = MemorySamplesSection["loads"];

const NONE = { loads: 0, cycles: null };

function loads(own: Partial<Loads>): Loads {
  const empty = { all: NONE, cache: NONE, local_dram: NONE, remote_dram: NONE };
  const caches = { local_peer: NONE, remote_cache: NONE, local_hitm: NONE, remote_hitm: NONE };
  return { ...empty, ...caches, slow_memory: NONE, other: NONE, ...own };
}

const LOADS = loads({
  all: { loads: 1320, cycles: 182.4 },
  local_dram: { loads: 714, cycles: 190 },
  remote_dram: { loads: 138, cycles: 425 },
  local_hitm: { loads: 120, cycles: 129 },
});

const MOVE: Move = {
  pid: 501,
  comm: "mover",
  from_nid: 0,
  to_nid: 1,
  moved_ns: "5999980000",
  how: "runnable",
  until_ns: "7999000000",
  before: { all: { loads: 400, cycles: 150 }, dram_loads: 280, remote_share: 0 },
  early: { all: { loads: 400, cycles: 240 }, dram_loads: 281, remote_share: 0.49 },
  late: { all: { loads: 400, cycles: 151 }, dram_loads: 290, remote_share: 0 },
  migrated: 48,
  pages: { left_behind: 48, followed: 47, were_there: 0, other: 0 },
  memory: "followed",
  paid: "faster",
  label: "observed",
  missing: [],
};

describe("cache lines", () => {
  it("tell false sharing from sharing", () => {
    const line = {
      address: "7f00",
      physical: false,
      tgid: 10,
      local_hitm: { loads: 12, cycles: 90.4 },
      remote_hitm: NONE,
      peer: NONE,
      loads: 20,
      stores: 7,
      threads: 2,
      pids: [11, 12],
      nids: [0, 1],
      words: 2,
      shared_words: 0,
    };
    const shared = { ...line, physical: true, tgid: null, threads: 9, shared_words: 1 };
    const alone = { ...line, threads: 1, pids: [11] };
    const { head, rows } = lineTable({ lines: [line, shared, alone] });
    const of = (row: number, name: string) => rows[row]?.[head.indexOf(name)];
    expect([of(0, "line"), of(1, "line")]).toEqual(["0x7f00", "0x7f00 (physical)"]);
    expect([of(0, "HITM local"), of(0, "cycles"), of(0, "nodes")]).toEqual(["12", "90", "0, 1"]);
    expect([of(0, "threads"), of(1, "threads")]).toEqual(["2: 11, 12", "9: 11, 12, ..."]);
    expect([0, 1, 2].map((row) => of(row, "in common"))).toEqual([
      "no word (false sharing): 2 words, each by one thread",
      "1 of 2 words",
      "one thread was sampled",
    ]);
  });
});

describe("memory samples in words", () => {
  it("says where loads found their data, and what was not recorded", () => {
    expect(loadsSentence({ loads: LOADS, stores: 120, without_source: 0 })).toBe(
      "1,320 loads, mean latency 182 cycles; 852 from memory, 16 % of them another node's; 120 of a line that another core had modified (HITM); 120 stores.",
    );
    expect(loadsSentence({ loads: loads({}), stores: 0, without_source: 406 })).toBe(
      "0 loads, mean latency not recorded; 0 from memory; 0 of a line that another core had modified (HITM); 406 samples that show only where memory is.",
    );
  });

  it("says what the kernel did meanwhile, and never 0 for what was not recorded", () => {
    const untiered = { promoted: null, promotion_candidates: null, demoted: null };
    const said = meanwhileSentence({
      meanwhile: { moves: 1, attempts: null, pages: 48, numa_pages: 0, ...untiered },
    });
    expect(said).toBe(
      "At the same time: migrations of tasks to another node: 1, attempts of NUMA balancing: not recorded, pages migrated: 48, by NUMA balancing: 0.",
    );
    const tiered = { promoted: 7, promotion_candidates: 9, demoted: 0 };
    expect(
      meanwhileSentence({
        meanwhile: { moves: null, attempts: null, pages: null, numa_pages: null, ...tiered },
      }),
    ).toContain("promoted: 7, promotion candidates: 9, demoted: 0.");
  });

  it("says that memory followed and loads became faster only where both hold", () => {
    expect(moveSentence(MOVE)).toBe(
      "mover (501) went from node 0 to node 1: memory followed and loads became faster. Loads before: 150 cycles, 0 % remote; then: 240 cycles, 49 % remote; in the end: 151 cycles, 0 % remote. 47 of 48 pages that lay on node 0 came along.",
    );
    expect(verdictText({ memory: "followed", paid: "same" })).toBe(
      "memory followed and loads became no faster",
    );
    expect(verdictText({ memory: "stayed", paid: "faster" })).toBe(
      "memory stayed behind and loads became faster",
    );
    expect(verdictText({ memory: "unknown", paid: "faster" })).toBe(
      "too few samples to see whether memory followed",
    );
  });
});

describe("memory samples in rows", () => {
  it("has shares of loads from memory alone, and no 0 for a latency that was not recorded", () => {
    const table = nodeTable({
      nodes: [
        { nid: 0, loads: LOADS },
        { nid: 1, loads: loads({}) },
      ],
    });
    const at = (name: string) => table.head.indexOf(name);
    expect(table.rows.map((row) => row[at("remote of DRAM")])).toEqual(["16 %", "–"]);
    expect(table.rows.map((row) => row[at("mean, cycles")])).toEqual(["182", "–"]);
    const pairs = pairTable([{ cpu_nid: 1, memory_nid: 0, samples: 3, loads: { loads: 2, cycles: 410.6 } }]);
    expect(pairs.rows).toEqual([["1", "0", "3", "2", "411"]]);
  });

  it("leaves out what the kernel did where that was not recorded", () => {
    const steps = {
      at: [0, 4],
      loads: [10, 0],
      local_dram: [4, 0],
      remote_dram: [2, 0],
      remote_cache: [0, 0],
      hitm: [1, 0],
      cycles: [200, null],
      moves: [0, 1],
      pages: [0, 7],
    };
    const rows = stepRows({ steps, step_ns: 1000, from_ns: "5000" });
    expect(rows.map(({ fromNs }) => fromNs)).toEqual([5000n, 9000n]);
    const all = stepTable(rows, { moves: 1, numa_pages: 7 });
    expect(all.head.slice(-2)).toEqual(["to another node", "pages migrated"]);
    expect(all.rows[1]?.slice(-3)).toEqual(["–", "1", "7"]);
    const alone = stepTable(rows, { moves: null, numa_pages: null });
    expect(alone.head).not.toContain("to another node");
    expect(alone.head).not.toContain("pages migrated");
  });

  it("lists moves with what they are judged by", () => {
    const { rows, exactHead, exact } = moveTable({
      moves: [MOVE, { ...MOVE, pages: null, migrated: null, how: null }],
    });
    expect(rows[0]?.slice(-4)).toEqual([
      "47 of 48",
      "48",
      "memory followed and loads became faster",
      "observed",
    ]);
    expect(rows[1]?.slice(-4, -2)).toEqual(["not recorded", "not recorded"]);
    expect(exact[0]?.[exactHead.indexOf("late_loads")]).toBe(400);
  });
});
