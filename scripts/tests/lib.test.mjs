import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { chosenOf, wanted } from "../fuzz.mjs";
import { outcomeOf } from "../lib/audit.mjs";
import { cargoLock, npmLock, pythonLock } from "../lib/checks.mjs";
import { circles, dependencies, ofAMachine, pythonLayers, required, rustLayers, upward } from "../lib/layers.mjs";
import { isAllowed, npmPackages, problems, pythonPackages } from "../lib/licences.mjs";
import { nameByLikeness } from "../lib/likeness.mjs";
import { absoluteLinks, releaseNotes, withAddresses } from "../lib/package.mjs";
import { run } from "../lib/run.mjs";
import { runStages } from "../lib/stages.mjs";
import { contentHash, filesBelow } from "../lib/stamp.mjs";
import { findPython } from "../lib/tools.mjs";
import {
  codeProblems,
  commentProblems,
  documentProblems,
  formerWords,
  problemsOfComments,
  sourceProblems,
  textProblems,
  wordsIn,
} from "../lib/words.mjs";

const LIB = new URL("../lib/", import.meta.url).href;

/** A fresh folder whose name holds a space, as a user's might. */
function folder(t) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), "numa lens "));
  t.after(() => fs.rmSync(made, { recursive: true }));
  return made;
}

/** Runs a module text in a process of its own; resolves to the child once `ready` was printed. */
function started(text) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", text], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  const ready = new Promise((resolve) => {
    child.stdout.on("data", (chunk) => {
      out += chunk;
      if (out.includes("ready")) resolve();
    });
  });
  const ended = new Promise((resolve) => child.on("close", (code) => resolve({ code, out })));
  return { child, ready, ended };
}

test("a content hash follows contents and names, not times", (t) => {
  const base = folder(t);
  const file = path.join(base, "a.txt");
  fs.writeFileSync(file, "one");
  const first = contentHash(base, filesBelow([base]));
  fs.utimesSync(file, 1, 1);
  assert.equal(contentHash(base, filesBelow([base])), first);
  fs.writeFileSync(file, "two");
  assert.notEqual(contentHash(base, filesBelow([base])), first);
  fs.writeFileSync(file, "one");
  assert.equal(contentHash(base, filesBelow([base])), first);
  fs.renameSync(file, path.join(base, "b.txt"));
  assert.notEqual(contentHash(base, filesBelow([base])), first);
  assert.notEqual(contentHash(base, [], ["x"]), contentHash(base, [], ["y"]));
});

test("what builds leave behind is no input", (t) => {
  const base = folder(t);
  for (const name of ["src", "node_modules", "target", "x.egg-info"]) {
    fs.mkdirSync(path.join(base, name));
    fs.writeFileSync(path.join(base, name, "file"), "");
  }
  assert.deepEqual(filesBelow([base, path.join(base, "missing")]), [path.join(base, "src", "file")]);
});

test("a program that does not exist is status 127, one that a signal ended 128 and more", async () => {
  assert.equal((await run("no-such-program", [], { capture: true })).code, 127);
  const killed = await run("sh", ["-c", "kill -TERM $$"], { capture: true });
  assert.equal(killed.code, 143);
});

test("every stage runs although the first failed, and the sum is told", async () => {
  const { ended } = started(`
    import { runStages } from "${LIB}stages.mjs";
    process.exitCode = await runStages([
      { name: "one", command: "sh", args: ["-c", "echo why; seq 9999; echo so; exit 3"] },
      { name: "two", body: () => { throw new Error("broken"); } },
      { name: "three", body: () => ["a problem"] },
      { name: "four", command: "true", args: [] },
      { name: "five", body: () => {} },
    ]);`);
  const { code, out } = await ended;
  assert.equal(code, 1);
  assert.match(out, /one +[\d.]+ s {2}FAILED \(status 3\)/);
  assert.match(out, /four +[\d.]+ s {2}passed/);
  assert.match(out, /\n2 passed, 3 failed\n$/);
  // A log that is cut to its end still shows what failed, and nothing of what passed.
  const [, again] = out.split("=== how one ended\n");
  assert.match(
    again,
    /\n9999\nso\n(.|\n)*=== how two ended\n(.|\n)*broken\n(.|\n)*=== how three ended\n(.|\n)*a problem\n/,
  );
  assert.doesNotMatch(again, /why|how four/);
});

test("stages run side by side, in the order they need, and the output of each is in one piece", async (t) => {
  const base = folder(t);
  // Each of the first two waits for the other, so they run at the same time.
  const meet = (own, other) =>
    `echo ${own} 1; touch ${own}; while ! [ -e ${other} ]; do sleep 0.02; done; echo ${own} 2`;
  const sh = (name, script, more) => ({ name, command: "sh", args: ["-c", script], cwd: base, ...more });
  const alone = "if [ -e held ]; then echo held by another; fi; touch held; sleep 0.2; rm held";
  const stages = [
    sh("after both", "echo last", { after: ["a", "b"] }),
    sh("a", meet("a", "b")),
    sh("b", meet("b", "a"), { load: 3 }),
    sh("c", alone, { lock: "one" }),
    sh("d", alone, { lock: "one" }),
    sh("e", "true", { load: 9 }),
  ];
  const { ended } = started(`
    import { runStages } from "${LIB}stages.mjs";
    process.exitCode = await runStages(${JSON.stringify(stages)}, { room: 6 });`);
  const { code, out } = await ended;
  assert.equal(code, 0);
  const lines = out.slice(0, out.indexOf("\nafter both ")).split("\n");
  for (const name of ["a", "b"]) {
    assert.equal(lines.indexOf(`${name} 2`), lines.indexOf(`${name} 1`) + 1);
    assert.ok(lines.indexOf("last") > lines.indexOf(`${name} 2`));
  }
  assert.ok(!lines.includes("held by another"));
  assert.match(out, /\n6 passed, 0 failed\n$/);
});

test("stages that cannot begin are said, not waited for", async () => {
  const stages = [
    { name: "a", after: ["b"] },
    { name: "b", after: ["a"] },
  ];
  await assert.rejects(runStages(stages), /No stage can begin: a, b/);
});

test("a signal ends every stage that runs", async () => {
  const { child, ready, ended } = started(`
    import { runStages } from "${LIB}stages.mjs";
    const sleep = { command: "sh", args: ["-c", "echo rea''dy; exec sleep 60"] };
    await runStages([{ name: "a", ...sleep }, { name: "b", ...sleep }], { room: 2 });`);
  await ready;
  const before = Date.now();
  child.kill("SIGTERM");
  assert.equal((await ended).code, 143);
  assert.ok(Date.now() - before < 30_000);
});

test("the environment is made by the Python that made it, whatever comes first on PATH", async (t) => {
  const base = folder(t);
  for (const name of ["first", "other"]) {
    fs.mkdirSync(path.join(base, name));
    const script = `#!/bin/sh\necho 3 12 ${name === "first" ? 1 : 2} 1 "$0"\n`;
    fs.writeFileSync(path.join(base, name, "python3"), script, { mode: 0o755 });
  }
  const [first, other] = ["first", "other"].map((name) => path.join(base, name, "python3"));
  const venv = path.join(base, "venv");
  fs.mkdirSync(venv);
  const before = process.env.PATH;
  t.after(() => {
    process.env.PATH = before;
  });
  process.env.PATH = `${path.dirname(other)}${path.delimiter}${before}`;
  assert.equal((await findPython(venv)).executable, other);
  fs.writeFileSync(path.join(venv, "pyvenv.cfg"), `home = x\ncommand = ${first} -m venv ${venv}\n`);
  assert.equal((await findPython(venv)).executable, first);
  fs.rmSync(first);
  assert.equal((await findPython(venv)).executable, other);
});

test("a server gets a signal once, however often it came, and its orderly end is status 0", async () => {
  const inner = `let n = 0; process.on("SIGTERM", () => { n += 1;
    setTimeout(() => { console.log("signals " + n); process.exit(0); }, 200); });
    setInterval(() => {}, 1000); console.log("ready");`;
  const { child, ready, ended } = started(`
    import { serve } from "${LIB}run.mjs";
    process.exitCode = await serve([{ command: process.execPath, args: ["-e", ${JSON.stringify(inner)}] }]);`);
  await ready;
  child.kill("SIGTERM");
  child.kill("SIGTERM");
  const { code, out } = await ended;
  assert.equal(code, 0);
  assert.match(out, /signals 1\n/);
});

test("a server does not outlive whoever started it", async () => {
  const inner = `process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1000); console.log("ready " + process.pid);`;
  const middle = `
    import { serve } from "${LIB}run.mjs";
    await serve([{ command: process.execPath, args: ["-e", ${JSON.stringify(inner)}] }]);`;
  const { child, ready, ended } = started(`
    import { spawn } from "node:child_process";
    spawn(process.execPath, ["--input-type=module", "-e", ${JSON.stringify(middle)}], { stdio: "inherit" });`);
  await ready;
  child.kill("SIGKILL");
  // The pipe closes when the last process that holds it has ended: the server itself.
  const { out } = await ended;
  assert.throws(() => process.kill(Number(/ready (\d+)/.exec(out)[1]), 0), { code: "ESRCH" });
});

test("a signal that ends a script ends the program it is running", async () => {
  const { child, ready, ended } = started(`
    import { run } from "${LIB}run.mjs";
    await run("sh", ["-c", "echo ready; exec sleep 60"]);`);
  await ready;
  const before = Date.now();
  child.kill("SIGTERM");
  assert.equal((await ended).code, 143);
  assert.ok(Date.now() - before < 10_000);
});

test("a server's own failure is the status, and its neighbour is told to end", async () => {
  const { ended } = started(`
    import { serve } from "${LIB}run.mjs";
    process.exitCode = await serve([
      { command: "sh", args: ["-c", "sleep 0.2; exit 7"] },
      { command: "sleep", args: ["60"] },
    ]);`);
  assert.equal((await ended).code, 7);
});

test("a watched program is started anew when a file changed, and only then ends with the rest", async (t) => {
  const base = folder(t);
  const inner = `console.log("ready " + process.pid); setInterval(() => {}, 1000);`;
  const { child, ready, ended } = started(`
    import { serve } from "${LIB}run.mjs";
    const program = { command: process.execPath, args: ["-e", ${JSON.stringify(inner)}], watch: ${JSON.stringify(base)} };
    process.exitCode = await serve([program]);`);
  await ready;
  fs.writeFileSync(path.join(base, "changed.py"), "1");
  await new Promise((resolve) => {
    let seen = 0;
    child.stdout.on("data", (chunk) => {
      seen += String(chunk).match(/ready/g)?.length ?? 0;
      if (seen === 1) resolve();
    });
  });
  child.kill("SIGTERM");
  const { code, out } = await ended;
  assert.equal(code, 0);
  const pids = out.match(/ready \d+/g);
  assert.equal(new Set(pids).size, 2);
});

test("lock files with addresses or without hashes are found", () => {
  assert.deepEqual(
    npmLock({ packages: { "": {}, frontend: {}, "node_modules/f": { link: true, resolved: "frontend" } } }),
    [],
  );
  assert.deepEqual(npmLock({ packages: { "node_modules/a": { integrity: "sha512-x" } } }), []);
  assert.equal(npmLock({ packages: { "node_modules/a": { integrity: "x", resolved: "somewhere" } } }).length, 1);
  assert.equal(npmLock({ packages: { "node_modules/a": {} } }).length, 1);
  assert.deepEqual(pythonLock("r.lock", "a==1 \\\n    --hash=sha256:00\n"), []);
  assert.equal(pythonLock("r.lock", "# from ://x\na==1 --hash=sha256:00\n").length, 1);
  assert.equal(pythonLock("r.lock", "--index-url x\na[b]==1\n").length, 2);
  assert.deepEqual(cargoLock('source = "registry+https://github.com/rust-lang/crates.io-index"\n'), []);
  assert.equal(cargoLock('source = "git+somewhere"\n').length, 1);
});

test("names are without the former words, which comments and texts may have", () => {
  const at = (file, text) => wordsIn(file, text).map((problem) => problem.replace(/.*: /, ""));
  assert.deepEqual(at("a.py", "# told\nx = 'told'; whom_of = told"), ["whom_of", "told"]);
  assert.deepEqual(at("a.rs", "/// asked\nstruct Known { is_asked: &'a str }"), ["is_asked", "struct Known"]);
  assert.deepEqual(at("told/rows.ts", "const askedFor = `told`; type Stretched = 1;"), ["its name", "askedFor"]);
  assert.deepEqual(formerWords(), []);
});

test("phrases that read as if translated and long sentences are found in prose, and nowhere else", () => {
  const found = (text) => textProblems("a.md", text).map((problem) => problem.split(": ")[1]);
  assert.deepEqual(found("# Title\n\nThe file tells whom it waits\nfor, unless given, too.\n"), [
    '"tells"',
    '"whom"',
    '"unless given"',
    '", too"',
  ]);
  assert.deepEqual(textProblems("a.md", "One.\n\nIt goes on here.\n")[0], 'a.md:3: "goes on": continue');
  assert.deepEqual(found("`told` and [a link](people.md)\n\n    told\n\n```\nwhom\n```\n"), []);
  assert.deepEqual(found("There is no end. It is no longer one; everything else, too much.\n"), []);
  const words = (count) => "word ".repeat(count).trim();
  assert.deepEqual(found(`${words(36)}.\n`), ["a sentence of 36 words; at most 35"]);
  const short = [`${words(30)}. ${words(30)}.`, `| ${words(30)} | ${words(30)} |`, `- ${words(30)}\n- ${words(30)}`];
  assert.deepEqual(found(short.join("\n\n")), []);
  assert.deepEqual(documentProblems(), []);
});

test("phrases, long sentences and openings are found in texts and doc comments, and not in code", () => {
  const found = (file, source) => sourceProblems(file, source).map((problem) => problem.replace(/^[^:]*:/, ""));
  const rust = `/// Its end,\n/// told to whom.\npub end: u64,\n// told\nformat!("nothing \\\n   tells {told} why");\n`;
  assert.deepEqual(found("a.rs", rust).sort(), [
    '1: "Its" first: begin with a noun or verb',
    '2: "told": say, show, report',
    '2: "whom": a role, such as user or administrator, or the passive',
    '5: "tells": say, show, report',
  ]);
  assert.deepEqual(found("a.rs", '/// End.\nlet whom = "whom";\n#[cfg(test)]\nmod tests {\n/// What.\n}\n'), []);
  const python = 'def a() -> str:\n    """What it tells."""\n    return f"{x if y is None else \'a\'} of the users"\n';
  assert.deepEqual(found("a.py", python).length, 2);
  assert.deepEqual(found("a.py", 'ROWS = """\nselect who tells from whom\n"""\n'), []);
  const page = `/** Whether so. */\nconst a = <p title="it tells">So it\n goes on {told} here.</p>; // told\n`;
  assert.deepEqual(found("a.tsx", page), [
    '1: "Whether" first: begin with a noun or verb',
    '2: "tells": say, show, report',
    '2: "goes on": continue',
  ]);
  const long = "word ".repeat(36).trim();
  assert.deepEqual(found("a.ts", `const a = "${long}";`), ["1: a sentence of 36 words; at most 35"]);
  assert.deepEqual(codeProblems(), []);
});

test("phrases are found in plain comments, tests included, and neither in code nor in notes for linters", () => {
  const found = (file, source) => problemsOfComments(file, source).map((problem) => problem.replace(/^[^:]*:/, ""));
  const rust = `/// Told.\n// Nothing\n// tells. \`told\`\nlet told = "told"; // meanwhile\n#[cfg(test)]\nmod tests {\n// Stands for one.\n}\n`;
  assert.deepEqual(found("a.rs", rust), ['3: "tells": say, show, report', '4: "meanwhile": during the wait']);
  assert.deepEqual(found("a.py", "#!told\nx = 1  # noqa: told\n# of it\n# nobody\n").length, 1);
  assert.deepEqual(found("a.ts", "/* told */ const a = 1; // biome-ignore told\n/** told */\n"), [
    '1: "told": say, show, report',
  ]);
  assert.deepEqual(commentProblems(), []);
});

test("crates depend on those below them, and the engine has no paths, threads or clocks", () => {
  const manifest = (crate) =>
    `[dependencies]\narrow = 1\nnumalens-${crate}.workspace = true\n\n[dev-dependencies]\nnumalens-native = 1\n`;
  assert.deepEqual(dependencies("bundle", manifest("trace-dat")), []);
  assert.deepEqual(dependencies("bundle", manifest("export")), ["bundle depends on export, which is above it"]);
  assert.equal(dependencies("bundle", manifest("cellar")).length, 1);
  const text = "// std::fs\nuse std::path::Path;\n#[cfg(test)]\nuse std::time::Instant;\n";
  assert.deepEqual(ofAMachine(text), ["std::path"]);
  assert.deepEqual(rustLayers(), []);
});

test("imports of Python packages run down and in no circle", () => {
  const low = "    from numalens.jobs.task import Task\n";
  assert.deepEqual(upward(new Map([["jobs.task", "import numalens.store.blobs\nfrom numalens import errors"]])), []);
  assert.deepEqual(upward(new Map([["sandbox.child", low]])), ["sandbox.child imports jobs.task, which is above it"]);
  assert.equal(upward(new Map([["jobs.task", "from numalens.cellar import Wine"]])).length, 1);
  const around = new Map([
    ["perfetto.shell", "from numalens.perfetto.sql.worker import main"],
    ["perfetto.sql.worker", "from numalens.perfetto import shell"],
  ]);
  assert.deepEqual(circles(around), ["folders import each other: perfetto -> perfetto.sql -> perfetto"]);
  assert.deepEqual(circles(new Map([...around].slice(0, 1))), []);
  assert.deepEqual(pythonLayers(), []);
});

test("an optional package is imported by what needs it, or in a function", () => {
  const text = "from numalens.fleet.database import Entry";
  assert.equal(
    required(new Map([["api.services", text]]))[0],
    "api.services imports fleet.database, which is optional",
  );
  assert.equal(required(new Map([["api.app", "from numalens.api import (\n    compare,\n    fleet,\n)"]])).length, 1);
  assert.notDeepEqual(required(new Map([["api.sql", "from numalens.api.fleet import FleetPart"]])), []);
  assert.deepEqual(required(new Map([["api.fleet", text]])), []);
  assert.deepEqual(required(new Map([["api.services", `def make():\n    ${text}`]])), []);
});

test("fuzzing takes targets, and how long each goes on", () => {
  const targets = ["one", "two"];
  assert.deepEqual(wanted([], targets), { chosen: targets, seconds: 60, keeps: false });
  assert.deepEqual(wanted(["two", "--hours", "0.5"], targets), { chosen: ["two"], seconds: 1800, keeps: false });
  assert.deepEqual(wanted(["--seconds", "7", "--keep"], targets), { chosen: targets, seconds: 7, keeps: true });
  for (const wrong of [["--hours"], ["--hours", "0"], ["--seconds", "x"], ["three"]]) {
    assert.throws(() => wanted(wrong, targets), /is no target. There are: one, two;/);
  }
});

test("the smallest of what was learned becomes seeds, as long as there is room", () => {
  const seeds = new Map([["old", 50]]);
  const merged = new Map([...seeds, ["large", 40], ["small", 10], ["middle", 30]]);
  assert.deepEqual(chosenOf(merged, seeds, 100), { added: ["small", "middle"], bytes: 90 });
  assert.deepEqual(chosenOf(merged, seeds, 20), { added: [], bytes: 50 });
});

test("notes of a release are the newest section of the changelog, whole", () => {
  const changelog = "# Changelog\n\nWords.\n\n## 2.0\n\n### Added\n\n- Two.\n\n## 1.0\n\n- One.\n";
  assert.equal(releaseNotes(changelog), "### Added\n\n- Two.\n");
  assert.throws(() => releaseNotes("# Changelog\n"), /no section/);
});

test("like functions of a module get names that follow each other", () => {
  const body = (factor, last) => [100, ...Array.from({ length: 99 }, (_, at) => (at * at * factor) % 251), last];
  const bodies = [body(3, 1), body(7, 2), body(3, 4), body(7, 5)];
  const code = bodies.flat();
  // Two imports, whose bytes do not matter, and so the numbers of functions begin with 2.
  const module = [...[0, 97, 115, 109, 1, 0, 0, 0], 2, 2, 2, 0, 10, 0x95, 3, bodies.length, ...code];
  const named = Buffer.from(nameByLikeness(Uint8Array.from(module)));
  assert.deepEqual([...named.subarray(0, module.length)], module);
  const names = named
    .subarray(module.length)
    .toString("latin1")
    .slice(-4 * 8);
  const shown = ["000000", "000002", "000001", "000003"].map((name, at) => String.fromCharCode(2 + at, 6) + name);
  assert.equal(names, shown.join(""));
});

test("a licence is allowed by its expression", () => {
  const allowed = ["MIT", "MIT/Apache-2.0", "GPL-3.0-only OR MIT", "(MIT OR GPL-2.0-only) AND Zlib"];
  const refused = [
    "",
    "GPL-3.0-only",
    "MIT AND GPL-3.0-only",
    "GPL-2.0-only WITH LLVM-exception",
    "(MIT",
    "MIT)",
    "MIT MIT",
  ];
  for (const each of [...allowed, "Apache-2.0 WITH LLVM-exception"]) assert.ok(isAllowed(each), each);
  for (const each of refused) assert.ok(!isAllowed(each), each);
});

test("a dependency without an allowed licence is reported, unless there is a reason", () => {
  const lock = { packages: { "": {}, frontend: {}, "node_modules/a": { license: "MIT" }, "x/node_modules/@b/c": {} } };
  const installed = [
    { name: "Psycopg", expression: "LGPL-3.0-only", classifiers: [], text: null },
    { name: "old", expression: null, classifiers: ["BSD License"], text: "see LICENSE" },
    { name: "odd", expression: null, classifiers: [], text: "see LICENSE" },
  ];
  const { found, unused } = problems([...npmPackages(lock), ...pythonPackages(installed)]);
  assert.deepEqual(
    found.map((each) => each.split(":")[0]),
    ["npm @b/c", "python odd"],
  );
  assert.deepEqual(unused, ["npm combine-errors", "python psycopg-binary"]);
});

test("an audit whose source cannot be reached is skipped, one that found something fails", () => {
  const hint = "install it";
  assert.deepEqual(outcomeOf({ code: 0, out: "" }, hint), { outcome: "ok" });
  const unknown = "idna Dependency not found on PyPI and could not be audited: idna (3.20)";
  assert.match(outcomeOf({ code: 0, out: unknown }, hint).reason, /does not know 1 of/);
  assert.deepEqual(outcomeOf({ code: 127, out: "" }, hint), { outcome: "skipped", reason: hint });
  assert.deepEqual(outcomeOf({ code: 101, out: "error: no such command: `deny`" }, hint).reason, hint);
  assert.equal(outcomeOf({ code: 1, out: "npm error getaddrinfo ENOTFOUND" }, hint).outcome, "skipped");
  assert.equal(outcomeOf({ code: 1, out: "1 high severity vulnerability" }, hint).outcome, "found");
});

test("links and pictures of a README lead to the repository at the tag", () => {
  const base = "https://example.org/o/r";
  const text = "![a](docs/p.webp) [b](docs/x.md#y) [c](https://x.example) [d](#e) [f](LICENSE)";
  assert.equal(
    absoluteLinks(text, base, "v1"),
    `![a](${base}/raw/v1/docs/p.webp) [b](${base}/blob/v1/docs/x.md#y) [c](https://x.example) [d](#e) [f](${base}/blob/v1/LICENSE)`,
  );
  const readme = absoluteLinks(fs.readFileSync(new URL("../../README.md", import.meta.url), "utf8"), base, "v1");
  assert.deepEqual(readme.match(/\]\((?!https:|#)[^)]*\)/g), null);
  assert.match(
    withAddresses("[project.scripts]\n", base),
    /^\[project\.urls\]\nHomepage = "https:\/\/example\.org\/o\/r"\n/,
  );
});
