import { lockFiles, samplesSize } from "./checks.mjs";
import { pythonLayers, rustLayers } from "./layers.mjs";
import { licences } from "./licences.mjs";
import { at, venvBin } from "./paths.mjs";
import { codeProblems, commentProblems, documentProblems, formerWords } from "./words.mjs";

/** With one cache and the same options, what several runs of mypy read is parsed once. */
const MYPY = ["--config-file", at("backend", "pyproject.toml"), "--cache-dir", at("backend", ".mypy_cache")];

/** The linters as stages; with `fix`, those that can fix their findings do so. */
export function lintStages({ fix = false } = {}) {
  const npm = (...args) => ({ command: "npm", args: ["run", "--silent", "-w", "frontend", ...args] });
  const backend = { cwd: at("backend") };
  const scripts = { cwd: at("scripts") };
  /** Types of programs outside of the package: files of each folder import each other without it. */
  const programs = (folder, ...files) => ({
    name: `mypy (${folder})`,
    command: venvBin("mypy"),
    args: [...MYPY, ...files],
    env: { MYPYPATH: at("backend") },
    cwd: at("scripts", folder),
    lock: "mypy",
  });
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
    { name: "mypy", command: venvBin("mypy"), args: [], ...backend, lock: "mypy" },
    {
      name: "ruff (scripts)",
      command: venvBin("ruff"),
      args: ["check", ...(fix ? ["--fix"] : []), "."],
      ...scripts,
    },
    {
      name: "ruff format (scripts)",
      command: venvBin("ruff"),
      args: ["format", ...(fix ? [] : ["--check"]), "."],
      ...scripts,
    },
    programs("bench", "."),
    programs("scenarios", ".", "../tests", "../package"),
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
