/** What the page says where a section has no answer. */

import { formatAbs, formatDuration } from "./format.ts";
import type { AbsNs } from "./time.ts";

export type SectionWord =
  | "findings"
  | "latency"
  | "pressure"
  | "nodes"
  | "cgroups"
  | "attempts"
  | "cling"
  | "ilb"
  | "memory"
  | "vmstat";

const RECORD: Readonly<Record<SectionWord, string>> = {
  findings:
    "Findings need who ran and who waited: record sched_switch, sched_waking, sched_wakeup, sched_wakeup_new and sched_migrate_task.",
  latency:
    "Waits need wake-ups and switches: record sched_switch, sched_waking, sched_wakeup, sched_wakeup_new and sched_migrate_task.",
  pressure:
    "The replay of pressure needs sched_switch, sched_wakeup, sched_wakeup_new and sched_migrate_task; samples of /proc/pressure next to them are what it is checked by.",
  cgroups: "Who was in which cgroup stands in cgroup_attach_task and /proc/PID/cgroup.",
  attempts:
    "Attempts of the NUMA balancer stand in sched_move_numa, sched_swap_numa and sched_stick_numa; crossings need sched_migrate_task.",
  cling:
    "Cling needs sched_move_numa, sched_swap_numa and sched_stick_numa; where the kernel has it, its cpu.numa_group files, too.",
  ilb: "Idle balancing needs sched_switch, cpu_idle, tick_stop and softirq_raise, softirq_entry; a probe on nohz_balancer_kick tells who kicked.",
  memory:
    "Memory and tasks that follow each other need mm_migrate_pages, mm_migrate_pages_start and sched_migrate_task.",
  vmstat: "The counters are samples of /proc/vmstat, at least two in the window.",
  nodes: "The use of CPUs needs sched_switch; who waited needs sched_wakeup and sched_migrate_task, too.",
};

/** How to record what a section lacks. */
export function howToRecord(section: SectionWord): string {
  return `${RECORD[section]} numalens record takes them all.`;
}

/** A bundle of an earlier version has all its files: reading them again brings what is new. */
export function isOutdated(reason: string): boolean {
  return /\b(earlier|older) version\b|\bread (it|them|the files) again\b/i.test(reason);
}

/** `12.004 – 13.2 s, 1.196 s long`: the window that an answer speaks for. */
export function windowText(window: { readonly from: AbsNs; readonly to: AbsNs }): string {
  return `${formatAbs(window.from, 3)} – ${formatAbs(window.to, 3)} s, ${formatDuration(window.to - window.from)}`;
}

/** What an inferred value lacks, behind its label; empty for all others. */
export function missingText(missing: readonly string[]): string {
  return missing.length === 0 ? "" : `lacks ${missing.map((name) => LACKING[name] ?? name).join(", ")}`;
}

const LACKING: Readonly<Record<string, string>> = {
  lost_events: "the lost events",
  cpus_allowed: "what CPUs each task may run on",
  "cpu.stat": "samples of cpu.stat",
};

/** Where knowledge comes from, and what it lacks. */
export function labelText(
  part: { readonly label: string; readonly missing: readonly string[] } | null,
): string {
  return part === null
    ? ""
    : [part.label, missingText(part.missing)].filter((text) => text !== "").join(", ");
}

/**
 * Observed stands in an event; replayed follows from events by the kernel's own rules; inferred is a replay that lacks
 * something, which the note names; what-if is what rules would have given that the traced kernel did not run.
 */
export type Label = "observed" | "replayed" | "inferred" | "what-if";

/** A name that this page does not know yet stands as it came. */
export function wordOf(words: Readonly<Record<string, string>>, name: string): string {
  return words[name] ?? name.replaceAll("_", " ");
}

export function nodeText(nid: number): string {
  return nid < 0 ? "?" : String(nid);
}
