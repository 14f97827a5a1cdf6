import { describe, expect, it } from "vitest";
import { leftOut } from "../../api/session/upload-record.ts";

const UNKNOWN = "photo.jpg: at byte 0: expected a recording, found 0xff.";

describe("files that are left out", () => {
  it.each([
    [[], [], 2, null],
    [["trace.dat"], [], 0, "Nothing was uploaded: trace.dat is empty."],
    [["psi.jsonl"], [], 1, "psi.jsonl is empty and left out."],
    [["a", "b", "c"], [], 1, "a and 2 more files are empty and left out."],
    [[], [UNKNOWN], 0, `Nothing was uploaded: ${UNKNOWN}`],
    [["a"], [UNKNOWN], 1, `Left out: a is empty; ${UNKNOWN}`],
    [[], [UNKNOWN, UNKNOWN, UNKNOWN], 1, `Left out: ${UNKNOWN} 2 more files cannot be read either.`],
  ])("%j and %j next to %i others", (empty, unknown, others, words) => {
    expect(leftOut(empty, unknown, others)).toBe(words);
  });
});
