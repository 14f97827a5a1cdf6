// Fails on lengths of src: spacing, radii and sizes of text that are not tokens of ui/tokens.css, and functions that are too long.
//
// A function must not be longer than MOST lines, blank ones not counted, unless its comment gives the reason ("over 80 lines: ...").
// Biome's noExcessiveLinesPerFunction leaves JSX out of the count, and so most of a component.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const MOST = 80;
const ROOT = fileURLToPath(new URL("../src", import.meta.url));

const read = (file) => fs.readFileSync(path.join(ROOT, file), "utf8");
const all = fs.readdirSync(ROOT, { recursive: true }).map(String);
const files = all.filter(
  (name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !name.endsWith("schema.ts"),
);

const TOKENS = "ui/tokens.css";
const known = new Set(read(TOKENS).match(/--(?:space|radius|text)[\w-]*(?=:)/g));
const SCALED =
  /(?<![\w-])((?:padding|margin)[\w-]*|(?:row-|column-)?gap|border-spacing|(?:border-[\w-]*)?radius|borderRadius|font-size|fontSize|font)["']?:([^;{}]*)/g;
for (const file of [...all.filter((name) => name.endsWith(".css") && name !== TOKENS), ...files]) {
  const text = read(file);
  const fault = (index, what) => {
    process.stderr.write(`${file}:${text.slice(0, index).split("\n").length}: ${what}\n`);
    process.exitCode = 1;
  };
  const css = file.endsWith(".css");
  for (const { index, 0: found, 1: property } of text.matchAll(SCALED)) {
    const value = css ? found : (/^[^:]*:\s*(["'`][^"'`]*["'`])/.exec(found)?.[1] ?? "");
    if (/\dpx/.test(value)) fault(index, `${property} has a raw length: use a token of ${TOKENS}`);
  }
  for (const { index, 1: token } of text.matchAll(/var\((--(?:space|radius|text)-[\w-]*)/g)) {
    if (!known.has(token)) fault(index, `${token} is not in ${TOKENS}`);
  }
}

for (const file of files) {
  const text = read(file);
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
