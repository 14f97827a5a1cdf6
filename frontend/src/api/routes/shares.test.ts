import { afterEach, expect, it, vi } from "vitest";
import { recordingClient } from "../../../test-support/recorded-requests.ts";
import { SharesApi } from "./shares.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("lists, makes, prolongs, ends and opens links", async () => {
  const { client, requests, lines } = recordingClient({ shares: [{ id: "s" }] });
  const shares = new SharesApi(client);
  expect(await shares.list("a")).toEqual([{ id: "s" }]);
  expect(await shares.all()).toEqual([{ id: "s" }]);
  await shares.create("a", { label: "for Bo" } as never);
  await shares.extend("a", "s", 3600);
  await shares.extend("a", "s", null);
  await shares.revoke("a", "s");
  await shares.open("the-token");
  expect(lines()).toEqual([
    "GET /api/v1/analyses/a/shares",
    "GET /api/v1/shares",
    "POST /api/v1/analyses/a/shares",
    "PATCH /api/v1/analyses/a/shares/s",
    "PATCH /api/v1/analyses/a/shares/s",
    "DELETE /api/v1/analyses/a/shares/s",
    "POST /api/v1/shares/open",
  ]);
  expect(requests.map(({ body }) => body).filter(Boolean)).toEqual([
    { label: "for Bo" },
    { expires_in_s: 3600 },
    { expires_in_s: null },
    // Never in an address, which servers write down.
    { token: "the-token" },
  ]);
});
