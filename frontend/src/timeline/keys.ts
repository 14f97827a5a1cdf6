/** Meaning of keys. One table serves the handler and the key sheet, so that they cannot disagree. */

const ROWS = [
  { command: "zoom-in", keys: ["W", "↑"], does: "zoom in at the pointer" },
  { command: "zoom-out", keys: ["S", "↓"], does: "zoom out" },
  { command: "pan-left", keys: ["A", "←"], does: "earlier" },
  { command: "pan-right", keys: ["D", "→"], does: "later" },
  {
    command: "fit-selection",
    keys: ["f"],
    does: "fit the selection; again, or without one: the common window",
  },
  { command: "fit-all", keys: ["Shift f"], does: "fit the whole trace" },
  { command: "undo-zoom", keys: ["z", "Ctrl z"], does: "undo the last zoom or move" },
  { command: "redo-zoom", keys: ["Shift z", "Ctrl Shift z"], does: "redo the zoom or move that was undone" },
  { command: "next", keys: ["."], does: "next slice of the same task, on any CPU" },
  { command: "previous", keys: [","], does: "previous slice of the same task" },
  { command: "next-occurrence", keys: ["]"], does: "next occurrence of the finding, then the next finding" },
  { command: "previous-occurrence", keys: ["["], does: "previous occurrence" },
  { command: "next-finding", keys: ["}"], does: "next finding, at its worst" },
  { command: "previous-finding", keys: ["{"], does: "previous finding" },
  { command: "evidence", keys: ["e"], does: "evidence of the occurrence: its waits, attempts or kicks" },
  {
    command: "critical-path",
    keys: ["c"],
    does: "toggle the critical path of the selected wait or sleep",
  },
  { command: "mark", keys: ["m"], does: "mark the time under the pointer, or the middle of the window" },
  {
    command: "commit",
    keys: ["Enter"],
    does: "restrict everything to the visible window (repeat to narrow further)",
  },
  {
    command: "select",
    keys: ["v"],
    does: "select the slice, the wait or the window as a range: sums by state, cause, task, CPU, node",
  },
  {
    command: "search",
    keys: ["/"],
    does: "find a task, CPU, node, group, cgroup, finding, mark or word",
  },
  { command: "palette", keys: ["Ctrl k", "⌘ k"], does: "every command by name" },
  {
    command: "navigator",
    keys: ["n"],
    does: "toggle the list of threads: find one, pin it as a lane",
  },
  { command: "drawer", keys: ["q"], does: "show or hide the drawer" },
  { command: "share", keys: ["l"], does: "share a link to this view" },
  { command: "picture", keys: ["p"], does: "save a picture of what is shown (PNG, SVG)" },
  { command: "report", keys: ["r"], does: "reports: read, start one, put this view into one" },
  { command: "theme", keys: ["t"], does: "light or dark" },
  { command: "escape", keys: ["Esc"], does: "close what is open, drop the selection, leave the range" },
  { command: "sheet", keys: ["?"], does: "this sheet" },
  // Without a key: the palette has it.
  { command: "tour", keys: [], does: "take the tour: from the verdict to the raw event" },
] as const satisfies readonly { command: string; keys: readonly string[]; does: string }[];

export type Command = (typeof ROWS)[number]["command"];

/** Commands that last as long as the key is down. */
export const HELD: ReadonlySet<Command> = new Set(["pan-left", "pan-right", "zoom-in", "zoom-out"]);

export interface KeyRow {
  readonly command: Command;
  readonly keys: readonly string[];
  readonly does: string;
}

export const KEY_ROWS: readonly KeyRow[] = ROWS;

export const POINTER_ROWS: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: "wheel", does: "zoom at the pointer (with Ctrl too, as a pinch sends it)" },
  { keys: "Shift wheel, sideways wheel", does: "earlier, later" },
  { keys: "wheel over the names", does: "scroll the lanes" },
  { keys: "drag", does: "move in time; up and down scrolls" },
  {
    keys: "Shift drag",
    does: "select a time range: totals cover it; f fits, Enter zooms, Esc clears",
  },
  { keys: "click", does: "select a slice" },
  {
    keys: "right click, Shift F10",
    does: "menu of a slice, a mark, a lane or a row: copy, filter, pin, zoom, link",
  },
  { keys: "double click", does: "zoom to a slice; on a node: show its CPUs" },
];

export interface KeyPress {
  readonly key: string;
  /** Physical key, so that WASD is one hand's place on every keyboard layout. */
  readonly code: string;
  readonly shift: boolean;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly meta: boolean;
}

const BY_CODE: Readonly<Record<string, Command>> = {
  KeyW: "zoom-in",
  KeyS: "zoom-out",
  KeyA: "pan-left",
  KeyD: "pan-right",
  ArrowUp: "zoom-in",
  ArrowDown: "zoom-out",
  ArrowLeft: "pan-left",
  ArrowRight: "pan-right",
};

const BY_KEY: Readonly<Record<string, Command>> = {
  f: "fit-selection",
  F: "fit-all",
  z: "undo-zoom",
  Z: "redo-zoom",
  ".": "next",
  ",": "previous",
  "]": "next-occurrence",
  "[": "previous-occurrence",
  "}": "next-finding",
  "{": "previous-finding",
  Escape: "escape",
  "?": "sheet",
  "/": "search",
  q: "drawer",
  l: "share",
  t: "theme",
  m: "mark",
  e: "evidence",
  c: "critical-path",
  n: "navigator",
  v: "select",
  p: "picture",
  r: "report",
  Enter: "commit",
};

/** Signs that many layouts have only behind AltGr (Windows sends it as Ctrl with Alt) or Option. */
const BEHIND_ALT: ReadonlySet<string> = new Set(["[", "]", "{", "}"]);

/** With Ctrl, or ⌘; all other chords belong to the browser. */
const CHORDS: Readonly<Record<string, Command>> = { k: "palette", z: "undo-zoom", Z: "redo-zoom" };

/** Returns the command of a key press, or null. */
export function commandOf(press: KeyPress): Command | null {
  if (press.ctrl !== press.meta && !press.alt) {
    const letter = press.key.toLowerCase();
    return CHORDS[press.shift ? letter.toUpperCase() : letter] ?? null;
  }
  const typed = press.alt && !press.meta && BEHIND_ALT.has(press.key);
  if (!typed && (press.ctrl || press.alt || press.meta)) return null;
  const byKey = BY_KEY[press.key];
  // Signs mean what they show; letters of the WASD hand go by place, so neither steals from the other.
  if (byKey && !/^\p{L}$/u.test(press.key)) return byKey;
  return (press.shift ? undefined : BY_CODE[press.code]) ?? byKey ?? null;
}
