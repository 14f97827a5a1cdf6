import type { ComparedAnalysis, Comparison, FindingKind } from "../../api/types.ts";
import { impactText } from "../../lib/findings.ts";
import { formatAbs, formatCount, formatCpuList, formatDuration, plural } from "../../lib/format.ts";
import { analysisPath } from "../../lib/routes.ts";
import { parseNs } from "../../lib/time.ts";
import { Button } from "../../ui/fields.tsx";
import { Link } from "../../ui/page/link.tsx";
import { CsvButton, Fact, LabelBadge } from "../../ui/section-parts.tsx";
import { type CompareState, joinBefore, removeRun, splitLast } from "./compare-state.ts";
import { findingsCsv } from "./compare-table.ts";

interface Props {
  readonly comparison: Comparison;
  readonly state: CompareState;
  readonly colours: readonly string[];
  readonly onChange: (state: CompareState) => void;
}

/** A card for each compared analysis, in the order of the sides. */
export function CompareCards({ comparison, state, colours, onChange }: Props) {
  return (
    <ul className="compare-cards" data-testid="compare-cards">
      {comparison.analyses.map((analysis, place) => (
        <li key={analysis.key} className="compare-card" style={{ borderTopColor: colours[analysis.side] }}>
          <Card comparison={comparison} analysis={analysis} place={place} state={state} onChange={onChange} />
        </li>
      ))}
    </ul>
  );
}

interface CardProps extends Omit<Props, "colours"> {
  readonly analysis: ComparedAnalysis;
  readonly place: number;
}

function Card({ comparison, analysis, place, state, onChange }: CardProps) {
  const { key, side } = analysis;
  const runs = comparison.sides[side]?.analyses ?? [];
  const isBase = side === comparison.base;
  const narrowed = state.windows.has(place);
  const single = runs.length === 1;
  return (
    <>
      <header>
        <b className="compare-key">{key}</b>
        <Link to={analysisPath(analysis.id, `v=2&w=${analysis.window_ns.join("~")}`)}>{analysis.title}</Link>
      </header>
      <dl>
        <Fact name="kernel">{analysis.kernel ?? "not known"}</Fact>
        <dt>machine</dt>
        <dd title={analysis.nodes.map(({ nid, cpus }) => `node ${nid}: ${formatCpuList(cpus)}`).join("\n")}>
          {plural(analysis.cpus, "CPU")}, {plural(analysis.nodes.length, "node")}
          {analysis.topology_source === "assumed" && <span className="warn"> (assumed)</span>}
        </dd>
        <Fact name="window">
          {formatDuration(analysis.length_ns)}
          <span className="muted"> from {fromText(analysis)} s</span>
          {narrowed && (
            <Button className="inline" onClick={() => onChange(without(state, place))}>
              whole
            </Button>
          )}
        </Fact>
        <Fact name="events">
          {formatCount(analysis.events)}
          {analysis.lost_marks > 0 && (
            <span className="warn">, {formatCount(analysis.lost_events)} lost</span>
          )}
        </Fact>
        <Fact name="clock">
          {analysis.clock ?? "not known"}, HZ {analysis.hz ?? "not known"}
          {analysis.hz_label !== null && analysis.hz_label !== "observed" && (
            <>
              {" "}
              <LabelBadge label={analysis.hz_label} />
            </>
          )}
        </Fact>
      </dl>
      <footer>
        {isBase ? (
          <span className="tag">baseline</span>
        ) : (
          <Button className="quiet" onClick={() => onChange({ ...state, base: side })}>
            Make baseline
          </Button>
        )}
        {side > 0 && single && (
          <Button
            className="quiet"
            onClick={() => onChange(joinBefore(state, side))}
            title={`${key} and ${comparison.sides[side - 1]?.key} are runs of the same workload: compared as one side, run by run`}
          >
            Another run of {comparison.sides[side - 1]?.key}
          </Button>
        )}
        {!single && runs.at(-1) === place && (
          <Button className="quiet" onClick={() => onChange(splitLast(state, side))}>
            Own side
          </Button>
        )}
        <Button
          className="quiet"
          onClick={() => onChange(removeRun(state, place))}
          aria-label={`Remove ${key}`}
        >
          Remove
        </Button>
      </footer>
    </>
  );
}

function fromText(analysis: ComparedAnalysis): string {
  return formatAbs(parseNs(analysis.window_ns[0] ?? "") ?? 0n, 3);
}

function without(state: CompareState, place: number): CompareState {
  return { ...state, windows: new Map([...state.windows].filter(([other]) => other !== place)) };
}

interface CompareFindingsProps {
  readonly comparison: Comparison;
  readonly colours: readonly string[];
}

/** Findings by side: first those that only some sides have. */
export function CompareFindings({ comparison, colours }: CompareFindingsProps) {
  const { kinds, absent } = comparison.findings;
  const only = kinds.filter((kind) => kind.only !== null);
  const both = kinds.filter((kind) => kind.only === null);
  return (
    <section aria-label="Findings" className="compare-section">
      <h2>Findings</h2>
      {kinds.length > 0 && (
        <p className="tab-tools">
          <CsvButton name="compare-findings" {...findingsCsv(comparison)} />
          <span className="muted">
            A detector needs its events: differences in the recorded events are listed above.
          </span>
        </p>
      )}
      {comparison.sides.map(({ key }, side) =>
        absent[side] ? (
          <p key={key} className="muted compare-absent">
            {key}: {absent[side]}
          </p>
        ) : null,
      )}
      {kinds.length === 0 && <p className="muted compare-absent">No findings on any side.</p>}
      <KindList
        comparison={comparison}
        kinds={only}
        colours={colours}
        title="On one side only"
        testId="findings-only"
      />
      <KindList
        comparison={comparison}
        kinds={both}
        colours={colours}
        title="On all sides"
        testId="findings-both"
      />
    </section>
  );
}

interface ListProps extends CompareFindingsProps {
  readonly kinds: readonly FindingKind[];
  readonly title: string;
  readonly testId: string;
}

function KindList({ comparison, kinds, colours, title, testId }: ListProps) {
  if (kinds.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="compare-findings" data-testid={testId}>
        {kinds.map((kind) => (
          <li key={kind.id}>
            <p className="compare-finding-head">
              <span className={`severity severity-${kind.severity}`}>{kind.severity}</span>
              <b className="mono">{kind.id}</b> <LabelBadge label={kind.label} />
            </p>
            {kind.sides.map(({ count, worst }, side) => {
              const name = comparison.sides[side];
              if (!name || (kind.only !== null && count === 0)) return null;
              const analysis = worst ? comparison.analyses[worst.analysis] : undefined;
              return (
                <p key={name.key} className="compare-finding">
                  <span className="compare-finding-side">
                    <span className="swatch" style={{ backgroundColor: colours[side] }} />
                    {name.key} <span className="muted">× {count}</span>
                  </span>
                  {worst && analysis ? (
                    <span>
                      {worst.summary}{" "}
                      {worst.impact_ms > 0 && <span className="cost">{impactText(worst.impact_ms)}</span>}{" "}
                      <Link
                        to={analysisPath(analysis.id, `v=2&w=${worst.from_ns}~${worst.to_ns}&d=findings`)}
                      >
                        look
                      </Link>
                    </span>
                  ) : (
                    <span className="muted">nothing</span>
                  )}
                </p>
              );
            })}
          </li>
        ))}
      </ul>
    </>
  );
}
