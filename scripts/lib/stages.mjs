import { run } from "./run.mjs";

/**
 * Runs every stage in order, also after one failed, and prints a closing table and `N passed, N failed`.
 *
 * A stage is `{name, command, args, env?, cwd?}` or `{name, body}`; a body returns a list of problems (none: passed).
 *
 * @returns exit status: 0 only if every stage passed
 */
export async function runStages(stages) {
  const rows = [];
  for (const stage of stages) {
    const heading = stage.command ? [stage.command.split("/").pop(), ...stage.args].join(" ") : "";
    process.stdout.write(`\n=== ${stage.name}${heading ? `: ${heading}` : ""}\n`);
    const started = performance.now();
    let code;
    try {
      code = stage.body ? await problems(stage.body) : (await run(stage.command, stage.args, stage)).code;
    } catch (error) {
      process.stderr.write(`${error.message}\n`);
      code = 1;
    }
    if (code === 127) process.stderr.write(`${stage.command} was not found.\n`);
    rows.push({ name: stage.name, code, seconds: (performance.now() - started) / 1000 });
  }
  const width = Math.max(...rows.map((row) => row.name.length));
  process.stdout.write("\n");
  for (const { name, code, seconds } of rows) {
    const verdict = code === 0 ? "passed" : `FAILED (status ${code})`;
    process.stdout.write(`${name.padEnd(width)}  ${seconds.toFixed(1).padStart(7)} s  ${verdict}\n`);
  }
  const failed = rows.filter((row) => row.code !== 0).length;
  process.stdout.write(`\n${rows.length - failed} passed, ${failed} failed\n`);
  return failed ? 1 : 0;
}

async function problems(body) {
  const list = (await body()) ?? [];
  for (const problem of list) process.stdout.write(`${problem}\n`);
  return list.length ? 1 : 0;
}
