import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SectionQuery } from "../../../api/routes/sections.ts";
import type { MissingPart, PressureSection } from "../../../api/types.ts";
import { ReplaySource } from "./replay-source.ts";

const ORIGIN = 1_790_000_000_000_000_000n;
const BOUNDS = { from: 0, to: 1_000_000 };

function answerWith(points: number) {
  const wanted: SectionQuery[] = [];
  const fetch = async (query: SectionQuery) => {
    wanted.push(query);
    const from = query.window?.from ?? 0n;
    const length = (query.window?.to ?? 0n) - from;
    const cpu = Array.from({ length: points }, (_, i) => ({
      t_ns: String(from + (length * BigInt(i + 1)) / BigInt(points)),
      some_total_us: i,
      full_total_us: null,
    }));
    const label = query.rules ? "what-if" : "replayed";
    const system = { cpu: { available: true, label, missing: [], some_us: 1, full_us: null } };
    return { available: true, series: { cpu, memory: [], io: [] }, system } as unknown as
      | PressureSection
      | MissingPart;
  };
  return { wanted, source: new ReplaySource(fetch, ORIGIN, BOUNDS) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const rest = () => vi.advanceTimersByTimeAsync(400);

describe("ReplaySource", () => {
  it("gets the whole trace once when its points come whole", async () => {
    const { wanted, source } = answerWith(100);
    let changes = 0;
    source.onChange = () => {
      changes += 1;
    };
    source.want({ from: 100, to: 200 });
    await rest();
    expect(wanted.map(({ window }) => window)).toEqual([{ from: ORIGIN, to: ORIGIN + 1_000_000n }]);
    source.want({ from: 500, to: 501 });
    source.want({ from: -20_000, to: 1_020_000 });
    await rest();
    expect(wanted).toHaveLength(1);
    expect(changes).toBe(1);
    expect(source.replays.map(({ label }) => label)).toEqual(["replayed"]);
  });

  it("asks for a stretch around a close view when the points were thinned, and not again for a small move", async () => {
    const { wanted, source } = answerWith(2001);
    source.want(BOUNDS);
    await rest();
    source.want({ from: 500_000, to: 510_000 });
    await rest();
    const window = wanted[1]?.window;
    expect(window?.from).toBeLessThanOrEqual(ORIGIN + 490_000n);
    expect(window?.to).toBeGreaterThanOrEqual(ORIGIN + 520_000n);
    source.want({ from: 503_000, to: 513_000 });
    source.want({ from: 494_000, to: 504_000 });
    await rest();
    expect(wanted).toHaveLength(2);
    source.want({ from: 700_000, to: 710_000 });
    await rest();
    expect(wanted).toHaveLength(3);
  });

  it("replays anew under other rules, and back without asking", async () => {
    const { wanted, source } = answerWith(10);
    source.want(BOUNDS);
    await rest();
    source.rules = "5.7";
    await rest();
    expect(wanted[1]?.rules).toBe("5.7");
    expect(source.replays[0]?.label).toBe("what-if");
    source.rules = null;
    await rest();
    expect(wanted).toHaveLength(2);
    expect(source.replays[0]?.label).toBe("replayed");
  });
});
