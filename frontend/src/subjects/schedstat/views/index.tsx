/** Counters and searches of the load balancer, by domain. */

import { useMemo } from "react";
import { Answered, type HeldProps, HeldView } from "../../../analysis/held-view.tsx";
import type { DrawerView } from "../../../analysis/tab.ts";
import { useSection } from "../../../analysis/use-section.ts";
import type { SectionContent } from "../../../api/routes/sections.ts";
import { causeTitle } from "../../../lib/causes.ts";
import { formatCount } from "../../../lib/format.ts";
import { takenByDefault, windowText } from "../../../lib/terms.ts";
import { LabelBadge } from "../../../ui/section-parts.tsx";
import { DataGrid } from "../../../ui/table/data-grid.tsx";
import { describeTable, type TextTable } from "../../../ui/table/described-table.ts";

export const view: DrawerView = {
  id: "domains",
  title: "Domains",
  Body: (props) => <HeldView {...props} Part={DomainsPart} />,
};

type Schedstat = SectionContent<"schedstat">;
export type BalancerSearches = Extract<Schedstat["searches"], { available: true }>;
export type BalancerCounters = Extract<Schedstat["counters"], { available: true }>;

/** Advice for recording the counters, and the searches. */
const RECORD = takenByDefault(
  "The counters need at least two samples of /proc/schedstat in the window, from a kernel with kernel.sched_schedstats=1.",
);
const RECORD_SEARCHES =
  "Costs of balancing come from probes of sched_balance_newidle and sched_balance_rq: numalens record --probe ilb.";

function DomainsPart({ live, window }: HeldProps) {
  const state = useSection(live.section("schedstat"), { window });
  return (
    <Answered state={state} section="schedstat" record={RECORD}>
      {({ counters, searches }) => (
        <>
          {searches.available ? (
            <SearchesView section={searches} />
          ) : (
            <p className="tab-tools muted" data-testid="searches-none">
              {RECORD_SEARCHES}
            </p>
          )}
          <Answered state={{ ...state, answer: counters }} section="schedstat" record={RECORD}>
            {(section) => <DomainsView section={section} />}
          </Answered>
        </>
      )}
    </Answered>
  );
}

/** Costs of searches. */
export function SearchesView({ section }: { readonly section: BalancerSearches }) {
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
export function DomainsView({ section }: { readonly section: BalancerCounters }) {
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

type DomainCounts = BalancerCounters["domains"][number];
type Step = BalancerCounters["steps"][number];

/** Counters of the load balancer, a row for each domain and state of its CPUs. */
export function domainTable({ domains }: Pick<BalancerCounters, "domains">): TextTable {
  return describeTable<DomainCounts>(
    [
      {
        name: "domain",
        exact: "domain",
        show: ({ domain, name }) => (name ? `${domain} ${name}` : `${domain}`),
      },
      { name: "CPUs were", exact: "kind" },
      { name: "CPUs", exact: "cpus", unit: "number" },
      { name: "calls", exact: "count", unit: "number" },
      { name: "balanced", exact: "balanced", unit: "number" },
      { name: "failed", exact: "failed", unit: "number" },
      { name: "tasks moved", exact: "gained", unit: "number" },
      { name: "hot ones", exact: "hot_gained", unit: "number" },
    ],
    domains,
  );
}

/** The same over time: a row from sample to sample. */
export function stepTable({ steps }: Pick<BalancerCounters, "steps">): TextTable {
  return describeTable<Step>(
    [
      { name: "from, s", exact: "from_ns", unit: "time" },
      { name: "to, s", exact: "to_ns", unit: "time" },
      { name: "calls", exact: "count", unit: "number" },
      { name: "tasks moved", exact: "gained", unit: "number" },
    ],
    steps,
  );
}

type DomainSearches = BalancerSearches["domains"][number];

const SEARCHERS: Readonly<Record<DomainSearches["searcher"], string>> = {
  newidle: "newly idle",
  idle: "idle",
  busy: "busy",
  own: "not recorded",
  other: "idle, for another CPU",
};

/** Costs of searches, a row for each domain and state of the searching CPUs. */
export function searchTable({ domains }: Pick<BalancerSearches, "domains">): TextTable {
  return describeTable<DomainSearches>(
    [
      { name: "CPUs were", exact: "searcher", value: ({ searcher }) => SEARCHERS[searcher] },
      { name: "CPUs of the domain", exact: "domain_cpus", unit: "number" },
      { name: "searches", exact: "count", unit: "number" },
      { name: "with tasks", exact: "pulled", unit: "number" },
      { name: "tasks moved", exact: "tasks", unit: "number" },
      { name: "took", exact: "ns", unit: "ns" },
      { name: "in vain", exact: "in_vain_ns", unit: "ns" },
      { name: "longest", exact: "longest_ns", unit: "ns" },
      { name: "longest at, s", exact: "longest_at_ns", unit: "time" },
    ],
    domains,
  );
}

type CpuSearches = BalancerSearches["cpus"][number];

/** The same by CPU. */
export function searchingCpuTable({ cpus }: Pick<BalancerSearches, "cpus">): TextTable {
  return describeTable<CpuSearches>(
    [
      { name: "CPU", exact: "cpu", unit: "number" },
      { name: causeTitle("newidle"), exact: "newidle_ns", unit: "ns" },
      { name: "searches", exact: "searches", unit: "number" },
      { name: "took", exact: "search_ns", unit: "ns" },
      { name: "of its time", exact: "percent", show: ({ percent }) => `${percent.toFixed(2)} %` },
    ],
    cpus,
  );
}

/** The kernel's count of moved tasks compared with the migrations of the recording. */
export function movedSentence({ moved }: Pick<BalancerCounters, "moved">): string {
  if (!moved) return "Which tasks were moved was not recorded.";
  const tasks = (count: number) => `${formatCount(count)} ${count === 1 ? "task" : "tasks"}`;
  return `The balancer counted ${tasks(moved.counted)} as moved; the recording has ${formatCount(moved.migrations)} ${
    moved.migrations === 1 ? "migration" : "migrations"
  } of runnable tasks that NUMA balancing did not order (the balancer's, changes of affinity, exec).`;
}
