/** The notes of an analysis: as the service has them, and by what this browser may change its own. */

import { isAbort, sentenceOf } from "../api/errors.ts";
import type { NotesApi } from "../api/routes/notes.ts";
import type { Api } from "../api/routes/service.ts";
import type { Note, NoteWish } from "../api/types.ts";
import { type NoteKeys, parseKeys, withKey, withoutKey } from "./note-threads.ts";

/** Others write too; while somebody looks, they are requested this often. */
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
type Store = Pick<Storage, "getItem" | "setItem">;

export class NoteSource {
  readonly #api: NoteService;
  readonly #id: string;
  readonly #store: Store;
  readonly #listeners = new Set<() => void>();
  #noteSource: NoteState = { notes: null, problem: null, pointed: null };
  #keys: NoteKeys;
  #request: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #watchers = 0;
  #closed = false;

  constructor(api: NoteService, id: string, store: Store) {
    this.#api = api;
    this.#id = id;
    this.#store = store;
    this.#keys = parseKeys(store.getItem(KEYS));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): NoteState => this.#noteSource;

  /** Whether their reader has only a link. */
  get guest(): boolean {
    return this.#api.token !== null;
  }

  /** The name under which this browser wrote last. */
  get author(): string {
    return this.#store.getItem(AUTHOR) ?? "";
  }

  /** Whether its reader wrote a note: signed in, or in this browser. */
  wrote(note: Note): boolean {
    return note.vouched ? note.yours : this.#keys[note.id] !== undefined;
  }

  /** Points at a conversation. */
  point(id: string | null): void {
    this.#notify({ ...this.#noteSource, pointed: id });
  }

  /** Looks again from time to time until the returned function is called. */
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
    this.#stop();
    try {
      const notes = await this.#api.notes.list(this.#id, pending.signal);
      this.#notify({ ...this.#noteSource, notes, problem: null });
    } catch (error) {
      if (isAbort(error)) return;
      this.#notify({ ...this.#noteSource, problem: sentenceOf(error) });
    }
    if (this.#watchers > 0 && this.#request === pending)
      this.#timer = setTimeout(() => {
        if (this.#watchers > 0) void this.load();
      }, AGAIN_MS);
  }

  /** Raises what the service refuses. */
  async say(wish: NoteWish): Promise<Note> {
    const { key, ...note } = await this.#api.notes.create(this.#id, wish);
    if (wish.author) this.#store.setItem(AUTHOR, wish.author);
    this.#keep(withKey(this.#keys, note.id, key));
    this.#notify({ ...this.#noteSource, notes: [...(this.#noteSource.notes ?? []), note], problem: null });
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
    this.#stop();
  }

  #keep(keys: NoteKeys): void {
    this.#keys = keys;
    this.#store.setItem(KEYS, JSON.stringify(keys));
  }

  #notify(state: NoteState): void {
    if (this.#closed) return;
    this.#noteSource = state;
    for (const listener of [...this.#listeners]) listener();
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
