import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { FIXTURES, SAMPLE_FOLDER } from "./recording.ts";

const run = promisify(execFile);
const BACKEND = fileURLToPath(new URL("../../../backend", import.meta.url));
const BIN = fileURLToPath(new URL("../../../.venv/bin", import.meta.url));
const RECORDINGS: readonly (readonly string[])[] = [
  [SAMPLE_FOLDER],
  [join(FIXTURES, "cling-2x4-small.v7-zstd.dat"), join(SAMPLE_FOLDER, "lscpu-p.txt")],
  [join(FIXTURES, "tc-small.v7-zstd.dat")],
];

/** Fills a data folder with `count` analyses, whose summaries are derived from real recordings. */
export async function fillFleet(data: string, count: number): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "numalens-fleet-"));
  const python = (...args: string[]) => run(join(BIN, "python"), args, { cwd: BACKEND });
  try {
    const summaries: string[] = [];
    for (const [place, files] of RECORDINGS.entries()) {
      const bundle = join(scratch, String(place));
      await run(join(BIN, "numalens"), ["analyze", ...files, "-o", bundle]);
      await python("-m", "numalens.fleet.make", bundle);
      summaries.push(join(bundle, "summary-1.parquet"));
    }
    await python("-m", "tests.made_fleet", data, ...summaries, "--server", "--count", String(count));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
