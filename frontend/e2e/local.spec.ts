// A recording read by the browser alone: the server's answers, nothing sent, and the page as one file.
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "@playwright/test";
import { type LocalAnswer, LocalAnswers } from "../src/api/local/answers.ts";
import { Engine, type EngineInput } from "../src/api/local/engine.ts";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { compiledEngine } from "./support/engine.ts";
import { plainPage, untilDrawn, watchForErrors } from "./support/page.ts";
import { pictured } from "./support/pictures.ts";
import { FIXTURES, PRESSURE, TOPOLOGY, TRACE } from "./support/recording.ts";
import { extra } from "./support/scope.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

/** Folder of the built page, as the service finds it. */
const PAGE =
  process.env["NUMALENS_WEB"] ?? fileURLToPath(new URL("../../backend/numalens/page", import.meta.url));
const ONE_FILE = join(PAGE, "numalens.html");
const NUMALENS = fileURLToPath(new URL("../../.venv/bin/numalens", import.meta.url));
const fixture = (name: string) => join(FIXTURES, name);

/** Recordings by format; the gate reads one of trace.dat and one of perf.data. */
const RECORDINGS = {
  "trace.dat with topology and pressure": [TRACE, TOPOLOGY, PRESSURE],
  "trace.dat in zlib": [fixture("tc-small.v7-zlib.dat")],
  "trace.dat in zstd with lost events": [fixture("tc-dropped.v7-zstd.dat")],
  "perf.data in zstd": [fixture("perf/perf-sched-all-z.data.zst")],
  "perf.data with stacks": [fixture("stacks/perf-g.data.zst"), fixture("stacks/kallsyms.zst")],
  "trace.dat with stacks": [fixture("stacks/trace-stacktrace.dat.zst")],
} as const;

const OF_GATE: readonly string[] = ["trace.dat in zstd", "perf.data with stacks"];

const SECTIONS_WITHOUT_A_WINDOW_OF_THEIR_OWN = new Set(["wait", "task", "critical_path", "wait_heat"]);

let server: Server;

test.beforeAll(async () => {
  server = await Server.start();
});

test.afterAll(async () => {
  await server.close();
});

async function engine(): Promise<LocalAnswers> {
  return new LocalAnswers(await Engine.load(await compiledEngine(), () => {}));
}

async function inputs(files: readonly string[]): Promise<EngineInput[]> {
  return Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(file);
      return {
        name: basename(file),
        size: bytes.length,
        read: async (from: number, to: number) => new Uint8Array(bytes.subarray(from, to)),
      };
    }),
  );
}

/** Requests on a new connection: the engine blocks this process for seconds, in which an idle connection would end. */
const ask = (url: string) => fetch(url, { headers: { Connection: "close" } });

const text = ({ bytes }: LocalAnswer) => new TextDecoder().decode(bytes);

/** All addresses below an analysis that its page may request. */
async function addresses(detail: {
  timeline: { window_ns: string[]; nodes: { nid: number; cpus: number[] }[] };
}) {
  const { paths } = JSON.parse(await readFile(new URL("../openapi.json", import.meta.url), "utf8")) as {
    paths: Record<string, unknown>;
  };
  const sections = Object.keys(paths).flatMap((path) => /\/sections\/(\w+)$/.exec(path)?.[1] ?? []);
  const [first = 0n, last = 0n] = detail.timeline.window_ns.map(BigInt);
  const third = (last - first) / 3n;
  const windows = [
    "",
    ...[0n, 1n, 2n].map((at) => `from_ns=${first + at * third}&to_ns=${first + (at + 1n) * third}`),
  ];
  const lanes = detail.timeline.nodes.flatMap(({ nid, cpus }) => [
    `node:${nid}`,
    ...cpus.map((cpu) => `cpu:${cpu}`),
  ]);
  return [
    "tasks",
    "report",
    ...windows.slice(1).map((window) => `timeline?${window}&px=1200&lanes=${lanes.join(",")}`),
    ...sections
      .filter((section) => !SECTIONS_WITHOUT_A_WINDOW_OF_THEIR_OWN.has(section))
      .flatMap((section) => windows.map((window) => `sections/${section}${window && `?${window}`}`)),
    `sections/task?pid=1&${windows[1]}`,
    `sections/critical_path?pid=1&${windows[1]}`,
    `timeline?${windows[1]}&px=800&lanes=task:1,process:1,cgroup:1298368237`,
    `samples/psi?format=csv`,
    ...["csv", "ndjson", "arrow"].map((format) => `event-rows/export?format=${format}&${windows[2]}`),
  ];
}

for (const [name, files] of Object.entries(RECORDINGS)) {
  test(`${name}: every answer is the server's, byte for byte`, extra(!OF_GATE.includes(name)), async () => {
    // First, because the engine blocks this process for longer than the server keeps an idle connection.
    const local = await engine();
    const read = await local.read(await inputs(files), false);
    expect(read.status).toBe(200);
    const id = await server.added(files, name);
    const base = `${server.address}/api/v1/analyses`;
    const theirs = (await (await ask(`${base}/${id}`)).json()) as Record<string, unknown>;
    const ours = JSON.parse(text(read)) as Record<string, unknown>;
    expect(ours["inputs"]).toEqual(theirs["inputs"]);
    expect(ours["timeline"]).toEqual(theirs["timeline"]);
    const different: string[] = [];
    for (const address of await addresses(theirs as Parameters<typeof addresses>[0])) {
      const answer = await ask(`${base}/${id}/${address}`);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const found = local.get(new URL(`${base}/local/${address}`));
      const same = answer.ok ? Buffer.compare(bytes, found.bytes) === 0 : answer.status === found.status;
      if (found.status !== answer.status || !same)
        different.push(`${address}: ${answer.status} ${found.status}`);
    }
    expect(different).toEqual([]);
    // The service formats pages of events and single slices itself: equal in value.
    const rows = await (await ask(`${base}/${id}/event-rows?limit=50`)).json();
    expect(JSON.parse(text(local.get(new URL(`${base}/local/event-rows?limit=50`))))).toEqual(rows);
  });
}

test("a damaged file is rejected with one sentence, and the next recording is read", async () => {
  const local = await engine();
  const bytes = new Uint8Array(5000).fill(7);
  const bad = await local.read(
    [{ name: "x.dat", size: 5000, read: async (from, to) => bytes.subarray(from, to) }],
    false,
  );
  expect(bad.status).toBeGreaterThanOrEqual(400);
  expect(text(bad)).toContain("x.dat");
  expect((await local.read(await inputs([TRACE]), false)).status).toBe(200);
});

/** Chooses files and waits for the lanes. */
async function read(page: Page, ...files: string[]): Promise<void> {
  await page.getByTestId("file-input").setInputFiles(files);
  await untilDrawn(page);
}

test("without an upload nothing is sent to the server", async ({ page }) => {
  const errors = watchForErrors(page);
  await page.goto(server.address);
  await page.getByLabel("Analyze in this browser (no upload)").check();
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/")) sent.push(`${request.method()} ${request.url()}`);
  });
  await read(page, TRACE, TOPOLOGY);
  await expect(page).toHaveURL(/\/local/);
  await expect(page.getByText("nothing was sent anywhere")).toBeVisible();
  expect(sent.filter((line) => line.includes("/uploads") || line.includes("/analyses"))).toEqual([]);
  await expectAccessible(page);
  expect(errors).toEqual([]);
});

test("the page as one file, opened without a server", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  const errors = watchForErrors(page);
  await page.context().setOffline(true);
  await page.goto(pathToFileURL(ONE_FILE).href);
  await pictured(page, "one-file-empty", { height: 480 });
  await read(page, TRACE, TOPOLOGY);
  await expectFits(page);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("one file with a recording opens it", async ({ browser }) => {
  const folder = await mkdtemp(join(tmpdir(), "numalens-one-file-"));
  const file = join(folder, "incident.html");
  execFileSync(NUMALENS, ["convert", fixture("tc-small.v7-zstd.dat"), "--to", "html", "-o", file]);
  const page = await plainPage(browser, "light");
  await page.context().setOffline(true);
  await page.goto(pathToFileURL(file).href);
  await untilDrawn(page);
  await expect(page).toHaveTitle(/tc-small\.v7-zstd\.dat/);
  await page.context().close();
  await rm(folder, { recursive: true });
});
