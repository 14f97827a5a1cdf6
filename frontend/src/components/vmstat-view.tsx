import { useMemo } from "react";
import type { VmstatSection } from "../data/types.ts";
import { vmstatTable } from "../logic/count-tables.ts";
import { windowText } from "../logic/section-words.ts";
import { DataGrid } from "./data-grid.tsx";
import { LabelBadge } from "./label-badge.tsx";

/** mmtests' table of the counters of memory. */
export function VmstatView({ told }: { readonly told: VmstatSection }) {
  const { table } = told;
  const rows = useMemo(() => vmstatTable(told), [told]);
  const sampled = { from: BigInt(told.sampled_from_ns), to: BigInt(told.sampled_to_ns) };
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
