//! Sleeps of slow requests: `LOCK_HOLDER`, `DISK_SLOW`, `PEER_SLOW`. Only sleeps inside requests count: idle workers also sleep.

use std::fmt::Write as _;

use numalens_core::provenance::Label;
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{Evidence, Finding, FindingEntry, worst_pids};
use numalens_subject::window::time;

use crate::catalogue::SleepCause;
use crate::findings::Facts;
use crate::slow::{SlowSleep, SlowSleeps};

/// Pids that a finding lists.
const NAMED: usize = 5;
/// Least share of the slow requests' time, percent.
const SHARE: u64 = 30;
/// The part alone takes so many times as long as a whole request in the middle: others do not have it.
const TIMES_MEDIAN: u64 = 2;

pub(crate) const LOCK_HOLDER: FindingEntry = FindingEntry {
    id: "LOCK_HOLDER",
    title: "Slow requests wait for a lock",
    meaning: "Slow requests slept until another task released a lock or signaled a condition.",
    kernel: "futex_wait_queue, __mutex_lock, rwsem_down_write_slowpath",
    threshold: "30 % of the time of the slow requests (p99), and twice the median duration in each",
    cost: "that time",
    evidence: Evidence::REQUESTS,
};

pub(crate) fn lock_holder(facts: &Facts<'_>) -> Vec<Finding> {
    of(facts, Kind::Lock, &LOCK_HOLDER)
}

pub(crate) const DISK_SLOW: FindingEntry = FindingEntry {
    id: "DISK_SLOW",
    title: "Slow requests wait for a disk",
    meaning: "Slow requests slept until a block device had read or written, or the journal had committed.",
    kernel: "io_schedule, jbd2_log_wait_commit",
    threshold: "30 % of the time of the slow requests (p99), and twice the median duration in each",
    cost: "that time",
    evidence: Evidence::REQUESTS,
};

pub(crate) fn disk_slow(facts: &Facts<'_>) -> Vec<Finding> {
    of(facts, Kind::Disk, &DISK_SLOW)
}

pub(crate) const PEER_SLOW: FindingEntry = FindingEntry {
    id: "PEER_SLOW",
    title: "Slow requests wait for another service",
    meaning: "Slow requests slept until another process answered.",
    kernel: "ep_poll, sk_wait_data, pipe_read",
    threshold: "30 % of the time of the slow requests (p99), and twice the median duration in each",
    cost: "that time",
    evidence: Evidence::REQUESTS,
};

pub(crate) fn peer_slow(facts: &Facts<'_>) -> Vec<Finding> {
    of(facts, Kind::Peer, &PEER_SLOW)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lock,
    Disk,
    Peer,
}

impl Kind {
    fn of(part: &SlowSleep) -> Option<Self> {
        match part.cause {
            SleepCause::UserLock | SleepCause::KernelLock | SleepCause::Thread => Some(Self::Lock),
            SleepCause::Disk => Some(Self::Disk),
            // Without a task behind it, it is not known which service it waited for.
            SleepCause::Socket | SleepCause::Pipe | SleepCause::Process => {
                (part.by > 0 && !part.of_client).then_some(Self::Peer)
            }
            _ => None,
        }
    }

    /// Sentence about the cause of the sleeps.
    fn words(self, part: &SlowSleep) -> String {
        let by = part.by_comm.as_deref().unwrap_or("another task");
        match self {
            Self::Lock => format!("a lock that {by} ({}) held", part.by),
            Self::Disk => match &part.resource {
                Some(device) => format!("a disk ({device})"),
                None => "a disk".to_owned(),
            },
            Self::Peer => format!("{by} ({})", part.by),
        }
    }
}

fn of(facts: &Facts<'_>, kind: Kind, entry: &FindingEntry) -> Vec<Finding> {
    let slow = facts.requests;
    slow.map_or_else(Vec::new, |slow| found(slow, kind, entry))
}

fn found(slow: &SlowSleeps, kind: Kind, entry: &FindingEntry) -> Vec<Finding> {
    let of_kind = slow
        .parts
        .iter()
        .filter(|part| Kind::of(part) == Some(kind));
    // One task or device each; the one with the most time is the finding.
    let Some(part) = of_kind.max_by_key(|part| part.ns) else {
        return Vec::new();
    };
    let each = part.ns / (slow.slow as u64).max(1);
    let is_telling = part.ns.saturating_mul(100) >= slow.total_ns.saturating_mul(SHARE)
        && each >= slow.median_ns.saturating_mul(TIMES_MEDIAN);
    if !is_telling {
        return Vec::new();
    }
    let share = part.ns as f64 * 100.0 / slow.total_ns.max(1) as f64;
    let mut said = format!(
        "The {} slowest of {} requests to {} (from {}) waited for {} for {share:.0} % of their time",
        slow.slow,
        slow.count,
        slow.service,
        time(slow.from_ns),
        kind.words(part),
    );
    if let (Some((clause, ns)), Some(by)) = (&part.meanwhile, &part.by_comm) {
        let share = *ns as f64 * 100.0 / part.ns.max(1) as f64;
        let _ = write!(said, "; {by} spent {share:.0} % of this time {clause}");
    }
    let ms = |ns: u64| ns as f64 / 1e6;
    let places = part.places.iter();
    let places = places.map(|it| Occurrence::new(it.from_ns, it.to_ns, it.ns).of(it.pid));
    let pids = part.places.iter().filter_map(|it| Some((it.pid?, it.ns)));
    let pids = worst_pids(pids, NAMED);
    let (from_ns, to_ns) = (
        part.places.iter().map(|it| it.from_ns).min().unwrap_or(0),
        part.places.iter().map(|it| it.to_ns).max().unwrap_or(0),
    );
    vec![
        Finding {
            impact_ms: ms(part.ns),
            cost_ms: Some(ms(part.ns)),
            tasks: pids.len(),
            pids,
            summary: format!("{said}."),
            verdict: Some(said),
            ..entry.finding(Label::Inferred, from_ns, to_ns)
        }
        .at(Occurrences::of(places)),
    ]
}
