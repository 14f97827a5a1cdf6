import { afterEach, expect, it, vi } from "vitest";
import { recordingClient } from "../../../test-support/recorded-requests.ts";
import { AnalysesApi } from "./analyses.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const SIGNAL = new AbortController().signal;

it("lists, makes, changes, copies and removes analyses", async () => {
  const { client, requests, lines } = recordingClient({ analyses: [{ id: "a" }] });
  const analyses = new AnalysesApi(client);
  expect(await analyses.list()).toEqual([{ id: "a" }]);
  await analyses.one("a");
  await analyses.create(["u1", "u2"], null);
  await analyses.change("a", { title: "New" });
  await analyses.copy("a", { pids: [7] } as never);
  await analyses.delete("a");
  expect(lines()).toEqual([
    "GET /api/v1/analyses",
    "GET /api/v1/analyses/a",
    "POST /api/v1/analyses",
    "PATCH /api/v1/analyses/a",
    "POST /api/v1/analyses/a/copies",
    "DELETE /api/v1/analyses/a",
  ]);
  expect(requests.map(({ body }) => body)).toEqual([
    null,
    null,
    { uploads: ["u1", "u2"], title: null, tolerant: false },
    { title: "New" },
    { pids: [7] },
    null,
  ]);
});

it("reads again with what is named and leaves the rest as it was", async () => {
  const { client, requests } = recordingClient();
  const analyses = new AnalysesApi(client);
  await analyses.reread("a", { tolerant: true });
  await analyses.reread("a", { offsets: { "b.dat": "-12" } });
  expect(requests.map(({ body }) => body)).toEqual([
    { tolerant: true, offsets: null },
    { tolerant: null, offsets: { "b.dat": "-12" } },
  ]);
});

it("compares windows by their place", async () => {
  const { client, lines } = recordingClient();
  const analyses = new AnalysesApi(client);
  const windows = new Map([
    [1, { from: 5n, to: 9n }],
    [2, { from: -1n, to: 3n }],
  ]);
  await analyses.compare({ ids: "a,b:c", base: 1, stepNs: 100, windows }, SIGNAL);
  await analyses.compare({ ids: "a,b", base: 0, stepNs: null, windows: new Map() }, SIGNAL);
  expect(lines()).toEqual([
    "GET /api/v1/compare?ids=a,b:c&base=1&step_ns=100&window=1:5-9&window=2:0-3",
    "GET /api/v1/compare?ids=a,b&base=0",
  ]);
});
