import { describe, expect, it } from "vitest";
import type { Annotation, ClingGroup, ClingSection } from "../../api/types.ts";
import {
  clingTracks,
  Decided,
  Flipped,
  holdsAt,
  intervalNear,
  rankGroups,
  shownGroups,
} from "./cling-tracks.ts";
import { decisionFact, flipFact } from "./decision-facts.ts";

const ORIGIN = 1_000n;
const SPAN = { from: 0, to: 10_000 };
const ns = (t: number) => String(1_000 + t);

const step = (t: number, nid: number, ratio: number): ClingGroup["series"][number] => ({
  t_ns: ns(t),
  nid,
  ratio_percent: ratio,
  failure_scaled: ratio * 10,
  total_scaled: 1_024,
  busiest_nid: 0,
});

const flip = (t: number, busy: boolean): ClingGroup["flips"][number] => ({
  t_ns: ns(t),
  nid: 0,
  busy,
  f: 1_536,
  t: 1_536,
  q: 99,
  busiest_nid: 0,
  degree: 20,
});

function group(number: number, attempts: number, change: Partial<ClingGroup> = {}): ClingGroup {
  return {
    number,
    gid: 700 + number,
    cgroup: `/ng_${number}`,
    label: "replayed",
    missing: [],
    from_ns: ns(0),
    to_ns: ns(9_000),
    disabled_ns: null,
    nodes: [0, 1].map((nid) => ({
      nid,
      attempts,
      failures: 1,
      failure_scaled: 0,
      total_scaled: 0,
      ratio_percent: 0,
    })),
    series: [step(0, 0, 0), step(0, 1, 0), step(500, 0, 99), step(800, 1, 40)],
    busy: [
      { nid: 0, from_ns: ns(500), to_ns: ns(700) },
      { nid: 1, from_ns: ns(900), to_ns: ns(950) },
    ],
    flips: [flip(500, true), flip(700, false)],
    ...change,
  };
}

const note = (t: number, outcome: Annotation["outcome"], number = 1): Annotation => ({
  t_ns: ns(t),
  kind: "load_balance",
  outcome,
  group: number,
  pid: 758,
  snid: 0,
  dnid: 1,
  by: { nid: 0, f: 0, t: 512, q: 0, busiest_nid: 1, degree: 20 },
  function: "migrate_degrades_locality",
  label: "observed",
  missing: [],
  after_parting: false,
});

function section(change: Partial<ClingSection> = {}): ClingSection {
  return {
    available: true,
    from_ns: ns(0),
    to_ns: ns(10_000),
    known_by: "lines",
    degree: 20,
    degrees: [],
    timer_period_ns: 204_000_000,
    groups: [group(1, 10), group(2, 40)],
    decisions: [note(600, "clings"), note(650, "released"), note(900, "clings", 2)],
    decisions_more: 0,
    annotations: [],
    annotations_more: 0,
    what_if: null,
    ...change,
  } as ClingSection;
}

describe("clingTracks", () => {
  it("makes columns of each node's counters, and holds them until the next", () => {
    const tracks = clingTracks(section(), ORIGIN, SPAN);
    const own = tracks.groups.find(({ number }) => number === 1);
    const [first] = own?.nodes ?? [];
    expect([...(first?.t ?? [])]).toEqual([0, 500]);
    expect([...(first?.ratio ?? [])]).toEqual([0, 99]);
    const t = first?.t ?? new Float64Array(0);
    expect([-1, 0, 499, 500, 9e9].map((at) => holdsAt(t, at))).toEqual([-1, 0, 0, 1, 1]);
  });

  it("gives each group its own decisions and flips, by what they are", () => {
    const tracks = clingTracks(section(), ORIGIN, SPAN);
    const own = tracks.groups.find(({ number }) => number === 1);
    expect([...(own?.decisions.glyphs.kind ?? [])]).toEqual([Decided.Clings, Decided.Released]);
    expect(own?.decision(1)?.outcome).toBe("released");
    expect([...(own?.flips.glyphs.kind ?? [])]).toEqual([Flipped.Busy, Flipped.NotBusy]);
  });

  it("finds the busy stretch of a moment, or one that is near", () => {
    const [busy] = clingTracks(section(), ORIGIN, SPAN).groups[1]?.busy ?? [];
    if (!busy) throw new Error("no busy stretches were made");
    expect([450, 600, 720].map((at) => intervalNear(busy, at, 0))).toEqual([-1, 0, -1]);
    expect([480, 720].map((at) => intervalNear(busy, at, 25))).toEqual([0, 0]);
  });

  it("ranks by attempts, and keeps the order when another window ranks otherwise", () => {
    const first = clingTracks(section(), ORIGIN, SPAN);
    const ranking = rankGroups([], first);
    expect(ranking).toEqual([2, 1]);
    const later = clingTracks(section({ groups: [group(1, 90), group(2, 3), group(3, 50)] }), ORIGIN, SPAN);
    expect(rankGroups(ranking, later)).toEqual([2, 1, 3]);
    expect(shownGroups(later, [2, 1, 3], null).map(({ number }) => number)).toEqual([2, 1, 3]);
    expect(shownGroups(later, [2, 1, 3], [3, 9]).map(({ number }) => number)).toEqual([3]);
    expect(shownGroups(null, [2, 1, 3], null)).toEqual([]);
  });

  it("says up to where decisions are listed", () => {
    expect(clingTracks(section(), ORIGIN, SPAN).listedTo).toBe(10_000);
    expect(clingTracks(section({ decisions_more: 4 }), ORIGIN, SPAN)).toMatchObject({
      more: 4,
      listedTo: 900,
    });
  });
});

describe("facts", () => {
  it("of a flip tell the numbers, the rule and the kernel's function", () => {
    const { fact, what } = flipFact(flip(500, true), "/ng_1", "replayed", []);
    expect(what.title).toBe("node 0 becomes busy");
    expect(fact.at).toBe(1_500n);
    expect(fact.fn).toBe("busy_node");
    expect(fact.note).toContain("99 % against a degree of 20 %");
    expect(flipFact(flip(700, false), "/ng_1", "inferred", ["lost_events"]).fact.note).toContain(
      "Lacks the lost events.",
    );
  });

  it("of a decision tell who, from where to where, and what decided", () => {
    const { fact } = decisionFact(note(600, "clings"), "/ng_1", () => "ng_A");
    expect(fact.title).toBe("load balance: clings");
    expect(fact.rows).toContainEqual(["task", "ng_A 758"]);
    expect(fact.rows).toContainEqual(["node", "0 → 1"]);
    expect(fact.fn).toBe("migrate_degrades_locality");
  });
});
