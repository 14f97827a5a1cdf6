/** What people said about an analysis: conversations, where they stand, and how that is said. */

import type { Note, NotePlace } from "../api/types.ts";
import { formatAbs } from "../lib/format.ts";
import { type Span, toRel } from "../lib/time.ts";

export interface Thread {
  readonly first: Note;
  readonly answers: readonly Note[];
}

/** Conversations as they stand in time; those about no time come first, the older ones before the newer. */
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
        ? `${formatAbs(BigInt(from), 6)} s`
        : `${formatAbs(BigInt(from), 3)} to ${formatAbs(BigInt(to), 3)} s`
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

/** What the browser's store has; whatever is no such thing is left out. */
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
