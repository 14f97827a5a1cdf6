import { defineConfig } from "@playwright/test";
import { findChromium } from "./e2e/support/chromium.ts";

export default defineConfig({
  testDir: "./e2e",
  outputDir: "./test-results/run",
  // Each test starts its own server and data folder; two at once would only wait for each other's parser.
  workers: 1,
  fullyParallel: false,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 800 },
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: findChromium(),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
      ],
    },
  },
});
