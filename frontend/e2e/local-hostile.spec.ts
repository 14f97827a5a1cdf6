// Hostile recordings in the browser's engine: each ends in an answer or one sentence, and the page survives its worker.
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Page } from "@playwright/test";
import { LocalAnswers } from "../src/api/local/answers.ts";
import { Engine } from "../src/api/local/engine.ts";
import { asEngineFile, compiledEngine } from "./support/engine.ts";
import { TRACE } from "./support/recording.ts";
import { RUNS_ALL } from "./support/scope.ts";
import { unpackSeeds } from "./support/seeds.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

/** A folder of inputs that exhaust memory or time, if there is one. */
const EXHAUSTING = process.env["NUMALENS_HOSTILE"] ?? "";
/** More than any input takes on a busy machine, ms of one core. */
const MOST_MS = 60_000;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function outcome(module: WebAssembly.Module, file: string, tolerant: boolean): Promise<string> {
  const engine = await Engine.load(module, () => {});
  const bytes = readFileSync(file);
  const before = process.cpuUsage();
  const read = await new LocalAnswers(engine).read(
    [
      {
        name: basename(file),
        size: bytes.length,
        read: async (from, to) => new Uint8Array(bytes.subarray(from, to)),
      },
    ],
    tolerant,
  );
  const { user, system } = process.cpuUsage(before);
  if ((user + system) / 1000 > MOST_MS) return `took ${(user + system) / 1e6} s`;
  if (read.status === 200) return "";
  const { error } = JSON.parse(new TextDecoder().decode(read.bytes)) as { error: { sentence?: string } };
  return read.status < 500 && /^[^\n]+$/.test(error.sentence ?? "") ? "" : `${read.status} ${error.sentence}`;
}

async function expectOutcomes(files: readonly string[]): Promise<void> {
  const module = await compiledEngine();
  expect(files.length).toBeGreaterThan(0);
  const wrong: string[] = [];
  for (const file of files)
    for (const tolerant of [false, true]) {
      const found = await outcome(module, file, tolerant).catch((error: unknown) => String(error));
      if (found !== "") wrong.push(`${file}: ${found}`);
    }
  expect(wrong).toEqual([]);
}

test("seeds of the fuzzers, and inputs that once made a reader fail, end with an answer or one sentence", async () => {
  const folder = await mkdtemp(join(tmpdir(), "numalens-e2e-seeds-"));
  try {
    const files = filesBelow(unpackSeeds(folder)).sort();
    await expectOutcomes(
      files.filter((file, place) => RUNS_ALL || place % 200 === 0 || basename(file).startsWith("broke-")),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

if (EXHAUSTING !== "") {
  test("inputs that exhaust end with an answer or one sentence", { tag: "@all" }, async () => {
    await expectOutcomes(filesBelow(EXHAUSTING));
  });
}

const UNREACHABLE = [0x00];
/** `loop br 0 end unreachable` */
const FOREVER = [0x03, 0x40, 0x0c, 0x00, 0x0b, 0x00];

/** A module with the engine's functions and the given body of `call`. */
function moduleThat(call: readonly number[]): Buffer {
  const text = (word: string) => [word.length, ...Buffer.from(word)];
  const section = (id: number, entries: readonly (readonly number[])[]) => {
    const content = [entries.length, ...entries.flat()];
    return [id, content.length, ...content];
  };
  const place = [0x41, 0x10];
  const functions: readonly (readonly [string, number, readonly number[]])[] = [
    ["start", 0, []],
    ["input", 1, place],
    ["request", 1, place],
    ["call", 2, call],
    ["answer", 2, place],
    ["answer_len", 2, place],
  ];
  return Buffer.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [
      [0x60, 0, 0],
      [0x60, 1, 0x7f, 1, 0x7f],
      [0x60, 0, 1, 0x7f],
    ]),
    ...section(
      3,
      functions.map(([, type]) => [type]),
    ),
    // 1,024 pages are 64 MiB, more than the recording.
    ...section(5, [[0x00, 0x80, 0x08]]),
    ...section(7, [[...text("memory"), 2, 0], ...functions.map(([name], at) => [...text(name), 0, at])]),
    ...section(
      10,
      functions.map(([, , body]) => [body.length + 2, 0, ...body, 0x0b]),
    ),
  ]);
}

test.describe("a page whose engine", () => {
  let server: Server;
  test.beforeAll(async () => {
    server = await Server.start();
  });
  test.afterAll(async () => {
    await server.close();
  });

  async function reading(page: Page, call: readonly number[]): Promise<void> {
    await page.route(/engine.*\.bin/, (route) => route.fulfill({ body: asEngineFile(moduleThat(call)) }));
    await page.goto(server.address);
    await page.getByLabel("Analyze in this browser (no upload)").check();
    await page.getByTestId("file-input").setInputFiles(TRACE);
  }

  test("crashes says so in one sentence, and offers another file", async ({ page }) => {
    await reading(page, UNREACHABLE);
    await expect(page.getByTestId("sentence")).toHaveText(/failed on this recording.*\.$/);
    await page.getByRole("button", { name: "Another file" }).click();
    await expect(page.getByRole("region", { name: "Upload", exact: true })).toBeVisible();
  });

  test("never returns can be cancelled", { tag: "@all" }, async ({ page }) => {
    await reading(page, FOREVER);
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("region", { name: "Upload", exact: true })).toBeVisible();
    await page.getByRole("button", { name: /^(Light|Dark)$/ }).click();
    await expect.poll(() => page.workers().length).toBe(0);
  });

  test("reports no progress for two minutes is stopped", { tag: "@all" }, async ({ page }) => {
    await page.clock.install();
    await reading(page, FOREVER);
    await expect(page.getByRole("button", { name: "Cancel" })).toBeVisible();
    await expect.poll(() => page.workers().length).toBe(1);
    await page.clock.fastForward("02:01");
    await expect(page.getByTestId("sentence")).toHaveText(/made no progress for two minutes.*\.$/);
  });
});
