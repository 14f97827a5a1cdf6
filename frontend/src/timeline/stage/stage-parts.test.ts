import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Snapshots } from "./stage-parts.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("Snapshots", () => {
  it("tells nothing while it moves, whatever else changes, and all of it at rest", () => {
    let taken = 0;
    const snapshots = new Snapshots(() => {
      taken += 1;
      return taken;
    });
    const listener = vi.fn();
    snapshots.subscribe(listener);
    for (let frame = 0; frame < 60; frame += 1) {
      snapshots.moving();
      if (frame % 10 === 0) snapshots.changed();
      vi.advanceTimersByTime(16);
    }
    expect(listener).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    expect(listener).toHaveBeenCalledTimes(1);
    snapshots.changed();
    expect(listener).toHaveBeenCalledTimes(2);
    expect(snapshots.get()).toBe(snapshots.get());
  });

  it("takes no slow frame for a rest", () => {
    let moving = true;
    const listener = vi.fn();
    const rested = vi.fn();
    const snapshots = new Snapshots(
      () => 0,
      () => moving,
    );
    snapshots.subscribe(listener);
    snapshots.onRest = rested;
    snapshots.moving();
    vi.advanceTimersByTime(2000);
    expect(listener).not.toHaveBeenCalled();
    expect(snapshots.held).toBe(true);
    moving = false;
    vi.advanceTimersByTime(200);
    expect(listener).toHaveBeenCalledTimes(1);
    expect(rested).toHaveBeenCalledTimes(1);
    expect(snapshots.held).toBe(false);
    snapshots.publish();
    expect(rested).toHaveBeenCalledTimes(1);
  });

  it("calls a move that a change cuts short settled, and no rest", () => {
    const [settled, rested] = [vi.fn(), vi.fn()];
    const snapshots = new Snapshots(() => 0);
    snapshots.onSettle = settled;
    snapshots.onRest = rested;
    snapshots.moving();
    snapshots.publish();
    expect(settled).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(2000);
    expect(rested).not.toHaveBeenCalled();
    snapshots.moving();
    vi.advanceTimersByTime(200);
    expect(settled).toHaveBeenCalledTimes(2);
    expect(rested).toHaveBeenCalledTimes(1);
  });
});
