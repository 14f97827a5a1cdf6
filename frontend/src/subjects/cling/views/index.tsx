import { useCallback, useMemo, useState } from "react";
import { Answered, type HeldProps, HeldView } from "../../../analysis/held-view.tsx";
import type { DrawerView } from "../../../analysis/tab.ts";
import { useOptionalSection, useSection } from "../../../analysis/use-section.ts";
import type { SectionState } from "../../../api/routes/section-source.ts";
import type { ClingGroup, ClingSection, MissingPart } from "../../../api/types.ts";
import { formatDuration, plural } from "../../../lib/format.ts";
import { missingText, TERMS } from "../../../lib/terms.ts";
import { parseNs, type Span, toRel } from "../../../lib/time.ts";
import type { Stage } from "../../../timeline/stage/stage.ts";
import { WindowAxis } from "../../../ui/canvas/axis.tsx";
import { LabelBadge, SectionStatus, Term, ToggleGroup } from "../../../ui/section-parts.tsx";
import { type Column, describeTable, type TextTable } from "../../../ui/table/described-table.ts";
import { EventList, VirtualTable } from "../../../ui/table/virtual-table.tsx";
import { groupName, partsText } from "../lanes/cling-tracks.ts";
import { DegreeSlider } from "../lanes/degree-slider.tsx";
import { panel as clingKind } from "../lanes/index.tsx";
import { ClingGroupChart } from "./cling-group.tsx";
import { busyTable, decisionTable } from "./cling-tables.ts";
import { Exactness } from "./exactness.tsx";

export const view: DrawerView = {
  id: "cling",
  title: "Cling",
  Body: (props) => <HeldView {...props} Part={ClingPart} />,
};

function ClingPart({ live, window, held, onGo, degree }: HeldProps) {
  const state = useSection(live.section("cling"), { window });
  const section = state.answer?.available ? state.answer : null;
  const none = section?.known_by === "what_if";
  const tried =
    section && (none || (degree !== null && degree !== section.degree)) ? (degree ?? section.degree) : null;
  const whatIf = useOptionalSection(
    live.section("cling", "what-if"),
    tried === null ? null : { window, degree: tried },
  );
  return (
    <Answered state={state} section="cling">
      {(answer) => (
        <ClingView
          section={answer}
          whatIf={whatIf}
          stage={live.stage}
          degree={degree}
          held={held}
          onDegree={(chosen) => live.setDrawer({ degree: chosen })}
          onGo={onGo}
        />
      )}
    </Answered>
  );
}

interface Props {
  /** As recorded. */
  readonly section: ClingSection;
  readonly whatIf: SectionState<ClingSection | MissingPart>;
  readonly stage: Stage;
  readonly degree: number | null;
  readonly held: boolean;
  /** Shared with the lanes of cling. */
  readonly onDegree: (degree: number | null) => void;
  readonly onGo: (span: Span) => void;
}

const KNOWN: Readonly<Record<ClingSection["known_by"], string>> = {
  lines: "The kernel has cling and printed its decisions.",
  readings: "The kernel has cling; its files were read.",
  what_if: "The traced kernel has no cling: this is a what-if with the recorded attempts.",
};
const LISTS = ["decisions", "annotations"] as const;
const LIST_WORDS = { decisions: "Decisions", annotations: "Busy nodes, preferences, memory" };
/** CSS pixels. */
const GROUPS_HEIGHT = 236;
/** Around a decision, ns. */
const AROUND = 2e6;

/** Numa groups whose tasks cling to their nodes: failures by node, busy nodes, decisions, and any other degree. */
export function ClingView({ section, whatIf, stage, degree, held, onDegree, onGo }: Props) {
  const { preview } = stage.panel(clingKind);
  const { origin } = stage.scene;
  const recorded = section.known_by === "what_if" ? null : section.degree;
  const shown = degree ?? section.degree;
  const other = whatIf.answer?.available && whatIf.answer.degree === shown ? whatIf.answer : null;
  const trying = shown !== recorded;
  const answered = trying ? other : section;
  const groups = (answered ?? section).groups;
  const window = useMemo(
    () => ({ from: toRel(origin, BigInt(section.from_ns)), to: toRel(origin, BigInt(section.to_ns)) }),
    [origin, section],
  );
  const parts = other?.what_if?.parts ?? null;
  const table = useMemo(() => busyTable(groups, origin), [groups, origin]);
  return (
    <div className="balancers-view">
      <p className="tab-tools cling-tools">
        <DegreeSlider degree={shown} recorded={recorded} preview={preview} onReset={() => onDegree(null)} />
        <span className="muted">{KNOWN[section.known_by]}</span>
        <SectionStatus state={whatIf} />
      </p>
      {trying && other?.what_if && (
        <p className="what-if-note" data-testid="what-if">
          <LabelBadge label="what-if" missing={other.what_if.missing} said /> {partsText(other.what_if)}
        </p>
      )}
      {groups.length === 0 ? (
        <p className="tab-empty muted">No numa groups in this window.</p>
      ) : (
        <WindowAxis window={window} origin={origin} />
      )}
      {groups.map((group, place) => (
        <ClingGroupChart
          key={group.number}
          group={group}
          stage={stage}
          window={window}
          degree={shown}
          computed={answered !== null}
          whatIf={trying}
          saysParts={place === 0}
          parts={trying && parts ? toRel(origin, BigInt(parts.t_ns)) : null}
          preview={preview}
          held={held}
          onGo={onGo}
        />
      ))}
      {groups.length > 0 && (
        <p className="muted cling-legend">
          Share of failed attempts by node, 0 to 100 %; dashed: the degree; shaded, and barred below in the
          node's colour: busy; ▾ becomes busy, ▿ stops. The timer halves the counters every{" "}
          {formatDuration(section.timer_period_ns)}.
        </p>
      )}
      {groups.length > 0 && <Groups groups={groups} />}
      <EventList
        title={<Term means={TERMS.busyNode}>Busy nodes</Term>}
        label="Times at which a node was busy for a group"
        name="busy-nodes"
        table={table}
        more={0}
        none={`No node was busy for a group with a degree of ${shown} %.`}
        testId="busy-table"
        onPick={(row) => {
          const span = table.spans[row];
          if (span) onGo(span);
        }}
      >
        <span className="muted">{plural(groups.length, "group")}</span>
      </EventList>
      <Notes section={section} stage={stage} onGo={onGo} />
      <Exactness section={section} />
    </div>
  );
}

function Groups({ groups }: { readonly groups: readonly ClingGroup[] }) {
  const table = useMemo(() => groupTable(groups), [groups]);
  return (
    <section className="event-list" aria-label="Numa groups">
      <p className="tab-tools">
        <b>Numa groups</b> <span className="muted">attempts to reach each node, and its busy times</span>
      </p>
      <div className="event-rows">
        <VirtualTable
          label="Numa groups"
          table={table}
          name="numa-groups"
          testId="groups-table"
          upTo={GROUPS_HEIGHT}
        />
      </div>
    </section>
  );
}

interface NotesProps {
  readonly section: ClingSection;
  readonly stage: Stage;
  readonly onGo: (span: Span) => void;
}

function Notes({ section, stage, onGo }: NotesProps) {
  const [list, setList] = useState<(typeof LISTS)[number]>("decisions");
  const { tasks, origin } = stage.scene;
  const notes = section[list];
  const commOf = useCallback((pid: number) => tasks.comm[tasks.pid.indexOf(pid)] ?? null, [tasks]);
  const table = useMemo(() => decisionTable(notes, commOf), [notes, commOf]);
  return (
    <EventList
      title={<Term means={TERMS.cling}>Cling</Term>}
      label={LIST_WORDS[list]}
      name={`cling-${list}`}
      table={table}
      more={list === "decisions" ? section.decisions_more : section.annotations_more}
      none={
        list === "decisions"
          ? "No cling decisions in this window."
          : "No node became busy in this window, and no preference changed."
      }
      testId="notes-table"
      onPick={(row) => {
        const note = notes[row];
        if (!note) return;
        const t = toRel(origin, BigInt(note.t_ns));
        onGo({ from: t - AROUND, to: t + AROUND });
      }}
    >
      <ToggleGroup label="List" choices={LISTS} chosen={list} words={LIST_WORDS} onChoose={setList} />
    </EventList>
  );
}

/** Numa groups of a window: attempts to reach each node, and for how long nodes were busy. */

type Shown = Pick<ClingGroup, "number" | "gid" | "cgroup" | "nodes" | "busy" | "flips" | "label" | "missing">;

function busyNs({ busy }: Shown, nid: number): number {
  let length = 0n;
  for (const { nid: node, from_ns, to_ns } of busy) {
    if (node === nid) length += (parseNs(to_ns) ?? 0n) - (parseNs(from_ns) ?? 0n);
  }
  return Number(length);
}

export function groupTable(groups: readonly Shown[]): TextTable {
  const nids = [...new Set(groups.flatMap(({ nodes }) => nodes.map(({ nid }) => nid)))].sort((a, b) => a - b);
  const byNode = nids.flatMap((nid): Column<Shown>[] => {
    const node = ({ nodes }: Shown) => nodes.find((each) => each.nid === nid);
    return [
      {
        name: `to node ${nid}`,
        exact: `node_${nid}_attempts`,
        unit: "count",
        value: (group) => node(group)?.attempts,
        title: "Attempts to reach this node",
      },
      {
        name: `failed ${nid}`,
        exact: `node_${nid}_failures`,
        unit: "count",
        value: (group) => node(group)?.failures,
        title: "… of which failed",
      },
      {
        name: `busy ${nid}`,
        exact: `node_${nid}_busy_ns`,
        unit: "ns",
        value: (group) => busyNs(group, nid),
        title: "Time that the node was busy for the group",
      },
    ];
  });
  return describeTable<Shown>(
    [
      { name: "group", exact: null, value: groupName },
      { name: "number", exact: "group", unit: "id", value: ({ number }) => number },
      { name: "id", exact: "gid", unit: "id" },
      { name: null, exact: "cgroup" },
      ...byNode,
      { name: "flips", exact: "flips", unit: "count", value: ({ flips }) => flips.length },
      {
        name: "provenance",
        exact: "label",
        show: ({ label, missing }) => [label, missingText(missing)].filter((part) => part !== "").join(", "),
      },
      { name: null, exact: "missing", value: ({ missing }) => missing.join("; ") },
    ],
    groups,
  );
}
