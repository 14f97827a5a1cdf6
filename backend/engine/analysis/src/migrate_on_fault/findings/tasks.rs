//! Tasks that do not stay, and processes that fight their own memory.

use numalens_core::provenance::Label;

use crate::findings::Finding;
use crate::migrate_on_fault::findings::{
    MOST_NAMED, MigrateOnFaultFacts, finding, joined, ms, percent, plural,
};

/// Share of windows with a fight, percent (`docs/algorithms/page_migration.md`, M16).
const FIGHT_PERCENT: f64 = 10.0;
/// Share of dwells under a second, percent (`docs/algorithms/page_migration.md`, M16).
const SHORT_PERCENT: f64 = 10.0;

/// `MEM_CPU_FIGHT`: tasks went to their memory while their memory went to them.
pub(super) fn fight(facts: &MigrateOnFaultFacts<'_>) -> Vec<Finding> {
    let fight = &facts.metrics.fight;
    // What may be a fight, where nobody knows the memory, is none.
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
        format!(", and ran {:.1} ms off their memory", ms(ns))
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
            "In {} of {} windows of 10 s ({:.0} %) processes fought their own memory: {} and {} went between the same nodes, \
             against each other{off}; the worst is process {} with {}.",
            fight.fighting,
            fight.windows,
            percent(index),
            plural(pages, "page"),
            plural(moves, "task move"),
            worst.tgid,
            plural(worst.pages, "page"),
        ),
        ..finding("MEM_CPU_FIGHT", facts)
    }]
}

/// `SHORT_DWELL`: tasks leave a node soon after they came.
pub(super) fn short_dwell(facts: &MigrateOnFaultFacts<'_>) -> Vec<Finding> {
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
        format!("; they ran {:.1} ms off their memory", ms(remote.ns))
    };
    vec![Finding {
        label: if dwell.quality.missing.is_empty() && remote.missing.is_empty() {
            dwell.quality.label
        } else {
            Label::Inferred
        },
        missing: joined(&dwell.quality.missing, &remote.missing),
        impact_ms: ms(remote.ns),
        pids: tasks.iter().take(MOST_NAMED).map(|task| task.pid).collect(),
        summary: format!(
            "{} of {} on a node ({share:.0} %) ended within a second of the task's arrival{off}.",
            dwell.short.count,
            plural(dwell.count, "stay"),
        ),
        ..finding("SHORT_DWELL", facts)
    }]
}
