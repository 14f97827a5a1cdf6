import { type FormEvent, type KeyboardEvent, useState } from "react";
import type { NoteSource } from "../../analysis/note-source.ts";
import { placeText } from "../../analysis/note-threads.ts";
import { useCurrentUser } from "../../api/session/session.ts";
import type { Note, NotePlace } from "../../api/types.ts";
import { kindText } from "../../lib/findings.ts";
import { Field, Select } from "../../ui/fields.tsx";
import { Problem } from "../../ui/section-parts.tsx";
import { useAct } from "../../ui/use-act.ts";

interface Props {
  readonly noteSource: NoteSource;
  readonly label: string;
  /** What it can stand at besides the analysis as a whole, the likeliest first; an answer stands where the first note does. */
  readonly places?: readonly NotePlace[];
  readonly parent?: string;
  readonly onSent: (note: Note) => void;
  readonly onCancel?: () => void;
}

function placeWords(place: NotePlace): string {
  return placeText(place, (key) => kindText(key.split("@")[0] ?? key));
}

/** A note that is being written. */
export function NoteForm({ noteSource, label, places = [], parent, onSent, onCancel }: Props) {
  const [author, setAuthor] = useState(noteSource.author);
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const { busy, problem, act } = useAct();
  const place = places[chosen] ?? null;
  const person = useCurrentUser().info?.person ?? null;
  // A link makes its holder a guest, also who is signed in.
  const signed = noteSource.guest ? null : person;
  const ready = (signed !== null || author.trim() !== "") && text.trim() !== "" && !busy;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    const note = { author: signed === null ? author : null, text, place, parent_id: parent ?? null };
    act(
      noteSource.say(note).then((sent) => {
        setText("");
        onSent(sent);
      }),
    );
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
  };
  return (
    <form className="note-form" aria-label={label} onSubmit={send}>
      {signed === null ? (
        <Field name="name" value={author} maxLength={80} autoComplete="name" onText={setAuthor} />
      ) : (
        <p className="note-as muted">
          as <b>{signed.name}</b>
        </p>
      )}
      {places.length > 0 && (
        <Select
          name="about"
          named
          value={String(chosen)}
          choices={[...places.map(placeWords), "the analysis"].map((words, place) => [String(place), words])}
          onChoose={(value) => setChosen(Number(value))}
        />
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
