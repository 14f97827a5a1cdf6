import { afterEach, expect, it, vi } from "vitest";
import { recordingClient, refusal } from "../../../test-support/recorded-requests.ts";
import { ReportsApi } from "./reports.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("lists, writes and removes reports and their revisions", async () => {
  const { client, requests, lines } = recordingClient({ reports: [{ id: "r" }], revisions: [{ number: 1 }] });
  const reports = new ReportsApi(client);
  expect(await reports.list("a")).toEqual([{ id: "r" }]);
  await reports.one("a", "r", new AbortController().signal);
  await reports.create("a", "What happened", "# Words");
  await reports.save("a", "r", { text: "more", revision: 3 } as never);
  await reports.delete("a", "r");
  expect(await reports.revisions("a", "r")).toEqual([{ number: 1 }]);
  await reports.revision("a", "r", 2);
  expect(lines()).toEqual([
    "GET /api/v1/analyses/a/reports",
    "GET /api/v1/analyses/a/reports/r",
    "POST /api/v1/analyses/a/reports",
    "PATCH /api/v1/analyses/a/reports/r",
    "DELETE /api/v1/analyses/a/reports/r",
    "GET /api/v1/analyses/a/reports/r/revisions",
    "GET /api/v1/analyses/a/reports/r/revisions/2",
  ]);
  expect([requests[2]?.body, requests[3]?.body]).toEqual([
    { title: "What happened", text: "# Words" },
    { text: "more", revision: 3 },
  ]);
});

it("tells what somebody else saved meanwhile", async () => {
  const reports = new ReportsApi(recordingClient(refusal(409, "Saved by Bo.", { revision: 4 })).client);
  await expect(reports.save("a", "r", {} as never)).rejects.toMatchObject({ details: { revision: 4 } });
});
