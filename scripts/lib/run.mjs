import { spawn } from "node:child_process";
import fs from "node:fs";
import { hint } from "./hints.mjs";
import { ROOT } from "./paths.mjs";

/** The script ends with this status; whatever there was to say is printed. */
export class Ended extends Error {
  constructor(status) {
    super(`ended with status ${status}`);
    this.status = status;
  }
}

/** Characters of a failed program's output that are shown. */
const MOST_OUTPUT = 10_000;

/** Something went wrong that the person at the terminal can act on: printed as one sentence, without a stack. */
export class Plain extends Error {
  /** @param {string} output what a program printed before it failed, shown where the sentence does not explain it */
  constructor(message, output = "") {
    super(message);
    this.output = output;
  }
}

/**
 * Runs a program to its end and returns its exit status (128 + n when signal n ended it).
 * Output goes straight to the terminal unless `capture` or `quiet` is set, which return it with the status instead
 * (`capture: "stdout"`: that alone), or `show`, which is given it piece by piece.
 *
 * @returns {Promise<{code: number, out: string}>} code 127 when the program does not exist
 */
export function run(command, args = [], { env = {}, cwd = ROOT, capture = false, quiet = false, show } = {}) {
  return new Promise((resolve) => {
    const stderr = capture === "stdout" ? "inherit" : "pipe";
    const stdio = capture || quiet || show ? ["ignore", "pipe", stderr] : ["ignore", "inherit", "inherit"];
    const child = follow(() => spawn(command, args, { cwd, stdio, env: { ...process.env, ...env } }));
    let out = "";
    const keep = (chunk) => {
      show?.(chunk);
      if (capture || quiet) out += chunk;
    };
    child.stdout?.setEncoding("utf8").on("data", keep);
    child.stderr?.setEncoding("utf8").on("data", keep);
    const finish = (code, text) => {
      leave(child);
      resolve({ code, out: text });
    };
    child.on("error", (error) => finish(error.code === "ENOENT" ? 127 : 126, error.message));
    child.on("close", (code, signal) => finish(code ?? 128 + (SIGNALS[signal] ?? 0), out));
  });
}

const children = new Set();

const FATAL = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Starts a child; while children run, a signal that would end this process also ends all of them. */
function follow(start) {
  // Before the child begins: it may say at once that it is ready, and its reader may end us.
  if (children.size === 0) for (const signal of FATAL) process.on(signal, endAll);
  const child = start();
  children.add(child);
  return child;
}

function leave(child) {
  children.delete(child);
  if (children.size === 0) for (const signal of FATAL) process.off(signal, endAll);
}

function endAll(signal) {
  for (const child of children) child.kill(signal);
  process.exit(128 + SIGNALS[signal]);
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };

/** Runs a program; when it fails, throws `Plain(sentence)` with what it printed. */
export async function must(sentence, command, args = [], options = {}) {
  const { code, out } = await run(command, args, { quiet: true, ...options });
  if (code !== 0) throw new Plain(`${sentence} (${command.split("/").pop()} ended with status ${code})`, out);
  return out;
}

/** Runs a script's main function: a `Plain` error becomes one line on stderr, anything else keeps its stack. */
export async function main(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    if (error instanceof Ended) {
      process.exitCode = error.status;
      return;
    }
    if (!(error instanceof Plain)) throw error;
    const known = hint(error.output);
    // Where the cause is known, the program's own output would only hide the sentence.
    if (!known) process.stderr.write(error.output.slice(-MOST_OUTPUT));
    process.stderr.write(`numalens: ${[error.message, known].filter(Boolean).join(" ")}\n`);
    process.exitCode = 1;
  }
}

/**
 * Runs long-living programs side by side until one of them ends; the others are then ended.
 *
 * Each program gets its own process group: Ctrl-C reaches a terminal's whole foreground group, and npm forwards it
 * once more, so a server in the same group would see it two or three times and skip its orderly end.
 *
 * @param programs {{command: string, args: string[], env?: object, cwd?: string, watch?: string}[]}
 *   a program with `watch` is started anew whenever a file below that folder changed
 * @returns exit status of the program that ended first (0 when it ended because a signal asked for it)
 */
export function serve(programs) {
  return new Promise((resolve) => {
    const running = new Map();
    let stopping = false;
    let status = null;
    let lastForwarded = 0;
    // The parent may be killed without notice; the programs must not outlive it unseen.
    const parent = process.ppid;
    const orphaned = setInterval(() => {
      if (process.ppid === parent) return;
      stopping = true;
      clearInterval(orphaned);
      tellAll("SIGTERM");
    }, 1000);
    const tell = (child, signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        // It ended in the meantime.
      }
    };
    const tellAll = (signal) => {
      for (const child of running.values()) tell(child, signal);
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      process.on(signal, () => {
        stopping = true;
        const now = Date.now();
        if (now - lastForwarded < 1000) return;
        lastForwarded = now;
        tellAll(signal === "SIGHUP" ? "SIGTERM" : signal);
      });
    }
    const start = (program) => {
      const { command, args, env = {}, cwd = ROOT } = program;
      const child = spawn(command, args, { cwd, stdio: "inherit", detached: true, env: { ...process.env, ...env } });
      running.set(program, child);
      child.on("error", (error) => {
        process.stderr.write(`numalens: ${command} could not be started: ${error.message}\n`);
        ended(program, 127);
      });
      child.on("exit", (code, signal) => ended(program, code ?? 128 + (SIGNALS[signal] ?? 0)));
    };
    const ended = (program, code) => {
      if (!running.delete(program)) return;
      if (program.changed && status === null && !stopping) {
        program.changed = false;
        start(program);
        return;
      }
      status ??= stopping && code > 128 ? 0 : code;
      if (running.size > 0) tellAll("SIGTERM");
      else {
        clearInterval(orphaned);
        for (const { watcher } of programs) watcher?.close();
        resolve(status);
      }
    };
    for (const program of programs) {
      start(program);
      if (!program.watch) continue;
      let timer;
      program.watcher = fs.watch(program.watch, { recursive: true }, (_, name) => {
        if (!name || /__pycache__|\.pyc$|~$/.test(name)) return;
        clearTimeout(timer);
        timer = setTimeout(() => {
          program.changed = true;
          const child = running.get(program);
          if (child) tell(child, "SIGTERM");
        }, 300);
      });
    }
  });
}
