import { useMemo } from "react";
import type { VmstatSection } from "../../api/types.ts";
import { windowText } from "../../lib/section-words.ts";
import { LabelBadge } from "../../ui/label-badge.tsx";
import { DataGrid } from "../../ui/table/data-grid.tsx";
import { vmstatTable } from "./count-tables.ts";

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
