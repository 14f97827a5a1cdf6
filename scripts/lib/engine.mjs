import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { nameByLikeness } from "./likeness.mjs";
import { at, shown, venvBin } from "./paths.mjs";
import { must, run } from "./run.mjs";
import { findClang, onPath } from "./tools.mjs";

/** The engine as WebAssembly, in xz; without its tools there is none, and the page says so. */
export const ENGINE = at("frontend", "src", "api", "local", "engine.bin");
/** Size limit: the engine is part of every page that is saved as one file; its decompressor has 15 kB. */
const MOST_BYTES = 1_480_000;
/** With Rust's library as it comes, where a smaller one cannot be made. */
const MOST_BYTES_PREBUILT = 1_600_000;

const TARGET = "wasm32-unknown-unknown";
const VARIABLE = TARGET.replaceAll("-", "_");
const CARGO = ["build", "--profile", "browser", "--locked", "--quiet", "-p", "numalens-browser", "--target", TARGET];

/** A standard library made for size: no texts of panics, whose sentence a page does not show, and sorts in a tenth of their code. */
const SMALL = ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];
// What is shipped has no names: legacy ones are short until then.
const SMALL_FLAGS = [
  "-Zunstable-options",
  "-Cpanic=immediate-abort",
  "-Zlocation-detail=none",
  "-Csymbol-mangling-version=legacy",
];

/** zstd's decoder without what only makes it faster, as its README has it for small decoders. */
const ZSTD_FLAGS = ["-DHUF_FORCE_DECOMPRESS_X1", "-DZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT"];

/** Exports of zstd and wasm-bindgen, which a dependency of zip has, besides the functions of `backend/browser`. */
const UNUSED = ["--remove-exports=__*", "--remove-exports=rust_zstd_*", "--remove-unused-module-elements"];

/** Passes of wasm-opt on single functions: those after which gzip finds less, and not only fewer bytes. */
const PASSES = [
  "--remove-unused-names",
  "--merge-blocks",
  "--remove-unused-brs",
  "--vacuum",
  "--code-folding",
  "--rse",
  "--precompute",
  "--reorder-locals",
];

/**
 * What compiles the engine for browsers: the source of Rust's library, of which a smaller one is made, or that library
 * for WebAssembly; rustup adds either. A clang, for zstd's C. And a Python that was built with xz.
 *
 * @param {boolean} install whether a clang may be installed
 * @param {string} python the interpreter
 * @returns {Promise<{clang: string | null, why: string, linker?: string | null, source?: boolean}>} the clang, or one
 *   sentence why there is no engine; the linker, unless Rust has its own; whether there is the source
 */
export async function findWasmTools(install, python) {
  if ((await run(python, ["-c", "import lzma"], { capture: true })).code !== 0) {
    return { clang: null, why: `${python} was built without xz (the module lzma)` };
  }
  const { code, out } = await run("rustc", ["--print", "sysroot"], { capture: true });
  const folder = path.join(out.trim(), "lib", "rustlib");
  const has = (...parts) => code === 0 && fs.existsSync(path.join(folder, ...parts));
  const source = () => has("src", "rust", "library", "Cargo.lock");
  const library = () => has(TARGET, "lib");
  const add = async (...what) => onPath("rustup") && (await run("rustup", [...what], { quiet: true }));
  if (!source()) await add("component", "add", "rust-src");
  if (!source() && !library()) await add("target", "add", TARGET);
  if (!source() && !library()) {
    return { clang: null, why: `Rust has no ${TARGET} here (rustup component add rust-src)` };
  }
  // Debian's compiler comes without a linker for WebAssembly.
  const linker = fs.readdirSync(folder).some((host) => has(host, "bin", "rust-lld")) ? null : findLinker();
  if (linker === undefined) return { clang: null, why: "there is neither rust-lld nor wasm-ld (apt-get install lld)" };
  return { ...(await findClang(install)), linker, source: source() };
}

function findLinker() {
  return ["wasm-ld", ...[...Array(20).keys()].map((back) => `wasm-ld-${32 - back}`)].map(onPath).find(Boolean);
}

/** The step that builds the engine for browsers; null where that cannot be done, which is said. */
export function engineStep(tools, { rust, stamp, skip }) {
  const { clang, why, source } = tools;
  if (clang === null) {
    process.stdout.write(`The page will not read recordings without a server: ${why}.\n`);
    fs.rmSync(ENGINE, { force: true });
    return null;
  }
  return {
    name: "offline",
    says: "Engine for browsers (WebAssembly)",
    // Cargo runs one build at a time.
    after: ["npm", "build", "native"],
    inputs: [
      ...["Cargo.toml", "Cargo.lock", "trace_parsers"].map((name) => at(name)),
      ...["engine", "browser"].map((name) => at("backend", name)),
      ...["engine.mjs", "likeness.mjs"].map((name) => at("scripts", "lib", name)),
      at("scripts", "package", "xz.py"),
    ],
    skip,
    depends: [rust, clang, String(source)],
    makes: [ENGINE],
    stamp,
    run: () => build(tools),
  };
}

async function build({ clang, linker, source }) {
  const env = { [`CC_${VARIABLE}`]: clang, [`CFLAGS_${VARIABLE}`]: ZSTD_FLAGS.join(" ") };
  if (linker) env[`CARGO_TARGET_${VARIABLE.toUpperCase()}_LINKER`] = linker;
  // The compiler takes these of a release, too, when the build is of the library alone.
  const small = { ...env, RUSTC_BOOTSTRAP: "1", RUSTFLAGS: SMALL_FLAGS.join(" ") };
  const made = source && (await run("cargo", [...CARGO, ...SMALL], { env: small, quiet: true })).code === 0;
  if (!made) {
    if (source) process.stdout.write("Rust's library could not be made for size: the page's engine is larger.\n");
    await must("The engine for browsers could not be built.", "cargo", CARGO, { env, quiet: true });
  }
  const target = process.env.CARGO_TARGET_DIR ?? at("target");
  await reduce(path.join(target, TARGET, "browser", "numalens_browser.wasm"));
}

/** Writes the module in xz, with like functions next to each other. */
async function reduce(module) {
  const failed = "The engine for browsers could not be made small.";
  const optimise = (from, to, ...passes) =>
    must(failed, "node", [
      at("node_modules", "binaryen", "bin", "wasm-opt"),
      from,
      "-o",
      to,
      ...passes,
      "--strip-debug",
    ]);
  const ordered = `${module}.ordered`;
  await optimise(module, ordered, ...UNUSED, ...PASSES, "--duplicate-function-elimination", "--strip-producers");
  fs.writeFileSync(ordered, nameByLikeness(fs.readFileSync(ordered)));
  await optimise(ordered, ordered, "--reorder-functions-by-name", "--strip-target-features");
  await must(failed, venvBin("python"), [at("scripts", "package", "xz.py"), ordered, ENGINE]);
  fs.rmSync(ordered);
}

/** The engine stays small; which library it was built with is seen by the texts of panics. */
export async function engineSize() {
  if (!fs.existsSync(ENGINE)) return [];
  const { size } = fs.statSync(ENGINE);
  const most = (await readEngine()).includes("panicked at") ? MOST_BYTES_PREBUILT : MOST_BYTES;
  return size > most ? [`${shown(ENGINE)} has ${size} bytes, the cap is ${most}`] : [];
}

/** The WebAssembly of the engine, inflated as a page does it. */
export async function readEngine() {
  const { default: xz } = await import("xz-decompress");
  const file = new Blob([fs.readFileSync(ENGINE)]);
  return Buffer.from(await new Response(new xz.XzReadableStream(file.stream())).arrayBuffer());
}
