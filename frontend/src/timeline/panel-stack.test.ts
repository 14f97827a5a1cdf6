import { describe, expect, it } from "vitest";
import type { LaneSpec } from "./lanes.ts";
import type { Panel, PanelKind } from "./panel.ts";
import { PanelStack } from "./panel-stack.ts";

const lane = (key: string): LaneSpec => ({
  key,
  kind: "cpu",
  title: key,
  nid: 0,
  cpu: 0,
  min: 20,
  max: 20,
});

/** A panel of as many lanes as fit, the wanted one among the last. */
function stackOf(names: readonly string[]): PanelStack {
  const panel = {
    lanes: [] as readonly LaneSpec[],
    state: { kind: "ready", note: null },
    absent: false,
    onChange: () => {},
    fit(room: number) {
      this.lanes = names.slice(0, Math.max(1, Math.floor(room / 20))).map(lane);
    },
    laneOf: lane,
  };
  const kind = { id: "nodes", title: "nodes", means: "" } as unknown as PanelKind;
  return new PanelStack([{ kind, panel: panel as unknown as Panel }], {
    laidOut: () => {},
    changed: () => {},
  });
}

const seen = (stack: PanelStack) => stack.layout.boxes.map(({ key }) => key);

describe("lanes that fit", () => {
  const names = Array.from({ length: 30 }, (_, i) => `cpu:${i}`);

  it("are the same for a height, in whatever order heights and the wanted lane came", () => {
    const [late, early] = [stackOf(names), stackOf(names)];
    late.height = 400;
    late.height = 200;
    late.fitWith("cpu:12");
    early.fitWith("cpu:12");
    early.height = 400;
    early.height = 200;
    expect(late.pins).toEqual(["cpu:12"]);
    expect(early.pins).toEqual(late.pins);
    expect(seen(early)).toEqual(seen(late));
    // Where there is room again, the lane is among the others.
    early.height = 400;
    expect(early.pins).toEqual([]);
    expect(seen(early)).toContain("cpu:12");
  });

  it("stay where they are once the reader has acted", () => {
    const stack = stackOf(names);
    stack.height = 400;
    stack.fitWith("cpu:1");
    const before = seen(stack);
    stack.settle();
    stack.height = 200;
    expect(seen(stack)).toEqual(before);
  });

  it("leave a pin of the reader alone", () => {
    const stack = stackOf(names);
    stack.pins = ["cpu:29"];
    stack.height = 200;
    stack.fitWith("cpu:29");
    stack.height = 400;
    expect(stack.pins).toEqual(["cpu:29"]);
  });
});
