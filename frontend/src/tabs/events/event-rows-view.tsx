import { useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import type { TabProps } from "../../analysis/tab.ts";
import { shownWindow } from "../../analysis/use-section.ts";
import { isAbort, sentenceOf } from "../../api/client.ts";
import type { Api } from "../../api/routes/service.ts";
import type { EventRow, Slice, TimeWindow } from "../../api/types.ts";
import { formatAbs, formatCount } from "../../lib/format.ts";
import { parseNs, toRel } from "../../lib/time.ts";
import { Downloads } from "../../ui/downloads.tsx";
import { Button } from "../../ui/fields.tsx";
import { HeldWindow } from "../../ui/section-parts.tsx";
import { VirtualTable } from "../../ui/table/virtual-table.tsx";

/** Raw events of the window by a filter. A row goes to its moment; the selected slice shows its rows. */
export function EventRows({ api, analysis, live, snapshot, drawer }: TabProps) {
  const { id } = analysis;
  const { held } = drawer;
  const filter = drawer.events ?? "";
  const { stage } = live;
  // Going to an event moves the window; the list that it was taken from stays until the reader lets it go.
  const [rules, setRules] = useState(false);
  const [saveProblem, setSaveProblem] = useState<string | null>(null);
  const window = held ?? shownWindow(stage, snapshot);
  const { rows, matched, loading, problem, more } = useEventRows(api, id, window, filter);
  const table = useMemo(() => ({ head: EVENT_HEAD, right: EVENT_RIGHT, rows: rows.map(eventCells) }), [rows]);
  const slice = snapshot.selection?.slice ?? null;
  const picked = useMemo(() => rowInSlice(rows, slice), [rows, slice]);
  const answer = useId();
  const list = useMemo(
    () => ({ id, filter, from: window.from, to: window.to }),
    [id, filter, window.from, window.to],
  );
  const known = useMemo(() => new Set(rows.flatMap(({ fields }) => fields.map(([name]) => name))), [rows]);
  const go = (at: number) => {
    const row = rows[at];
    if (!row) return;
    live.hold(window);
    void stage.visit(toRel(stage.scene.origin, BigInt(row.ts_ns)), { cpu: row.cpu, at: BigInt(row.ts_ns) });
  };
  const said = problem ?? saveProblem;
  const ofTask = slice ? taskFilter(slice.pid, known) : "";
  return (
    <section className="event-rows-pane" aria-label="Raw events">
      <div className="tab-tools">
        <FilterField
          filter={filter}
          invalid={problem !== null}
          describedBy={answer}
          onFilter={(events) => live.followDrawer({ events })}
        />
        <Button className="inline" aria-expanded={rules} onClick={() => setRules(!rules)}>
          how to filter
        </Button>
        {slice && ofTask !== "" && (
          <Button className="inline" onClick={() => live.setDrawer({ events: ofTask })}>
            those of {slice.comm} {slice.pid}
          </Button>
        )}
        <span className="muted" role="status" data-testid="event-count">
          {matched === null ? "" : `${formatCount(matched)} in the window`}
          {loading ? " reading…" : ""}
        </span>
        <Downloads
          api={api}
          name="events"
          url={(format) => api.downloads.eventRows(id, { filter, window, after: null }, format)}
          onProblem={setSaveProblem}
        />
        {held && <HeldWindow window={held} onFollow={() => live.hold(null)} />}
      </div>
      <p className={said === null ? "off-screen" : "problem filter-problem"} id={answer} role="status">
        {said ?? ""}
      </p>
      {rules && <FilterRules />}
      {rows.length === 0 && !loading && problem === null && (
        <NoRows onWhole={() => stage.command("fit-all")} />
      )}
      {rows.length > 0 && (
        <VirtualTable
          label="Raw events"
          table={table}
          most={220}
          of={list}
          testId="event-rows"
          onPick={go}
          onEnd={more}
          picked={picked}
        />
      )}
    </section>
  );
}

function NoRows({ onWhole }: { readonly onWhole: () => void }) {
  return (
    <p className="tab-empty muted">
      No event of this window passes the filter.{" "}
      <Button className="inline" onClick={onWhole}>
        Look in the whole recording
      </Button>
    </p>
  );
}

interface FilterProps {
  readonly filter: string;
  readonly invalid: boolean;
  readonly describedBy: string;
  readonly onFilter: (filter: string) => void;
}

function FilterField({ filter, invalid, describedBy, onFilter }: FilterProps) {
  return (
    <input
      className="event-filter mono"
      type="text"
      spellCheck={false}
      aria-label="Filter of the events"
      aria-describedby={describedBy}
      aria-invalid={invalid}
      placeholder={EXAMPLES[0]}
      maxLength={2000}
      value={filter}
      onChange={(event) => onFilter(event.currentTarget.value)}
    />
  );
}

function FilterRules() {
  return (
    <dl className="filter-rules" data-testid="filter-rules">
      {FILTER_RULES.map(([form, means]) => (
        <div key={form}>
          <dt className="mono">{form}</dt>
          <dd className="muted">{means}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Raw events as rows, and filters for what is selected. */

export const EVENT_HEAD = ["time, s", "CPU", "event", "fields"] as const;
/** Columns of numbers. */
export const EVENT_RIGHT: ReadonlySet<number> = new Set([0, 1]);

export function eventCells({ ts_ns, cpu, event, fields }: EventRow): readonly string[] {
  // What every event has comes last: it shows least.
  const common = ([name]: readonly [string, string]) => name.startsWith("common_");
  const section = [...fields.filter((field) => !common(field)), ...fields.filter(common)]
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
  return [formatAbs(parseNs(ts_ns) ?? 0n), String(cpu), event, section];
}

type SelectedSlice = Pick<Slice, "pid" | "cpu" | "start_ns" | "end_ns">;

/** The first event on the CPU of a slice while it ran; null when none is among the rows. */
export function rowInSlice(rows: readonly EventRow[], slice: SelectedSlice | null): number | null {
  if (!slice) return null;
  const [from, to] = [BigInt(slice.start_ns), BigInt(slice.end_ns)];
  const at = rows.findIndex(({ cpu, ts_ns }) => {
    const ts = BigInt(ts_ns);
    return cpu === slice.cpu && ts >= from && ts <= to;
  });
  return at < 0 ? null : at;
}

/** Fields in which an event names a task. */
const PID_FIELDS = ["pid", "prev_pid", "next_pid", "src_pid", "dst_pid"];

/** Events that name a task, as far as the recording has such fields. */
export function taskFilter(pid: number, known: ReadonlySet<string>): string {
  return PID_FIELDS.filter((field) => known.has(field))
    .map((field) => `${field} == ${pid}`)
    .join(" || ");
}

export const EXAMPLES: readonly string[] = [
  "event == sched_switch && prev_state == 0",
  "event ~ numa",
  "cpu in 0-3 && event in sched_waking, sched_wakeup",
];

export const FILTER_RULES: readonly (readonly [string, string])[] = [
  [
    "event == sched_switch",
    "also !=, <, <=, >, >=; fields are event, system, cpu, ts_ns and those of the events",
  ],
  ["prev_comm ~ stress", "contains; with * or ? the whole text must match; !~ negates"],
  ["cpu in 0-3,7", "one of these, or within the range"],
  ["a && b, a || b, !a, (a)", "or: and, or, not"],
  ["ts_ns >= 23.48s", "ns, us, ms and s; 0x for hexadecimal"],
  ['next_comm == "my task"', "quotes around text of several words"],
];

export interface EventRowsState {
  readonly rows: readonly EventRow[];
  /** All that the window has, listed or not; null while it is not known. */
  readonly matched: number | null;
  readonly loading: boolean;
  /** Error of the filter, or of the request. */
  readonly problem: string | null;
  readonly more: () => void;
}

const PAGE = 200;
/** Scrolling further is not reading: a filter or an export does that. */
const MOST_ROWS = 20_000;
/** A window or a filter that changes is requested when it has been still for this long, ms. */
const REST_MS = 300;

interface LoadedPage {
  readonly rows: readonly EventRow[];
  readonly matched: number | null;
  readonly next: string | null;
  readonly problem: string | null;
  readonly loading: boolean;
}

const NOTHING: LoadedPage = { rows: [], matched: null, next: null, problem: null, loading: true };

/** The events of a window that a filter means: the first page at once, others when they are scrolled to. */
export function useEventRows(api: Api, id: string, window: TimeWindow, filter: string): EventRowsState {
  const [known, setLoaded] = useState<LoadedPage>(NOTHING);
  const pending = useRef<AbortController | null>(null);
  const { from, to } = window;
  const load = useCallback(
    (after: string | null, before: readonly EventRow[]) => {
      pending.current?.abort();
      const stop = new AbortController();
      pending.current = stop;
      setLoaded((old) => ({ ...old, loading: true }));
      api.events.rows(id, { filter, window: { from, to }, after }, PAGE, stop.signal).then(
        ({ events, matched, next_page }) =>
          setLoaded({
            rows: [...before, ...events],
            matched,
            next: next_page ?? null,
            problem: null,
            loading: false,
          }),
        (error: unknown) => {
          if (isAbort(error)) return;
          // Rows of another filter next to the sentence would be taken for this one's.
          setLoaded({ ...NOTHING, problem: sentenceOf(error), loading: false });
        },
      );
    },
    [api, id, filter, from, to],
  );
  useEffect(() => {
    const timer = setTimeout(() => load(null, []), REST_MS);
    return () => {
      clearTimeout(timer);
      pending.current?.abort();
    };
  }, [load]);
  const { rows, next, loading, matched, problem } = known;
  const more = useCallback(() => {
    if (next !== null && !loading && rows.length < MOST_ROWS) load(next, rows);
  }, [load, next, loading, rows]);
  return { rows, matched, loading, problem, more };
}
