/** Text and number formats of the page. Pure; no locale, so that all users read the same text. */

import { shownClock, toShown } from "./clock.ts";
import type { AbsNs } from "./time.ts";

const NS_PER_S = 1_000_000_000n;

/**
 * Ns in seconds, as `trace-cmd report` prints them: `148.231004512`.
 * @param decimals digits after the point, 0..9; the rest is cut, not rounded, so that ticks never lie ahead.
 */
export function formatSeconds(ns: bigint, decimals = 9): string {
  const negative = ns < 0n;
  const size = negative ? -ns : ns;
  const sign = negative ? "-" : "";
  return sign + (size / NS_PER_S).toString() + fractionOf(size, decimals);
}

function fractionOf(size: bigint, decimals: number): string {
  if (decimals === 0) return "";
  return `.${(size % NS_PER_S).toString().padStart(9, "0").slice(0, decimals)}`;
}

/** A time by the shown clock, without its unit: `148.231004512`, `14:03:12.231004512`. Digits as `formatSeconds` has them. */
export function formatAbs(ns: AbsNs, decimals = 9): string {
  const at = toShown(ns);
  if (shownClock() !== "wall" || at < 0n) return formatSeconds(at, decimals);
  const seconds = (at / NS_PER_S) % 86_400n;
  const parts = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n];
  return parts.map((part) => part.toString().padStart(2, "0")).join(":") + fractionOf(at, decimals);
}

/** The same with its unit: `148.231 s`, `14:03:12.231`. */
export function formatTime(ns: AbsNs, decimals = 9): string {
  return `${formatAbs(ns, decimals)}${timeUnit()}`;
}

/** Unit after a time of the shown clock. */
export function timeUnit(): string {
  return shownClock() === "wall" ? "" : " s";
}

/** Digits grouped by thousands with commas: `1,204,331`. */
export function formatCount(value: number | bigint): string {
  const digits = (typeof value === "number" ? BigInt(Math.round(value)) : value).toString();
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

const UNITS: readonly (readonly [number, string])[] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
];

/** A duration with its natural unit and at most `digits` significant digits: `1.204 ms`, `17 ns`. */
export function formatDuration(ns: number | bigint, digits = 4): string {
  const value = Number(ns);
  const size = Math.abs(value);
  for (const [unit, name] of UNITS) {
    if (size >= unit * 0.9995) return `${trimNumber(value / unit, digits)} ${name}`;
  }
  return `${trimNumber(value, digits)} ns`;
}

/** The exact count of ns, for copying next to the readable form. */
export function formatExactNs(ns: number | bigint): string {
  return `${formatCount(ns)} ns`;
}

/** The readable form followed by the exact one. */
export function bothDurations(ns: number): string {
  return ns < 1000 ? formatExactNs(ns) : `${formatDuration(ns)} (${formatExactNs(ns)})`;
}

function trimNumber(value: number, digits: number): string {
  const whole = Math.max(1, Math.ceil(Math.log10(Math.abs(value) + 1e-12)));
  const text = value.toFixed(Math.max(0, digits - whole));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** 1024-based sizes as `ls -h` counts them, with the unit spelt out: `9.8 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = -1;
  do {
    value /= 1024;
    unit += 1;
  } while (value >= 1024 && unit < units.length - 1);
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit] ?? "TiB"}`;
}

/** A share 0..1 as whole per cent; `<1 %` and `>99 %` keep "none" and "all" honest. */
export function formatShare(share: number): string {
  if (!Number.isFinite(share)) return "–";
  if (share > 0 && share < 0.01) return "<1 %";
  if (share < 1 && share > 0.99) return ">99 %";
  return `${Math.round(share * 100)} %`;
}

/** A pressure with two digits after the point, as the kernel prints its averages: `4.81 %`. */
export function formatPressure(share: number | null): string {
  if (share === null || !Number.isFinite(share)) return "–";
  const text = (share * 100).toFixed(2);
  return share > 0 && text === "0.00" ? "<0.01 %" : `${text} %`;
}

/** CPU numbers as the kernel prints cpulists: `0-3,8`. */
export function formatCpuList(cpus: readonly number[]): string {
  const sorted = [...new Set(cpus)].sort((a, b) => a - b);
  const parts: string[] = [];
  let start = sorted[0];
  let last = start;
  for (const cpu of [...sorted.slice(1), undefined]) {
    if (start === undefined || last === undefined) break;
    if (cpu === last + 1) {
      last = cpu;
      continue;
    }
    parts.push(start === last ? `${start}` : `${start}-${last}`);
    start = cpu;
    last = cpu;
  }
  return parts.join(",");
}

/** `1 event`, `2 events`. */
export function plural(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** A wall-clock stamp for lists, local time, minutes: `2026-03-01 14:07`. Empty for what is not a date. */
export function formatWhen(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  const two = (n: number) => n.toString().padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
