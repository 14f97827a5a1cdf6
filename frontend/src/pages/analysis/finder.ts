/** One field that finds everything that has a name: how entries are matched and ranked. */

export const ENTRY_KINDS = [
  "command",
  "tab",
  "mark",
  "finding",
  "node",
  "cpu",
  "group",
  "cgroup",
  "task",
  "term",
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface Entry {
  readonly kind: EntryKind;
  /** Names it among those of its kind. */
  readonly id: string;
  readonly name: string;
  /** Shown behind the name, and searched too. */
  readonly detail: string;
  readonly keys?: readonly string[];
}

export interface Prepared {
  readonly entry: Entry;
  readonly name: string;
  readonly detail: string;
  /** Words of the name and of the detail. */
  readonly words: readonly string[];
}

/** Lower case once, not at each key. */
export function prepare(entries: readonly Entry[]): readonly Prepared[] {
  return entries.map((entry) => {
    const name = entry.name.toLowerCase();
    const detail = entry.detail.toLowerCase();
    return { entry, name, detail, words: `${name} ${detail}`.split(/[\s·,()]+/) };
  });
}

const EXACT = 100;
const EXACT_WORD = 80;
const START = 60;
const WORD_START = 40;
const INSIDE = 20;
const IN_DETAIL = 8;
const LETTERS = 3;

/** How well a word of the question fits; 0 is not at all. */
function pointsOf({ name, detail, words, entry }: Prepared, word: string): number {
  if (name === word) return EXACT;
  if (words.includes(word)) return EXACT_WORD;
  if (name.startsWith(word)) return START;
  const at = name.indexOf(word);
  if (at > 0) return /[\p{L}\p{N}]/u.test(name[at - 1] ?? "") ? INSIDE : WORD_START;
  if (detail.includes(word)) return IN_DETAIL;
  // Commands are few: the first letters of their words are enough, as `fw` for fit the window.
  const loose = entry.kind === "command" || entry.kind === "tab";
  return loose && word.length > 1 && inOrder(name, word) ? LETTERS : 0;
}

/** Whether all letters come, in their order. */
function inOrder(text: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** The best first; every word must fit. Among equals the order they came in. Without a question: as they came. */
export function findEntries(prepared: readonly Prepared[], question: string, most: number): readonly Entry[] {
  const wanted = question
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const whole = wanted.join(" ");
  const found: { readonly entry: Entry; readonly score: number; readonly place: number }[] = [];
  for (const [place, each] of prepared.entries()) {
    let score = each.name === whole ? EXACT : each.name.startsWith(whole) ? START : 0;
    for (const word of wanted) {
      const points = pointsOf(each, word);
      score = points === 0 ? Number.NaN : score + points;
    }
    if (!Number.isNaN(score)) found.push({ entry: each.entry, score, place });
  }
  found.sort((a, b) => b.score - a.score || a.place - b.place);
  return found.slice(0, most).map(({ entry }) => entry);
}
