import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../../lib/catalogue.ts";
import { ledgerInk, ledgerRow, ledgerTitle } from "./ledger.ts";

type Vector = readonly number[];

/** Of linear RGB: normal sight, deuteranopia and protanopia (Machado, Oliveira and Fernandes 2009). */
const SIGHTS: Readonly<Record<string, readonly Vector[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
};

const times = (rows: readonly Vector[], vector: Vector) =>
  rows.map((row) => row.reduce((sum, value, i) => sum + value * (vector[i] ?? 0), 0));

function linear(hex: string): Vector {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

/** OKLab, in which distances are as far as they look. */
function oklab(rgb: Vector): Vector {
  const lms = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb.map((value) => Math.max(0, value)),
  ).map(Math.cbrt);
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    lms,
  );
}

describe("causes of the ledger", () => {
  it("are told apart by their state: an id may be in two", () => {
    expect(ledgerRow("asleep", "disk")?.title).toBe("disk");
    expect(ledgerRow("running", "disk")).toBeNull();
    expect(ledgerTitle("runnable", "not_there_yet")).toBe("not there yet");
  });

  it.each(["light", "dark"] as const)("have colours that every eye tells apart, %s", (theme) => {
    const inks = CATALOGUE.sleep_causes.flatMap(({ id }) => ledgerInk("asleep", id, theme) ?? []);
    expect(inks).toHaveLength(CATALOGUE.sleep_causes.length - 1);
    for (const [sight, rows] of Object.entries(SIGHTS)) {
      const seen = inks.map((ink) => oklab(times(rows, linear(ink))));
      seen.forEach((one, i) => {
        for (const [j, other] of seen.slice(0, i).entries()) {
          const apart = Math.hypot(...one.map((value, axis) => value - (other[axis] ?? 0)));
          expect(
            apart,
            `${sight}: ${CATALOGUE.sleep_causes[i]?.id} and ${CATALOGUE.sleep_causes[j]?.id}`,
          ).toBeGreaterThan(0.07);
        }
      });
    }
  });
});
