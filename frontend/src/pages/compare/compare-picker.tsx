import { useEffect, useState } from "react";
import { isAbort, sentenceOf } from "../../api/errors.ts";
import type { Api } from "../../api/routes/service.ts";
import type { Analysis } from "../../api/types.ts";
import { formatWhen, plural } from "../../lib/format.ts";

interface Props {
  readonly api: Api;
  /** Not offered again. */
  readonly taken: readonly string[];
  readonly onPick: (id: string) => void;
}

/** The other analyses that are ready, to put one more next to. */
export function ComparePicker({ api, taken, onPick }: Props) {
  const [analyses, setAnalyses] = useState<readonly Analysis[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    api.analyses.list(stop.signal).then(setAnalyses, (error: unknown) => {
      if (!isAbort(error)) setProblem(sentenceOf(error));
    });
    return () => stop.abort();
  }, [api]);
  const offered = (analyses ?? []).filter(({ id, status }) => status === "ready" && !taken.includes(id));
  if (problem !== null) {
    return (
      <p className="problem" role="alert">
        {problem}
      </p>
    );
  }
  if (analyses === null) return <p className="muted">Looking what there is…</p>;
  if (offered.length === 0)
    return (
      <p className="muted">There is no other analysis that is ready. Add one on the list of analyses.</p>
    );
  return (
    <ul className="compare-picker" data-testid="compare-picker">
      {offered.map(({ id, title, created_at, inputs }) => (
        <li key={id}>
          <button type="button" onClick={() => onPick(id)}>
            <b>{title}</b>
            <span className="muted">
              {plural(
                inputs.reduce((sum, { events }) => sum + (events ?? 0), 0),
                "event",
              )}
              , {formatWhen(created_at)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
