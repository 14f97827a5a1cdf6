import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CURRENT_VIEW_VERSION,
  DRAWER_TABS,
  EMPTY_VIEW,
  encodeView,
  parseView,
  upgradeParams,
  type ViewState,
} from "./view-state.ts";

const ns = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const view: fc.Arbitrary<ViewState> = fc.record({
  window: fc.option(
    fc
      .tuple(ns, fc.bigInt({ min: 1n, max: 10n ** 15n }))
      .map(([from, length]) => ({ from, to: from + length })),
  ),
  open: fc.option(fc.uniqueArray(fc.nat(1023)).map((nodes) => [...nodes].sort((a, b) => a - b))),
  selection: fc.option(fc.record({ cpu: fc.nat(4095), at: ns })),
  pressure: fc.constantFrom(null, true, false),
  drawer: fc.constantFrom(null, ...DRAWER_TABS),
  table: fc.constantFrom(null, "psi", "proc_sched_faults"),
});

describe("the view as a link", () => {
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
    expect(text).toBe("v=1&w=7338664402~52118753133&open=0,1&sel=cpu:3@23667505692&d=tasks");
    expect(encodeView({ ...EMPTY_VIEW, pressure: false, drawer: "samples", table: "psi" })).toBe(
      "v=1&psi=0&d=samples&st=psi",
    );
  });

  it("opens links that were made before there were samples", () => {
    expect(parseView("v=1&w=7338664402~52118753133&open=0,1&sel=cpu:3@23667505692&d=tasks")).toEqual({
      kind: "view",
      view: {
        ...EMPTY_VIEW,
        window: { from: 7_338_664_402n, to: 52_118_753_133n },
        open: [0, 1],
        selection: { cpu: 3, at: 23_667_505_692n },
        drawer: "tasks",
      },
    });
  });

  it("survives being escaped by a chat program", () => {
    const text = encodeView({ ...EMPTY_VIEW, window: { from: 1n, to: 2n }, selection: { cpu: 0, at: 1n } });
    const escaped = text.replace(/~/g, "%7E").replace(/:/g, "%3A").replace(/@/g, "%40");
    expect(parseView(escaped)).toEqual(parseView(text));
  });

  it("never throws, whatever stands in the address", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (w, open, sel) => {
        const query = new URLSearchParams({ v: "1", w, open, sel }).toString();
        expect(parseView(query).kind).toBe("view");
      }),
    );
  });

  it("ignores what it does not understand, part by part", () => {
    const parsed = parseView("v=1&w=9~3&open=0,x&psi=maybe&sel=gpu:1@2&d=cellar&st=Drop%20Table&future=1");
    expect(parsed).toEqual({ kind: "view", view: EMPTY_VIEW });
    expect(parseView("w=1~2~3")).toEqual({ kind: "view", view: EMPTY_VIEW });
    expect(parseView("")).toEqual({ kind: "view", view: EMPTY_VIEW });
  });

  it("tells an open list that is empty from one that is absent", () => {
    expect(parseView("v=1&open=")).toEqual({ kind: "view", view: { ...EMPTY_VIEW, open: [] } });
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
