import { formatBytes, formatCount } from "../../lib/format.ts";
import { skippedPlace } from "../../lib/input-words.ts";
import { InputPlace, type PlaceProps } from "./input-alignment.tsx";

/** Everything that is known of one input, and the owner's word on its place in time. */
export function InputDetails(props: PlaceProps) {
  const { input } = props;
  const { alignment, cpus, kernel, facts = {}, tables = {}, skipped = [] } = input;
  const known: (readonly [string, string])[] = [
    ["size", formatBytes(input.bytes)],
    ...(cpus ? ([["CPUs", formatCount(cpus)]] as const) : []),
    ...(kernel ? ([["kernel", kernel]] as const) : []),
    ...Object.entries(tables).map(([table, rows]) => [`rows of ${table}`, formatCount(rows)] as const),
    ...Object.entries(facts),
  ];
  return (
    <div className="input-details">
      {alignment && <InputPlace {...props} alignment={alignment} />}
      {skipped.length > 0 && (
        <section aria-label={`Parts of ${input.name} that were left out`}>
          <h3>Left out</h3>
          <ul>
            {skipped.map((part) => (
              <li key={`${part.from}/${part.to}/${part.cpu}`}>
                <span className="num">{skippedPlace(part)}</span>: {part.why}
              </li>
            ))}
            {input.skipped_count > skipped.length && (
              <li className="muted">and {formatCount(input.skipped_count - skipped.length)} more</li>
            )}
          </ul>
        </section>
      )}
      <dl className="facts">
        {known.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
