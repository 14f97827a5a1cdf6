import { test } from "@playwright/test";
import { SAMPLE_FOLDER } from "./recording.ts";
import { Server } from "./server.ts";

/** The service with the sample, for all tests of a file: it is there when the first of them begins. */
export function serveSample(): { readonly server: Server; readonly analysis: string } {
  const sample = {} as { server: Server; analysis: string };
  test.beforeAll(async () => {
    sample.server = await Server.start(["--sample", SAMPLE_FOLDER]);
    sample.analysis = await sample.server.readyAnalysis();
  });
  test.afterAll(async () => {
    await sample.server.close();
  });
  return sample;
}
