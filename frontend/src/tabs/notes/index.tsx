import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import { type NoteSource, placeSpan, placeText, type Thread, threads } from "../../analysis/note-source.ts";
import type { DrawerView, TabProps } from "../../analysis/tab.ts";
import { sentenceOf } from "../../api/client.ts";
import type { Note, NotePlace } from "../../api/types.ts";
import { keyFindings, kindText } from "../../lib/findings.ts";
import { formatWhen } from "../../lib/format.ts";
import { toAbs } from "../../lib/time.ts";
import type { StageSnapshot } from "../../timeline/stage/stage-parts.ts";
import { useOwner, usePermission } from "../../ui/permissions.ts";
import { Problem } from "../../ui/section-parts.tsx";
import "./notes.css";
import { useCurrentUser } from "../../api/current-user.ts";
import { Button, Field, Select } from "../../ui/fields.tsx";
import { useAct } from "../../ui/use-load.ts";

export const view: DrawerView = {
  id: "notes",
  title: "Notes",
  Body: NotesTab,
};

/** Notes about the analysis, and a field for a new one. */
function NotesTab({ live, snapshot, drawer }: TabProps) {
  const { notes: noteSource } = live;
  const { notes, problem, pointed } = useSyncExternalStore(noteSource.subscribe, noteSource.getSnapshot);
  useEffect(() => noteSource.watch(), [noteSource]);
  const may = usePermission("comment");
  const psi = threads(notes ?? []);
  return (
    <div className="threads" data-testid="notes">
      {may ? (
        <NoteForm
          noteSource={noteSource}
          label="New note"
          places={placesOf(live, snapshot, drawer.finding)}
          onSent={(note) => noteSource.point(note.id)}
        />
      ) : (
        <p className="muted">This link does not allow writing notes; ask its owner for one that does.</p>
      )}
      <Problem sentence={problem} />
      {notes !== null && psi.length === 0 && <p className="muted">No notes yet.</p>}
      <ol>
        {psi.map((thread) => (
          <Conversation
            key={thread.first.id}
            live={live}
            thread={thread}
            pointed={thread.first.id === pointed}
            may={may}
          />
        ))}
      </ol>
    </div>
  );
}

/** Possible places of a new note, the most likely first. */
function placesOf(
  live: LiveAnalysis,
  { view, selection }: StageSnapshot,
  chosen: string | null,
): readonly NotePlace[] {
  const { origin } = live.stage.scene;
  const { answer } = live.section("findings").getSnapshot();
  const ranked = answer?.available ? keyFindings(answer.findings) : [];
  const found = ranked.find(({ key }) => key === chosen);
  const nowhere = { from_ns: null, to_ns: null, lane: null, finding: null };
  const window = {
    ...nowhere,
    from_ns: toAbs(origin, view.from).toString(),
    to_ns: toAbs(origin, view.to).toString(),
  };
  const slice = selection?.slice;
  return [
    ...(found
      ? [
          {
            ...nowhere,
            from_ns: found.finding.from_ns,
            to_ns: found.finding.to_ns,
            finding: found.key,
          },
        ]
      : []),
    ...(selection && slice
      ? [{ ...nowhere, from_ns: slice.start_ns, to_ns: slice.end_ns, lane: `cpu:${selection.cpu}` }]
      : []),
    window,
  ];
}

interface ConversationProps {
  readonly live: LiveAnalysis;
  readonly thread: Thread;
  readonly pointed: boolean;
  readonly may: boolean;
}

function Conversation({ live, thread: { first, answers }, pointed, may }: ConversationProps) {
  const { stage, notes: noteSource } = live;
  const [answering, setAnswering] = useState(false);
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (pointed) item.current?.scrollIntoView({ block: "nearest" });
  }, [pointed]);
  const span = placeSpan(first.place, stage.scene.origin);
  const words = placeText(first.place, findingWords);
  const go = () => {
    if (first.place?.finding) live.setDrawer({ finding: first.place.finding });
    if (span) void stage.show(span);
  };
  return (
    <li ref={item} className={pointed ? "pointed" : ""} data-testid="conversation">
      {span ? (
        <Button className="inline" onClick={go} title="Show where">
          {words}
        </Button>
      ) : (
        <span className="muted">{words}</span>
      )}
      <OneNote noteSource={noteSource} note={first} may={may} />
      {answers.map((note) => (
        <div key={note.id} className="answer">
          <OneNote noteSource={noteSource} note={note} may={may} />
        </div>
      ))}
      {may &&
        (answering ? (
          <NoteForm
            noteSource={noteSource}
            label="Answer"
            parent={first.id}
            onSent={() => setAnswering(false)}
            onCancel={() => setAnswering(false)}
          />
        ) : (
          <Button className="quiet" onClick={() => setAnswering(true)}>
            Answer
          </Button>
        ))}
    </li>
  );
}

function findingWords(key: string): string {
  return kindText(key.split("@")[0] ?? key);
}

interface NoteProps {
  readonly noteSource: NoteSource;
  readonly note: Note;
  readonly may: boolean;
}

/** A name is what its writer typed, unless the note says that they were signed in; the owner's say that they are the owner's. */
function OneNote({ noteSource, note, may }: NoteProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const act = (work: Promise<void>) => {
    setProblem(null);
    work.then(
      () => setDraft(null),
      (error: unknown) => setProblem(sentenceOf(error)),
    );
  };
  const owner = useOwner();
  const changeable = may && (owner || noteSource.wrote(note)) && note.text !== "";
  return (
    <article className="note">
      <p className="muted">
        <b>{note.author}</b>
        {note.by_owner && <span className="tag">owner</span>}
        {note.vouched && (
          <span className="tag" title="Written by a user who was signed in under this name">
            signed in
          </span>
        )}{" "}
        {formatWhen(note.created_at)}
        {note.changed_at !== null && note.text !== "" && " (changed)"}
        {changeable && draft === null && (
          <>
            <Button className="quiet" onClick={() => setDraft(note.text)}>
              Change
            </Button>
            <Button className="quiet" onClick={() => act(noteSource.remove(note))}>
              Delete
            </Button>
          </>
        )}
      </p>
      {draft === null ? (
        <p className={note.text === "" ? "muted" : "text"}>{note.text === "" ? "Withdrawn." : note.text}</p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            act(noteSource.change(note, draft));
          }}
        >
          <textarea
            aria-label="Text of the note"
            value={draft}
            maxLength={10_000}
            onChange={(event) => setDraft(event.currentTarget.value)}
          />
          <button type="submit" className="primary" disabled={draft.trim() === ""}>
            Save
          </button>
          <Button className="quiet" onClick={() => setDraft(null)}>
            Cancel
          </Button>
        </form>
      )}
      <Problem sentence={problem} />
    </article>
  );
}

interface NoteFormProps {
  readonly noteSource: NoteSource;
  readonly label: string;
  /**
   * Possible places besides the analysis as a whole, the most likely first; an answer has the place of the first
   * note.
   */
  readonly places?: readonly NotePlace[];
  readonly parent?: string;
  readonly onSent: (note: Note) => void;
  readonly onCancel?: () => void;
}

function placeWords(place: NotePlace): string {
  return placeText(place, (key) => kindText(key.split("@")[0] ?? key));
}

export function NoteForm({ noteSource, label, places = [], parent, onSent, onCancel }: NoteFormProps) {
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
        placeholder="Note about this view (Ctrl Enter sends)"
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <span>
        <button type="submit" className="primary" disabled={!ready}>
          Send
        </button>
        {onCancel && (
          <Button className="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </span>
      <Problem sentence={problem} />
    </form>
  );
}
