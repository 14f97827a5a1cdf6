/** The engine as a WebAssembly module: bytes in, requests as JSON, bytes out. Runs wherever WebAssembly does. */

/** Exports of a module of `backend/browser`. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  /** Room for the next input. */
  readonly input: (length: number) => number;
  readonly request: (length: number) => number;
  readonly call: () => number;
  readonly answer: () => number;
  readonly answer_len: () => number;
}

/** A request's name, and what it is about. */
export interface EngineRequest {
  readonly request: string;
  readonly [field: string]: unknown;
}

/** An answer, with the status that a server would give it. */
export interface EngineAnswer {
  readonly status: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A file, part by part. */
export interface EngineInput {
  readonly name: string;
  readonly size: number;
  /** The bytes from `from` up to `to`. */
  readonly read: (from: number, to: number) => Promise<Uint8Array>;
}

/** Part of a recording to read; times in decimal digits, ns. */
export interface Part {
  readonly from_ns?: string | null;
  readonly to_ns?: string | null;
  readonly tasks?: readonly number[] | null;
  readonly pseudonyms: boolean;
}

export type Listener = (stage: string, done: number, total: number) => void;

/** Bytes that are copied at once. */
const PART = 16 << 20;
/** A module's memory ends at 4 GiB; what is read needs room besides the files themselves. */
const MOST_INPUT = 2 ** 31;
/** Limit of unpacked bytes, and of their results. */
const MOST_MADE = 2 ** 31;

export class Engine {
  readonly #exports: Exports;

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  static async load(module: WebAssembly.Module, listener: Listener): Promise<Engine> {
    const text = (from: number, length: number) =>
      new TextDecoder().decode(new Uint8Array((exports as Exports).memory.buffer, from, length));
    const host = {
      progress: (from: number, length: number, done: number, total: number) =>
        listener(text(from, length), done, total),
    };
    const { exports }: { exports: unknown } = await WebAssembly.instantiate(module, { host });
    return new Engine(exports as Exports);
  }

  /** Reads files into the analysis that later requests are about; the answer is its manifest. */
  async read(inputs: readonly EngineInput[], tolerant: boolean, part?: Part): Promise<EngineAnswer> {
    const size = inputs.reduce((sum, input) => sum + input.size, 0);
    if (size > MOST_INPUT) {
      return refusal(413, `A browser can read at most 2 GiB; upload larger recordings to a server.`);
    }
    for (const input of inputs) await this.#copy(input);
    const names = inputs.map(({ name }) => name);
    return this.call({ request: "read", names, tolerant, part, max_bytes: MOST_MADE });
  }

  /** Opens a bundle that was packed as a gzipped tar; the answer is its manifest. */
  async open(packed: EngineInput): Promise<EngineAnswer> {
    await this.#copy(packed);
    return this.call({ request: "open", name: packed.name });
  }

  /** Bytes that the module has of the browser's memory; it gives none back. */
  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  async #copy({ size, read }: EngineInput): Promise<void> {
    const place = this.#exports.input(size) >>> 0;
    for (let from = 0; from < size; from += PART) {
      const part = await read(from, Math.min(size, from + PART));
      // Memory that grew has another buffer.
      new Uint8Array(this.#exports.memory.buffer, place + from, part.length).set(part);
    }
  }

  call({ request, ...fields }: EngineRequest): EngineAnswer {
    const { memory, answer, answer_len } = this.#exports;
    try {
      const text = new TextEncoder().encode(JSON.stringify({ [request]: fields }));
      const place = this.#exports.request(text.length) >>> 0;
      new Uint8Array(memory.buffer, place, text.length).set(text);
      const status = this.#exports.call();
      const from = answer() >>> 0;
      return { status, bytes: new Uint8Array(memory.buffer).slice(from, from + answer_len()) };
    } catch (error) {
      throw new EngineEnded(String(error));
    }
  }
}

/** The module is of no more use: it panicked, or its memory is full. */
export class EngineEnded extends Error {}

/** An answer that says why there is none. */
export function refusal(status: number, sentence: string): EngineAnswer {
  return { status, bytes: new TextEncoder().encode(JSON.stringify({ error: { sentence } })) };
}
