import { useState } from "react";
import { type Api, sentenceOf } from "../data/api.ts";

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
    api.changeAnalysis(id, { title: wanted }).then(
      (analysis) => onRenamed(analysis.title),
      (error: unknown) => setProblem(sentenceOf(error)),
    );
  };
  return (
    <input
      className="title"
      aria-label="Title of the analysis"
      value={draft}
      maxLength={200}
      // biome-ignore lint/a11y/noAutofocus: the reader has just asked to type here
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") setDraft(null);
      }}
    />
  );
}
