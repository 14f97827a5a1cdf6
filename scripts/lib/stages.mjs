import { availableParallelism } from "node:os";
import { run } from "./run.mjs";

/** Characters of a failed stage that are shown again next to the table, where a cut log still has them. */
const SHOWN_AGAIN = 6000;

/**
 * Runs every stage, also after one failed, and prints how each that failed ended, a closing table and `N passed, N failed`.
 *
 * A stage is `{name, command, args, env?, cwd?}` (`env` may be a function that resolves to one) or `{name, body}`; a body
 * is given a function that shows text and returns a list of problems (none: passed). Stages run side by side: one
 * begins when the stages named in `after` have ended, when none runs that has the same `lock`, and when the `load` of
 * what runs (1 each unless said otherwise) leaves room for its own. The greatest loads begin first, which take longest.
 *
 * @param room the load that may run at a time; a stage with a greater one runs alone
 * @returns exit status: 0 only if every stage passed
 */
export async function runStages(stages, { room = availableParallelism() } = {}) {
  const rows = new Map();
  const running = new Map();
  const outputs = new Outputs();
  const open = (name) => stages.some((stage) => stage.name === name) && !rows.has(name);
  const mayBegin = ({ after = [], lock, load = 1 }) => {
    const others = [...running.keys()];
    const taken = others.reduce((sum, other) => sum + (other.load ?? 1), 0);
    const isLocked = lock !== undefined && others.some((other) => other.lock === lock);
    return !after.some(open) && !isLocked && (others.length === 0 || taken + load <= room);
  };
  const waiting = new Set(stages.toSorted((a, b) => (b.load ?? 1) - (a.load ?? 1)));
  while (waiting.size || running.size) {
    for (const stage of waiting) {
      if (!mayBegin(stage)) continue;
      waiting.delete(stage);
      const ended = runStage(stage, outputs.add()).then((row) => {
        rows.set(stage.name, row);
        running.delete(stage);
      });
      running.set(stage, ended);
    }
    if (!running.size) throw new Error(`No stage can begin: ${[...waiting].map(({ name }) => name).join(", ")}`);
    await Promise.race(running.values());
  }
  return summary(stages.map(({ name }) => ({ name, ...rows.get(name) })));
}

/** Runs one stage; resolves to its status and how long it took, s. */
async function runStage(stage, output) {
  const { name, command, args, body, env } = stage;
  const heading = command ? [command.split("/").pop(), ...args].join(" ") : "";
  output.show(`\n=== ${name}${heading ? `: ${heading}` : ""}\n`);
  const started = performance.now();
  let code;
  try {
    if (body) {
      const problems = (await body(output.show)) ?? [];
      for (const problem of problems) output.show(`${problem}\n`);
      code = problems.length ? 1 : 0;
    } else {
      const options = { ...stage, env: typeof env === "function" ? await env() : env, show: output.show };
      code = (await run(command, args, options)).code;
    }
  } catch (error) {
    output.show(`${error.message}\n`);
    code = 1;
  }
  if (code === 127) output.show(`${command} was not found.\n`);
  output.end();
  return { code, seconds: (performance.now() - started) / 1000, end: output.last() };
}

/** Texts of several stages, each in one piece: that of the first that runs as it comes, the others' when its has ended. */
class Outputs {
  #queue = [];

  add() {
    const entry = { kept: [], ended: false };
    let last = "";
    this.#queue.push(entry);
    return {
      last: () => last,
      show: (text) => {
        last = (last + text).slice(-SHOWN_AGAIN);
        if (this.#queue[0] === entry) process.stdout.write(text);
        else entry.kept.push(text);
      },
      end: () => {
        entry.ended = true;
        while (this.#queue[0]?.ended) {
          this.#queue.shift();
          for (const text of this.#queue[0]?.kept.splice(0) ?? []) process.stdout.write(text);
        }
      },
    };
  }
}

function summary(rows) {
  const width = Math.max(...rows.map((row) => row.name.length));
  for (const { name, code, end } of rows) if (code !== 0) process.stdout.write(`\n=== how ${name} ended\n${end}`);
  process.stdout.write("\n");
  for (const { name, code, seconds } of rows) {
    const verdict = code === 0 ? "passed" : `FAILED (status ${code})`;
    process.stdout.write(`${name.padEnd(width)}  ${seconds.toFixed(1).padStart(7)} s  ${verdict}\n`);
  }
  const failed = rows.filter((row) => row.code !== 0).length;
  process.stdout.write(`\n${rows.length - failed} passed, ${failed} failed\n`);
  return failed ? 1 : 0;
}
