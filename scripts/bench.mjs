// npm run bench [-- options]: measures decoding, ingest and window queries on a large recording it makes itself.
import fs from "node:fs";
import { cargoEnv } from "./lib/linters.mjs";
import { at, venvBin } from "./lib/paths.mjs";
import { main, must, run } from "./lib/run.mjs";
import { setup } from "./lib/steps.mjs";

await main(async () => {
  await setup({ dev: true, page: false });
  const target = process.env.CARGO_TARGET_DIR ?? at("target");
  const decoders = at(".bench", "decoders");
  fs.mkdirSync(decoders, { recursive: true });
  for (const reader of ["trace_dat", "perf_data", "ftrace_text"]) {
    const build = ["build", "--release", "--locked", "--quiet", "--example", "decode"];
    const crate = `numalens-${reader.replace("_", "-")}`;
    await must(`The decoder of ${reader} could not be built.`, "cargo", [...build, "-p", crate], { env: cargoEnv() });
    // All three are called the same: each is put aside before the next one is built.
    fs.copyFileSync(`${target}/release/examples/decode`, `${decoders}/${reader}`);
  }
  const args = ["--cache", at(".bench"), "--decoders", decoders];
  const { code } = await run(venvBin("python"), [
    at("scripts", "bench", "bench.py"),
    ...args,
    ...process.argv.slice(2),
  ]);
  return code;
});
