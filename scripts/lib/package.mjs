import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { at, VENV, venvBin } from "./paths.mjs";
import { must, Plain, run } from "./run.mjs";
import { findChromium } from "./tools.mjs";

const MOST_BYTES = 60e6;
/** Maximum size of the engine in a released wheel; the build of the setup links a larger one. */
const ENGINE_BYTES = 15e6;
const MOST_DEPENDENCIES = 15;
const SAMPLE_EVENTS = "78,594";

/** Checks the sdist, and the wheel of the setup's build: nothing is compiled again, and the wheel is for this machine only. */
export async function checkBuild(show) {
  const folder = path.join(VENV, "package");
  fs.rmSync(folder, { recursive: true, force: true });
  const env = { PATH: `${path.join(VENV, "bin")}${path.delimiter}${process.env.PATH}` };
  const maturin = async (...args) => {
    const { code, out } = await run(venvBin("maturin"), [...args, "--out", folder], { capture: true, env });
    if (code !== 0) throw new Plain(`The package could not be built: ${out}`);
  };
  await maturin("sdist");
  await checkSource(folder, env);
  const built = ["--locked", "--profile", "start", "--compatibility", "linux", "--interpreter", venvBin("python")];
  await maturin("build", ...built);
  // What is released is linked smaller.
  await checkWheel(folder, { show, limited: false });
}

/** An sdist has fewer crates than the lock file names, which must not keep Cargo from it; building it would take minutes. */
async function checkSource(folder, env) {
  const source = fs.readdirSync(folder).find((name) => name.endsWith(".tar.gz"));
  const args = [
    "-m",
    "pip",
    "--quiet",
    "install",
    "--dry-run",
    "--no-deps",
    "--no-build-isolation",
    "--ignore-installed",
  ];
  const { code, out } = await run(venvBin("python"), [...args, path.join(folder, source)], { capture: true, env });
  if (code !== 0) throw new Plain(`The sdist could not be prepared: ${out}`);
}

/** The newest section of a changelog, without its heading. */
export function releaseNotes(changelog) {
  const section = changelog.split(/^## .*\n/m)[1]?.trim();
  if (!section) throw new Plain("CHANGELOG.md has no section to make release notes of.");
  return `${section}\n`;
}

/** The text of a README whose links and pictures work elsewhere: each path leads to the repository at a tag. */
export function absoluteLinks(markdown, repository, tag) {
  return markdown.replace(/(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_, mark, text, target) => {
    const kind = mark || /\.(webp|png|svg)$/.test(target) ? "raw" : "blob";
    return `${mark}[${text}](${repository}/${kind}/${tag}/${target})`;
  });
}

/** The text of a pyproject.toml with the addresses of the project. */
export function withAddresses(toml, repository) {
  const names = {
    Homepage: "",
    Documentation: "/tree/HEAD/docs",
    Changelog: "/blob/HEAD/CHANGELOG.md",
    Issues: "/issues",
  };
  const lines = Object.entries(names).map(([name, place]) => `${name} = ${JSON.stringify(repository + place)}\n`);
  return toml.replace("[project.scripts]", `[project.urls]\n${lines.join("")}\n[project.scripts]`);
}

/** The versions of a lock file as constraints: with hashes, our own wheel would need one as well. */
function constraints(lock) {
  return lock.match(/^[\w.-]+(\[[\w,-]+\])?==[^\\\n]*/gm).join("\n");
}

/**
 * Installs the wheel of `folder` alone, as a person would, and tries it with nothing but its environment on PATH: no Node, no
 * Cargo. Prints what is unpacked and what starting costs. Throws `Plain` at the first thing that is not as it should be;
 * `limited`: of a wheel as it is released, whose engine counts as it is.
 */
export async function checkWheel(folder, { show = (text) => process.stdout.write(text), limited = true } = {}) {
  const wheel = fs.readdirSync(folder).find((name) => /^numalens-.*\.whl$/.test(name));
  if (!wheel) throw new Plain(`${folder} has no wheel of numalens.`);
  const work = fs.mkdtempSync(path.join(os.tmpdir(), "numalens-package-"));
  try {
    const venv = path.join(work, "venv");
    const bin = path.join(venv, "bin");
    await must("No environment for the wheel.", venvBin("python"), ["-m", "venv", venv]);
    const pinned = path.join(work, "constraints.txt");
    fs.writeFileSync(pinned, constraints(fs.readFileSync(at("backend", "requirements.lock"), "utf8")));
    await must("The wheel could not be installed.", path.join(bin, "pip"), [
      ...["--quiet", "--disable-pip-version-check", "install", "--no-compile", "-c", pinned, path.join(folder, wheel)],
    ]);
    // Nothing of this checkout may help.
    const env = { PATH: bin, HOME: work, PYTHONPATH: "", NUMALENS_WEB: "", NUMALENS_DATA: path.join(work, "data") };
    const python = (code) =>
      must("The environment cannot be looked at.", path.join(bin, "python"), ["-c", code], { capture: true, env });
    checkSize(await python(SIZES), show, limited);
    const numalens = (...args) => run(path.join(bin, "numalens"), args, { capture: true, env, cwd: work });
    await checkCommands(numalens);
    show(await python(CPU));
    await checkPage(path.join(bin, "numalens"), env, work);
    show("the page shows the sample\n");
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

const SIZES = `
import json, pathlib, sysconfig
from importlib.metadata import requires
root = pathlib.Path(sysconfig.get_path("purelib"))
ours = lambda path: path.relative_to(root).parts[0].partition("-")[0] not in {"pip", "setuptools", "_distutils_hack", "pkg_resources"}
files = [path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts and ours(path)]
engine = sum(path.stat().st_size for path in files if path.parts[-2] == "numalens_native" and path.suffix == ".so")
direct = [name for name in requires("numalens") if "extra ==" not in name]
print(json.dumps({"bytes": sum(path.stat().st_size for path in files), "engine": engine, "files": len(files), "direct": len(direct)}))
`;

function checkSize(printed, show, limited) {
  const { bytes, engine, files, direct } = JSON.parse(printed);
  show(
    `unpacked: ${(bytes / 1e6).toFixed(1)} MB in ${files} files (at most ${MOST_BYTES / 1e6} MB), ` +
      `${(engine / 1e6).toFixed(1)} MB of it the engine, ` +
      `${direct} direct dependencies (at most ${MOST_DEPENDENCIES})\n`,
  );
  const counted = limited ? bytes : bytes - engine + ENGINE_BYTES;
  if (counted > MOST_BYTES) throw new Plain("The wheel and what it needs unpack to more than they may.");
  if (direct > MOST_DEPENDENCIES) throw new Plain("The wheel needs more packages than it may.");
}

async function checkCommands(numalens) {
  const expect = async (args, status, text) => {
    const { code, out } = await numalens(...args);
    if (code === status && out.includes(text)) return;
    throw new Plain(`numalens ${args.join(" ")} ended with ${code} instead of ${status}, without "${text}": ${out}`);
  };
  const { version } = JSON.parse(fs.readFileSync(at("package.json"), "utf8"));
  await expect(["--version"], 0, version);
  await expect(["analyze", "sample"], 0, SAMPLE_EVENTS);
  await expect(["query", "sample", "SELECT 1"], 1, "pip install 'numalens[sql]'");
  await expect(["fleet", "machines"], 1, "pip install 'numalens[fleet]'");
  await expect(["mcp"], 2, "pip install 'numalens[mcp]'");
  await expect(["worker", "--scheduler", "tcp://127.0.0.1:1"], 2, "pip install 'numalens[cluster]'");
}

/** CPU seconds, the least of three, which is what other programs on the machine disturb least. */
const CPU = `
import os, resource, subprocess, sys
def cpu(*words):
    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([os.path.join(os.path.dirname(sys.executable), "numalens"), *words], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return min(once() for _ in range(3))
print(f"numalens --help: {cpu('--help'):.2f} CPU s (at most 0.25)")
`;

/** The page of `numalens open sample`, in Chromium: the recording is drawn, and the SQL tab says which extra it needs. */
async function checkPage(program, env, work) {
  const server = spawn(program, ["open", "sample", "--no-browser"], {
    env,
    cwd: work,
    stdio: ["ignore", "pipe", "inherit"],
  });
  // Not there before the first setup.
  const { chromium } = await import("@playwright/test");
  let browser;
  try {
    const address = await new Promise((resolve, reject) => {
      let out = "";
      server.stdout.setEncoding("utf8").on("data", (chunk) => {
        out += chunk;
        const found = / is at (http\S+)/.exec(out);
        if (found) resolve(found[1]);
      });
      server.on("close", (code) => reject(new Plain(`numalens open sample ended with ${code}: ${out}`)));
    });
    browser = await chromium.launch({ executablePath: await findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(address);
    await page.locator("canvas").first().waitFor();
    await page
      .getByText(/longest wait/)
      .first()
      .waitFor();
    await page.getByRole("tab", { name: "Events & SQL" }).click();
    await page.getByRole("button", { name: "SQL", exact: true }).click();
    await page.getByText("pip install 'numalens[sql]'").first().waitFor();
    if (process.env.NUMALENS_SCREENSHOT) await page.screenshot({ path: process.env.NUMALENS_SCREENSHOT });
    if (problems.length) throw new Plain(`The page has errors: ${problems.join("; ")}`);
  } finally {
    await browser?.close();
    server.kill("SIGTERM");
  }
}
