// Makes the pictures of README.md and docs/slow-request.md: node scripts/pictures.mjs (after npm run setup). The sample's incident
// and the story of its worst wait, and the slow requests of a database, as WebP files in docs/pictures.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { at, venvBin } from "./lib/paths.mjs";
import { findChromium } from "./lib/tools.mjs";

const SIZE = { width: 1200, height: 720 };
const QUALITY = 0.86;

await pictures("cling-2x4-heavy", SIZE, async (page) => {
  const worst = page.getByTestId("worst-wait-chip");
  await worst.waitFor();
  await rest(page);
  await keep(page, "incident.webp");
  await worst.click();
  await page.getByTestId("wait-verdict").waitFor();
  await page.waitForLoadState("networkidle");
  await keep(page, "wait.webp");
});
await pictures("slow-request", { ...SIZE, height: 960 }, async (page) => {
  await page.getByRole("tab", { name: "Requests" }).click();
  await page.getByLabel("service").fill("postgres");
  await page.keyboard.press("Enter");
  const slowest = page.getByTestId("requests-worst").getByRole("button").first();
  await slowest.waitFor();
  await rest(page);
  await page.getByLabel("service").blur();
  await rest(page);
  await keep(page, "requests.webp");
  await slowest.click();
  await rest(page);
  await keep(page, "request.webp");
});

/** Opens a sample on a server of its own and takes pictures of it. */
async function pictures(sample, viewport, take) {
  const data = await mkdtemp(join(tmpdir(), "numalens-pictures-"));
  const port = await freePort();
  const args = ["serve", "--port", String(port), "--data", data, "--sample", at("samples", sample)];
  const server = spawn(venvBin("numalens"), args, { stdio: "ignore" });
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const address = `http://127.0.0.1:${port}`;
    const id = await untilRead(address);
    const page = await browser.newPage({ viewport, deviceScaleFactor: 1, reducedMotion: "reduce" });
    await page.goto(`${address}/a/${id}`);
    await take(page);
  } finally {
    await browser.close();
    server.kill();
    await rm(data, { recursive: true, force: true });
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Waits until nothing is loaded any more. */
async function rest(page) {
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  await page.waitForLoadState("networkidle");
}

/** The id of the sample once it can be shown. */
async function untilRead(address) {
  for (let tries = 0; tries < 600; tries += 1) {
    const answer = await fetch(`${address}/api/v1/analyses`).catch(() => null);
    const [first] = answer?.ok ? (await answer.json()).analyses : [];
    if (first?.status === "ready") return first.id;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("The sample was not read.");
}

/** What the page shows, as WebP: the browser itself writes it. */
async function keep(page, name) {
  const png = (await page.screenshot()).toString("base64");
  const webp = await page.evaluate(
    async ({ png, quality }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${png}`;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext("2d").drawImage(image, 0, 0);
      return canvas.toDataURL("image/webp", quality).split(",")[1];
    },
    { png, quality: QUALITY },
  );
  await mkdir(at("docs", "pictures"), { recursive: true });
  await writeFile(at("docs", "pictures", name), Buffer.from(webp, "base64"));
}
