/**
 * Answers that the first view needs in any case, requested before the page itself is there: the service works while the
 * browser still reads the script. Each is given to the first who requests it.
 */

import { parseRoute } from "../lib/routes.ts";

export type FetchRequest = (request: Request) => Promise<Response>;

const early = new Map<string, Promise<Response>>();

/** Requests of a first view of this address. A shared view would need the token as well, so it makes its own. */
export function firstAddresses(url: Pick<URL, "pathname" | "search" | "hash" | "origin">): string[] {
  const route = parseRoute(url);
  if (route.page !== "analysis" && route.page !== "report") return [];
  const base = `${url.origin}/api/v1/analyses/${route.id}`;
  if (route.page === "report")
    return [base, `${base}/reports/${route.report}`, `${url.origin}/api/v1/info`, `${base}/tasks`];
  // Inside a committed range the findings are those of the range, which only the view knows.
  const ranged = new URLSearchParams(route.query).has("in");
  const whole = ranged ? [] : [`${base}/sections/findings`];
  return [base, `${url.origin}/api/v1/info`, ...whole, `${base}/tasks`];
}

export function startEarly(addresses: readonly string[]): void {
  for (const address of addresses) {
    const answer = fetch(address);
    // The consumer gets the error; there may be none.
    answer.catch(() => {});
    early.set(address, answer);
  }
}

/** As `fetch`, with an answer that is already under way where there is one. */
export function fetchOrTake(request: Request): Promise<Response> {
  const started = request.method === "GET" ? early.get(request.url) : undefined;
  if (!started) return fetch(request);
  early.delete(request.url);
  // An early question may have met a server that was not there yet: then it is sent again.
  return started.then(
    (answer) => {
      request.signal.throwIfAborted();
      return answer.ok ? answer : fetch(request);
    },
    () => fetch(request),
  );
}
