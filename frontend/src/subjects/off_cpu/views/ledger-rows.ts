/** The ledger of a task in a window as rows: the three states, each with its causes, the longest first. */

import type { ExplainSection, LedgerCause } from "../../../api/types.ts";
import { type LedgerState, STATES } from "../lanes/ledger.ts";

export interface LedgerRow {
  readonly state: LedgerState;
  readonly cause: LedgerCause;
  /** Share of all time, 0..1. */
  readonly share: number;
}

export interface LedgerGroup {
  readonly state: LedgerState;
  readonly ns: number;
  readonly share: number;
  readonly rows: readonly LedgerRow[];
}

/** A cause with several resources is several rows of the answer, and one here: the resources are in its tooltip. */
export function ledgerGroups({ states }: Pick<ExplainSection, "states">): readonly LedgerGroup[] {
  const sums = STATES.map((state) => ({ state, causes: joined(states[state] ?? []) }));
  const whole = sums.reduce((sum, { causes }) => sum + total(causes), 0);
  const shareOf = (ns: number) => (whole > 0 ? ns / whole : 0);
  return sums.map(({ state, causes }) => ({
    state,
    ns: total(causes),
    share: shareOf(total(causes)),
    rows: causes
      .filter(({ ns }) => ns > 0)
      .toSorted((a, b) => b.ns - a.ns)
      .map((cause) => ({ state, cause, share: shareOf(cause.ns) })),
  }));
}

function total(causes: readonly LedgerCause[]): number {
  return causes.reduce((sum, { ns }) => sum + ns, 0);
}

function joined(causes: readonly LedgerCause[]): readonly LedgerCause[] {
  const all = new Map<string, LedgerCause>();
  for (const cause of causes) {
    const known = all.get(cause.cause);
    all.set(cause.cause, known ? join(known, cause) : cause);
  }
  return [...all.values()];
}

function join(a: LedgerCause, b: LedgerCause): LedgerCause {
  const by = new Map<string, LedgerCause["by"][number]>();
  for (const one of [...a.by, ...b.by]) {
    const key = `${one.pid} ${one.comm}`;
    by.set(key, { ...one, ns: one.ns + (by.get(key)?.ns ?? 0) });
  }
  const resources = [a.resource, b.resource].filter((name) => name != null);
  return {
    ...a,
    ns: a.ns + b.ns,
    resource: resources.length > 0 ? resources.join(", ") : null,
    by: [...by.values()].toSorted((x, y) => y.ns - x.ns),
    provenance: a.provenance === b.provenance ? a.provenance : "inferred",
  };
}
