import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { at } from "./paths.mjs";
import { run } from "./run.mjs";
import { findChromium } from "./tools.mjs";

/** Folder of the pictures that the browser tests compare with when they run all sizes and themes: `NUMALENS_PICTURES`. */
export const PICTURES = at("frontend", "test-results", "pictures");

const IN_GIT = "frontend/e2e/pictures";
/** Sources of the page; it shows a page of the documentation. */
const SOURCES = [
  ...["src", "public", "index.html", "numalens.html", "vite.config.ts", "vite.static.config.ts"].map(
    (name) => `frontend/${name}`,
  ),
  "docs/recording.md",
];

/** Runs git; its output without the last line break, or null when it fails. */
async function git(...args) {
  const { code, out } = await run("git", args, { capture: true });
  return code === 0 ? out.trim() : null;
}

/** The commit at which this branch left main: HEAD where git does not know it, null without git. */
async function mergeBase() {
  for (const main of ["origin/main", "main"]) {
    const base = await git("merge-base", "HEAD", main);
    if (base !== null) return base;
  }
  return git("rev-parse", "HEAD");
}

/**
 * Fills `PICTURES`: with those in git, and with pictures of every other size and theme of the page as it was at the merge base.
 * The tests, the service and the engine are this checkout's, so only changes of the page show. A state whose picture in git
 * changed was changed on purpose: its other sizes are not compared.
 *
 * @param {(text: string) => void} show is given one sentence
 * @param {number} workers browsers at a time
 */
export async function makePictures(show, workers) {
  fs.rmSync(PICTURES, { recursive: true, force: true });
  fs.cpSync(at(IN_GIT), PICTURES, { recursive: true });
  const skip = (reason) => show(`${reason}: only the pictures in git are compared.\n`);
  const base = await mergeBase();
  if (base === null) return skip("This checkout has no git history");
  const isNew = await git("ls-files", "--others", "--exclude-standard", "--", ...SOURCES);
  if (isNew === "" && (await git("diff", "--quiet", base, "--", ...SOURCES)) !== null) {
    return skip(`The page is the same as at ${base.slice(0, 12)}, the merge base with main or the last commit`);
  }
  const tree = fs.mkdtempSync(path.join(os.tmpdir(), "numalens-base-"));
  try {
    if (!(await buildPage(base, tree))) return skip(`The page of ${base.slice(0, 12)} could not be built`);
    await takePictures(path.join(tree, "backend", "numalens", "page"), workers);
  } finally {
    fs.rmSync(tree, { recursive: true, force: true });
  }
  const changed = (await git("diff", "--name-only", "--diff-filter=M", base, "--", IN_GIT)) ?? "";
  const states = new Set(changed.split("\n").map(stateOf));
  const inGit = new Set(fs.readdirSync(at(IN_GIT)));
  const generated = fs.readdirSync(PICTURES).filter((file) => !inGit.has(file));
  for (const file of generated) if (states.has(stateOf(file))) fs.rmSync(path.join(PICTURES, file));
  const kept = generated.filter((file) => !states.has(stateOf(file))).length;
  show(`${kept} pictures were generated from ${base.slice(0, 12)}, besides the ${inGit.size} in git.\n`);
}

/** The state that a picture shows: its name without width and theme. */
const stateOf = (file) => path.basename(file).replace(/-\d+-(light|dark)\.png$/, "");

/** Builds the page of a commit in a folder, with this checkout's packages, engine and types; false when that fails. */
async function buildPage(commit, folder) {
  const archive = path.join(folder, "page.tar");
  if ((await git("archive", "--output", archive, commit, "package.json", "frontend", "docs")) === null) return false;
  if ((await run("tar", ["-xf", archive, "-C", folder])).code !== 0) return false;
  fs.symlinkSync(at("node_modules"), path.join(folder, "node_modules"));
  const generated = (await git("ls-files", "--others", "--ignored", "--exclude-standard", "--", "frontend/src")) ?? "";
  for (const file of generated.split("\n").filter(Boolean)) fs.cpSync(at(file), path.join(folder, file));
  for (const script of ["build", "build:static"]) {
    const cwd = path.join(folder, "frontend");
    if ((await run("npm", ["run", "--silent", script], { cwd, quiet: true })).code !== 0) return false;
  }
  return true;
}

/** Takes the pictures of a built page; a test that fails on it leaves its pictures out. */
async function takePictures(page, workers) {
  const args = ["playwright", "test", "--grep", "@pictures", "--update-snapshots=all", "--output", "test-results/base"];
  await run("npx", [...args, "--workers", String(workers)], {
    cwd: at("frontend"),
    quiet: true,
    env: {
      NUMALENS_TEST: "all",
      NUMALENS_PICTURES: PICTURES,
      NUMALENS_WEB: page,
      NUMALENS_CHROMIUM: await findChromium(),
      PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1",
    },
  });
}
