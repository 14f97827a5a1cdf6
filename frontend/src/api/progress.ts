/** Live progress of an analysis by server-sent events, kept up over restarts of the server. */

import type { ProgressEvent } from "./types.ts";

export interface ProgressHandlers {
  readonly progress: (event: ProgressEvent) => void;
  /** The analysis is ready or failed (ask the service which); nothing more will come. */
  readonly done: (ready: boolean) => void;
}

/** The browser itself reconnects after a break, but not after an answer such as 502. */
const REOPEN_MS = 2000;

/** Follows one analysis; returns the way to stop. */
export function followProgress(id: string, handlers: ProgressHandlers): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const open = () => {
    const stream = new EventSource(`/api/v1/analyses/${encodeURIComponent(id)}/progress`);
    source = stream;
    stream.addEventListener("progress", (event) => {
      const step = parse(event);
      if (step) handlers.progress(step);
    });
    const finish = (ready: boolean) => {
      stream.close();
      handlers.done(ready);
    };
    stream.addEventListener("ready", () => finish(true));
    stream.addEventListener("failed", () => finish(false));
    stream.addEventListener("error", () => {
      if (stream.readyState === EventSource.CLOSED) timer = setTimeout(open, REOPEN_MS);
    });
  };
  open();
  return () => {
    source?.close();
    if (timer !== null) clearTimeout(timer);
  };
}

function parse(event: Event): ProgressEvent | null {
  try {
    return JSON.parse((event as MessageEvent<string>).data) as ProgressEvent;
  } catch {
    return null;
  }
}
