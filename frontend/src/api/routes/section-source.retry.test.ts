import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RETRY_MS, Retry } from "./section-source.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("waits, does it once, and waits no more", () => {
  const retry = new Retry();
  const again = vi.fn(() => expect(retry.waiting).toBe(false));
  retry.start(again);
  vi.advanceTimersByTime(RETRY_MS - 1);
  expect([again.mock.calls.length, retry.waiting]).toEqual([0, true]);
  vi.advanceTimersByTime(RETRY_MS);
  expect([again.mock.calls.length, retry.waiting]).toEqual([1, false]);
});

it("gives up when it is stopped, and when it is begun anew", () => {
  const retry = new Retry();
  const [first, second] = [vi.fn(), vi.fn()];
  retry.start(first);
  retry.start(second);
  vi.advanceTimersByTime(RETRY_MS);
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1]);
  retry.start(first);
  retry.stop();
  vi.advanceTimersByTime(RETRY_MS);
  expect(first).not.toHaveBeenCalled();
});
