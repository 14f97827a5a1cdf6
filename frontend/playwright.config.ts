import { defineConfig } from "@playwright/test";
import { findChromium } from "./e2e/support/chromium.ts";
import { RUNS_ALL } from "./e2e/support/scope.ts";

export default defineConfig({
  testDir: "./e2e",
  outputDir: "./test-results/run",
  ...(RUNS_ALL ? {} : { grepInvert: /@all/ }),
  // The tests of a file run one after the other and share a server; files run in parallel.
  workers: 2,
  fullyParallel: false,
  // A test that passes only the second time is listed as flaky: a fault to fix, but no reason to stop a landing.
  retries: 1,
  // Far more than any test needs, so that no test fails because the machine is busy with something else.
  timeout: 600_000,
  expect: {
    timeout: 90_000,
    toHaveScreenshot: { animations: "disabled", caret: "hide" },
  },
  snapshotPathTemplate: `${process.env["NUMALENS_PICTURES"] ?? "{testDir}/pictures"}/{arg}{ext}`,
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 800 },
    actionTimeout: 90_000,
    // Recording one takes a quarter of the time. For a failed test: --trace on.
    trace: RUNS_ALL ? "retain-on-failure" : "off",
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
