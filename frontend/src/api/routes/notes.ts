/** Notes about an analysis. */

import { Routes, take } from "../client.ts";
import type { CreatedNote, Note, NoteWish } from "../types.ts";

/** Carries the secret by which the author of a note changes it. */
const NOTE_HEADER = "X-NumaLens-Note";

export class NotesApi extends Routes {
  async list(id: string, signal?: AbortSignal): Promise<Note[]> {
    const lines = this.routes.GET("/api/v1/analyses/{analysis_id}/notes", {
      params: { path: { analysis_id: id } },
      ...(signal ? { signal } : {}),
    });
    return (await take(lines)).notes;
  }

  create(id: string, wish: NoteWish): Promise<CreatedNote> {
    return take(
      this.routes.POST("/api/v1/analyses/{analysis_id}/notes", {
        params: { path: { analysis_id: id } },
        body: wish,
      }),
    );
  }

  /** @param key the note's own secret; an owner needs none */
  change(id: string, noteId: string, text: string, key: string | null): Promise<Note> {
    return take(
      this.routes.PATCH("/api/v1/analyses/{analysis_id}/notes/{note_id}", {
        params: { path: { analysis_id: id, note_id: noteId }, header: { [NOTE_HEADER]: key } },
        body: { text },
      }),
    );
  }

  async delete(id: string, noteId: string, key: string | null): Promise<void> {
    await take(
      this.routes.DELETE("/api/v1/analyses/{analysis_id}/notes/{note_id}", {
        params: { path: { analysis_id: id, note_id: noteId }, header: { [NOTE_HEADER]: key } },
      }),
    );
  }
}
