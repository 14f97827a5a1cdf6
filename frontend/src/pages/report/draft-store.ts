/** Words that were not saved yet: a browser that is closed, or a server that is away, must not lose them. */

export interface Draft {
  readonly title: string;
  readonly text: string;
  /** The revision that they began from. */
  readonly revision: number;
}

const PREFIX = "numalens.report-draft.";

export class DraftStore {
  readonly #store: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null;
  readonly #key: string;

  /** @param store null where the browser has none */
  constructor(store: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null, report: string) {
    this.#store = store;
    this.#key = PREFIX + report;
  }

  /** null without a draft, and for what is none. */
  read(): Draft | null {
    try {
      const parsed: unknown = JSON.parse(this.#store?.getItem(this.#key) ?? "null");
      if (typeof parsed !== "object" || parsed === null) return null;
      const { title, text, revision } = parsed as Partial<Record<keyof Draft, unknown>>;
      if (typeof title !== "string" || typeof text !== "string" || typeof revision !== "number") return null;
      return { title, text, revision };
    } catch {
      return null;
    }
  }

  /** A store that is full keeps what it had; the words are still in the editor. */
  write(draft: Draft): void {
    try {
      this.#store?.setItem(this.#key, JSON.stringify(draft));
    } catch {
      this.#store?.removeItem(this.#key);
    }
  }

  clear(): void {
    this.#store?.removeItem(this.#key);
  }
}
