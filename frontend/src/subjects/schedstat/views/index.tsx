import { useMemo } from "react";
import { Answered, type HeldProps, HeldView } from "../../../analysis/held-view.tsx";
import type { DrawerView } from "../../../analysis/tab.ts";
import { useSection } from "../../../analysis/use-section.ts";
import type { DomainBalancingSection, SchedstatSection } from "../../../api/types.ts";
import { howToRecord, windowText } from "../../../lib/terms.ts";
import { LabelBadge } from "../../../ui/section-parts.tsx";
import { DataGrid } from "../../../ui/table/data-grid.tsx";
import { domainTable, movedSentence, searchingCpuTable, searchTable, stepTable } from "./domains.ts";

export const view: DrawerView = {
  id: "domains",
  title: "Domains",
  Body: (props) => <HeldView {...props} Part={DomainsPart} />,
};

function DomainsPart({ live, window }: HeldProps) {
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
      <Answered state={counted} section="schedstat">
        {(section) => <DomainsView section={section} />}
      </Answered>
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
