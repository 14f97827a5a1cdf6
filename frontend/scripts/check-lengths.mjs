// Fails on a function of src longer than MOST lines, blank ones not counted, whose comment gives no reason ("over 80 lines: ...").
// Biome's noExcessiveLinesPerFunction leaves JSX out of the count, and so most of a component.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const MOST = 80;
const ROOT = fileURLToPath(new URL("../src", import.meta.url));

const files = fs
  .readdirSync(ROOT, { recursive: true })
  .map(String)
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !name.endsWith("schema.ts"));
for (const file of files) {
  const text = fs.readFileSync(path.join(ROOT, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const start = node.getStart(source);
      const lines = text
        .slice(start, node.end)
        .split("\n")
        .filter((line) => line.trim() !== "").length;
      const excused = /over 80 lines: \S/.test(text.slice(node.getFullStart(), start));
      if (lines > MOST && !excused) {
        const { line } = source.getLineAndCharacterOfPosition(start);
        process.stderr.write(`${file}:${line + 1}: a function of ${lines} lines, more than ${MOST}\n`);
        process.exitCode = 1;
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
