/** Makes a report ready to be printed: every view drawn, in light colours, before the browser prints. */

import { type RefObject, useEffect, useState } from "react";
import { holdTheme } from "../../ui/canvas/theme.ts";
import { PrintQueue } from "./blocks/report-frame.ts";

export interface Printing {
  /** null on the screen. */
  readonly queue: PrintQueue | null;
  readonly drawn: number;
  readonly views: number;
  /** All of them are drawn. */
  readonly ready: boolean;
  readonly start: () => void;
  readonly end: () => void;
}

const LOOK_MS = 120;
const AT_SCREEN = { drawn: 0, views: 0, ready: false };

/** @param sheet where the views are */
export function usePrint(sheet: RefObject<HTMLElement | null>): Printing {
  const [queue, setQueue] = useState<PrintQueue | null>(null);
  const [state, setState] = useState(AT_SCREEN);
  useEffect(() => {
    if (!queue) return undefined;
    holdTheme("light");
    const timer = setInterval(() => {
      const views = [...(sheet.current?.querySelectorAll<HTMLElement>(".live-view") ?? [])];
      const drawn = views.filter((view) => view.dataset["drawn"] === "true").length;
      const ready = sheet.current !== null && drawn === views.length;
      setState({ drawn, views: views.length, ready });
      if (!ready) return;
      clearInterval(timer);
      // What says so is on the page before the browser's own dialog holds everything up.
      setTimeout(() => window.print(), LOOK_MS);
    }, LOOK_MS);
    return () => {
      clearInterval(timer);
      holdTheme(null);
      setState(AT_SCREEN);
    };
  }, [queue, sheet]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "p" || queue) return;
      // The browser would print what happens to be drawn.
      event.preventDefault();
      setQueue(new PrintQueue());
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [queue]);
  return {
    queue,
    ...state,
    start: () => setQueue(new PrintQueue()),
    end: () => setQueue(null),
  };
}
