import { type ReactNode, useMemo } from "react";
import { claimedWaits, type FindingPlace, waitSpan, waitsOf } from "../../../analysis/incident.ts";
import type { DrawerView, TabProps } from "../../../analysis/tab.ts";
import { shownWindow, useSection } from "../../../analysis/use-section.ts";
import type { LatencySection, TimeWindow, Wait, WaitsOfAKind } from "../../../api/types.ts";
import { formatCount, formatDuration, formatExactNs } from "../../../lib/format.ts";
import { TERMS } from "../../../lib/terms.ts";
import { pinCells } from "../../../timeline/frame/pinned-lanes.tsx";
import type { Stage } from "../../../timeline/stage/stage.ts";
import { CauseBar, CauseList } from "../../../ui/canvas/cause-bar.tsx";
import { Button } from "../../../ui/fields.tsx";
import {
  HeldWindow,
  LabelBadge,
  SectionStatus,
  Term,
  ToggleGroup,
  Unanswered,
} from "../../../ui/section-parts.tsx";
import { VirtualTable } from "../../../ui/table/virtual-table.tsx";
import {
  kindOf,
  LATENCY_VIEWS,
  type LatencyView,
  WAIT_KINDS,
  type WaitKind,
  waitKey,
} from "../../../view-state/tab-views.ts";
import { causeTable, durationText, groupTable, VIEW_WORDS, worstTable } from "./latency-table.ts";
import { WaitMapView } from "./wait-map.tsx";
import { WaitStory } from "./wait-story-view.tsx";
import "./latency.css";

export { causeTable, groupTable, VIEW_WORDS, waitBefore, worstTable } from "./latency-table.ts";
export { TaskDecisions, TaskWakeups } from "./task-history.tsx";
export { WaitFacts } from "./wait-story-view.tsx";

export const view: DrawerView = {
  id: "latency",
  title: "Waits",
  Body: LatencyTab,
};

/** Waits for a CPU in the window, and their causes. */
function LatencyTab({ live, snapshot, drawer, place, timeline }: TabProps) {
  const { stage } = live;
  // Going to a wait moves the window; the list that it was taken from stays until the reader lets it go.
  const { waits: shown, wait: opened, held } = drawer;
  const window = held ?? shownWindow(stage, snapshot);
  const state = useSection(live.section("latency"), { window });
  const { answer } = state;
  if (opened) return <WaitStory live={live} of={opened} counts={timeline.event_counts} />;
  if (!answer?.available) return <Unanswered state={state} section="latency" />;
  const view = shown === null || (shown === "finding" && place === null) ? "worst" : shown;
  const goTo = (wait: Wait) => {
    live.hold(window);
    void stage.show(waitSpan(wait, stage.scene.origin), { cpu: wait.cpu, at: BigInt(wait.switch_in_ns) });
  };
  return (
    <div className="latency-tab">
      <section className="latency-sums" aria-label="Waits of the window">
        <p className="tab-tools">
          <LabelBadge label={answer.label} missing={answer.missing} said />
          <SectionStatus state={state} />
        </p>
        <WaitSums latency={answer} kind={kindOf(view) ?? "worst"} />
      </section>
      <WaitList
        stage={stage}
        latency={answer}
        view={view}
        place={place}
        map={
          <WaitMapView
            live={live}
            stage={stage}
            window={window}
            onHold={() => live.hold(window)}
            onWait={goTo}
          />
        }
        selected={snapshot.selection?.slice ?? null}
        onView={(waits) => live.setDrawer({ waits })}
        onWait={goTo}
        onOpen={(wait) => {
          // A user who comes back finds the list as it was.
          live.setDrawer({ wait: waitKey(wait), held: window });
        }}
        held={held}
        onFollow={() => live.hold(null)}
      />
    </div>
  );
}

interface SumsProps {
  readonly latency: LatencySection;
  readonly kind: WaitKind;
}

function WaitSums({ latency, kind }: SumsProps) {
  const { causes } = waitsOf(latency, kind);
  return (
    <>
      <Percentiles latency={latency} />
      <h3>
        <Term means={TERMS.cause}>{KINDS[kind].breakdown} breakdown</Term>
      </h3>
      {causes.length === 0 ? (
        <p className="muted">{NO_WAITS[kind]}</p>
      ) : (
        <>
          <CauseBar causes={causes} />
          <CauseList causes={causes} testId="latency-causes" sum="all waits" />
        </>
      )}
      {latency.unfinished.count > 0 && (
        <p className="muted" data-testid="unfinished">
          <Term means={TERMS.unfinished}>Unfinished</Term> waits are at least this long: the recording ended,
          events were lost, or the task exited before it was seen running.
        </p>
      )}
      <CrossingWaits edges={latency.edges} />
    </>
  );
}

function CrossingWaits({ edges }: { edges: LatencySection["edges"] }): ReactNode {
  const { begun_before: before, open_at_end: open } = edges;
  if (before + open === 0) return null;
  return (
    <p className="muted" data-testid="edge-waits">
      {formatCount(before)} waits began before this window, and {formatCount(open)} continued past its end.
      Only their parts inside count, {formatDuration(BigInt(edges.wait_ns))} in all.
    </p>
  );
}

const KINDS: Readonly<Record<WaitKind, { name: string; means: string; breakdown: string }>> = {
  worst: { name: "wakeups", means: TERMS.waking, breakdown: "Wakeup latency" },
  preempted: { name: "preempted", means: TERMS.preempted, breakdown: "Preemption latency" },
  new: { name: "new tasks", means: TERMS.new, breakdown: "New task latency" },
  unfinished: { name: "unfinished", means: TERMS.unfinished, breakdown: "Unfinished wait" },
};

const NUMBERS = [
  ["in all", "wait_ns"],
  ["median", "p50_ns"],
  ["90 %", "p90_ns"],
  ["99 %", "p99_ns"],
  ["longest", "max_ns"],
] as const;

function Percentiles({ latency }: { readonly latency: LatencySection }) {
  return (
    <table className="node-table percentiles" data-testid="percentiles">
      <thead>
        <tr>
          <td />
          <th scope="col">waits</th>
          {NUMBERS.map(([name]) => (
            <th key={name} scope="col" title={name === "in all" ? "The sum of the waits." : TERMS.percentile}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {WAIT_KINDS.map((kind) => (
          <KindRow key={kind} kind={kind} waits={waitsOf(latency, kind)} />
        ))}
      </tbody>
    </table>
  );
}

function KindRow({ kind, waits }: { readonly kind: WaitKind; readonly waits: WaitsOfAKind }) {
  const { name, means } = KINDS[kind];
  return (
    <tr>
      <th scope="row">
        <Term means={means}>{name}</Term>
      </th>
      <td>{formatCount(waits.count)}</td>
      {NUMBERS.map(([column, field]) => {
        const ns = waits[field];
        return (
          <td key={column} title={ns === null ? "" : exactText(ns, field, waits.error_percent)}>
            {durationText(ns)}
          </td>
        );
      })}
    </tr>
  );
}

/** Percentiles of many waits are counted in classes; the sum and the longest are always exact. */
function exactText(ns: number, field: string, percent: number): string {
  const exact = field === "max_ns" || field === "wait_ns" || percent === 0;
  return exact ? formatExactNs(ns) : `${formatExactNs(ns)}, at most ${percent} % above the exact one`;
}

interface ListProps {
  readonly stage: Stage;
  readonly latency: LatencySection;
  readonly view: LatencyView;
  readonly place: FindingPlace | null;
  /** Content of the view of that name. */
  readonly map: ReactNode;
  readonly selected: { readonly cpu: number; readonly start_ns: string } | null;
  readonly onView: (view: LatencyView) => void;
  readonly onWait: (wait: Wait) => void;
  readonly onOpen: (wait: Wait) => void;
  readonly held: TimeWindow | null;
  readonly onFollow: () => void;
}

function WaitList(props: ListProps) {
  const { stage, latency, view, place, map, selected, onView, onWait, onOpen, held, onFollow } = props;
  const kind = kindOf(view);
  const waits = useMemo(
    () =>
      view === "finding" && place
        ? claimedWaits(latency, place).map(({ wait }) => wait)
        : waitsOf(latency, kind ?? "worst").worst,
    [latency, view, place, kind],
  );
  const single = kind !== null || view === "finding";
  const table = useMemo(
    () =>
      view === "cause"
        ? causeTable(latency)
        : view === "node" || view === "cgroup"
          ? groupTable(latency, view)
          : worstTable(waits, kind ?? "worst"),
    [latency, view, waits, kind],
  );
  const picked = single
    ? waits.findIndex(({ cpu, switch_in_ns }) => cpu === selected?.cpu && switch_in_ns === selected?.start_ns)
    : -1;
  // The worst one comes first in the list.
  const open = single ? waits[Math.max(0, picked)] : undefined;
  const pick = (row: number) => {
    const wait = waits[row];
    // At the end of an unfinished wait there need not be a slice to select.
    if (kind === "unfinished" && wait) onOpen(wait);
    else if (single && wait) onWait(wait);
  };
  return (
    <section className="wait-list" aria-label={VIEW_WORDS[view]}>
      <p className="tab-tools">
        <ToggleGroup
          label="List"
          choices={place ? LATENCY_VIEWS : LATENCY_VIEWS.filter((each) => each !== "finding")}
          chosen={view}
          words={VIEW_WORDS}
          onChoose={onView}
        />
        {open && (
          <Button
            className="inline"
            onClick={() => onOpen(open)}
            title="Its causes part by part, the tasks that ran, idle CPUs, and the wakeup chain"
          >
            open {picked < 0 ? "the worst" : "this wait"}
          </Button>
        )}
        {held && <HeldWindow window={held} onFollow={onFollow} />}
      </p>
      {view === "map" ? (
        map
      ) : table.rows.length === 0 ? (
        <p className="tab-empty muted">{NO_WAITS[view]}</p>
      ) : (
        <VirtualTable
          // Filters of one table mean nothing in another.
          key={view}
          label={VIEW_WORDS[view]}
          table={table}
          name={`latency-${view}`}
          testId="waits-table"
          picked={picked < 0 ? null : picked}
          cell={pinCells(table, stage)}
          {...(single ? { onPick: pick } : {})}
        />
      )}
    </section>
  );
}

const NO_WAITS: Readonly<Record<LatencyView, string>> = {
  worst: "No woken task got a CPU in this window.",
  preempted: "No task was preempted and ran again in this window.",
  new: "No newly forked task ran in this window.",
  unfinished: "Every wait of this window has its start and its end.",
  finding: "No listed wait of this window has a part counted by the finding.",
  map: "No task waited in this window.",
  cause: "No task waited in this window.",
  node: "No task waited in this window.",
  cgroup:
    "No task waited in this window, or cgroups were not recorded: record cgroup_attach_task and /proc/PID/cgroup; numalens record takes both.",
};
