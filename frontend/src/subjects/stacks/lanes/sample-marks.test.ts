import { expect, it, vi } from "vitest";
import type { LaneCanvas } from "../../../timeline/draw/strips.ts";
import type { LaneBox } from "../../../timeline/lanes.ts";
import type { PanelContext, Place } from "../../../timeline/panel.ts";
import { SampleMarks, type StackMarksSection } from "./index.ts";

const ANSWER: StackMarksSection = {
  available: true,
  from_ns: "1000",
  to_ns: "1999",
  step_ns: 10,
  cpus: [{ cpu: 3, at: [0, 1, 50], samples: [1, 2, 1], pid: [7, 8, 9], function: [0, -1, 0] }],
  functions: ["schedule"],
  label: "observed",
  missing: [],
};

function marks(): SampleMarks {
  const windows = {
    make: (_: string, { prepare }: { prepare: (answer: StackMarksSection) => unknown }) => ({
      tracks: prepare(ANSWER),
      close: () => {},
    }),
  };
  return new SampleMarks({ scene: { origin: 0n }, windows } as unknown as PanelContext);
}

const box = { cpu: 3, y: 0, height: 20 } as LaneBox;
const place = (at: number, y = 18) => ({ box, y, at, perPixel: 1 }) as Place;

it("each sampled step is a tick, those of one pixel one", () => {
  const fillRect = vi.fn();
  const lane = {
    ctx: { fillRect },
    scale: { from: 1000, perNs: 0.05 },
    box: { y: 0, height: 20, width: 50, ratio: 1 },
    ink: { palette: { text: "black" } },
  } as unknown as LaneCanvas;
  marks().draw(lane, 3);
  expect(fillRect.mock.calls.map(([x]) => x)).toEqual([0, 1, 25]);
  fillRect.mockClear();
  marks().draw(lane, 4);
  expect(fillRect).not.toHaveBeenCalled();
});

it("a tick says how many samples it is and what was sampled first", () => {
  const of = (at: number, y?: number) => marks().pick(place(at, y))?.what;
  expect(of(1006)?.title).toBe("1 sample");
  expect(of(1006)?.rows).toContainEqual(["in", "schedule"]);
  expect(of(1015)?.title).toBe("2 samples");
  expect(of(1015)?.rows).toContainEqual(["first sample in", "no stack"]);
  expect(of(1100)).toBeUndefined();
  expect(of(1006, 5)).toBeUndefined();
});
