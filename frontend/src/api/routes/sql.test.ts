import { afterEach, expect, it, vi } from "vitest";
import { recordingClient } from "../../../test-support/recorded-requests.ts";
import { MOST_ROWS, SqlApi } from "./sql.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const SIGNAL = new AbortController().signal;

it("asks with times as digits, in a window or in all", async () => {
  const { client, requests, lines } = recordingClient();
  const sql = new SqlApi(client);
  await sql.rows(
    "a",
    { sql: "SELECT 1", window: { from: 9_007_199_254_740_993n, to: 9_007_199_254_740_995n } },
    SIGNAL,
  );
  await sql.rows("a", { sql: "SELECT 1", window: null }, SIGNAL);
  await sql.schema("a", { from: 1n, to: 2n }, SIGNAL);
  expect(lines()).toEqual([
    "POST /api/v1/analyses/a/sql",
    "POST /api/v1/analyses/a/sql",
    "GET /api/v1/analyses/a/sql/schema?from_ns=1&to_ns=2",
  ]);
  const base = { sql: "SELECT 1", limit: MOST_ROWS };
  expect(requests.slice(0, 2).map(({ body }) => body)).toEqual([
    { ...base, from_ns: "9007199254740993", to_ns: "9007199254740995" },
    { ...base, from_ns: null, to_ns: null },
  ]);
});

it("says whether a file has all rows", async () => {
  for (const truncated of [true, false]) {
    const { client, requests } = recordingClient(
      new Response("a,b\n", { headers: { "X-Truncated": String(truncated) } }),
    );
    const file = await new SqlApi(client).file("a", { sql: "SELECT 1", window: null }, "csv");
    expect(await file.blob.text()).toBe("a,b\n");
    expect(file.truncated).toBe(truncated);
    expect(requests[0]).toMatchObject({
      line: "POST /api/v1/analyses/a/sql/export",
      body: { sql: "SELECT 1", from_ns: null, to_ns: null, format: "csv" },
    });
  }
});
