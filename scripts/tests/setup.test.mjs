import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { hint } from "../lib/hints.mjs";
import { at } from "../lib/paths.mjs";
import { compilation, Progress } from "../lib/progress.mjs";
import { main, must, Plain } from "../lib/run.mjs";
import { runAll } from "../lib/setup.mjs";
import { findWheel, steps as setupSteps } from "../lib/steps.mjs";

/** What a setup prints, on a terminal or not. */
function screen(isTTY = false) {
  const lines = [];
  return { isTTY, columns: 200, lines, write: (text) => lines.push(text) };
}

function steps(t, definitions) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "numa lens "));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return Object.entries(definitions).map(([name, { after = [], run = () => {}, inputs = [] }]) => ({
    name,
    says: name,
    after,
    inputs,
    depends: [],
    makes: [],
    stamp: path.join(folder, name),
    run,
  }));
}

test("a step runs after those it needs, others run side by side, and what is done is not done again", async (t) => {
  const order = [];
  const note = (name) => async () => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`${name} ends`);
  };
  const todo = steps(t, {
    last: { after: ["first", "not part of this setup"], run: note("last") },
    first: { run: note("first") },
    other: { run: note("other") },
  });
  assert.equal(await runAll(todo, new Progress(3, screen())), 3);
  assert.ok(order.indexOf("other begins") < order.indexOf("first ends"), order.join());
  assert.ok(order.indexOf("first ends") < order.indexOf("last begins"), order.join());
  assert.equal(await runAll(todo, new Progress(3, screen())), 0);
});

test("after a failure nothing new begins, what was done stays done, and the next run continues", async (t) => {
  let broken = true;
  const begun = [];
  const todo = steps(t, {
    good: { run: () => begun.push("good") },
    bad: {
      after: ["good"],
      run: () => {
        begun.push("bad");
        if (broken) throw new Plain("It failed.");
      },
    },
    next: { after: ["bad"], run: () => begun.push("next") },
  });
  await assert.rejects(runAll(todo, new Progress(3, screen())), /It failed\./);
  assert.deepEqual(begun, ["good", "bad"]);
  broken = false;
  assert.equal(await runAll(todo, new Progress(3, screen())), 2);
  assert.deepEqual(begun, ["good", "bad", "bad", "next"]);
});

test("a long step shows its share and the time left", async () => {
  const terminal = screen(true);
  const progress = new Progress(2, terminal);
  const report = progress.begin({ says: "Engine" });
  report(0.5, "arrow");
  assert.match(terminal.lines.at(-1), /█{10}░{10} Engine: 50 %, about \d+ s left \(arrow\)/);
  progress.begin({ says: "Page" });
  assert.match(terminal.lines.at(-1), /Engine: 50 %/, "the bar stays the last line");

  const log = screen();
  const quiet = new Progress(1, log).begin({ says: "Engine" });
  for (let share = 0; share < 1; share += 0.01) quiet(share, "arrow");
  assert.equal(log.lines.length, 1 + 4, log.lines.join(""));
});

test("Cargo's output becomes a share that only grows", async () => {
  const shares = [];
  const read = await compilation("numalens-columns", (share, what) => shares.push([share, what]));
  read("   Compiling arrow-buffer v60.1.0\n   Comp");
  read("iling numalens-columns v0.1.0 (/somewhere)\nwarning: unused\n");
  assert.deepEqual(
    shares.map(([, what]) => what),
    ["arrow-buffer", "numalens-columns"],
  );
  assert.ok(shares[0][0] < shares[1][0] && shares[1][0] < 1);
});

for (const [what, output, expected] of [
  [
    "a full disk",
    "error: failed to write: No space left on device (os error 28)",
    /disk is full.*GB are free.*continues/,
  ],
  ["no network (npm)", "npm error code EAI_AGAIN\nnpm error request to x failed", /registry did not answer.*continues/],
  ["no network (pip)", "WARNING: Retrying after NewConnectionError", /registry did not answer/],
  ["no network (cargo)", "warning: spurious network error: Could not resolve host: x", /registry did not answer/],
  ["no C compiler", "error: linker `cc` not found", /build-essential/],
  ["too little memory", "process didn't exit successfully (signal: 9, SIGKILL: kill)", /CARGO_BUILD_JOBS=1/],
]) {
  test(`${what} is explained in one message with what helps`, async (t) => {
    const out = [];
    t.mock.method(process.stderr, "write", (text) => out.push(text));
    await main(() => must("The engine could not be built.", "sh", ["-c", `echo "$0" >&2; exit 1`, output]));
    process.exitCode = 0;
    assert.equal(out.length, 1);
    assert.match(out[0], /^numalens: The engine could not be built\. \(sh ended with status 1\) /);
    assert.match(out[0], expected);
  });
}

test("what is not known is shown as the program printed it", async (t) => {
  const out = [];
  t.mock.method(process.stderr, "write", (text) => out.push(text));
  await main(() => must("It failed.", "sh", ["-c", "echo something else; exit 3"]));
  process.exitCode = 0;
  assert.deepEqual(out, ["something else\n", "numalens: It failed. (sh ended with status 3)\n"]);
  assert.equal(hint("something else"), "");
});

test("a wheel can replace the build; one that is not there or of another version is refused", (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "numalens-"));
  t.after(() => {
    fs.rmSync(folder, { recursive: true });
    delete process.env.NUMALENS_WHEEL;
  });
  const { version } = JSON.parse(fs.readFileSync(at("package.json"), "utf8"));
  const arch = process.arch === "arm64" ? "aarch64" : "x86_64";
  const named = (of) => {
    process.env.NUMALENS_WHEEL = path.join(folder, `numalens-${of}-cp311-abi3-linux_${arch}.whl`);
    return process.env.NUMALENS_WHEEL;
  };
  const wheel = named(version);
  assert.throws(findWheel, /NUMALENS_WHEEL: .* is not a wheel/);
  fs.writeFileSync(wheel, "");
  assert.equal(findWheel(), wheel);
  fs.writeFileSync(named(`${version}1`), "");
  assert.throws(findWheel, new RegExp(`does not fit: a wheel of numalens ${version} for ${arch} is needed`));
});

test("wrong options of the server end a first start before the build, help as well", async (t) => {
  const step = (await setupSteps(new Set(["page"]), ["--wrong"])).find(({ name }) => name === "options");
  const native = (await setupSteps(new Set(["page"]))).find(({ name }) => name === "native");
  assert.ok(native.after.includes(step.name));
  t.mock.method(process.stderr, "write", () => true);
  await assert.rejects(step.run(), { status: 2 });
  const status = async (...options) => {
    const [{ run }] = (await setupSteps(new Set(["page"]), options)).filter(({ name }) => name === "options");
    return run().then(
      () => "build",
      (error) => error.status,
    );
  };
  assert.equal(await status("--port", "70000"), 2);
  assert.equal(await status("--help"), 0);
  assert.equal(await status("--port", "9000", "bundle"), "build");
});

test("without Rust, and with an old Node, the first start says what to do", () => {
  const start = (script, env = {}) =>
    spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: at(), encoding: "utf8", env });
  const tools = JSON.stringify(path.join(at("scripts"), "lib", "tools.mjs"));
  const bare = { PATH: "/nowhere", HOME: "/nowhere" };
  const rust = start(`import { checkRust } from ${tools}; await checkRust()`, bare);
  assert.match(rust.stderr, /Rust is needed.*rustup.*NUMALENS_WHEEL/);
  const old = `Object.defineProperty(process.versions, "node", { value: "18.1.0" });`;
  const node = start(`import { checkNode } from ${tools}; ${old} checkNode()`);
  assert.match(node.stderr, /Node 20\.19 or newer is needed, this is 18\.1\.0/);
});
