import { describe, expect, it } from "vitest";
import type { Annotation, ClingGroup, ClingSection } from "../../../api/types.ts";
import {
  clingTracks,
  Decided,
  Flipped,
  groupName,
  groupSentence,
  holdsAt,
  intervalNear,
  nodeLines,
  partsText,
  rankGroups,
  recordedFlips,
  recordedSpans,
  reproducedText,
  shareText,
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
    scan_periods: null,
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

describe("cling", () => {
  const ORIGIN = 9_007_199_254_740_993n;
  const ns = (rel: number) => String(ORIGIN + BigInt(rel));

  function step(t: number, nid: number, ratio_percent: number, busiest_nid = nid, failure_scaled = 2048) {
    return { t_ns: ns(t), nid, ratio_percent, busiest_nid, failure_scaled, total_scaled: 3000 };
  }

  const GROUP: ClingGroup = {
    number: 3,
    gid: 755,
    cgroup: "/a",
    from_ns: ns(0),
    to_ns: ns(100),
    disabled_ns: null,
    label: "replayed",
    missing: [],
    nodes: [0, 1].map((nid) => ({
      nid,
      attempts: 4,
      failures: 3,
      failure_scaled: 0,
      total_scaled: 0,
      ratio_percent: 0,
    })),
    series: [step(0, 0, 0), step(0, 1, 0), step(10, 0, 50), step(30, 0, 10), step(60, 1, 99)],
    busy: [{ nid: 0, from_ns: ns(10), to_ns: ns(30) }],
    flips: [{ t_ns: ns(10), nid: 0, busy: true, f: 2048, t: 3000, q: 50, busiest_nid: 0, degree: 20 }],
    scan_periods: null,
  };
  const LINES = nodeLines(GROUP, ORIGIN);

  describe("busy nodes", () => {
    it("are the engine's own", () => {
      expect(recordedSpans(GROUP, ORIGIN)).toEqual([{ nid: 0, from: 10, to: 30 }]);
      expect(recordedFlips(GROUP, ORIGIN)).toEqual([{ nid: 0, t: 10, busy: true }]);
    });
  });

  describe("counters at a moment", () => {
    it("hold until the next", () => {
      const [line] = LINES;
      expect(line && [-1, 0, 9, 10, 29, 30, 99].map((t) => holdsAt(line.t, t))).toEqual([
        -1, 0, 0, 1, 1, 2, 2,
      ]);
    });
  });

  describe("words", () => {
    it("name a group by what is known of it", () => {
      expect(groupName(GROUP)).toBe("/a");
      expect(groupName({ ...GROUP, cgroup: null })).toBe("numa group 755");
      expect(groupName({ ...GROUP, cgroup: null, gid: 0 })).toBe("group 3");
    });

    it("say the chart in a sentence", () => {
      expect(groupSentence(GROUP, [{ nid: 1, from: 60, to: 100 }], 50)).toBe(
        "/a, degree 50 %: node 0: 3 of 4 attempts failed, never busy; node 1: 3 of 4 attempts failed, busy once, 40 ns in all.",
      );
      // Nothing is said of busy nodes before the engine has answered.
      expect(groupSentence(GROUP, null, 50)).toBe(
        "/a, degree 50 %: node 0: 3 of 4 attempts failed; node 1: 3 of 4 attempts failed.",
      );
    });

    it("say from where on a what-if is one", () => {
      const groups = [{ group: 1, busy: [], flips: [], parts_ns: null, differing: 2, points: 1900 }];
      expect(partsText({ parts: null, groups })).toMatch(/^No recorded decision/);
      const parts = {
        t_ns: "8865834613",
        site: "elect" as const,
        group: 1,
        pid: 7,
        snid: -1,
        dnid: 0,
        nid: 0,
        f: 1,
        t: 2,
        q: 3,
        busiest_nid: 0,
        fits_busy: true,
        label: "observed" as const,
      };
      expect(partsText({ parts, groups })).toContain(
        "Differs from 8.865 s on: there the choice of a preferred node",
      );
      expect(partsText({ parts, groups })).toContain("2 of 1,900 decisions differ");
      expect(partsText({ parts: { ...parts, site: "later" as never }, groups })).toContain(
        "there later would",
      );
    });

    it("say what was reproduced, and all only when it is all", () => {
      const part = { printed: 1590, reproduced: 1587, shifted: 260, percent: 99.99, missed: [], extra: [] };
      expect(reproducedText({ ...part, missed: [{ reason: "timer_order", count: 3, first_ns: "1" }] })).toBe(
        "1,587 of 1,590 (99.9 %); missed 3: timer at another time",
      );
      expect(
        reproducedText({ ...part, extra: [{ reason: "new_one" as never, count: 1, first_ns: "1" }] }),
      ).toContain("beyond it 1: new_one");
      expect(reproducedText({ ...part, printed: 0, percent: null })).toBe("nothing was printed");
      expect([shareText(100), shareText(99.96), shareText(0)]).toEqual(["100 %", "99.9 %", "0.0 %"]);
    });
  });
});
