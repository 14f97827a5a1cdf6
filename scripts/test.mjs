// npm test: setup, linters, the tests of all three languages, and the browser tests. Every stage runs and is reported.
import { availableParallelism } from "node:os";
import { cargoEnv, lintStages } from "./lib/linters.mjs";
import { checkBuild } from "./lib/package.mjs";
import { at, venvBin } from "./lib/paths.mjs";
import { main } from "./lib/run.mjs";
import { runStages } from "./lib/stages.mjs";
import { setup } from "./lib/steps.mjs";
import { findChromium } from "./lib/tools.mjs";

// A gate must say the same of the same tree; with NUMALENS_EXPLORE=1 the properties are tried on new examples.
const seed = process.env.NUMALENS_EXPLORE ? {} : { PROPTEST_RNG_SEED: "20261122" };

/** Processes of tests side by side: each has servers and folders of its own. */
const workers = Math.min(Math.max(availableParallelism(), 2), 8);

const stages = [
  ...lintStages(),
  {
    name: "cargo test",
    command: "cargo",
    args: ["test", "--locked", "--workspace", "--no-fail-fast"],
    env: { ...cargoEnv(), ...seed },
    lock: "cargo",
    load: workers,
  },
  { name: "package", body: checkBuild, lock: "cargo", load: 2 },
  { name: "scripts", command: process.execPath, args: ["--test", "scripts/tests/lib.test.mjs"] },
  {
    name: "scenarios",
    command: venvBin("python"),
    args: [
      "-m",
      "pytest",
      "-q",
      "-c",
      at("backend", "pyproject.toml"),
      "-p",
      "no:cacheprovider",
      at("scripts", "tests"),
    ],
  },
  {
    name: "pytest",
    command: venvBin("python"),
    args: ["-m", "pytest", "-n", String(workers), "--dist", "loadfile", "--no-loadscope-reorder", "--durations", "20"],
    cwd: at("backend"),
    load: workers,
  },
  { name: "vitest", command: "npm", args: ["run", "--silent", "-w", "frontend", "test"] },
  {
    name: "browser",
    command: "npm",
    args: ["run", "--silent", "-w", "frontend", "e2e", "--", "--workers", String(workers)],
    env: async () => ({ NUMALENS_CHROMIUM: await findChromium(), PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" }),
    load: workers,
  },
];

await main(() =>
  // Tests wait as much as they compute: two stages that would fill the machine alone fill it together.
  runStages(
    [{ name: "setup", body: () => setup({ dev: true }) }, ...stages.map((stage) => ({ ...stage, after: ["setup"] }))],
    { room: 2 * workers },
  ),
);
