import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Address } from "./address.ts";
import { EMPTY_VIEW } from "./view-state.ts";

const at = (from: bigint) => ({ ...EMPTY_VIEW, window: { from, to: from + 10n } });

function makeAddress(query = "") {
  const log: string[] = [];
  const address = new Address((text) => `/a/x?${text}`, query, {
    pushState: (_data, _unused, url) => log.push(`push ${url}`),
    replaceState: (_data, _unused, url) => log.push(`replace ${url}`),
  });
  return { address, log };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("Address", () => {
  it("rewrites the entry now and then while a window moves", () => {
    const { address, log } = makeAddress();
    for (let i = 0n; i < 20n; i += 1n) address.follow(at(i));
    expect(log).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(log).toEqual(["replace /a/x?v=2&w=19~29"]);
    expect(address.query).toBe("v=2&w=19~29");
  });

  it("makes a step an entry of its own and leaves the last view behind", () => {
    const { address, log } = makeAddress();
    address.follow(at(1n));
    address.step(at(100n));
    expect(log).toEqual(["replace /a/x?v=2&w=1~11", "push /a/x?v=2&w=100~110"]);
  });

  it("pushes nothing when nothing changed", () => {
    const { address, log } = makeAddress("v=2&w=5~15");
    address.step(at(5n));
    expect(log).toEqual([]);
  });

  it("writes nothing after another page has the address", () => {
    const { address, log } = makeAddress();
    address.follow(at(1n));
    address.drop();
    vi.advanceTimersByTime(1000);
    expect(log).toEqual([]);
  });
});
