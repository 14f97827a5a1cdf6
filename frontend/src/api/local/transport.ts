/** The way to the engine in a worker, in the shape of the way to a server. */

import type { FetchRequest } from "../prefetch.ts";
import type { AnalysisDetail } from "../types.ts";
import type { WorkerOrder, WorkerReply } from "./worker.ts";

export interface LocalStage {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

interface Waiting {
  readonly resolve: (answer: Response) => void;
  readonly reject: (error: Error) => void;
}

type Sent<T> = T extends unknown ? Omit<T, "number"> : never;
type Numbered = Sent<Exclude<WorkerOrder, { kind: "load" }>>;

/** What somebody reads whose recording made the engine fail. */
export const UNREADABLE =
  "The engine in this page failed over this recording: it may be damaged, or too large for a browser's memory.";

/** One recording, read and kept in a worker. */
export class LocalEngine {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended: string | null = null;
  onProgress: (stage: LocalStage) => void = () => {};

  constructor(worker: Worker, module: WebAssembly.Module) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => this.#take(data);
    worker.onerror = () => this.#end(UNREADABLE);
    this.#post({ kind: "load", module });
  }

  /** Reads files that were dropped together. Raises one sentence. */
  read(files: readonly File[], tolerant: boolean): Promise<AnalysisDetail> {
    return this.#analysis({ kind: "read", files, tolerant });
  }

  /** Opens a bundle as one file. Raises one sentence. */
  open(packed: File): Promise<AnalysisDetail> {
    return this.#analysis({ kind: "open", files: [packed] });
  }

  async #analysis(order: Numbered): Promise<AnalysisDetail> {
    const answer = await this.#send(order);
    const body: unknown = await answer.json();
    if (answer.ok) return body as AnalysisDetail;
    throw new Error((body as { error: { sentence: string } }).error.sentence);
  }

  readonly fetch: FetchRequest = async (request) => {
    const answer = this.#send({ kind: "get", url: request.url });
    const aborted = new Promise<never>((_, reject) => {
      const abort = () => reject(request.signal.reason as Error);
      if (request.signal.aborted) abort();
      request.signal.addEventListener("abort", abort, { once: true });
    });
    return Promise.race([answer, aborted]);
  };

  close(): void {
    this.#end("The recording was closed.");
  }

  #send(order: Numbered): Promise<Response> {
    if (this.#ended !== null) return Promise.resolve(endedAnswer(this.#ended));
    this.#last += 1;
    const number = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#post({ ...order, number });
    });
  }

  #post(order: WorkerOrder): void {
    this.#worker.postMessage(order);
  }

  #take(reply: WorkerReply): void {
    if (reply.kind === "progress") this.onProgress(reply);
    else if (reply.kind === "ended") this.#end(UNREADABLE);
    else {
      const { status, type, bytes } = reply.answer;
      this.#waiting
        .get(reply.number)
        ?.resolve(new Response(bytes, { status, headers: { "Content-Type": type } }));
      this.#waiting.delete(reply.number);
    }
  }

  #end(why: string): void {
    this.#ended ??= why;
    this.#worker.terminate();
    for (const { resolve } of this.#waiting.values()) resolve(endedAnswer(this.#ended));
    this.#waiting.clear();
  }
}

function endedAnswer(sentence: string): Response {
  return Response.json({ error: { sentence } }, { status: 500 });
}
