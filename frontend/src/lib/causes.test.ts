import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CATALOGUE } from "./catalogue.ts";
import {
  type CauseTime,
  causeColour,
  causeMeaning,
  causeParts,
  causeTitle,
  mainCause,
  rankCauses,
  sumOf,
  sumProblem,
} from "./causes.ts";

const ENGINE = CATALOGUE.wait_causes.map(({ id }) => id);

const causes: fc.Arbitrary<CauseTime[]> = fc
  .uniqueArray(fc.constantFrom(...ENGINE), { minLength: 1 })
  .chain((names) =>
    fc.tuple(...names.map((cause) => fc.nat(2 ** 40).map((ns) => ({ cause, ns })))).map((list) => [...list]),
  );

describe("causes in words", () => {
  it("say what each means, with the kernel function", () => {
    expect(causeMeaning("softirq")).toMatch(/^Its CPU served a softirq\. Kernel: handle_softirqs .*\.$/);
    expect(causeMeaning("affinity")).toMatch(/ Kernel: can_migrate_task\.$/);
  });

  it("shows a cause of a newer server by its name", () => {
    expect(causeTitle("moon_phase")).toBe("moon phase");
    expect(causeColour("moon_phase")).toBe("var(--hatched)");
    expect(causeMeaning("moon_phase")).toContain("newer");
  });

  it("names the longest with its share", () => {
    const list = [
      { cause: "softirq", ns: 10 },
      { cause: "busy", ns: 83 },
      { cause: "pinned", ns: 7 },
    ];
    expect(mainCause(list)).toBe("all CPUs busy 83 %");
    expect(mainCause([{ cause: "idle_exit", ns: 5 }])).toBe("idle exit");
    expect(mainCause([])).toBe("");
    expect(mainCause([{ cause: "busy", ns: 0 }])).toBe("");
  });

  it("ranks by time, and by the engine's order where two are as long", () => {
    const list = [
      { cause: "busy", ns: 5 },
      { cause: "wake_up", ns: 5 },
      { cause: "pinned", ns: 9 },
      { cause: "softirq", ns: 0 },
    ];
    expect(rankCauses(list).map(({ cause }) => cause)).toEqual(["pinned", "wake_up", "busy"]);
  });
});

describe("a bar of causes", () => {
  it("is filled to its end by parts that can be seen, each within a thousandth or so of its share", () => {
    fc.assert(
      fc.property(causes, (list) => {
        const parts = causeParts(list);
        const whole = sumOf(list);
        if (whole === 0) {
          expect(parts).toEqual([]);
          return;
        }
        expect(parts.reduce((sum, { permille }) => sum + permille, 0)).toBe(1000);
        expect(parts.map(({ cause }) => cause)).toEqual(rankCauses(list).map(({ cause }) => cause));
        for (const { ns, permille } of parts) {
          expect(permille).toBeGreaterThanOrEqual(1);
          expect(Math.abs(permille - (1000 * ns) / whole)).toBeLessThanOrEqual(ENGINE.length);
        }
      }),
    );
  });

  it("gives what rounding left to those it was taken from", () => {
    const parts = causeParts(["busy", "pinned", "softirq"].map((cause) => ({ cause, ns: 1 })));
    expect(parts.map(({ permille }) => permille)).toEqual([334, 333, 333]);
  });
});

describe("the sum of causes", () => {
  it("is the wait, to the ns, or the page says so", () => {
    fc.assert(
      fc.property(causes, fc.integer({ min: -5, max: 5 }), (list, off) => {
        const problem = sumProblem(list, sumOf(list) + off);
        if (off === 0) expect(problem).toBeNull();
        else
          expect(problem).toMatch(off > 0 ? /^\d ns are not explained\.$/ : /^The causes are \d ns longer/);
      }),
    );
  });
});

/** Linear RGB of `#rrggbb`. */
function linear(hex: string): readonly number[] {
  return [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
}

const times = (matrix: readonly (readonly number[])[], vector: readonly number[]) =>
  matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * (vector[i] ?? 0), 0));

/** How eyes see linear RGB: Machado, Oliveira and Fernandes (2009), severity 1. */
const EYES = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

/** OKLab: distances in it are as large as they look. */
function okLab(rgb: readonly number[]): readonly number[] {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb.map((part) => Math.min(1, Math.max(0, part))),
  );
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones.map(Math.cbrt),
  );
}

/** Two colors that differ by less are taken for one. */
const LEAST_DISTANCE = 0.05;

describe.each([
  ["light", 0],
  ["dark", 1],
] as const)("colors of causes in the %s theme", (_, theme) => {
  it.each(Object.entries(EYES))("can be told from each other: %s", (_, eye) => {
    for (const causes of [CATALOGUE.wait_causes, CATALOGUE.waste_causes]) {
      const seen = causes.flatMap(({ id, color }) => {
        const hex = color.match(/#[0-9a-f]{6}/g)?.[theme];
        return hex ? [{ id, lab: okLab(times(eye, linear(hex))) }] : [];
      });
      expect(seen.length).toBeGreaterThan(2);
      const close = seen.flatMap(({ id, lab }, place) =>
        seen
          .slice(0, place)
          .filter((other) => Math.hypot(...lab.map((part, i) => part - (other.lab[i] ?? 0))) < LEAST_DISTANCE)
          .map((other) => `${other.id} and ${id}`),
      );
      expect(close).toEqual([]);
    }
  });
});
