/** Fields of what is given to others, a link or a token: its recipient, how long it works, and its secret, shown once. */

import { CopyButton } from "../../ui/copy-button.tsx";
import { Field, Select } from "../../ui/fields.tsx";
import "./share.css";
import type { CopyWish } from "../../api/types.ts";
import type { AbsWindow } from "../../lib/ranges.ts";
import { EMPTY_VIEW, encodeView, type ViewState } from "../../view-state/view-state.ts";

interface FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function ForField({ value, onChange, hint }: FieldProps & { readonly hint: string }) {
  return <Field name="for" value={value} maxLength={120} placeholder={hint} onText={onChange} />;
}

export function ExpiryField({ value, onChange }: FieldProps) {
  return <Select name="expires after" named value={value} choices={CHOICES} onChoose={onChange} />;
}

interface SecretProps {
  readonly secret: string;
  readonly label: string;
  readonly testId: string;
}

export function NewLink({ secret, label, testId }: SecretProps) {
  return <ShownOnce secret={secret} label={label} testId={testId} what="link" is="address" />;
}

/** Token that a program sends along. */
export function NewToken({ secret, label, testId }: SecretProps) {
  return <ShownOnce secret={secret} label={label} testId={testId} what="token" is="secret" />;
}

interface OnceProps extends SecretProps {
  readonly what: string;
  readonly is: string;
}

function ShownOnce({ secret, label, testId, what, is }: OnceProps) {
  return (
    <div className="share-link">
      <input
        readOnly
        value={secret}
        aria-label={label}
        data-testid={testId}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={secret} label={`Copy the ${what}`} word={`Copy ${what}`} />
      <p className="muted">This {is} is shown only once; the server keeps no copy.</p>
    </div>
  );
}

/** Expiry of links, in words. */

const DAY_S = 86_400;

/** Choices of expiry, in seconds from now; null is never. */
export const EXPIRIES: readonly (readonly [word: string, seconds: number | null])[] = [
  ["1 day", DAY_S],
  ["7 days", 7 * DAY_S],
  ["30 days", 30 * DAY_S],
  ["1 year", 365 * DAY_S],
  ["never", null],
];
const CHOICES = EXPIRIES.map(([word]) => [word, word] as const);
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

export function allowedWords(may: readonly string[]): string {
  const more = [
    ...(may.includes("comment") ? ["notes"] : []),
    ...(may.includes("download") ? ["downloads"] : []),
  ];
  return ["looking", ...more].join(", ");
}

// What a copy for others is to have, as the dialog requests it.

export interface CopyOptions {
  /** Only what the window shows. */
  readonly window: boolean;
  /** Only the selected task. */
  readonly task: boolean;
  readonly pseudonyms: boolean;
}

export const WHOLE: CopyOptions = { window: false, task: false, pseudonyms: false };

/** Returns whether the link opens a copy; without options it opens the analysis itself. */
export function isCopy({ window, task, pseudonyms }: CopyOptions): boolean {
  return window || task || pseudonyms;
}

export function copyWish(options: CopyOptions, window: AbsWindow, pid: number | null): CopyWish {
  return {
    title: null,
    from_ns: options.window ? window.from.toString() : null,
    to_ns: options.window ? window.to.toString() : null,
    tasks: options.task && pid !== null ? [pid] : null,
    pseudonyms: options.pseudonyms,
  };
}

/** The view of a copy: where one looked, and nothing that names anything. */
export function copyView(view: ViewState): string {
  const { window, open, panels, drawer } = view;
  return encodeView({ ...EMPTY_VIEW, window, open, panels, drawer });
}
