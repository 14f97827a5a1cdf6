import { describe, expect, it } from "vitest";
import { Motion } from "./viewport-controller.ts";

const BOUNDS = { from: 0, to: 1e9 };

describe("Motion", () => {
  it("glides to its target and then rests there", () => {
    const motion = new Motion();
    const target = { from: 100, to: 300 };
    motion.glide({ from: 0, to: 1000 }, target, 0);
    expect(motion.active).toBe(true);
    const half = motion.step({ from: 0, to: 1000 }, 60, 0, BOUNDS);
    expect(half.to - half.from).toBeLessThan(1000);
    expect(half.to - half.from).toBeGreaterThan(200);
    expect(motion.step(half, 500, 0, BOUNDS)).toEqual(target);
    expect(motion.active).toBe(false);
  });

  it("moves as long as a key is held, by time and not by frames", () => {
    const motion = new Motion();
    motion.press("pan-right", 0);
    let slow = { from: 1e8, to: 2e8 };
    for (let now = 40; now <= 400; now += 40) slow = motion.step(slow, now, 0, BOUNDS);
    const other = new Motion();
    other.press("pan-right", 0);
    let fast = { from: 1e8, to: 2e8 };
    for (let now = 8; now <= 400; now += 8) fast = other.step(fast, now, 0, BOUNDS);
    expect(slow.from).toBeCloseTo(fast.from, 0);
    expect(slow.from).toBeGreaterThan(1e8);
    expect(motion.release("pan-right")).toBe(true);
    expect(motion.active).toBe(false);
  });

  it("zooms about the anchor", () => {
    const motion = new Motion();
    motion.press("zoom-in", 0);
    const view = motion.step({ from: 0, to: 1000 }, 50, 250, BOUNDS);
    expect((250 - view.from) / (view.to - view.from)).toBeCloseTo(0.25, 6);
  });

  it("tells the last release from the others", () => {
    const motion = new Motion();
    motion.press("pan-left", 0);
    motion.press("zoom-in", 0);
    expect(motion.release("pan-left")).toBe(false);
    expect(motion.release("zoom-in")).toBe(true);
    expect(motion.releaseAll()).toBe(false);
  });
});
