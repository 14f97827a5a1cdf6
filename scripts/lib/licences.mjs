import fs from "node:fs";
import { at, venvBin } from "./paths.mjs";
import { run } from "./run.mjs";

/** Licences of dependencies that may be part of, or installed next to, a program under Apache-2.0. */
const ALLOWED = new Set([
  ...[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BlueOak-1.0.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
  ],
  ...[
    "bzip2-1.0.6",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "OFL-1.1",
    "PSF-2.0",
    "Python-2.0",
    "Unicode-3.0",
    "Unlicense",
  ],
  "Zlib",
]);

/** Packages under other licences, each with the reason why it is used. */
const EXCEPTIONS = new Map([
  ["npm combine-errors", "MIT, by its Readme.md only"],
  ["python psycopg", "LGPL-3.0-only: of the extra team, installed unchanged as a package of its own"],
  ["python psycopg-binary", "LGPL-3.0-only: likewise"],
]);

/** Names that Python packages have for a licence where they have no SPDX expression. */
const NAMES = new Map([
  ["3-Clause BSD License", "BSD-3-Clause"],
  ["Apache 2.0", "Apache-2.0"],
  ["Apache Software License", "Apache-2.0"],
  ["apache-2.0", "Apache-2.0"],
  ["BSD", "BSD-3-Clause"],
  ["BSD License", "BSD-3-Clause"],
  ["ISC License (ISCL)", "ISC"],
  ["MIT License", "MIT"],
  ["Mozilla Public License 2.0 (MPL 2.0)", "MPL-2.0"],
]);

/** Returns whether an SPDX expression allows a use under one of the licences above; `/` means OR in old crates. */
export function isAllowed(expression) {
  const tokens = expression.replaceAll("/", " OR ").match(/\(|\)|[^\s()]+/g) ?? [];
  const terms = (operator, part) => {
    let allowed = part();
    while (tokens[0] === operator) {
      tokens.shift();
      const next = part();
      allowed = operator === "OR" ? allowed || next : allowed && next;
    }
    return allowed;
  };
  const one = () => {
    const token = tokens.shift();
    if (token === "(") {
      const allowed = either();
      return tokens.shift() === ")" && allowed;
    }
    if (tokens[0] !== "WITH") return ALLOWED.has(token);
    tokens.shift();
    return ALLOWED.has(`${token} WITH ${tokens.shift()}`);
  };
  const either = () => terms("OR", () => terms("AND", one));
  return tokens.length > 0 && either() && tokens.length === 0;
}

/** Problems of dependencies: those whose licence is not allowed or not known, and exceptions that nothing needs. */
export function problems(packages) {
  const needed = new Set();
  const found = packages.flatMap(({ name, licence }) => {
    if (licence && isAllowed(licence)) return [];
    if (!EXCEPTIONS.has(name))
      return [`${name}: ${licence ?? "no licence"} is not allowed; see scripts/lib/licences.mjs`];
    needed.add(name);
    return [];
  });
  return { found, unused: [...EXCEPTIONS.keys()].filter((name) => !needed.has(name)) };
}

/** npm's packages, by a package-lock.json. */
export function npmPackages({ packages = {} }) {
  return Object.entries(packages)
    .filter(([name, entry]) => name.includes("node_modules/") && !entry.link)
    .map(([name, entry]) => ({ name: `npm ${name.split("node_modules/").pop()}`, licence: entry.license }));
}

/** Crates, by `cargo metadata`. */
export function crates({ packages }) {
  return packages.map(({ name, license }) => ({ name: `crate ${name}`, licence: license }));
}

/** Python packages from the output of `INSTALLED`; free text is not a licence unless it is one of the names above. */
export function pythonPackages(installed) {
  return installed.map(({ name, expression, classifiers, text }) => ({
    name: `python ${name.toLowerCase()}`,
    licence: expression ?? classifiers.map((each) => NAMES.get(each)).find(Boolean) ?? NAMES.get(text) ?? text,
  }));
}

const INSTALLED = `
import json
from importlib.metadata import distributions
def described(each):
    classifiers = each.metadata.get_all("Classifier") or []
    return {
        "name": each.metadata["Name"],
        "expression": each.metadata.get("License-Expression"),
        "classifiers": [one.rpartition(" :: ")[2] for one in classifiers if one.startswith("License ::")],
        "text": (each.metadata.get("License") or "").partition("\\n")[0] or None,
    }
print(json.dumps([described(each) for each in distributions()]))
`;

/** Licences of all dependencies: those of the lock files of npm and Cargo, and the installed packages of Python. */
export async function licences() {
  const cargo = await run("cargo", ["metadata", "--format-version", "1", "--locked"], { capture: "stdout" });
  const python = await run(venvBin("python"), ["-c", INSTALLED], { capture: "stdout" });
  if (cargo.code !== 0 || python.code !== 0) return ["The licences of crates or Python packages cannot be listed."];
  return problems([
    ...npmPackages(JSON.parse(fs.readFileSync(at("package-lock.json"), "utf8"))),
    ...crates(JSON.parse(cargo.out)),
    ...pythonPackages(JSON.parse(python.out)),
  ]).found;
}
