import { useCallback, useMemo, useState } from "react";
import type { ComparedTable, ComparedTableRow, Comparison } from "../../api/types.ts";
import { type Paint, useCanvas } from "../../ui/canvas/use-canvas.ts";
import { PictureButtons } from "../../ui/picture/picture-buttons.tsx";
import { Choice, CsvButton } from "../../ui/section-parts.tsx";
import { type Box, paintBoxes } from "./box-plot.ts";
import type { CompareState, StarRule } from "./compare-state.ts";
import { absentReasons, inUnit, tableCsv, usualLabel } from "./compare-table.ts";
import { DifferenceCell, SideHeads } from "./comparison-table.tsx";

interface Props {
  readonly told: Comparison;
  readonly table: ComparedTable;
  readonly state: CompareState;
  readonly colours: readonly string[];
  readonly onChange: (state: CompareState) => void;
}

const RULE_WORDS: Record<StarRule, string> = { "2020": "t test (2020)", "2024": "intervals (2024)" };
const RULE_SAYS: Record<StarRule, string> = {
  "2020": "★ where a two-sided t test gives p < 0.10, as mmtests did when the patches were discussed.",
  "2024": "★ where the means ± 1.96 deviations do not overlap, as mmtests does since November 2024.",
};

/** Statistics over windows or runs, with the rule of significance to choose. */
export function CompareStatistics({ told, table, state, colours, onChange }: Props) {
  const [numbers, setNumbers] = useState(false);
  const labels = told.sides.map((_, side) => usualLabel(table, side));
  const reasons = absentReasons(told, table);
  return (
    <section aria-label="Statistics" className="compare-section" data-picture>
      <h2>Statistics</h2>
      <p className="tab-tools">
        <Choice
          label="Significance by"
          choices={["2020", "2024"]}
          chosen={state.rule}
          words={RULE_WORDS}
          onChoose={(rule) => onChange({ ...state, rule })}
        />
        <button type="button" className="inline" aria-pressed={numbers} onClick={() => setNumbers(!numbers)}>
          {numbers ? "fewer numbers" : "all numbers"}
        </button>
        <CsvButton name="compare-statistics" {...tableCsv(told, table)} />
        <PictureButtons
          name="compare-statistics"
          title={`Statistics of ${told.sides.map(({ key, name }) => `${key} ${name}`).join(", ")}`}
        />
      </p>
      <p className="muted">
        {RULE_SAYS[state.rule]} {told.samples.sentence}
      </p>
      {reasons.map((reason) => (
        <p key={reason} className="muted compare-absent">
          {reason}
        </p>
      ))}
      {table.rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        <section className="compare-scroll" tabIndex={0} aria-label="Table of statistics">
          <table className="grid-table compare-table compare-stats" data-testid="compare-statistics">
            <thead>
              <tr>
                <td />
                <th scope="col" className="compare-spread">
                  spread
                </th>
                <SideHeads told={told} colours={colours} labels={labels} />
              </tr>
            </thead>
            {table.rows.map((row) => (
              <StatisticsRow
                key={row.name}
                told={told}
                row={row}
                rule={state.rule}
                colours={colours}
                numbers={numbers}
              />
            ))}
          </table>
        </section>
      )}
    </section>
  );
}

interface RowProps {
  readonly told: Comparison;
  readonly row: ComparedTableRow;
  readonly rule: StarRule;
  readonly colours: readonly string[];
  readonly numbers: boolean;
}

/** The rows of the NAS tables. */
const SPREAD = [
  ["n", "n"],
  ["max", "max"],
  ["min", "min"],
  ["population_deviation", "stdev (n)"],
  ["sample_deviation", "stdev (n − 1)"],
  ["first_quartile", "first quartile"],
  ["median", "median"],
  ["third_quartile", "third quartile"],
] as const;

function StatisticsRow({ told, row, rule, colours, numbers }: RowProps) {
  const say = (value: number | null | undefined, name = "") =>
    value === null || value === undefined
      ? "–"
      : name === "n"
        ? String(value)
        : `${inUnit(value, row.unit)}${row.counted ? "/s" : ""}`;
  return (
    <tbody>
      <tr>
        <th scope="row">
          {row.title}
          <span className="muted compare-mean">{row.mean === "harmonic" ? "Hmean" : "Amean"}</span>
        </th>
        <td className="compare-box-cell">
          <BoxCanvas row={row} told={told} colours={colours} />
        </td>
        {row.sides.map((cell, at) => {
          const deviation = cell.summary?.sample_deviation;
          return (
            <CellPair key={told.sides[at]?.key} row={row} rule={rule} base={at === told.base} at={at}>
              <td className="num right" title={cell.reason ?? undefined}>
                {say(cell.mean)}
                {typeof deviation === "number" && (
                  <span className="compare-rate muted">± {say(deviation)}</span>
                )}
              </td>
            </CellPair>
          );
        })}
      </tr>
      {numbers &&
        SPREAD.map(([field, name]) => (
          <tr key={field} className="compare-number">
            <th scope="row">{name}</th>
            <td />
            {row.sides.map((cell, at) => (
              <PlainPair
                key={told.sides[at]?.key}
                base={at === told.base}
                text={say(cell.summary?.[field], field)}
              />
            ))}
          </tr>
        ))}
      {numbers && <TestRows told={told} row={row} />}
    </tbody>
  );
}

function CellPair({
  row,
  rule,
  base,
  at,
  children,
}: {
  readonly row: ComparedTableRow;
  readonly rule: StarRule;
  readonly base: boolean;
  readonly at: number;
  readonly children: React.ReactNode;
}) {
  const cell = row.sides[at];
  return (
    <>
      {children}
      {!base && cell && <DifferenceCell row={row} cell={cell} rule={rule} />}
    </>
  );
}

function PlainPair({ base, text }: { readonly base: boolean; readonly text: string }) {
  return (
    <>
      <td className="num right">{text}</td>
      {!base && <td />}
    </>
  );
}

/** Both rules' own numbers, and the changes as the NAS tables round them. */
function TestRows({ told, row }: Pick<RowProps, "told" | "row">) {
  const rows: [string, (at: number) => string][] = [
    ["t test (2020)", (at) => tText(row, at)],
    ["cidiff (2024)", (at) => intervalsText(row, at)],
    ["change of mean, median", (at) => changeText(row, at)],
  ];
  return rows.map(([name, text]) => (
    <tr key={name} className="compare-number">
      <th scope="row">{name}</th>
      <td />
      {row.sides.map((_, at) => (
        <PlainPair
          key={told.sides[at]?.key}
          base={at === told.base}
          text={at === told.base ? "" : text(at)}
        />
      ))}
    </tr>
  ));
}

function tText(row: ComparedTableRow, at: number): string {
  const test = row.sides[at]?.t_test;
  if (!test) return "–";
  if (test.t === null || test.p === null) return "nothing spreads";
  return `t ${test.t.toFixed(2)}, p ${test.p < 0.0001 ? "< 0.0001" : test.p.toFixed(4)}`;
}

function intervalsText(row: ComparedTableRow, at: number): string {
  const test = row.sides[at]?.intervals;
  return test ? test.cidiff.toFixed(2) : "–";
}

function changeText(row: ComparedTableRow, at: number): string {
  const { change_mean: mean, change_median: median } = row.sides[at] ?? {};
  const say = (value: number | null | undefined) => (typeof value === "number" ? `${value} %` : "–");
  return `${say(mean)}, ${say(median)}`;
}

function BoxCanvas({ told, row, colours }: Pick<RowProps, "told" | "row" | "colours">) {
  const boxes = useMemo(
    () =>
      row.sides.map(({ summary }, at): Box | null =>
        summary
          ? {
              min: summary.min,
              firstQuartile: summary.first_quartile,
              median: summary.median,
              thirdQuartile: summary.third_quartile,
              max: summary.max,
              mean: summary.mean,
              colour: colours[at] ?? "#808080",
            }
          : null,
      ),
    [row, colours],
  );
  const paint = useCallback<Paint>((surface, palette) => paintBoxes(surface, boxes, palette), [boxes]);
  const canvas = useCanvas(paint, 0);
  const rate = row.counted ? "/s" : "";
  const says = row.sides.flatMap(({ summary }, at) =>
    summary
      ? [
          `${told.sides[at]?.key} ${inUnit(summary.min, row.unit)}${rate} to ${inUnit(summary.max, row.unit)}${rate}, median ${inUnit(summary.median, row.unit)}${rate}`,
        ]
      : [],
  );
  return (
    <canvas
      ref={canvas}
      className="compare-box"
      style={{ height: Math.max(28, row.sides.length * 15) }}
      role="img"
      aria-label={says.join("; ")}
    />
  );
}
