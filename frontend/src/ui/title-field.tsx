import { useState } from "react";
import type { Api } from "../api/routes/service.ts";
import { Button } from "./fields.tsx";
import { useAct } from "./use-load.ts";

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly title: string;
  readonly onRenamed: (title: string) => void;
}

/** The title in the breadcrumb; a click makes it a field. */
export function TitleField({ api, id, title, onRenamed }: Props) {
  const [draft, setDraft] = useState<string | null>(null);
  const { problem, act } = useAct();
  if (draft === null) {
    return (
      <>
        <Button className="title" onClick={() => setDraft(title)} title="Rename">
          {title}
        </Button>
        {problem !== null && <span className="problem">{problem}</span>}
      </>
    );
  }
  const keep = () => {
    const wanted = draft.trim();
    setDraft(null);
    if (wanted === "" || wanted === title) return;
    act(api.analyses.change(id, { title: wanted }).then((analysis) => onRenamed(analysis.title)));
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

interface DraftFieldProps {
  readonly label: string;
  readonly draft: string;
  readonly maxLength: number;
  readonly className?: string;
  /** null gives up. */
  readonly onDraft: (draft: string | null) => void;
  readonly onKeep: () => void;
}

/** A name that has become a field: Enter and leaving it keep what it says, Escape does not. */
export function DraftField({ label, draft, maxLength, className, onDraft, onKeep }: DraftFieldProps) {
  return (
    <input
      className={className}
      aria-label={label}
      value={draft}
      maxLength={maxLength}
      // biome-ignore lint/a11y/noAutofocus: the reader has just chosen to type here
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => onDraft(event.currentTarget.value)}
      onBlur={onKeep}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") onDraft(null);
      }}
    />
  );
}
