import fs from "node:fs";
import path from "node:path";
import { at } from "./paths.mjs";
import { filesBelow } from "./stamp.mjs";

/** The packages of the service, from the top down: each imports only from those below it. */
const LAYERS = [
  ...["analysis", "cli", "api", "mcp", "jobs", "fleet", "report", "perfetto", "store", "auth", "flight", "recorder"],
  ...["settings", "sandbox", "logs", "hosts", "extras", "folders", "errors", "text"],
];
const IMPORT = /^\s*(?:from numalens\.([\w.]+) import|from numalens import ([\w, ]+)|import numalens\.([\w.]+))/gm;

/** Packages that the service works without, each with the modules that need it. Others import none of them when they are loaded. */
const OPTIONAL = [
  ["fleet", "api.fleet", "cli.fleet"],
  ["perfetto", "api.sql", "api.perfetto_ui", "cli.query", "jobs.trace_processor_dump"],
  ["mcp", "api.mcp", "cli.mcp", "cli.shelf"],
  ["flight", "cli.snap"],
  // Sign-in and clusters of the extra team.
  ["auth.issuer", "jobs.cluster", "jobs.cluster_task", "cli.worker"],
];

/** The crates from the bottom up: each depends only on those before it, or in its own row. */
const CRATES = [
  ["columns", "event_format"],
  [
    "trace_dat",
    "perf_data",
    "requests",
    "ftrace_text",
    "perfetto_rows",
    "perfetto_packets",
    "samples",
    "topology",
    "archive",
    "elf",
  ],
  ["formats"],
  ["core"],
  ["events"],
  ["replay"],
  ["bundle"],
  ["subject"],
  ["machine"],
  // The subjects that read the machine's.
  fs.readdirSync(at("backend", "engine", "subjects")).filter((name) => name !== "machine"),
  ["engine"],
  ["export"],
  ["folder"],
  ["native"],
  ["browser"],
];
/** Crates in which files have paths: not below, and not in a browser. */
const OF_MACHINES = ["folder", "native"];
const WITHOUT_PATHS = CRATES.flat().filter((name) => !OF_MACHINES.includes(name));
/** Uses of a path, a thread or a clock. */
const OF_A_MACHINE = /\bstd::(?:fs|path|thread|time|net|process|env|os)\b|\b(?:memmap2|libc|rayon)::/g;

/** Problems of the crates' dependencies, and paths, threads and clocks in those that have none. */
export function rustLayers() {
  const found = [];
  for (const name of CRATES.flat()) {
    const folder = crateFolder(name);
    found.push(...dependencies(name, fs.readFileSync(path.join(folder, "Cargo.toml"), "utf8")));
    if (!WITHOUT_PATHS.includes(name)) continue;
    for (const file of filesBelow([path.join(folder, "src")]).filter((file) => file.endsWith(".rs"))) {
      const what = ofAMachine(fs.readFileSync(file, "utf8"));
      found.push(
        ...what.map(
          (use) => `${path.relative(at(), file)}: ${use} has no place outside of backend/folder and backend/native`,
        ),
      );
    }
  }
  return found;
}

/** Dependencies of a crate on one above it, by the text of its Cargo.toml; those of its tests do not count. */
export function dependencies(name, manifest) {
  const [, text] = /^\[dependencies\]\n([^[]*)/m.exec(manifest) ?? [null, ""];
  const layer = (crate) => CRATES.findIndex((row) => row.includes(crate));
  const names = [...text.matchAll(/^numalens-([\w-]+)/gm)].map(([, crate]) => crate.replaceAll("-", "_"));
  return names.flatMap((other) => {
    if (layer(other) < 0) return [`${other} (of ${name}) has no place in CRATES of scripts/lib/layers.mjs`];
    return layer(other) > layer(name) ? [`${name} depends on ${other}, which is above it`] : [];
  });
}

/** Uses of paths, threads and clocks in a Rust text in front of its tests. */
export function ofAMachine(text) {
  const [own] = text.split("#[cfg(test)]");
  const code = own.replace(/\/\/.*/g, "");
  return [...new Set([...code.matchAll(OF_A_MACHINE)].map(([use]) => use))];
}

function crateFolder(name) {
  const parents = [["trace_parsers"], ["backend", "engine"], ["backend", "engine", "subjects"], ["backend"]];
  const folders = parents.map((parent) => at(...parent, name));
  return folders.find((folder) => fs.existsSync(path.join(folder, "Cargo.toml")));
}

/** Problems of the service's imports: against the order of the packages, and circles between folders. */
export function pythonLayers() {
  const root = at("backend", "numalens");
  const files = filesBelow([root]).filter((file) => file.endsWith(".py"));
  const modules = new Map(files.map((file) => [moduleOf(root, file), fs.readFileSync(file, "utf8")]));
  return [...upward(modules), ...circles(modules), ...required(modules)];
}

/** Imports of an optional module by one that is to work without it; those in a function do not count. */
export function required(modules) {
  const groupOf = (module) =>
    OPTIONAL.find((group) => group.some((name) => module === name || module.startsWith(`${name}.`)));
  const found = [];
  for (const [name, text] of modules) {
    const atLoad = text.replace(/^[ \t]+(?:from|import) .*$/gm, "");
    const members = [...atLoad.matchAll(/^from numalens\.([\w.]+) import (\([^)]*\)|.*)/gm)].flatMap(
      ([, from, names]) => (names.match(/\w+/g) ?? []).map((member) => `${from}.${member}`),
    );
    for (const other of new Set([...imports(atLoad), ...members])) {
      const group = groupOf(other);
      if (group && groupOf(name) !== group) found.push(`${name} imports ${other}, which is optional`);
    }
  }
  return found;
}

/** Imports of a package by one below it. `modules` are source texts by module name without `numalens.`. */
export function upward(modules) {
  const found = [];
  for (const [name, text] of modules) {
    const layer = LAYERS.indexOf(top(name));
    for (const other of imports(text)) {
      const below = LAYERS.indexOf(top(other));
      if (below < 0) found.push(`${other} (imported by ${name}) has no place in LAYERS of scripts/lib/layers.mjs`);
      // What runs the command line is above all.
      if (layer >= 0 && below >= 0 && below < layer) found.push(`${name} imports ${other}, which is above it`);
    }
  }
  return found;
}

/** Folders that import each other, over whichever others. */
export function circles(modules) {
  const packages = new Set([...modules.keys()].map(parent));
  const edges = new Map([...packages].map((name) => [name, new Set()]));
  for (const [name, text] of modules) {
    for (const other of imports(text)) {
      const to = packages.has(other) ? other : parent(other);
      if (to !== parent(name)) edges.get(parent(name)).add(to);
    }
  }
  const found = [];
  for (const start of [...packages].sort()) {
    const way = wayBack(edges, start);
    // Reported once, by the first of them.
    if (way && start === [...way].sort()[0]) found.push(`folders import each other: ${[...way, start].join(" -> ")}`);
  }
  return found;
}

function wayBack(edges, start) {
  const ways = [[start]];
  const seen = new Set();
  while (ways.length > 0) {
    const way = ways.shift();
    for (const next of edges.get(way.at(-1)) ?? []) {
      if (next === start) return way;
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return null;
}

function imports(text) {
  return [...text.matchAll(IMPORT)]
    .flatMap(([, from, names, whole]) => from ?? whole ?? names.split(",").map((name) => name.trim()))
    .filter((name) => name !== "__version__");
}

function moduleOf(root, file) {
  const name = path.relative(root, file).replace(/\.py$/, "").split(path.sep).join(".");
  return name.replace(/(^|\.)__init__$/, (_, dot) => (dot ? ".__init__" : "__init__"));
}

const top = (name) => name.split(".")[0];
const parent = (name) => name.split(".").slice(0, -1).join(".") || name;
