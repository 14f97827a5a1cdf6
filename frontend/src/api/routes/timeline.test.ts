import { afterEach, expect, it, vi } from "vitest";
import { recordingClient, refusal } from "../../../test-support/recorded-requests.ts";
import { TimelineApi } from "./timeline.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const SIGNAL = new AbortController().signal;

it("asks for columns and tasks as bytes", async () => {
  const { client, lines } = recordingClient(new Response("abcd"));
  const timeline = new TimelineApi(client);
  const query = { lanes: ["cpu.0", "cpu.1"], from: -3n, to: 9_007_199_254_740_993n, px: 640 };
  expect((await timeline.columns("a", query, SIGNAL)).byteLength).toBe(4);
  expect((await timeline.tasks("a", SIGNAL)).byteLength).toBe(4);
  expect(lines()).toEqual([
    "GET /api/v1/analyses/a/timeline?from_ns=0&to_ns=9007199254740993&px=640&lanes=cpu.0,cpu.1",
    "GET /api/v1/analyses/a/tasks",
  ]);
});

it("finds slices, and null where nobody ran", async () => {
  const { client, lines } = recordingClient({ pid: 3 });
  const timeline = new TimelineApi(client);
  expect(await timeline.slice("a", 2, 11n, SIGNAL)).toEqual({ pid: 3 });
  expect(await timeline.neighbour("a", 3, 11n, "prev", SIGNAL)).toEqual({ pid: 3 });
  expect(lines()).toEqual([
    "GET /api/v1/analyses/a/slice?cpu=2&t_ns=11",
    "GET /api/v1/analyses/a/slice/next?pid=3&t_ns=11&dir=prev",
  ]);
  const idle = new TimelineApi(recordingClient(refusal(404, "Nobody ran.")).client);
  expect(await idle.slice("a", 2, 11n, SIGNAL)).toBeNull();
  expect(await idle.neighbour("a", 3, 11n, "next", SIGNAL)).toBeNull();
});
