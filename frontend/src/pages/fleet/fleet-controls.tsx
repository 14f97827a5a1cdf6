import { useId, useState } from "react";
import type { Grouping, Period } from "../../api/routes/fleet.ts";
import type { FleetOverview } from "../../api/types.ts";
import { Select } from "../../ui/fields.tsx";
import { dayOf, type FleetState, GROUPINGS, PERIODS, QUESTIONS, type Question } from "./fleet-state.ts";

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

/** The query, and the recordings it is of. All of it stands in the address. */
export function FleetControls({ state, overview, onChange }: Props) {
  const set = (change: Partial<FleetState>) => onChange({ ...state, ...change });
  return (
    <>
      <fieldset className="toggle-group fleet-questions">
        <legend className="off-screen">Question</legend>
        {QUESTIONS.map((ask) => (
          <button key={ask} type="button" aria-pressed={state.ask === ask} onClick={() => set({ ask })}>
            {QUESTION_WORDS[ask]}
          </button>
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
