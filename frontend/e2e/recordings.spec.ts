// Recordings of other kinds than the sample's, as they open: on a tablet in the dark and on a large screen in the light, against
// the pictures in `pictures/`; and nothing is too wide for a phone.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { expectFits } from "./support/checks.ts";
import { pictureWide, plainPage, untilDrawn, watchForErrors } from "./support/page.ts";
import { FIXTURES, PRESSURE } from "./support/recording.ts";
import { Server } from "./support/server.ts";

const fixture = (name: string) => join(FIXTURES, name);
const CUT_AT = 0.6;

let server: Server;
let folder: string;

test.beforeAll(async () => {
  server = await Server.start();
  folder = await mkdtemp(join(tmpdir(), "numalens-e2e-cut-"));
});

test.afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function cut(): Promise<readonly string[]> {
  const whole = await readFile(fixture("cling-2x4-small.v7-zstd.dat"));
  const file = join(folder, "cut.dat");
  await writeFile(file, whole.subarray(0, Math.floor(whole.length * CUT_AT)));
  return [file];
}

const KINDS = {
  "perf-data": { files: async () => [fixture("perf/perf-numa-2x4.data.zst")], tab: "findings" },
  "samples-only": { files: async () => [PRESSURE], tab: "pressure" },
  "one-node": { files: async () => [fixture("tc-small.v7-zstd.dat")], tab: "findings" },
  cut: { files: cut, tab: "inputs" },
} as const;

for (const [name, { files, tab }] of Object.entries(KINDS)) {
  test(`a recording of another kind: ${name}`, async ({ browser }) => {
    const id = await server.added(await files(), name, name === "cut");
    const page = await plainPage(browser, "light");
    const errors = watchForErrors(page);
    await page.goto(`${server.address}/a/${id}?v=2&d=${tab}`);
    await untilDrawn(page);
    for (const theme of ["light", "dark"] as const) await pictureWide(page, name, theme);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectFits(page);
    expect(errors).toEqual([]);
    await page.context().close();
  });
}
