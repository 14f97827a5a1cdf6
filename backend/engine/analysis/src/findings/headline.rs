//! The window in one sentence, also when nothing was found.

use std::collections::BTreeMap;

use numalens_core::provenance::Label;
use numalens_replay::evidence::CpuSpan;
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::waiting::{Claim, Claimed, LEAST_NS, WaitingFacts, is_storm};
use crate::findings::{CATALOGUE, Finding, Severity};
use crate::utilisation::Utilisation;
use crate::window::LOST_EVENTS;
use crate::window::time;

/// More CPUs that were offline are not named one by one.
const MOST_OFFLINE: usize = 3;

/// A smaller share of the CPUs' time without data is not mentioned, percent.
const UNKNOWN_PERCENT: f64 = 1.0;

/// A CPU that was offline in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OfflineCpu {
    /// The CPU.
    pub cpu: u32,
    /// From when, ns, or from the window's beginning.
    pub from_ns: u64,
    /// Until when, ns, or until the window's end.
    pub to_ns: u64,
    /// `observed`: `cpuhp` events say so.
    pub label: Label,
}

impl OfflineCpu {
    /// Those of a window.
    #[must_use]
    pub fn within(offline: &[CpuSpan], from_ns: u64, to_ns: u64) -> Vec<Self> {
        let parts = offline.iter().map(|off| Self {
            cpu: off.cpu,
            from_ns: off.from_ns.max(from_ns),
            to_ns: off.to_ns.unwrap_or(to_ns).min(to_ns),
            label: Label::Observed,
        });
        parts.filter(|part| part.from_ns < part.to_ns).collect()
    }
}

/// How long each CPU was offline, ns.
fn offline_ns(offline: &[OfflineCpu]) -> BTreeMap<u32, u64> {
    let mut sums = BTreeMap::new();
    for off in offline {
        *sums.entry(off.cpu).or_default() += off.to_ns - off.from_ns;
    }
    sums
}

/// Which CPUs were offline for how long, after the number of CPUs; nothing when none was.
fn offline_words(offline: &[OfflineCpu]) -> String {
    let sums = offline_ns(offline);
    match sums.len() {
        0 => String::new(),
        1..=MOST_OFFLINE => {
            let each = sums.iter();
            let each = each.map(|(cpu, &ns)| format!("CPU {cpu} offline for {}", time(ns)));
            format!(" ({})", each.collect::<Vec<_>>().join(", "))
        }
        cpus => format!(" ({cpus} of them offline for a time)"),
    }
}

/// The window in one sentence.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Headline {
    /// How many CPUs, how busy, who waited how long for what.
    pub summary: String,
    /// CPUs of the machine.
    pub cpus: usize,
    /// How busy they were, percent of the time that is recorded; null when none is.
    pub busy_percent: Option<f64>,
    /// All waiting of the window, ms; null when waits are not recorded.
    pub waiting_ms: Option<f64>,
    /// The longest wait, ms; null when waits are not recorded.
    pub longest_wait_ms: Option<f64>,
    /// CPUs that were offline, by CPU and time.
    pub offline: Vec<OfflineCpu>,
}

/// Waiting that no finding claims.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct OtherWaiting {
    /// In all, ms.
    pub ms: f64,
    /// Its share of all waiting, percent; 0 when nothing waited.
    pub percent: f64,
}

impl OtherWaiting {
    /// What the claims leave.
    #[must_use]
    pub fn of(facts: &WaitingFacts<'_>) -> Self {
        let all = facts.waiting.total_ns;
        let claimed = claims(facts).fold(0, |sum: u64, one| sum.saturating_add(one.1.ns));
        let rest = all.saturating_sub(claimed);
        Self {
            ms: rest as f64 / 1e6,
            percent: rest as f64 * 100.0 / all.max(1) as f64,
        }
    }
}

fn claims<'a>(facts: &WaitingFacts<'a>) -> impl Iterator<Item = (Claim, &'a Claimed)> {
    let facts = *facts;
    let all = Claim::ALL.into_iter();
    all.filter_map(move |claim| Some((claim, facts.claimed(claim)?.0)))
}

/// What the CPUs did, CPU-ns.
#[derive(Debug, Clone, Copy, Default)]
struct Busy {
    /// With a task.
    running: u64,
    /// With or without one.
    known: u64,
    /// In all.
    all: u64,
}

impl Busy {
    /// Without what CPUs were offline.
    fn of(used: &Utilisation, offline: &[OfflineCpu]) -> Self {
        let mut sums = Self::default();
        let add = |sum: &mut u64, ns: u64| *sum = sum.saturating_add(ns);
        let offline = offline_ns(offline);
        for cpu in &used.cpus {
            let known = cpu.busy_ns.saturating_add(cpu.idle_ns);
            let off = offline.get(&cpu.cpu).copied().unwrap_or_default();
            add(&mut sums.running, cpu.busy_ns);
            add(&mut sums.known, known);
            add(
                &mut sums.all,
                known.saturating_add(cpu.unknown_ns.saturating_sub(off)),
            );
        }
        sums
    }

    fn percent(self) -> Option<f64> {
        (self.known > 0).then(|| self.running as f64 * 100.0 / self.known as f64)
    }

    fn words(self) -> String {
        let Some(busy) = self.percent() else {
            return "busy time not recorded".to_owned();
        };
        let unknown = 100.0 - self.known as f64 * 100.0 / self.all as f64;
        if unknown < UNKNOWN_PERCENT {
            format!("{busy:.0} % busy")
        } else {
            format!("{busy:.0} % busy ({unknown:.0} % of their time not recorded)")
        }
    }
}

impl Headline {
    /// Of a window with these findings, the worst first. What is `None` is not recorded.
    #[must_use]
    pub fn of(
        cpus: usize,
        used: Option<&Utilisation>,
        facts: Option<&WaitingFacts<'_>>,
        found: &[Finding],
        offline: Vec<OfflineCpu>,
    ) -> Self {
        let busy = used.map_or_else(Busy::default, |used| Busy::of(used, &offline));
        let ms = |ns: u64| ns as f64 / 1e6;
        let off = offline_words(&offline);
        let machine = match cpus {
            1 => format!("1 CPU{off}, {}", busy.words()),
            cpus => format!("{cpus} CPUs{off}, {}", busy.words()),
        };
        let waits = facts.map_or(", waits not recorded".to_owned(), |facts| {
            waited(facts, busy)
        });
        Self {
            summary: format!("{machine}{waits}{}.", others(found)),
            cpus,
            busy_percent: busy.percent(),
            waiting_ms: facts.map(|facts| ms(facts.waiting.total_ns)),
            longest_wait_ms: facts.map(|facts| ms(facts.waiting.longest_ns)),
            offline,
        }
    }
}

/// Who waited how long, and for what most.
fn waited(facts: &WaitingFacts<'_>, busy: Busy) -> String {
    let waiting = facts.waiting;
    let lost = if facts.missing.iter().any(|name| name == LOST_EVENTS) {
        "; events were lost"
    } else {
        ""
    };
    let longest = time(waiting.longest_ns);
    let Some((claim, most)) = claims(facts).max_by_key(|one| one.1.ns) else {
        let what = match waiting.longest_ns {
            0 => return format!(": nothing waited{lost}"),
            ns if ns < LEAST_NS => "nothing waited long",
            _ => "no cause has 10 ms and 1 % of the waiting",
        };
        return format!(", longest wait {longest}: {what}{lost}");
    };
    let tasks = match most.tasks {
        1 => "1 task".to_owned(),
        tasks => format!("{tasks} tasks"),
    };
    let runnable = waiting.total_ns.saturating_add(busy.running);
    let share = if busy.running > 0 {
        let percent = waiting.total_ns as f64 * 100.0 / runnable as f64;
        format!("{percent:.0} % of all runnable time was waiting")
    } else {
        format!("{} of waiting", time(waiting.total_ns))
    };
    let percent = most.ns as f64 * 100.0 / waiting.total_ns.max(1) as f64;
    let why = match claim {
        Claim::Saturated if is_storm(most) => "in a fork storm while no CPU was idle",
        claim => words(claim),
    };
    let behind = waiting
        .behind
        .as_ref()
        .filter(|behind| claim == Claim::Saturated && behind.percent >= NAMED_PERCENT)
        .map_or(String::new(), |behind| {
            let of = match (behind.tasks, &behind.cgroup) {
                (1, None) => "1 task".to_owned(),
                (1, Some(path)) => format!("1 task of {path}"),
                (tasks, None) => format!("{tasks} tasks"),
                (tasks, Some(path)) => format!("{tasks} tasks of {path}"),
            };
            format!(
                "; {:.0} % of the longest waits behind {} ({of})",
                behind.percent, behind.comm
            )
        });
    format!(
        ": {share}, {percent:.0} % of it by {tasks} {why}{behind}; longest wait {longest}{lost}"
    )
}

/// Who ran for a smaller share of the longest waits is not named, percent.
const NAMED_PERCENT: f64 = 25.0;

/// What the tasks of a claim waited for.
fn words(claim: Claim) -> &'static str {
    match claim {
        Claim::Saturated => "while no CPU was idle",
        Claim::HigherClass => "behind real-time, deadline or stop tasks",
        Claim::Pinned => "that are, or probably are, pinned to busy CPUs",
        Claim::Throttled => "that were throttled",
        Claim::Interrupts => "behind interrupts",
        Claim::IdleElsewhere => "while another CPU was idle",
        Claim::KickDropped => "while another CPU was idle and a balancing kick was dropped",
        Claim::PassedOver => "that idle CPUs probably looked at and left",
        Claim::IdleUnexplained => "on idle CPUs, which nothing recorded explains",
        Claim::NumaScan => "behind NUMA scanning",
        Claim::ScxQueued => "held by the BPF scheduler (sched_ext)",
        Claim::ScxStalled => "stalled by the BPF scheduler (sched_ext)",
        Claim::NewIdle => "behind newly idle balancing",
        Claim::Steal => "for CPUs that the host did not run",
        Claim::HardwareNoise => "for CPUs that the hardware had taken",
    }
}

/// The worst finding about something else than waiting, when it is of weight.
fn others(found: &[Finding]) -> String {
    let other = found
        .iter()
        .find(|one| one.what_if.is_none() && one.severity > Severity::Low);
    let title = other.and_then(|one| CATALOGUE.iter().find(|kind| kind.id == one.id));
    title.map_or(String::new(), |kind| format!("; found too: {}", kind.title))
}
