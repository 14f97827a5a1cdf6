import { afterEach, expect, it, vi } from "vitest";
import { recordingClient } from "../../../test-support/recorded-requests.ts";
import { EventsApi } from "./events.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("asks for events page by page", async () => {
  const { client, lines } = recordingClient();
  const events = new EventsApi(client);
  const { signal } = new AbortController();
  await events.rows("a", { filter: "pid=1&2", window: { from: 1n, to: 2n }, after: "77" }, 50, signal);
  await events.rows("a", { filter: "", window: null, after: null }, 50, signal);
  expect(lines()).toEqual([
    "GET /api/v1/analyses/a/event-rows?filter=pid=1&2&from_ns=1&to_ns=2&after=77&limit=50",
    "GET /api/v1/analyses/a/event-rows?filter=&limit=50",
  ]);
});
