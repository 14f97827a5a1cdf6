import { expect, it } from "vitest";
import {
  frequencyText,
  type HardwareSection,
  hardwareTracks,
  heightOf,
  laneKey,
  rankOf,
  scaleText,
  valueText,
} from "./hardware-tracks.ts";

const ANSWER: HardwareSection = {
  available: true,
  from_ns: "1000",
  to_ns: "1999",
  step_ns: 100,
  lanes: [
    {
      cpu: 1,
      kind: "frequency",
      at: [0, 5],
      steps: [5, 5],
      value: [1_200_000, 2_400_000],
      permille: [1000, 1000],
      ns: 999,
      count: 2,
    },
    { cpu: 0, kind: "idle", at: [2], steps: [1], value: [1], permille: [500], ns: 50, count: 1 },
    { cpu: 0, kind: "irq", at: [3], steps: [1], value: [0], permille: [250], ns: 25, count: 1 },
  ],
  kinds: ["frequency", "idle", "irq"],
  irqs: [{ number: 24, name: "virtio" }],
  lowest_khz: 1_200_000,
  highest_khz: 2_400_000,
  deepest_idle: 3,
  label: "observed",
  missing: [],
};

it("steps become spans of the recording, within the window", () => {
  const { byKey, span } = hardwareTracks(ANSWER, 500n);
  expect(span).toEqual({ from: 500, to: 1499 });
  const track = byKey.get("hw:frequency:1");
  expect([...(track?.t0 ?? [])]).toEqual([500, 1000]);
  expect([...(track?.t1 ?? [])]).toEqual([1000, 1499]);
});

it("heights are of the scale that stands next to the lane", () => {
  const tracks = hardwareTracks(ANSWER, 0n);
  const heights = tracks.tracks.map((track) => heightOf(tracks, track, 0));
  expect(heights).toEqual([0.5, 0.5, 0.25]);
  expect(scaleText(tracks, "frequency")).toBe("2.4 GHz");
  expect(scaleText(tracks, "idle")).toBe("state 3");
});

it("values are said in the kernel's words", () => {
  const tracks = hardwareTracks(ANSWER, 0n);
  expect(valueText(tracks, "irq", 0)).toBe("irq 24 virtio");
  expect(valueText(tracks, "irq", 7)).toBe("irq");
  expect(valueText(tracks, "softirq", 7)).toBe("softirq SCHED");
  expect(valueText(tracks, "idle", 2)).toBe("idle state 2");
  expect(valueText(tracks, "steal", 0)).toBe("not run by the host");
  expect(valueText(tracks, "hardware_noise", 0)).toBe("hardware or firmware");
  expect(valueText(tracks, "timer_latency", 1200)).toBe("timer 1,200 µs late");
  expect([800_000, 1_000_000, 2_450_000].map(frequencyText)).toEqual(["800 MHz", "1 GHz", "2.45 GHz"]);
});

it("lanes are named by what they are of", () => {
  expect(laneKey("hw:softirq:12")).toEqual({ kind: "softirq", cpu: 12 });
  expect(laneKey("hw:timer_latency:3")).toEqual({ kind: "timer_latency", cpu: 3 });
  expect(laneKey("hw:what:1") ?? laneKey("cpu:1")).toBeNull();
  const keys = ["hw:irq:0", "hw:frequency:10", "hw:frequency:9"];
  expect(keys.sort((a, b) => rankOf(a) - rankOf(b))).toEqual([
    "hw:frequency:9",
    "hw:frequency:10",
    "hw:irq:0",
  ]);
});
