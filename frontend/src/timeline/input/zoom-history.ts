/** Windows that were shown, so that a zoom or a move can be undone and redone. */

import type { Span } from "../../lib/time.ts";

/** A window with the committed ranges around it, the outermost first. */
export interface ShownWindow {
  readonly span: Span;
  readonly ranges: readonly Span[];
}

/** Steps that are kept. */
const MOST = 100;

export class ZoomHistory {
  #past: ShownWindow[] = [];
  #future: ShownWindow[] = [];
  #present: ShownWindow;

  constructor(present: ShownWindow) {
    this.#present = present;
  }

  /** Adds the window at the end of a move, unless it is the present one. */
  note(shown: ShownWindow): void {
    if (isSame(shown, this.#present)) return;
    this.#past = [...this.#past, this.#present].slice(-MOST);
    this.#future = [];
    this.#present = shown;
  }

  /** Returns the window before the present one; null when there is none. */
  undo(): ShownWindow | null {
    const before = this.#past.pop();
    if (!before) return null;
    this.#future.push(this.#present);
    this.#present = before;
    return before;
  }

  /** Returns the window that was undone last; null when there is none. */
  redo(): ShownWindow | null {
    const after = this.#future.pop();
    if (!after) return null;
    this.#past.push(this.#present);
    this.#present = after;
    return after;
  }
}

function isSame(a: ShownWindow, b: ShownWindow): boolean {
  return isSameSpan(a.span, b.span) && a.ranges.length === b.ranges.length && a.ranges.every(isInner(b));
}

function isInner({ ranges }: ShownWindow) {
  return (range: Span, place: number) => {
    const other = ranges[place];
    return other !== undefined && isSameSpan(range, other);
  };
}

/** Returns whether two spans differ by less than 1 ns: links have whole ns. */
function isSameSpan(a: Span, b: Span): boolean {
  return Math.abs(a.from - b.from) < 1 && Math.abs(a.to - b.to) < 1;
}
