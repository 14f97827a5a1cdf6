// npm run bench [-- options]: measures decoding, ingest and window queries on a large recording it makes itself.
import fs from "node:fs";
import { cargoEnv } from "./lib/linters.mjs";
import { at, venvBin } from "./lib/paths.mjs";
import { main, must, run } from "./lib/run.mjs";
import { setup } from "./lib/steps.mjs";

/** The crates whose readers are measured, and the program of each that decodes one file and does nothing else. */
const READERS = { "trace-dat": "decode", "perf-data": "decode_perf", "ftrace-text": "decode_text" };

await main(async () => {
  await setup({ dev: true, page: false });
  const target = process.env.CARGO_TARGET_DIR ?? at("target");
  const decoders = at(".bench", "decoders");
  fs.mkdirSync(decoders, { recursive: true });
  for (const [reader, example] of Object.entries(READERS)) {
    const build = ["build", "--release", "--locked", "--quiet", "-p", `numalens-${reader}`, "--example", example];
    await must(`The decoder of ${reader} could not be built.`, "cargo", build, { env: cargoEnv() });
    fs.copyFileSync(`${target}/release/examples/${example}`, `${decoders}/${reader}`);
  }
  const args = ["--cache", at(".bench"), "--decoders", decoders];
  const { code } = await run(venvBin("python"), [
    at("scripts", "bench", "bench.py"),
    ...args,
    ...process.argv.slice(2),
  ]);
  return code;
});
