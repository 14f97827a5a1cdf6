/** How failures arrive: as a sentence for people, except a request that was superseded. */

export class ApiError extends Error {
  /** HTTP status, 0 when the service could not be reached. */
  readonly status: number;
  /** What the service sent with the sentence. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(sentence: string, status: number, details: Readonly<Record<string, unknown>> = {}) {
    super(sentence);
    this.name = "ApiError";
    this.status = status;
    this.details = details;
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** The sentence to show for anything that was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The server's own sentence, or one that at least tells the status. */
export function sentenceFromBody(body: unknown, status: number): string {
  const error = (body as { error?: { sentence?: unknown } } | null | undefined)?.error;
  if (typeof error?.sentence === "string" && error.sentence !== "") return error.sentence;
  return `The server answered ${status} without saying why.`;
}
