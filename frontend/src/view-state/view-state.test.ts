import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CLOCKS } from "../lib/clock.ts";
import { NAV_GROUPS, NAV_SORTS } from "../lib/navigator.ts";
import { PANELS } from "../panels/index.ts";
import { AVERAGES } from "../subjects/psi/lanes/pressure.ts";
import { RULES } from "../subjects/psi/lanes/psi-table.ts";
import { isUsual, parseArrangement } from "../timeline/arrangement.ts";
import { cleanMarkName } from "../timeline/marks.ts";
import { isFiltered } from "./finding-filter.ts";
import { DRAWER_VIEWS, drawerTabOf, LATENCY_VIEWS } from "./tab-views.ts";
import {
  CURRENT_VIEW_VERSION,
  EMPTY_VIEW,
  encodeView,
  parseView,
  upgradeParams,
  type ViewState,
} from "./view-state.ts";

const ns = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
/** Nested by making: each pair of shares cuts the range before it. */
const ranges = fc.array(fc.tuple(fc.nat(40), fc.nat(40)), { maxLength: 5 }).map((cuts) => {
  let [from, to] = [1_000_000n, 9_000_000_000n];
  return cuts.map(([left, right]) => {
    const length = to - from;
    [from, to] = [from + (length * BigInt(left)) / 100n, to - (length * BigInt(right)) / 100n];
    return { from, to };
  });
});
const marks = fc
  .uniqueArray(fc.tuple(ns, fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 })), {
    selector: ([at]) => at,
    maxLength: 12,
  })
  .map((pairs) =>
    pairs
      .map(([at, name]) => ({ at, name: cleanMarkName(name) }))
      .filter(({ name }) => name !== "")
      .sort((a, b) => Number(a.at - b.at > 0n) - Number(a.at - b.at < 0n)),
  );
const word = fc
  .string({ minLength: 1, maxLength: 30 })
  .map((text) => text.trim())
  .filter((text) => text !== "");
const found = fc
  .record({
    kind: fc.uniqueArray(word, { maxLength: 3 }),
    node: fc.uniqueArray(fc.nat(64).map(String), { maxLength: 3 }),
    cgroup: fc.uniqueArray(word, { maxLength: 3 }),
    task: fc.uniqueArray(fc.nat(99_999).map(String), { maxLength: 3 }),
  })
  .chain((chips) => fc.option(word).map((text) => ({ chips, text: text ?? "" })))
  .map((filter) => (isFiltered(filter) ? filter : null));
const absWindow = fc
  .tuple(ns, fc.bigInt({ min: 1n, max: 10n ** 15n }))
  .map(([from, length]) => ({ from, to: from + length }));
const view: fc.Arbitrary<ViewState> = fc.record({
  ranges,
  marks,
  found,
  events: fc.option(fc.string({ maxLength: 80 })),
  query: fc.option(fc.string({ minLength: 1, maxLength: 80 }).filter((text) => text.trim() !== "")),
  queryTrack: fc.boolean(),
  queryWindow: fc.oneof(fc.constantFrom(null, "shown" as const), absWindow),
  window: fc.option(absWindow),
  area: fc.option(absWindow),
  open: fc.option(fc.uniqueArray(fc.nat(1023)).map((nodes) => [...nodes].sort((a, b) => a - b))),
  selection: fc.option(fc.record({ cpu: fc.nat(4095), at: ns })),
  panels: fc
    .shuffledSubarray(
      PANELS.map(({ id }) => id),
      { minLength: PANELS.length },
    )
    .chain((ids) =>
      fc.tuple(
        ...ids.map((id) =>
          fc.record({
            id: fc.constant(id),
            hidden: fc.constant(false),
            collapsed: fc.constantFrom(null, true, false),
            factor: fc.integer({ min: 50, max: 400 }).map((percent) => percent / 100),
          }),
        ),
      ),
    )
    .map((panels) => (isUsual(panels, PANELS) ? null : panels)),
  cgroup: fc.option(fc.stringMatching(/^\/[A-Za-z0-9_.:#&=+%/ ~@,-]{0,40}$/)),
  average: fc.constantFrom(null, ...AVERAGES),
  groups: fc.option(fc.uniqueArray(fc.nat(1023)).map((groups) => [...groups].sort((a, b) => a - b))),
  pins: fc.uniqueArray(fc.constantFrom("node:0", "cpu:7", "cling:12", "psi:cpu"), { maxLength: 4 }),
  glyph: fc.option(fc.record({ lane: fc.constantFrom("cling:12", "ilb:kicks", "node:0", "cpu:7"), at: ns })),
  drawer: fc.constantFrom(null, "none" as const, ...DRAWER_VIEWS),
  table: fc.constantFrom(null, "psi", "proc_sched_faults"),
  occurrence: fc.nat(999),
  held: fc.option(absWindow),
  finding: fc.option(
    fc
      .tuple(
        fc.stringMatching(/^[A-Za-z0-9_.:#&=+%/~-]{1,40}$/),
        ns,
        fc.option(fc.integer({ min: 2, max: 99 })),
      )
      .map(([id, from, time]) => `${id}@${from}${time === null ? "" : `.${time}`}`),
  ),
  rules: fc.constantFrom(null, ...RULES),
  waits: fc.constantFrom(null, ...LATENCY_VIEWS),
  wait: fc.option(
    fc
      .tuple(fc.nat(4_194_304), fc.nat(4095), ns, fc.bigInt({ min: 1n, max: 10n ** 12n }))
      .map(([pid, cpu, from, length]) => ({ pid, cpu, from, to: from + length })),
  ),
  step: fc.option(fc.integer({ min: 1000, max: 86_400_000_000_000 })),
  degree: fc.option(fc.nat(100)),
  path: fc.option(fc.record({ pid: fc.nat(4_194_304), at: ns })),
  clock: fc.constantFrom(...CLOCKS),
  navigator: fc.record({
    open: fc.constantFrom(null, true, false),
    by: fc.constantFrom(...NAV_GROUPS),
    sort: fc.constantFrom(...NAV_SORTS),
    whole: fc.boolean(),
    filter: fc.string({ maxLength: 40 }),
  }),
});

const opened = (query: string) => {
  const parsed = parseView(query);
  if (parsed.kind !== "view") throw new Error("the link does not open");
  return parsed.view;
};

describe("the view as a link", () => {
  it("of the first release opens, with all that it says", () => {
    const { links }: { links: string[] } = JSON.parse(
      readFileSync("../samples/fixtures/release-1.0.json", "utf8"),
    );
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) {
      const parts = encodeView(opened(link)).split("&");
      // Later panels add themselves to the arrangement.
      for (const part of link.split("&")) expect(parts.some((each) => each.startsWith(part))).toBe(true);
    }
  });

  it("comes back as it was written", () => {
    fc.assert(
      fc.property(view, (written) => {
        expect(parseView(encodeView(written))).toEqual({ kind: "view", view: written });
      }),
    );
  });

  it("is stable text that a person can read and write", () => {
    const text = encodeView({
      ...EMPTY_VIEW,
      window: { from: 7_338_664_402n, to: 52_118_753_133n },
      open: [1, 0],
      selection: { cpu: 3, at: 23_667_505_692n },
      drawer: "tasks",
    });
    expect(text).toBe("v=2&w=7338664402~52118753133&open=0,1&sel=cpu:3@23667505692&d=tasks");
    expect(encodeView({ ...EMPTY_VIEW, drawer: "samples", table: "psi" })).toBe("v=2&d=samples&st=psi");
    expect(
      encodeView({
        ...EMPTY_VIEW,
        drawer: "findings",
        finding: "PSI_SPIKE_HIDDEN@23667505692",
        rules: "5.7",
        waits: "node",
        step: 5_000_000_000,
      }),
    ).toBe("v=2&d=findings&fi=PSI_SPIKE_HIDDEN@23667505692&rules=5.7&lat=node&step=5000000000");
    expect(encodeView({ ...EMPTY_VIEW, drawer: "cling", degree: 0 })).toBe("v=2&d=cling&deg=0");
  });

  it("has the query in the link, its track, and the very stretch that it was asked of", () => {
    const sql = "SELECT ts, dur\nFROM sched -- 50 % & more\nWHERE cpu = 3;";
    const text = encodeView({
      ...EMPTY_VIEW,
      drawer: "sql",
      query: sql,
      queryTrack: true,
      queryWindow: { from: 7n, to: 52n },
    });
    expect(text).toBe(`v=2&d=sql&q=${encodeURIComponent(sql)}&qt=1&qw=7~52`);
    expect(parseView("v=2&w=1~9&d=sql&q=select+1%3B&qw=1")).toEqual({
      kind: "view",
      view: {
        ...EMPTY_VIEW,
        window: { from: 1n, to: 9n },
        drawer: "sql",
        query: "select 1;",
        queryWindow: "shown",
      },
    });
    // A query that is too long to be shared is left out, and one of blanks is none.
    expect(encodeView({ ...EMPTY_VIEW, query: "µ".repeat(2000) })).toBe("v=2");
    expect(parseView(`v=2&q=%20%0A&qt=2&qw=9~3`)).toEqual({ kind: "view", view: EMPTY_VIEW });
  });

  it("names ranges, marks and what of the findings is listed so that a person can read them", () => {
    const text = encodeView({
      ...EMPTY_VIEW,
      ranges: [
        { from: 10n, to: 9_000n },
        { from: 20n, to: 80n },
      ],
      marks: [{ at: 25n, name: "first stall" }],
      found: { chips: { kind: [], node: ["1"], cgroup: ["/ng_B"], task: [] }, text: "50 %" },
    });
    expect(text).toBe("v=2&in=10~9000,20~80&mk=25:first%2520stall&ff=node:1|cgroup:/ng_B|text:50%2520%2525");
    expect(parseView("v=2&in=10~9000,5~80&mk=x:1~7:a~7:b").kind).toBe("view");
    expect(parseView("v=2&in=10~9000,5~80&mk=x:1~7:a~7:b")).toMatchObject({
      view: { ranges: [{ from: 10n, to: 9_000n }], marks: [{ at: 7n, name: "a" }] },
    });
  });

  it("leaves the drawer to the page unless the link names it", () => {
    expect(opened("").drawer).toBeNull();
    expect(opened("w=1~2").drawer).toBeNull();
    expect(opened("v=2&w=1~2").drawer).toBeNull();
    expect(opened("v=2&d=none").drawer).toBe("none");
  });

  it("survives being escaped by a chat program", () => {
    const text = encodeView({ ...EMPTY_VIEW, window: { from: 1n, to: 2n }, selection: { cpu: 0, at: 1n } });
    const escaped = text.replace(/~/g, "%7E").replace(/:/g, "%3A").replace(/@/g, "%40");
    expect(parseView(escaped)).toEqual(parseView(text));
  });

  it("never throws, whatever stands in the address", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (w, open, sel, fi) => {
        const query = new URLSearchParams({
          v: "2",
          w,
          open,
          sel,
          fi,
          rules: w,
          lat: fi,
          step: open,
          deg: sel,
        }).toString();
        expect(parseView(query).kind).toBe("view");
      }),
    );
  });

  it("ignores what it does not understand, part by part", () => {
    const parsed = parseView(
      "v=2&w=9~3&open=0,x&sel=gpu:1@2&d=cellar&st=Drop%20Table&fi=here&rules=2.6&lat=sum&wait=7:1@9~9&step=1e9&deg=101&future=1",
    );
    expect(parsed).toEqual({ kind: "view", view: EMPTY_VIEW });
    expect(parseView("w=1~2~3")).toEqual({ kind: "view", view: EMPTY_VIEW });
    expect(parseView("")).toEqual({ kind: "view", view: EMPTY_VIEW });
  });

  it("tells an open list that is empty from one that is absent", () => {
    expect(parseView("v=2&open=")).toEqual({ kind: "view", view: { ...EMPTY_VIEW, open: [] } });
  });

  it("refuses to guess at a link of a later version", () => {
    expect(parseView(`v=${CURRENT_VIEW_VERSION + 1}&w=1~2`)).toEqual({
      kind: "newer",
      version: CURRENT_VIEW_VERSION + 1,
    });
  });
});

describe("upgradeParams", () => {
  it("applies each step once and in order", () => {
    const upgraders = new Map([
      [1, (p: ReadonlyMap<string, string>) => new Map(p).set("w", `${p.get("w")}+one`)],
      [3, (p: ReadonlyMap<string, string>) => new Map(p).set("w", `${p.get("w")}+three`)],
    ]);
    expect(upgradeParams(new Map([["w", "a"]]), 1, 4, upgraders).get("w")).toBe("a+one+three");
    expect(upgradeParams(new Map([["w", "a"]]), 3, 4, upgraders).get("w")).toBe("a+three");
    expect(upgradeParams(new Map([["w", "a"]]), 4, 4, upgraders).get("w")).toBe("a");
  });
});

describe("the views of the drawer", () => {
  it.each([
    ["d=latency", "Waits"],
    ["d=nodes", "NUMA"],
    ["d=tasks", "Tasks"],
    ["d=types", "Events & SQL"],
    ["d=samples", "Recording"],
  ])("%s is in the tab %s", (query, title) => {
    const { drawer } = opened(`v=2&${query}`);
    expect(drawer && drawer !== "none" && drawerTabOf(drawer).title).toBe(title);
  });
});

describe("what is no arrangement", () => {
  it("is left out", () => {
    expect(opened("v=2&p=psi,nodes:1.5").panels).toEqual(
      parseArrangement("psi,nodes:1.5,cling,ilb,memory", PANELS),
    );
    expect(opened("v=2&p=").panels).toBeNull();
    expect(opened("v=2&p=weather,<b>").panels).toBeNull();
    expect(opened("v=2&pa=11&pc=ng_A&cg=x&g=cling@")).toEqual(EMPTY_VIEW);
  });
});
