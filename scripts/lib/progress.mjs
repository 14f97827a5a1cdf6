import { run } from "./run.mjs";

/** Crates that take longest to compile, in units of the others, as `cargo build --profile start --timings` shows them. */
const HEAVY = new Map(
  Object.entries({
    "numalens-replay": 16,
    "numalens-bundle": 11,
    "numalens-engine": 6,
    "numalens-off-cpu": 6,
    "arrow-array": 5,
    "numalens-waits": 5,
    "numalens-cling": 5,
    "zstd-sys": 5,
    "numalens-psi": 4,
    "numalens-idle-balancing": 4,
    "arrow-select": 14,
    "numalens-export": 3,
    "numalens-page-migration": 3,
    jiff: 3,
    "numalens-numa-balancing": 3,
    "numalens-ftrace-text": 3,
  }),
);
const WIDTH = 20;

/** Lines on what a setup is doing; on a terminal the last one is a bar with the time left. */
export class Progress {
  #total;
  #begun = 0;
  #bar = "";

  /** @param {number} total number of steps */
  constructor(total, out = process.stdout) {
    this.#total = total;
    this.out = out;
  }

  /** Reports the start of a step; returns the function that shows its progress (0 to 1). */
  begin({ says }) {
    this.#begun += 1;
    this.#line(`[${this.#begun}/${this.#total}] ${says}`);
    const started = performance.now();
    let shown = 0;
    return (share, what) => {
      const seconds = (performance.now() - started) / 1000;
      const left = share > 0.05 ? `, about ${duration((seconds * (1 - share)) / share)} left` : "";
      const text = `${says}: ${Math.round(share * 100)} %${left} (${what})`;
      if (this.out.isTTY) this.#draw(`${bar(share)} ${text}`);
      else if (share >= shown + 0.2) {
        shown = share;
        this.#line(`  ${text}`);
      }
    };
  }

  /** Counts a step that is done, or had nothing to do. */
  done() {
    if (this.#bar) this.#draw("");
  }

  end() {
    this.#draw("");
  }

  #line(text) {
    const last = this.#bar;
    this.#draw("");
    this.out.write(`${text}\n`);
    this.#draw(last);
  }

  #draw(text) {
    if (!this.out.isTTY || (!text && !this.#bar)) return;
    this.#bar = text;
    this.out.write(`\r\x1b[K${text.slice(0, (this.out.columns ?? 80) - 1)}`);
  }
}

const bar = (share) => {
  const full = Math.round(share * WIDTH);
  return `${"█".repeat(full)}${"░".repeat(WIDTH - full)}`;
};

const duration = (seconds) => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`);

/**
 * A reader of Cargo's output that reports which share of the crates below `crate` was begun, the heavy ones counting for more.
 *
 * @param {(share: number, what: string) => void} report
 */
export async function compilation(crate, report) {
  const tree = ["tree", "--locked", "-p", crate, "-e", "normal,build", "--prefix", "none", "--no-dedupe"];
  const { out } = await run("cargo", tree, { capture: true });
  const names = new Set(out.split("\n").map((line) => line.split(" ").slice(0, 2).join(" ")));
  names.delete("");
  const weight = (name) => HEAVY.get(name) ?? 1;
  const total = [...names].reduce((sum, each) => sum + weight(each.split(" ")[0]), 0);
  let begun = 0;
  let rest = "";
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const name = /^\s*Compiling (\S+) v/.exec(line)?.[1];
      if (!name) continue;
      // It has begun, not ended: a heavy one counts when the next begins.
      report(Math.min(begun / total, 0.99), name);
      begun += weight(name);
    }
  };
}
