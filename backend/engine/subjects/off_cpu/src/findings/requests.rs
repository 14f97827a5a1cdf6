//! Sleeps of slow requests: `LOCK_HOLDER`, `DISK_SLOW`, `RECLAIM_STALL`, `PEER_SLOW`, `SLEPT_TOO_LONG`. Only sleeps inside requests count: idle workers also sleep.

use std::collections::BTreeMap;
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
    threshold: "at least 30 % of the time of the slow requests (p99), and on average twice the median duration per request",
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
    threshold: "at least 30 % of the time of the slow requests (p99), and on average twice the median duration per request",
    cost: "that time",
    evidence: Evidence::REQUESTS,
};

pub(crate) fn disk_slow(facts: &Facts<'_>) -> Vec<Finding> {
    of(facts, Kind::Disk, &DISK_SLOW)
}

pub(crate) const RECLAIM_STALL: FindingEntry = FindingEntry {
    id: "RECLAIM_STALL",
    title: "Slow requests wait for memory",
    meaning: "Slow requests slept until memory had been reclaimed, compacted or written back.",
    kernel: "throttle_direct_reclaim, mem_cgroup_handle_over_high, balance_dirty_pages",
    threshold: "at least 30 % of the time of the slow requests (p99), and on average twice the median duration per request",
    cost: "that time",
    evidence: Evidence::REQUESTS,
};

pub(crate) fn reclaim_stall(facts: &Facts<'_>) -> Vec<Finding> {
    of(facts, Kind::Memory, &RECLAIM_STALL)
}

pub(crate) const PEER_SLOW: FindingEntry = FindingEntry {
    id: "PEER_SLOW",
    title: "Slow requests wait for another service",
    meaning: "Slow requests slept until another process answered.",
    kernel: "ep_poll, sk_wait_data, pipe_read",
    threshold: "at least 30 % of the time of the slow requests (p99), and on average twice the median duration per request",
    cost: "that time",
    evidence: Evidence::REQUESTS,
};

pub(crate) fn peer_slow(facts: &Facts<'_>) -> Vec<Finding> {
    of(facts, Kind::Peer, &PEER_SLOW)
}

pub(crate) const SLEPT_TOO_LONG: FindingEntry = FindingEntry {
    id: "SLEPT_TOO_LONG",
    title: "Slow requests sleep until a time",
    meaning: "Slow requests slept until a timer woke them: a pause in the program, a wait that timed out, or a late timer.",
    kernel: "hrtimer_nanosleep, schedule_timeout, hrtimer_wakeup",
    threshold: "at least 30 % of the time of the slow requests (p99), and on average twice the median duration per request",
    cost: "that time",
    evidence: Evidence::REQUESTS,
};

pub(crate) fn slept_too_long(facts: &Facts<'_>) -> Vec<Finding> {
    of(facts, Kind::Timer, &SLEPT_TOO_LONG)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lock,
    Disk,
    Memory,
    Peer,
    Timer,
}

impl Kind {
    fn of(part: &SlowSleep) -> Option<Self> {
        match part.cause {
            SleepCause::UserLock | SleepCause::KernelLock | SleepCause::Thread => Some(Self::Lock),
            SleepCause::Disk => Some(Self::Disk),
            SleepCause::Memory => Some(Self::Memory),
            // Without a task behind it, it is not known which service it waited for.
            SleepCause::Socket | SleepCause::Pipe | SleepCause::Process => {
                (part.by > 0 && !part.of_client).then_some(Self::Peer)
            }
            SleepCause::Timer => Some(Self::Timer),
            _ => None,
        }
    }

    /// Cause of the sleeps, and the tasks that held them up.
    fn words(self, parts: &[&SlowSleep]) -> (String, String) {
        let first = parts.first();
        let by = first.and_then(|part| part.by_comm.as_deref());
        let by = by.unwrap_or("another task");
        let mut pids: BTreeMap<i32, u64> = BTreeMap::new();
        for part in parts {
            *pids.entry(part.by).or_default() += part.ns;
        }
        let all: u64 = pids.values().sum();
        let most = pids.iter().max_by_key(|(_, ns)| **ns);
        let whose = match most {
            Some((pid, _)) if pids.len() == 1 => format!("{by} ({pid})"),
            Some((pid, ns)) if ns * 2 > all => format!("{by} (mostly {pid})"),
            _ => format!("{by} ({} tasks)", pids.len()),
        };
        match self {
            Self::Lock => (
                format!("a lock that {by} held"),
                format!("a lock that {whose} held"),
            ),
            Self::Disk | Self::Memory | Self::Timer => {
                let what = match self {
                    Self::Disk => "a disk",
                    Self::Memory => "memory",
                    _ => "a timer",
                };
                let which = first.and_then(|part| part.resource.as_deref());
                let what = which.map_or(what.to_owned(), |which| format!("{what} ({which})"));
                (what.clone(), what)
            }
            Self::Peer => (by.to_owned(), whose),
        }
    }
}

/// Main activity of the responsible tasks: a clause, and its duration, ns.
fn main_activity<'a>(parts: &[&'a SlowSleep]) -> Option<(&'a str, u64)> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for (clause, ns) in parts.iter().filter_map(|part| part.main_activity.as_ref()) {
        *sums.entry(clause).or_default() += ns;
    }
    sums.into_iter().max_by_key(|(_, ns)| *ns)
}

fn of(facts: &Facts<'_>, kind: Kind, entry: &FindingEntry) -> Vec<Finding> {
    let slow = facts.requests;
    slow.map_or_else(Vec::new, |slow| found(slow, kind, entry))
}

fn found(slow: &SlowSleeps, kind: Kind, entry: &FindingEntry) -> Vec<Finding> {
    // Tasks of a name share the blame; so do uses of a device.
    let mut groups: BTreeMap<Option<&str>, Vec<&SlowSleep>> = BTreeMap::new();
    for part in slow
        .parts
        .iter()
        .filter(|part| Kind::of(part) == Some(kind))
    {
        let name = match kind {
            Kind::Disk | Kind::Memory | Kind::Timer => &part.resource,
            Kind::Lock | Kind::Peer => &part.by_comm,
        };
        groups.entry(name.as_deref()).or_default().push(part);
    }
    let total = |parts: &[&SlowSleep]| -> u64 { parts.iter().map(|part| part.ns).sum() };
    let Some(parts) = groups.into_values().max_by_key(|parts| total(parts)) else {
        return Vec::new();
    };
    let ns = total(&parts);
    let each = ns / (slow.slow as u64).max(1);
    let is_telling = ns.saturating_mul(100) >= slow.total_ns.saturating_mul(SHARE)
        && each >= slow.median_ns.saturating_mul(TIMES_MEDIAN);
    if !is_telling {
        return Vec::new();
    }
    let share = ns as f64 * 100.0 / slow.total_ns.max(1) as f64;
    let (what, whose) = kind.words(&parts);
    let (from, service) = (time(slow.from_ns), &slow.service);
    let slowest = match slow.slow {
        1 => "the slowest".to_owned(),
        count => format!("the {count} slowest"),
    };
    let verdict = format!(
        "{service}: {slowest} of {} requests ({from} or more) waited for {what}",
        slow.count
    );
    let mut said = format!(
        "Of {} requests to {service}, {slowest} took {from} or more and waited for {whose} for {share:.0} % of their time",
        slow.count
    );
    let by = parts.first().and_then(|part| part.by_comm.as_ref());
    if let (Some((clause, activity_ns)), Some(by)) = (main_activity(&parts), by) {
        let share = activity_ns as f64 * 100.0 / ns.max(1) as f64;
        let _ = write!(said, ". {by} spent {share:.0} % of this time {clause}");
    }
    let late = parts.iter().filter_map(|part| part.late_ns);
    if let Some(late_ns) = late.reduce(|all, one| all + one) {
        let _ = write!(said, "; the timers were {} late", time(late_ns));
    }
    let ms = |ns: u64| ns as f64 / 1e6;
    let all = || parts.iter().flat_map(|part| &part.places);
    let places = all().map(|it| Occurrence::new(it.from_ns, it.to_ns, it.ns).of(it.pid));
    let pids = all().filter_map(|it| Some((it.pid?, it.ns)));
    let pids = worst_pids(pids, NAMED);
    let (from_ns, to_ns) = (
        all().map(|it| it.from_ns).min().unwrap_or(0),
        all().map(|it| it.to_ns).max().unwrap_or(0),
    );
    vec![
        Finding {
            impact_ms: ms(ns),
            cost_ms: Some(ms(ns)),
            tasks: pids.len(),
            pids,
            summary: format!("{said}."),
            verdict: Some(verdict),
            ..entry.finding(Label::Inferred, from_ns, to_ns)
        }
        .at(Occurrences::of(places)),
    ]
}
