import { useState } from "react";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import { formatAbs, formatDuration } from "../../lib/format.ts";
import { type Mark, removeMark, renameMark } from "../../timeline/marks.ts";
import { DraftField } from "../../ui/title-field.tsx";

interface Props {
  readonly live: LiveAnalysis;
  readonly marks: readonly Mark[];
}

/** The reader's marks in time, each with its distance from the one before. A new one requests its name. */
export function MarkList({ live, marks }: Props) {
  if (marks.length === 0) return null;
  const set = (changed: readonly Mark[]) => live.setDrawer({ marks: changed });
  return (
    <section className="marks" aria-label="Marks" data-testid="marks">
      <h3>Marks</h3>
      <ul>
        {marks.map((mark, place) => {
          const before = marks[place - 1];
          return (
            <li key={mark.at.toString()}>
              <MarkName
                mark={mark}
                names={mark.at === live.freshMark()}
                onName={(name) => set(renameMark(marks, mark.at, name))}
                onGo={() => live.goToMark(mark.at)}
              />
              <span className="num muted" title={before ? `After ${before.name}` : "Time of the trace clock"}>
                {before ? `+${formatDuration(mark.at - before.at)}` : `${formatAbs(mark.at, 6)} s`}
              </span>
              <button
                type="button"
                className="quiet"
                aria-label={`Remove ${mark.name}`}
                title="Remove"
                onClick={() => set(removeMark(marks, mark.at))}
              >
                ×
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface NameProps {
  readonly mark: Mark;
  readonly names: boolean;
  readonly onName: (name: string) => void;
  readonly onGo: () => void;
}

function MarkName({ mark, names, onName, onGo }: NameProps) {
  const [draft, setDraft] = useState<string | null>(names ? mark.name : null);
  if (draft === null) {
    return (
      <span className="mark-name">
        <button type="button" className="inline" onClick={onGo} title="Move it into the middle of the window">
          {mark.name}
        </button>
        <button
          type="button"
          className="quiet"
          aria-label={`Rename ${mark.name}`}
          title="Rename"
          onClick={() => setDraft(mark.name)}
        >
          ✎
        </button>
      </span>
    );
  }
  const keep = () => {
    setDraft(null);
    if (draft.trim() !== mark.name) onName(draft);
  };
  return (
    <DraftField label="Name of the mark" draft={draft} maxLength={40} onDraft={setDraft} onKeep={keep} />
  );
}
