/** The notes of an analysis: as the service has them, and by what this browser may change its own. */

import { isAbort, sentenceOf } from "../api/errors.ts";
import type { NotesApi } from "../api/routes/notes.ts";
import type { Api } from "../api/routes/service.ts";
import type { Note, NoteWish } from "../api/types.ts";
import { type NoteKeys, parseKeys, withKey, withoutKey } from "./note-threads.ts";

/** Others write too; while somebody looks, they are asked for this often. */
const AGAIN_MS = 15_000;
const KEYS = "numalens.note-keys";
const AUTHOR = "numalens.note-author";

export interface Talk {
  /** null until the first answer. */
  readonly notes: readonly Note[] | null;
  readonly problem: string | null;
  /** A conversation that the reader asked to see, from elsewhere than the list. */
  readonly pointed: string | null;
}

interface TalkApi extends Pick<Api, "token"> {
  readonly notes: Pick<NotesApi, "list" | "create" | "change" | "delete">;
}
type Store = Pick<Storage, "getItem" | "setItem">;

export class TalkSource {
  readonly #api: TalkApi;
  readonly #id: string;
  readonly #store: Store;
  readonly #listeners = new Set<() => void>();
  #talk: Talk = { notes: null, problem: null, pointed: null };
  #keys: NoteKeys;
  #asking: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #watchers = 0;
  #closed = false;

  constructor(api: TalkApi, id: string, store: Store) {
    this.#api = api;
    this.#id = id;
    this.#store = store;
    this.#keys = parseKeys(store.getItem(KEYS));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): Talk => this.#talk;

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
    this.#tell({ ...this.#talk, pointed: id });
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
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.#stop();
    try {
      const notes = await this.#api.notes.list(this.#id, asking.signal);
      this.#tell({ ...this.#talk, notes, problem: null });
    } catch (error) {
      if (isAbort(error)) return;
      this.#tell({ ...this.#talk, problem: sentenceOf(error) });
    }
    if (this.#watchers > 0 && this.#asking === asking)
      this.#timer = setTimeout(() => {
        if (this.#watchers > 0) void this.load();
      }, AGAIN_MS);
  }

  /** Raises what the service refuses. */
  async say(wish: NoteWish): Promise<Note> {
    const { key, ...note } = await this.#api.notes.create(this.#id, wish);
    if (wish.author) this.#store.setItem(AUTHOR, wish.author);
    this.#keep(withKey(this.#keys, note.id, key));
    this.#tell({ ...this.#talk, notes: [...(this.#talk.notes ?? []), note], problem: null });
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
    this.#asking?.abort();
    this.#stop();
  }

  #keep(keys: NoteKeys): void {
    this.#keys = keys;
    this.#store.setItem(KEYS, JSON.stringify(keys));
  }

  #tell(talk: Talk): void {
    if (this.#closed) return;
    this.#talk = talk;
    for (const listener of [...this.#listeners]) listener();
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
