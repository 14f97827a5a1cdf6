/** A list or a row of buttons is one stop of the Tab key: arrows, Home and End move the focus inside it. */

const ITEMS = "a[href], button:not(:disabled)";
/** An open menu inside a group has keys of its own. */
const APART = "[role=menu]";
/** The item that Tab reaches first. */
const CHOSEN = "[aria-current], [aria-pressed=true], [aria-selected=true]";

/** Distance of the middles of items on one line, CSS pixels. */
const SAME_LINE = 6;

type Way = "left" | "right" | "up" | "down" | "first" | "last";

const WAYS: Readonly<Record<string, Way>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
  Home: "first",
  End: "last",
};

/**
 * Place that a key moves to. Up and down skip the other items of a row; rows are numbers that grow.
 * @param rows the row of each item
 */
export function placeAfter(way: Way, at: number, rows: readonly number[]): number {
  const last = rows.length - 1;
  const row = rows[at] ?? 0;
  switch (way) {
    case "first":
      return 0;
    case "last":
      return last;
    case "left":
      return Math.max(0, at - 1);
    case "right":
      return Math.min(last, at + 1);
    case "down": {
      const next = rows.findIndex((each) => each > row);
      return next < 0 ? at : next;
    }
    default: {
      const before = rows.findLast((each) => each < row);
      return before === undefined ? at : rows.indexOf(before);
    }
  }
}

/** Makes an element's links and buttons one stop of the Tab key: a `ref`. */
export function oneStop(group: HTMLElement | null): (() => void) | undefined {
  if (group === null) return undefined;
  let current: HTMLElement | null = null;
  // Once the focus was on it; until then items that come later may be first.
  let visited = false;
  const items = () =>
    [...group.querySelectorAll<HTMLElement>(ITEMS)].filter((item) => item.closest(APART) === null);
  const settle = () => {
    const all = items();
    if (!visited || current === null || !all.includes(current))
      current = all.find((item) => item.matches(CHOSEN)) ?? all[0] ?? null;
    for (const item of all) {
      const index = item === current ? 0 : -1;
      if (item.tabIndex !== index) item.tabIndex = index;
    }
  };
  const stop = new AbortController();
  const { signal } = stop;
  group.addEventListener(
    "focusin",
    ({ target }) => {
      const item = target instanceof Element ? target.closest<HTMLElement>(ITEMS) : null;
      if (item === null || item.closest(APART) !== null) return;
      visited = true;
      if (item === current) return;
      current = item;
      settle();
    },
    { signal },
  );
  group.addEventListener(
    "keydown",
    (event) => {
      const way = WAYS[event.key];
      if (!way || event.ctrlKey || event.altKey || event.metaKey || !(event.target instanceof HTMLElement))
        return;
      const seen = asSeen(items());
      const at = seen.findIndex(({ item }) => item === event.target);
      if (at < 0) return;
      event.preventDefault();
      event.stopPropagation();
      const rows = seen.map(({ row }) => row);
      seen[placeAfter(way, at, rows)]?.item.focus();
    },
    { signal },
  );
  const observer = new MutationObserver(settle);
  observer.observe(group, { childList: true, subtree: true, attributeFilter: ["disabled", "href"] });
  group.dataset["oneStop"] = "";
  settle();
  return () => {
    stop.abort();
    observer.disconnect();
  };
}

/** Items in the order in which they are seen, line by line. */
function asSeen(items: readonly HTMLElement[]): { readonly item: HTMLElement; readonly row: number }[] {
  const placed = items
    .map((item) => ({ item, box: item.getBoundingClientRect() }))
    .map(({ item, box }) => ({ item, left: box.left, middle: (box.top + box.bottom) / 2 }))
    .sort((a, b) => a.middle - b.middle);
  let row = -1;
  let line = Number.NEGATIVE_INFINITY;
  return placed
    .map(({ item, left, middle }) => {
      if (middle - line > SAME_LINE) {
        row += 1;
        line = middle;
      }
      return { item, left, row };
    })
    .sort((a, b) => a.row - b.row || a.left - b.left);
}
