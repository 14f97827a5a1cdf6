/** The owner's word on where an input belongs in time: shifts as they are typed, and the offsets they make. */

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
};

const SHIFT = /^([+\-−]?)(\d{1,15})(?:\.(\d{1,9}))?\s*(ns|us|µs|μs|ms|s)?$/;

/** `12.5`, `-3 s`, `+250 us` in ns; a number alone counts ms. Null for anything else, and for parts of a ns. */
export function parseShift(text: string): bigint | null {
  const match = SHIFT.exec(text.trim());
  if (!match?.[2]) return null;
  const unit = UNITS[match[4] ?? "ms"] ?? 1n;
  const decimals = match[3] ?? "";
  const scaled = BigInt(match[2] + decimals) * unit;
  const divisor = 10n ** BigInt(decimals.length);
  if (scaled % divisor !== 0n) return null;
  const size = scaled / divisor;
  return match[1] === "" || match[1] === "+" ? size : -size;
}

/** A time of the trace clock in s, as the axis writes it: `36.275`. Null for anything else. */
export function parseSeconds(text: string): bigint | null {
  return /^\s*\d+(\.\d+)?\s*$/.test(text) ? parseShift(`${text} s`) : null;
}

/** ns as signed ms with every digit that is not zero: `+12.5 ms`. */
export function formatShift(ns: bigint): string {
  const size = ns < 0n ? -ns : ns;
  const decimals = (size % 1_000_000n).toString().padStart(6, "0").replace(/0+$/, "");
  const whole = (size / 1_000_000n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return `${ns < 0n ? "−" : "+"}${whole}${decimals === "" ? "" : `.${decimals}`} ms`;
}

/** The offsets to read with when one input gets another; null takes the owner's word back. */
export function offsetsWith(
  offsets: Readonly<Record<string, string>>,
  name: string,
  offset: bigint | null,
): Record<string, string> {
  const others = Object.fromEntries(Object.entries(offsets).filter(([known]) => known !== name));
  return offset === null ? others : { ...others, [name]: offset.toString() };
}
