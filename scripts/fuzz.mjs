// npm run fuzz -- [target ...] [--seconds N | --hours N] [--keep]: looks for inputs that break a reader, or the engine on a
// bundle; without a target, every one in turn, each for so long.
//
// libFuzzer needs to see which code an input reaches. Stable Rust passes LLVM the options for that, so no other
// compiler is needed; a C++ compiler builds libFuzzer itself. What was learned stays in .fuzz/corpus for the next run;
// `--keep` adds what of it reaches new code to the seeds that are in git, the smallest first, as long as there is room.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { at, shown } from "./lib/paths.mjs";
import { main, must, Plain, run } from "./lib/run.mjs";

const CRATE = at("trace_parsers", "fuzz");
const KEPT = at(".fuzz");
/** Seeds of a target are in one archive, which the driver unpacks and packs. */
const ARCHIVE = ".tar.zst";
const SECONDS = 60;
/** Memory of a run, MB: a reader's own need is far below, whatever the input says. */
const MEMORY = 512;
/** Longest time for one input, s. */
const HANG = 10;
const LONGEST_INPUT = 1 << 17;
/** Most bytes of the unpacked seeds of one target. */
const MOST_KEPT = 400_000;

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

/** Folders of a target: unpacked seeds, what was learned, and what broke it in this run. */
function folders(target) {
  const of = (base, kind) => path.join(base, kind, target);
  const all = {
    seeds: of(KEPT, "seeds"),
    corpus: of(KEPT, "corpus"),
    broken: of(KEPT, "broken"),
  };
  for (const folder of [all.seeds, all.corpus, all.broken]) fs.mkdirSync(folder, { recursive: true });
  return all;
}

async function fuzz(driver, target, seconds) {
  const { seeds, corpus, broken } = folders(target);
  // Left from an earlier run: seeds of another commit, perhaps.
  for (const name of fs.readdirSync(seeds)) fs.rmSync(path.join(seeds, name));
  const options = {
    artifact_prefix: `${broken}${path.sep}`,
    max_len: LONGEST_INPUT,
    max_total_time: seconds,
    print_final_stats: 1,
    rss_limit_mb: MEMORY,
    timeout: HANG,
  };
  const args = Object.entries(options).map(([name, value]) => `-${name}=${value}`);
  const env = { NUMALENS_FUZZ_TARGET: target, NUMALENS_FUZZ_UNPACK: seeds, RUST_BACKTRACE: "1" };
  const given = [corpus, seeds].filter((folder) => fs.existsSync(folder));
  const { code, out } = await run(driver, [...args, ...given], { env, capture: true });
  const stat = (name) => new RegExp(`stat::${name}:\\s+(\\d+)`).exec(out)?.[1] ?? "?";
  const seen = [...out.matchAll(/cov: (\d+) ft: (\d+)/g)].pop();
  const paths = `${seen?.[1] ?? "?"} places, ${seen?.[2] ?? "?"} features`;
  process.stdout.write(
    `${target.padEnd(14)} ${code === 0 ? "ok    " : "BROKEN"} ${stat("number_of_executed_units")} inputs, ${paths}, peak ${stat("peak_rss_mb")} MB\n`,
  );
  if (code !== 0) process.stdout.write(`${out.slice(-6000)}\n`);
  return code === 0 ? [] : [`${target}: the inputs that broke it are in ${shown(broken)}`];
}

/** Adds to a target's seeds what was learned that they do not reach. */
async function keep(driver, target) {
  const { seeds, corpus } = folders(target);
  const merged = fs.mkdtempSync(path.join(os.tmpdir(), "numalens-fuzz-"));
  try {
    fs.cpSync(seeds, merged, { recursive: true });
    const args = ["-merge=1", `-max_len=${LONGEST_INPUT}`, `-rss_limit_mb=${MEMORY}`, merged, corpus];
    const env = { NUMALENS_FUZZ_TARGET: target };
    await must(`The corpus of ${target} could not be merged.`, driver, args, { env, capture: true });
    const { added, bytes } = chosenOf(sizes(merged), sizes(seeds), MOST_KEPT);
    for (const name of added) fs.copyFileSync(path.join(merged, name), path.join(seeds, name));
    if (added.length > 0)
      await must(`The seeds of ${target} could not be packed.`, driver, [], {
        env: { ...env, NUMALENS_FUZZ_PACK: seeds },
        capture: true,
      });
    process.stdout.write(`${target.padEnd(14)} ${added.length} seeds added, ${bytes} bytes in all\n`);
  } finally {
    fs.rmSync(merged, { recursive: true });
  }
}

const sizes = (folder) =>
  new Map(fs.readdirSync(folder).map((name) => [name, fs.statSync(path.join(folder, name)).size]));

/** Which of the merged inputs become seeds: the smallest, until all have `most` bytes. */
export function chosenOf(merged, seeds, most) {
  let bytes = [...seeds.values()].reduce((sum, size) => sum + size, 0);
  const added = [];
  for (const [name, size] of [...merged].sort((one, other) => one[1] - other[1])) {
    if (seeds.has(name) || bytes + size > most) continue;
    bytes += size;
    added.push(name);
  }
  return { added, bytes };
}

const UNITS = { "--seconds": 1, "--hours": 3600 };

/** Targets, the seconds of each and whether to keep seeds, out of the command line. */
export function wanted(args, targets) {
  const chosen = [];
  let seconds = SECONDS;
  let keeps = false;
  for (let at = 0; at < args.length; at += 1) {
    if (args[at] in UNITS && Number(args[at + 1]) > 0) {
      seconds = Math.ceil(UNITS[args[at]] * Number(args[at + 1]));
      at += 1;
    } else if (args[at] === "--keep") {
      keeps = true;
    } else if (targets.includes(args[at])) {
      chosen.push(args[at]);
    } else {
      throw new Plain(
        `${args[at]} is no target. There are: ${targets.join(", ")}; --seconds N or --hours N sets the time of each, --keep adds seeds.`,
      );
    }
  }
  return { chosen: chosen.length ? chosen : targets, seconds, keeps };
}

async function fuzzAll() {
  const archives = fs.readdirSync(path.join(CRATE, "seeds")).filter((name) => name.endsWith(ARCHIVE));
  const targets = archives.map((name) => name.slice(0, -ARCHIVE.length)).sort();
  const { chosen, seconds, keeps } = wanted(process.argv.slice(2), targets);
  const driver = await build();
  const found = [];
  for (const target of chosen) {
    found.push(...(await fuzz(driver, target, seconds)));
    if (keeps) await keep(driver, target);
  }
  for (const sentence of found) process.stderr.write(`numalens: ${sentence}\n`);
  return found.length ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(fuzzAll);
