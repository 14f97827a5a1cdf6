// Fails on an import against the direction of the folders of src, and on a circle between folders.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/**
 * Each may import from those before it; among folders within one of them there is no order, but no circle either. A subject has
 * `subjects/NAME/lanes`, which panels of the timeline draw with, and `subjects/NAME/views`, which the drawer and the side pane show.
 * Of either, others import only `index.ts`.
 */
export const ORDER = [
  "lib",
  "api",
  "ui",
  "timeline",
  "subjects/lanes",
  "panels",
  "view-state",
  "analysis",
  "subjects/views",
  "tabs",
  "pages",
  "app",
];

function layerOf(name) {
  const [top, , part] = name.split("/");
  return top === "subjects" ? `subjects/${part}` : top;
}

/** Subject and part of a file, and the rest of its path. */
const partOf = (name) => /^subjects\/([^/]+)\/([^/]+)\/(.*)$/.exec(name) ?? [];

/** True if a target is inside a subject other than the file's own, and not what the subject gives to others. */
function isInner(file, target) {
  const [, subject, , inner] = partOf(target);
  return subject !== undefined && partOf(file)[1] !== subject && !/^index\.tsx?$/.test(inner);
}

/** Relative imports of a file, types among them, as paths below `root`. */
function importsOf(root, file) {
  const text = fs.readFileSync(path.join(root, file), "utf8");
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith("."))
    .map((name) => path.posix.normalize(path.posix.join(path.posix.dirname(file), name)));
}

/**
 * @param {string} root the folder `src`
 * @param {readonly string[]} order
 * @returns {string[]} sentences, one for each fault
 */
export function importFaults(root, order = ORDER) {
  const files = fs
    .readdirSync(root, { recursive: true })
    .map((name) => String(name).split(path.sep).join("/"))
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name));
  const rank = (name) => order.indexOf(layerOf(name));
  const found = [];
  /** Folder to folder, with the first import that leads there. */
  const edges = new Map();
  for (const file of files) {
    if (rank(file) < 0) found.push(`${file}: its folder is not in the order of scripts/check-imports.mjs`);
    for (const target of importsOf(root, file)) {
      const [from, to] = [path.posix.dirname(file), path.posix.dirname(target)];
      if (rank(target) > rank(file)) found.push(`${file} imports ${target}: against the direction`);
      if (isInner(file, target))
        found.push(`${file} imports ${target}: an inner file of a subject, not its index`);
      if (from === to) continue;
      if (!edges.has(from)) edges.set(from, new Map());
      if (!edges.get(from).has(to)) edges.get(from).set(to, `${file} imports ${target}`);
    }
  }
  return [...found, ...circles(edges)];
}

function circles(edges) {
  const found = [];
  const done = new Set();
  const walk = (folder, trail) => {
    const at = trail.indexOf(folder);
    if (at >= 0) {
      const ring = [...trail.slice(at), folder];
      const steps = ring.slice(1).map((next, i) => edges.get(ring[i]).get(next));
      found.push(`a circle of folders: ${ring.join(" > ")} (${steps.join("; ")})`);
      return;
    }
    if (done.has(folder)) return;
    for (const next of edges.get(folder)?.keys() ?? []) walk(next, [...trail, folder]);
    done.add(folder);
  };
  for (const folder of edges.keys()) walk(folder, []);
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = importFaults(fileURLToPath(new URL("../src", import.meta.url)));
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
