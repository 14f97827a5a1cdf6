//! Tasks that were kept from running by the freezer, a signal or a tracer: `FROZEN`, `STOPPED`, `TRACED`. No CPU would have helped.

use std::collections::BTreeMap;

use numalens_core::provenance::Label;
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{Evidence, Finding, FindingEntry, worst_pids};
use numalens_subject::window::{into, time};

use crate::findings::Facts;

/// Mechanism that kept tasks from running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Halt {
    /// The freezer of a cgroup, or the system was suspending.
    Frozen,
    /// A signal.
    Stopped,
    /// A tracer.
    Traced,
}

/// Time in which one task was kept from running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halted {
    /// Mechanism.
    pub halt: Halt,
    /// PID.
    pub pid: i32,
    /// Name of its process, or of the task where its process is unknown.
    pub comm: String,
    /// Begin, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Name of the task that let it continue; `None` if unknown.
    pub by: Option<String>,
    /// Signal that stopped it, and who sent that; `None` if unknown.
    pub signal: Option<String>,
}

/// Less is not worth a word, ns.
const LEAST_NS: u64 = 10_000_000;
/// A smaller share of the window is not, either, percent.
const LEAST_PERCENT: u64 = 1;
/// Pids that a finding lists.
const NAMED: usize = 5;

pub(crate) const FROZEN: FindingEntry = FindingEntry {
    id: "FROZEN",
    title: "Frozen",
    meaning: "The freezer of a cgroup stopped tasks, as docker pause and snapshots do, or the system was suspending.",
    kernel: "__refrigerator, do_freezer_trap",
    threshold: "tasks of a name were frozen for 10 ms and 1 % of the window",
    cost: "time for which each task was stopped",
    evidence: Evidence::SLEEPS,
};

pub(crate) fn frozen(facts: &Facts<'_>) -> Vec<Finding> {
    found(facts, Halt::Frozen, &FROZEN)
}

pub(crate) const STOPPED: FindingEntry = FindingEntry {
    id: "STOPPED",
    title: "Stopped by a signal",
    meaning: "A signal stopped tasks (SIGSTOP, SIGTSTP) until another one continued them.",
    kernel: "do_signal_stop",
    threshold: "tasks of a name were stopped for 10 ms and 1 % of the window",
    cost: "time for which each task was stopped",
    evidence: Evidence::SLEEPS,
};

pub(crate) fn stopped(facts: &Facts<'_>) -> Vec<Finding> {
    found(facts, Halt::Stopped, &STOPPED)
}

pub(crate) const TRACED: FindingEntry = FindingEntry {
    id: "TRACED",
    title: "Stopped by a tracer",
    meaning: "A debugger or tracer, such as gdb or strace, stopped tasks.",
    kernel: "ptrace_stop",
    threshold: "tasks of a name were stopped so for 10 ms and 1 % of the window",
    cost: "time for which each task was stopped",
    evidence: Evidence::SLEEPS,
};

pub(crate) fn traced(facts: &Facts<'_>) -> Vec<Finding> {
    found(facts, Halt::Traced, &TRACED)
}

impl Halt {
    /// Verbs of the sentence: of the tasks, and of the task that let them continue.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Frozen => ("frozen", "thawed"),
            Self::Stopped => ("stopped by a signal", "continued"),
            Self::Traced => ("stopped by a tracer", "continued"),
        }
    }
}

fn found(facts: &Facts<'_>, halt: Halt, kind: &FindingEntry) -> Vec<Finding> {
    let window = facts.to_ns.saturating_sub(facts.from_ns).max(1);
    let mut by_name: BTreeMap<&str, Vec<&Halted>> = BTreeMap::new();
    for one in facts.halted.iter().filter(|one| one.halt == halt) {
        by_name.entry(&one.comm).or_default().push(one);
    }
    let length = |one: &Halted| one.to_ns.saturating_sub(one.from_ns);
    let findings = by_name.into_iter().filter_map(|(comm, all)| {
        let mut tasks: BTreeMap<i32, u64> = BTreeMap::new();
        for one in &all {
            *tasks.entry(one.pid).or_default() += length(one);
        }
        let ns: u64 = tasks.values().sum();
        if ns < LEAST_NS || ns.saturating_mul(100) < window.saturating_mul(LEAST_PERCENT) {
            return None;
        }
        let longest = all.iter().max_by_key(|one| length(one))?;
        let who = match tasks.len() {
            1 => comm.to_owned(),
            count => format!("{comm} ({count} tasks)"),
        };
        let (what, released) = halt.words();
        let by = longest.by.as_ref();
        let by = by.map_or(String::new(), |by| format!("; {by} {released} it"));
        let signal = longest.signal.as_ref();
        let signal = signal.map_or(String::new(), |signal| format!(" ({signal})"));
        let verdict = format!(
            "{who} was {what}{signal} for {}; longest {}, {}{by}",
            time(ns),
            time(length(longest)),
            into(facts.from_ns, longest.from_ns)
        );
        let ms = |ns: u64| ns as f64 / 1e6;
        let places = all.iter();
        let places =
            places.map(|one| Occurrence::new(one.from_ns, one.to_ns, length(one)).of([one.pid]));
        // The state of a sleep is an event's; that the freezer was it is a conclusion.
        let label = match halt {
            Halt::Frozen => Label::Inferred,
            Halt::Stopped | Halt::Traced => Label::Observed,
        };
        let squares = all
            .iter()
            .map(|one| length(one) as f64 * length(one) as f64);
        Some(
            Finding {
                impact_ms: ms(ns),
                cost_ms: Some(ms(ns)),
                worst_task_ms: tasks.values().max().map(|&ns| ms(ns)),
                felt_ms: Some(squares.sum::<f64>() / tasks.len() as f64 / window as f64 / 1e6),
                victims_ms: Some(ms(ns)),
                tasks: tasks.len(),
                pids: worst_pids(tasks, NAMED),
                summary: format!("{verdict}: CPUs are not the cause."),
                verdict: Some(verdict),
                ..kind.finding(label, facts.from_ns, facts.to_ns)
            }
            .at(Occurrences::of(places)),
        )
    });
    findings.collect()
}
