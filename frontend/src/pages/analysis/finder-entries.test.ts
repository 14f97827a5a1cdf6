import { describe, expect, it } from "vitest";
import { type Entry, findEntries, prepare } from "./finder-entries.ts";

const entry = (kind: Entry["kind"], name: string, detail = ""): Entry => ({
  kind,
  id: `${name} ${detail}`,
  name,
  detail,
});
const ALL = prepare([
  entry("command", "fit the whole trace"),
  entry("cpu", "cpu 3", "node 0"),
  entry("cpu", "cpu 33", "node 1"),
  entry("task", "stress-ng", "pid 3 · 2 s on CPU"),
  entry("task", "ng_A.2", "pid 750"),
  entry("cgroup", "/ng_A"),
  entry("term", "waker", "Who woke the task, cpu and all"),
]);
const names = (question: string, most = 9) => findEntries(ALL, question, most).map(({ name }) => name);

describe("the finder", () => {
  it("puts what is called so first, then what begins so, then what has it inside or behind", () => {
    expect(names("cpu 3")).toEqual(["cpu 3", "cpu 33", "stress-ng"]);
    expect(names("ng_a")).toEqual(["ng_A.2", "/ng_A"]);
    expect(names("ng")[0]).toBe("ng_A.2");
    expect(names("750")).toEqual(["ng_A.2"]);
  });

  it("asks every word to fit, and takes the letters of a command in their order", () => {
    expect(names("node 1")).toEqual(["cpu 33"]);
    expect(names("stress 750")).toEqual([]);
    expect(names("fwt")).toEqual(["fit the whole trace"]);
    expect(names("tr3")).toEqual([]);
  });

  it("lists as they came without a question, and never more than wanted", () => {
    expect(names("", 2)).toEqual(["fit the whole trace", "cpu 3"]);
    expect(names("  ").length).toBe(ALL.length);
  });
});
