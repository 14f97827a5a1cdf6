/**
 * Perfetto's own page in a window of its own, served by this very origin. It is pinged until it answers, is given the trace as
 * bytes, and is then sent the interval to show. Nothing goes through an address: the share token is in a header only.
 */

import { ApiError, isAbort, sentenceOf } from "../api/client.ts";
import type { DownloadsApi } from "../api/routes/downloads.ts";
import type { TimeWindow } from "../api/types.ts";
import { formatBytes, formatCount } from "../lib/format.ts";
import { Store } from "../lib/store.ts";

/** A page in the address' hash: without one this build looks for a trace on another port. */
export const UI_PAGE = "/perfetto/ui/";
export const UI_ADDRESS = `${UI_PAGE}#!/viewer`;
const PING_MS = 50;
const LOOK_MS = 200;
/** The page compiles its trace processor first; longer than this it takes nowhere. */
const ANSWER_MS = 60_000;
/** Space next to the interval: its share of what Perfetto shows. */
const SHARE = 0.9;

/** Perfetto's window, as far as it is known here. */
export interface UiWindow {
  readonly closed: boolean;
  readonly close: () => void;
  readonly postMessage: (message: unknown, origin: string, transfer?: Transferable[]) => void;
  readonly document?: { title: string };
  /** Perfetto's own application, where it has begun. */
  readonly app?: { readonly trace?: unknown; readonly isLoadingTrace?: boolean };
}

/** Functions of the browser. */
export interface UiHost {
  readonly origin: string;
  readonly open: (address: string) => UiWindow | null;
  /** Passes on every message of that window until the signal. */
  readonly listen: (from: UiWindow, ponged: (data: unknown) => void, signal: AbortSignal) => void;
}

export interface OpenRequest {
  readonly part: TracePart;
  /** Window for Perfetto; null is the whole. */
  readonly window: TimeWindow | null;
  /** Initial view. */
  readonly view: TimeWindow;
  readonly title: string;
}

type TraceDownloads = Pick<DownloadsApi, "open" | "trace">;

export class PerfettoUi extends Store<PerfettoState> {
  readonly #downloads: TraceDownloads;
  readonly #id: string;
  readonly #host: UiHost;
  #stop = new AbortController();

  constructor(downloads: TraceDownloads, id: string, host: UiHost = browserHost()) {
    super({ kind: "idle" });
    this.#downloads = downloads;
    this.#id = id;
    this.#host = host;
  }

  /** Must be called from a click or key press: otherwise browsers open no window. */
  async open(request: OpenRequest): Promise<void> {
    this.#stop.abort();
    const stop = new AbortController();
    this.#stop = stop;
    const ui = this.#host.open(UI_ADDRESS);
    if (!ui) {
      this.set({ kind: "failed", sentence: BLOCKED });
      return;
    }
    try {
      await this.#bring(ui, request, stop);
    } catch (error) {
      if (this.#stop !== stop || (isAbort(error) && !ui.closed)) return;
      this.set({ kind: "failed", sentence: ui.closed ? CLOSED : sentenceOf(error) });
      // There is nothing in it.
      ui.close();
    } finally {
      stop.abort();
    }
  }

  dismiss(): void {
    this.#stop.abort();
    this.set({ kind: "idle" });
  }

  close(): void {
    this.#stop.abort();
    this.clear();
  }

  async #bring(ui: UiWindow, { part, window, view, title }: OpenRequest, stop: AbortController) {
    const { signal } = stop;
    const watch = setInterval(() => ui.closed && stop.abort(), LOOK_MS);
    signal.addEventListener("abort", () => clearInterval(watch));
    const say = (state: PerfettoState) => {
      this.set(state);
      // The reader looks at the other window in the meantime.
      if (state.kind === "preparing" && ui.document) ui.document.title = perfettoSentence(state);
    };
    say({ kind: "preparing", part, bytes: 0 });
    // Its page says in one sentence when it is not there; a window with an unread message would say nothing.
    const answered = this.#downloads.open(UI_PAGE, signal).then(() => this.#answer(ui, signal));
    answered.catch(() => stop.abort());
    const buffer = await this.#trace(window, signal, (bytes) =>
      say({ kind: "preparing", part, bytes }),
    ).catch(async (error: unknown) => {
      // What stopped it is what is shown.
      if (isAbort(error)) await answered;
      throw error;
    });
    const bytes = buffer.byteLength;
    say({ kind: "starting", part, bytes });
    await answered;
    say({ kind: "reading", part, bytes });
    const perfetto = { buffer, title, fileName: "trace.pftrace", localOnly: true, keepApiOpen: true };
    ui.postMessage({ perfetto }, this.#host.origin, [buffer]);
    await until(() => ui.app?.trace !== undefined && ui.app.isLoadingTrace === false, LOOK_MS, signal);
    const interval = { timeStart: Number(view.from) / 1e9, timeEnd: Number(view.to) / 1e9 };
    ui.postMessage({ perfetto: { ...interval, viewPercentage: SHARE } }, this.#host.origin);
    say({ kind: "shown", part });
  }

  /** Asks until the page has begun. */
  async #answer(ui: UiWindow, signal: AbortSignal): Promise<void> {
    let here = false;
    const done = new AbortController();
    const either = AbortSignal.any([signal, done.signal]);
    this.#host.listen(ui, (data) => (here ||= data === "PONG"), either);
    const end = Date.now() + ANSWER_MS;
    try {
      await until(
        () => {
          if (here) return true;
          if (Date.now() > end) throw new ApiError(SILENT, 0);
          ui.postMessage("PING", this.#host.origin);
          return false;
        },
        PING_MS,
        signal,
      );
    } finally {
      done.abort();
    }
  }

  /** The trace, with its received size for every piece. */
  async #trace(
    window: TimeWindow | null,
    signal: AbortSignal,
    sent: (bytes: number) => void,
  ): Promise<ArrayBuffer> {
    const response = await this.#downloads.open(this.#downloads.trace(this.#id, window), signal);
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    const reader = response.body?.getReader();
    for (;;) {
      const piece = await reader?.read();
      if (!piece || piece.done) break;
      pieces.push(piece.value);
      bytes += piece.value.byteLength;
      sent(bytes);
    }
    return new Blob(pieces).arrayBuffer();
  }
}

/** Repeats a check until it succeeds; throws its errors, and when it is stopped. */
function until(isSo: () => boolean, every: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearInterval(timer);
      reject(signal.reason);
    };
    const look = () => {
      try {
        if (!isSo()) return;
        resolve();
      } catch (error) {
        reject(error);
      }
      clearInterval(timer);
      signal.removeEventListener("abort", end);
    };
    const timer = setInterval(look, every);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });
}

function browserHost(): UiHost {
  return {
    origin: window.location.origin,
    open: (address) => window.open(address, "_blank") as unknown as UiWindow | null,
    listen: (from, ponged, signal) =>
      window.addEventListener(
        "message",
        ({ source, origin, data }) => {
          if ((source as unknown) === from && origin === window.location.origin) ponged(data);
        },
        { signal },
      ),
  };
}

// Opening an analysis in Perfetto's own page: how much of it, how far that is, and what is said of it.

/** Part of the recording for Perfetto. */
export type TracePart = "whole" | "window";

export type PerfettoState =
  | { readonly kind: "idle" }
  /** The service writes the trace; so many bytes are here. */
  | { readonly kind: "preparing"; readonly part: TracePart; readonly bytes: number }
  /** The trace is here, Perfetto's page is not yet. */
  | { readonly kind: "starting"; readonly part: TracePart; readonly bytes: number }
  /** Perfetto has the trace and reads it. */
  | { readonly kind: "reading"; readonly part: TracePart; readonly bytes: number }
  | { readonly kind: "shown"; readonly part: TracePart }
  | { readonly kind: "failed"; readonly sentence: string };

/** Some 50 bytes are written for an event and some 135 kept by Perfetto: this many are 100 MB, which a browser opens within half a minute. */
export const MOST_WHOLE = 2_000_000;

/** Default part. */
export function usualPart(events: number): TracePart {
  return events <= MOST_WHOLE ? "whole" : "window";
}

/** Reason for the part, in one sentence. */
export function whyPart(events: number): string {
  return usualPart(events) === "whole"
    ? `The whole recording opens: its ${formatCount(events)} events are few enough for a browser.`
    : `Only this window opens: the recording has ${formatCount(events)} events, and more than ${formatCount(MOST_WHOLE)} take a browser much time and memory.`;
}

export const BLOCKED = "The browser blocked the new window: allow pop-ups for this address, then try again.";
export const CLOSED = "The Perfetto window was closed before the trace was loaded.";
export const SILENT = "The Perfetto window did not answer and was closed. Try again.";

export function otherPart(part: TracePart): TracePart {
  return part === "whole" ? "window" : "whole";
}

export const PART_WORDS: Readonly<Record<TracePart, string>> = {
  whole: "the whole recording",
  window: "this window",
};

/** One sentence about the state; empty without news. */
export function perfettoSentence(state: PerfettoState): string {
  switch (state.kind) {
    case "idle":
      return "";
    case "preparing":
      return `The trace of ${PART_WORDS[state.part]} is being written for Perfetto: ${formatBytes(state.bytes)} so far.`;
    case "starting":
      return `The trace is written, ${formatBytes(state.bytes)}; Perfetto is starting in its window.`;
    case "reading":
      return `Perfetto reads the trace in its window, ${formatBytes(state.bytes)}.`;
    case "shown":
      return `Perfetto shows ${PART_WORDS[state.part]} in its own window.`;
    case "failed":
      return state.sentence;
  }
}
