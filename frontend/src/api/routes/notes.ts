/** Notes about an analysis. */

import { of, Routes, take } from "../client.ts";
import type { CreatedNote, Note, NoteWish } from "../types.ts";

/** Carries the secret by which the author of a note changes it. */
const NOTE_HEADER = "X-NumaLens-Note";

const NOTES = "/api/v1/analyses/{analysis_id}/notes";
const ONE_NOTE = `${NOTES}/{note_id}` as const;

export class NotesApi extends Routes {
  async list(id: string, signal?: AbortSignal): Promise<Note[]> {
    return (await take(this.routes.GET(NOTES, { ...of(id), signal: signal ?? null }))).notes;
  }

  create(id: string, wish: NoteWish): Promise<CreatedNote> {
    return take(this.routes.POST(NOTES, { ...of(id), body: wish }));
  }

  /** @param key the note's own secret; an owner needs none */
  change(id: string, noteId: string, text: string, key: string | null): Promise<Note> {
    const headers = { [NOTE_HEADER]: key };
    return take(this.routes.PATCH(ONE_NOTE, { ...of(id, { note_id: noteId }), headers, body: { text } }));
  }

  async delete(id: string, noteId: string, key: string | null): Promise<void> {
    const headers = { [NOTE_HEADER]: key };
    await take(this.routes.DELETE(ONE_NOTE, { ...of(id, { note_id: noteId }), headers }));
  }
}
