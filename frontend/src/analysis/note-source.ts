/** The notes of an analysis: as the service has them, and by what this browser may change its own. */

import { isAbort, sentenceOf } from "../api/client.ts";
import type { NotesApi } from "../api/routes/notes.ts";
import type { Api } from "../api/routes/service.ts";
import type { Note, NotePlace, NoteWish } from "../api/types.ts";
import { formatAbs, formatTime } from "../lib/format.ts";
import { Delay, Store } from "../lib/store.ts";
import { type Span, toRel } from "../lib/time.ts";

/** Interval of requests for other users' notes, while they are shown. */
const AGAIN_MS = 15_000;
const KEYS = "numalens.note-keys";
const AUTHOR = "numalens.note-author";

export interface NoteState {
  /** null until the first answer. */
  readonly notes: readonly Note[] | null;
  readonly problem: string | null;
  /** A conversation that the reader wants to see, from elsewhere than the list. */
  readonly pointed: string | null;
}

interface NoteService extends Pick<Api, "token"> {
  readonly notes: Pick<NotesApi, "list" | "create" | "change" | "delete">;
}
type NoteStorage = Pick<Storage, "getItem" | "setItem">;

export class NoteSource extends Store<NoteState> {
  readonly #api: NoteService;
  readonly #id: string;
  readonly #store: NoteStorage;
  #keys: NoteKeys;
  #request: AbortController | null = null;
  readonly #delay = new Delay();
  #watchers = 0;
  #closed = false;

  constructor(api: NoteService, id: string, store: NoteStorage) {
    super({ notes: null, problem: null, pointed: null });
    this.#api = api;
    this.#id = id;
    this.#store = store;
    this.#keys = parseKeys(store.getItem(KEYS));
  }

  /** True if the reader has only a link. */
  get guest(): boolean {
    return this.#api.token !== null;
  }

  /** The name under which this browser wrote last. */
  get author(): string {
    return this.#store.getItem(AUTHOR) ?? "";
  }

  /** Returns whether the reader wrote a note: signed in, or in this browser. */
  wrote(note: Note): boolean {
    return note.vouched ? note.yours : this.#keys[note.id] !== undefined;
  }

  point(id: string | null): void {
    this.#notify({ pointed: id });
  }

  /** Polls until the returned function is called. */
  watch(): () => void {
    this.#watchers += 1;
    void this.load();
    return () => {
      this.#watchers -= 1;
    };
  }

  async load(): Promise<void> {
    if (this.#closed) return;
    this.#request?.abort();
    const pending = new AbortController();
    this.#request = pending;
    this.#delay.stop();
    try {
      const notes = await this.#api.notes.list(this.#id, pending.signal);
      this.#notify({ notes, problem: null });
    } catch (error) {
      if (isAbort(error)) return;
      this.#notify({ problem: sentenceOf(error) });
    }
    if (this.#watchers > 0 && this.#request === pending)
      this.#delay.start(() => {
        if (this.#watchers > 0) void this.load();
      }, AGAIN_MS);
  }

  /** Raises what the service refuses. */
  async say(wish: NoteWish): Promise<Note> {
    const { key, ...note } = await this.#api.notes.create(this.#id, wish);
    if (wish.author) this.#store.setItem(AUTHOR, wish.author);
    this.#keep(withKey(this.#keys, note.id, key));
    this.#notify({ notes: [...(this.getSnapshot().notes ?? []), note], problem: null });
    void this.load();
    return note;
  }

  async change(note: Note, text: string): Promise<void> {
    await this.#api.notes.change(this.#id, note.id, text, this.#keys[note.id] ?? null);
    await this.load();
  }

  async remove(note: Note): Promise<void> {
    await this.#api.notes.delete(this.#id, note.id, this.#keys[note.id] ?? null);
    this.#keep(withoutKey(this.#keys, note.id));
    await this.load();
  }

  close(): void {
    this.#closed = true;
    this.#request?.abort();
    this.#delay.stop();
  }

  #keep(keys: NoteKeys): void {
    this.#keys = keys;
    this.#store.setItem(KEYS, JSON.stringify(keys));
  }

  #notify(change: Partial<NoteState>): void {
    if (!this.#closed) this.set({ ...this.getSnapshot(), ...change });
  }
}

// What people said about an analysis: conversations, where they are, and how that is said.

export interface Thread {
  readonly first: Note;
  readonly answers: readonly Note[];
}

/** Conversations in order of time; those without a time come first, the older ones before the newer. */
export function threads(notes: readonly Note[]): readonly Thread[] {
  const answers = new Map<string, Note[]>();
  for (const note of notes) {
    if (note.parent_id === null) continue;
    const parsed = answers.get(note.parent_id);
    if (parsed) parsed.push(note);
    else answers.set(note.parent_id, [note]);
  }
  const start = ({ first }: Thread) => (first.place?.from_ns ? BigInt(first.place.from_ns) : null);
  return notes
    .filter((note) => note.parent_id === null)
    .map((first) => ({ first, answers: answers.get(first.id) ?? [] }))
    .sort((a, b) => {
      const [from, to] = [start(a), start(b)];
      if (from === to) return a.first.created_at.localeCompare(b.first.created_at);
      return from === null ? -1 : to === null ? 1 : from < to ? -1 : 1;
    });
}

/** The interval of the trace that a place has, relative to its origin; null where it has none. */
export function placeSpan(place: NotePlace | null, origin: bigint): Span | null {
  if (!place?.from_ns || !place.to_ns) return null;
  return { from: toRel(origin, BigInt(place.from_ns)), to: toRel(origin, BigInt(place.to_ns)) };
}

/** `16.500 to 22.600 s, CPU 3, Node idle next to waiting`. */
export function placeText(place: NotePlace | null, findingWords: (key: string) => string): string {
  if (!place) return "the analysis";
  const { from_ns: from, to_ns: to, lane, finding } = place;
  const time =
    from && to
      ? from === to
        ? `${formatTime(BigInt(from), 6)}`
        : `${formatAbs(BigInt(from), 3)} to ${formatTime(BigInt(to), 3)}`
      : "";
  const parts = [time, lane ? laneText(lane) : "", finding ? findingWords(finding) : ""];
  return parts.filter((part) => part !== "").join(", ") || "the analysis";
}

function laneText(lane: string): string {
  const [kind, number] = lane.split(":");
  if (kind === "cpu") return `CPU ${number}`;
  if (kind === "node") return `node ${number}`;
  return lane;
}

/** Keys of notes that this browser wrote, the newest last. */
export type NoteKeys = Readonly<Record<string, string>>;

const MOST_KEYS = 300;

export function withKey(keys: NoteKeys, id: string, key: string): NoteKeys {
  return Object.fromEntries(
    [...Object.entries(keys).filter(([known]) => known !== id), [id, key]].slice(-MOST_KEYS),
  );
}

export function withoutKey(keys: NoteKeys, id: string): NoteKeys {
  return Object.fromEntries(Object.entries(keys).filter(([known]) => known !== id));
}

/** Contents of the browser's store; invalid entries are left out. */
export function parseKeys(text: string | null): NoteKeys {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text ?? "{}");
  } catch {
    return {};
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return {};
  const kept = Object.entries(parsed).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(kept.slice(-MOST_KEYS));
}
