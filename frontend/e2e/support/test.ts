import { test as base } from "@playwright/test";
import { SAMPLE_FOLDER } from "./recording.ts";
import { Server } from "./server.ts";

export { expect } from "@playwright/test";

interface Sample {
  readonly server: Server;
  readonly analysis: string;
}

/** Playwright's `test` with a service that has imported the sample: one for all files that a worker runs. */
export const test = base.extend<object, { sharedSample: Sample }>({
  sharedSample: [
    // Playwright requires the empty pattern.
    // biome-ignore lint/correctness/noEmptyPattern: see above
    async ({}, use) => {
      const server = await Server.start(["--sample", SAMPLE_FOLDER]);
      await use({ server, analysis: await server.readyAnalysis() });
      await server.close();
    },
    { scope: "worker" },
  ],
});

/**
 * The worker's service with the sample, ready when the first test of the file starts. Other files use it too: a file whose tests
 * change anything on the server (a note, a title, a link, a report) uses `serveOwnSample`.
 */
export function serveSample(): Sample {
  const sample = {} as Sample;
  test.beforeAll(({ sharedSample }) => {
    Object.assign(sample, sharedSample);
  });
  return sample;
}

/** A service with the sample for the tests of one file. */
export function serveOwnSample(env: NodeJS.ProcessEnv = {}): Sample {
  const sample = {} as Sample;
  test.beforeAll(async () => {
    const server = await Server.start(["--sample", SAMPLE_FOLDER], env);
    Object.assign(sample, { server, analysis: await server.readyAnalysis() });
  });
  test.afterAll(async () => {
    await sample.server.close();
  });
  return sample;
}
