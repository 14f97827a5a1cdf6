// npm run bench [-- options]: measures decoding, ingest, window queries and the page on large recordings it makes itself, with the
// engine as it is released; one row has the engine of `npm start`.
import fs from "node:fs";
import path from "node:path";
import { cargoEnv } from "./lib/linters.mjs";
import { at, venvBin } from "./lib/paths.mjs";
import { main, must, run } from "./lib/run.mjs";
import { ALL, setup } from "./lib/setup.mjs";
import { findPython } from "./lib/tools.mjs";

const options = process.argv.slice(2);

await main(async () => {
  if (options.some((option) => ["-h", "--help"].includes(option))) {
    const { executable } = await findPython();
    return (await run(executable, [at("scripts", "bench", "options.py"), "--help"])).code;
  }
  await setup(ALL);
  const unbuilt = ["--page-only", "--browser-only", "--crowd-only", "--service-only", "--abuse", "--flight-only"].some(
    (only) => options.includes(only),
  );
  const target = process.env.CARGO_TARGET_DIR ?? at("target");
  const build = ["build", "--release", "--locked", "--quiet"];
  const crates = ["-p", "numalens-native", ...(unbuilt ? [] : ["-p", "numalens-decode"])];
  await must("The engine could not be built.", "cargo", [...build, ...crates], { env: cargoEnv() });
  const released = copyModule(`${target}/release/libnumalens_native.so`);
  const example = [...build, "-p", "numalens-lab", "--example"];
  for (const name of unbuilt ? [] : ["replay_pass", "numa_replays", "idle_balancing_replays"]) {
    await must("The replays could not be built.", "cargo", [...example, name], { env: cargoEnv() });
  }
  const args = ["--cache", at(".bench"), "--decoder", `${target}/release/decode`];
  args.push("--replayer", `${target}/release/examples/replay_pass`);
  args.push("--numa-replayer", `${target}/release/examples/numa_replays`);
  args.push("--ilb-replayer", `${target}/release/examples/idle_balancing_replays`);
  const bench = [at("scripts", "bench", "bench.py"), ...args, ...options];
  const { code } = await run(venvBin("python"), bench, { env: { PYTHONPATH: released } });
  return code;
});

/** Makes a Python package of the engine as it is released; returns the folder to import it from. */
function copyModule(library) {
  const folder = at(".bench", "release");
  const [from, to] = [at("backend", "numalens_native"), path.join(folder, "numalens_native")];
  fs.mkdirSync(to, { recursive: true });
  fs.copyFileSync(path.join(from, "__init__.py"), path.join(to, "__init__.py"));
  fs.copyFileSync(library, path.join(to, "numalens_native.abi3.so"));
  return folder;
}
