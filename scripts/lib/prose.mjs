import path from "node:path";

/** Comments and strings of each language, in the order in which they may begin. */
const TOKENS = {
  ".rs":
    /(?<doc>^[ \t]*(?<mark>\/\/[/!])(?!\/).*(?:\n[ \t]*\k<mark>(?!\/).*)*)|\/\/.*|r(?<hashes>#*)"[\s\S]*?"\k<hashes>|"(?<text>(?:\\[\s\S]|[^"\\])*)"|'(?:\\.|[^'\\\n])'/gm,
  ".py":
    /(?<=(?<assigned>[=(,+:])?\s*[rf]?)"""(?<doc>[\s\S]*?)"""|#.*|(?<text>(?:[rbf]?"(?!"")(?:\\.|[^"\\\n])*"\s*)+)|'(?:\\.|[^'\\\n])*'/g,
  ".ts":
    /\/\*\*(?<doc>[\s\S]*?)\*\/|\/\*[\s\S]*?\*\/|\/\/.*|"(?<text>(?:\\.|[^"\\\n])*)"|'(?:\\.|[^'\\\n])*'|`(?<template>(?:\\.|[^`\\])*)`/g,
};
const LANGUAGE = { ".tsx": ".ts", ".mjs": ".ts" };
/** Comments that are not documentation of an item; notes for linters are not prose. */
const COMMENTS = { ".rs": /^\/\/(?![/!])/, ".py": /^#(?!!)/, ".ts": /^(?:\/\/|\/\*(?!\*))/ };
const FOR_TOOLS = /^\W*(?:noqa|type:|ruff|biome-ignore|@ts-|eslint|pragma|fmt:|rustfmt)/;
/** Text between the tags and expressions of JSX. */
const JSX = /[>}](?<text>[^<>{}();=]*[A-Za-z,]\s+[A-Za-z][^<>{}();=]*)[<{]/g;
const WORDS = /[A-Za-z,;:)]\s+[A-Za-z(]/;
const QUERY = /\bselect\b[\s\S]*\bfrom\b/i;

/**
 * Prose of a source file: doc comments, and strings of several words. Plain comments, queries and Rust's test modules are left out.
 *
 * @returns {{line: number, text: string, doc: boolean}[]}
 */
export function proseOf(file, source) {
  const kind = path.extname(file);
  const code = kind === ".rs" ? source.split(/^#\[cfg\(test\)\]\s+mod /m)[0] : source;
  const found = [];
  const add = (index, text, doc) => found.push({ line: code.slice(0, index).split("\n").length, text, doc });
  const rest = code.replace(TOKENS[LANGUAGE[kind] ?? kind], (token, ...more) => {
    const [index, , { doc, text, template, assigned }] = more.slice(-3);
    if (doc !== undefined && (assigned === undefined || assigned === ":") && !QUERY.test(doc)) {
      add(index, plain(doc), true);
    } else {
      const words = (text ?? template ?? doc ?? "")
        .replace(/\\\n\s*|"\s*[rbf]?"|^[rbf]?"|"\s*$/g, "")
        .replaceAll("\\n", "\n");
      if (WORDS.test(words) && !QUERY.test(words)) add(index, words, false);
    }
    return token.replace(/[^\n]/g, " ");
  });
  if (kind === ".tsx") {
    for (const { index, groups } of rest.matchAll(JSX)) add(index, groups.text, false);
  }
  return found;
}

/** A doc comment without its marks. */
const plain = (doc) => doc.replace(/^[ \t]*(?:\/\/[/!]|\*(?=[ \n]|$)) ?/gm, "").replace(/(?<=^|\n)[ \t]+(?=\S)/g, "");

/** Plain comments of a source file, tests included; consecutive lines are one text. */
export function commentsOf(file, source) {
  const kind = LANGUAGE[path.extname(file)] ?? path.extname(file);
  const found = [];
  for (const { 0: token, index } of source.matchAll(TOKENS[kind])) {
    if (!COMMENTS[kind].test(token) || FOR_TOOLS.test(token)) continue;
    const text = token.replace(/^(?:\/\/|\/\*|#)|\*\/$|^[ \t]*\*/gm, "").trim();
    const last = found.at(-1);
    if (last && /^[^\S\n]*\n[^\S\n]*$/.test(source.slice(last.end, index))) {
      last.text += `\n${text}`;
      last.end = index + token.length;
    } else {
      found.push({ line: source.slice(0, index).split("\n").length, text, end: index + token.length });
    }
  }
  return found.map(({ line, text }) => ({ line, text }));
}
