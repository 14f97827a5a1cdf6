// npm run fuzz -- [target ...] [--seconds N]: looks for inputs that break a reader; without a target, every one in turn.
//
// libFuzzer needs to see which code an input reaches. Stable Rust passes LLVM the options for that, so no other
// compiler is needed; a C++ compiler builds libFuzzer itself. What was learned stays in .fuzz/corpus for the next run.
import fs from "node:fs";
import path from "node:path";
import { at, shown } from "./lib/paths.mjs";
import { main, must, Plain, run } from "./lib/run.mjs";

const CRATE = at("trace_parsers", "fuzz");
const KEPT = at(".fuzz");
const SECONDS = 60;
/** Memory of a run, MB: a reader's own need is far below, whatever the input says. */
const MEMORY = 512;
/** Longest time for one input, s. */
const HANG = 10;
const LONGEST_INPUT = 1 << 16;

const COVERAGE = [
  "-Cpasses=sancov-module",
  "-Cllvm-args=-sanitizer-coverage-level=4",
  "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
  "-Cllvm-args=-sanitizer-coverage-pc-table",
  "-Cllvm-args=-sanitizer-coverage-trace-compares",
  "-Cdebug-assertions=on",
  "-Coverflow-checks=on",
];

/** Builds the driver; build scripts and macros stay as they are, since the target is named. */
async function build() {
  const about = await must("rustc does not tell its version.", "rustc", ["-vV"], { capture: "stdout" });
  const host = /^host: (.*)$/m.exec(about)[1];
  const folder = path.join(KEPT, "target");
  const args = ["build", "--release", "--locked", "--quiet", "-p", "numalens-fuzz", "--features", "libfuzzer"];
  await must("The fuzz driver could not be built.", "cargo", [...args, "--target", host, "--target-dir", folder], {
    env: { RUSTFLAGS: COVERAGE.join(" "), CARGO_PROFILE_RELEASE_LTO: "off", CARGO_TERM_PROGRESS_WHEN: "never" },
  });
  return path.join(folder, host, "release", "fuzz");
}

async function fuzz(driver, target, seconds) {
  const corpus = path.join(KEPT, "corpus", target);
  const broken = path.join(KEPT, "broken", target);
  for (const folder of [corpus, broken]) fs.mkdirSync(folder, { recursive: true });
  const seeds = ["seeds", "crashes"]
    .map((kind) => path.join(CRATE, kind, target))
    .filter((seed) => fs.existsSync(seed));
  const options = {
    artifact_prefix: `${broken}${path.sep}`,
    max_len: LONGEST_INPUT,
    max_total_time: seconds,
    print_final_stats: 1,
    rss_limit_mb: MEMORY,
    timeout: HANG,
  };
  const args = Object.entries(options).map(([name, value]) => `-${name}=${value}`);
  const env = { NUMALENS_FUZZ_TARGET: target, RUST_BACKTRACE: "1" };
  const { code, out } = await run(driver, [...args, corpus, ...seeds], { env, capture: true });
  const stat = (name) => new RegExp(`stat::${name}:\\s+(\\d+)`).exec(out)?.[1] ?? "?";
  const seen = [...out.matchAll(/cov: (\d+) ft: (\d+)/g)].pop();
  const paths = `${seen?.[1] ?? "?"} places, ${seen?.[2] ?? "?"} features`;
  process.stdout.write(
    `${target.padEnd(14)} ${code === 0 ? "ok    " : "BROKEN"} ${stat("number_of_executed_units")} inputs, ${paths}, peak ${stat("peak_rss_mb")} MB\n`,
  );
  if (code !== 0) process.stdout.write(`${out.slice(-6000)}\n`);
  return code === 0 ? [] : [`${target}: the inputs that broke it are in ${shown(broken)}`];
}

/** Targets and seconds out of the command line. */
function wanted(args, targets) {
  const chosen = [];
  let seconds = SECONDS;
  for (let at = 0; at < args.length; at += 1) {
    if (args[at] === "--seconds" && /^\d+$/.test(args[at + 1] ?? "")) {
      at += 1;
      seconds = Number(args[at]);
    } else if (targets.includes(args[at])) {
      chosen.push(args[at]);
    } else {
      throw new Plain(`${args[at]} is no target. There are: ${targets.join(", ")}; --seconds N sets the time of each.`);
    }
  }
  return { chosen: chosen.length ? chosen : targets, seconds };
}

await main(async () => {
  const targets = fs.readdirSync(path.join(CRATE, "seeds")).sort();
  const { chosen, seconds } = wanted(process.argv.slice(2), targets);
  const driver = await build();
  const found = [];
  for (const target of chosen) found.push(...(await fuzz(driver, target, seconds)));
  for (const sentence of found) process.stderr.write(`numalens: ${sentence}\n`);
  return found.length ? 1 : 0;
});
