import type { ComparedOutcome, Comparison } from "../../api/types.ts";
import { formatAbs, formatCount } from "../../lib/format.ts";
import { analysisPath } from "../../lib/routes.ts";
import { parseNs } from "../../lib/time.ts";
import { Link } from "../../ui/page/link.tsx";
import { LabelBadge } from "../../ui/section-parts.tsx";
import { changed, exampleOf, exampleWindow, valueText } from "./decision-rows.ts";

interface Props {
  readonly comparison: Comparison;
}

/** Decisions of the kernel whose distributions changed beyond noise. */
export function CompareDecisions({ comparison }: Props) {
  const { decisions, sides } = comparison;
  if (decisions === null) return null;
  const kinds = decisions.kinds.map((kind) => ({ kind, rows: kind.outcomes.filter(changed) }));
  const shown = kinds.filter(({ kind, rows }) => changed(kind) || rows.length > 0);
  return (
    <section className="compare-section" aria-label="Decisions">
      <h2>Decisions that changed</h2>
      <p className="muted">{decisions.sentence}</p>
      {shown.length === 0 && <p>No decision changed beyond noise.</p>}
      {shown.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        <section className="compare-scroll" tabIndex={0} aria-label="Table of decisions">
          <table className="grid-table compare-table" data-testid="compare-decisions">
            <thead>
              <tr>
                <td />
                {sides.map(({ key, name }) => (
                  <th key={key} scope="col" title={name}>
                    {key}
                  </th>
                ))}
                <th scope="col">rule</th>
                <th scope="col">kernel function</th>
                <th scope="col">example</th>
              </tr>
            </thead>
            {shown.map(({ kind, rows }) => (
              <tbody key={kind.id}>
                <OutcomeRow comparison={comparison} row={kind} whole />
                {rows.map((row) => (
                  <OutcomeRow key={row.id} comparison={comparison} row={row} />
                ))}
              </tbody>
            ))}
          </table>
        </section>
      )}
    </section>
  );
}

interface RowProps extends Props {
  readonly row: ComparedOutcome & { readonly label?: Parameters<typeof LabelBadge>[0]["label"] };
  /** The row is a whole kind, whose values are rates. */
  readonly whole?: boolean;
}

function OutcomeRow({ comparison, row, whole = false }: RowProps) {
  return (
    <tr>
      <th scope="row">
        {whole ? <b>{row.title}</b> : row.title} {row.label && <LabelBadge label={row.label} />}
      </th>
      {row.sides.map((cell, side) => (
        <td
          key={comparison.sides[side]?.key}
          className="number"
          title={`${formatCount(cell.count)} decisions${cell.change?.p == null ? "" : `, p = ${cell.change.p.toPrecision(2)}`}`}
        >
          {cell.change?.significant && <span title="changed beyond noise">★ </span>}
          {valueText(cell, whole)}
        </td>
      ))}
      <td>{row.rule}</td>
      <td className="mono">{row.kernel}</td>
      <td>
        <Example comparison={comparison} row={row} />
      </td>
    </tr>
  );
}

function Example({ comparison, row }: RowProps) {
  const example = exampleOf(row);
  const analysis = example && comparison.analyses[example.analysis];
  if (!example || !analysis) return null;
  const at = parseNs(example.t_ns) ?? 0n;
  return (
    <Link to={analysisPath(analysis.id, exampleWindow(at))}>
      {analysis.key} {formatAbs(at, 6)} s{example.comm ? `, ${example.comm}` : ""}
    </Link>
  );
}
