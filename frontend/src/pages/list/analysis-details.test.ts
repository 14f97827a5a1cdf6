import { describe, expect, it } from "vitest";
import type { Analysis } from "../../api/types.ts";
import { byIncident, foundBy, parseTags, tagsOf } from "./analysis-details.ts";

const analysis = (id: string, more: Partial<Analysis> = {}): Analysis => ({
  id,
  title: id,
  status: "ready",
  created_at: "2026-01-01T00:00:00Z",
  sample: false,
  description: "",
  tags: [],
  incident: null,
  keep: false,
  access: "owner",
  may: [],
  owners: [],
  handed_over: false,
  error: null,
  progress: null,
  tolerant: false,
  offsets: {},
  rereadable: true,
  inputs: [],
  ...more,
});
const input = (kernel: string, hostname: string) =>
  ({ name: "trace.dat", kernel, facts: { hostname } }) as unknown as Analysis["inputs"][number];

const ALL = [
  analysis("one", { incident: "INC-7", tags: ["storage", "p99"], inputs: [input("6.1.0-56-amd64", "db-3")] }),
  analysis("two", { description: "Slow at 14:03", tags: ["p99"] }),
  analysis("three", { incident: "INC-7", inputs: [input("7.2.0", "db-4")] }),
];
const ids = (found: readonly Analysis[]) => found.map(({ id }) => id);

describe("foundBy", () => {
  it.each([
    ["", ["one", "two", "three"]],
    ["  # ", ["one", "two", "three"]],
    ["6.1.0", ["one"]],
    ["DB- inc-7", ["one", "three"]],
    ["#p99", ["one", "two"]],
    ["#p9", []],
    ["p9", ["one", "two"]],
    ["14:03 #p99", ["two"]],
  ])("%j finds %j", (search, found) => {
    expect(ids(foundBy(ALL, search))).toEqual(found);
  });
});

describe("filing", () => {
  it("tells the tags in use, the commonest first", () => {
    expect(tagsOf(ALL)).toEqual(["p99", "storage"]);
  });

  it("puts the analyses of an incident together, at the place of the first", () => {
    expect(byIncident(ALL).map(ids)).toEqual([["one", "three"], ["two"]]);
  });

  it("takes tags as they are typed", () => {
    expect(parseTags(" #Storage, p99  ,,p99 # ")).toEqual(["storage", "p99"]);
  });
});
