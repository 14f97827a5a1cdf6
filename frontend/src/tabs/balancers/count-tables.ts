/** Counters of the NUMA balancer and of memory as described tables: Ops and its parts, vmstat. */

import type { Ops, VmstatSection } from "../../api/types.ts";
import { formatShare } from "../../lib/format.ts";
import { describeTable, type TextTable } from "../../ui/table/described-table.ts";
import { type OpsRow, opsRows, type Part, rowNote } from "./balancers.ts";

export function opsTable(ops: Pick<Ops, "rows" | "mmtests">): TextTable {
  return describeTable<OpsRow>(
    [
      { name: "Ops", exact: null, value: ({ name }) => name },
      { name: null, exact: "row", value: ({ key }) => key },
      {
        name: "by its rules",
        exact: "rules",
        unit: "count",
        value: ({ count }) => count,
        title: "As the row is meant, by the kernel's own rules",
      },
      {
        name: "mmtests'",
        exact: "mmtests",
        unit: "count",
        value: ({ mmtests }) => mmtests,
        title: "As mmtests' monitor counts the same window; a dash is a row that its table lacks",
      },
      { name: "note", exact: null, value: rowNote },
    ],
    opsRows(ops),
  );
}

/** Parts of a whole, with the share that each has. */
export function partTable(parts: readonly Part[], whole: number, what: string): TextTable {
  const share = ({ count }: Part) => (whole > 0 && count > 0 ? count / whole : null);
  return describeTable<Part>(
    [
      { name: what, exact: null, value: ({ name }) => name },
      { name: null, exact: "what", value: ({ key }) => key },
      { name: "count", exact: "count", unit: "count", value: ({ count }) => count },
      {
        name: "share",
        exact: "share",
        unit: "share",
        value: share,
        show: (part) => {
          const of = share(part);
          return of === null ? "" : formatShare(of);
        },
      },
    ],
    parts,
  );
}

type Counter = VmstatSection["table"]["rows"][number];

export function vmstatTable({ table }: Pick<VmstatSection, "table">): TextTable {
  return describeTable<Counter>(
    [
      {
        name: "counter",
        exact: "name",
        value: ({ name }) => name,
        show: ({ row, name }) => name ?? `${row.replaceAll("_", " ")} (no row of mmtests)`,
      },
      { name: null, exact: "row", value: ({ row }) => row },
      { name: "in the window", exact: "value", unit: "number", value: ({ value }) => value },
    ],
    table.rows,
  );
}
