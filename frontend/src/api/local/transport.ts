/** The way to the engine in a worker, in the shape of the way to a server. */

import type { FetchRequest } from "../prefetch.ts";
import type { AnalysisDetail, Note } from "../types.ts";
import type { Part } from "./engine.ts";
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

/** Message for a recording that made the engine fail. */
export const UNREADABLE =
  "The engine in this page failed on this recording: it may be damaged, or too large for the browser's memory.";

/** Time without progress after which a read counts as endless, ms. */
const PATIENCE_MS = 120_000;
const ENDLESS =
  "The engine in this page made no progress for two minutes and was stopped. Upload the recording to a server.";

/** One recording, read and kept in a worker. */
export class LocalEngine {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended: string | null = null;
  #reading: ReturnType<typeof setTimeout> | undefined;
  onProgress: (stage: LocalStage) => void = () => {};

  constructor(worker: Worker, module: WebAssembly.Module) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => this.#take(data);
    worker.onerror = () => this.#end(UNREADABLE);
    this.#post({ kind: "load", module });
  }

  /** Reads files that were dropped together. Raises one sentence. */
  read(files: readonly File[], tolerant: boolean, part?: Part): Promise<AnalysisDetail> {
    return this.#analysis({ kind: "read", files, tolerant, part });
  }

  /** Opens a bundle as one file, with the notes that came with it. Raises one sentence. */
  open(packed: File, notes: readonly Note[]): Promise<AnalysisDetail> {
    return this.#analysis({ kind: "open", files: [packed], notes });
  }

  /** The imported recording as a bundle in one file, as `open` takes it. Raises one sentence. */
  async pack(): Promise<Blob> {
    const { body } = await this.#answer({ kind: "pack" });
    return new Response(body?.pipeThrough(new CompressionStream("gzip"))).blob();
  }

  async #analysis(order: Numbered): Promise<AnalysisDetail> {
    return (await this.#answer(order)).json() as Promise<AnalysisDetail>;
  }

  async #answer(order: Numbered): Promise<Response> {
    this.#wait();
    const answer = await this.#send(order);
    clearTimeout(this.#reading);
    if (answer.ok) return answer;
    const body: unknown = await answer.json();
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

  #wait(): void {
    clearTimeout(this.#reading);
    this.#reading = setTimeout(() => this.#end(ENDLESS), PATIENCE_MS);
  }

  #post(order: WorkerOrder): void {
    this.#worker.postMessage(order);
  }

  #take(reply: WorkerReply): void {
    if (reply.kind === "progress") {
      this.#wait();
      this.onProgress(reply);
    } else if (reply.kind === "ended") this.#end(UNREADABLE);
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
    clearTimeout(this.#reading);
    this.#worker.terminate();
    for (const { resolve } of this.#waiting.values()) resolve(endedAnswer(this.#ended));
    this.#waiting.clear();
  }
}

function endedAnswer(sentence: string): Response {
  return Response.json({ error: { sentence } }, { status: 500 });
}
