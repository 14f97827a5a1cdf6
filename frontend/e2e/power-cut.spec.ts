// kill -9 of the server during an upload and during an import: nothing that was acknowledged is lost.
import { choose, sentShare, untilDrawn, untilSent, uploadRow, watchForErrors } from "./support/page.ts";
import { Wire } from "./support/proxy.ts";
import { TOPOLOGY, TRACE, TRACE_BYTES } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

test("uploads and imports survive kill -9 without help", { tag: "@all" }, async ({ page }) => {
  const errors = watchForErrors(page);
  const server = await Server.start();
  const wire = await Wire.open(server.port, 5_000_000);
  try {
    await page.goto(`${wire.address}/`);
    await choose(page, TRACE, TOPOLOGY);
    const trace = uploadRow(page, "trace.dat");
    await untilSent(trace, 0.5);
    await server.kill();
    await expect(trace).toHaveAttribute("data-state", "retrying");
    await expect(trace).toContainText("No connection to the server; retrying.");
    const before = wire.sent;
    const kept = await sentShare(trace);
    await server.run();
    wire.rate = 50_000_000;
    await page.waitForURL(/\/a\/[\w-]+/, { timeout: 60_000 });
    // At most the chunk in flight, of 4 MiB, is sent twice.
    expect(wire.sent - before).toBeLessThan(TRACE_BYTES * (1 - kept) + 5_000_000);

    await expect(page.getByTestId("stage")).toBeVisible();
    await server.kill();
    await server.run();
    await untilDrawn(page);
    await expect(page.getByText("4 CPUs · 4-7")).toBeVisible();
    await page.goto(`${wire.address}/`);
    await expect(page.getByTestId("analyses").locator("tbody tr")).toHaveCount(1);
    await expect(page.getByTestId("analyses")).toContainText("1,212,501");
    expect(errors).toEqual([]);
  } finally {
    await wire.close();
    await server.close();
  }
});
