import { scaleLinear } from "d3-scale";
import { useCallback, useMemo, useState } from "react";
import type { ComparedTable, ComparedTableRow, Comparison } from "../../api/types.ts";
import type { Palette } from "../../ui/canvas/palette.ts";
import { beginFrame, type Paint, type Surface, useCanvas } from "../../ui/canvas/surface.ts";
import { Button } from "../../ui/fields.tsx";
import { PictureButtons } from "../../ui/picture/picture-buttons.tsx";
import { CsvButton, ToggleGroup } from "../../ui/section-parts.tsx";
import type { CompareState, StarRule } from "./compare-state.ts";
import { absentReasons, inUnit, tableCsv, usualLabel } from "./compare-table.ts";
import { DifferenceCell, SideHeads } from "./comparison-table.tsx";

interface Props {
  readonly comparison: Comparison;
  readonly table: ComparedTable;
  readonly state: CompareState;
  readonly colours: readonly string[];
  readonly onChange: (state: CompareState) => void;
}

const RULE_WORDS: Record<StarRule, string> = { "2020": "t test (2020)", "2024": "intervals (2024)" };
const RULE_SAYS: Record<StarRule, string> = {
  "2020": "★ if a two-sided t test gives p < 0.10, as in mmtests at the time of the patches.",
  "2024": "★ if the means ± 1.96 deviations do not overlap, as in mmtests since November 2024.",
};

/** Statistics over windows or runs, with the rule of significance to choose. */
export function CompareStatistics({ comparison, table, state, colours, onChange }: Props) {
  const [numbers, setNumbers] = useState(false);
  const labels = comparison.sides.map((_, side) => usualLabel(table, side));
  const reasons = absentReasons(comparison, table);
  return (
    <section aria-label="Statistics" className="compare-section" data-picture>
      <h2>Statistics</h2>
      <p className="tab-tools">
        <ToggleGroup
          label="Significance by"
          choices={["2020", "2024"]}
          chosen={state.rule}
          words={RULE_WORDS}
          onChoose={(rule) => onChange({ ...state, rule })}
        />
        <Button className="inline" aria-pressed={numbers} onClick={() => setNumbers(!numbers)}>
          {numbers ? "fewer numbers" : "all numbers"}
        </Button>
        <CsvButton name="compare-statistics" {...tableCsv(comparison, table)} />
        <PictureButtons
          name="compare-statistics"
          title={`Statistics of ${comparison.sides.map(({ key, name }) => `${key} ${name}`).join(", ")}`}
        />
      </p>
      <p className="muted">
        {RULE_SAYS[state.rule]} {comparison.samples.sentence}
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
                <SideHeads comparison={comparison} colours={colours} labels={labels} />
              </tr>
            </thead>
            {table.rows.map((row) => (
              <StatisticsRow
                key={row.name}
                comparison={comparison}
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
  readonly comparison: Comparison;
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

function StatisticsRow({ comparison, row, rule, colours, numbers }: RowProps) {
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
          <span className="muted compare-mean">{row.mean === "harmonic" ? "harmonic mean" : "mean"}</span>
        </th>
        <td className="compare-box-cell">
          <BoxCanvas row={row} comparison={comparison} colours={colours} />
        </td>
        {row.sides.map((cell, at) => {
          const deviation = cell.summary?.sample_deviation;
          return (
            <CellPair
              key={comparison.sides[at]?.key}
              row={row}
              rule={rule}
              base={at === comparison.base}
              at={at}
            >
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
                key={comparison.sides[at]?.key}
                base={at === comparison.base}
                text={say(cell.summary?.[field], field)}
              />
            ))}
          </tr>
        ))}
      {numbers && <TestRows comparison={comparison} row={row} />}
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
function TestRows({ comparison, row }: Pick<RowProps, "comparison" | "row">) {
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
          key={comparison.sides[at]?.key}
          base={at === comparison.base}
          text={at === comparison.base ? "" : text(at)}
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

function BoxCanvas({ comparison, row, colours }: Pick<RowProps, "comparison" | "row" | "colours">) {
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
          `${comparison.sides[at]?.key} ${inUnit(summary.min, row.unit)}${rate} to ${inUnit(summary.max, row.unit)}${rate}, median ${inUnit(summary.median, row.unit)}${rate}`,
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

// Spreads of several sides under each other: whiskers to the ends, a box of the middle half, a stroke at the median.

export interface Box {
  readonly min: number;
  readonly firstQuartile: number;
  readonly median: number;
  readonly thirdQuartile: number;
  readonly max: number;
  readonly mean: number;
  readonly colour: string;
}

const PAD = 5;

export function paintBoxes(surface: Surface, boxes: readonly (Box | null)[], palette: Palette): void {
  const ctx = beginFrame(surface, null);
  const { width, height } = surface;
  const there = boxes.filter((box) => box !== null);
  const low = Math.min(...there.map(({ min }) => min));
  const high = Math.max(...there.map(({ max }) => max));
  const x = scaleLinear()
    .domain(low < high ? [low, high] : [low - 1, high + 1])
    .range([PAD, Math.max(PAD + 1, width - PAD)]);
  const row = height / Math.max(1, boxes.length);
  for (const [place, box] of boxes.entries()) {
    if (!box) continue;
    const middle = Math.round((place + 0.5) * row) + 0.5;
    const half = Math.min(6, row / 2 - 2);
    ctx.strokeStyle = box.colour;
    ctx.fillStyle = box.colour;
    ctx.beginPath();
    ctx.moveTo(x(box.min), middle);
    ctx.lineTo(x(box.max), middle);
    for (const end of [box.min, box.max]) {
      ctx.moveTo(x(end), middle - half / 2);
      ctx.lineTo(x(end), middle + half / 2);
    }
    ctx.stroke();
    const [left, right] = [x(box.firstQuartile), x(box.thirdQuartile)];
    ctx.fillStyle = palette.ground;
    ctx.fillRect(left, middle - half, Math.max(1, right - left), 2 * half);
    ctx.fillStyle = box.colour;
    ctx.globalAlpha = 0.25;
    ctx.fillRect(left, middle - half, Math.max(1, right - left), 2 * half);
    ctx.globalAlpha = 1;
    ctx.strokeRect(left, middle - half, Math.max(1, right - left), 2 * half);
    ctx.fillRect(x(box.median) - 1, middle - half, 2, 2 * half);
    // The mean, a point of its own.
    ctx.fillStyle = palette.text;
    ctx.beginPath();
    ctx.arc(x(box.mean), middle, 2, 0, Math.PI * 2);
    ctx.fill();
  }
}
