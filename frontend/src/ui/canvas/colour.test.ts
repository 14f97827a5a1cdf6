import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contrast, groupOf, isKernelThread, nodeColour, oklch, type Theme, taskColours } from "./colour.ts";

const GROUND: Record<Theme, string> = { light: "#fcfcfb", dark: "#121417" };
const THEMES: readonly Theme[] = ["light", "dark"];

/** HSV hue in degrees and saturation 0..1 of `#rrggbb`. */
function hueOf(hex: string): { hue: number; saturation: number } {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const max = Math.max(r, g, b);
  const d = max - Math.min(r, g, b);
  const raw = d === 0 ? 0 : max === r ? ((g - b) / d) % 6 : max === g ? (b - r) / d + 2 : (r - g) / d + 4;
  return { hue: (raw * 60 + 360) % 360, saturation: max === 0 ? 0 : d / max };
}

describe("oklch", () => {
  it("meets known colours", () => {
    expect(oklch(1, 0, 0)).toBe("#ffffff");
    expect(oklch(0, 0, 0)).toBe("#000000");
    expect(oklch(0.6279, 0.2577, 29.23)).toMatch(/^#f[ef]0[0-4]0[0-4]$/);
  });
});

describe("node colours", () => {
  it("stand out from the ground and are eight different ones", () => {
    for (const theme of THEMES) {
      const colours = Array.from({ length: 8 }, (_, i) => nodeColour(i, theme));
      expect(new Set(colours).size).toBe(8);
      for (const colour of colours) expect(contrast(colour, GROUND[theme])).toBeGreaterThanOrEqual(2.6);
      expect(nodeColour(8, theme)).toBe(colours[0]);
    }
  });

  it("leave red to cost", () => {
    for (const theme of THEMES) {
      for (let i = 0; i < 8; i += 1) {
        const { hue, saturation } = hueOf(nodeColour(i, theme));
        if (saturation > 0.5) expect(hue > 20 && hue < 345).toBe(true);
      }
    }
  });
});

describe("task colours", () => {
  it("are legible, deterministic, and never red, for any names", () => {
    const task = fc.record({ pid: fc.nat(99999), comm: fc.string({ maxLength: 15 }) });
    fc.assert(
      fc.property(fc.array(task, { maxLength: 60 }), fc.constantFrom(...THEMES), (tasks, theme) => {
        const run = tasks.map((_, i) => i * 1000);
        const colours = taskColours(tasks, run, theme);
        expect(taskColours(tasks, run, theme)).toEqual(colours);
        for (const { fill, ink } of colours) {
          expect(contrast(fill, ink)).toBeGreaterThanOrEqual(4.5);
          const { hue, saturation } = hueOf(fill);
          if (saturation > 0.45) expect(hue > 14 && hue < 350).toBe(true);
        }
      }),
    );
  });

  it("give threads of one program one hue and different lightness", () => {
    const tasks = ["worker-1", "worker-2", "db-1"].map((comm, pid) => ({ pid, comm }));
    const [a, b, c] = taskColours(tasks, [5, 4, 3], "light").map(({ fill }) => fill);
    expect(a).not.toBe(b);
    const near = (x = "", y = "") => Math.abs(hueOf(x).hue - hueOf(y).hue);
    expect(near(a, b)).toBeLessThan(20);
    expect(near(a, c)).toBeGreaterThan(40);
  });

  it("keep kernel threads grey", () => {
    const [grey] = taskColours([{ pid: 9, comm: "kworker/0:1" }], [1e9], "dark");
    expect(hueOf(grey?.fill ?? "").saturation).toBeLessThan(0.12);
    expect(isKernelThread("ksoftirqd/3")).toBe(true);
    expect(isKernelThread("postgres")).toBe(false);
  });
});

describe("groupOf", () => {
  it("takes the stem that threads of a program share", () => {
    expect(groupOf("worker-12")).toBe("worker");
    expect(groupOf("kworker/2:1H")).toBe("kworker");
    expect(groupOf("java.7")).toBe("java");
    expect(groupOf("nginx: worker")).toBe("nginx");
    expect(groupOf("1234")).toBe("1234");
  });

  it("keeps the pseudonyms of a copy apart", () => {
    expect(groupOf("task-7")).not.toBe(groupOf("task-8"));
    expect(groupOf("mytask-7")).toBe(groupOf("mytask-8"));
  });
});
