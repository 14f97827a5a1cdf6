import { defineConfig } from "@playwright/test";
import { findChromium } from "./e2e/support/chromium.ts";

export default defineConfig({
  testDir: "./e2e",
  outputDir: "./test-results/run",
  // The tests of a file share a server and its data folder; files run side by side, each with its own.
  workers: 2,
  fullyParallel: false,
  retries: 0,
  // Far more than any test needs: other work on the machine must fail none.
  timeout: 600_000,
  expect: {
    timeout: 90_000,
    toHaveScreenshot: { animations: "disabled", caret: "hide" },
  },
  snapshotPathTemplate: "{testDir}/pictures/{arg}{ext}",
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 800 },
    actionTimeout: 90_000,
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: findChromium(),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-lcd-text",
        "--font-render-hinting=none",
        "--force-color-profile=srgb",
        "--no-first-run",
      ],
    },
  },
});
