import { describe, expect, it } from "vitest";
import {
  formatNav,
  type NavRow,
  type NavThread,
  navMove,
  navRows,
  navSays,
  parseNav,
  USUAL_NAV,
} from "./navigator.ts";

const thread = (pid: number, change: Partial<NavThread> = {}): NavThread => ({
  ...{ pid, comm: `t${pid}`, tgid: null, cgroup: null, numa_group: null, nid: null, run_ns: 0, wait_ns: 0 },
  ...change,
});

const section = {
  threads: [
    thread(7, { comm: "db", tgid: 7, cgroup: 1, nid: 0, run_ns: 50, wait_ns: 5 }),
    thread(8, { comm: "db.worker", tgid: 7, cgroup: 1, nid: 1, run_ns: 10, wait_ns: 90 }),
    thread(9, { comm: "web", tgid: 9, cgroup: 0, numa_group: 9, nid: 1, run_ns: 70, wait_ns: 20 }),
    thread(3, { comm: "kworker", run_ns: 500, wait_ns: 500 }),
  ],
  cgroups: [
    { path: "/", lane: 1 },
    { path: "/db", lane: 22 },
  ],
};

const said = (rows: readonly NavRow[]) =>
  rows.map((row) =>
    row.kind === "group"
      ? `${row.open ? "-" : "+"} ${row.title} ${row.lane} ${row.runNs}/${row.waitNs} ${row.threads}`
      : `${row.inside ? "  " : ""}${row.thread.comm}`,
  );

const NONE_TURNED = new Set<string>();

describe("the threads of a recording", () => {
  it("stand in their processes by what they waited, and what is not recorded comes last", () => {
    const rows = navRows(section, { by: "process", sort: "waited", filter: "" }, new Set(["process:7"]));
    expect(said(rows)).toEqual([
      "- db 7 process:7 60/95 2",
      "  db.worker",
      "  db",
      "+ web 9 process:9 70/20 1",
      "+ process not recorded null 500/500 1",
    ]);
    expect(navSays(rows, "process")).toBe("4 threads in 3 groups");
  });

  it("stand by what they ran, in cgroups, numa groups or nodes; the root has no lane", () => {
    expect(said(navRows(section, { by: "cgroup", sort: "ran", filter: "" }, NONE_TURNED))).toEqual([
      "+ / null 70/20 1",
      "+ /db cgroup:22 60/95 2",
      "+ cgroup not recorded null 500/500 1",
    ]);
    expect(said(navRows(section, { by: "group", sort: "ran", filter: "" }, NONE_TURNED))[0]).toBe(
      "+ numa group 9 null 70/20 1",
    );
    expect(said(navRows(section, { by: "node", sort: "waited", filter: "" }, NONE_TURNED))).toEqual([
      "+ node 1 node:1 80/110 2",
      "+ node 0 node:0 50/5 1",
      "+ did not run null 500/500 1",
    ]);
  });

  it("open what is looked for, by name, pid or group", () => {
    const find = (filter: string) =>
      said(navRows(section, { by: "process", sort: "ran", filter }, NONE_TURNED));
    expect(find("WORK")).toEqual([
      "- db 7 process:7 10/90 1",
      "  db.worker",
      "- process not recorded null 500/500 1",
      "  kworker",
    ]);
    expect(find("db 8")).toEqual(["- db 7 process:7 10/90 1", "  db.worker"]);
    expect(find("nobody")).toEqual([]);
    const rows = navRows(section, { by: "thread", sort: "waited", filter: "" }, NONE_TURNED);
    expect(said(rows)).toEqual(["kworker", "db.worker", "web", "db"]);
    expect(navSays(rows, "thread")).toBe("4 threads");
  });
});

describe("keys in the list of threads", () => {
  const rows = navRows(section, { by: "process", sort: "waited", filter: "" }, new Set(["process:7"]));
  const to = (key: string, at: number) => navMove(key, rows, at, 2);
  it("walk, fold and unfold, go and pin", () => {
    expect(["ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End"].map((key) => to(key, 3))).toEqual(
      [4, 2, 4, 1, 0, 4].map((to) => ({ kind: "walk", to })),
    );
    // An open group folds, a thread goes to its group, a folded group unfolds.
    expect(to("ArrowLeft", 0)).toEqual({ kind: "turn" });
    expect(to("ArrowLeft", 2)).toEqual({ kind: "walk", to: 0 });
    expect(to("ArrowLeft", 3)).toEqual({ kind: "walk", to: 3 });
    expect(to("ArrowRight", 3)).toEqual({ kind: "turn" });
    expect(to("ArrowRight", 0)).toEqual({ kind: "walk", to: 1 });
    expect([to("Enter", 1), to(" ", 1), to("x", 1)]).toEqual([{ kind: "go" }, { kind: "pin" }, null]);
    expect(navMove("Home", [], 0, 2)).toBeNull();
  });
});

describe("the navigator in a link", () => {
  it("is left out as usual, and comes back as it was", () => {
    expect(formatNav(USUAL_NAV)).toBeNull();
    expect(parseNav(undefined)).toEqual(USUAL_NAV);
    for (const view of [
      { ...USUAL_NAV, open: false },
      { ...USUAL_NAV, open: true, by: "cgroup", sort: "ran", whole: true, filter: "a, b&c" },
      { ...USUAL_NAV, filter: "ng_A" },
    ] as const) {
      const text = new URLSearchParams(`nav=${formatNav(view)}`).get("nav") ?? "";
      expect(parseNav(text)).toEqual(view);
    }
    expect(parseNav("7,nonsense,more")).toEqual(USUAL_NAV);
  });
});
