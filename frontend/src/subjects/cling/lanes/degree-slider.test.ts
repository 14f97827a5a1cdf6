import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DegreePreview } from "./degree-slider.tsx";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("DegreePreview", () => {
  it("tells charts at once and the view when it rests", () => {
    const commit = vi.fn();
    const seen: (number | null)[] = [];
    const preview = new DegreePreview(commit);
    const stop = preview.subscribe(() => seen.push(preview.value));
    for (let degree = 20; degree <= 60; degree += 1) {
      preview.move(degree);
      vi.advanceTimersByTime(16);
    }
    expect(seen).toHaveLength(41);
    expect(commit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(250);
    expect(commit.mock.calls).toEqual([[60]]);
    // Until the view has it, it is still what the charts show.
    expect(preview.value).toBe(60);
    preview.settle();
    expect(seen.at(-1)).toBeNull();
    stop();
    preview.move(3);
    expect(seen).toHaveLength(42);
  });

  it("forgets what was not at rest when the view has another degree", () => {
    const commit = vi.fn();
    const preview = new DegreePreview(commit);
    preview.move(70);
    preview.settle();
    vi.advanceTimersByTime(1000);
    expect(commit).not.toHaveBeenCalled();
  });
});
