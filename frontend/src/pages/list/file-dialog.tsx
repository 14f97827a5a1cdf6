import { type FormEvent, useId, useState } from "react";
import { sentenceOf } from "../../api/errors.ts";
import type { Analysis, AnalysisChange } from "../../api/types.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { parseTags } from "./analysis-details.ts";

interface Props {
  readonly analysis: Analysis;
  /** Incidents that there are already. */
  readonly incidents: readonly string[];
  /** Days after which what is not kept is deleted; null is never. */
  readonly keepDays: number | null;
  /** Raises what the service refuses. */
  readonly onChange: (change: AnalysisChange) => Promise<unknown>;
  readonly onClose: () => void;
}

/** How an analysis is filed. */
export function FileDialog({ analysis, incidents, keepDays, onChange, onClose }: Props) {
  const [title, setTitle] = useState(analysis.title);
  const [description, setDescription] = useState(analysis.description);
  const [tags, setTags] = useState(analysis.tags.join(" "));
  const [incident, setIncident] = useState(analysis.incident ?? "");
  const [keep, setKeep] = useState(analysis.keep);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const field = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    onChange({ title, description, tags: parseTags(tags), incident, keep }).then(
      onClose,
      (error: unknown) => {
        setProblem(sentenceOf(error));
        setBusy(false);
      },
    );
  };
  return (
    <Dialog title="Edit details" onClose={onClose}>
      <form className="file-form" onSubmit={submit}>
        <label htmlFor={`${field}-title`}>title</label>
        <input
          id={`${field}-title`}
          value={title}
          maxLength={200}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <label htmlFor={`${field}-incident`}>incident</label>
        <input
          id={`${field}-incident`}
          value={incident}
          maxLength={120}
          list={`${field}-incidents`}
          placeholder="what several analyses are about together"
          onChange={(event) => setIncident(event.currentTarget.value)}
        />
        <datalist id={`${field}-incidents`}>
          {incidents.map((known) => (
            <option key={known} value={known} />
          ))}
        </datalist>
        <label htmlFor={`${field}-tags`}>tags</label>
        <input
          id={`${field}-tags`}
          value={tags}
          placeholder="words, as many as you like"
          onChange={(event) => setTags(event.currentTarget.value)}
        />
        <label htmlFor={`${field}-text`}>description</label>
        <textarea
          id={`${field}-text`}
          value={description}
          maxLength={10_000}
          placeholder="Who has a link sees it too"
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {keepDays !== null && (
          <label className="wide">
            <input
              type="checkbox"
              checked={keep}
              onChange={(event) => setKeep(event.currentTarget.checked)}
            />{" "}
            keep it longer than {keepDays} days
          </label>
        )}
        {problem !== null && (
          <p className="problem wide" role="alert">
            {problem}
          </p>
        )}
        <span className="wide">
          <button type="submit" className="primary" disabled={busy || title.trim() === ""}>
            Save
          </button>
          <button type="button" className="quiet" onClick={onClose}>
            Cancel
          </button>
        </span>
      </form>
    </Dialog>
  );
}
