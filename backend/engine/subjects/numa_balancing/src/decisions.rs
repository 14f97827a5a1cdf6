//! Attempts of the NUMA balancer and pulls of the load balancer as decisions.

use std::collections::HashMap;

use numalens_core::provenance::Source;
use numalens_replay::migrations::How;
use numalens_replay::numa::{LATEST_NS, Verdict};
use numalens_subject::decisions::{At, Kind, Steps, Tally, Wording};
use numalens_subject::logs::NumaInputs;
use numalens_subject::{Context, Stop};

const ATTEMPT: Wording = Wording::new(
    "numa_attempt",
    "Attempt to move a task to its preferred node",
    "N1",
    "task_numa_migrate",
);
const PULL: Wording = Wording::new(
    "pull",
    "Move of a runnable task by the load balancer",
    "N11",
    "detach_tasks, active_load_balance_cpu_stop",
);

/// Returns the attempts and pulls of a window.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
pub fn decisions(open: &Context, steps: Steps) -> Result<Vec<Kind>, Stop> {
    let known = NumaInputs::of(open)?;
    let window = steps.window;
    let before = window.from_ns.saturating_sub(LATEST_NS);
    let mut tally = Tally::new(steps);
    // Migrations of the attempts, by task and chosen CPU.
    let mut sent: HashMap<(i32, i32), Vec<(u64, u64)>> = HashMap::new();
    for attempt in known.attempts(before, window.to_ns)? {
        if attempt.start_ns >= window.from_ns {
            let at = At {
                ts_ns: attempt.start_ns,
                pid: Some(attempt.pid),
                cpu: u32::try_from(attempt.dst_cpu).ok(),
            };
            tally.add(attempt.verdict, at);
        }
        let span = (attempt.start_ns, attempt.end_ns);
        let swapped = attempt.partner.map(|one| (one.pid, attempt.src_cpu));
        for key in [Some((attempt.pid, attempt.dst_cpu)), swapped] {
            sent.entry(key.unwrap_or_default()).or_default().push(span);
        }
    }
    let mut pulls = Tally::new(steps);
    let node_of = |cpu: u32| {
        let mut nodes = known.nodes().iter();
        nodes
            .find(|node| node.cpus.contains(&cpu))
            .map(|node| node.nid)
    };
    for one in known.migrations(window.from_ns, window.to_ns)? {
        let spans = sent.get(&(one.pid, one.dest_cpu as i32));
        let by_numa = spans.into_iter().flatten();
        let mut by_numa = by_numa.filter(|span| (span.0..=span.1).contains(&one.ts_ns));
        if one.how == How::Runnable && by_numa.next().is_none() {
            let at = At {
                ts_ns: one.ts_ns,
                pid: Some(one.pid),
                cpu: Some(one.dest_cpu),
            };
            pulls.add(node_of(one.orig_cpu) == node_of(one.dest_cpu), at);
        }
    }
    let quality = |source: Source| (source.label, source.missing);
    Ok(vec![
        pulls.finish(open, PULL, quality(known.migrations_source()), pull),
        tally.finish(open, ATTEMPT, quality(known.attempts_source()), verdict),
    ])
}

fn pull(within: bool) -> Wording {
    if within {
        Wording::new("in_node", "Within a node", "", "detach_tasks")
    } else {
        Wording::new(
            "cross_node",
            "To another node",
            "N11",
            "detach_tasks, migrate_degrades_locality",
        )
    }
}

fn verdict(verdict: Verdict) -> Wording {
    let (id, title, rule, kernel) = match verdict {
        Verdict::Moved => ("moved", "Moved", "N3", "migrate_task_to"),
        Verdict::Swapped => ("swapped", "Swapped with another task", "N3", "migrate_swap"),
        Verdict::NoCpu => ("no_cpu", "No CPU found", "N10", "task_numa_find_cpu"),
        Verdict::MoveFailed => ("move_failed", "Move failed", "N3", "migrate_task_to"),
        Verdict::MoveRefused => (
            "move_refused",
            "Move refused by the affinity",
            "N3",
            "migrate_task_to",
        ),
        Verdict::SwapRaced => (
            "swap_raced",
            "Tasks of a swap had moved",
            "N3",
            "migrate_swap_stop",
        ),
        Verdict::SwapRefused => ("swap_refused", "Swap refused", "N3", "migrate_swap"),
        Verdict::NoDomain => ("no_domain", "No NUMA domain", "N3", "task_numa_migrate"),
        Verdict::Unknown => ("unknown", "End not known", "N3", "task_numa_migrate"),
    };
    Wording::new(id, title, rule, kernel)
}
