import fs from "node:fs";
import path from "node:path";
import { ROOT, shown, VENV, venvBin } from "./paths.mjs";
import { Progress } from "./progress.mjs";
import { Plain, run } from "./run.mjs";
import { contentHash, filesBelow, readStamp, writeStamp } from "./stamp.mjs";
import { steps } from "./steps.mjs";

/** All parts: what `npm run setup -- --all` and `npm test` need. */
export const ALL = ["page", "types", "offline", "extras", "tests"];

/**
 * A half-made environment (interrupted while it was made, or its Python is gone) does not count as made. One that could not be
 * tried, because memory or processes ran out or a signal ended it, is kept: a server may be running from it.
 */
async function dropBrokenVenv() {
  if (!fs.existsSync(VENV)) return;
  const { code } = await run(venvBin("python"), ["-I", "-c", ""], { capture: true });
  if (code !== 0 && code !== 126 && code < 128) fs.rmSync(VENV, { recursive: true, force: true });
}

/** Hash of what a step's result is made from, once the steps before it are done. */
function hashOf(step) {
  const missing = step.inputs.find(
    (input) => !fs.existsSync(input) && path.extname(input) !== "" && !/public$/.test(input),
  );
  if (missing) throw new Plain(`${shown(missing)} is missing, so this step cannot run: ${step.says}.`);
  return contentHash(ROOT, filesBelow(step.inputs, step.skip), step.depends);
}

/**
 * Brings the parts of a setup up to date: runs each step whose inputs changed, as soon as those before it are done. What was done
 * stays done when a later step fails or is interrupted.
 *
 * @param {import("./steps.mjs").Part[]} parts
 * @param {string[]} options of the server that is to run afterwards: wrong ones end the setup before anything is built
 */
export async function setup(parts = ["page"], options = []) {
  const started = performance.now();
  const todo = await steps(new Set(parts), options);
  await dropBrokenVenv();
  const count = await runAll(todo, new Progress(todo.length));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(count ? `Ready (${seconds} s)\n` : `Everything is up to date (${seconds} s)\n`);
}

/** Runs steps in the order they need; resolves to the number of those that had something to do. */
export async function runAll(todo, progress) {
  const ends = new Map();
  let failed = null;
  let count = 0;
  const runStep = async (step) => {
    const hash = hashOf(step);
    if (readStamp(step.stamp) === hash && step.makes.every((file) => fs.existsSync(file))) return progress.done(step);
    fs.rmSync(step.stamp, { force: true });
    const report = progress.begin(step);
    await step.run(report);
    writeStamp(step.stamp, hashOf(step));
    progress.done(step);
    count += 1;
  };
  const waiting = new Map(todo.map((step) => [step.name, step]));
  const start = (step) => {
    if (ends.has(step.name)) return ends.get(step.name);
    const before = step.after.filter((name) => waiting.has(name)).map((name) => start(waiting.get(name)));
    const end = Promise.all(before).then(async () => {
      if (failed) return;
      try {
        await runStep(step);
      } catch (error) {
        failed ??= error;
      }
    });
    ends.set(step.name, end);
    return end;
  };
  await Promise.all(todo.map(start));
  progress.end();
  if (failed) throw failed;
  return count;
}
