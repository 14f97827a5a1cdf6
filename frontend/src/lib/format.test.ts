import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatAbs,
  formatBytes,
  formatCount,
  formatCpuList,
  formatDuration,
  formatExactNs,
  formatShare,
  formatWhen,
  plural,
} from "./format.ts";

describe("formatAbs", () => {
  it("prints a trace time as trace-cmd report does", () => {
    expect(formatAbs(7_043_461_568n)).toBe("7.043461568");
    expect(formatAbs(172_800_000_000_005n)).toBe("172800.000000005");
    expect(formatAbs(7_043_461_568n, 3)).toBe("7.043");
    expect(formatAbs(7_043_461_568n, 0)).toBe("7");
    expect(formatAbs(-1_500_000_000n)).toBe("-1.500000000");
  });

  it("loses no ns at nine digits", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n }), (ns) => {
        expect(BigInt(formatAbs(ns).replace(".", ""))).toBe(ns);
      }),
    );
  });
});

describe("durations and counts", () => {
  it("chooses the natural unit", () => {
    expect(formatDuration(17)).toBe("17 ns");
    expect(formatDuration(1_204_331)).toBe("1.204 ms");
    expect(formatDuration(999_999)).toBe("1 ms");
    expect(formatDuration(45_280_088_731n)).toBe("45.28 s");
    expect(formatDuration(0)).toBe("0 ns");
  });

  it("keeps exact ns beside them", () => {
    expect(formatExactNs(1_204_331n)).toBe("1,204,331 ns");
    expect(formatCount(1_212_501)).toBe("1,212,501");
    expect(plural(1, "event")).toBe("1 event");
    expect(plural(2000, "event")).toBe("2,000 events");
  });

  it("does not round almost all to all, nor almost none to none", () => {
    expect(formatShare(0)).toBe("0 %");
    expect(formatShare(0.004)).toBe("<1 %");
    expect(formatShare(0.996)).toBe(">99 %");
    expect(formatShare(1)).toBe("100 %");
    expect(formatShare(Number.NaN)).toBe("–");
  });

  it("prints sizes and stamps", () => {
    expect(formatBytes(87)).toBe("87 B");
    expect(formatBytes(10_287_172)).toBe("9.8 MiB");
    expect(formatBytes(2 ** 33)).toBe("8.0 GiB");
    expect(formatWhen("not a date")).toBe("");
  });
});

describe("formatCpuList", () => {
  it("prints lists as the kernel does", () => {
    expect(formatCpuList([3, 1, 2, 8, 0])).toBe("0-3,8");
    expect(formatCpuList([5])).toBe("5");
    expect(formatCpuList([])).toBe("");
  });

  it("names every CPU once", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(600)), (cpus) => {
        const named = formatCpuList(cpus)
          .split(",")
          .filter((part) => part !== "")
          .flatMap((part) => {
            const [a = 0, b = a] = part.split("-").map(Number);
            return Array.from({ length: b - a + 1 }, (_, i) => a + i);
          });
        expect(named).toEqual([...cpus].sort((a, b) => a - b));
      }),
    );
  });
});
