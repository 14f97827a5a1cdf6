import { describe, expect, it } from "vitest";
import { EMPTY_VIEW } from "../../view-state/view-state.ts";
import {
  allowedWords,
  copyView,
  copyWish,
  EXPIRIES,
  expirySeconds,
  isCopy,
  shareState,
  USUAL_EXPIRY,
  WHOLE,
} from "./share-fields.tsx";

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

describe("share expiry", () => {
  describe("expirySeconds", () => {
    it("is thirty days by default, and for what it does not know", () => {
      expect(expirySeconds(USUAL_EXPIRY)).toBe(2_592_000);
      expect(expirySeconds("for ever and a day")).toBe(2_592_000);
      expect(expirySeconds("never")).toBeNull();
      expect(EXPIRIES.map(([, seconds]) => seconds ?? Number.POSITIVE_INFINITY)).toEqual(
        [...EXPIRIES.map(([, seconds]) => seconds ?? Number.POSITIVE_INFINITY)].sort((a, b) => a - b),
      );
    });
  });

  describe("shareState", () => {
    const now = Date.parse("2026-01-02T00:00:00Z");
    it.each([
      [null, false, "works"],
      ["2026-01-02T00:00:01Z", false, "works"],
      ["2026-01-02T00:00:00Z", false, "expired"],
      ["2026-01-01T00:00:00Z", true, "revoked"],
      [null, true, "revoked"],
    ] as const)("%s, revoked %s: %s", (expires_at, revoked, state) => {
      expect(shareState({ expires_at, revoked }, now)).toBe(state);
    });
  });

  describe("allowedWords", () => {
    it("says what a link allows", () => {
      expect(allowedWords([])).toBe("looking");
      expect(allowedWords(["download", "comment"])).toBe("looking, notes, downloads");
    });
  });
});
