import { describe, expect, it } from "vitest";
import type { TaskSleep } from "../../../api/types.ts";
import { CATALOGUE } from "../../../lib/catalogue.ts";
import { sleepAt, sleepFact, sleepLabel, sleepTrack } from "./sleeps.ts";

const ORIGIN = 1000n;

function sleep(from: number, to: number, change: Partial<TaskSleep> = {}): TaskSleep {
  return {
    ...{ from_ns: String(from), to_ns: String(to), state: "S", cause: "thread", title: "another thread" },
    ...{ resource: null, waker: { pid: 7, comm: "compactor" }, holders: [], provenance: "inferred" },
    ...{ summary: "api (9) slept." },
    ...change,
  };
}

describe("sleeps of a lane", () => {
  const track = sleepTrack([sleep(1100, 1200), sleep(1300, 1500, { cause: "disk" })], ORIGIN);

  it("are found by their time, both edges as intervals have them", () => {
    expect(sleepAt(track, 99)).toBeNull();
    expect(sleepAt(track, 100)?.cause).toBe("thread");
    expect(sleepAt(track, 199.5)?.cause).toBe("thread");
    expect(sleepAt(track, 200)).toBeNull();
    expect(sleepAt(track, 499)?.cause).toBe("disk");
    expect(sleepAt(track, 500)).toBeNull();
    expect(sleepAt(sleepTrack([], ORIGIN), 5)).toBeNull();
  });

  it("name the holder of a lock before the waker, and neither where nothing tells", () => {
    const held = sleep(1000, 2000, { holders: [{ pid: 8, comm: "owner", ns: 900 }] });
    expect(sleepLabel(held)).toBe("1 µs another thread, owner");
    expect(sleepLabel(sleep(1000, 1400))).toBe("400 ns another thread, compactor");
    const timer = sleep(1000, 1400, { title: "timer", waker: { pid: 0, comm: "timer" } });
    expect(sleepLabel(timer)).toBe("400 ns timer");
    expect(sleepLabel(sleep(1000, 1400, { waker: null }))).toBe("400 ns another thread");
  });

  it("say state, cause, resource and waker, with how they are known", () => {
    const { what, fact } = sleepFact(sleep(1100, 1200, { resource: "futex_wait" }), "api 9");
    expect(what.title).toBe("api 9: asleep, another thread");
    expect(what.label).toBe("inferred");
    expect(fact.note).toBe("api (9) slept.");
    expect(fact.rows).toEqual([
      ["duration", "100 ns"],
      ["state", "S"],
      ["cause", "another thread"],
      ["resource", "futex_wait"],
      ["woken by", "compactor (7)"],
    ]);
    const unknown = sleepFact(
      sleep(1, 2, { state: null, waker: null, provenance: "not recorded" }),
      "api 9",
    ).fact;
    expect(unknown.label).toBe("inferred");
    expect(unknown.rows.at(-1)).toEqual(["woken by", "not recorded"]);
    const timer = sleepFact(sleep(1, 2, { waker: { pid: 0, comm: "timer" } }), "api 9").fact;
    expect(timer.rows.at(-1)).toEqual(["woken by", "timer"]);
  });

  it("have causes with different ids and a colour for each theme, but for the unknown one", () => {
    expect(new Set(CATALOGUE.sleep_causes.map(({ id }) => id)).size).toBe(CATALOGUE.sleep_causes.length);
    for (const { id, color } of CATALOGUE.sleep_causes)
      expect(color, id).toMatch(id === "unknown" ? /^var/ : /^light-dark\(#\w{6}, #\w{6}\)$/);
  });
});
