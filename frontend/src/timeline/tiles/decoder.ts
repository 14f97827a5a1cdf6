/** Decodes timeline answers in a worker as soon as that has come up; what arrives before, as the first view does, here. */

import type { Span } from "../../lib/time.ts";
import { decodeTimeline, type SortedTimeline, tilesOf } from "./arrow.ts";
import type { Tile } from "./tiles.ts";

export type Decode = (
  bytes: ArrayBuffer,
  laneCount: number,
  span: Span,
  resolution: number,
) => Tile[] | Promise<Tile[]>;

export interface DecodeOrder {
  readonly number: number;
  readonly bytes: ArrayBuffer;
  readonly laneCount: number;
}

export interface Decoded {
  /** Of the order; negative says that the worker is there. */
  readonly number: number;
  readonly sorted: SortedTimeline | null;
  readonly problem: string | null;
}

interface Waiting {
  readonly resolve: (sorted: SortedTimeline) => void;
  readonly reject: (error: Error) => void;
}

/** As much of a worker as is needed here. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent<Decoded>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  readonly postMessage: (order: DecodeOrder, transfer: Transferable[]) => void;
  readonly terminate: () => void;
}

export class Decoder {
  readonly #worker: WorkerLike;
  readonly #waiting = new Map<number, Waiting>();
  #ready = false;
  #last = 0;

  constructor(worker: WorkerLike) {
    this.#worker = worker;
    worker.onmessage = ({ data }) => this.#take(data);
    worker.onerror = (event) => this.#give(event.message);
  }

  readonly decode: Decode = (bytes, laneCount, span, resolution) => {
    if (!this.#ready) return decodeTimeline(bytes, laneCount, span, resolution);
    this.#last += 1;
    const number = this.#last;
    const sorted = new Promise<SortedTimeline>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
    });
    this.#worker.postMessage({ number, bytes, laneCount }, [bytes]);
    return sorted.then((all) => tilesOf(all, span, resolution));
  };

  close(): void {
    this.#give("The page no longer needs the answer.");
    this.#worker.terminate();
  }

  #take({ number, sorted, problem }: Decoded): void {
    if (number < 0) this.#ready = true;
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (sorted) waiting?.resolve(sorted);
    else waiting?.reject(new Error(problem ?? "The answer could not be decoded."));
  }

  /** Without the worker the page does it itself. */
  #give(problem: string): void {
    this.#ready = false;
    for (const { reject } of this.#waiting.values()) reject(new Error(problem));
    this.#waiting.clear();
  }
}

export function makeDecoder(): Decoder {
  return new Decoder(new Worker(new URL("./decode-worker.ts", import.meta.url), { type: "module" }));
}
