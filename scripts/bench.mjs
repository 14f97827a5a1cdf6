// npm run bench [-- options]: measures decoding, ingest, window queries and the page on large recordings it makes itself.
import { cargoEnv } from "./lib/linters.mjs";
import { at, venvBin } from "./lib/paths.mjs";
import { main, must, run } from "./lib/run.mjs";
import { setup } from "./lib/steps.mjs";

const options = process.argv.slice(2);

await main(async () => {
  await setup({ dev: true, page: true });
  const pageOnly = options.includes("--page-only") || options.includes("--crowd-only");
  const target = process.env.CARGO_TARGET_DIR ?? at("target");
  const build = ["build", "--release", "--locked", "--quiet", "-p", "numalens-decode"];
  if (!pageOnly) await must("The decoder could not be built.", "cargo", build, { env: cargoEnv() });
  const example = ["build", "--release", "--locked", "--quiet", "-p", "numalens-analysis", "--example"];
  for (const name of pageOnly ? [] : ["replay_pass", "numa_replays", "ilb_replays"]) {
    await must("The replays could not be built.", "cargo", [...example, name], { env: cargoEnv() });
  }
  const args = ["--cache", at(".bench"), "--decoder", `${target}/release/decode`];
  args.push("--replayer", `${target}/release/examples/replay_pass`);
  args.push("--numa-replayer", `${target}/release/examples/numa_replays`);
  args.push("--ilb-replayer", `${target}/release/examples/ilb_replays`);
  const { code } = await run(venvBin("python"), [at("scripts", "bench", "bench.py"), ...args, ...options]);
  return code;
});
