import { describe, expect, it } from "vitest";
import { EMPTY_VIEW } from "../../view-state/view-state.ts";
import { copyView, copyWish, isCopy, WHOLE } from "./share-fields.tsx";

const window = { from: 1_000n, to: 2_000n };

describe("copies", () => {
  it("are made of what was chosen", () => {
    expect(isCopy(WHOLE)).toBe(false);
    const all = { window: true, task: true, pseudonyms: true };
    expect(isCopy({ ...WHOLE, pseudonyms: true })).toBe(true);
    expect(copyWish(all, window, 7)).toEqual({
      title: null,
      from_ns: "1000",
      to_ns: "2000",
      tasks: [7],
      pseudonyms: true,
    });
    expect(copyWish({ ...WHOLE, task: true }, window, null)).toMatchObject({ tasks: null, from_ns: null });
  });

  it("open where one looked, without a name in the link", () => {
    const view = {
      ...EMPTY_VIEW,
      window,
      open: [0, 1],
      cgroup: "/customer.slice",
      marks: [{ at: 1_500n, name: "acme stalls" }],
      events: "prev_comm ~ acme",
      finding: "X@1500",
      drawer: "findings" as const,
    };
    const text = copyView(view);
    expect(text).toContain("w=1000~2000");
    expect(text).toContain("open=0,1");
    expect(text).toContain("d=findings");
    expect(text).not.toMatch(/acme|customer|fi=/);
  });
});
