// npm test: the gate. Sets up what it needs, then runs the linters, the tests of all three languages and a browser test of every
// user flow. npm run test:all also runs what takes long: every size and theme, live recorders, installing the package.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { engineSize } from "./lib/engine.mjs";
import { cargoEnv, lintStages } from "./lib/linters.mjs";
import { checkBuild } from "./lib/package.mjs";
import { at, venvBin } from "./lib/paths.mjs";
import { makePictures, PICTURES } from "./lib/pictures.mjs";
import { main } from "./lib/run.mjs";
import { ALL, setup } from "./lib/setup.mjs";
import { runStages } from "./lib/stages.mjs";
import { findChromium } from "./lib/tools.mjs";

const { values } = parseArgs({ options: { all: { type: "boolean", default: false } } });

// The same tree gives the same result; with NUMALENS_EXPLORE=1 the properties try new examples.
const seed = process.env.NUMALENS_EXPLORE ? {} : { PROPTEST_RNG_SEED: "20261122" };
/** Environment of the tests of every language: with `all`, those that take long run, too. */
const scope = values.all ? { NUMALENS_TEST: "all" } : {};

/** Test processes at a time: each has servers and folders of its own. */
const workers = Math.min(Math.max(availableParallelism(), 2), 8);
const show = (text) => process.stdout.write(text);

const browserEnv = async () => ({
  ...scope,
  NUMALENS_CHROMIUM: await findChromium(),
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1",
});
const pytest = (...args) => ({ command: venvBin("python"), args: ["-m", "pytest", "-q", ...args], env: scope });

const stages = [
  ...lintStages(),
  {
    name: "cargo test",
    command: "cargo",
    // The gate tests the build that `npm start` makes; the whole suite tests one with overflow checks.
    args: ["test", "--locked", "--workspace", "--no-fail-fast", ...(values.all ? [] : ["--profile", "start"])],
    env: { ...cargoEnv(), ...seed, ...scope },
    lock: "cargo",
    load: workers,
  },
  {
    name: "scripts",
    command: process.execPath,
    args: ["--test", "scripts/tests/lib.test.mjs", "scripts/tests/setup.test.mjs"],
  },
  {
    name: "scenarios",
    ...pytest("-c", at("backend", "pyproject.toml"), "-p", "no:cacheprovider", at("scripts", "tests")),
  },
  {
    name: "pytest",
    // Many tests wait for processes of their own: one more than there are CPUs keeps these busy.
    ...pytest("-n", String(workers + 1), "--dist", "loadfile", "--no-loadscope-reorder", "--durations", "20"),
    cwd: at("backend"),
    load: workers,
  },
  { name: "vitest", command: "npm", args: ["run", "--silent", "-w", "frontend", "test"] },
  {
    name: "browser",
    command: "npm",
    args: ["run", "--silent", "-w", "frontend", "e2e", "--", "--workers", String(workers)],
    env: async () => ({ ...(await browserEnv()), ...(values.all ? { NUMALENS_PICTURES: PICTURES } : {}) }),
    load: workers,
    after: ["pictures"],
  },
];
if (values.all) {
  stages.push(
    { name: "pictures", body: (out) => makePictures(out, workers), load: workers },
    { name: "size of the engine for browsers", body: engineSize },
    { name: "package", body: checkBuild, lock: "cargo", load: 2 },
  );
}

/** Names of the stages that need neither the page nor the engine for browsers. */
const EARLY = /^(rustfmt|clippy|cargo test|ruff|mypy|scripts|imports|dependencies|words|lock|size of samples)/;

await main(async () => {
  show(values.all ? "Everything is tested.\n" : "The gate; npm run test:all tests everything.\n");
  return runStages(
    [
      { name: "setup", body: () => setup(["extras", "tests"]) },
      // The engine for browsers takes one CPU for long: Rust and Python are checked in the meantime.
      { name: "pages", body: () => setup(ALL), after: ["setup"] },
      ...stages.map((stage) => ({
        ...stage,
        after: [...(stage.after ?? []), EARLY.test(stage.name) ? "setup" : "pages"],
      })),
    ],
    // Tests wait as much as they compute: two stages that would fill the machine alone fill it together.
    { room: 2 * workers },
  );
});
