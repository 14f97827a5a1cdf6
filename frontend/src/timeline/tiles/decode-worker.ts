/** Runs next to the page: Arrow answers into columns, so that no frame has to wait for it. */

import { arraysOf, sortTimeline } from "./arrow.ts";
import type { Decoded, DecodeOrder } from "./decoder.ts";

/** The page's types have windows only; of a worker's scope this much is needed. */
interface Scope {
  onmessage: ((event: MessageEvent<DecodeOrder>) => void) | null;
  readonly postMessage: (message: Decoded, transfer: Transferable[]) => void;
}

const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data: { number, bytes, laneCount } }) => {
  try {
    const sorted = sortTimeline(bytes, laneCount);
    const buffers = arraysOf(sorted).map(({ buffer }) => buffer as ArrayBuffer);
    scope.postMessage({ number, sorted, problem: null }, buffers);
  } catch (error) {
    scope.postMessage({ number, sorted: null, problem: String(error) }, []);
  }
};

// Up and running: from now on it is worth while to send it something.
scope.postMessage({ number: -1, sorted: null, problem: null }, []);
