import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Snapshots } from "./snapshots.ts";

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
});
