/**
 * The one way to the service. Every failure arrives as an ApiError with a message for users; a superseded request
 * arrives as an AbortError, which is not a failure.
 */

import createClient, { type Client } from "openapi-fetch";
import { currentUser } from "./current-user.ts";
import { type FetchRequest, fetchOrTake } from "./prefetch.ts";
import type { paths } from "./schema.ts";
import { serverAway } from "./server-away.ts";

/** Names the share link under which a page without further rights reads. */
const SHARE_HEADER = "X-NumaLens-Share";

const UNREACHABLE = "The NumaLens server does not answer. It may be restarting; the page keeps trying.";

/** Also answers with tuples: the client's own types forget their lengths. */
export interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

export class ServiceClient {
  readonly routes: Client<paths>;
  /** The share link's token, null for the owner's own page. */
  readonly token: string | null;
  readonly #fetch: FetchRequest;

  /** @param fetch instead of the browser's own, to count running requests */
  constructor(token: string | null = null, fetch: FetchRequest = fetchOrTake) {
    this.token = token;
    this.#fetch = fetch;
    this.routes = createClient<paths>({ baseUrl: baseOrigin(), fetch, headers: this.#headers() });
  }

  /** The answer of an address as it comes, with the share header. */
  async open(url: string, signal: AbortSignal | null = null): Promise<Response> {
    let response: Response;
    try {
      const wanted = new Request(new URL(url, baseOrigin()), { headers: this.#headers(), signal });
      response = await this.#fetch(wanted);
    } catch (error) {
      throw asApiError(error);
    }
    serverAway.answered();
    if (response.ok) return response;
    const body: unknown = await response.json().catch(() => null);
    throw new ApiError(sentenceFromBody(body, response.status), response.status);
  }

  #headers(): Record<string, string> {
    return this.token === null ? {} : { [SHARE_HEADER]: this.token };
  }
}

/** The routes of one subject. */
export class Routes {
  protected readonly routes: ServiceClient["routes"];

  constructor({ routes }: Pick<ServiceClient, "routes">) {
    this.routes = routes;
  }
}

/** Options of a request about an analysis, or a part of one. */
export function of<P extends object = object>(id: string, part: P = {} as P) {
  return { params: { path: { analysis_id: id, ...part } } };
}

/** The data of a response. Raises an ApiError for a refusal, and notes a missing sign-in. */
export async function take<T>(request: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await request;
  } catch (error) {
    throw asApiError(error);
  }
  const { data, error, response } = answer;
  serverAway.answered();
  if (response.status === 401) currentUser.refused();
  if (!response.ok) {
    const details = (error as { error?: Readonly<Record<string, unknown>> } | null | undefined)?.error;
    throw new ApiError(sentenceFromBody(error, response.status), response.status, details);
  }
  // 204 has no body; callers of such routes request void.
  return data as T;
}

export async function takeBytes(request: Promise<Answer<unknown>>): Promise<ArrayBuffer> {
  return (await take(request)) as ArrayBuffer;
}

/** As `take`, with null for what does not exist (404). */
export async function takeOrNull<T>(request: Promise<Answer<T>>): Promise<T | null> {
  try {
    return await take(request);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Error to raise for a missing response. */
function asApiError(error: unknown): unknown {
  if (isAbort(error)) return error;
  serverAway.unreachable(ask);
  return new ApiError(UNREACHABLE, 0);
}

function ask(): void {
  fetch(new URL("/api/v1/info", baseOrigin())).then(
    () => serverAway.answered(),
    () => serverAway.unreachable(ask),
  );
}

function baseOrigin(): string {
  const { location } = globalThis;
  // A page that is a file has no origin that an address could begin with, and no server either.
  return location?.protocol === "file:" ? "http://page.invalid" : (location?.origin ?? "");
}

/** Form of failures: a message for users, except for a superseded request. */

export class ApiError extends Error {
  /** HTTP status, 0 when the service could not be reached. */
  readonly status: number;
  /** Further fields from the service. */
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

/** The server's own message, or one with at least the status. */
export function sentenceFromBody(body: unknown, status: number): string {
  const error = (body as { error?: { sentence?: unknown } } | null | undefined)?.error;
  if (typeof error?.sentence === "string" && error.sentence !== "") return error.sentence;
  return `The server answered ${status} without saying why.`;
}
