/** The engine next to the page: reads files and answers the page's requests, so that no frame waits for either. */

import type { Note } from "../types.ts";
import { type LocalAnswer, LocalAnswers } from "./answers.ts";
import { Engine, EngineEnded, type Part } from "./engine.ts";

/** Messages from the page. */
export type WorkerOrder =
  | { readonly kind: "load"; readonly module: WebAssembly.Module }
  | {
      readonly kind: "read";
      readonly number: number;
      readonly files: readonly File[];
      readonly tolerant: boolean;
      readonly part?: Part | undefined;
    }
  | {
      readonly kind: "open";
      readonly number: number;
      readonly files: readonly File[];
      readonly notes: readonly Note[];
    }
  | { readonly kind: "pack"; readonly number: number }
  | { readonly kind: "get"; readonly number: number; readonly url: string };

/** Messages to the page. */
export type WorkerReply =
  | { readonly kind: "progress"; readonly stage: string; readonly done: number; readonly total: number }
  | { readonly kind: "answer"; readonly number: number; readonly answer: LocalAnswer }
  /** The engine cannot be used any more. */
  | { readonly kind: "ended"; readonly why: string };

/** The page's types have windows only; of a worker's scope this much is needed. */
interface Scope {
  onmessage: ((event: MessageEvent<WorkerOrder>) => void) | null;
  readonly postMessage: (message: WorkerReply, transfer: Transferable[]) => void;
}

/** Between two messages about progress, ms. */
const OFTEN = 50;

const scope = globalThis as unknown as Scope;
let answers: Promise<LocalAnswers> | null = null;
let posted = 0;

async function load(module: WebAssembly.Module): Promise<LocalAnswers> {
  const engine = await Engine.load(module, (stage, done, total) => {
    const now = performance.now();
    if (done < total && now - posted < OFTEN) return;
    posted = now;
    scope.postMessage({ kind: "progress", stage, done, total }, []);
  });
  return new LocalAnswers(engine);
}

async function answer(order: Exclude<WorkerOrder, { kind: "load" }>): Promise<LocalAnswer | null> {
  const engine = await answers;
  if (!engine) return null;
  if (order.kind === "get") return engine.get(new URL(order.url));
  if (order.kind === "pack") return engine.pack();
  const inputs = order.files.map((file) => ({
    name: file.name,
    size: file.size,
    read: async (from: number, to: number) => new Uint8Array(await file.slice(from, to).arrayBuffer()),
  }));
  const [packed] = inputs;
  if (order.kind === "open" && packed) return engine.open(packed, order.notes);
  return order.kind === "read" ? engine.read(inputs, order.tolerant, order.part) : null;
}

scope.onmessage = ({ data: order }) => {
  if (order.kind === "load") {
    answers = load(order.module);
    return;
  }
  answer(order).then(
    (found) => {
      if (found)
        scope.postMessage({ kind: "answer", number: order.number, answer: found }, [found.bytes.buffer]);
    },
    (error: unknown) => {
      const why = error instanceof EngineEnded || error instanceof Error ? error.message : String(error);
      scope.postMessage({ kind: "ended", why }, []);
    },
  );
};
