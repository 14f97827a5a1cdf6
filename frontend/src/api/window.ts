/** Stretches of time as requests carry them. */

/** A interval of absolute ns, to behind its end. */
export interface TimeWindow {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * ns as a query parameter. The document calls it an integer, which TypeScript knows only as a float64;
 * the digits go out as text, so that times beyond 2^53 keep every ns. Clocks do not run below zero.
 */
export function nsParam(ns: bigint): number {
  return (ns < 0n ? 0n : ns).toString() as unknown as number;
}

export function windowParams(window: TimeWindow | null): { from_ns?: number; to_ns?: number } {
  return window === null ? {} : { from_ns: nsParam(window.from), to_ns: nsParam(window.to) };
}

/** The same for an address that is written by hand; empty without a window. */
export function windowText(window: TimeWindow | null): string {
  return window === null ? "" : `from_ns=${nsParam(window.from)}&to_ns=${nsParam(window.to)}`;
}
