import { columnFromArray, float64, int64, tableFromColumns, tableToIPC, utf8 } from "@uwdata/flechette";
import { type ReactNode, useState } from "react";
import { csvText, type Field, tabText } from "../../lib/csv.ts";
import { formatCount } from "../../lib/format.ts";
import { copyText } from "../copy-button.tsx";
import { saveBlob } from "../downloads.tsx";
import { Menu, type MenuItem } from "../menu.tsx";
import { exactRows, type TextTable, type Unit } from "./described-table.ts";
import type { TableOrder } from "./table-head.tsx";

interface Props {
  readonly table: TextTable;
  readonly order: TableOrder;
  /** Name of the files; null for a table that is given away elsewhere. */
  readonly name: string | null;
  readonly label: string;
}

/** Above a table, one menu: filters by column, and what is shown as a file or as text, with exact numbers. */
export function TableTools({ table, order, name, label }: Props) {
  const { filtering } = order;
  const [said, setSaid] = useState("");
  if (!table.keys && name === null) return null;
  const rows = () => exactRows(table, order.order);
  const shown = order.order?.length ?? table.rows.length;
  const all = table.rows.length;
  const csv = () => {
    saveBlob(new Blob([csvText(table.exactHead, rows())], { type: "text/csv" }), `${name}.csv`);
  };
  const arrow = () => {
    const bytes = arrowBytes(table.exactHead, rows(), table.exactUnits);
    saveBlob(new Blob([bytes], { type: "application/vnd.apache.arrow.stream" }), `${name}.arrow`);
  };
  const copy = () => {
    copyText(tabText(table.exactHead, rows())).then(
      () => setSaid("copied"),
      () => setSaid("copying is not allowed"),
    );
  };
  const items: MenuItem[] = [
    ...(table.keys
      ? [{ name: "Filter by column", checked: filtering, onPick: () => order.setFiltering(!filtering) }]
      : []),
    ...(name === null
      ? []
      : [
          { name: "Save as CSV, exact numbers", onPick: csv },
          { name: "Save as Arrow", onPick: arrow },
          { name: "Copy as TSV", onPick: copy },
        ]),
  ];
  const count = shown === all ? "" : `${formatCount(shown)} of ${formatCount(all)}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="table-tools" role="group" aria-label={`Tools of ${label}`}>
      <span className="muted" role="status">
        {[count, said].filter(Boolean).join(" · ")}
      </span>
      <Menu name={`Table: ${label}`} text="table" items={items} />
    </div>
  );
}

/** Tables of the page as Arrow, in the stream format of the service's downloads. */

const WHOLE: ReadonlySet<Unit> = new Set(["id", "count", "ns", "us", "time"]);

const isWhole = (value: Field) =>
  typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
const isNumber = (value: Field) => typeof value === "bigint" || typeof value === "number";

/**
 * Numbers stay numbers: whole ones as int64, others as float64; all else is text. What is not known is null.
 * @param units of the columns, where they are described: they decide for columns that are empty
 */
export function arrowBytes(
  head: readonly string[],
  rows: readonly (readonly Field[])[],
  units: readonly Unit[] = [],
): Uint8Array<ArrayBuffer> {
  const columns = head.map((name, i): [string, ReturnType<typeof columnFromArray>] => {
    const values = rows.map((row) => row[i] ?? null);
    return [name, columnOf(values, units[i])];
  });
  const bytes = tableToIPC(tableFromColumns(columns), { format: "stream" });
  if (!bytes) throw new Error("The table could not be written as Arrow.");
  return new Uint8Array(bytes);
}

function columnOf(values: readonly (Field | null)[], unit: Unit | undefined) {
  const answer = values.filter((value) => value !== null);
  const numeric = answer.length > 0 ? answer.every(isNumber) : unit !== undefined && unit !== "text";
  if (!numeric) {
    const text = values.map((value) => (value === null ? null : String(value)));
    return columnFromArray(text, utf8());
  }
  const whole = answer.every(isWhole) && (unit === undefined || unit === "text" || WHOLE.has(unit));
  if (!whole) {
    const numbers = values.map((value) => (value === null ? null : Number(value)));
    return columnFromArray(numbers, float64());
  }
  const integers = values.map((value) => (value === null ? null : BigInt(value as number | bigint)));
  return columnFromArray(integers, int64());
}

interface FilterToolsProps {
  readonly placeholder: string;
  readonly label: string;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  /** Enter takes the first row. */
  readonly onEnter?: () => void;
  readonly problem: string | null;
  /** Shown part, in words. */
  readonly children: ReactNode;
}

/** The line above a table of the drawer: a filter, what it leaves, and what went wrong. */
export function FilterTools({
  placeholder,
  label,
  filter,
  onFilter,
  onEnter,
  problem,
  children,
}: FilterToolsProps) {
  return (
    <div className="tab-tools">
      <input
        type="search"
        placeholder={placeholder}
        aria-label={label}
        value={filter}
        onChange={(event) => onFilter(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !onEnter) return;
          onEnter();
          event.currentTarget.blur();
        }}
      />
      <span className="muted">{children}</span>
      {problem !== null && <span className="problem">{problem}</span>}
    </div>
  );
}
