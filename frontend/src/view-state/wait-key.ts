/** Which wait is opened, as the link has it: `wait=<pid>:<cpu>@<from>~<to>`. */

import { type AbsNs, parseNs } from "../lib/time.ts";

export interface WaitKey {
  readonly pid: number;
  /** Where it got its CPU. */
  readonly cpu: number;
  /** Begin and end: no two waits of a task on a CPU have the same. */
  readonly from: AbsNs;
  readonly to: AbsNs;
}

export function encodeWait({ pid, cpu, from, to }: WaitKey): string {
  return `${pid}:${cpu}@${from}~${to}`;
}

export function parseWait(text: string | undefined): WaitKey | null {
  const match = /^(\d{1,10}):(\d{1,6})@(-?\d{1,20})~(-?\d{1,20})$/.exec(text ?? "");
  const [from, to] = [parseNs(match?.[3] ?? ""), parseNs(match?.[4] ?? "")];
  if (!match || from === null || to === null || from >= to) return null;
  return { pid: Number(match[1]), cpu: Number(match[2]), from, to };
}

/** Of a wait as the lists have it; null of one without length, of which there is nothing to tell. */
export function waitKey(wait: {
  readonly pid: number;
  readonly cpu: number;
  readonly waking_ns: string;
  readonly switch_in_ns: string;
}): WaitKey | null {
  return parseWait(`${wait.pid}:${wait.cpu}@${wait.waking_ns}~${wait.switch_in_ns}`);
}

/** Of the wait before a slice; null when none is known. */
export function waitOfSlice(slice: {
  readonly pid: number;
  readonly cpu: number;
  readonly start_ns: string;
  readonly wait_ns?: string | null;
}): WaitKey | null {
  const [to, ns] = [parseNs(slice.start_ns), parseNs(slice.wait_ns ?? "")];
  if (to === null || ns === null || ns <= 0n) return null;
  return { pid: slice.pid, cpu: slice.cpu, from: to - ns, to };
}
