import { type FormEvent, type KeyboardEvent, useId, useState } from "react";
import type { NoteSource } from "../../analysis/note-source.ts";
import { placeText } from "../../analysis/note-threads.ts";
import { sentenceOf } from "../../api/errors.ts";
import { useCurrentUser } from "../../api/session/session.ts";
import type { Note, NotePlace } from "../../api/types.ts";
import { kindText } from "../../lib/findings.ts";
import { Problem } from "../../ui/section-parts.tsx";

interface Props {
  readonly noteSource: NoteSource;
  readonly label: string;
  /** What it can stand at besides the analysis as a whole, the likeliest first; an answer stands where the first note does. */
  readonly places?: readonly NotePlace[];
  readonly parent?: string;
  readonly onSent: (note: Note) => void;
  readonly onCancel?: () => void;
}

/** A note that is being written. */
export function NoteForm({ noteSource, label, places = [], parent, onSent, onCancel }: Props) {
  const [author, setAuthor] = useState(noteSource.author);
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const field = useId();
  const place = places[chosen] ?? null;
  const person = useCurrentUser().info?.person ?? null;
  // A link makes its holder a guest, also who is signed in.
  const signed = noteSource.guest ? null : person;
  const ready = (signed !== null || author.trim() !== "") && text.trim() !== "" && !busy;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    setBusy(true);
    setProblem(null);
    noteSource
      .say({ author: signed === null ? author : null, text, place, parent_id: parent ?? null })
      .then(
        (note) => {
          setText("");
          onSent(note);
        },
        (error: unknown) => setProblem(sentenceOf(error)),
      )
      .finally(() => setBusy(false));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
  };
  return (
    <form className="note-form" aria-label={label} onSubmit={send}>
      {signed === null ? (
        <>
          <label htmlFor={`${field}-author`}>name</label>
          <input
            id={`${field}-author`}
            value={author}
            maxLength={80}
            autoComplete="name"
            onChange={(event) => setAuthor(event.currentTarget.value)}
          />
        </>
      ) : (
        <p className="note-as muted">
          as <b>{signed.name}</b>
        </p>
      )}
      {places.length > 0 && (
        <>
          <label htmlFor={`${field}-place`}>about</label>
          <select
            id={`${field}-place`}
            value={chosen}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
          >
            {places.map((option, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a place is its position
              <option key={place} value={place}>
                {placeText(option, (key) => kindText(key.split("@")[0] ?? key))}
              </option>
            ))}
            <option value={places.length}>the analysis</option>
          </select>
        </>
      )}
      <textarea
        aria-label={`Text: ${label}`}
        value={text}
        maxLength={10_000}
        placeholder="What you see here (Ctrl Enter sends)"
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <span>
        <button type="submit" className="primary" disabled={!ready}>
          Send
        </button>
        {onCancel && (
          <button type="button" className="quiet" onClick={onCancel}>
            Cancel
          </button>
        )}
      </span>
      <Problem sentence={problem} />
    </form>
  );
}
