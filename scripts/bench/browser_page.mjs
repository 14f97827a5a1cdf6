// node browser_page.mjs ADDRESS FILE ROUNDS: a page without a server reads a file; a line of JSON has the seconds until lanes.
import { chromium } from "@playwright/test";
import { findChromium } from "../lib/tools.mjs";

const [address, file, rounds] = process.argv.slice(2);

/** Runs in the page before anything else: from the choice of a file until lanes were drawn and the frame painted. */
function watch() {
  addEventListener("change", () => performance.mark("bench:chosen"), { capture: true, once: true });
  window.benchLanes = new Promise((resolve) => {
    new PerformanceObserver((list) => {
      if (list.getEntriesByName("numalens:lanes").length === 0) return;
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () =>
          resolve(performance.now() - performance.getEntriesByName("bench:chosen")[0].startTime);
        channel.port2.postMessage(null);
      });
    }).observe({ type: "mark", buffered: true });
  });
}

const browser = await chromium.launch({
  executablePath: await findChromium(),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
});
const took = [];
for (let round = 0; round < Number(rounds); round += 1) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(watch);
  await page.goto(address);
  await page.getByTestId("file-input").setInputFiles(file);
  took.push((await page.evaluate(() => window.benchLanes)) / 1000);
  await context.close();
}
await browser.close();
process.stdout.write(`${JSON.stringify(took)}\n`);
