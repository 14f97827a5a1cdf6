import { describe, expect, it } from "vitest";
import { ilb } from "../../../../test-support/ilb.ts";
import type { IlbEvent, IlbSection } from "../../../api/types.ts";
import { arrowOf, Fates, ilbTracks, kickFact } from "./ilb-tracks.ts";

const ORIGIN = 1_000n;
const SPAN = { from: 0, to: 10_000 };

const kick = (t: number, change: Partial<IlbEvent> = {}): IlbEvent => ({
  t_ns: String(1_000 + t),
  kind: "kick_sent",
  cpu: 3,
  target: 0,
  label: "replayed",
  fate: "handled",
  arrived_ns: String(1_000 + t + 50),
  handled_ns: String(1_000 + t + 70),
  flags: 3,
  why: null,
  jiffies: null,
  served: null,
  migrations: null,
  ...change,
});

function section(events: readonly IlbEvent[], change: Partial<IlbSection> = {}): IlbSection {
  return {
    ...ilb(),
    from_ns: "1000",
    to_ns: "11000",
    events: [...events],
    events_all: events.length,
    idle_mask: [
      {
        cpu: 0,
        spans: [
          ["1000", "1400"],
          ["2000", "2600"],
        ],
      },
    ],
    ...change,
  };
}

const CPUS = [2, 3, 0, 1];

describe("ilbTracks", () => {
  it("makes an arrow of a kick, from the kicker's row to the target's", () => {
    const tracks = ilbTracks(section([kick(500)]), CPUS, ORIGIN, SPAN);
    const arrow = arrowOf(
      tracks.kicks,
      0,
      (t) => t / 10,
      (row) => row * 5,
    );
    expect(arrow).toEqual({ x0: 50, y0: 5, x1: 55, y1: 10 });
  });

  it("draws none where a CPU is not known, and one without length where the arrival is not", () => {
    const events = [
      kick(100, { cpu: null }),
      kick(200, { arrived_ns: null, handled_ns: null, fate: "not_seen" }),
      kick(300, { target: 99 }),
    ];
    const { kicks } = ilbTracks(section(events), CPUS, ORIGIN, SPAN);
    const arrows = [0, 1, 2].map((i) =>
      arrowOf(
        kicks,
        i,
        (t) => t,
        (row) => row,
      ),
    );
    expect(arrows[0]).toBeNull();
    expect(arrows[1]).toEqual({ x0: 200, y0: 1, x1: 200, y1: 2 });
    expect(arrows[2]).toBeNull();
  });

  it("keeps lost kicks apart from those that were served, in order", () => {
    const events = [
      kick(900, { fate: "dropped" }),
      kick(100),
      kick(500, { fate: "aborted" }),
      kick(700, { fate: "latched" }),
      kick(800, { kind: "stale_next_balance", jiffies: 12 }),
      kick(850, { kind: "pass" }),
    ];
    const tracks = ilbTracks(section(events), CPUS, ORIGIN, SPAN);
    expect([...tracks.lost.glyphs.t]).toEqual([500, 900]);
    expect([...tracks.lost.glyphs.kind]).toEqual([Fates.aborted, Fates.dropped]);
    expect(tracks.lostEvent(1)?.t_ns).toBe("1900");
    expect(tracks.kicks.t[tracks.lostKick(1)]).toBe(900);
    expect([...tracks.served.glyphs.t]).toEqual([100, 700]);
    expect(tracks.servedEvent(1)?.fate).toBe("latched");
    expect([...tracks.stale.glyphs.t]).toEqual([800]);
    expect(tracks.staleEvent(0)?.jiffies).toBe(12);
  });

  it("has a row for every CPU, also for one that was never in the mask", () => {
    const { rows } = ilbTracks(section([]), CPUS, ORIGIN, SPAN);
    expect(rows.map(({ cpu }) => cpu)).toEqual(CPUS);
    expect([...(rows[2]?.from ?? [])]).toEqual([0, 1000]);
    expect([...(rows[2]?.to ?? [])]).toEqual([400, 1600]);
    expect(rows[0]?.from.length).toBe(0);
  });

  it("is empty where nothing happened and nobody was in the mask", () => {
    const emptyOf = (events: readonly IlbEvent[], change: Partial<IlbSection>) =>
      ilbTracks(section(events, change), CPUS, ORIGIN, SPAN).empty;
    const nobody = { idle_mask: [{ cpu: 0, spans: [] }] };
    expect(emptyOf([], nobody)).toBe(true);
    expect(emptyOf([], {})).toBe(false);
    expect(emptyOf([kick(100)], nobody)).toBe(false);
    expect(emptyOf([], { ...nobody, events_all: 9 })).toBe(false);
  });

  it("tells how many events are not listed, and up to where they are", () => {
    const tracks = ilbTracks(section([kick(100), kick(400)], { events_all: 9 }), CPUS, ORIGIN, SPAN);
    expect(tracks.more).toBe(7);
    expect(tracks.listedTo).toBe(400);
    expect(ilbTracks(section([kick(100)]), CPUS, ORIGIN, SPAN)).toMatchObject({ more: 0, listedTo: 10_000 });
  });
});

describe("kickFact", () => {
  it("says who kicked whom, how it ended, and where in the kernel", () => {
    const { what, fact } = kickFact(
      kick(500, { fate: "dropped", handled_ns: null, why: "nr_running", flags: 3 }),
    );
    expect(what.title).toBe("kick dropped");
    expect(fact.rows).toContainEqual(["kicker", "CPU 3"]);
    expect(fact.rows).toContainEqual(["target", "CPU 0"]);
    expect(fact.rows).toContainEqual(["arrived", "0.000001550 s, 50 ns later"]);
    expect(fact.rows).toContainEqual(["because of", "nr_running"]);
    expect(fact.rows).toContainEqual(["flags", "0x3"]);
    expect(fact.fn).toContain("nohz_csd_func");
    expect(fact.note).toContain("no softirq was raised");
  });
});
