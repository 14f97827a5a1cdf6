import { expect, it, vi } from "vitest";
import type { LaneCanvas } from "../../../timeline/draw/strips.ts";
import type { LaneBox } from "../../../timeline/lanes.ts";
import type { PanelContext, Place } from "../../../timeline/panel.ts";
import { MissedMarks } from "./index.ts";

const ROW = {
  t_ns: "1000",
  pid: 7,
  comm: "worker",
  cpu: 3,
  missed_by: "other_node",
  idle_cpu: 5,
  wait_ns: 40,
  label: "inferred",
};
const LISTED = [ROW, { ...ROW, t_ns: "1500", idle_cpu: null, missed_by: null }];

function marks(): MissedMarks {
  const windows = {
    make: (_: string, { prepare }: { prepare: (answer: unknown) => unknown }) => ({
      tracks: prepare({ listed: LISTED }),
    }),
  };
  return new MissedMarks({ scene: { origin: 0n }, windows } as unknown as PanelContext);
}

it("marks the chosen and the idle CPU, each in its colour", () => {
  const drawn: unknown[] = [];
  const ctx = { fillStyle: "", fillRect: vi.fn((x: number) => drawn.push([ctx.fillStyle, x])) };
  const lane = {
    ctx,
    scale: { from: 1000, perNs: 0.05 },
    box: { y: 0, height: 20, width: 50, ratio: 1 },
    ink: { palette: { cost: "red", muted: "grey" } },
  } as unknown as LaneCanvas;
  for (const cpu of [3, 4, 5]) marks().draw(lane, cpu);
  expect(drawn).toEqual([
    ["red", 0],
    ["grey", 0],
  ]);
});

it("says which rule missed the CPU", () => {
  const pick = (cpu: number, at: number, y = 2) =>
    marks().pick({ box: { cpu, y: 0, height: 20 } as LaneBox, y, at, perPixel: 1 } as Place)?.what;
  expect(pick(5, 1003)?.rows).toContainEqual(["missed by", "Other node (W24)"]);
  expect(pick(3, 1000)?.rows).toContainEqual(["idle", "CPU 5"]);
  expect(pick(3, 1500)).toBeUndefined();
  expect(pick(3, 1000, 12)).toBeUndefined();
  expect(pick(4, 1000)).toBeUndefined();
});
