import type { VmstatSection } from "../data/types.ts";
import { windowText } from "../logic/section-words.ts";
import { GridTable } from "./grid-table.tsx";
import { LabelBadge } from "./label-badge.tsx";
import { CsvButton } from "./section-parts.tsx";

const COLUMNS = [{ name: "counter" }, { name: "in the window", right: true }];

/** mmtests' table of the counters of memory. */
export function VmstatView({ told }: { readonly told: VmstatSection }) {
  const { table } = told;
  const sampled = { from: BigInt(told.sampled_from_ns), to: BigInt(told.sampled_to_ns) };
  return (
    <div className="balancers-view">
      <p className="tab-tools">
        <span className="muted">between the samples {windowText(sampled)}</span>
        <LabelBadge label={table.label} missing={table.missing} said />
        <CsvButton
          name="vmstat"
          head={["row", "name", "value"]}
          rows={table.rows.map(({ row, name, value }) => [row, name, value])}
        />
      </p>
      <GridTable columns={COLUMNS} testId="vmstat-table">
        {table.rows.map(({ row, name, value }) => (
          <tr key={row}>
            <td>{name ?? `${row.replaceAll("_", " ")} (no row of mmtests)`}</td>
            <td className="num right">{value === null ? "–" : numberText(value)}</td>
          </tr>
        ))}
      </GridTable>
    </div>
  );
}

/** Counts are whole, percents and costs are not. */
function numberText(value: number): string {
  const [whole = "", part] = (Number.isInteger(value) ? String(value) : value.toFixed(2)).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return part === undefined ? grouped : `${grouped}.${part}`;
}
