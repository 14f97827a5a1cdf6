import { describe, expect, it } from "vitest";
import { emptyText } from "./upload-list.tsx";

describe("empty files", () => {
  it.each([
    [[], 2, null],
    [["trace.dat"], 0, "trace.dat is empty: nothing was uploaded."],
    [["psi.jsonl"], 1, "psi.jsonl is empty and left out."],
    [["a", "b", "c"], 1, "a and 2 more files are empty and left out."],
  ])("%j next to %i others", (empty, others, words) => {
    expect(emptyText(empty, others)).toBe(words);
  });
});
