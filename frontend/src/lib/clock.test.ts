import { afterEach, describe, expect, it } from "vitest";
import { type Clocks, parseMoment, showClock, shownClock } from "./clock.ts";
import { formatAbs, formatTime } from "./format.ts";

const S = 1_000_000_000n;
/** 45 s from 7.2 s of the trace clock on, which is 2026-11-27 14:03:00 UTC. */
const CLOCKS: Clocks = {
  origin: 7_200_000_000n,
  end: 52_200_000_000n,
  wallOffset: BigInt(Date.UTC(2026, 10, 27, 14, 3)) * 1_000_000n - 7_200_000_000n,
};

afterEach(() => showClock("trace", CLOCKS));

describe("shown times", () => {
  it("are those of the chosen clock, everywhere", () => {
    const at = 19_700_000_000n;
    expect(formatTime(at, 3)).toBe("19.700 s");
    showClock("recording", CLOCKS);
    expect(formatTime(at, 3)).toBe("12.500 s");
    showClock("wall", CLOCKS);
    expect(formatTime(at, 3)).toBe("14:03:12.500");
    expect(formatAbs(at, 0)).toBe("14:03:12");
  });

  it("are those of the trace clock where no wall clock is recorded", () => {
    showClock("wall", { ...CLOCKS, wallOffset: null });
    expect(shownClock()).toBe("trace");
    expect(formatTime(S, 1)).toBe("1.0 s");
  });
});

describe("a typed time", () => {
  it("is of the wall clock with colons, with or without a day", () => {
    const at = CLOCKS.origin + 12_500_000_000n;
    for (const text of ["14:03:12.5", "go to 14:03:12.5", "Go to 2026-11-27T14:03:12.5Z", " 14:03:12.500 "])
      expect(parseMoment(text, CLOCKS), text).toBe(at);
    expect(parseMoment("14:03", CLOCKS)).toBe(CLOCKS.origin);
    expect(parseMoment("14:03:12.5", { ...CLOCKS, wallOffset: null })).toBeNull();
  });

  it("may be past the midnight of a recording", () => {
    const late = { ...CLOCKS, wallOffset: CLOCKS.wallOffset && CLOCKS.wallOffset + 35_800n * S };
    expect(parseMoment("00:00:10", late)).toBe(CLOCKS.origin + 30n * S);
  });

  it("is in seconds of the shown clock, else of the other", () => {
    expect(parseMoment("21.118", CLOCKS)).toBe(21_118_000_000n);
    expect(parseMoment("21.118 s", CLOCKS)).toBe(21_118_000_000n);
    // Before the first event by the trace clock.
    expect(parseMoment("3", CLOCKS)).toBe(10_200_000_000n);
    showClock("recording", CLOCKS);
    expect(parseMoment("21.118", CLOCKS)).toBe(28_318_000_000n);
  });

  it("is none outside of the recording, nor what is no time", () => {
    for (const text of ["99", "13:00", "14:99", "25:00:00", "cpu 3", "", "1.2.3", "-4"])
      expect(parseMoment(text, CLOCKS), text).toBeNull();
  });
});
