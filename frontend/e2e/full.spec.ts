// A full disk, and a store that is full or denies access: the page shows the service's message, and continues afterwards.
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { choose, uploadRow } from "./support/page.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

const FILE = fileURLToPath(new URL("../../samples/fixtures/tc-small.v7-zstd.dat", import.meta.url));
const NAME = "tc-small.v7-zstd.dat";

/** An empty S3 server that rejects every write with `code`. */
class UnwillingStore {
  status = 507;
  code = "InsufficientStorage";
  readonly #server: HttpServer = createServer((request, response) => this.#answer(request, response));

  async start(): Promise<Record<string, string>> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    return {
      NUMALENS_STORE: "s3://team/numalens",
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: "nobody",
      AWS_SECRET_ACCESS_KEY: "nothing",
      AWS_REGION: "us-east-1",
    };
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    request.resume().on("end", () => {
      if (request.method === "PUT" || this.status === 403) this.#error(response, this.status, this.code);
      else if (request.method === "GET" && request.url?.includes("list-type=2")) {
        response.end("<ListBucketResult></ListBucketResult>");
      } else if (request.method === "POST") response.end("<DeleteResult></DeleteResult>");
      else this.#error(response, 404, "NoSuchKey");
    });
  }

  #error(response: ServerResponse, status: number, code: string): void {
    response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
  }
}

test("a full disk stops an upload with one sentence, and the upload resumes when there is room", {
  tag: "@all",
}, async ({ page }) => {
  const server = await Server.start();
  let answer: { status: number; sentence: string } | null = {
    status: 503,
    sentence: "The database is on its way.",
  };
  try {
    await page.route("**/api/v1/uploads/**", async (route) => {
      if (answer === null || route.request().method() === "HEAD") return route.continue();
      const { status, sentence } = answer;
      return route.fulfill({ status, json: { error: { sentence } } });
    });
    await page.goto(`${server.address}/`);
    await choose(page, FILE);
    const row = uploadRow(page, NAME);
    // A temporary error is shown, and the upload is tried again.
    await expect(row).toContainText("The database is on its way. Retrying.");
    answer = { status: 507, sentence: "The disk is full." };
    await expect(row).toHaveAttribute("data-state", "failed");
    await expect(row.getByRole("alert")).toHaveText("The disk is full.");
    answer = null;
    await row.getByRole("button", { name: "Resume" }).click();
    await page.waitForURL(/\/a\//);
  } finally {
    await server.close();
  }
});

test("a full store fails the import, and a store that denies access makes it wait, each with one sentence", {
  tag: "@all",
}, async ({ page }) => {
  const store = new UnwillingStore();
  const server = await Server.start([], await store.start());
  try {
    await page.goto(`${server.address}/`);
    await choose(page, FILE);
    await page.waitForURL(/\/a\//);
    await expect(page.getByRole("heading", { name: "This recording could not be read" })).toBeVisible();
    await expect(page.getByTestId("sentence")).toContainText("is full (507 InsufficientStorage)");
    await expect(page.getByText("The files are fine")).toBeVisible();
    store.status = 403;
    store.code = "InvalidAccessKeyId";
    await page.getByRole("button", { name: "Read again" }).click();
    await expect(page.getByTestId("stage")).toContainText("correct AWS_ACCESS_KEY_ID");
  } finally {
    await server.close();
    store.close();
  }
});
