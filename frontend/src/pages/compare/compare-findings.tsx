import type { Comparison, FindingKind } from "../../api/types.ts";
import { formatDuration } from "../../lib/format.ts";
import { analysisPath } from "../../lib/routes.ts";
import { Link } from "../../ui/page/link.tsx";
import { CsvButton, LabelBadge } from "../../ui/section-parts.tsx";
import { findingsCsv } from "./compare-table.ts";

interface Props {
  readonly comparison: Comparison;
  readonly colours: readonly string[];
}

/** What detectors found, by side: first what only some sides have. */
export function CompareFindings({ comparison, colours }: Props) {
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
            A detector finds only what its events were recorded for: see what was recorded on one side only,
            above.
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
      {kinds.length === 0 && <p className="muted compare-absent">Nothing was found on any side.</p>}
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

interface ListProps extends Props {
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
                      {worst.impact_ms > 0 && (
                        <span className="cost">{formatDuration(worst.impact_ms * 1e6)}</span>
                      )}{" "}
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
