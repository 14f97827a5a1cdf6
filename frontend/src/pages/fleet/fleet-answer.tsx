import { scaleLinear, scaleUtc } from "d3-scale";
import { type ReactNode, useCallback, useMemo, useSyncExternalStore } from "react";
import type { FleetFindings, FleetMachines, FleetSeries, FleetUpgrade } from "../../api/types.ts";
import { kindText } from "../../lib/findings.ts";
import { formatCount } from "../../lib/format.ts";
import { analysisPath, comparePath, fleetPath } from "../../lib/routes.ts";
import { nodeColour } from "../../ui/canvas/colour.ts";
import type { Palette } from "../../ui/canvas/palette.ts";
import { strokeLine } from "../../ui/canvas/pen.ts";
import { beginFrame, type Paint, type Surface, useCanvas } from "../../ui/canvas/surface.ts";
import { currentTheme, subscribeTheme } from "../../ui/canvas/theme.ts";
import { Link } from "../../ui/page/link.tsx";
import { LabelBadge } from "../../ui/section-parts.tsx";
import { DataGrid } from "../../ui/table/data-grid.tsx";
import { type FleetAnswer, type FleetState, fleetQuery } from "./fleet-state.ts";
import {
  amountText,
  byChange,
  changeText,
  dayText,
  type FleetLine,
  findingsTable,
  flipsText,
  linesOf,
  machinesTable,
  rowsTable,
  seriesTable,
  starOf,
  upgradeTable,
} from "./fleet-tables.ts";

interface Props {
  readonly answer: FleetAnswer;
  readonly state: FleetState;
}

/** The answer to a question, as tables with links to the analyses. */
export function FleetAnswerView({ answer, state }: Props) {
  switch (answer.ask) {
    case "machines":
      return <Machines answered={answer.answered} state={state} />;
    case "metric":
      return <Series answered={answer.answered} state={state} />;
    case "upgrade":
      return <Upgrade answered={answer.answered} />;
    case "findings":
      return <Findings answered={answer.answered} />;
    default:
      return (
        <>
          <p className="muted">
            {formatCount(answer.answered.rows.length)} rows
            {answer.answered.truncated && "; more exist"}
          </p>
          <Grid label="Rows" table={rowsTable(answer.answered)} name="fleet" testId="fleet-rows" />
        </>
      );
  }
}

type GridProps = Parameters<typeof DataGrid>[0];

function Grid(props: GridProps) {
  return props.table.rows.length === 0 ? (
    <p className="muted">No matching data in the selected analyses.</p>
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is scrolled by the keyboard, too
    <section className="fleet-grid" tabIndex={0} aria-label={props.label}>
      <DataGrid {...props} />
    </section>
  );
}

function Machines({ answered, state }: { readonly answered: FleetMachines; readonly state: FleetState }) {
  const { machines } = answered;
  const table = machinesTable(machines);
  const cell = (row: number, column: number): ReactNode => {
    const machine = machines[row];
    switch (machine && table.head[column]) {
      case "machine":
        return (
          <Link to={analysisPath(machine?.latest ?? "", "")} title={`Latest: ${machine?.latest_title}`}>
            {machine?.machine}
          </Link>
        );
      case "kernel": {
        if (!machine || machine.kernels < 2) return undefined;
        const ask = {
          ...state,
          ask: "upgrade",
          machine: machine.machine,
          before: null,
          after: null,
        } as const;
        return (
          <>
            {machine.kernel}{" "}
            <Link to={fleetPath(fleetQuery(ask))}>
              and {machine.kernels - 1} before<span className="off-screen"> on {machine.machine}</span>
            </Link>
          </>
        );
      }
      case "flips":
        return machine?.most_flips ? (
          <Link to={analysisPath(machine.most_flips, "tab=balancers")} title="Recording with the most">
            {formatCount(machine.flips ?? 0)}
          </Link>
        ) : undefined;
      case "flips are":
        return machine?.label ? <LabelBadge label={machine.label} /> : undefined;
      case "worst finding":
        return machine?.worst ? (
          <>
            <span className={`severity severity-${machine.worst.severity}`}>{machine.worst.severity}</span>{" "}
            <Link to={analysisPath(machine.worst.analysis, "")} title={machine.worst.title}>
              {kindText(machine.worst.kind)}
            </Link>{" "}
            <LabelBadge label={machine.worst.label} />
          </>
        ) : undefined;
      default:
        return undefined;
    }
  };
  return (
    <>
      {machines.length > 0 && (
        <p className="fleet-summary" data-testid="fleet-summary">
          {flipsText(machines)}
        </p>
      )}
      <Grid label="Machines" table={table} name="machines" testId="fleet-machines" cell={cell} />
    </>
  );
}

function Series({ answered, state }: { readonly answered: FleetSeries; readonly state: FleetState }) {
  const { metric, points } = answered;
  const lines = linesOf(points.map((point) => ({ ...point, weight: point.recordings })));
  const groups = new Set(points.map(({ group }) => group)).size;
  const table = seriesTable(points, metric.unit, state.by);
  const cell = (row: number, column: number): ReactNode => {
    const point = points[row];
    if (table.head[column] === "is" && point?.label) return <LabelBadge label={point.label} />;
    if (table.head[column] === "latest" && point?.latest)
      return (
        <Link to={analysisPath(point.latest, "")}>
          open
          <span className="off-screen">
            {" "}
            the latest of {point.group}, {dayText(point.period)}
          </span>
        </Link>
      );
    return undefined;
  };
  return (
    <>
      <h2>
        {metric.title}
        {metric.better !== "neither" && <span className="muted"> {metric.better} is better</span>}
      </h2>
      {lines.length > 0 && (
        <FleetChart lines={lines} more={groups - lines.length} unit={metric.unit} title={metric.title} />
      )}
      <Grid
        label={metric.title}
        table={table}
        name={`fleet-${metric.name}`}
        testId="fleet-series"
        cell={cell}
      />
    </>
  );
}

function Upgrade({ answered }: { readonly answered: FleetUpgrade }) {
  const { sides, machines } = answered;
  const rows = byChange(answered.rows);
  const table = upgradeTable(
    rows,
    sides.map(({ kernel }) => kernel),
  );
  const cell = (row: number, column: number): ReactNode => {
    const label = rows[row]?.label;
    return table.head[column] === "is" && label ? <LabelBadge label={label} /> : undefined;
  };
  const lookOf = (row: number, column: number): string => {
    const answered = rows[row];
    if (table.head[column] !== "better by" || answered?.percent == null) return "";
    // What may be chance has no colour.
    if (starOf(answered) === "") return "muted";
    if (answered.better === "neither") return "";
    return answered.percent >= 0 ? "compare-better" : "compare-worse";
  };
  return (
    <>
      <ul className="fleet-sides">
        {sides.map((side) => (
          <li key={side.kernel}>
            <b className="mono">{side.kernel}</b> {formatCount(side.recordings)}{" "}
            {side.recordings === 1 ? "recording" : "recordings"} of {formatCount(side.machines)}{" "}
            {side.machines === 1 ? "machine" : "machines"}, {side.first_seen.slice(0, 10)} to{" "}
            {side.last_seen.slice(0, 10)}
          </li>
        ))}
      </ul>
      <p className="fleet-summary" data-testid="fleet-summary">
        {changeText(rows)}
      </p>
      <p className="tab-tools">
        <Link to={comparePath(`ids=${sides.map(({ analyses }) => analyses.join(":")).join(",")}`)}>
          Compare the latest ones
        </Link>
        <span className="muted">
          {machines.length === 1 ? `Only ${machines[0]}` : `The ${formatCount(machines.length)} machines`}{" "}
          that had both kernels. Each recording is one value; ★ is more than chance, by the rules of
          comparisons.
        </span>
      </p>
      <Grid
        label="Before and after"
        table={table}
        name="fleet-upgrade"
        testId="fleet-upgrade"
        cell={cell}
        cellClass={lookOf}
      />
    </>
  );
}

function Findings({ answered }: { readonly answered: FleetFindings }) {
  const { findings } = answered;
  const lines = linesOf(
    findings.map(({ kind, period, recordings, looked_at, cost_ms }) => ({
      group: kindText(kind),
      period,
      value: (100 * recordings) / looked_at,
      recordings,
      weight: cost_ms,
    })),
  );
  const kinds = new Set(findings.map(({ kind }) => kind)).size;
  const table = findingsTable(findings);
  const cell = (row: number, column: number): ReactNode => {
    const found = findings[row];
    switch (found && table.head[column]) {
      case "severity":
        return <span className={`severity severity-${found?.severity}`}>{found?.severity}</span>;
      case "is":
        return found?.label ? <LabelBadge label={found.label} /> : undefined;
      case "costliest":
        return (
          <Link to={analysisPath(found?.worst.analysis ?? "", "")}>
            {found?.worst.machine}, {found?.worst.title}
          </Link>
        );
      default:
        return undefined;
    }
  };
  return (
    <>
      {lines.length > 0 && (
        <>
          <h2>Affected recordings</h2>
          <FleetChart
            lines={lines}
            more={kinds - lines.length}
            unit="%"
            title="Share of affected recordings"
          />
        </>
      )}
      <Grid label="Findings" table={table} name="fleet-findings" testId="fleet-findings" cell={cell} />
    </>
  );
}

interface FleetChartProps {
  readonly lines: readonly FleetLine[];
  /** Number of further ones. */
  readonly more: number;
  readonly unit: string;
  readonly title: string;
}

/** Groups over time, and what their letters mean. */
export function FleetChart({ lines, more, unit, title }: FleetChartProps) {
  const theme = useSyncExternalStore(subscribeTheme, currentTheme);
  const colours = useMemo(() => lines.map((_, place) => nodeColour(place, theme)), [lines, theme]);
  const paint = useCallback<Paint>(
    (surface, palette) =>
      paintFleetChart(surface, { lines, colours, say: (value) => amountText(value, unit) }, palette),
    [lines, colours, unit],
  );
  const canvas = useCanvas(paint, lines.length);
  const names = lines.map(({ key, name }) => `${key} ${name}`).join(", ");
  return (
    <figure className="fleet-figure" data-testid="fleet-chart">
      <canvas
        ref={canvas}
        className="fleet-chart"
        role="img"
        aria-label={`${title} over time: ${names}; the table below has the numbers`}
      />
      <figcaption>
        {lines.map(({ key, name }, place) => (
          <span key={name}>
            <span className="swatch" style={{ backgroundColor: colours[place] }} /> {key} {name}
          </span>
        ))}
        {more > 0 && <span className="muted">and {more} more in the table</span>}
        <span className="muted">the larger a mark, the more recordings</span>
      </figcaption>
    </figure>
  );
}

// A metric over days and weeks: a line for each group, with its letter at the end, and a mark for each period,
// the larger the more recordings it has. A period without recordings breaks no line.

export interface FleetChartData {
  readonly lines: readonly FleetLine[];
  readonly colours: readonly string[];
  /** Words of a value, on the axis. */
  readonly say: (value: number) => string;
}

const LEFT = 70;
const RIGHT = 46;
const TOP = 12;
const BOTTOM = 22;
/** Radius of a period's mark, of few recordings and of as many as any has. */
const MARKS: readonly [number, number] = [2, 4.5];
/** Between letters of lines that end side by side. */
const LETTER = 12;
const DAY_MS = 86_400_000;
/** Room for a day. */
const NAMED_EVERY = 84;

/** The periods whose days are on the axis: each that has space after the one before. */
export function namedTimes(times: readonly number[], x: (time: number) => number): readonly number[] {
  const named: number[] = [];
  for (const time of [...new Set(times)].sort((a, b) => a - b)) {
    const last = named.at(-1);
    if (last === undefined || x(time) - x(last) >= NAMED_EVERY) named.push(time);
  }
  return named;
}

/** Positions of letters for these heights, without overlaps: each is as far down as the ones above it require. */
export function lettersAt(heights: readonly number[], least: number, most: number): readonly number[] {
  const order = heights.map((_, place) => place).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const placed = [...heights];
  let free = least;
  for (const place of order) {
    placed[place] = Math.max(heights[place] ?? 0, free);
    free = (placed[place] ?? 0) + LETTER;
  }
  // What was pushed out at the bottom goes up again.
  let room = most;
  for (const place of order.reverse()) {
    placed[place] = Math.min(placed[place] ?? 0, room);
    room = (placed[place] ?? 0) - LETTER;
  }
  return placed;
}

export function paintFleetChart(
  surface: Surface,
  { lines, colours, say }: FleetChartData,
  palette: Palette,
): void {
  const ctx = beginFrame(surface, palette.track);
  const { width, height } = surface;
  const all = lines.flatMap(({ points }) => points);
  if (all.length === 0) return;
  const times = all.map(([t]) => t);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const x = scaleUtc()
    .domain(first === last ? [first - DAY_MS, last + DAY_MS] : [first, last])
    .range([LEFT, Math.max(LEFT + 1, width - RIGHT)]);
  const y = scaleLinear()
    .domain([0, Math.max(1e-9, ...all.map(([, value]) => value))])
    .nice(4)
    .range([height - BOTTOM, TOP]);
  ctx.font = "11px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  ctx.lineWidth = 1;
  for (const value of y.ticks(4)) {
    const at = Math.round(y(value)) + 0.5;
    ctx.strokeStyle = palette.line;
    strokeLine(ctx, LEFT, at, width - RIGHT, at);
    ctx.fillStyle = palette.muted;
    ctx.textAlign = "right";
    ctx.fillText(say(value), LEFT - 6, at);
  }
  ctx.textAlign = "center";
  for (const moment of namedTimes(times, x)) {
    ctx.fillText(new Date(moment).toISOString().slice(0, 10), x(moment), height - BOTTOM / 2);
  }
  const heaviest = Math.max(1, ...all.map(([, , recordings]) => recordings));
  const ends: { key: string; x: number; y: number }[] = [];
  for (const [place, line] of lines.entries()) {
    const colour = colours[place] ?? palette.text;
    const at = line.points.map(([t, value]): [number, number] => [x(t), y(value)]);
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    for (const [i, [px, py]] of at.entries()) {
      if (i === 0) ctx.moveTo(px, py);
      else ctx.lineTo(px, py);
    }
    ctx.stroke();
    ctx.fillStyle = palette.track;
    for (const [i, [px, py]] of at.entries()) {
      const share = Math.sqrt((line.points[i]?.[2] ?? 1) / heaviest);
      ctx.beginPath();
      ctx.arc(px, py, MARKS[0] + (MARKS[1] - MARKS[0]) * share, 0, Math.PI * 2);
      ctx.fill();
      ctx.stroke();
    }
    const end = at.at(-1);
    if (end) ends.push({ key: line.key, x: end[0], y: end[1] });
  }
  ctx.fillStyle = palette.text;
  ctx.strokeStyle = palette.track;
  ctx.lineWidth = 3;
  ctx.textAlign = "left";
  for (const column of new Set(ends.map((end) => end.x))) {
    const here = ends.filter((end) => end.x === column);
    const heights = lettersAt(
      here.map((end) => end.y),
      TOP,
      height - BOTTOM,
    );
    for (const [i, { key }] of here.entries()) {
      const words: [string, number, number] = [key, column + MARKS[1] + 4, heights[i] ?? 0];
      // On ground of its own: other lines may continue behind it.
      ctx.strokeText(...words);
      ctx.fillText(...words);
    }
  }
}
