/** The clock that times are shown by: one choice for everything that the page says. */

import type { AbsNs } from "./time.ts";

/** `recording` counts from the first event, `wall` is UTC. */
export const CLOCKS = ["trace", "recording", "wall"] as const;
export type Clock = (typeof CLOCKS)[number];

export interface Clocks {
  /** First event. */
  readonly origin: AbsNs;
  /** Last event. */
  readonly end: AbsNs;
  /** Ns from a time of the trace clock to the wall clock's; null is not recorded. */
  readonly wallOffset: bigint | null;
}

const NS_PER_S = 1_000_000_000n;
const S_PER_DAY = 86_400n;

let shown: { readonly clock: Clock; readonly shift: bigint } = { clock: "trace", shift: 0n };

/** Shows times by a clock from now on; by the trace clock where that one is not recorded. */
export function showClock(clock: Clock, { origin, wallOffset }: Clocks): void {
  if (clock === "recording") shown = { clock, shift: -origin };
  else if (clock === "wall" && wallOffset !== null) shown = { clock, shift: wallOffset };
  else shown = { clock: "trace", shift: 0n };
}

export function shownClock(): Clock {
  return shown.clock;
}

/** Ns of the shown clock. */
export function toShown(ns: AbsNs): bigint {
  return ns + shown.shift;
}

const TIME = /^(?:(\d{4}-\d\d-\d\d)[t ])?(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?z?$/;
const SECONDS = /^(\d{1,12})(?:\.(\d{1,9}))?(?: ?s)?$/;

/**
 * A time of the recording as typed: `14:03:12.5` and `2026-11-27T14:03:12` of the wall clock (UTC), `21.118` in
 * seconds of the shown clock, otherwise of the other one. Null for invalid times, and for times outside of the
 * recording.
 */
export function parseMoment(typed: string, clocks: Clocks): AbsNs | null {
  const text = typed
    .trim()
    .toLowerCase()
    .replace(/^go to +/, "");
  const places = [...wallTimes(text, clocks), ...secondTimes(text, clocks)];
  return places.find((at) => at >= clocks.origin && at <= clocks.end) ?? null;
}

function* wallTimes(text: string, { origin, wallOffset }: Clocks): Iterable<AbsNs> {
  const match = TIME.exec(text);
  if (!match || wallOffset === null) return;
  const [, date, hours = "", minutes = "", seconds = "0", fraction = ""] = match;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return;
  const ofDay =
    ((BigInt(hours) * 60n + BigInt(minutes)) * 60n + BigInt(seconds)) * NS_PER_S + fractionNs(fraction);
  const day = NS_PER_S * S_PER_DAY;
  if (date !== undefined) {
    const midnight = Date.parse(`${date}T00:00:00Z`);
    if (!Number.isNaN(midnight)) yield BigInt(midnight) * 1_000_000n + ofDay - wallOffset;
    return;
  }
  const began = origin + wallOffset;
  const midnight = began - (began % day);
  // A recording may continue past midnight.
  yield midnight + ofDay - wallOffset;
  yield midnight + day + ofDay - wallOffset;
}

function* secondTimes(text: string, { origin }: Clocks): Iterable<AbsNs> {
  const match = SECONDS.exec(text);
  if (!match) return;
  const ns = BigInt(match[1] ?? "0") * NS_PER_S + fractionNs(match[2] ?? "");
  const places = [ns, origin + ns];
  yield* shown.clock === "recording" ? places.reverse() : places;
}

function fractionNs(digits: string): bigint {
  return BigInt(digits.padEnd(9, "0"));
}
