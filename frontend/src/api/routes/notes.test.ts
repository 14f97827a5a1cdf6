import { afterEach, expect, it, vi } from "vitest";
import { recordingClient } from "../../../test-support/recorded-requests.ts";
import { NotesApi } from "./notes.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("lists, writes, changes and removes notes, by their own secret in a header", async () => {
  const { client, requests, lines } = recordingClient({ notes: [{ id: "n" }] });
  const notes = new NotesApi(client);
  expect(await notes.list("a")).toEqual([{ id: "n" }]);
  await notes.create("a", { text: "Look." } as never);
  await notes.change("a", "n", "Here.", "secret");
  await notes.delete("a", "n", "secret");
  await notes.delete("a", "n", null);
  expect(lines()).toEqual([
    "GET /api/v1/analyses/a/notes",
    "POST /api/v1/analyses/a/notes",
    "PATCH /api/v1/analyses/a/notes/n",
    "DELETE /api/v1/analyses/a/notes/n",
    "DELETE /api/v1/analyses/a/notes/n",
  ]);
  expect(requests.map(({ headers }) => headers.get("X-NumaLens-Note"))).toEqual([
    null,
    null,
    "secret",
    "secret",
    null,
  ]);
  expect(requests[2]?.body).toEqual({ text: "Here." });
});
