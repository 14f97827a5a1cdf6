// npm run bench [-- options]: measures decoding, ingest, window queries and the page on large recordings it makes itself.
import { cargoEnv } from "./lib/linters.mjs";
import { at, venvBin } from "./lib/paths.mjs";
import { main, must, run } from "./lib/run.mjs";
import { setup } from "./lib/steps.mjs";
import { findPython } from "./lib/tools.mjs";

const options = process.argv.slice(2);

await main(async () => {
  if (options.some((option) => ["-h", "--help"].includes(option))) {
    const { executable } = await findPython();
    return (await run(executable, [at("scripts", "bench", "options.py"), "--help"])).code;
  }
  await setup({ dev: true, page: true });
  const unbuilt = ["--page-only", "--browser-only", "--crowd-only", "--service-only", "--abuse", "--flight-only"].some(
    (only) => options.includes(only),
  );
  const target = process.env.CARGO_TARGET_DIR ?? at("target");
  const build = ["build", "--release", "--locked", "--quiet", "-p", "numalens-decode"];
  if (!unbuilt) await must("The decoder could not be built.", "cargo", build, { env: cargoEnv() });
  const example = ["build", "--release", "--locked", "--quiet", "-p", "numalens-analysis", "--example"];
  for (const name of unbuilt ? [] : ["replay_pass", "numa_replays", "idle_balancing_replays"]) {
    await must("The replays could not be built.", "cargo", [...example, name], { env: cargoEnv() });
  }
  const args = ["--cache", at(".bench"), "--decoder", `${target}/release/decode`];
  args.push("--replayer", `${target}/release/examples/replay_pass`);
  args.push("--numa-replayer", `${target}/release/examples/numa_replays`);
  args.push("--ilb-replayer", `${target}/release/examples/idle_balancing_replays`);
  const { code } = await run(venvBin("python"), [at("scripts", "bench", "bench.py"), ...args, ...options]);
  return code;
});
