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
