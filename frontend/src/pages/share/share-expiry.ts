/** When links end, and how that is said. */

const DAY_S = 86_400;

/** What a link may be given, in seconds from now; null is never. */
export const EXPIRIES: readonly (readonly [word: string, seconds: number | null])[] = [
  ["1 day", DAY_S],
  ["7 days", 7 * DAY_S],
  ["30 days", 30 * DAY_S],
  ["1 year", 365 * DAY_S],
  ["never", null],
];
export const USUAL_EXPIRY = "30 days";

export function expirySeconds(word: string): number | null {
  const found = EXPIRIES.find(([known]) => known === word);
  // What is not on the list must not live for ever.
  return found ? found[1] : 30 * DAY_S;
}

/** The same in days, as tokens count. */
export function expiryDays(word: string): number | null {
  const seconds = expirySeconds(word);
  return seconds === null ? null : seconds / DAY_S;
}

interface Link {
  readonly expires_at: string | null;
  readonly revoked: boolean;
}

export type ShareState = "works" | "expired" | "revoked";

/** @param now ms since 1970 */
export function shareState({ expires_at, revoked }: Link, now: number): ShareState {
  if (revoked) return "revoked";
  return expires_at !== null && new Date(expires_at).getTime() <= now ? "expired" : "works";
}

/** What a link allows, in words. */
export function allowedWords(may: readonly string[]): string {
  const more = [
    ...(may.includes("comment") ? ["notes"] : []),
    ...(may.includes("download") ? ["downloads"] : []),
  ];
  return ["looking", ...more].join(", ");
}
