import { describe, expect, it } from "vitest";
import { placeAfter } from "./one-stop.ts";

describe("keys inside one stop of the Tab key", () => {
  // Two rows of two and one of one.
  const rows = [0, 0, 1, 1, 2];

  it.each([
    ["right", 1, 2],
    ["right", 4, 4],
    ["left", 2, 1],
    ["left", 0, 0],
    ["down", 1, 2],
    ["down", 3, 4],
    ["down", 4, 4],
    ["up", 4, 2],
    ["up", 3, 0],
    ["up", 1, 1],
    ["first", 3, 0],
    ["last", 0, 4],
  ] as const)("%s from %i goes to %i", (way, at, to) => {
    expect(placeAfter(way, at, rows)).toBe(to);
  });
});
