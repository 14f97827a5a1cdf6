import { describe, expect, it } from "vitest";
import { addMark, cleanMarkName, type Mark, MOST_MARKS, removeMark, renameMark } from "./marks.ts";

describe("marks", () => {
  it("stand in time, each with a name that is free, one to a moment", () => {
    let marks = addMark([], 50n);
    marks = addMark(marks, 20n);
    expect(marks).toEqual([
      { at: 20n, name: "mark 2" },
      { at: 50n, name: "mark 1" },
    ]);
    expect(addMark(marks, 50n)).toBe(marks);
    marks = renameMark(marks, 50n, "  the\nstall ~ ");
    expect(marks[1]?.name).toBe("the stall");
    expect(addMark(marks, 70n).at(-1)?.name).toBe("mark 1");
    expect(removeMark(marks, 20n)).toHaveLength(1);
  });

  it("keep their name when the new one is empty", () => {
    const marks: readonly Mark[] = [{ at: 1n, name: "a" }];
    expect(renameMark(marks, 1n, " ~ \u0000")).toBe(marks);
  });

  it("are never too many or too long for a link", () => {
    let marks: readonly Mark[] = [];
    for (let at = 0n; at < 100n; at += 1n) marks = addMark(marks, at);
    expect(marks).toHaveLength(MOST_MARKS);
    expect(cleanMarkName("x".repeat(500))).toHaveLength(40);
  });
});
