// node scripts/sentences.mjs [--seed N] [--count N]: random sentences of each area, for a reader to judge.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { at, shown } from "./lib/paths.mjs";
import { proseOf } from "./lib/prose.mjs";
import { filesBelow } from "./lib/stamp.mjs";

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, count: { type: "string", default: "10" } },
});
/** Areas by name: files, and whether their doc comments are meant, or their texts. */
const AREAS = {
  documentation: { folders: ["docs", "README.md"], suffix: /^(?!.*\/adr\/).*\.md$/, doc: null },
  page: { folders: ["frontend/src"], suffix: /(?<!\.test|\/schema|\/catalogue)\.tsx?$/, doc: false },
  "command line": { folders: ["backend/numalens/cli"], suffix: /\.py$/, doc: false },
  service: { folders: ["backend/numalens"], suffix: /\.py$/, doc: false },
  findings: { folders: ["backend/engine"], suffix: /\/src\/findings\b.*\.rs$/, doc: false },
  readers: { folders: ["trace_parsers"], suffix: /\/src\/.*\.rs$/, doc: false },
  "comments of Rust": { folders: ["backend", "trace_parsers"], suffix: /\/src\/.*\.rs$/, doc: true },
  "comments of Python": { folders: ["backend/numalens"], suffix: /\.py$/, doc: true },
  "comments of TypeScript": { folders: ["frontend/src"], suffix: /(?<!\.test|\/schema)\.tsx?$/, doc: true },
};

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function* numbers(seed) {
  for (let state = seed >>> 0; ; ) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }
}

const random = numbers(Number(values.seed));
for (const [name, { folders, suffix, doc }] of Object.entries(AREAS)) {
  const files = filesBelow(folders.map((folder) => at(folder))).filter((file) => suffix.test(shown(file)));
  const pieces = files.flatMap((file) => {
    const text = fs.readFileSync(file, "utf8");
    const prose = path.extname(file) === ".md" ? [{ line: 1, text, doc: null }] : proseOf(file, text);
    return prose.filter((piece) => piece.doc === doc).map((piece) => ({ file, ...piece }));
  });
  const sentences = pieces.flatMap(({ file, text }) =>
    text
      .split(/(?<=[.!?])\s+(?=[A-Z`])|\n\s*\n|\n(?=[-*|#])/)
      .map((sentence) => sentence.replace(/\s+/g, " ").trim())
      .filter((sentence) => sentence.split(" ").length > 3)
      .map((sentence) => `${shown(file)}: ${sentence}`),
  );
  console.log(`\n${name} (${sentences.length} sentences)`);
  for (let drawn = 0; drawn < Number(values.count) && sentences.length > 0; drawn += 1) {
    const [sentence] = sentences.splice(Math.floor(random.next().value * sentences.length), 1);
    console.log(`- ${sentence}`);
  }
}
