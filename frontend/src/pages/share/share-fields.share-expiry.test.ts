import { describe, expect, it } from "vitest";
import { allowedWords, EXPIRIES, expirySeconds, shareState, USUAL_EXPIRY } from "./share-fields.tsx";

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
