// npm test: setup, linters, the tests of all three languages, and the browser tests. Every stage runs and is reported.
import { cargoEnv, lintStages } from "./lib/linters.mjs";
import { at, venvBin } from "./lib/paths.mjs";
import { main, run } from "./lib/run.mjs";
import { runStages } from "./lib/stages.mjs";
import { setup } from "./lib/steps.mjs";
import { findChromium } from "./lib/tools.mjs";

// A gate must say the same of the same tree; with NUMALENS_EXPLORE=1 the properties are tried on new examples.
const seed = process.env.NUMALENS_EXPLORE ? {} : { PROPTEST_RNG_SEED: "20261122" };

const stages = () => [
  { name: "setup", body: () => setup({ dev: true }) },
  ...lintStages(),
  {
    name: "cargo test",
    command: "cargo",
    args: ["test", "--locked", "--workspace", "--no-fail-fast"],
    env: { ...cargoEnv(), ...seed },
  },
  { name: "scripts", command: process.execPath, args: ["--test", "scripts/tests/lib.test.mjs"] },
  { name: "pytest", command: venvBin("python"), args: ["-m", "pytest"], cwd: at("backend") },
  { name: "vitest", command: "npm", args: ["run", "--silent", "-w", "frontend", "test"] },
  { name: "browser", body: browser },
];

async function browser() {
  const env = { NUMALENS_CHROMIUM: await findChromium(), PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" };
  const { code } = await run("npm", ["run", "--silent", "-w", "frontend", "e2e"], { env });
  return code === 0 ? [] : [`The browser tests ended with status ${code}.`];
}

await main(() => runStages(stages()));
