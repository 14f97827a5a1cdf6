import { describe, expect, it } from "vitest";
import type { SqlSchema } from "../../api/types.ts";
import { functionOffers, includeFor, moduleAt, moduleOffers, tableOffers } from "./sql-editor.tsx";

const SCHEMA: SqlSchema = {
  engine: { name: "v52", kind: "wasm" },
  tables: [
    { name: "sched", kind: "view", description: null, module: null, columns: [{ name: "ts", type: "LONG" }] },
    {
      name: "cling_busy",
      kind: "ours",
      description: "When a node was busy for a group.",
      module: "numalens.cling",
      columns: [{ name: "nid", type: "" }],
    },
    { name: "sched_latency", kind: "view", description: null, module: "sched.latency", columns: [] },
  ],
  modules: [{ name: "numalens.cling", description: "NUMA cling." }],
  functions: ["extract_arg"],
  examples: [],
};

describe("what is offered", () => {
  it("is every table with its columns and module, every function, every module once", () => {
    expect(tableOffers(SCHEMA).map(({ label, type, detail }) => [label, type, detail])).toEqual([
      ["sched", "view", "view"],
      ["cling_busy", "ours", "numalens.cling"],
      ["sched_latency", "view", "sched.latency"],
    ]);
    expect(tableOffers(SCHEMA)[1]?.columns).toEqual([{ name: "nid", type: "" }]);
    expect(functionOffers(SCHEMA).map(({ label }) => label)).toEqual(["extract_arg"]);
    expect(moduleOffers(SCHEMA).map(({ label, info }) => [label, info])).toEqual([
      ["numalens.cling", "NUMA cling."],
      ["sched.latency", null],
    ]);
  });
});

describe("modules", () => {
  it("are named where one is included", () => {
    expect(moduleAt("INCLUDE PERFETTO MODULE ")).toEqual({ from: 24 });
    expect(moduleAt("select 1;\ninclude  perfetto module numalens.c")).toEqual({ from: 35 });
    expect(moduleAt("INCLUDE PERFETTO MODULE a;\nselect ")).toBeNull();
  });

  it("are included once at the head of what needs them", () => {
    expect(includeFor("select * from ", "numalens.cling")).toBe("INCLUDE PERFETTO MODULE numalens.cling;\n");
    expect(includeFor("include perfetto  module numalens.cling ;\nselect", "numalens.cling")).toBe("");
    expect(includeFor("INCLUDE PERFETTO MODULE numalens.clingy; select", "numalens.cling")).not.toBe("");
    expect(includeFor("INCLUDE PERFETTO MODULE numalensxcling; select", "numalens.cling")).not.toBe("");
    expect(includeFor("select", null)).toBe("");
  });
});
