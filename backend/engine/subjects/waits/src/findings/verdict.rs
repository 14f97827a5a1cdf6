//! Verdict of a claim: loss, cause, running task and time.

use numalens_replay::waits::Cause;
use numalens_subject::findings::Claim;
use numalens_subject::window::{cpus_text, into, time};

use super::{Behind, Claimed, WaitingFacts, Worst, is_storm, tasks};

impl WaitingFacts<'_> {
    /// Verdict of a claim, if this is the first finding: loss and cause.
    pub(super) fn verdict(&self, claim: Claim, claimed: &Claimed) -> Option<String> {
        let worst = claimed.worst.as_ref()?;
        let behind = |behind: Option<&Behind>| {
            behind.map_or(String::new(), |one| format!(", behind {}", many(one)))
        };
        let (who, ns, by) = match &claimed.victims {
            Some(victims) => (
                named(&victims.comm, victims.tasks),
                victims.ns,
                match &victims.behind {
                    Some(one) if one.comm == victims.comm => ", behind each other".to_owned(),
                    one => behind(one.as_ref()),
                },
            ),
            None => (
                tasks(claimed.tasks),
                claimed.ns,
                behind(self.waiting.behind.as_ref()),
            ),
        };
        let weight = worst.outweighed.as_ref();
        let weight = weight.map_or(String::new(), |why| format!(" of larger weight ({why})"));
        let storm = self.waiting.storm.as_ref();
        let why = match claim {
            Claim::Saturated if is_storm(self.waiting) => storm.map_or_else(
                || "a fork storm while no CPU was idle".to_owned(),
                |storm| format!("a fork storm, {} tasks forked by {}", storm.tasks, storm.parent),
            ),
            Claim::Saturated if self.offline => {
                format!("no CPU was idle and one was offline{by}{weight}")
            }
            Claim::Saturated => format!("no CPU was idle{by}{weight}"),
            Claim::HigherClass => {
                let bound = claimed.causes[Cause::PinnedBehindHigherClass as usize];
                let pinned = if bound > claimed.ns / 2 { ", pinned" } else { "" };
                let by = by.strip_prefix(", behind ").unwrap_or("tasks");
                format!("behind {by} of a higher class (real-time, deadline or stop){pinned}")
            }
            Claim::Pinned => {
                let probably = claimed.causes[Cause::ProbablyPinned as usize] > claimed.ns / 2;
                let how = if probably { "probably pinned" } else { "pinned" };
                format!(
                    "{how} to {} while other CPUs were idle{by}",
                    cpus_text(&worst.cpus)
                )
            }
            Claim::Throttled => throttled_by(claimed, worst),
            Claim::IdleUnexplained => {
                "runnable on an idle CPU: a CPU quota that was not sampled, a slow CPU or missing events".to_owned()
            }
            claim => words(claim).to_owned(),
        };
        Some(format!(
            "{who} waited {}: {why}; longest {}, {}",
            time(ns),
            time(worst.waiter.ns),
            into(self.from_ns, worst.row.start_ns)
        ))
    }
}

/// "postgres (4 tasks)".
fn named(comm: &str, tasks: usize) -> String {
    match tasks {
        1 => comm.to_owned(),
        tasks => format!("{comm} ({tasks} tasks)"),
    }
}

/// The same with their cgroup.
fn many(behind: &Behind) -> String {
    let cgroup = behind.cgroup.as_ref();
    let cgroup = cgroup.map_or(String::new(), |path| format!(" of {path}"));
    format!("{}{cgroup}", named(&behind.comm, behind.tasks))
}

/// Real-time priorities, as the kernel counts.
const REAL_TIME: std::ops::Range<i32> = 0..100;

/// Reason of throttling.
fn throttled_by(claimed: &Claimed, worst: &Worst) -> String {
    let what = if REAL_TIME.contains(&worst.row.prio) {
        "real-time budget"
    } else {
        "CPU quota"
    };
    let of = claimed.cgroup.as_ref();
    match (of, claimed.causes[Cause::IdleUnexplained as usize]) {
        (Some((path, _)), _) => format!("throttled by the {what} of {path}"),
        (None, 0) => format!("throttled by a {what}"),
        (None, _) => format!("probably throttled by a {what}, which was not sampled"),
    }
}

/// Cause of a claim's waits.
fn words(claim: Claim) -> &'static str {
    match claim {
        Claim::Saturated => "no CPU was idle",
        Claim::HigherClass => "behind real-time, deadline or stop tasks",
        Claim::Pinned => "pinned to busy CPUs",
        Claim::Throttled => "throttled",
        Claim::Interrupts => "behind interrupts",
        Claim::IdleElsewhere => "another CPU was idle and balanced too late",
        Claim::KickDropped => "another CPU was idle, and a balancing kick was dropped",
        Claim::PassedOver => "balancing on idle CPUs probably passed them over",
        Claim::IdleUnexplained => "runnable on an idle CPU",
        Claim::NumaScan => "behind NUMA scanning",
        Claim::ScxQueued => "held by the BPF scheduler (sched_ext)",
        Claim::ScxStalled => "stalled by the BPF scheduler (sched_ext)",
        Claim::NewIdle => "behind newly idle balancing",
        Claim::Steal => "the host did not run their CPUs",
        Claim::HardwareNoise => "hardware noise took their CPUs",
        Claim::Buddy => "behind a buddy, although their slices are shorter",
    }
}
