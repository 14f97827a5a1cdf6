import { describe, expect, it } from "vitest";
import type { Note } from "../api/types.ts";
import { parseKeys, placeSpan, placeText, threads, withKey, withoutKey } from "./note-source.ts";

const note = (id: string, more: Partial<Note> = {}): Note => ({
  id,
  parent_id: null,
  author: "Ada",
  text: "Look.",
  place: null,
  by_owner: true,
  vouched: false,
  yours: false,
  created_at: `2026-01-01T00:00:0${id.length}Z`,
  changed_at: null,
  ...more,
});
const at = (from: string, to = from) => ({ from_ns: from, to_ns: to, lane: null, finding: null });

describe("threads", () => {
  it("stand in time, those about no time first, answers with what they answer", () => {
    const made = threads([
      note("late", { place: at("2000000000") }),
      note("a", { parent_id: "late" }),
      note("early", { place: at("900000000") }),
      note("whole"),
      note("bb", { parent_id: "late" }),
      note("lost", { parent_id: "gone" }),
    ]);
    expect(made.map(({ first, answers }) => [first.id, answers.map(({ id }) => id)])).toEqual([
      ["whole", []],
      ["early", []],
      ["late", ["a", "bb"]],
    ]);
  });
});

describe("places", () => {
  const finding = (key: string) => `finding ${key}`;
  it("are said in words", () => {
    expect(placeText(null, finding)).toBe("the analysis");
    expect(placeText(at("16500000000", "22600000000"), finding)).toBe("16.500 to 22.600 s");
    expect(placeText({ ...at("16500000123"), lane: "cpu:3", finding: "X@1" }, finding)).toBe(
      "16.500000 s, CPU 3, finding X@1",
    );
    expect(placeText({ from_ns: null, to_ns: null, lane: "node:1", finding: null }, finding)).toBe("node 1");
  });

  it("have a stretch where they have times", () => {
    expect(placeSpan(at("1500", "2500"), 1000n)).toEqual({ from: 500, to: 1500 });
    expect(placeSpan({ from_ns: null, to_ns: null, lane: "cpu:1", finding: null }, 0n)).toBeNull();
    expect(placeSpan(null, 0n)).toBeNull();
  });
});

describe("keys of notes", () => {
  it("are kept, the oldest forgotten first", () => {
    let keys = {};
    for (let n = 0; n < 310; n += 1) keys = withKey(keys, `n${n}`, "k");
    expect(Object.keys(keys)).toHaveLength(300);
    expect(Object.keys(keys)[0]).toBe("n10");
    expect(withoutKey({ a: "1", b: "2" }, "a")).toEqual({ b: "2" });
    expect(parseKeys(JSON.stringify(keys))).toEqual(keys);
  });

  it.each([null, "", "[1]", "nonsense", '{"a":1}', "null"])("take nothing from %s", (text) => {
    expect(parseKeys(text)).toEqual({});
  });
});
