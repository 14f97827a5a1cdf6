import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SectionQuery } from "../../api/routes/sections.ts";
import type { MissingPart } from "../../api/types.ts";
import { intervalFor, WindowSource } from "./window-source.ts";

interface Answer {
  readonly available: true;
  readonly name: string;
  readonly more: number;
}

interface Call {
  readonly query: SectionQuery;
  readonly signal: AbortSignal;
  readonly answer: (value: Answer | MissingPart) => Promise<void>;
}

const ORIGIN = 5_000n;
const BOUNDS = { from: 0, to: 100_000 };
const found = (name: string, more = 0): Answer => ({ available: true, name, more });

function make() {
  const calls: Call[] = [];
  const prepared: string[] = [];
  const source = new WindowSource<Answer, string>({
    fetch: (query, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new DOMException("superseded", "AbortError")));
        const answer = async (value: Answer | MissingPart) => {
          resolve(value);
          await vi.advanceTimersByTimeAsync(0);
        };
        calls.push({ query, signal, answer });
      }),
    origin: ORIGIN,
    bounds: BOUNDS,
    prepare: ({ name }) => {
      prepared.push(name);
      return name;
    },
    partial: ({ more }) => more > 0,
  });
  return { calls, prepared, source };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("WindowSource", () => {
  it("asks for the whole once when it comes whole, and prepares it once", async () => {
    const { calls, prepared, source } = make();
    source.want({ from: 10, to: 90 });
    expect(calls[0]?.query.window).toEqual({ from: 5_000n, to: 105_000n });
    await calls[0]?.answer(found("whole"));
    for (let from = 0; from < 50; from += 1) {
      source.want({ from: from * 100, to: from * 100 + 50 });
      await vi.advanceTimersByTimeAsync(300);
    }
    expect(calls).toHaveLength(1);
    expect(prepared).toEqual(["whole"]);
    expect(source.tracks).toBe("whole");
  });

  it("asks for a stretch of a partial one when the view rests, and draws the last meanwhile", async () => {
    const { calls, source } = make();
    source.want(BOUNDS);
    await calls[0]?.answer(found("whole", 7));
    for (let from = 20_000; from < 20_120; from += 10) {
      source.want({ from, to: from + 900 });
      await vi.advanceTimersByTimeAsync(16);
    }
    expect(calls).toHaveLength(1);
    expect(source.tracks).toBe("whole");
    await vi.advanceTimersByTimeAsync(300);
    expect(calls).toHaveLength(2);
    const { from = 0n, to = 0n } = calls[1]?.query.window ?? {};
    expect(from - ORIGIN).toBeLessThanOrEqual(20_190n);
    expect(to - ORIGIN).toBeGreaterThanOrEqual(21_090n);
    await calls[1]?.answer(found("stretch", 1));
    expect(source.tracks).toBe("stretch");
    // A small move stays inside.
    source.want({ from: 20_400, to: 21_300 });
    await vi.advanceTimersByTimeAsync(300);
    expect(calls).toHaveLength(2);
  });

  it("hangs up on what the view has left, and comes back to the whole without asking", async () => {
    const { calls, source } = make();
    source.want(BOUNDS);
    await calls[0]?.answer(found("whole", 7));
    source.want({ from: 20_000, to: 20_900 });
    await vi.advanceTimersByTimeAsync(300);
    source.want({ from: 60_000, to: 60_900 });
    expect(calls[1]?.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(300);
    await calls[2]?.answer(found("there", 1));
    source.want(BOUNDS);
    await vi.advanceTimersByTimeAsync(300);
    expect(calls).toHaveLength(3);
    expect(source.tracks).toBe("whole");
  });

  it("says what is missing, and asks no more", async () => {
    const { calls, source } = make();
    source.want(BOUNDS);
    await calls[0]?.answer({ available: false, reason: "No events." });
    source.want({ from: 0, to: 500 });
    await vi.advanceTimersByTimeAsync(300);
    expect(source.missing).toBe("No events.");
    expect(source.tracks).toBeNull();
    expect(calls).toHaveLength(1);
  });

  it("asks anew for another degree", async () => {
    const { calls, source } = make();
    source.want(BOUNDS, 20);
    await calls[0]?.answer(found("twenty"));
    source.want(BOUNDS, 60);
    await vi.advanceTimersByTimeAsync(300);
    expect(calls[1]?.query.degree).toBe(60);
    expect(source.degree).toBe(20);
    await calls[1]?.answer(found("sixty"));
    expect(source.degree).toBe(60);
    expect(source.tracks).toBe("sixty");
  });
});

describe("stretchFor", () => {
  it("covers the view inside the bounds, and is one for many views", () => {
    const view = fc
      .tuple(fc.integer({ min: 0, max: 99_000 }), fc.integer({ min: 1, max: 5000 }))
      .map(([from, length]) => ({ from, to: Math.min(100_000, from + length) }));
    fc.assert(
      fc.property(view, (span) => {
        const interval = intervalFor(span, BOUNDS);
        expect(interval.from).toBeLessThanOrEqual(span.from);
        expect(interval.to).toBeGreaterThanOrEqual(span.to);
        expect(interval.to - interval.from).toBeLessThanOrEqual(8 * (span.to - span.from));
      }),
    );
    const wanted = new Set<number>();
    for (let from = 40_000; from < 41_000; from += 1)
      wanted.add(intervalFor({ from, to: from + 900 }, BOUNDS).from);
    expect(wanted.size).toBeLessThanOrEqual(2);
  });
});
