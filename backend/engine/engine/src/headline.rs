//! The window in one sentence, also when nothing was found.

use std::collections::BTreeMap;

use numalens_machine::coverage::LEAST_PERCENT;
use numalens_machine::utilisation::Utilisation;
use numalens_replay::evidence::{LOST_EVENTS, OTHER_TASKS};
use numalens_subject::findings::{Claim, Finding, Severity};
use numalens_subject::window::time;
use numalens_waits::OfflineCpu;
use numalens_waits::findings::{CPU_SATURATED, Claimed, LEAST_NS, WaitingFacts};
use schemars::JsonSchema;
use serde::Serialize;

/// More CPUs that were offline are not named one by one.
const MOST_OFFLINE: usize = 3;

/// Offline time of each CPU, ns.
fn offline_ns(offline: &[OfflineCpu]) -> BTreeMap<u32, u64> {
    let mut sums = BTreeMap::new();
    for off in offline {
        *sums.entry(off.cpu).or_default() += off.to_ns - off.from_ns;
    }
    sums
}

/// Offline CPUs with their times, after the number of CPUs; empty without any.
fn offline_words(offline: &[OfflineCpu]) -> String {
    let sums = offline_ns(offline);
    match sums.len() {
        0 => String::new(),
        1..=MOST_OFFLINE => {
            let each = sums.iter();
            let each = each.map(|(cpu, &ns)| format!("CPU {cpu} offline for {}", time(ns)));
            format!(" ({})", each.collect::<Vec<_>>().join(", "))
        }
        cpus => format!(" ({cpus} of them offline at times)"),
    }
}

/// The window in one sentence.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Headline {
    /// Loss, its cause and time; then the number of CPUs and their load. The first finding says the same.
    pub summary: String,
    /// CPUs of the machine.
    pub cpus: usize,
    /// Load of the CPUs, percent of the recorded time; null if nothing is recorded.
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
    /// Share of all waiting, percent; 0 without waits.
    pub percent: f64,
}

impl OtherWaiting {
    /// Waiting that is in no claim.
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

/// Use of the CPUs, CPU-ns.
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
        if used.missing.iter().any(|missing| missing == OTHER_TASKS) {
            return sums;
        }
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
        if unknown < LEAST_PERCENT {
            format!("{busy:.0} % busy")
        } else {
            format!("{busy:.0} % busy ({unknown:.0} % of their time not recorded)")
        }
    }
}

impl Headline {
    /// Creates the headline of a window from its findings, the worst first. `None` means not recorded.
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
        Self {
            summary: verdict(facts, found, &machine, busy),
            cpus,
            busy_percent: busy.percent(),
            waiting_ms: facts.map(|facts| ms(facts.waiting.total_ns)),
            longest_wait_ms: facts.map(|facts| ms(facts.waiting.longest_ns)),
            offline,
        }
    }
}

/// The verdict, which is the first finding, then the machine, and what else was found.
fn verdict(
    facts: Option<&WaitingFacts<'_>>,
    found: &[Finding],
    machine: &str,
    busy: Busy,
) -> String {
    let first = found.first().filter(|one| one.severity > Severity::Low);
    let what = match first {
        Some(first) => first
            .verdict
            .clone()
            .unwrap_or_else(|| first.summary.trim_end_matches('.').to_owned()),
        None => quiet(facts, found),
    };
    let waited = facts.map_or(0, |facts| {
        let all = facts.waiting;
        all.total_ns.saturating_sub(all.unknown_ns)
    });
    let share = if busy.running > 0 && waited > 0 {
        let percent = waited as f64 * 100.0 / waited.saturating_add(busy.running) as f64;
        format!(", tasks waited for {percent:.0} % of their runnable time")
    } else {
        String::new()
    };
    let lost = facts.is_some_and(|facts| facts.missing.iter().any(|name| name == LOST_EVENTS));
    let lost = if lost { "; events were lost" } else { "" };
    let unknown = match (facts, first) {
        (None, Some(_)) => "; waits were not recorded",
        (Some(facts), Some(_)) if !facts.wakeups => "; waits after wakeups were not recorded",
        _ => "",
    };
    let other = first.and_then(|first| found.iter().find(|one| one.id != first.id));
    let other = other.filter(|one| one.severity > Severity::Low);
    let other = other.map_or(String::new(), |one| format!("; also found: {}", one.title));
    format!("{what}. {machine}{share}{unknown}{lost}{other}.")
}

/// Known facts if no finding is serious.
fn quiet(facts: Option<&WaitingFacts<'_>>, found: &[Finding]) -> String {
    let Some(facts) = facts else {
        return "Waits unknown: switches and wakeups were not recorded".to_owned();
    };
    let longest = time(facts.waiting.longest_ns);
    if !facts.wakeups {
        let known = match facts.waiting.longest_ns {
            0 => String::new(),
            _ => format!("; the longest after a preemption is {longest}"),
        };
        return format!("Waits unknown: wakeups were not recorded{known}");
    }
    let window_ms = facts.to_ns.saturating_sub(facts.from_ns) as f64 / 1e6;
    let hurt = |one: &&Finding| one.victims_ms.is_some_and(|ms| ms * 100.0 >= window_ms);
    let little = found
        .first()
        .filter(hurt)
        .and_then(|one| one.verdict.as_ref());
    if let Some(verdict) = little {
        return format!("Little was lost: {verdict}");
    }
    let unknown_ns = facts.waiting.unknown_ns;
    let much_unknown = unknown_ns >= LEAST_NS && unknown_ns as f64 / 1e4 >= window_ms;
    if facts.waiting.longest_ns < LEAST_NS && much_unknown {
        let rest = match facts.waiting.longest_ns {
            0 => String::new(),
            _ => format!("; the longest wait with one is {longest}"),
        };
        let unknown = time(unknown_ns);
        return format!("Waits unknown: {unknown} of waiting has no recorded cause{rest}");
    }
    let busy = found.iter().any(|one| one.id == CPU_SATURATED.id);
    match facts.waiting.longest_ns {
        0 => "No task waited for a CPU: if something was slow, CPUs are not the cause".to_owned(),
        ns if ns < LEAST_NS => format!(
            "No task waited long for a CPU (longest {longest}): if something was slow, CPUs are not the cause"
        ),
        _ if busy => format!(
            "No task lost much to others: they shared the busy CPUs; longest wait {longest}"
        ),
        _ if found.iter().all(|one| one.what_if.is_none()) => {
            format!("Longest wait {longest}: no single cause reaches 10 ms and 1 % of the waiting")
        }
        _ => format!("No serious cause was found; longest wait {longest}"),
    }
}
