import { useCallback, useId, useMemo, useState } from "react";
import type { Grouping, Period } from "../../api/routes/fleet.ts";
import type { Api } from "../../api/routes/service.ts";
import type { FleetOverview } from "../../api/types.ts";
import { formatCount } from "../../lib/format.ts";
import { fleetPath } from "../../lib/routes.ts";
import { Button, Select } from "../../ui/fields.tsx";
import { Link, navigate } from "../../ui/page/link.tsx";
import { Message, TopBar, useTitle } from "../../ui/page/top-bar.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { FleetAnswerView } from "./fleet-answer.tsx";
import {
  dayOf,
  type FleetState,
  fleetQuery,
  GROUPINGS,
  PERIODS,
  parseFleet,
  QUESTIONS,
  type Question,
  useFleet,
} from "./fleet-state.ts";
import "./fleet.css";

interface Props {
  readonly state: FleetState;
  readonly overview: FleetOverview;
  readonly onChange: (state: FleetState) => void;
}

const QUESTION_WORDS: Readonly<Record<Question, string>> = {
  machines: "Machines",
  metric: "A metric over time",
  upgrade: "Before and after an upgrade",
  findings: "Findings over time",
  sql: "In SQL",
};
const GROUPING_WORDS: Readonly<Record<Grouping, string>> = {
  all: "all together",
  machine: "by machine",
  kernel: "by kernel",
  tag: "by tag",
  incident: "by incident",
  nodes: "by size",
};
const PERIOD_WORDS: Readonly<Record<Period, string>> = {
  day: "by day",
  week: "by week",
  month: "by month",
  all: "whole time",
};
const INTERVALS = [
  ["", "any time"],
  ["1", "last day"],
  ["7", "last 7 days"],
  ["30", "last 30 days"],
  ["90", "last 90 days"],
  ["between", "between days"],
] as const;

/** The query, and its recordings. The address has both. */
export function FleetControls({ state, overview, onChange }: Props) {
  const set = (change: Partial<FleetState>) => onChange({ ...state, ...change });
  return (
    <>
      <fieldset className="toggle-group fleet-questions">
        <legend className="off-screen">Question</legend>
        {QUESTIONS.map((ask) => (
          <Button key={ask} aria-pressed={state.ask === ask} onClick={() => set({ ask })}>
            {QUESTION_WORDS[ask]}
          </Button>
        ))}
      </fieldset>
      {state.ask === "sql" ? (
        <SqlField key={state.sql} state={state} onChange={onChange} />
      ) : (
        <div className="tab-tools fleet-tools">
          {state.ask === "metric" && (
            <>
              <Select
                name="Metric"
                value={state.metric}
                choices={overview.metrics.map(({ name, title }) => [name, title] as const)}
                onChoose={(metric) => set({ metric })}
              />
              <Select
                name="Groups"
                value={state.by}
                choices={GROUPINGS.map((by) => [by, GROUPING_WORDS[by]] as const)}
                onChoose={(by) => set({ by })}
              />
            </>
          )}
          {(state.ask === "metric" || state.ask === "findings") && (
            <Select
              name="Period"
              value={state.every}
              choices={PERIODS.map((every) => [every, PERIOD_WORDS[every]] as const)}
              onChoose={(every) => set({ every })}
            />
          )}
          <Interval state={state} overview={overview} onChange={onChange} />
          <ToggleGroup
            name="machine"
            all="all machines"
            known={overview.machines}
            state={state}
            onSet={set}
          />
          {state.ask === "upgrade" ? (
            <>
              <ToggleGroup
                name="before"
                all="the kernel before"
                known={overview.kernels}
                state={state}
                onSet={set}
              />
              <ToggleGroup
                name="after"
                all="the newest kernel"
                known={overview.kernels}
                state={state}
                onSet={set}
              />
            </>
          ) : (
            <ToggleGroup name="kernel" all="all kernels" known={overview.kernels} state={state} onSet={set} />
          )}
          <ToggleGroup name="tag" all="all tags" known={overview.tags} state={state} onSet={set} />
        </div>
      )}
    </>
  );
}

interface FilterProps {
  readonly name: "machine" | "kernel" | "tag" | "before" | "after";
  /** Words for no choice. */
  readonly all: string;
  readonly known: readonly string[];
  readonly state: FleetState;
  readonly onSet: (change: Partial<FleetState>) => void;
}

function ToggleGroup({ name, all, known, state, onSet }: FilterProps) {
  const value = state[name];
  // An old link may name what is no longer there; it is to be seen that it was requested.
  const names = value === null || known.includes(value) ? known : [value, ...known];
  if (names.length === 0) return null;
  return (
    <Select
      name={name}
      value={value ?? ""}
      choices={[["", all] as const, ...names.map((each) => [each, each] as const)]}
      onChoose={(chosen) => onSet({ [name]: chosen === "" ? null : chosen })}
    />
  );
}

function Interval({ state, overview, onChange }: Props) {
  const { days, from, to } = state;
  const between = from !== null || to !== null;
  const own = days !== null && !INTERVALS.some(([value]) => value === String(days));
  const choices = own ? [[String(days), `last ${days} days`] as const, ...INTERVALS] : INTERVALS;
  const choose = (value: string) => {
    if (value === "between") {
      const first = overview.first_seen?.slice(0, 10) ?? dayOf(new Date());
      onChange({ ...state, days: null, from: first, to: overview.last_seen?.slice(0, 10) ?? first });
    } else onChange({ ...state, days: value === "" ? null : Number(value), from: null, to: null });
  };
  return (
    <>
      <Select
        name="Time"
        value={between ? "between" : days === null ? "" : String(days)}
        choices={choices}
        onChoose={choose}
      />
      {between && (
        <>
          <DayField name="from" value={from} onSet={(day) => onChange({ ...state, from: day })} />
          <DayField name="to" value={to} onSet={(day) => onChange({ ...state, to: day })} />
        </>
      )}
    </>
  );
}

interface DayProps {
  readonly name: string;
  readonly value: string | null;
  readonly onSet: (day: string | null) => void;
}

function DayField({ name, value, onSet }: DayProps) {
  return (
    <label className="fleet-day">
      {name}
      <input
        type="date"
        min="1970-01-01"
        max="2199-12-31"
        value={value ?? ""}
        onChange={(event) => onSet(event.currentTarget.value || null)}
      />
    </label>
  );
}

const EXAMPLE = `SELECT machine, kernel, count(*) AS recordings, sum(value) AS flips
FROM recordings JOIN facts USING (analysis)
WHERE name = 'cling_flips' AND label <> 'what-if'
GROUP BY ALL ORDER BY flips DESC`;

function SqlField({ state, onChange }: Omit<Props, "overview">) {
  const id = useId();
  const [sql, setSql] = useState(state.sql === "" ? EXAMPLE : state.sql);
  const run = () => onChange({ ...state, sql });
  return (
    <form
      className="fleet-sql"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <label htmlFor={id}>
        One SELECT over <code>recordings</code>, <code>facts</code>, <code>waits</code>, <code>nodes</code>,{" "}
        <code>distances</code> and <code>findings</code>
      </label>
      <textarea
        id={id}
        value={sql}
        rows={6}
        spellCheck={false}
        onChange={(event) => setSql(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
        }}
      />
      <button type="submit" className="primary">
        Ask
      </button>
    </form>
  );
}

interface FleetPageProps {
  readonly api: Api;
  readonly query: string;
}

/** Summaries that are being made are looked for this often. */
const POLL_MS = 2500;

/** Questions over all analyses. The address is the query. */
export function FleetPage({ api, query }: FleetPageProps) {
  const state = useMemo(() => parseFleet(query), [query]);
  const load = useCallback((signal: AbortSignal) => api.fleet.overview(signal), [api]);
  const {
    answer: overview,
    problem,
    turn,
  } = useLoad(load, (answer) => (answer === null || answer.pending > 0 ? POLL_MS : 0));
  const use = useFleet(api, state, turn);
  useTitle("Fleet");
  const change = (next: FleetState) => navigate(fleetPath(fleetQuery(next)));
  return (
    <div className="page">
      <TopBar here="fleet" />
      {overview === null ? (
        problem === null ? (
          <main className="message" aria-busy="true">
            <h1>Fleet</h1>
            <p className="muted" role="status">
              loading summaries…
            </p>
          </main>
        ) : (
          <Message title="The fleet cannot be queried" sentence={problem}>
            <Link to="/">All analyses</Link>
          </Message>
        )
      ) : overview.recordings === 0 && overview.pending === 0 ? (
        <Empty />
      ) : (
        <main className="fleet-page" data-testid="fleet" aria-busy={use.loading} data-picture>
          <h1>Fleet</h1>
          <p className="muted" role="status">
            {formatCount(overview.recordings)} {overview.recordings === 1 ? "recording" : "recordings"} of{" "}
            {formatCount(overview.machines.length)} {overview.machines.length === 1 ? "machine" : "machines"}
            {overview.pending > 0 && `; ${formatCount(overview.pending)} summaries are still being computed`}
          </p>
          <FleetControls state={state} overview={overview} onChange={change} />
          {use.problem !== null && (
            <p className="problem" role="alert" data-testid="fleet-problem">
              {use.problem}
            </p>
          )}
          {use.answer?.ask === state.ask ? (
            <FleetAnswerView answer={use.answer} state={state} />
          ) : (
            use.loading && <p className="muted">asking…</p>
          )}
        </main>
      )}
    </div>
  );
}

function Empty() {
  return (
    <main className="message" data-testid="fleet-empty">
      <h1>No fleet yet</h1>
      <p>
        Fleet queries use the summaries of all analyses: which machines had flips last week, what an upgrade
        changed. Add recordings of several machines or days. A recording without its machine&apos;s name gets
        it from a tag like <code>machine:db7</code>.
      </p>
      <Link to="/">Add recordings</Link>
    </main>
  );
}
