import { useState } from "react";
import { sentenceOf } from "../api/errors.ts";
import type { Api } from "../api/routes/service.ts";
import { DraftField } from "./draft-field.tsx";

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly title: string;
  readonly onRenamed: (title: string) => void;
}

/** The title in the breadcrumb; a click makes it a field. */
export function TitleField({ api, id, title, onRenamed }: Props) {
  const [draft, setDraft] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  if (draft === null) {
    return (
      <>
        <button type="button" className="title" onClick={() => setDraft(title)} title="Rename">
          {title}
        </button>
        {problem !== null && <span className="problem">{problem}</span>}
      </>
    );
  }
  const keep = () => {
    const wanted = draft.trim();
    setDraft(null);
    if (wanted === "" || wanted === title) return;
    setProblem(null);
    api.analyses.change(id, { title: wanted }).then(
      (analysis) => onRenamed(analysis.title),
      (error: unknown) => setProblem(sentenceOf(error)),
    );
  };
  return (
    <DraftField
      className="title"
      label="Title of the analysis"
      draft={draft}
      maxLength={200}
      onDraft={setDraft}
      onKeep={keep}
    />
  );
}
