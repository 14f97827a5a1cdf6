import { describe, expect, it } from "vitest";
import type { ClingGroup } from "../../api/types.ts";
import {
  groupName,
  groupSentence,
  holdsAt,
  nodeLines,
  partsText,
  recordedFlips,
  recordedSpans,
  reproducedText,
  shareText,
} from "./cling-tracks.ts";

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
    expect(line && [-1, 0, 9, 10, 29, 30, 99].map((t) => holdsAt(line.t, t))).toEqual([-1, 0, 0, 1, 1, 2, 2]);
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
    expect(partsText({ parts: { ...parts, site: "later" as never }, groups })).toContain("there later would");
  });

  it("say what was reproduced, and all only when it is all", () => {
    const part = { printed: 1590, reproduced: 1587, shifted: 260, percent: 99.99, missed: [], extra: [] };
    expect(reproducedText({ ...part, missed: [{ reason: "timer_order", count: 3, first_ns: "1" }] })).toBe(
      "1,587 of 1,590 (99.9 %); missed 3: a timer is elsewhere",
    );
    expect(
      reproducedText({ ...part, extra: [{ reason: "new_one" as never, count: 1, first_ns: "1" }] }),
    ).toContain("beyond it 1: new_one");
    expect(reproducedText({ ...part, printed: 0, percent: null })).toBe("nothing was printed");
    expect([shareText(100), shareText(99.96), shareText(0)]).toEqual(["100 %", "99.9 %", "0.0 %"]);
  });
});
