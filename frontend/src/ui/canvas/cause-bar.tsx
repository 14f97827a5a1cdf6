import {
  type CausePart,
  type CauseTime,
  causeColour,
  causeMeaning,
  causeParts,
  causeTitle,
  rankCauses,
  sumOf,
} from "../../lib/causes.ts";
import { formatDuration, formatExactNs, formatShare } from "../../lib/format.ts";
import { CopyButton } from "../copy-button.tsx";
import { Term } from "../section-parts.tsx";
import "./canvas.css";

interface Props {
  readonly causes: readonly CauseTime[];
}

/** Causes as parts of a bar that is filled to its end. */
export function CauseBar({ causes }: Props) {
  const parts = causeParts(causes);
  return (
    <span className="cause-bar" role="img" aria-label={parts.map(partText).join(", ")}>
      {parts.map((part) => (
        <span
          key={part.cause}
          style={{ flexGrow: part.permille, background: causeColour(part.cause) }}
          title={`${partText(part)}, ${formatDuration(part.ns)}`}
        />
      ))}
    </span>
  );
}

function partText({ cause, permille }: CausePart): string {
  return `${causeTitle(cause)} ${formatShare(permille / 1000)}`;
}

interface ListProps extends Props {
  readonly testId: string;
  /** The last line: what they add up to. */
  readonly sum?: string;
}

/** The bar's legend: each cause in words, with what it means, how long it took, and its share. */
export function CauseList({ causes, testId, sum }: ListProps) {
  const whole = sumOf(causes);
  return (
    <table className="cause-list" data-testid={testId}>
      <tbody>
        {rankCauses(causes).map(({ cause, ns }) => (
          <tr key={cause}>
            <th scope="row">
              <span className="swatch" style={{ background: causeColour(cause) }} />
              <Term means={causeMeaning(cause)}>{causeTitle(cause)}</Term>
            </th>
            <td className="num right" title={formatExactNs(ns)}>
              {formatDuration(ns)}
            </td>
            <td className="num right muted">{formatShare(ns / whole)}</td>
          </tr>
        ))}
        {sum !== undefined && (
          <tr className="sum">
            <th scope="row">
              {sum}
              <CopyButton text={String(whole)} label={`Copy ${sum} in ns`} />
            </th>
            <td className="num right" title={formatExactNs(whole)}>
              {formatDuration(whole)}
            </td>
            <td />
          </tr>
        )}
      </tbody>
    </table>
  );
}
