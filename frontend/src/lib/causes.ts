/** Causes in words: those of waits and of idle CPUs next to waiting tasks. */

import { CATALOGUE } from "./catalogue.ts";
import { formatDuration } from "./format.ts";

export interface CauseTime {
  readonly cause: string;
  readonly ns: number;
}

/** Causes of waits in the order in which the engine applies them: the first that applies has the nanosecond. */
const CAUSES = [...CATALOGUE.wait_causes, ...CATALOGUE.waste_causes];

function rowOf(cause: string) {
  return CAUSES.find(({ id }) => id === cause);
}

export function causeTitle(cause: string): string {
  return rowOf(cause)?.title ?? cause.replaceAll("_", " ");
}

export function causeMeaning(cause: string): string {
  const row = rowOf(cause);
  return row
    ? `${row.meaning} Kernel: ${row.kernel}.`
    : "This cause is unknown to the page; the server is newer.";
}

/** A CSS background; one for each cause, the same everywhere. */
export function causeColour(cause: string): string {
  return rowOf(cause)?.color ?? "var(--hatched)";
}

export function sumOf(causes: readonly CauseTime[]): number {
  return causes.reduce((sum, { ns }) => sum + ns, 0);
}

/** Each cause once, with the time of all lists. */
export function addCauses(...lists: readonly (readonly CauseTime[])[]): CauseTime[] {
  const sums = new Map<string, number>();
  for (const { cause, ns } of lists.flat()) sums.set(cause, (sums.get(cause) ?? 0) + ns);
  return [...sums].map(([cause, ns]) => ({ cause, ns }));
}

/** The longest first; of two as long the one that is looked for first. */
export function rankCauses<T extends CauseTime>(causes: readonly T[]): T[] {
  return causes.filter(({ ns }) => ns > 0).sort((a, b) => b.ns - a.ns || place(a) - place(b));
}

function place({ cause }: CauseTime): number {
  const at = CAUSES.findIndex(({ id }) => id === cause);
  return at < 0 ? CAUSES.length : at;
}

/** The cause that took longest, with its share: `all CPUs busy 83 %`. Empty without causes. */
export function mainCause(causes: readonly CauseTime[]): string {
  const [first] = rankCauses(causes);
  if (!first) return "";
  const share = Math.round((100 * first.ns) / sumOf(causes));
  return share === 100 ? causeTitle(first.cause) : `${causeTitle(first.cause)} ${share} %`;
}

export interface CausePart extends CauseTime {
  /** Of the whole, in thousandths; the parts of a bar add up to 1000. */
  readonly permille: number;
}

/**
 * The parts of a bar that is filled to its end. What rounding leaves over goes to the parts that it took most from; a part
 * that is there keeps at least one thousandth, so that it can be seen and pointed at.
 */
export function causeParts(causes: readonly CauseTime[]): CausePart[] {
  const ranked = rankCauses(causes);
  const whole = sumOf(ranked);
  if (whole === 0) return [];
  const parts = ranked.map((cause) => {
    const exact = (1000 * cause.ns) / whole;
    const permille = Math.max(1, Math.floor(exact));
    return { cause: cause.cause, ns: cause.ns, permille, left: exact - permille };
  });
  let rest = 1000 - parts.reduce((sum, { permille }) => sum + permille, 0);
  while (rest !== 0) {
    const step = Math.sign(rest);
    const able = parts.filter(({ permille }) => step > 0 || permille > 1);
    const most = able.reduce((best, part) => (step * part.left > step * best.left ? part : best));
    most.permille += step;
    most.left -= step;
    rest -= step;
  }
  return parts.map(({ cause, ns, permille }) => ({ cause, ns, permille }));
}

/**
 * Difference between causes and the time they explain, in words; null if there is none. It would be a defect of
 * the engine, and then the page reports it instead of drawing a full bar.
 */
export function sumProblem(causes: readonly CauseTime[], whole: number): string | null {
  const left = whole - sumOf(causes);
  if (left === 0) return null;
  const amount = formatDuration(Math.abs(left));
  return left > 0 ? `${amount} are not explained.` : `The causes are ${amount} longer than the wait.`;
}
