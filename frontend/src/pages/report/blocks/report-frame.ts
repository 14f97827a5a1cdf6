/** What the views of a report share: the way to their analyses, where their links lead, and whether they are made for paper. */

import { createContext } from "react";
import type { Worlds } from "./report-world.ts";

export interface ReportFrame {
  readonly worlds: Worlds;
  /** The address of a view for this reader; null where they may not go. */
  readonly pathOf: (id: string, query: string) => string | null;
  /** null on the screen. */
  readonly queue: PrintQueue | null;
}

/** Of the page that is printed, inside its margins: 180 mm of A4 at 96 pixels an inch. */
export const PRINT_WIDTH = 680;
/** Device pixels per CSS pixel on paper: 288 an inch. */
export const PRINT_RATIO = 3;

/** Views are drawn for paper one or two at a time: each takes canvases many times the screen's. */
export class PrintQueue {
  #free = 2;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is a view's turn, with the way to give the place back. */
  async turn(): Promise<() => void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    };
  }
}

export const ReportContext = createContext<ReportFrame | null>(null);
