import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import type { LiveAnalysis } from "../../../analysis/live-analysis.ts";
import { shownWindow, useSection } from "../../../analysis/use-section.ts";
import type { ThreadsSection } from "../../../api/types.ts";
import { formatDuration, formatExactNs, plural } from "../../../lib/format.ts";
import {
  type NAV_GROUPS,
  type NAV_SORTS,
  type NavRow,
  type NavView,
  navMove,
  navRows,
  navSays,
} from "../../../lib/navigator.ts";
import { asSentence, windowText } from "../../../lib/terms.ts";
import { PIN_SIGN } from "../../../timeline/frame/pinned-lanes.tsx";
import type { Stage } from "../../../timeline/stage/stage.ts";
import type { StageSnapshot } from "../../../timeline/stage/stage-parts.ts";
import { Button, Select } from "../../../ui/fields.tsx";
import { LabelBadge, SectionStatus } from "../../../ui/section-parts.tsx";
import { useScrolling, visibleRows } from "../../../ui/table/virtual-table.tsx";
import "./navigator.css";

interface Props {
  readonly live: LiveAnalysis;
  readonly snapshot: StageSnapshot;
  readonly view: NavView;
}

const GROUP_WORDS = [
  ["process", "processes"],
  ["cgroup", "cgroups"],
  ["group", "numa groups"],
  ["node", "nodes"],
  ["thread", "threads alone"],
] as const satisfies readonly (readonly [(typeof NAV_GROUPS)[number], string])[];

const SORT_WORDS = [
  ["waited", "most waited"],
  ["ran", "most run"],
] as const satisfies readonly (readonly [(typeof NAV_SORTS)[number], string])[];

const SPAN_WORDS = [
  ["shown", "in the window"],
  ["whole", "in the recording"],
] as const;

/** Advice for recording missing facts. */
const TO_RECORD: Readonly<Record<string, string>> = {
  process:
    "Scheduler events do not show the process of a thread: record with numalens record, which samples it.",
  cgroup: "No cgroup of these threads was sampled: record with numalens record, which samples it.",
};

/** All threads of the recording, in groups: each is found, gone to and pinned as a lane here. */
export function Navigator({ live, snapshot, view }: Props) {
  const { stage } = live;
  const { by, sort, whole, filter } = view;
  const window = whole ? null : shownWindow(stage, snapshot);
  const state = useSection(live.section("threads"), { window });
  const answer = state.answer?.available ? state.answer : null;
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(
    () => (answer ? navRows(answer, { by, sort, filter }, turned) : []),
    [answer, by, sort, filter, turned],
  );
  const set = (change: Partial<NavView>) => {
    live.setDrawer({ navigator: { ...view, ...change } });
    if ("by" in change || "filter" in change) setTurned(new Set());
  };
  const turn = (key: string) => {
    const next = new Set(turned);
    if (!next.delete(key)) next.add(key);
    setTurned(next);
  };
  return (
    <nav className="navigator" aria-label="Navigator" data-testid="navigator">
      <header>
        <h2>Threads</h2>
        <Button
          className="quiet"
          aria-label="Collapse the navigator"
          title="Collapse (n)"
          onClick={() => set({ open: false })}
        >
          «
        </Button>
      </header>
      <input
        type="search"
        value={filter}
        placeholder="Name, pid or group"
        aria-label="Filter threads"
        data-testid="navigator-filter"
        onChange={(event) =>
          live.followDrawer({ navigator: { ...view, filter: event.currentTarget.value.slice(0, 200) } })
        }
      />
      <div className="navigator-choices">
        <Select name="Group threads by" value={by} choices={GROUP_WORDS} onChoose={(by) => set({ by })} />
        <Select name="Order" value={sort} choices={SORT_WORDS} onChoose={(sort) => set({ sort })} />
        <Select
          name="Totals cover"
          value={whole ? "whole" : "shown"}
          choices={SPAN_WORDS}
          onChoose={(span) => set({ whole: span === "whole" })}
        />
      </div>
      <p className="navigator-says muted" aria-live="polite">
        {answer && (
          <>
            {navSays(rows, by)}, {window === null ? "the whole recording" : windowText(window)}{" "}
            <LabelBadge label={answer.label} missing={answer.missing} />
          </>
        )}{" "}
        <SectionStatus state={state} />
      </p>
      {state.answer && !state.answer.available && <p className="muted">{asSentence(state.answer.reason)}</p>}
      {answer && <Missing answer={answer} by={by} />}
      <div className="navigator-row navigator-head muted" aria-hidden="true">
        <span />
        <span>{by === "thread" ? "thread" : "group, thread"}</span>
        <span className="num">waited</span>
        <span className="num">ran</span>
      </div>
      <Tree rows={rows} of={`${by} ${sort} ${filter}`} stage={stage} turn={turn} />
    </nav>
  );
}

function Missing({ answer, by }: { readonly answer: ThreadsSection; readonly by: NavView["by"] }) {
  const unknown = answer.threads.every((thread) =>
    by === "process" ? thread.tgid === null : by === "cgroup" && thread.cgroup === null,
  );
  const words = TO_RECORD[by];
  return unknown && words !== undefined ? <p className="muted hint">{words}</p> : null;
}

/** CSS pixels; as in the style sheet. */
const ROW = 26;

interface TreeProps {
  readonly rows: readonly NavRow[];
  /** Another list begins at its top. */
  readonly of: unknown;
  readonly stage: Stage;
  readonly turn: (group: string) => void;
}

const laneOf = (row: NavRow) => (row.kind === "group" ? row.lane : row.key);

/** Only the rows on the screen are elements. One stop of the keyboard: arrows walk, fold and unfold, Enter goes, Space pins. */
function Tree({ rows, of, stage, turn }: TreeProps) {
  const id = useId();
  const [active, setActive] = useState<string | null>(null);
  const at = Math.max(
    0,
    rows.findIndex(({ key }) => key === active),
  );
  const walked = useRef(false);
  const { box, place } = useScrolling(of, null);
  const { first, end } = visibleRows(rows.length, ROW, place.top, place.height);
  const pins = new Set(stage.pins);
  useEffect(() => {
    const element = box.current;
    if (!walked.current || !element) return;
    walked.current = false;
    const top = at * ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW > element.scrollTop + element.clientHeight)
      element.scrollTop = top + ROW - element.clientHeight;
  }, [at, box]);
  const go = (row: NavRow) => {
    setActive(row.key);
    if (row.kind === "group") turn(row.key);
    else void stage.findTask(row.thread.pid);
  };
  const page = Math.max(1, Math.floor(place.height / ROW) - 1);
  const press = (event: KeyboardEvent) => {
    const row = rows[at];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = navMove(event.key, rows, at, page);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    setActive(row.key);
    const lane = laneOf(row);
    if (move.kind === "walk") {
      walked.current = true;
      setActive(rows[move.to]?.key ?? null);
    } else if (move.kind === "turn") turn(row.key);
    else if (move.kind === "go") go(row);
    else if (lane !== null) stage.togglePin(lane);
  };
  return (
    <div
      className="navigator-tree"
      role="tree"
      aria-label="Threads in groups"
      tabIndex={0}
      aria-activedescendant={rows[at] && at >= first && at < end ? `${id}-${at}` : undefined}
      ref={box}
      onKeyDown={press}
      data-testid="navigator-tree"
    >
      <div style={{ height: first * ROW }} />
      {rows.slice(first, end).map((row, i) => (
        <Row
          key={row.key}
          id={`${id}-${first + i}`}
          row={row}
          active={first + i === at}
          pinned={pins.has(laneOf(row) ?? "")}
          stage={stage}
          go={go}
        />
      ))}
      <div style={{ height: (rows.length - end) * ROW }} />
    </div>
  );
}

interface RowProps {
  readonly id: string;
  readonly row: NavRow;
  readonly active: boolean;
  readonly pinned: boolean;
  readonly stage: Stage;
  readonly go: (row: NavRow) => void;
}

/** Look of a row. */
function look(row: NavRow) {
  if (row.kind === "group") {
    const { title, threads, runNs, waitNs, open } = row;
    const hint = `${title}: ${plural(threads, "thread")}`;
    return {
      name: title,
      more: threads,
      full: title,
      runNs,
      waitNs,
      nid: null,
      hint,
      fold: open ? "▾" : "▸",
    };
  }
  const { comm, pid, run_ns: runNs, wait_ns: waitNs, nid } = row.thread;
  const full = `${comm} ${pid}`;
  return { name: comm, more: pid, full, runNs, waitNs, nid, hint: `Go to ${full} in the window`, fold: "" };
}

function Row({ id, row, active, pinned, stage, go }: RowProps) {
  const group = row.kind === "group";
  const lane = laneOf(row);
  const { name, more, full, runNs, waitNs, nid, hint, fold } = look(row);
  const inside = row.kind === "thread" && row.inside;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys of its rows
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={inside ? 2 : 1}
      aria-selected={active}
      {...(row.kind === "group" ? { "aria-expanded": row.open } : {})}
      className={["navigator-row", active && "active", group && "group", inside && "inside"]
        .filter(Boolean)
        .join(" ")}
      onClick={() => go(row)}
      title={hint}
    >
      <span className="navigator-fold" aria-hidden="true">
        {fold}
        {nid !== null && <i className="swatch" style={{ backgroundColor: stage.nodeColour(nid) }} />}
      </span>
      <span className="navigator-name">
        {name} <span className="muted num">{group ? `(${more})` : more}</span>
      </span>
      <Sum ns={waitNs} word="Waited" />
      <Sum ns={runNs} word="Ran" />
      {lane === null ? <span /> : <Pin lane={lane} name={full} pinned={pinned} stage={stage} />}
    </div>
  );
}

function Sum({ ns, word }: { readonly ns: number; readonly word: string }) {
  return (
    <span className={ns > 0 ? "num" : "num muted"} title={`${word} ${formatExactNs(ns)}`}>
      <span className="visually-hidden">{word.toLowerCase()} </span>
      {ns > 0 ? formatDuration(ns, 3) : "–"}
    </span>
  );
}

interface PinProps {
  readonly lane: string;
  readonly name: string;
  readonly pinned: boolean;
  readonly stage: Stage;
}

function Pin({ lane, name, pinned, stage }: PinProps) {
  return (
    <Button
      className="pin-task"
      tabIndex={-1}
      aria-pressed={pinned}
      aria-label={`${pinned ? "Unpin" : "Pin"} ${name}`}
      title={pinned ? "Remove its lane (Space)" : "Pin it as a lane (Space)"}
      onClick={(event) => {
        event.stopPropagation();
        stage.togglePin(lane);
      }}
    >
      {PIN_SIGN}
    </Button>
  );
}
