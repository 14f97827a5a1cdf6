import { useCallback, useMemo } from "react";
import { Answered, type HeldProps, HeldView } from "../../../analysis/held-view.tsx";
import type { DrawerView } from "../../../analysis/tab.ts";
import { useSection } from "../../../analysis/use-section.ts";
import type { SectionState } from "../../../api/routes/section-source.ts";
import type {
  AutomigTable,
  MigrationMetrics,
  MigrationSection,
  MissingPart,
  PlacementSection,
} from "../../../api/types.ts";
import { formatCount, formatDuration, formatExactNs, formatShare, plural } from "../../../lib/format.ts";
import { asSentence, TERMS } from "../../../lib/terms.ts";
import { spanLength, toRel } from "../../../lib/time.ts";
import { WindowAxis } from "../../../ui/canvas/axis.tsx";
import type { Palette } from "../../../ui/canvas/palette.ts";
import { beginFrame, type Paint, type Surface, useCanvas } from "../../../ui/canvas/surface.ts";
import { PictureButtons } from "../../../ui/picture/picture-buttons.tsx";
import { Fact, LabelBadge, SectionStatus, Term } from "../../../ui/section-parts.tsx";
import { DataGrid } from "../../../ui/table/data-grid.tsx";
import { VirtualTable } from "../../../ui/table/virtual-table.tsx";
import { placementTable } from "../lanes/memory-tracks.ts";
import {
  automigLawTable,
  automigTable,
  callsTable,
  conservedTable,
  equivalentsTable,
  nsOr,
  perSecond,
  type Rate,
  ratesSentence,
  shareOr,
} from "./memory-table.ts";

export const view: DrawerView = {
  id: "memory",
  title: "Memory",
  Body: (props) => <HeldView {...props} Part={MemoryPart} />,
};

function MemoryPart({ live, window }: HeldProps) {
  const state = useSection(live.section("page_migration"), { window });
  const placement = useSection(live.section("placement"), { window });
  return (
    <Answered state={state} section="memory">
      {(section) => <MemoryView section={section} origin={live.stage.scene.origin} placement={placement} />}
    </Answered>
  );
}

interface Props {
  readonly section: MigrationSection;
  readonly origin: bigint;
  readonly placement: SectionState<PlacementSection | MissingPart>;
}

/** Memory that follows tasks, and tasks that follow memory. */
export function MemoryView({ section, origin, placement }: Props) {
  const { metrics, modern, table } = section;
  const window = useMemo(
    () => ({ from: toRel(origin, BigInt(section.from_ns)), to: toRel(origin, BigInt(section.to_ns)) }),
    [origin, section],
  );
  return (
    <div className="balancers-view">
      {metrics ? (
        <>
          <WindowAxis window={window} origin={origin} />
          <Rates metrics={metrics} length={spanLength(window)} />
          <Facts metrics={metrics} section={section} />
          <PlacementPart state={placement} />
          <Calls metrics={metrics} />
        </>
      ) : (
        <p className="tab-empty muted">
          Without a recording of events, only the statistics of auto-migration are available.
        </p>
      )}
      {modern && <ModernPart modern={modern} />}
      <AutomigPart table={table} />
    </div>
  );
}

interface PartProps {
  readonly metrics: MigrationMetrics;
}

function Rates({ metrics, length }: PartProps & { readonly length: number }) {
  const { series } = metrics;
  const [pages, late, moves] = useMemo(
    () =>
      [series.pages, series.just_too_late, series.moves].map((counts) =>
        perSecond(counts, series.step_ns, length),
      ),
    [series, length],
  );
  if (!pages || !late || !moves) return null;
  return (
    <section aria-label="Rates" data-testid="rates" data-picture>
      <PictureButtons name="memory-rates" title={ratesSentence(metrics, pages, moves)} />
      <RateChart
        name="Pages on fault"
        rate={pages}
        over={{ name: "late page migration", rate: late }}
        says={`Pages migrated on fault per second. ${ratesSentence(metrics, pages, moves)}`}
      />
      <RateChart
        name="Moves between nodes"
        rate={moves}
        says={`Moves of tasks between nodes per second, at most ${formatCount(moves.most)}`}
      />
      <p className="muted cling-legend">
        {ratesSentence(metrics, pages, moves)} Steps of {formatDuration(series.step_ns)}.
      </p>
    </section>
  );
}

function Facts({ metrics, section }: PartProps & { readonly section: MigrationSection }) {
  const { just_too_late: late, fight, dwell, moves, cpu_follows_memory: follows, locality } = metrics;
  const { what_if: refused } = section;
  return (
    <dl className="facts wide" data-testid="memory-facts">
      <Fact name="late page migration" term="justTooLate">
        <b>{shareOr(late.share)}</b> of the pages: {formatCount(late.pages)} of{" "}
        {formatCount(late.migrated_pages)} came for a task that left within{" "}
        {formatDuration(late.amortisation_ns)}; migrating them took{" "}
        <span title={formatExactNs(late.migrate_ns)}>{formatDuration(late.migrate_ns)}</span>{" "}
        <LabelBadge label={late.label} missing={late.missing} said />
      </Fact>
      <Fact name="fight index" term="fight">
        <b>{shareOr(fight.index)}</b>: {fight.fighting} of {plural(fight.windows, "window")} of 10 s, at most{" "}
        {shareOr(fight.at_most)} <LabelBadge label={fight.label} missing={fight.missing} said />
      </Fact>
      <Fact name="stay on a node" term="dwell">
        median {nsOr(dwell.p50_ns)}, p99 {nsOr(dwell.p99_ns)}; {shareOr(dwell.short.share)} under{" "}
        {formatDuration(dwell.short.than_ns)}
        {dwell.violations.map(({ than_ns, share }) => (
          <span key={than_ns}>
            , {shareOr(share)} under {formatDuration(than_ns)}
          </span>
        ))}{" "}
        <LabelBadge label={dwell.label} missing={dwell.missing} said />
      </Fact>
      <Fact name="moves between nodes">
        {formatCount(moves.count)} ({moves.per_s.toFixed(1)}/s):{" "}
        {moves.by_how
          .filter(([, count]) => count > 0)
          .map(([how, count]) => `${formatCount(count)} ${how}`)
          .join(", ")}{" "}
        <LabelBadge label={moves.label} missing={moves.missing} said />
      </Fact>
      <Fact name="tasks to their memory" term="cpuFollows">
        {shareOr(follows.share)}: {formatCount(follows.following)} moves, of {formatCount(follows.unknown)}{" "}
        the location of the memory is unknown{" "}
        <LabelBadge label={follows.label} missing={follows.missing} said />
      </Fact>
      <Fact name="local faults">
        {shareOr(locality.faults)}{" "}
        <LabelBadge label={locality.faults_quality.label} missing={locality.faults_quality.missing} said />
      </Fact>
      {refused && (
        <Fact name={`with an interval of ${refused.interval_s} s`} term="interval">
          {formatCount(refused.first)} first and {formatCount(refused.later)} later moves of{" "}
          {formatCount(refused.moves)} would have been refused (
          {formatShare(refused.moves === 0 ? 0 : (refused.first + refused.later) / refused.moves)}){" "}
          <LabelBadge label={refused.label} missing={refused.missing} said />
        </Fact>
      )}
    </dl>
  );
}

function Calls({ metrics }: PartProps) {
  const table = useMemo(() => callsTable(metrics), [metrics]);
  if (metrics.durations.length === 0) {
    return <p className="muted">No call that migrates pages was recorded in this window.</p>;
  }
  return (
    <section aria-label="Calls that migrate pages">
      <DataGrid
        label="Calls that migrate pages"
        table={table}
        name="page-migration-calls"
        testId="durations-table"
      />
    </section>
  );
}

interface RateChartProps {
  readonly name: string;
  readonly rate: Rate;
  /** Drawn over it, on the same scale. */
  readonly over?: { readonly name: string; readonly rate: Rate };
  readonly says: string;
}

export function RateChart({ name, rate, over, says }: RateChartProps) {
  const front = over?.rate;
  const paint = useCallback<Paint>(
    (surface, palette) =>
      paintRateChart(
        surface,
        {
          series: [
            { values: rate.values, colour: palette.muted },
            ...(front ? [{ values: front.values, colour: palette.cost }] : []),
          ],
          most: rate.most,
        },
        palette,
      ),
    [rate, front],
  );
  const canvas = useCanvas(paint, 0);
  return (
    <div className="cling-group">
      <div className="cling-name">
        <b>{name}</b>
        <span className="muted">full height: {formatCount(rate.most)}/s</span>
        {over && (
          <span className="muted">
            <span className="swatch cost-swatch" /> {over.name}
          </span>
        )}
      </div>
      <canvas ref={canvas} className="rate-chart" role="img" aria-label={says} />
    </div>
  );
}

export interface RateBars {
  /** Drawn over each other, the first at the back. */
  readonly series: readonly { readonly values: readonly number[]; readonly colour: string }[];
  readonly most: number;
}

export function paintRateChart(surface: Surface, { series, most }: RateBars, palette: Palette): void {
  const ctx = beginFrame(surface, palette.track);
  const { width, height } = surface;
  for (const { values, colour } of series) {
    ctx.fillStyle = colour;
    const step = width / Math.max(1, values.length);
    // Several steps on one pixel: the highest is the one to be seen.
    let column = -1;
    let tallest = 0;
    for (const [i, value] of values.entries()) {
      const x = i * step;
      const here = Math.floor(x);
      if (here !== column) [column, tallest] = [here, 0];
      const tall = value <= 0 ? 0 : Math.max(1, (value / Math.max(most, 1e-9)) * (height - 2));
      if (tall <= tallest) continue;
      tallest = tall;
      ctx.fillRect(x, height - tall, Math.max(1, step), tall);
    }
  }
}

type Modern = NonNullable<MigrationSection["modern"]>;

/** Today's equivalents of the statistics of 2010, and the invariants of these numbers. */
export function ModernPart({ modern }: { readonly modern: Modern }) {
  const conserved = useMemo(() => conservedTable(modern.conserved), [modern]);
  const equivalents = useMemo(() => equivalentsTable(modern.equivalents), [modern]);
  return (
    <section aria-label="Conservation and equivalents">
      <h3>
        <Term means={TERMS.conserved}>Invariants</Term>
      </h3>
      <DataGrid
        label="Invariants"
        table={conserved}
        name="conserved"
        testId="conserved-table"
        className="sentences"
        cellClass={(row, column) => (column === 4 && modern.conserved[row]?.holds === false ? "cost" : "")}
      />
      <h3>
        <Term means={TERMS.equivalents}>The statistics of 2010 today</Term>
      </h3>
      <DataGrid
        label="The statistics of 2010 today"
        table={equivalents}
        name="equivalents"
        testId="equivalents-table"
        className="sentences"
        cell={(row, column) => {
          const each = modern.equivalents[row];
          return column === 5 && each ? <LabelBadge label={each.label} missing={each.missing} /> : undefined;
        }}
        cellClass={(_, column) => (column === 4 ? "sentence muted" : "")}
      />
    </section>
  );
}

/** The statistics of auto-migration and the laws that they keep, where they were sampled. */
export function AutomigPart({ table }: { readonly table: AutomigTable | null }) {
  return (
    <section aria-label="Statistics of auto-migration">
      <h3>
        <Term means={TERMS.automig}>Statistics of auto-migration</Term>{" "}
        {table && <LabelBadge label={table.label} missing={table.missing} said />}
      </h3>
      {table === null ? (
        <p className="muted" data-testid="no-automig">
          Not sampled: only kernels with the auto-migration patches of 2010 have them.
        </p>
      ) : (
        <Automig table={table} />
      )}
    </section>
  );
}

function Automig({ table }: { readonly table: AutomigTable }) {
  const laws = useMemo(() => automigLawTable(table), [table]);
  const rows = useMemo(() => automigTable(table), [table]);
  const waste = table.window?.["lazy_waste"] ?? table.ratios?.["lazy_waste"] ?? null;
  return (
    <>
      <DataGrid
        label="Invariants of the statistics"
        table={laws}
        name="automig-laws"
        testId="laws-table"
        className="sentences"
        cellClass={(row, column) =>
          column === 4 ? "sentence muted" : column === 3 && laws.rows[row]?.[3] === "broken" ? "cost" : ""
        }
      />
      <p className="muted">
        {waste === null
          ? "Nothing left the migration cache."
          : `At least ${formatShare(waste)} of the unmapped pages were not touched again.`}
        {table.leak && ` ${formatCount(Math.abs(table.leak.entries))} references seem to be lost.`}
      </p>
      <VirtualTable
        label="Statistics of auto-migration, sample by sample"
        table={rows}
        name="automig"
        testId="automig-table"
        upTo={MOST_HEIGHT}
      />
    </>
  );
}

/** CSS pixels. */
const MOST_HEIGHT = 260;

/** CPU time of numa groups by node, and the location of their memory. */
export function PlacementPart({ state }: { readonly state: SectionState<PlacementSection | MissingPart> }) {
  const { answer } = state;
  const section = answer?.available ? answer : null;
  const table = useMemo(() => (section ? placementTable(section) : null), [section]);
  return (
    <section aria-label="CPU time and memory by numa group" className="placement-part">
      <h3>
        <Term means={TERMS.placement}>CPU time and memory by numa group</Term>{" "}
        {section && <LabelBadge label={section.label} missing={section.missing} said />}{" "}
        <SectionStatus state={state} />
      </h3>
      {answer && !answer.available && <p className="muted">{asSentence(answer.reason)}</p>}
      {table && (
        <DataGrid label="CPU time by numa group" table={table} name="placement" testId="placement-table" />
      )}
      {section && section.memory === null && (
        <p className="muted" data-testid="no-memory">
          The location of the memory is not known; missing: {section.memory_missing.join(", ")}. numalens
          record takes samples of /proc/PID/numa_maps.
        </p>
      )}
    </section>
  );
}
