import { useState } from "react";
import { type Api, type EventFormat, sentenceOf } from "../data/api.ts";
import { formatCount, plural } from "../logic/format.ts";

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly counts: Readonly<Record<string, number>>;
}

const FORMATS: readonly (readonly [EventFormat, string, string])[] = [
  ["csv", "CSV", "csv"],
  ["ndjson", "NDJSON", "ndjson"],
  ["arrow", "Arrow", "arrow"],
];

export function EventsTab({ api, id, counts }: Props) {
  const [filter, setFilter] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const all = Object.entries(counts).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const shown = all.filter(([name]) => name.includes(filter.trim()));
  const most = all[0]?.[1] ?? 1;
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  return (
    <>
      <div className="tab-tools">
        <input
          type="search"
          placeholder="Event name"
          aria-label="Filter events by name"
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <span className="muted">
          {plural(total, "event")} of {plural(all.length, "type")}, as recorded
        </span>
        {problem !== null && <span className="problem">{problem}</span>}
      </div>
      <table className="grid-table" data-testid="events-table">
        <thead>
          <tr>
            <th scope="col">event</th>
            <th scope="col" className="right">
              count
            </th>
            <th scope="col">every field, as</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {shown.map(([name, count]) => (
            <tr key={name}>
              <td className="mono">{name}</td>
              <td className="num right">{formatCount(count)}</td>
              <td className="downloads">
                {FORMATS.map(([format, word, suffix]) => (
                  <Download
                    key={format}
                    api={api}
                    id={id}
                    event={name}
                    format={format}
                    word={word}
                    file={`${name}.${suffix}`}
                    onProblem={setProblem}
                  />
                ))}
              </td>
              <td className="bar-cell">
                <span className="bar" style={{ width: `${(count / most) * 100}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

interface DownloadProps {
  readonly api: Api;
  readonly id: string;
  readonly event: string;
  readonly format: EventFormat;
  readonly word: string;
  readonly file: string;
  readonly onProblem: (sentence: string | null) => void;
}

function Download({ api, id, event, format, word, file, onProblem }: DownloadProps) {
  if (api.token === null) {
    return (
      <a href={api.eventsUrl(id, event, format)} download={file}>
        {word}
      </a>
    );
  }
  // A plain link cannot carry the share token, and the token must not stand in an address.
  const fetchAndSave = () => {
    onProblem(null);
    api.eventsBlob(id, event, format).then(
      (blob) => saveBlob(blob, file),
      (error: unknown) => onProblem(sentenceOf(error)),
    );
  };
  return (
    <button type="button" className="inline" onClick={fetchAndSave}>
      {word}
    </button>
  );
}

function saveBlob(blob: Blob, file: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
