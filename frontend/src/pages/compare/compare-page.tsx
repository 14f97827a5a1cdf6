import { useCallback, useMemo, useState, useSyncExternalStore } from "react";
import { ApiError } from "../../api/client.ts";
import type { Api } from "../../api/routes/service.ts";
import type { ComparedTable, Comparison } from "../../api/types.ts";
import { formatWhen, plural } from "../../lib/format.ts";
import { comparePath } from "../../lib/routes.ts";
import { nodeColour } from "../../ui/canvas/colour.ts";
import { currentTheme, subscribeTheme } from "../../ui/canvas/theme.ts";
import { Button } from "../../ui/fields.tsx";
import { Link, navigate } from "../../ui/page/link.tsx";
import { Message, TopBar, useTitle } from "../../ui/page/top-bar.tsx";
import { PictureButtons } from "../../ui/picture/picture-buttons.tsx";
import { Problem, SectionStatus } from "../../ui/section-parts.tsx";
import { type Answered, useAnswer, useLoad } from "../../ui/use-load.ts";
import { CompareCards, CompareFindings } from "./compare-cards.tsx";
import { CompareDecisions } from "./compare-decisions.tsx";
import { CompareHeat } from "./compare-heat.tsx";
import {
  addSide,
  type CompareState,
  compareQuery,
  idsText,
  MOST_ANALYSES,
  parseCompare,
} from "./compare-state.ts";
import { CompareStatistics } from "./compare-statistics.tsx";
import { CompareVerdict } from "./compare-verdict.tsx";
import { CompareWaits } from "./compare-waits.tsx";
import { CompareTable } from "./comparison-table.tsx";
import "./compare.css";

interface Props {
  readonly api: Api;
  readonly query: string;
}

/** Two or more analyses side by side. The address says all of what is shown. */
export function ComparePage({ api, query }: Props) {
  const state = useMemo(() => parseCompare(query), [query]);
  const use = useComparison(api, state);
  const change = (next: CompareState) => navigate(comparePath(compareQuery(next)));
  const { answer } = use;
  const names = answer?.sides.map(({ name }) => name).join(" | ");
  useTitle(names ? `${names} · Compare` : "Compare");
  return (
    <div className="page">
      <TopBar here="compare" actions={answer && <SectionStatus state={use} />} />
      {state.sides.length < 2 ? (
        <Choosing api={api} state={state} onChange={change} />
      ) : answer ? (
        <Compared api={api} comparison={answer} state={state} stale={use.loading} onChange={change} />
      ) : use.problem !== null ? (
        <Message title="These cannot be compared" sentence={use.problem}>
          <Button onClick={use.again}>Try again</Button>
          <Link to={comparePath("")}>Choose others</Link>
          <Link to="/">All analyses</Link>
          {use.loading && <span className="muted">trying again…</span>}
        </Message>
      ) : (
        <main className="message" aria-busy="true">
          <h1>Comparing</h1>
          <progress aria-label="Comparing" />
          <p className="muted" role="status">
            Every section of {state.sides.flat().length} analyses is being computed; large ones take some
            seconds.
          </p>
        </main>
      )}
    </div>
  );
}

interface ChoosingProps {
  readonly api: Api;
  readonly state: CompareState;
  readonly onChange: (state: CompareState) => void;
}

/** Choice of further analyses when there are too few to compare. */
function Choosing({ api, state, onChange }: ChoosingProps) {
  return (
    <main className="message compare-choosing">
      <h1>{state.sides.length === 0 ? "Compare what?" : "Compare with what?"}</h1>
      <p>
        {state.sides.length === 0
          ? "Choose the baseline first: the old kernel's run, or the known-good one."
          : "The first is the baseline. Choose the runs to compare with it."}
      </p>
      <ComparePicker api={api} taken={state.sides.flat()} onPick={(id) => onChange(addSide(state, id))} />
      <Link to="/">All analyses</Link>
    </main>
  );
}

interface ComparedProps extends ChoosingProps {
  readonly comparison: Comparison;
  readonly stale: boolean;
}

/** Next to the latency histogram and the statistics, in this order. */
const TABLES = [
  "ops",
  "ops_mmtests",
  "vmstat",
  "numa",
  "psi",
  "latency",
  "waste",
  "cling",
  "ilb",
  "findings",
];

function Compared({ api, comparison, state, stale, onChange }: ComparedProps) {
  const [adding, setAdding] = useState(false);
  const theme = useSyncExternalStore(subscribeTheme, currentTheme);
  const count = comparison.sides.length;
  const colours = useMemo(
    () => Array.from({ length: count }, (_, side) => nodeColour(side, theme)),
    [count, theme],
  );
  const statistics = comparison.tables.find(({ name }) => name === "statistics");
  const tables = TABLES.flatMap((wanted) => comparison.tables.filter(({ name }) => name === wanted));
  const common = { comparison, state, onChange };
  return (
    <main className="compare-page" data-testid="comparison" aria-busy={stale} data-picture>
      <h1 className="off-screen">Compare</h1>
      <CompareVerdict comparison={comparison} rule={state.rule} />
      <CompareCards {...common} colours={colours} />
      <div className="compare-add">
        {adding ? (
          <>
            <ComparePicker
              api={api}
              taken={state.sides.flat()}
              onPick={(id) => {
                setAdding(false);
                onChange(addSide(state, id));
              }}
            />
            <Button className="quiet" onClick={() => setAdding(false)}>
              Not now
            </Button>
          </>
        ) : (
          state.sides.flat().length < MOST_ANALYSES && <Button onClick={() => setAdding(true)}>Add</Button>
        )}
        <PictureButtons
          name="compare"
          title={`Comparison of ${comparison.sides.map(({ key, name }) => `${key} ${name}`).join(", ")}`}
        />
        <span className="muted">
          Percentages are changes relative to the baseline, marked as better or worse where one of them
          applies.
        </span>
      </div>
      <Warnings comparison={comparison} />
      <CompareDecisions comparison={comparison} />
      <CompareHeat {...common} />
      {statistics && <CompareStatistics {...common} table={statistics} colours={colours} />}
      <CompareWaits {...common} colours={colours} />
      <section className="compare-section" aria-label="Tables">
        <h2>What was counted</h2>
        <p className="muted">
          Counts are totals; they are compared by rates per second. ★ needs several runs per side.
        </p>
        <div className={count > 2 ? "compare-tables compare-wide" : "compare-tables"}>
          {tables.filter(hasRows).map((table) => (
            <CompareTable
              key={table.name}
              comparison={comparison}
              table={table}
              rule={state.rule}
              colours={colours}
            />
          ))}
        </div>
        <Nothing comparison={comparison} tables={tables.filter((table) => !hasRows(table))} />
      </section>
      <CompareFindings comparison={comparison} colours={colours} />
    </main>
  );
}

function hasRows({ rows }: ComparedTable): boolean {
  return rows.length > 0;
}

/** Tables that no side has anything of: why, in one line each. */
function Nothing({
  comparison,
  tables,
}: {
  readonly comparison: Comparison;
  readonly tables: readonly ComparedTable[];
}) {
  if (tables.length === 0) return null;
  return (
    <>
      <h3>On no side</h3>
      <dl className="compare-nothing" data-testid="compare-nothing">
        {tables.map(({ name, title, absent }) => {
          const reasons = new Set(absent.filter((reason) => reason !== null));
          const [reason] = reasons;
          const all = comparison.sides.flatMap(({ key }, side) =>
            absent[side] ? [`${key}: ${absent[side]}`] : [],
          );
          return [
            <dt key={`${name}-name`}>{title}</dt>,
            <dd key={name}>{reasons.size > 1 ? all.join("; ") : (reason ?? "nothing happened")}</dd>,
          ];
        })}
      </dl>
    </>
  );
}

function Warnings({ comparison }: { readonly comparison: Comparison }) {
  const { warnings } = comparison;
  if (warnings.length === 0) return null;
  const grave = warnings.filter(({ severity }) => severity === "warning");
  return (
    <section
      className={`compare-warnings ${grave.length > 0 ? "compare-grave" : ""}`}
      aria-label="Similarity"
      data-testid="compare-warnings"
    >
      <h2>{grave.length > 0 ? "Not comparable" : "Notes"}</h2>
      <ul>
        {warnings.map(({ sentence, severity }) => (
          <li key={sentence} className={severity === "note" ? "muted" : ""}>
            {sentence}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ComparePickerProps {
  readonly api: Api;
  /** Not offered again. */
  readonly taken: readonly string[];
  readonly onPick: (id: string) => void;
}

/** The other analyses that are ready, to put one more next to. */
export function ComparePicker({ api, taken, onPick }: ComparePickerProps) {
  const load = useCallback((signal: AbortSignal) => api.analyses.list(signal), [api]);
  const { answer: analyses, problem } = useLoad(load);
  const offered = (analyses ?? []).filter(({ id, status }) => status === "ready" && !taken.includes(id));
  if (problem !== null) return <Problem sentence={problem} />;
  if (analyses === null) return <p className="muted">Loading…</p>;
  if (offered.length === 0)
    return <p className="muted">No other analysis is ready. Add one on the list of analyses.</p>;
  return (
    <ul className="compare-picker" data-testid="compare-picker">
      {offered.map(({ id, title, created_at, inputs }) => (
        <li key={id}>
          <Button onClick={() => onPick(id)}>
            <b>{title}</b>
            <span className="muted">
              {plural(
                inputs.reduce((sum, { events }) => sum + (events ?? 0), 0),
                "event",
              )}
              , {formatWhen(created_at)}
            </span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Interval of retries while the service is unavailable, or an analysis is still being imported. */
const RETRY_MS = 2500;

function passes(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 || (error.status === 409 && /still being read/.test(error.message));
}

/** The comparison that a state means, requested when what it is made of changes. */
export function useComparison(api: Api, state: CompareState): Answered<Comparison> {
  const { sides, base, step: stepNs, windows } = state;
  // What is only shown in another way asks nothing again.
  const key = compareQuery({ ...state, rule: "2020", axes: "shared", curve: "bins" });
  return useAnswer(
    sides.length > 1 ? key : null,
    (signal) => api.analyses.compare({ ids: idsText(sides), base, stepNs, windows }, signal),
    { retryMs: (error) => (passes(error) ? RETRY_MS : 0) },
  );
}
