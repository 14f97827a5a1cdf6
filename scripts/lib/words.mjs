import fs from "node:fs";
import path from "node:path";
import { at, shown } from "./paths.mjs";
import { commentsOf, proseOf } from "./prose.mjs";
import { filesBelow } from "./stamp.mjs";

/** Words that no name has; docs/glossary.md says what to call such a thing. */
const PARTS = new Set(["told", "asked", "whom", "beside"]);
const TYPES = /\b(?:struct|enum|trait|class|interface|type)\s+(Given|Known|Looked|Met|Stay|Stretch)\b/g;
/** Crates that still have such names; one without any has to leave this list. */
const OPEN = [
  "backend/engine/engine/",
  "backend/engine/subjects/cling/",
  "backend/engine/subjects/idle_balancing/",
  "backend/engine/subjects/numa_balancing/",
  "backend/engine/subjects/page_migration/",
  "backend/engine/subjects/placement/",
  "backend/engine/subjects/psi/",
  "backend/engine/subjects/waits/",
  "backend/engine/subjects/waste/",
  // A field of the idle balancer's section.
  "frontend/test-support/ilb.ts",
];
const TEXT = {
  py: /"""[\s\S]*?"""|#.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g,
  rs: /\/\/.*|"(?:\\[\s\S]|[^"\\])*"|'(?:\\.|[^'\\\n])'/g,
  ts: /\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g,
};
const LANGUAGE = { ".py": "py", ".rs": "rs", ".ts": "ts", ".tsx": "ts", ".mjs": "ts" };

/**
 * Phrases that read as if translated, and what to write instead: the rows of the style guide that a pattern can decide.
 * `true` marks those that plain comments and tests avoid as well.
 */
const PHRASES = [
  [/\b(?:tell(?:s|ing)?|told)\b/gi, "say, show, report", true],
  [
    /\b(?:nobody|somebody|anybody|everybody|whoever|whom)\b/gi,
    "a role, such as user or administrator, or the passive",
    true,
  ],
  [/\b(?:stands?|stood)\b(?! (?:for|out|still|in for)\b)/gi, "is, comes from", true],
  [/\bmeanwhile\b/gi, "during the wait", true],
  [/\b(?:go(?:es|ing)?|went) on\b/gi, "continue", true],
  [/\bin (?:place|spite) of\b/gi, "instead of, despite", true],
  [/\b(?:anew|once more|again and again)\b/gi, "again, repeatedly", true],
  [/\bmend(?:s|ed|ing)?\b/gi, "fix", true],
  [/\bdearest\b/gi, "most expensive", true],
  [/\bstretch(?:es)?\b/gi, "time range", true],
  [/\bapart\b/gi, "separate, excluding"],
  [/(?<!\bthere )\b(?:is|are) (?:none\b|no (?!longer\b|more\b))/gi, "is not a"],
  [/\bunless (?:given|set)\b/gi, "(default: X)"],
  [/(?<!(?:thing|where|what|who|or) )\belse(?=\s*(?:[.;,:|)]|$))/gim, "otherwise, (default: X)"],
  [/\bbeside\b/gi, "next to, besides, with", true],
  [/\bof it\b/gi, "its, with"],
  [/\bbehind (?:it|them)\b/gi, "after it"],
  [/\b(?:an?|the|its|their|\w+'s) begin\b/gi, "start", true],
  [/\breadings\b|\b(?:an?|the|one|each) reading\b/gi, "import, sample"],
  [/\b(?:is|are) away\b/gi, "is unavailable"],
  [/\bpeople\b/gi, "users"],
  [/, too\b(?!\s+(?:much|many|few|little|long|short|late|early|small|large|often|slow)\b)/gi, "also"],
];
const MOST_WORDS = 35;

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

/** Pages outside of docs/ for the same readers. */
const ROOT_PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

/** Phrases and long sentences of the documentation; docs/catalogue.md is made from the engine's text. */
export function documentProblems() {
  const read = (file, problems) => problems(shown(file), fs.readFileSync(file, "utf8"));
  const pages = fs.readdirSync(at("docs")).filter((name) => name.endsWith(".md") && name !== "catalogue.md");
  const rules = fs.readdirSync(at("docs", "algorithms")).map((name) => at("docs", "algorithms", name));
  return [
    ...[...ROOT_PAGES.map((name) => at(name)), ...pages.map((name) => at("docs", name))].flatMap((file) =>
      read(file, textProblems),
    ),
    // The numbered rules of the replays: phrases only, since a formula is a long sentence.
    ...[...rules, at("samples", "README.md")].flatMap((file) => read(file, ruleProblems)),
  ];
}

/** Phrases in a Markdown file that plain comments avoid as well. */
export function ruleProblems(file, text) {
  const prose = text.replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, blank);
  return commentPhrases(prose, (index) => `${file}:${prose.slice(0, index).split("\n").length}`);
}

/** Problems of the prose of a Markdown file, without its code and addresses. */
export function textProblems(file, text) {
  const code = /^```[\s\S]*?^```|^(?: {4}|\t).*$|<!--[\s\S]*?-->|(?<=\])\([^()\s]*\)/gm;
  const prose = text.replace(code, blank);
  return proseProblems(prose, (index) => `${file}:${prose.slice(0, index).split("\n").length}`);
}

/** Phrases and long sentences in the prose of one text, with the place of each index. */
function proseProblems(text, place) {
  const prose = text.replace(/`[^`\n]*`/g, (code) => "x".repeat(code.length));
  const phrases = PHRASES.flatMap(([pattern, better]) =>
    [...prose.matchAll(pattern)].map(({ 0: found, index }) => `${place(index)}: "${found}": ${better}`),
  );
  // A sentence ends with its mark, cell, item, heading or paragraph.
  const sentences = prose.matchAll(/(?:(?![.!?][)"”*]*\s|\||\n\s*\n|\n\s*(?:[-*#|@]|\d+\.) ?)[\s\S])+/g);
  const long = [...sentences].flatMap(({ 0: sentence, index }) => {
    const words = sentence.split(/\s+/).filter((part) => /\w/.test(part)).length;
    const start = index + sentence.search(/\S|$/);
    return words > MOST_WORDS ? [`${place(start)}: a sentence of ${words} words; at most ${MOST_WORDS}`] : [];
  });
  return [...phrases, ...long];
}

/** Tests, generated types and build scripts, whose prose no user or developer of the product reads. */
const NO_PRODUCT =
  /(?:^|\/)(?:tests?|fuzz|support|bench|benches|examples|e2e|test-support|target)\/|\.test\.|\/test_|\/tests\.rs$|schema\.ts$/;
/** Openings of a doc comment that leave the item to the reader. */
const OPENING =
  /^\s*(?:It|Its|What|How|Whether|They|Their|Those|These|That|This|Where|When|Who|Whose|Which|Why|So)\b(?!')/;

/** Phrases and long sentences in the texts and doc comments of the product, and doc comments with a pronoun first. */
export function codeProblems() {
  const folders = [at("backend"), at("frontend", "src"), at("trace_parsers")];
  const files = filesBelow(folders, (file) => NO_PRODUCT.test(shown(file)));
  return files
    .filter((file) => /\.(?:rs|py|tsx?)$/.test(file) && !NO_PRODUCT.test(shown(file)))
    .flatMap((file) => sourceProblems(shown(file), fs.readFileSync(file, "utf8")));
}

/** Phrases in the plain comments of all sources, tests included. */
export function commentProblems() {
  const folders = [at("backend"), at("frontend"), at("trace_parsers"), at("scripts")];
  return filesBelow(folders, (file) => /(?:^|\/)(?:target|node_modules)\/|schema\.ts$/.test(shown(file)))
    .filter((file) => path.extname(file) in LANGUAGE)
    .flatMap((file) => problemsOfComments(shown(file), fs.readFileSync(file, "utf8")));
}

function commentPhrases(prose, place) {
  return PHRASES.filter(([, , comments]) => comments).flatMap(([pattern, better]) =>
    [...prose.matchAll(pattern)].map(({ 0: found, index }) => `${place(index)}: "${found}": ${better}`),
  );
}

/** Problems of the plain comments of one source file. */
export function problemsOfComments(file, source) {
  return commentsOf(file, source).flatMap(({ line, text }) => {
    const prose = text.replace(/`[^`\n]*`/g, blank);
    return commentPhrases(prose, (index) => `${file}:${line + prose.slice(0, index).split("\n").length - 1}`);
  });
}

const blank = (gap) => gap.replace(/[^\n]/g, " ");
/** A text without the values in it, which may be texts with values. */
const withoutValues = (text) => [1, 2].reduce((shorter) => shorter.replace(/\$?\{[^{}]*\}/g, "x"), text);

/** Problems of the prose of one source file. */
export function sourceProblems(file, source) {
  return proseOf(file, source).flatMap(({ line, text, doc }) => {
    const opening = doc && OPENING.exec(text);
    return [
      ...(opening ? [`${file}:${line}: "${opening[0].trim()}" first: begin with a noun or verb`] : []),
      ...proseProblems(doc ? text.replace(/^```[\s\S]*?^```/gm, blank) : withoutValues(text), (index) => {
        const lines = doc ? text.slice(0, index).split("\n").length - 1 : 0;
        return `${file}:${line + lines}`;
      }),
    ];
  });
}

const isFormer = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]|_/)
    .some((part) => PARTS.has(part));
