//! Pages that came too late, and calls that took long.

use numalens_core::provenance::Label;
use numalens_subject::findings::{Evidence, Finding, FindingEntry};
use numalens_subject::window::time;

use crate::findings::{MOST_NAMED, PageMigrationFacts, joined, ms, percent, plural};
use crate::metrics::{NUMA_MISPLACED, TaskRow};

/// Share of migrated pages that come too late, percent (`docs/algorithms/page_migration.md`, M16).
const LATE_PERCENT: f64 = 20.0;
/// And so many of them a minute.
const LATE_PER_MINUTE: f64 = 1000.0;
/// 99 % of calls should take at most this, ns.
const P99_NS: u64 = 1_000_000;
/// Share of a task's time on CPUs that migrating its pages may take, percent.
const RUN_PERCENT: f64 = 1.0;

pub(crate) const JUST_TOO_LATE: FindingEntry = FindingEntry {
    id: "JUST_TOO_LATE",
    title: "Late page migration",
    meaning: "The pages arrived shortly before their task left the node, so the copies did not pay off.",
    kernel: "migrate_misplaced_page",
    threshold: "at least 20 % of pages on fault and 1000 a minute",
    cost: "time of those calls",
    evidence: Evidence::PAGE_MIGRATION,
};

/// `JUST_TOO_LATE`: pages were migrated for tasks that left soon after.
pub(super) fn just_too_late(facts: &PageMigrationFacts<'_>) -> Vec<Finding> {
    let late = &facts.metrics.just_too_late;
    let minutes = facts.to_ns.saturating_sub(facts.from_ns) as f64 / 6e10;
    let share = percent(late.share.unwrap_or(0.0));
    if share < LATE_PERCENT || minutes <= 0.0 || (late.pages as f64) < LATE_PER_MINUTE * minutes {
        return Vec::new();
    }
    let mut missing = late.quality.missing.clone();
    if late.untimed_batches != 0 {
        missing = joined(&missing, &["mm_migrate_pages_start".to_owned()]);
    }
    let took = if late.untimed_batches == late.batches {
        "took an unknown time".to_owned()
    } else {
        format!("took {}", time(late.migrate_ns))
    };
    let mut tasks: Vec<&TaskRow> = facts.metrics.tasks.rows.iter().collect();
    tasks.retain(|task| task.just_too_late_pages != 0);
    tasks.sort_by_key(|task| std::cmp::Reverse(task.just_too_late_pages));
    vec![Finding {
        label: if missing.is_empty() {
            late.quality.label
        } else {
            Label::Inferred
        },
        missing,
        impact_ms: ms(late.migrate_ns),
        tasks: tasks.len(),
        pids: tasks.iter().take(MOST_NAMED).map(|task| task.pid).collect(),
        summary: format!(
            "{} of {} migrated on fault ({share:.0} %) came just too late: their task left the node within {:.1} s; migrating \
             them {took}.",
            late.pages,
            plural(late.migrated_pages, "page"),
            late.amortisation_ns as f64 / 1e9,
        ),
        ..JUST_TOO_LATE.finding(Label::Inferred, facts.from_ns, facts.to_ns)
    }]
}

/// Time of calls that migrate pages on fault.
pub const MIGRATE_FAULT_LATENCY: FindingEntry = FindingEntry {
    id: "MIGRATE_FAULT_LATENCY",
    title: "Slow page migration on fault",
    meaning: "The faulting task itself pays for the copy.",
    kernel: "migrate_pages",
    threshold: "p99 of calls on fault above 1 ms, or more than 1 % of a task's run time",
    cost: "time of the calls",
    evidence: Evidence::PAGE_MIGRATION,
};

/// `MIGRATE_FAULT_LATENCY`: tasks waited for the migration of pages that they touched.
pub(super) fn fault_latency(facts: &PageMigrationFacts<'_>) -> Vec<Finding> {
    let mut all = facts.metrics.durations.iter();
    let Some(times) = all.find(|times| times.reason == NUMA_MISPLACED && times.timed != 0) else {
        return Vec::new();
    };
    let share = |task: &TaskRow| {
        let run_ns = task.run_ns.filter(|&ns| ns != 0)?;
        Some(percent(task.migrate_ns as f64 / run_ns as f64))
    };
    let mut tasks: Vec<&TaskRow> = facts.metrics.tasks.rows.iter().collect();
    let slow = times.p99_ns.is_some_and(|ns| ns > P99_NS);
    tasks.retain(|task| task.migrate_ns != 0);
    if !slow {
        tasks.retain(|task| share(task).is_some_and(|share| share > RUN_PERCENT));
    }
    tasks.sort_by_key(|task| std::cmp::Reverse(task.migrate_ns));
    if !slow && tasks.is_empty() {
        return Vec::new();
    }
    let cost_ns = if slow {
        times.sum_ns
    } else {
        tasks.iter().map(|task| task.migrate_ns).sum()
    };
    let quality = &facts.metrics.memory_follows_cpu.quality;
    let mut missing = Vec::new();
    if times.timed != times.batches {
        missing.push("mm_migrate_pages_start".to_owned());
    }
    // Nodes do not matter here, losses do.
    let lost = quality.missing.iter();
    missing.extend(lost.filter(|name| name.contains("lost")).cloned());
    let worst = tasks.first().map_or(String::new(), |task| {
        let of_run = share(task).map_or(String::new(), |share| {
            format!(", {share:.1} % of its time on CPUs")
        });
        format!(
            "; task {} spent {} on it{of_run}",
            task.pid,
            time(task.migrate_ns)
        )
    });
    vec![Finding {
        label: if missing.is_empty() {
            Label::Observed
        } else {
            Label::Inferred
        },
        missing,
        impact_ms: ms(cost_ns),
        tasks: tasks.len(),
        pids: tasks.iter().take(MOST_NAMED).map(|task| task.pid).collect(),
        summary: format!(
            "Page migration on fault delayed tasks by {} in {} (99 % within {}){worst}.",
            time(times.sum_ns),
            plural(times.timed, "call"),
            time(times.p99_ns.unwrap_or(0)),
        ),
        ..MIGRATE_FAULT_LATENCY.finding(Label::Inferred, facts.from_ns, facts.to_ns)
    }]
}

// Tasks that do not stay, and processes that fight their own memory.

/// Share of windows with a fight, percent (`docs/algorithms/page_migration.md`, M16).
const FIGHT_PERCENT: f64 = 10.0;
/// Share of dwells under a second, percent (`docs/algorithms/page_migration.md`, M16).
const SHORT_PERCENT: f64 = 10.0;

pub(crate) const MEM_CPU_FIGHT: FindingEntry = FindingEntry {
    id: "MEM_CPU_FIGHT",
    title: "Tasks and pages chase each other",
    meaning: "Pages follow the task while the task follows the pages; each undoes the other's work.",
    kernel: "task_numa_placement",
    threshold: "at least 10 % of the windows of 10 s",
    cost: "run time off the memory",
    evidence: Evidence::PAGE_MIGRATION,
};

/// `MEM_CPU_FIGHT`: tasks went to their memory while their memory went to them.
pub(super) fn fight(facts: &PageMigrationFacts<'_>) -> Vec<Finding> {
    let fight = &facts.metrics.fight;
    // Without known memory, a possible fight is not one.
    let index = fight.index.unwrap_or(0.0);
    if percent(index) < FIGHT_PERCENT {
        return Vec::new();
    }
    let Some(worst) = fight.processes.first() else {
        return Vec::new();
    };
    let mut missing = fight.quality.missing.clone();
    let (mut ns, mut pages, mut moves) = (0_u64, 0_u64, 0_u64);
    for process in &fight.processes {
        missing = joined(&missing, &process.remote.missing);
        ns = ns.saturating_add(process.remote.ns);
        pages = pages.saturating_add(process.pages);
        moves = moves.saturating_add(process.moves);
    }
    let off = if ns == 0 {
        String::new()
    } else {
        format!(", and ran {} off their memory", time(ns))
    };
    vec![Finding {
        label: Label::Inferred,
        missing,
        impact_ms: ms(ns),
        pids: fight
            .processes
            .iter()
            .take(MOST_NAMED)
            .map(|process| process.tgid)
            .collect(),
        summary: format!(
            "In {} of {} windows of 10 s ({:.0} %) processes and their memory moved in opposite directions between the same nodes: {} and {}{off}. The worst is process {} with {}.",
            fight.fighting,
            fight.windows,
            percent(index),
            plural(pages, "page"),
            plural(moves, "task move"),
            worst.tgid,
            plural(worst.pages, "page"),
        ),
        ..MEM_CPU_FIGHT.finding(Label::Inferred, facts.from_ns, facts.to_ns)
    }]
}

pub(crate) const SHORT_DWELL: FindingEntry = FindingEntry {
    id: "SHORT_DWELL",
    title: "Tasks leave a node too soon",
    meaning: "The task leaves before its memory can follow it.",
    kernel: "set_task_cpu",
    threshold: "at least 10 % of dwells below 1 s",
    cost: "run time off the memory",
    evidence: Evidence::PAGE_MIGRATION,
};

/// `SHORT_DWELL`: tasks leave a node soon after they came.
pub(super) fn short_dwell(facts: &PageMigrationFacts<'_>) -> Vec<Finding> {
    let dwell = &facts.metrics.dwell;
    let share = percent(dwell.short.share.unwrap_or(0.0));
    if share < SHORT_PERCENT || dwell.short.count == 0 {
        return Vec::new();
    }
    let mut tasks: Vec<_> = facts.metrics.tasks.rows.iter().collect();
    tasks.retain(|task| task.short_dwells != 0);
    tasks.sort_by_key(|task| std::cmp::Reverse(task.short_dwells));
    let remote = &dwell.short_remote;
    let off = if remote.ns == 0 {
        String::new()
    } else {
        format!("; they ran {} off their memory", time(remote.ns))
    };
    vec![Finding {
        label: if dwell.quality.missing.is_empty() && remote.missing.is_empty() {
            dwell.quality.label
        } else {
            Label::Inferred
        },
        missing: joined(&dwell.quality.missing, &remote.missing),
        impact_ms: ms(remote.ns),
        tasks: tasks.len(),
        pids: tasks.iter().take(MOST_NAMED).map(|task| task.pid).collect(),
        summary: format!(
            "{} of {} on a node ({share:.0} %) ended within a second of the task's arrival{off}.",
            dwell.short.count,
            plural(dwell.count, "stay"),
        ),
        ..SHORT_DWELL.finding(Label::Inferred, facts.from_ns, facts.to_ns)
    }]
}
