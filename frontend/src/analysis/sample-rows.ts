/** The first rows of a table of samples, as text, for the page. The rest is left to the download. */

import { CsvReader } from "../lib/csv.ts";

export interface SampleRows {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** There are more rows than were read. */
  readonly more: boolean;
}

type Body = ReadableStream<Uint8Array>;

/** Records as they arrive; ending the iteration ends the request. */
async function* recordsOf(body: Body): AsyncGenerator<string[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const csv = new CsvReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield* csv.push(decoder.decode(value, { stream: true }));
    }
    yield* csv.push(decoder.decode());
    yield* csv.end();
  } finally {
    await reader.cancel();
  }
}

/** Reads an export in CSV until it has `most` rows. */
export async function readSampleRows(body: Body, most: number): Promise<SampleRows> {
  const records: string[][] = [];
  for await (const record of recordsOf(body)) {
    records.push(record);
    if (records.length > most + 1) break;
  }
  const [head = [], ...rows] = records;
  return { head, rows: rows.slice(0, most), more: rows.length > most };
}

/** A sample's own time and the clock it was taken from. */
export interface Stamp {
  readonly clock: string;
  readonly ns: bigint;
}

/** Stamps of a sample, the one that a shift is added to first. */
const STAMPS = ["trace_ns", "mono_ns", "boot_ns", "real_ns"];

/** The own time of the first sample of an input; null when its samples have none. */
export async function firstStamp(body: Body, input: number): Promise<Stamp | null> {
  let head: string[] | null = null;
  for await (const record of recordsOf(body)) {
    if (head === null) {
      head = record;
      continue;
    }
    if (record[head.indexOf("input")] !== String(input)) continue;
    for (const clock of STAMPS) {
      const text = record[head.indexOf(clock)];
      if (text !== undefined && text !== "") return { clock: clock.replace("_ns", ""), ns: BigInt(text) };
    }
    return null;
  }
  return null;
}
