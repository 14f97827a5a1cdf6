import { useState } from "react";
import type { ComparedCell, ComparedTable, ComparedTableRow, Comparison } from "../../api/types.ts";
import { missingText } from "../../lib/terms.ts";
import { Button } from "../../ui/fields.tsx";
import { CsvButton, LabelBadge } from "../../ui/section-parts.tsx";
import type { StarRule } from "./compare-state.ts";
import {
  absentReasons,
  cellText,
  differenceSays,
  isQuiet,
  isStarred,
  percentText,
  rowLabel,
  tableCsv,
  usualLabel,
  verdictOf,
} from "./compare-table.ts";

interface Props {
  readonly comparison: Comparison;
  readonly table: ComparedTable;
  readonly rule: StarRule;
  readonly colours: readonly string[];
}

/** A table of rows by side, with the difference from the base. */
export function CompareTable({ comparison, table, rule, colours }: Props) {
  const [all, setAll] = useState(false);
  const quiet = table.rows.filter(isQuiet).length;
  const rows = all ? table.rows : table.rows.filter((row) => !isQuiet(row));
  const labels = comparison.sides.map((_, side) => usualLabel(table, side));
  const reasons = absentReasons(comparison, table);
  return (
    <section className="compare-table-box" aria-label={table.title}>
      <p className="compare-table-head">
        <b>{table.title}</b>
        {table.rows.length > 0 && (
          <CsvButton name={`compare-${table.name}`} {...tableCsv(comparison, table)} />
        )}
        {quiet > 0 && (
          <Button className="inline" aria-pressed={all} onClick={() => setAll(!all)}>
            {all ? "without" : "with"} {quiet} {quiet === 1 ? "row" : "rows"} of nothing
          </Button>
        )}
      </p>
      {reasons.map((reason) => (
        <p key={reason} className="muted compare-absent">
          {reason}
        </p>
      ))}
      {rows.length > 0 && (
        <table className="grid-table compare-table" data-testid={`compare-${table.name}`}>
          <thead>
            <tr>
              <td />
              <SideHeads comparison={comparison} colours={colours} labels={labels} />
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const label = rowLabel(row, labels);
              return (
                <tr key={row.name}>
                  <th scope="row">
                    {row.title} {label && <LabelBadge label={label} />}
                  </th>
                  {row.sides.map((cell, at) => (
                    <SideCells
                      key={comparison.sides[at]?.key}
                      row={row}
                      cell={cell}
                      rule={rule}
                      base={at === comparison.base}
                      said={label ?? labels[at] ?? null}
                    />
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {rows.length === 0 && reasons.length === 0 && (
        <p className="muted compare-absent">
          {table.rows.length === 0 ? "Nothing to compare." : "Nothing happened on any side."}
        </p>
      )}
    </section>
  );
}

interface HeadsProps {
  readonly comparison: Comparison;
  readonly colours: readonly string[];
  /** The usual label of each side, where it has one. */
  readonly labels: readonly ComparedCell["label"][];
}

/** A head for each side, over its value and, but for the base, its difference. */
export function SideHeads({ comparison, colours, labels }: HeadsProps) {
  return comparison.sides.map(({ key, name }, at) => (
    <SideHead
      key={key}
      sideKey={key}
      name={name}
      base={at === comparison.base}
      colour={colours[at]}
      label={labels[at] ?? null}
    />
  ));
}

interface HeadProps {
  readonly sideKey: string;
  readonly name: string;
  readonly base: boolean;
  readonly colour: string | undefined;
  readonly label: ComparedCell["label"];
}

function SideHead({ sideKey, name, base, colour, label }: HeadProps) {
  return (
    <th scope="col" colSpan={base ? 1 : 2} className="compare-side" title={name}>
      <span className="swatch" style={{ backgroundColor: colour }} />
      {sideKey}
      {base && <span className="muted"> baseline</span>}
      {label && (
        <>
          {" "}
          <LabelBadge label={label} />
        </>
      )}
    </th>
  );
}

interface CellProps {
  readonly row: ComparedTableRow;
  readonly cell: ComparedCell;
  readonly rule: StarRule;
  readonly base: boolean;
  /** The label at the head of the row or the column. */
  readonly said: ComparedCell["label"];
}

function SideCells({ row, cell, rule, base, said }: CellProps) {
  const { value, rate } = cellText(row, cell);
  const lacks = missingText(cell.missing);
  return (
    <>
      <td className="num right" title={cell.reason ?? (lacks === "" ? undefined : lacks)}>
        {cell.label && cell.label !== said && <LabelBadge label={cell.label} missing={cell.missing} />}{" "}
        {value}
        {rate !== null && <span className="compare-rate muted">{rate}</span>}
        {cell.mean === null && cell.reason !== null && <span className="off-screen">{cell.reason}</span>}
      </td>
      {!base && <DifferenceCell row={row} cell={cell} rule={rule} />}
    </>
  );
}

/** The percent; a star when significant, and worse never by colour alone: the sign says it. */
export function DifferenceCell({ row, cell, rule }: Pick<CellProps, "row" | "cell" | "rule">) {
  if (cell.mean === null) return <td />;
  const verdict = verdictOf(row, cell);
  return (
    <td className={`num compare-percent compare-${verdict}`} title={differenceSays(row, cell, rule)}>
      {percentText(row, cell)}
      <span className="compare-star" aria-hidden={!isStarred(cell, rule)}>
        {isStarred(cell, rule) ? "★" : ""}
      </span>
    </td>
  );
}
