import { useMemo } from "react";
import { waitsOf } from "../../analysis/incident.ts";
import type { Tab, TabProps } from "../../analysis/tab.ts";
import { shownWindow, useSection } from "../../analysis/use-section.ts";
import type { SectionState } from "../../api/routes/section-source.ts";
import type { LatencySection, MissingPart, ResidencySection, UtilisationSection } from "../../api/types.ts";
import { causeWords } from "../../lib/causes.ts";
import { TERMS, windowText } from "../../lib/terms.ts";
import { pinCells } from "../../timeline/frame/pinned-lanes.tsx";
import { LabelBadge, SectionStatus, Term, ToggleGroup } from "../../ui/section-parts.tsx";
import { type Column, describeTable, type TextTable } from "../../ui/table/described-table.ts";
import { VirtualTable } from "../../ui/table/virtual-table.tsx";
import {
  AGGREGATE_VIEWS,
  type AggregateView,
  WAIT_KINDS,
  type WaitKind,
} from "../../view-state/tab-views.ts";

export const tab: Tab = {
  id: "sums",
  title: "Aggregate",
  Body: AggregateTab,
};

/** Sums of the window, which a Shift drag makes of any stretch: by thread, by node and state, by cause. */
function AggregateTab({ live, snapshot, drawer }: TabProps) {
  const { stage } = live;
  const window = shownWindow(stage, snapshot);
  const residency = useSection(live.section("residency"), { window });
  const latency = useSection(live.section("latency"), { window });
  const use = useSection(live.section("utilisation"), { window });
  const nodes = useMemo(() => stage.scene.nodes.map(({ nid }) => nid), [stage]);
  const view = drawer.sums ?? "thread";
  const ran = found(residency);
  const waited = found(latency);
  const used = found(use);
  const threads = useMemo(() => threadSums(ran, waited, nodes), [ran, waited, nodes]);
  const table = useMemo(() => {
    if (view === "thread") return threads;
    return view === "node" ? nodeSums(used, waited, nodes) : causeSums(waited);
  }, [view, threads, used, waited, nodes]);
  const absent = [residency, latency, use].flatMap(({ answer }) =>
    answer && !answer.available ? [answer.reason] : [],
  );
  return (
    <div className="sums-tab">
      <p className="tab-tools">
        <ToggleGroup
          label="Aggregate"
          choices={AGGREGATE_VIEWS}
          chosen={view}
          words={AGGREGATE_WORDS}
          onChoose={(sums) => live.setDrawer({ sums })}
        />
        <span className="muted">
          of {windowText(window)}; <kbd>Shift</kbd> drag selects a stretch
        </span>
        {waited && <LabelBadge label={waited.label} missing={waited.missing} said />}
        <SectionStatus state={latency.problem !== null ? latency : view === "node" ? use : residency} />
      </p>
      {[...new Set(absent)].map((reason) => (
        <p key={reason} className="tab-empty muted">
          {reason}
        </p>
      ))}
      {view === "cause" && (
        <p className="tab-tools muted">
          <Term means={TERMS.cause}>Each nanosecond of a wait has one cause.</Term>
        </p>
      )}
      {table.rows.length > 0 && (
        <VirtualTable
          // Filters of one table mean nothing in another.
          key={view}
          label={AGGREGATE_WORDS[view]}
          table={table}
          name={`sums-${view}`}
          testId="sums-table"
          {...(view === "thread"
            ? {
                cell: pinCells(table, stage),
                onPick: (row: number) => {
                  const pid = threads.pids[row];
                  if (pid !== undefined) void stage.findTask(pid);
                },
              }
            : {})}
        />
      )}
    </div>
  );
}

function found<A extends { readonly available: true }>({ answer }: SectionState<A | MissingPart>): A | null {
  return answer?.available ? (answer as A) : null;
}

// What the engine summed over a window, side by side: by thread, by node and state, by cause. The page adds nothing up.

export const AGGREGATE_WORDS: Readonly<Record<AggregateView, string>> = {
  thread: "By thread",
  node: "By node and state",
  cause: "By cause",
};

/** How long was waited for a CPU, of whatever the rows are. */
function waitColumns<R extends { readonly waited: Waited | null }>(): readonly Column<R>[] {
  const of = (section: (waited: Waited) => number) => (row: R) => row.waited && section(row.waited);
  return [
    { name: "waited, woken", exact: "wait_ns", value: of((row) => row.wait_ns), unit: "ns" },
    { name: "times", exact: "waits", value: of((row) => row.count), unit: "count" },
    {
      name: "waited, preempted",
      exact: "preempted_ns",
      value: of((row) => row.preempted_ns),
      unit: "ns",
    },
    { name: "times preempted", exact: "preempted", value: of((row) => row.preempted), unit: "count" },
  ];
}

type Waited = Pick<LatencySection["by_task"][number], "wait_ns" | "count" | "preempted_ns" | "preempted">;

interface Thread {
  readonly pid: number;
  readonly comm: string;
  readonly ran: ResidencySection["tasks"][number] | null;
  readonly waited: LatencySection["by_task"][number] | null;
}

/** Threads of either list: who ran most, and who waited most; what a list does not tell is not known here. */
function threads(residency: ResidencySection | null, latency: LatencySection | null): readonly Thread[] {
  const found = new Map<number, Thread>();
  for (const ran of residency?.tasks ?? []) {
    found.set(ran.task, { pid: ran.pid, comm: ran.comm, ran, waited: null });
  }
  for (const waited of latency?.by_task ?? []) {
    const known = found.get(waited.task);
    found.set(waited.task, { pid: waited.pid, comm: waited.comm, ran: known?.ran ?? null, waited });
  }
  return [...found.values()];
}

export interface SumsTable extends TextTable {
  /** Of each row, the task to go to. */
  readonly pids: readonly number[];
}

export function threadSums(
  residency: ResidencySection | null,
  latency: LatencySection | null,
  nodes: readonly number[],
): SumsTable {
  const rows = threads(residency, latency);
  const onNode = (nid: number) => (row: Thread) => {
    if (!row.ran || row.ran.run_ns === 0) return null;
    return (row.ran.nodes.find((node) => node.nid === nid)?.run_ns ?? 0) / row.ran.run_ns;
  };
  const table = describeTable<Thread>(
    [
      { name: "task", exact: "comm" },
      { name: "pid", exact: "pid", unit: "id" },
      { name: "ran", exact: "run_ns", value: ({ ran }) => ran?.run_ns ?? null, unit: "ns" },
      ...waitColumns<Thread>(),
      ...nodes.map((nid) => ({
        name: `on node ${nid}`,
        exact: `node_${nid}_share`,
        value: onNode(nid),
        unit: "share" as const,
      })),
      {
        name: "node changes",
        exact: "migrations_node",
        value: ({ ran }) => ran?.migrations_node ?? null,
        unit: "count",
      },
    ],
    rows,
  );
  return { ...table, pids: rows.map(({ pid }) => pid) };
}

interface NodeRow {
  readonly nid: number;
  readonly used: UtilisationSection["nodes"][number] | null;
  readonly waited: LatencySection["by_node"][number] | null;
}

export function nodeSums(
  utilisation: UtilisationSection | null,
  latency: LatencySection | null,
  nodes: readonly number[],
): TextTable {
  const rows = nodes.map((nid) => ({
    nid,
    used: utilisation?.nodes.find((node) => node.nid === nid) ?? null,
    waited: latency?.by_node.find((node) => node.nid === nid) ?? null,
  }));
  return describeTable<NodeRow>(
    [
      { name: "node", exact: "nid", unit: "id" },
      { name: "running", exact: "busy_ns", value: ({ used }) => used?.busy_ns ?? null, unit: "ns" },
      { name: "idle", exact: "idle_ns", value: ({ used }) => used?.idle_ns ?? null, unit: "ns" },
      {
        name: "not known",
        exact: "unknown_ns",
        value: ({ used }) => used?.unknown_ns ?? null,
        unit: "ns",
      },
      ...waitColumns<NodeRow>(),
    ],
    rows,
  );
}

/** Names of a kind's two columns on the page, and what its fields are called. */
const KIND_NAMES: Readonly<Record<WaitKind, readonly [time: string, share: string, exact: string]>> = {
  worst: ["woken", "of these", "wait"],
  preempted: ["preempted", "of those", "preempted"],
  new: ["new tasks", "of the new", "new"],
  unfinished: ["unfinished", "of the unfinished", "unfinished"],
};

export function causeSums(latency: LatencySection | null): TextTable {
  const kinds = latency ? WAIT_KINDS.map((kind) => ({ kind, waits: waitsOf(latency, kind) })) : [];
  const rows = [...new Set(kinds.flatMap(({ waits }) => waits.causes.map(({ cause }) => cause)))];
  const columns = kinds.flatMap(({ kind, waits }): Column<string>[] => {
    const [time, share, exact] = KIND_NAMES[kind];
    const ns = new Map(waits.causes.map((part) => [part.cause, part.ns]));
    const of = (cause: string) => ns.get(cause) ?? null;
    const shareOf = (part: number | null) =>
      part === null || waits.wait_ns === 0 ? null : part / waits.wait_ns;
    return [
      { name: time, exact: `${exact}_ns`, value: of, unit: "ns" },
      { name: share, exact: `${exact}_share`, value: (cause) => shareOf(of(cause)), unit: "share" },
    ];
  });
  return describeTable<string>([{ name: "cause", exact: "cause", value: causeWords }, ...columns], rows);
}
