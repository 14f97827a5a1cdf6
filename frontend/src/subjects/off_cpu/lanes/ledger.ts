/** The ledger of a task's time: each nanosecond has one state and one cause. All wording is the engine's catalogue. */

import { CATALOGUE } from "../../../lib/catalogue.ts";
import type { Theme } from "../../../ui/canvas/colour.ts";

export const STATES = ["running", "runnable", "asleep"] as const;
export type LedgerState = (typeof STATES)[number];

interface CauseRow {
  readonly id: string;
  readonly title: string;
  readonly meaning: string;
  readonly kernel: string;
  readonly color: string;
}

const ROWS: Readonly<Record<LedgerState, readonly CauseRow[]>> = {
  running: CATALOGUE.run_causes,
  runnable: CATALOGUE.wait_causes,
  asleep: CATALOGUE.sleep_causes,
};

/** Returns the row of a cause; an id is unique only within its state. */
export function ledgerRow(state: string, cause: string): CauseRow | null {
  const rows = ROWS[state as LedgerState] ?? [];
  return rows.find(({ id }) => id === cause) ?? null;
}

export function ledgerTitle(state: string, cause: string): string {
  return ledgerRow(state, cause)?.title ?? cause.replaceAll("_", " ");
}

export function ledgerMeaning(state: string, cause: string): string {
  const row = ledgerRow(state, cause);
  return row ? `${row.meaning} Kernel: ${row.kernel}.` : cause;
}

/** A CSS background. */
export function ledgerColour(state: string, cause: string): string {
  return ledgerRow(state, cause)?.color ?? "var(--hatched)";
}

/** The colour of a cause on a canvas; null for one that is hatched or dotted. */
export function ledgerInk(state: string, cause: string, theme: Theme): string | null {
  const [, light, dark] = /^light-dark\(\s*(#\w+)\s*,\s*(#\w+)\s*\)$/.exec(ledgerColour(state, cause)) ?? [];
  return (theme === "light" ? light : dark) ?? null;
}
