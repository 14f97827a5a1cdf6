import fs from "node:fs";
import path from "node:path";
import { at, shown } from "./paths.mjs";
import { filesBelow } from "./stamp.mjs";

/** Words that no name has; docs/glossary.md says what to call such a thing. */
const PARTS = new Set(["told", "asked", "whom", "beside"]);
const TYPES = /\b(?:struct|enum|trait|class|interface|type)\s+(Given|Known|Looked|Met|Stay|Stretch)\b/g;
/** Crates that still have such names; one without any has to leave this list. */
const OPEN = [
  "backend/engine/analysis/",
  // A field of the idle balancer's section.
  "frontend/test-support/ilb.ts",
];
const TEXT = {
  py: /"""[\s\S]*?"""|#.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g,
  rs: /\/\/.*|"(?:\\[\s\S]|[^"\\])*"|'(?:\\.|[^'\\\n])'/g,
  ts: /\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g,
};
const LANGUAGE = { ".py": "py", ".rs": "rs", ".ts": "ts", ".tsx": "ts", ".mjs": "ts" };

/** Names with words of the project's former dialect, in what is written by hand. */
export function formerWords() {
  const files = filesBelow([at("backend"), at("frontend"), at("scripts"), at("trace_parsers")], (file) =>
    file.endsWith("schema.ts"),
  );
  const found = files
    .filter((file) => path.extname(file) in LANGUAGE)
    .flatMap((file) => wordsIn(shown(file), fs.readFileSync(file, "utf8")));
  const open = (problem) => OPEN.find((place) => problem.startsWith(place));
  const clean = OPEN.filter((place) => !found.some((problem) => open(problem) === place));
  return [
    ...found.filter((problem) => !open(problem)),
    ...clean.map((place) => `${place} has no such names any more: it leaves OPEN of scripts/lib/words.mjs`),
  ];
}

/** Problems of one file: in its path, and in the names in `text`, without its comments and strings. */
export function wordsIn(file, text) {
  const code = text.replace(TEXT[LANGUAGE[path.extname(file)]], (gap) => gap.replace(/[^\n]/g, " "));
  const names = [...code.matchAll(/[A-Za-z_]\w*/g)].filter(([name]) => isFormer(name));
  return [
    ...(isFormer(file) ? [`${file}: its name`] : []),
    ...[...names, ...code.matchAll(TYPES)].map(
      ({ 0: name, index }) => `${file}:${text.slice(0, index).split("\n").length}: ${name}`,
    ),
  ];
}

const isFormer = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]|_/)
    .some((part) => PARTS.has(part));
