import { type ComponentType, type ReactNode, useCallback, useEffect, useMemo, useRef } from "react";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { DrawerView, TabProps } from "../../analysis/tab.ts";
import { shownWindow, useOptionalSection, useSection } from "../../analysis/use-section.ts";
import type { SectionState } from "../../api/routes/section-source.ts";
import type {
  Attempt,
  BalancingSection,
  DistancesSection,
  DomainBalancingSection,
  MissingPart,
  Ops,
  SchedstatSection,
  TimeWindow,
  VmstatSection,
} from "../../api/types.ts";
import { howToRecord, type SectionWord, TERMS, windowText } from "../../lib/terms.ts";
import { type Span, toRel } from "../../lib/time.ts";
import { LabelBadge, Term, Unanswered } from "../../ui/section-parts.tsx";
import {
  attemptTable,
  crossingParts,
  DISTANCES,
  distanceTable,
  domainTable,
  failureParts,
  llcProcessSentence,
  llcProcessTable,
  movedSentence,
  nodeFailuresTable,
  opsRows,
  opsSentence,
  opsTable,
  type Part,
  partTable,
  processDistanceTable,
  searchingCpuTable,
  searchTable,
  sharingSentence,
  stepTable,
  vmstatTable,
} from "./balancers.ts";
import { ClingView } from "./cling/cling-view.tsx";
import { MemoryView } from "./memory/memory-view.tsx";
import "./balancers.css";
import { formatCount } from "../../lib/format.ts";
import { DataGrid } from "../../ui/table/data-grid.tsx";
import { EventList } from "../../ui/table/virtual-table.tsx";

export const view: readonly DrawerView[] = [
  { id: "ops", title: "Ops", Body: (props) => <BalancersView {...props} Part={OpsPart} /> },
  { id: "cling", title: "Cling", Body: (props) => <BalancersView {...props} Part={ClingPart} /> },
  { id: "memory", title: "Memory", Body: (props) => <BalancersView {...props} Part={MemoryPart} /> },
  { id: "vmstat", title: "vmstat", Body: (props) => <BalancersView {...props} Part={VmstatPart} /> },
  { id: "domains", title: "Domains", Body: (props) => <BalancersView {...props} Part={DomainsPart} /> },
  { id: "distances", title: "LLC", Body: (props) => <BalancersView {...props} Part={DistancesPart} /> },
];

/** NUMA balancing: attempts, cling, memory or counters. */
function BalancersView(props: TabProps & { readonly Part: ComponentType<PartProps> }) {
  const { live, snapshot, drawer, place, Part } = props;
  const { stage } = live;
  // Going to a moment moves the window; what it was taken from stays until the reader lets it go.
  const { held, degree } = drawer;
  const window = held ?? shownWindow(stage, snapshot);
  const go = (span: Span) => {
    live.hold(window);
    void stage.show(span);
  };
  // The evidence of an occurrence is that of its tasks.
  const pids = held && place && held.from === place.window.from ? place.pids : [];
  return (
    <>
      <p className="tab-tools">
        <span className="muted held">
          {windowText(window)}{" "}
          {held && (
            <button type="button" className="inline" onClick={() => live.hold(null)}>
              follow the window
            </button>
          )}
        </span>
      </p>
      <Part
        live={live}
        window={window}
        held={held !== null}
        onGo={useLatest(go)}
        pids={pids}
        degree={degree}
      />
    </>
  );
}

/** The same function for as long as the tab exists: charts must not be drawn again for it. */
function useLatest(go: (span: Span) => void): (span: Span) => void {
  const latest = useRef(go);
  useEffect(() => {
    latest.current = go;
  });
  return useCallback((span: Span) => latest.current(span), []);
}

interface PartProps {
  readonly live: LiveAnalysis;
  readonly window: TimeWindow;
  readonly held: boolean;
  readonly onGo: (span: Span) => void;
  /** Tasks whose attempts are listed; empty: all of them. */
  readonly pids: readonly number[];
  /** Cling's, percent; null is the recorded one. */
  readonly degree: number | null;
}

interface ShownProps<A> {
  readonly state: SectionState<A | MissingPart>;
  readonly section: SectionWord;
  readonly children: (answer: A) => ReactNode;
}

/** A section's answer, or why there is none. */
function Shown<A extends { readonly available: true }>({ children, ...rest }: ShownProps<A>) {
  const { answer, problem } = rest.state;
  return answer?.available && problem === null ? children(answer as A) : <Unanswered {...rest} />;
}

function OpsPart({ live, window, onGo, pids }: PartProps) {
  const state = useSection(live.section("numa_balancing"), { window });
  return (
    <Shown state={state} section="attempts">
      {(section) => <OpsView section={section} pids={pids} origin={live.stage.scene.origin} onGo={onGo} />}
    </Shown>
  );
}

function ClingPart({ live, window, held, onGo, degree }: PartProps) {
  const state = useSection(live.section("cling"), { window });
  const section = state.answer?.available ? state.answer : null;
  const none = section?.known_by === "what_if";
  const tried =
    section && (none || (degree !== null && degree !== section.degree)) ? (degree ?? section.degree) : null;
  const whatIf = useOptionalSection(
    live.section("cling", "what-if"),
    tried === null ? null : { window, degree: tried },
  );
  return (
    <Shown state={state} section="cling">
      {(answer) => (
        <ClingView
          section={answer}
          whatIf={whatIf}
          stage={live.stage}
          degree={degree}
          held={held}
          onDegree={(chosen) => live.setDrawer({ degree: chosen })}
          onGo={onGo}
        />
      )}
    </Shown>
  );
}

function MemoryPart({ live, window }: PartProps) {
  const state = useSection(live.section("page_migration"), { window });
  const placement = useSection(live.section("placement"), { window });
  return (
    <Shown state={state} section="memory">
      {(section) => <MemoryView section={section} origin={live.stage.scene.origin} placement={placement} />}
    </Shown>
  );
}

function VmstatPart({ live, window }: PartProps) {
  const state = useSection(live.section("vmstat"), { window });
  return (
    <Shown state={state} section="vmstat">
      {(section) => <VmstatView section={section} />}
    </Shown>
  );
}

function DomainsPart({ live, window }: PartProps) {
  const counted = useSection(live.section("schedstat"), { window });
  const probed = useSection(live.section("domain_balancing"), { window });
  return (
    <>
      {probed.answer?.available && probed.problem === null ? (
        <SearchesView section={probed.answer} />
      ) : (
        <p className="tab-tools muted" data-testid="searches-none">
          {howToRecord("domain_balancing")}
        </p>
      )}
      <Shown state={counted} section="schedstat">
        {(section) => <DomainsView section={section} />}
      </Shown>
    </>
  );
}

function DistancesPart({ live, window }: PartProps) {
  const state = useSection(live.section("distances"), { window });
  return (
    <Shown state={state} section="distances">
      {(section) => <DistancesView section={section} />}
    </Shown>
  );
}

/** Distances of moves. */
export function DistancesView({ section }: { readonly section: DistancesSection }) {
  const table = useMemo(() => distanceTable(section), [section]);
  return (
    <div className="balancers-view">
      <p data-testid="distances-machine">
        {sharingSentence(section)} <LabelBadge label={section.label} missing={section.missing} said />
      </p>
      <DataGrid
        label="Migrations, wakeups and waits by distance"
        table={table}
        name="distances"
        testId="distances-table"
        cell={(row, column) => {
          const means = DISTANCES[section.rows[row]?.distance ?? ""]?.means;
          return column === 0 && means ? <Term means={means}>{table.rows[row]?.[0]}</Term> : undefined;
        }}
      />
      <ProcessDistancesView section={section} />
      {section.by_process && <LlcProcessesView section={section} processes={section.by_process} />}
    </div>
  );
}

/** Distances of each process' threads. */
function ProcessDistancesView({ section }: { readonly section: DistancesSection }) {
  const table = useMemo(() => processDistanceTable(section), [section]);
  const { processes, processes_left_out: more } = section;
  if (processes.length === 0) return null;
  return (
    <DataGrid
      label={`Processes by distance${more > 0 ? `, ${formatCount(more)} more left out` : ""}`}
      table={table}
      name="process-distances"
      testId="process-distances-table"
    />
  );
}

interface LlcProcessesProps {
  readonly section: DistancesSection;
  readonly processes: NonNullable<DistancesSection["by_process"]>;
}

/** Below which last-level caches processes ran, and which they would prefer. */
function LlcProcessesView({ section, processes }: LlcProcessesProps) {
  const table = useMemo(() => llcProcessTable(processes, section), [processes, section]);
  return (
    <>
      <p data-testid="llc-processes-sentence">
        {llcProcessSentence(processes)}{" "}
        <LabelBadge label={processes.label} missing={processes.missing} said />
      </p>
      {processes.processes.length > 0 && (
        <>
          <p data-testid="llc-preferred">
            Preferred caches, and migrations relative to them:{" "}
            <LabelBadge label={processes.preferred_provenance} missing={processes.preferred_missing} said />
          </p>
          <DataGrid
            label="Processes by last-level cache"
            table={table}
            name="llc-processes"
            testId="llc-processes-table"
          />
        </>
      )}
    </>
  );
}

/** Costs of searches. */
export function SearchesView({ section }: { readonly section: DomainBalancingSection }) {
  const domains = useMemo(() => searchTable(section), [section]);
  const cpus = useMemo(() => searchingCpuTable(section), [section]);
  return (
    <div className="balancers-view">
      <p data-testid="searches-sentence">
        {section.sentence} <LabelBadge label={section.label} missing={section.missing} said />
      </p>
      <DataGrid label="Searches by domain" table={domains} name="searches" testId="searches-table" />
      <DataGrid label="Searches by CPU" table={cpus} name="searching-cpus" testId="searching-cpus-table" />
    </div>
  );
}

/** Counters of the load balancer by domain. */
export function DomainsView({ section }: { readonly section: SchedstatSection }) {
  const rows = useMemo(() => domainTable(section), [section]);
  const steps = useMemo(() => stepTable(section), [section]);
  const { moved, sampled_from_ns: from, sampled_to_ns: to } = section;
  return (
    <div className="balancers-view">
      <p className="tab-tools">
        <span className="muted">
          {from && to
            ? `between the samples ${windowText({ from: BigInt(from), to: BigInt(to) })}`
            : "between the first and the last sample, whose times are not recorded"}
        </span>
        <LabelBadge label={section.label} missing={[]} said />
      </p>
      <p data-testid="domains-moved">
        {movedSentence(section)} {moved && <LabelBadge label={moved.label} missing={moved.missing} said />}
      </p>
      <DataGrid label="Counters of load balancing" table={rows} name="domains" testId="domains-table" />
      {section.steps.length > 0 && (
        <DataGrid
          label="From sample to sample"
          table={steps}
          name="domain-steps"
          testId="domain-steps-table"
        />
      )}
    </div>
  );
}

interface OpsViewProps {
  readonly section: BalancingSection;
  /** Tasks whose attempts are listed; empty: all of them. */
  readonly pids: readonly number[];
  readonly origin: bigint;
  readonly onGo: (span: Span) => void;
}

/** Around an attempt, ns: a moment alone would show nothing of what it met. */
const AROUND = 2e6;

/** Outcomes of task placement attempts. */
export function OpsView({ section, pids, origin, onGo }: OpsViewProps) {
  const { ops, attempts_more: more, rules, rules_assumed: assumed } = section;
  const attempts = useMemo(() => attemptsOf(section.attempts, pids), [section, pids]);
  const table = useMemo(() => attemptTable(attempts), [attempts]);
  const failures = useMemo(() => failureParts(ops), [ops]);
  const crossings = useMemo(() => crossingParts(ops), [ops]);
  const pick = (row: number) => {
    const attempt = attempts[row];
    if (!attempt) return;
    const from = toRel(origin, BigInt(attempt.start_ns));
    onGo({ from: from - AROUND, to: toRel(origin, BigInt(attempt.end_ns)) + AROUND });
  };
  return (
    <div className="balancers-view">
      <p className="ops-sentence">
        {opsSentence(ops)} <LabelBadge label={ops.label} missing={ops.missing} said />
      </p>
      {section.sched_ext && <p data-testid="ops-sched-ext">{section.sched_ext}</p>}
      <div className="ops-columns">
        <OpsTable ops={ops} />
        <div>
          <NodeFailures ops={ops} />
          <PartTable title="Failure reason" parts={failures} testId="failures" />
          <PartTable
            title="Tasks that moved to another node"
            parts={crossings}
            whole={ops.crossings.total}
            testId="crossings"
          />
        </div>
      </div>
      <EventList
        title={<Term means={TERMS.attempt}>Attempts</Term>}
        label="NUMA balancing attempts"
        name="attempts"
        table={table}
        more={more}
        none="No task placement attempt started in this window."
        testId="attempts-table"
        onPick={pick}
      >
        <span className="muted">
          {pids.length > 0 && attempts.length < section.attempts.length && "of the finding's tasks, "}by the
          rules of {rules.name}
          {assumed && " (assumed: the kernel's version is not known)"}
        </span>
      </EventList>
    </div>
  );
}

/** Attempts of some tasks, if there are any: a finding may name tasks that others brought back. */
function attemptsOf(all: readonly Attempt[], pids: readonly number[]): readonly Attempt[] {
  const own = all.filter(({ pid, partner }) => pids.includes(pid) || pids.includes(partner?.pid ?? -1));
  return own.length > 0 ? own : all;
}

function OpsTable({ ops }: { readonly ops: Ops }) {
  const table = useMemo(() => opsTable(ops), [ops]);
  const rows = useMemo(() => opsRows(ops), [ops]);
  return (
    <section aria-label="Ops">
      <DataGrid
        label="Ops"
        table={table}
        name="ops"
        testId="ops-table"
        className="ops-table"
        cell={(row, column) => {
          const entry = rows[row];
          return column === 0 && entry ? <Term means={entry.means}>{entry.name}</Term> : undefined;
        }}
        cellClass={(_, column) => (column === NOTE ? "muted" : "")}
      />
      {ops.mmtests_warnings > 0 && (
        <p className="tab-tools muted">
          mmtests' monitor would have warned {formatCount(ops.mmtests_warnings)} times
        </p>
      )}
    </section>
  );
}

/** The column of notes. */
const NOTE = 3;

interface OpsViewPartProps {
  readonly title: string;
  readonly parts: readonly Part[];
  readonly testId: string;
  readonly whole?: number;
}

/** Share of failed attempts by the node that they were to reach. */
function NodeFailures({ ops: { nodes } }: { readonly ops: Ops }) {
  const table = useMemo(() => nodeFailuresTable(nodes), [nodes]);
  if (nodes.length < 2) return null;
  return (
    <section aria-label="Failures by target node">
      <h3>Failures by target node</h3>
      <DataGrid
        label="Failures by target node"
        table={table}
        name="node-failures"
        testId="node-failures"
        className="part-table"
      />
    </section>
  );
}

function PartTable({ title, parts, testId, whole }: OpsViewPartProps) {
  const sum = whole ?? parts.reduce((all, { count }) => all + count, 0);
  const table = useMemo(() => partTable(parts, sum, "what"), [parts, sum]);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <DataGrid
        label={title}
        table={table}
        name={testId}
        testId={testId}
        className="part-table"
        cell={(row, column) => {
          const entry = parts[row];
          return column === 0 && entry ? <Term means={entry.means}>{entry.name}</Term> : undefined;
        }}
        rowClass={(row) => (parts[row]?.count === 0 ? "muted" : "")}
        foot={
          <tr className="sum">
            <th scope="row">all</th>
            <td className="num right">{formatCount(sum)}</td>
            <td />
          </tr>
        }
      />
    </section>
  );
}

/** mmtests' table of the counters of memory. */
export function VmstatView({ section }: { readonly section: VmstatSection }) {
  const { table } = section;
  const rows = useMemo(() => vmstatTable(section), [section]);
  const sampled = { from: BigInt(section.sampled_from_ns), to: BigInt(section.sampled_to_ns) };
  return (
    <div className="balancers-view">
      <p className="tab-tools">
        <span className="muted">between the samples {windowText(sampled)}</span>
        <LabelBadge label={table.label} missing={table.missing} said />
      </p>
      <DataGrid label="Counters of memory" table={rows} name="vmstat" testId="vmstat-table" />
    </div>
  );
}
