import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../api/client.ts";
import type { CreatedNote, Note } from "../api/types.ts";
import { NoteSource, parseKeys, placeSpan, placeText, threads, withKey, withoutKey } from "./note-source.ts";

const note = (id: string, text = "Look."): Note => ({
  id,
  parent_id: null,
  author: "Ada",
  text,
  place: null,
  by_owner: false,
  vouched: false,
  yours: false,
  created_at: "2026-01-01T00:00:00Z",
  changed_at: null,
});

const wish = { author: "Ada", text: "Look.", place: null, parent_id: null };

function made(token: string | null) {
  const stored = new Map<string, string>();
  const store = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  };
  const api = {
    token,
    notes: {
      list: vi.fn(async () => [note("a")]),
      create: vi.fn(async (): Promise<CreatedNote> => ({ ...note("b"), key: "secret" })),
      change: vi.fn(async () => note("b", "Here.")),
      delete: vi.fn(async () => {}),
    },
  };
  return { api, store, state: new NoteSource(api, "x", store) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("TalkSource", () => {
  it("looks again while somebody watches, and not after", async () => {
    const { api, state } = made(null);
    await state.load();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(api.notes.list).toHaveBeenCalledTimes(1);
    const end = state.watch();
    await vi.advanceTimersByTimeAsync(31_000);
    expect(api.notes.list).toHaveBeenCalledTimes(4);
    end();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(api.notes.list).toHaveBeenCalledTimes(4);
  });

  it("keeps the secret of its own notes, also for the next visit, and no other's", async () => {
    const { api, store, state } = made("token");
    await state.load();
    await state.say(wish);
    expect(state.wrote(note("b"))).toBe(true);
    expect(state.wrote(note("a"))).toBe(false);
    const later = new NoteSource(api, "x", store);
    expect(later.author).toBe("Ada");
    await later.change(note("b"), "Here.");
    expect(api.notes.change).toHaveBeenCalledWith("x", "b", "Here.", "secret");
    await later.remove(note("b"));
    expect(api.notes.delete).toHaveBeenCalledWith("x", "b", "secret");
    expect(later.wrote(note("b"))).toBe(false);
  });

  it("keeps what it has when an answer fails, and passes on what a writer is refused", async () => {
    const { api, state } = made(null);
    await state.load();
    api.notes.list.mockRejectedValueOnce(new ApiError("No.", 500));
    await state.load();
    expect(state.getSnapshot()).toMatchObject({ notes: [note("a")], problem: "No." });
    api.notes.create.mockRejectedValueOnce(new ApiError("Not here.", 403));
    await expect(state.say(wish)).rejects.toThrow("Not here.");
    expect(state.getSnapshot().notes).toEqual([note("a")]);
    // An owner may change it all the same, which the page knows of the analysis.
    expect(state.wrote(note("a"))).toBe(false);
  });

  it("goes by the person where one was signed in, not by the browser", async () => {
    const { state } = made(null);
    await state.say({ ...wish, author: null });
    expect(state.author).toBe("");
    expect(state.wrote({ ...note("b"), vouched: true, yours: false })).toBe(false);
    expect(state.wrote({ ...note("c"), vouched: true, yours: true })).toBe(true);
  });
});

describe("note threads", () => {
  const note = (id: string, more: Partial<Note> = {}): Note => ({
    id,
    parent_id: null,
    author: "Ada",
    text: "Look.",
    place: null,
    by_owner: true,
    vouched: false,
    yours: false,
    created_at: `2026-01-01T00:00:0${id.length}Z`,
    changed_at: null,
    ...more,
  });
  const at = (from: string, to = from) => ({ from_ns: from, to_ns: to, lane: null, finding: null });

  describe("threads", () => {
    it("stand in time, those about no time first, answers with what they answer", () => {
      const made = threads([
        note("late", { place: at("2000000000") }),
        note("a", { parent_id: "late" }),
        note("early", { place: at("900000000") }),
        note("whole"),
        note("bb", { parent_id: "late" }),
        note("lost", { parent_id: "gone" }),
      ]);
      expect(made.map(({ first, answers }) => [first.id, answers.map(({ id }) => id)])).toEqual([
        ["whole", []],
        ["early", []],
        ["late", ["a", "bb"]],
      ]);
    });
  });

  describe("places", () => {
    const finding = (key: string) => `finding ${key}`;
    it("are said in words", () => {
      expect(placeText(null, finding)).toBe("the analysis");
      expect(placeText(at("16500000000", "22600000000"), finding)).toBe("16.500 to 22.600 s");
      expect(placeText({ ...at("16500000123"), lane: "cpu:3", finding: "X@1" }, finding)).toBe(
        "16.500000 s, CPU 3, finding X@1",
      );
      expect(placeText({ from_ns: null, to_ns: null, lane: "node:1", finding: null }, finding)).toBe(
        "node 1",
      );
    });

    it("have a stretch where they have times", () => {
      expect(placeSpan(at("1500", "2500"), 1000n)).toEqual({ from: 500, to: 1500 });
      expect(placeSpan({ from_ns: null, to_ns: null, lane: "cpu:1", finding: null }, 0n)).toBeNull();
      expect(placeSpan(null, 0n)).toBeNull();
    });
  });

  describe("keys of notes", () => {
    it("are kept, the oldest forgotten first", () => {
      let keys = {};
      for (let n = 0; n < 310; n += 1) keys = withKey(keys, `n${n}`, "k");
      expect(Object.keys(keys)).toHaveLength(300);
      expect(Object.keys(keys)[0]).toBe("n10");
      expect(withoutKey({ a: "1", b: "2" }, "a")).toEqual({ b: "2" });
      expect(parseKeys(JSON.stringify(keys))).toEqual(keys);
    });

    it.each([null, "", "[1]", "nonsense", '{"a":1}', "null"])("take nothing from %s", (text) => {
      expect(parseKeys(text)).toEqual({});
    });
  });
});
