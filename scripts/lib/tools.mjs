import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { VENV } from "./paths.mjs";
import { Plain, run } from "./run.mjs";

const NODE_AT_LEAST = [20, 19];
const PYTHON_AT_LEAST = [3, 11];

const older = ([major, minor], [wantMajor, wantMinor]) =>
  major < wantMajor || (major === wantMajor && minor < wantMinor);

/** Full path of a program on PATH, or null. */
export function onPath(name) {
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    if (!folder) continue;
    const file = path.join(folder, name);
    try {
      fs.accessSync(file, fs.constants.X_OK);
      if (fs.statSync(file).isFile()) return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

export function checkNode() {
  const version = process.versions.node.split(".").map(Number);
  if (older(version, NODE_AT_LEAST)) {
    throw new Plain(`Node ${NODE_AT_LEAST.join(".")} or newer is needed, this is ${process.versions.node}.`);
  }
  return process.versions.node;
}

/** The Python that made a virtual environment, if it is still there. */
function maker(venv) {
  const file = path.join(venv, "pyvenv.cfg");
  const command = fs.existsSync(file) && /^command = (\/.*) -m venv /m.exec(fs.readFileSync(file, "utf8"));
  return command && fs.existsSync(command[1]) ? [command[1]] : [];
}

/**
 * A Python that is new enough and can make virtual environments: the one that made `venv`, as long as it is there, so
 * that another terminal with another PATH does not make it anew.
 *
 * A name on PATH may be a version manager's shim for another version or for none, so each candidate is
 * run and asked for its real executable, which is what later steps use.
 *
 * @returns {Promise<{executable: string, version: string}>}
 */
export async function findPython(venv = VENV) {
  const named = process.env.NUMALENS_PYTHON;
  const names = named
    ? [named]
    : [...maker(venv), "python3", "python3.14", "python3.13", "python3.12", "python3.11", "python"];
  const probe =
    "import sys,importlib.util as u;print(*sys.version_info[:3],int(bool(u.find_spec('ensurepip'))),sys.executable)";
  const seen = [];
  let withoutVenv = null;
  for (const name of names) {
    if (!named && !path.isAbsolute(name) && !onPath(name)) continue;
    const { code, out } = await run(name, ["-I", "-c", probe], { capture: true });
    const match = /^(\d+) (\d+) (\d+) ([01]) (\/.*)$/m.exec(out);
    if (code !== 0 || !match) continue;
    const version = match.slice(1, 4).join(".");
    if (older([Number(match[1]), Number(match[2])], PYTHON_AT_LEAST)) seen.push(`${name} is ${version}`);
    else if (match[4] === "0") withoutVenv ??= version;
    else return { executable: match[5], version };
  }
  if (withoutVenv) {
    throw new Plain(
      `Python ${withoutVenv} is here, but its venv module is not (on Debian and Ubuntu: apt-get install python3-venv).`,
    );
  }
  const found = seen.length ? `, found only: ${seen.join(", ")}` : "";
  throw new Plain(
    `Python ${PYTHON_AT_LEAST.join(".")} or newer is needed on PATH${found} (or name one in NUMALENS_PYTHON).`,
  );
}

/** Cargo's version line; its folder is added to PATH when rustup put it where the shell does not look yet. */
export async function checkRust() {
  if (!onPath("cargo")) {
    const usual = path.join(process.env.CARGO_HOME ?? path.join(process.env.HOME ?? "", ".cargo"), "bin");
    if (fs.existsSync(path.join(usual, "cargo"))) process.env.PATH = `${usual}${path.delimiter}${process.env.PATH}`;
  }
  const { code, out } = await run("cargo", ["--version"], { capture: true });
  if (code !== 0) {
    throw new Plain(
      "Rust is needed to build the engine: install it with rustup, or name a release's wheel in NUMALENS_WHEEL or put it into dist/.",
    );
  }
  const wanted = fs
    .readFileSync(new URL("../../Cargo.toml", import.meta.url), "utf8")
    .match(/^rust-version = "(\d+)\.(\d+)/m);
  const version = /^cargo (\d+)\.(\d+)\S*/.exec(out);
  if (wanted && version && older([+version[1], +version[2]], [+wanted[1], +wanted[2]])) {
    throw new Plain(`Rust ${wanted[1]}.${wanted[2]} or newer is needed, this is ${version[0].slice(6)}.`);
  }
  return version ? version[0].slice(6) : out.trim();
}

/**
 * Installs a program of the platform where it is missing, if the platform has apt-get and lets us.
 *
 * @param {() => string | null | undefined} find
 * @param {string[]} packages packages that have it, the best first
 * @returns {Promise<{found: string | null, why: string}>} its full path, or why there is none
 */
async function findOrInstall(find, ...packages) {
  const name = packages.at(-1);
  const found = find();
  if (found) return { found, why: "" };
  if (!onPath("apt-get")) {
    return { found: null, why: "and this platform has no apt-get to install one with" };
  }
  const prefix = process.getuid() === 0 ? [] : ["sudo", "-n"];
  if (prefix.length && (await run("sudo", ["-n", "true"], { capture: true })).code !== 0) {
    return { found: null, why: `and installing one needs root: apt-get install ${name}` };
  }
  process.stdout.write(`No ${name} on PATH: apt-get install ${packages.join(" or ")}\n`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const apt = async (...args) => {
    const [command, ...rest] = [...prefix, "apt-get", ...args];
    return (await run(command, rest, { env, quiet: true })).code;
  };
  await apt("update");
  let code = 0;
  for (const one of packages) {
    code = await apt("install", "-y", "--no-install-recommends", one);
    const installed = find();
    if (code === 0 && installed) return { found: installed, why: "" };
  }
  return { found: null, why: `and apt-get install ${name} ended with status ${code}` };
}

/**
 * A Chromium for the browser tests: found on PATH, else installed by the platform's package manager. The one without
 * windows needs a third less CPU time and draws the same.
 *
 * @returns {Promise<string>} full path of the program
 */
export async function findChromium() {
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const find = () => process.env.NUMALENS_CHROMIUM ?? names.map(onPath).find(Boolean);
  const { found, why } = await findOrInstall(find, "chromium-headless-shell", "chromium");
  if (found) return found;
  throw new Plain(`The browser tests need a Chromium on PATH (${names.slice(0, 4).join(", ")}), ${why}.`);
}

/**
 * A clang, which compiles zstd's C for browsers.
 *
 * @param {boolean} install whether one may be installed
 * @returns {Promise<{clang: string | null, why: string}>} the program, or why there is none
 */
export async function findClang(install) {
  const versions = [...Array(20).keys()].map((back) => `clang-${32 - back}`);
  const find = () => process.env.NUMALENS_CLANG ?? ["clang", ...versions].map(onPath).find(Boolean);
  if (!install && !find()) return { clang: null, why: "no clang is on PATH" };
  const { found, why } = await findOrInstall(find, "clang");
  return found ? { clang: found, why: "" } : { clang: null, why: `no clang is on PATH, ${why}` };
}
