import { afterEach, expect, it, vi } from "vitest";
import { recordingClient } from "../../../test-support/recorded-requests.ts";
import { FleetApi } from "./fleet.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("asks over all analyses", async () => {
  const { client, requests, lines } = recordingClient();
  const fleet = new FleetApi(client);
  const { signal } = new AbortController();
  const query = { machine: ["m1", "m2"] } as never;
  await fleet.overview(signal);
  await fleet.machines(query, signal);
  await fleet.metric({ metric: "wake_p99", by: "kernel", every: "week" } as never, signal);
  await fleet.upgrade({ before: "6.6", after: "6.12" } as never, signal);
  await fleet.findings({ every: "day" } as never, signal);
  await fleet.sql("SELECT 1", signal);
  expect(lines()).toEqual([
    "GET /api/v1/fleet",
    "GET /api/v1/fleet/machines?machine=m1&machine=m2",
    "GET /api/v1/fleet/metric?metric=wake_p99&by=kernel&every=week",
    "GET /api/v1/fleet/upgrade?before=6.6&after=6.12",
    "GET /api/v1/fleet/findings?every=day",
    "POST /api/v1/fleet/sql",
  ]);
  expect(requests.at(-1)?.body).toEqual({ sql: "SELECT 1", limit: 1000 });
});
