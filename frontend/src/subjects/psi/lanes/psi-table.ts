/** Pressure as a table: the kernel's counts next to the replay, and their difference. */

import type {
  MissingPart,
  PressureResiduals,
  PressureSection,
  PressureTotals,
  TimeWindow,
} from "../../../api/types.ts";
import { formatCount, plural } from "../../../lib/format.ts";
import type { Label } from "../../../lib/terms.ts";

/** The kernels at which the rules changed; each set holds from that version on. */
export const RULES = ["4.20", "5.7", "5.14", "5.17", "6.4"] as const;
export type Rules = (typeof RULES)[number];

export const RULES_WORDS: Readonly<Record<Rules, string>> = {
  "4.20": "4.20 to 5.6",
  "5.7": "5.7 to 5.13",
  "5.14": "5.14 to 5.16",
  "5.17": "5.17 to 6.3",
  "6.4": "6.4 and later",
};

export function parseRules(text: string | undefined): Rules | null {
  return RULES.find((rules) => rules === text) ?? null;
}

export interface PsiRow {
  readonly key: string;
  /** Empty for the whole system. */
  readonly cgroup: string;
  readonly resource: string;
  readonly line: "some" | "full";
  /** Over the whole window, µs. */
  readonly windowUs: number | null;
  /** Between the first and the last sample, µs. */
  readonly sampledUs: number | null;
  readonly replayedUs: number | null;
  /** replayed against sampled; null where nothing is to be compared. */
  readonly errorPercent: number | null;
  readonly tolerancePercent: number | null;
  readonly within: boolean | null;
  readonly label: Label;
  readonly missing: readonly string[];
}

const RESOURCES = ["cpu", "memory", "io", "irq"] as const;
type Resource = (typeof RESOURCES)[number];
type Residual = NonNullable<PressureResiduals["cpu"]>;

/** Residual; interrupt time has none: the kernel's count is its only source. */
function residualOf(residuals: PressureResiduals | null, resource: Resource): Residual | null {
  return residuals === null || resource === "irq" ? null : residuals[resource];
}

export interface PsiRows {
  readonly rows: readonly PsiRow[];
  /** Resources without a row, and the reasons. */
  readonly absent: readonly { readonly resource: string; readonly reason: string }[];
}

export function systemRows(psi: Pick<PressureSection, "system" | "residual">): PsiRows {
  return rowsOf("", psi.system, psi.residual);
}

/** Rows of every cgroup by path; the reason where cgroups are not known. */
export function cgroupRows(
  psi: Pick<PressureSection, "cgroups" | "cgroup_residual">,
): readonly PsiRow[] | MissingPart {
  const { cgroups } = psi;
  if (isMissing(cgroups)) return cgroups;
  return Object.entries(cgroups)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, totals]) => rowsOf(path, totals, psi.cgroup_residual[path] ?? null).rows);
}

/** Paths begin with a slash, so that no cgroup is called `available`. */
function isMissing(cgroups: PressureSection["cgroups"]): cgroups is MissingPart {
  return "available" in cgroups;
}

function rowsOf(cgroup: string, totals: PressureTotals, residuals: PressureResiduals | null): PsiRows {
  const rows: PsiRow[] = [];
  const absent: { resource: string; reason: string }[] = [];
  for (const resource of RESOURCES) {
    const total = totals[resource];
    if (total.available) rows.push(...linesOf(cgroup, resource, total, residualOf(residuals, resource)));
    else absent.push({ resource, reason: total.reason });
  }
  return { rows, absent };
}

function linesOf(
  cgroup: string,
  resource: Resource,
  total: Extract<PressureTotals[Resource], { available: true }>,
  residual: Residual | null,
): PsiRow[] {
  const { label, missing } = total;
  const line = (name: "some" | "full"): PsiRow => {
    const sampledUs = residual?.[`sampled_${name}_us`] ?? null;
    const replayedUs = residual?.[`replayed_${name}_us`] ?? null;
    // The tolerance is one of `some`; `full` is compared, and no verdict is given on it.
    const judged = name === "some" ? residual : null;
    return {
      key: `${cgroup} ${resource} ${name}`,
      cgroup,
      resource,
      line: name,
      windowUs: total[`${name}_us`],
      sampledUs,
      replayedUs,
      errorPercent: judged?.error_percent ?? errorOf(sampledUs, replayedUs),
      tolerancePercent: judged?.tolerance_percent ?? null,
      within: judged?.within ?? null,
      label,
      missing,
    };
  };
  // What the kernel does not count makes no row: `irq` has no some, `cpu` of old kernels no full.
  return (["some", "full"] as const)
    .map(line)
    .filter(({ windowUs, sampledUs }) => windowUs !== null || (sampledUs ?? 0) > 0);
}

/** Per cent of what was sampled; null where nothing was. */
export function errorOf(sampledUs: number | null, replayedUs: number | null): number | null {
  if (sampledUs === null || replayedUs === null || sampledUs === 0) return null;
  return (100 * (replayedUs - sampledUs)) / sampledUs;
}

/** `+0.56 %`; the sign is of the replay against the kernel. */
export function errorText(percent: number | null): string {
  if (percent === null || !Number.isFinite(percent)) return "–";
  const text = Math.abs(percent).toFixed(2);
  if (text === "0.00") return "0.00 %";
  return `${percent < 0 ? "−" : "+"}${text} %`;
}

export function microText(us: number | null): string {
  return us === null ? "–" : `${formatCount(us)} µs`;
}

/** Result of the comparison, in a word; rules other than the kernel's own are not judged by its counts. */
export function verdict({
  within,
  sampledUs,
  label,
}: Pick<PsiRow, "within" | "sampledUs" | "label">): string {
  if (sampledUs === null) return "not sampled";
  if (label === "what-if") return "other rules";
  return within === null ? "" : within ? "agrees" : "differs";
}

/** A range around a window, or as near as samples are, that holds at least two samples if their intervals are equal. */
export function sampledAround(
  { from_ns, to_ns, samples }: Pick<NonNullable<PressureResiduals["cpu"]>, "from_ns" | "to_ns" | "samples">,
  window: TimeWindow,
): TimeWindow | null {
  if (samples < 2) return null;
  const [first, last] = [BigInt(from_ns), BigInt(to_ns)];
  const air = (2n * (last - first)) / BigInt(samples - 1);
  const inside = (at: bigint) => (at < first ? first : at > last ? last : at);
  const from = inside(window.from - air < last - air ? window.from - air : last - air);
  const to = inside(window.to + air > first + air ? window.to + air : first + air);
  return { from, to };
}

/** The check of the averages in one sentence. */
export function averagesText(averages: PressureSection["averages"]): string {
  if (!averages) return "The averages cannot be checked: fewer than two updates lie between samples.";
  const { updates, exact, worst, skipped } = averages;
  const left = skipped > 0 ? `; ${plural(skipped, "update")} left out, whose time is not known` : "";
  return `${plural(updates, "update")} of the averages predicted from the sampled totals, ${formatCount(exact)} with only one possible percentage: at most ${worst.toFixed(3)} from the kernel's values${left}.`;
}

/** Rules of the replay, and their source. */
export function rulesText({ rules, rules_source }: Pick<PressureSection, "rules" | "rules_source">): string {
  const known = parseRules(rules);
  return `of ${known ? RULES_WORDS[known] : rules} (${rules_source.name})`;
}
