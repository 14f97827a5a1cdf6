import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chosenOf, fleetQuery, GROUPINGS, PERIODS, parseFleet, QUESTIONS } from "./fleet-state.ts";

describe("a question over all analyses as a link", () => {
  it("says what is asked and of which recordings", () => {
    const answer = parseFleet("ask=metric&metric=flips&by=machine&every=day&days=7&machine=db7&tag=web");
    expect(answer).toMatchObject({ ask: "metric", metric: "flips", by: "machine", every: "day", days: 7 });
    expect(answer).toMatchObject({ machine: "db7", tag: "web", kernel: null, from: null, to: null });
  });

  it("takes nothing that cannot be", () => {
    const usual = parseFleet("");
    expect(
      parseFleet("ask=drop&metric=a%20b&by=comm&every=hour&days=-1&from=2026-02-30&to=yesterday"),
    ).toEqual(usual);
    expect(parseFleet("from=2026-03-02&to=2026-03-01")).toEqual(usual);
    expect(parseFleet("days=7&from=2026-03-01")).toMatchObject({ days: 7, from: null });
    expect(parseFleet("from=0001-01-01&to=9999-12-31")).toEqual(usual);
  });

  it("is the same after being written and read again", () => {
    const day = fc
      .integer({ min: 0, max: 70_000 })
      .map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
    const text = fc.option(fc.string({ minLength: 1, maxLength: 40 }));
    const state = fc.record({
      ask: fc.constantFrom(...QUESTIONS),
      metric: fc.constantFrom("wakeup_p99", "flips"),
      by: fc.constantFrom(...GROUPINGS),
      every: fc.constantFrom(...PERIODS),
      from: fc.option(day),
      machine: text,
      tag: text,
      sql: fc.string({ maxLength: 60 }),
    });
    fc.assert(
      fc.property(state, (some) => {
        const link = fleetQuery({ ...parseFleet(""), ...some });
        expect(fleetQuery(parseFleet(link))).toBe(link);
        expect(parseFleet(link).ask).toBe(some.ask);
        if (some.ask === "sql") expect(parseFleet(link).sql).toBe(some.sql);
        else expect(parseFleet(link).machine).toBe(some.machine);
      }),
    );
  });

  it("asks for moments: the last day counts whole", () => {
    const now = new Date("2026-11-22T12:00:00Z");
    expect(chosenOf(parseFleet("from=2026-11-01&to=2026-11-07"), now)).toEqual({
      from: "2026-11-01",
      to: "2026-11-08T00:00:00.000Z",
    });
    expect(chosenOf(parseFleet("days=7&kernel=6.1"), now)).toEqual({
      from: "2026-11-15T12:00:00.000Z",
      kernel: "6.1",
    });
    expect(chosenOf(parseFleet("ask=upgrade&machine=db7&kernel=6.1"), now)).toEqual({ machine: "db7" });
  });
});
