import { useCallback, useMemo, useState } from "react";
import type { SectionState } from "../../../api/routes/section-source.ts";
import type { ClingSection, MissingPart } from "../../../api/types.ts";
import { formatDuration, plural } from "../../../lib/format.ts";
import { TERMS } from "../../../lib/terms.ts";
import { type Span, toRel } from "../../../lib/time.ts";
import { partsText } from "../../../panels/cling/cling.ts";
import { DegreeSlider } from "../../../panels/cling/degree-slider.tsx";
import { panel as clingKind } from "../../../panels/cling/index.tsx";
import type { Stage } from "../../../timeline/stage/stage.ts";
import { WindowAxis } from "../../../ui/canvas/window-axis.tsx";
import { LabelBadge, SectionStatus, Term, ToggleGroup } from "../../../ui/section-parts.tsx";
import { EventList } from "../../../ui/table/event-list.tsx";
import { VirtualTable } from "../../../ui/table/virtual-table.tsx";
import { busyTable } from "./busy-table.ts";
import { ClingGroupChart } from "./cling-group.tsx";
import { decisionTable } from "./decision-table.ts";
import { Exactness } from "./exactness.tsx";
import { groupTable } from "./group-table.ts";

interface Props {
  /** As recorded. */
  readonly section: ClingSection;
  readonly whatIf: SectionState<ClingSection | MissingPart>;
  readonly stage: Stage;
  /** What the address says. */
  readonly degree: number | null;
  readonly held: boolean;
  /** Shared with the lanes of cling. */
  readonly onDegree: (degree: number | null) => void;
  readonly onGo: (span: Span) => void;
}

const KNOWN: Readonly<Record<ClingSection["known_by"], string>> = {
  lines: "The kernel has cling and printed what it did.",
  readings: "The kernel has cling; its files were read.",
  what_if: "The traced kernel has no cling: this is what it would have done with the recorded attempts.",
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
  const groupRows = useMemo(() => groupTable(groups), [groups]);
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
        <p className="tab-empty muted">No numa group is known in this window.</p>
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
      {groups.length > 0 && (
        <section className="event-list" aria-label="Numa groups">
          <p className="tab-tools">
            <b>Numa groups</b>{" "}
            <span className="muted">attempts to come to each node, and how it was busy</span>
          </p>
          <div className="event-rows">
            <VirtualTable
              label="Numa groups"
              table={groupRows}
              name="numa-groups"
              testId="groups-table"
              upTo={GROUPS_HEIGHT}
            />
          </div>
        </section>
      )}
      <EventList
        title={<Term means={TERMS.busyNode}>Busy nodes</Term>}
        label="Stretches in which a node was busy for a group"
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
          ? "Cling decided nothing in this window."
          : "No node became busy, and no preference changed for that, in this window."
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
