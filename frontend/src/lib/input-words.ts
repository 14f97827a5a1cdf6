/** Words about an input's alignment and its unreadable parts. */

import { formatBytes, formatCount, formatDuration, plural } from "./format.ts";

export interface AlignmentFacts {
  /** One of those below; a later service may know others. */
  readonly method: string;
  readonly offset_ns?: string | null | undefined;
  readonly uncertainty_ns?: string | null | undefined;
  readonly evidence: string;
}

const METHODS: Readonly<Record<string, string>> = {
  reference: "reference clock",
  "same-clock": "same clock",
  markers: "by markers",
  "clock-pairs": "by clock pairs",
  overlap: "as times overlap",
  user: "shifted by you",
  none: "not placed",
};

/** Explanation of a method, if its evidence alone is not enough. */
const METHOD_SENTENCES: Readonly<Record<string, string>> = {
  markers: "The sampler wrote lines into the trace that relate both clocks.",
  "clock-pairs": "The inputs recorded two clocks at the same moments.",
  overlap: "A guess: nothing recorded relates both clocks.",
  none: "Not drawn until its owner sets an offset.",
};

/** The look of its label: as for other provenance, but an unknown alignment is a warning. */
export function alignmentLook({ method, label }: AlignmentFacts & { readonly label: string }): string {
  return method === "none" ? "unplaced" : label;
}

export function methodWords(method: string): string {
  return METHODS[method] ?? method;
}

export function methodSentence(alignment: AlignmentFacts): string {
  return `${alignment.evidence} ${METHOD_SENTENCES[alignment.method] ?? ""}`.trim();
}

/** `−12.5 ms`; empty where nothing is added or nothing is known. */
export function offsetText({ method, offset_ns }: AlignmentFacts): string {
  if (offset_ns === null || offset_ns === undefined || method === "reference") return "";
  const offset = BigInt(offset_ns);
  return offset === 0n ? "" : formatShift(offset);
}

/** `± 812 µs`; empty for the input that has the clock of all, and for one that is not placed. */
export function uncertaintyText({ method, uncertainty_ns }: AlignmentFacts): string {
  if (method === "none" || method === "reference") return "";
  const ns = BigInt(uncertainty_ns ?? "0");
  // How well another clock was known is not known.
  if (uncertainty_ns === null || uncertainty_ns === undefined || (method === "user" && ns === 0n)) {
    return "± not known";
  }
  return `± ${formatDuration(ns)}`;
}

/** Alignment of samples with the trace's clock, for their drawings; null when exact. */
export function placedSentence(alignment: AlignmentFacts | null | undefined): string | null {
  if (!alignment) return null;
  const exact = uncertaintyText(alignment);
  if (exact === "" || exact === "± 0 ns") return null;
  const words = methodWords(alignment.method);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}, ${exact}.`;
}

export interface SkippedFacts {
  readonly from: number;
  readonly to: number;
  readonly unit: "byte" | "line";
  readonly cpu?: number | null | undefined;
  readonly why: string;
}

/** Position of a left-out part in its file. */
export function skippedPlace({ from, to, unit, cpu }: SkippedFacts): string {
  const where =
    unit === "byte"
      ? `bytes ${formatCount(from)} up to ${formatCount(to)} (${formatBytes(to - from)})`
      : from === to
        ? `line ${formatCount(from)}`
        : `lines ${formatCount(from)} to ${formatCount(to)}`;
  return cpu === null || cpu === undefined ? where : `${where}, CPU ${cpu}`;
}

export interface CountedInput {
  readonly events?: number | null | undefined;
  readonly samples?: number | null | undefined;
}

/** `1,212,501 events`, `180 samples`; empty for what holds neither. */
export function contentText({ events, samples }: CountedInput): string {
  const parts: string[] = [];
  if (events !== null && events !== undefined) parts.push(plural(events, "event"));
  if (samples) parts.push(plural(samples, "sample"));
  return parts.join(", ");
}

/** The owner's offset of an input: shifts as typed, and the resulting offsets. */

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
};

const SHIFT = /^([+\-−]?)(\d{1,15})(?:\.(\d{1,9}))?\s*(ns|us|µs|μs|ms|s)?$/;

/** `12.5`, `-3 s`, `+250 us` in ns; a number alone counts ms. Null for other text, and for parts of a ns. */
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

/** A time of the trace clock in s, as on the axis: `36.275`. Null for other text. */
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

/** The offsets for the next import when one input gets another; null removes the owner's offset. */
export function offsetsWith(
  offsets: Readonly<Record<string, string>>,
  name: string,
  offset: bigint | null,
): Record<string, string> {
  const others = Object.fromEntries(Object.entries(offsets).filter(([known]) => known !== name));
  return offset === null ? others : { ...others, [name]: offset.toString() };
}
