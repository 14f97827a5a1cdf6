import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const sample = (name: string) =>
  fileURLToPath(new URL(`../../../samples/cling-2x4-heavy/${name}`, import.meta.url));

/** A recording of 8.7 MB: two nodes of four CPUs. */
export const TRACE = sample("trace.dat");
export const TOPOLOGY = sample("lscpu-p.txt");
export const TRACE_BYTES = statSync(TRACE).size;
export const SAMPLE_FOLDER = sample("");
/** Pressure sampled during the recording, with timestamps of its clock. */
export const PRESSURE = sample("psi.jsonl");
/** Small recordings of the same machine and of others. */
export const FIXTURES = fileURLToPath(new URL("../../../samples/fixtures", import.meta.url));
