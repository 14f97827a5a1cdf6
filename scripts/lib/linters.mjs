import { lockFiles, samplesSize } from "./checks.mjs";
import { pythonLayers, rustLayers } from "./layers.mjs";
import { licences } from "./licences.mjs";
import { at, venvBin } from "./paths.mjs";
import { codeProblems, commentProblems, documentProblems, formerWords } from "./words.mjs";

/** The linters as stages; with `fix`, those that can fix their findings do so. */
export function lintStages({ fix = false } = {}) {
  const npm = (...args) => ({ command: "npm", args: ["run", "--silent", "-w", "frontend", ...args] });
  const backend = { cwd: at("backend") };
  const bench = { cwd: at("scripts", "bench"), env: { MYPYPATH: at("backend") } };
  const scenarios = { cwd: at("scripts", "scenarios"), env: { MYPYPATH: at("backend") } };
  return [
    { name: "rustfmt", command: "cargo", args: ["fmt", "--all", ...(fix ? [] : ["--check"])] },
    {
      name: "clippy",
      command: "cargo",
      args: [
        // With the profile of the tests, macros and build scripts are compiled once.
        ...["clippy", "--locked", "--workspace", "--all-targets", "--profile", "start"],
        ...(fix ? ["--fix", "--allow-dirty", "--allow-staged"] : []),
        ...["--", "-D", "warnings"],
      ],
      env: cargoEnv(),
      lock: "cargo",
      load: 2,
    },
    { name: "ruff", command: venvBin("ruff"), args: ["check", ...(fix ? ["--fix"] : []), "."], ...backend },
    { name: "ruff format", command: venvBin("ruff"), args: ["format", ...(fix ? [] : ["--check"]), "."], ...backend },
    { name: "mypy", command: venvBin("mypy"), args: [], ...backend },
    { name: "ruff (bench)", command: venvBin("ruff"), args: ["check", ...(fix ? ["--fix"] : []), "."], ...bench },
    {
      name: "ruff format (bench)",
      command: venvBin("ruff"),
      args: ["format", ...(fix ? [] : ["--check"]), "."],
      ...bench,
    },
    { name: "mypy (bench)", command: venvBin("mypy"), args: ["--strict", "--warn-unreachable", "."], ...bench },
    {
      name: "ruff (scenarios)",
      command: venvBin("ruff"),
      args: ["check", ...(fix ? ["--fix"] : []), ".", "../lab", "../tests", "../package"],
      ...scenarios,
    },
    {
      name: "ruff format (scenarios)",
      command: venvBin("ruff"),
      args: ["format", ...(fix ? [] : ["--check"]), ".", "../lab", "../tests", "../package"],
      ...scenarios,
    },
    {
      name: "mypy (scenarios)",
      command: venvBin("mypy"),
      args: ["--strict", "--warn-unreachable", "--follow-imports=silent", ".", "../tests", "../package"],
      ...scenarios,
    },
    ...(fix ? [{ name: "biome, fixing", ...npm("format") }] : []),
    { name: "biome and tsc", ...npm("lint") },
    {
      name: "biome (scripts)",
      command: at("node_modules", ".bin", "biome"),
      args: fix ? ["check", "--write", "."] : ["ci", "."],
      cwd: at("scripts"),
    },
    { name: "imports of Python packages", body: pythonLayers },
    { name: "dependencies of crates", body: rustLayers },
    { name: "words in names", body: formerWords },
    { name: "words in documents", body: documentProblems },
    { name: "words in code", body: codeProblems },
    { name: "words in comments", body: commentProblems },
    { name: "lock files", body: lockFiles },
    { name: "licences of dependencies", body: licences },
    { name: "size of samples", body: samplesSize },
  ];
}

/** The binding asks the interpreter for its version while it compiles: it must be the environment's own. */
export function cargoEnv() {
  // What makes the next build quicker is gigabytes that a build server never uses.
  const once = process.env.CI ? { CARGO_INCREMENTAL: "0" } : {};
  return { PYO3_PYTHON: venvBin("python"), CARGO_TERM_PROGRESS_WHEN: "never", ...once };
}
