import { afterEach, describe, expect, it, vi } from "vitest";
import { recordingClient, refusal } from "../../../test-support/recorded-requests.ts";
import { AnalysesApi } from "./analyses.ts";
import { DownloadsApi } from "./downloads.ts";
import { EventsApi } from "./events.ts";
import { FleetApi } from "./fleet.ts";
import { NotesApi } from "./notes.ts";
import { ReportsApi } from "./reports.ts";
import { type SectionName, type SectionQuery, SectionsApi, type WaitCell } from "./sections.ts";
import { SharesApi } from "./shares.ts";
import { MOST_ROWS, SqlApi } from "./sql.ts";
import { TimelineApi } from "./timeline.ts";
import { PeopleApi } from "./users.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("analyses", () => {
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
      { tolerant: true, offsets: null, uploads: [] },
      { tolerant: null, offsets: { "b.dat": "-12" }, uploads: [] },
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
      "GET /api/v1/compare?ids=a,b:c&base=1&decisions=true&step_ns=100&window=1:5-9&window=2:0-3",
      "GET /api/v1/compare?ids=a,b&base=0&decisions=true",
    ]);
  });
});

describe("downloads", () => {
  const WINDOW = { from: 1n, to: 2n };
  const BASE = "/api/v1/analyses/a%2Fb";

  it("has addresses in which no name is more than a name", () => {
    const downloads = new DownloadsApi(recordingClient().client);
    expect(downloads.events("a/b", "sched:x&y", "csv")).toBe(`${BASE}/events/sched%3Ax%26y?format=csv`);
    const query = { filter: "comm=a&b", window: null, after: null };
    const rows = `${BASE}/event-rows/export?filter=comm%3Da%26b&format=ndjson`;
    expect(downloads.eventRows("a/b", query, "ndjson")).toBe(rows);
    expect(downloads.eventRows("a/b", { ...query, window: WINDOW }, "ndjson")).toBe(
      `${rows}&from_ns=1&to_ns=2`,
    );
    const samples = `${BASE}/samples/psi%3Fx?format=arrow`;
    expect(downloads.samples("a/b", "psi?x", "arrow")).toBe(samples);
    expect(downloads.samples("a/b", "psi?x", "arrow", WINDOW)).toBe(`${samples}&from_ns=1&to_ns=2`);
    expect(downloads.trace("a/b", null)).toBe(`${BASE}/trace.pftrace`);
    expect(downloads.trace("a/b", WINDOW)).toBe(`${BASE}/trace.pftrace?from_ns=1&to_ns=2`);
  });

  it("opens one with the token that a link cannot carry", async () => {
    const { client, requests } = recordingClient(new Response("rows"), "the-token");
    const answer = await new DownloadsApi(client).open(`${BASE}/trace.pftrace`);
    expect(await answer.text()).toBe("rows");
    expect(requests[0]?.headers.get("X-NumaLens-Share")).toBe("the-token");
  });
});

describe("events", () => {
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
});

describe("fleet", () => {
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
});

describe("notes", () => {
  it("lists, writes, changes and removes notes, by their own secret in a header", async () => {
    const { client, requests, lines } = recordingClient({ notes: [{ id: "n" }] });
    const notes = new NotesApi(client);
    expect(await notes.list("a")).toEqual([{ id: "n" }]);
    await notes.create("a", { text: "Look." } as never);
    await notes.change("a", "n", "Here.", "secret");
    await notes.delete("a", "n", "secret");
    await notes.delete("a", "n", null);
    expect(lines()).toEqual([
      "GET /api/v1/analyses/a/notes",
      "POST /api/v1/analyses/a/notes",
      "PATCH /api/v1/analyses/a/notes/n",
      "DELETE /api/v1/analyses/a/notes/n",
      "DELETE /api/v1/analyses/a/notes/n",
    ]);
    expect(requests.map(({ headers }) => headers.get("X-NumaLens-Note"))).toEqual([
      null,
      null,
      "secret",
      "secret",
      null,
    ]);
    expect(requests[2]?.body).toEqual({ text: "Here." });
  });
});

describe("reports", () => {
  it("lists, writes and removes reports and their revisions", async () => {
    const { client, requests, lines } = recordingClient({
      reports: [{ id: "r" }],
      revisions: [{ number: 1 }],
    });
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
});

describe("sections", () => {
  const SIGNAL = new AbortController().signal;
  const WINDOW = { from: 5n, to: 9n };
  const CELL: WaitCell = { kind: "preempted", leastNs: "10", belowNs: "20", from: 6n, to: 7n } as never;

  /** The part of the address behind the analysis. */
  async function requested(name: SectionName, query: SectionQuery): Promise<string> {
    const { client, lines } = recordingClient({ available: true });
    expect(await new SectionsApi(client).get(name, "a", query, SIGNAL)).toEqual({ available: true });
    return lines().join().replace("GET /api/v1/analyses/a/sections/", "");
  }

  it.each<[SectionName, string]>([
    ["findings", ""],
    ["latency", "limit=200"],
    ["psi", ""],
    ["utilisation", ""],
    ["residency", "limit=200"],
    ["wait_heat", ""],
    ["waits", "limit=200"],
    ["wait", ""],
    ["waste", ""],
    ["numa_balancing", "limit=200"],
    ["cling", "limit=200"],
    ["page_migration", ""],
    ["placement", ""],
    ["vmstat", ""],
    ["wakeup_placement", ""],
    ["idle_balancing", "limit=500"],
  ])("requests %s in a window and in all", async (name, more) => {
    expect(await requested(name, { window: null })).toBe(more === "" ? name : `${name}?${more}`);
    const within = "from_ns=5&to_ns=9";
    expect(await requested(name, { window: WINDOW })).toBe(
      `${name}?${[within, more].filter(Boolean).join("&")}`,
    );
  });

  it.each<[SectionName, Omit<SectionQuery, "window">, string]>([
    ["latency", { listed: 3 }, "latency?limit=3"],
    ["psi", { rules: "5.14" }, "psi?psi_rules=5.14"],
    ["utilisation", { stepNs: 100 }, "utilisation?step_ns=100"],
    ["waits", { cell: CELL, listed: 3 }, waitsOf("kind=preempted&least_ns=10&below_ns=20", "limit=3")],
    ["wait", { wait: { pid: 4, cpu: 1 } }, "wait?pid=4&cpu=1"],
    ["numa_balancing", { listed: 3 }, "numa_balancing?limit=3"],
    ["idle_balancing", { listed: 3 }, "idle_balancing?limit=3"],
    ["cling", { listed: 3 }, "cling?limit=3"],
    // Also the degree 0 is one.
    ["cling", { degree: 0, listed: 3 }, "cling?degree=0&limit=1"],
  ])("requests %s with what is its own", async (name, query, line) => {
    expect(await requested(name, { window: null, ...query })).toBe(line);
  });

  function waitsOf(what: string, limit: string): string {
    return `waits?${what}&ended_from_ns=6&ended_to_ns=7&${limit}`;
  }
});

describe("shares", () => {
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
});

describe("sql", () => {
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
});

describe("timeline", () => {
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
});

describe("users", () => {
  it("signs in and out", async () => {
    const { client, requests, lines } = recordingClient({
      url: "https://issuer.example/",
      return_to: "/a/x",
    });
    const people = new PeopleApi(client);
    expect(await people.beginSignIn("/a/x")).toBe("https://issuer.example/");
    expect(await people.finishSignIn("code", "state")).toBe("/a/x");
    expect(await people.signOut(true)).toBe("https://issuer.example/");
    expect(lines()).toEqual([
      "POST /api/v1/sign-in/begin",
      "POST /api/v1/sign-in/finish",
      "POST /api/v1/sign-out",
    ]);
    expect(requests.map(({ body }) => body)).toEqual([
      { return_to: "/a/x" },
      { code: "code", state: "state" },
      { everywhere: true },
    ]);
  });

  it("names owners and readers, and hands over", async () => {
    const { client, requests, lines } = recordingClient({ members: [{ id: "p" }] });
    const people = new PeopleApi(client);
    expect(await people.people("a")).toEqual([{ id: "p" }]);
    await people.putPerson("a", { name: "bo", role: "reader" } as never);
    await people.removePerson("a", "p");
    await people.handOver("a", "bo");
    await people.takeBack("a");
    expect(lines()).toEqual([
      "GET /api/v1/analyses/a/permissions",
      "PUT /api/v1/analyses/a/permissions",
      "DELETE /api/v1/analyses/a/permissions/p",
      "POST /api/v1/analyses/a/ownership-transfer",
      "DELETE /api/v1/analyses/a/ownership-transfer",
    ]);
    expect(requests[3]?.body).toEqual({ to: "bo" });
  });

  it("lists, makes and revokes tokens", async () => {
    const { client, lines } = recordingClient({ tokens: [{ id: "t" }] });
    const people = new PeopleApi(client);
    expect(await people.tokens()).toEqual([{ id: "t" }]);
    await people.createToken({ scope: "upload" } as never);
    await people.revokeToken("t");
    expect(lines()).toEqual(["GET /api/v1/tokens", "POST /api/v1/tokens", "DELETE /api/v1/tokens/t"]);
  });
});
