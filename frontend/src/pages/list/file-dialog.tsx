import { type FormEvent, useId, useState } from "react";
import type { Analysis, AnalysisChange } from "../../api/types.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Check, Field } from "../../ui/fields.tsx";
import { useAct } from "../../ui/use-act.ts";
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
  const { busy, problem, act } = useAct();
  const field = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act(onChange({ title, description, tags: parseTags(tags), incident, keep }).then(onClose));
  };
  return (
    <Dialog title="Edit details" onClose={onClose}>
      <form className="file-form" onSubmit={submit}>
        <Field name="title" value={title} maxLength={200} onText={setTitle} />
        <Field
          name="incident"
          value={incident}
          maxLength={120}
          list={`${field}-incidents`}
          placeholder="what several analyses are about together"
          onText={setIncident}
        />
        <datalist id={`${field}-incidents`}>
          {incidents.map((known) => (
            <option key={known} value={known} />
          ))}
        </datalist>
        <Field name="tags" value={tags} placeholder="words, as many as you like" onText={setTags} />
        <label htmlFor={`${field}-text`}>description</label>
        <textarea
          id={`${field}-text`}
          value={description}
          maxLength={10_000}
          placeholder="Who has a link sees it too"
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {keepDays !== null && (
          <Check className="wide" checked={keep} onCheck={setKeep}>
            keep it longer than {keepDays} days
          </Check>
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
