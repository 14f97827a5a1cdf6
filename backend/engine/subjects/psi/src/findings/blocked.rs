//! Uninterruptible sleeps (state D) and what they waited for: `IO_BOUND`, `REFAULTS`, `BLOCKED`. No CPU would have helped. One
//! sleep is in one finding at most.

use std::collections::BTreeMap;

use numalens_core::provenance::Label;
use numalens_replay::evidence::{LOST_EVENTS, SILENT_CPUS};
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{Evidence, Finding, FindingEntry, Severity};
use numalens_subject::window::{into, time};

use crate::findings::{Facts, PressureFacts};
use crate::result::Resources;
use crate::{Resource, findings as pressure};

/// The uninterruptible sleeps of a task in a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocked {
    /// PID.
    pub pid: i32,
    /// Name of the task.
    pub comm: String,
    /// Total time asleep, ns.
    pub ns: u64,
    /// Time asleep in `in_iowait`, where that is known, ns.
    pub io_ns: u64,
    /// Sum of the squares of the sleeps, ns².
    pub felt: f64,
    /// Start and end of the longest sleep, ns.
    pub longest: (u64, u64),
    /// Set for a task that spent most of its time in many such sleeps: it only reads or writes.
    pub steady: bool,
    /// Recorded causes of sleeps outside of I/O waits, in words, with their time, ns.
    pub reasons: BTreeMap<String, u64>,
}

/// Facts about uninterruptible sleeps.
#[derive(Debug, Clone, Copy)]
pub struct BlockedFacts<'a> {
    /// The window, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// The tasks, in any order; not those of the kernel, which sleep so for want of work, nor the recorder's.
    pub tasks: &'a [Blocked],
    /// Provenance of their times.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: &'a [String],
    /// True if the `in_iowait` of sleeps is known.
    pub io_known: bool,
    /// Block device of nearly all requests of the recording, as major and minor number.
    pub device: Option<&'a str>,
    /// Pages that were read back soon after they had been reclaimed, by `/proc/vmstat`; `None` when not sampled.
    pub refaults: Option<u64>,
}

/// Tasks of one name.
struct Sleepers<'a> {
    comm: &'a str,
    /// The one that slept longest first.
    tasks: Vec<&'a Blocked>,
    ns: u64,
    felt: f64,
}

impl Sleepers<'_> {
    fn words(&self) -> String {
        match self.tasks.len() {
            1 => self.comm.to_owned(),
            tasks => format!("{} ({tasks} tasks)", self.comm),
        }
    }

    /// Returns whether most of the time is that of tasks that only read or write.
    fn is_steady(&self) -> bool {
        let steady = self.tasks.iter().filter(|one| one.steady);
        steady.map(|one| one.ns).fold(0, u64::saturating_add) > self.ns / 2
    }

    /// Recorded cause of most of the time.
    fn reason(&self) -> Option<String> {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for (reason, ns) in self.tasks.iter().flat_map(|one| &one.reasons) {
            *sums.entry(reason).or_default() += ns;
        }
        let (reason, ns) = sums.into_iter().max_by_key(|one| one.1)?;
        (ns > self.ns / 2).then(|| format!("mostly for {reason}"))
    }

    fn longest(&self) -> (u64, u64) {
        let longest = self.tasks.iter().map(|one| one.longest);
        longest
            .max_by_key(|(from, to)| to.saturating_sub(*from))
            .unwrap_or_default()
    }
}

impl<'a> BlockedFacts<'a> {
    fn window_ns(&self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns).max(1)
    }

    /// The tasks of the name that was stalled worst, by a part of each task's sleeps.
    fn worst(&self, part: impl Fn(&Blocked) -> u64) -> Option<Sleepers<'a>> {
        let all = self.by_name(part).into_iter();
        all.max_by(|a, b| a.felt.total_cmp(&b.felt))
    }

    /// The tasks by name, those that were stalled worst first, and last those that only read or write.
    fn by_name(&self, part: impl Fn(&Blocked) -> u64) -> Vec<Sleepers<'a>> {
        let mut by_comm: BTreeMap<&str, Sleepers<'a>> = BTreeMap::new();
        for task in self.tasks {
            let ns = part(task);
            if ns == 0 {
                continue;
            }
            let own = by_comm.entry(&task.comm).or_insert_with(|| Sleepers {
                comm: &task.comm,
                tasks: Vec::new(),
                ns: 0,
                felt: 0.0,
            });
            own.tasks.push(task);
            own.ns = own.ns.saturating_add(ns);
            own.felt += task.felt * ns as f64 / task.ns.max(1) as f64;
        }
        let mut all: Vec<Sleepers<'a>> = by_comm.into_values().collect();
        // Who keeps the device busy is not its victim.
        all.sort_by(|a, b| (a.is_steady().cmp(&b.is_steady())).then(b.felt.total_cmp(&a.felt)));
        for one in &mut all {
            let tasks = &mut one.tasks;
            tasks.sort_by_key(|task| (std::cmp::Reverse(part(task)), task.pid));
        }
        all
    }

    /// A finding about sleepers, without its sentence.
    fn finding(
        &self,
        detector: &FindingEntry,
        sleepers: &Sleepers<'_>,
        part: impl Fn(&Blocked) -> u64,
    ) -> Finding {
        let ms = |ns: u64| ns as f64 / 1e6;
        let places = sleepers.tasks.iter().map(|task| {
            let (from, to) = task.longest;
            Occurrence::new(from, to, part(task)).of([task.pid])
        });
        let felt = sleepers.tasks.iter().map(|one| one.felt);
        Finding {
            missing: self.missing.to_vec(),
            impact_ms: ms(sleepers.ns),
            cost_ms: Some(ms(sleepers.ns)),
            worst_task_ms: sleepers.tasks.first().map(|one| ms(part(one))),
            felt_ms: Some(felt.fold(0.0, f64::max) / self.window_ns() as f64 / 1e6),
            tasks: sleepers.tasks.len(),
            pids: sleepers
                .tasks
                .iter()
                .map(|one| one.pid)
                .take(NAMED)
                .collect(),
            ..detector.finding(self.label, self.from_ns, self.to_ns)
        }
        .at(Occurrences::of(places))
    }

    /// "longest 12.0 ms, 2.300 s into the window".
    fn moment(&self, sleepers: &Sleepers<'_>) -> String {
        let (from, to) = sleepers.longest();
        format!(
            "longest {}, {}",
            time(to.saturating_sub(from)),
            into(self.from_ns, from)
        )
    }
}

/// Names of tasks in a sentence about I/O.
const NAMES: usize = 3;
/// Pids that a finding lists.
const NAMED: usize = 5;
/// Less is not worth a word, ns.
pub(crate) const LEAST_NS: u64 = 10_000_000;
/// A smaller share of the window is not, either, percent.
pub(super) const LEAST_PERCENT: u64 = 1;

/// Least I/O pressure (`some`) of a finding, percent of the window.
const IO_PERCENT: u64 = 10;

pub(crate) const IO_BOUND: FindingEntry = FindingEntry {
    id: "IO_BOUND",
    title: "Bound by I/O",
    meaning: "Tasks waited for I/O: more CPUs or better balancing would not help.",
    kernel: "PSI_IO_SOME, io_schedule",
    threshold: "I/O pressure (some) at least 10 % of the window, without refaults",
    cost: "that time",
    evidence: Evidence::of("psi", "sleeps"),
};

/// Time for which some task waited for I/O, by the kernel's own count if sampled, and its provenance.
fn io_some(facts: &Facts<'_>, pressure: &PressureFacts<'_>) -> Option<(u64, Label, Vec<String>)> {
    let window = facts.to_ns.saturating_sub(facts.from_ns);
    let io = &pressure.psi.system.io;
    let checked = pressure.psi.residual.as_ref();
    let residual = checked.and_then(|checked| checked.io.as_ref());
    let (some_us, label, missing) = match (residual, sampled_us(facts, Resource::Io, None)) {
        (Some(residual), _) => (residual.sampled_some_us, Label::Observed, Vec::new()),
        (None, Some(us)) => (us, Label::Observed, Vec::new()),
        (None, None) => {
            super::replayed(facts)?;
            let (label, missing) = pressure::label(io);
            (io.value()?.some_us?, label, missing)
        }
    };
    Some((some_us.saturating_mul(1000).min(window), label, missing))
}

/// Increase of the sampled total of a resource in the samples of the window, µs.
fn sampled_us(facts: &Facts<'_>, resource: Resource, path: Option<&str>) -> Option<u64> {
    let mut files = facts.pressure.as_ref()?.samples.iter();
    let file = files.find(|one| one.resource == resource && one.cgroup.as_deref() == path)?;
    let inside = file.samples.iter();
    let inside = inside.filter(|one| (facts.from_ns..=facts.to_ns).contains(&one.t_ns));
    let totals: Vec<u64> = inside
        .filter_map(|sample| Some(sample.some?.total_us))
        .collect();
    let (first, last) = (totals.first()?, totals.last()?);
    (totals.len() > 1).then(|| last.saturating_sub(*first))
}

pub(super) fn io_bound(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pressure) = &facts.pressure else {
        return Vec::new();
    };
    let window = facts.to_ns.saturating_sub(facts.from_ns);
    let Some((some_ns, label, missing)) = io_some(facts, pressure) else {
        return Vec::new();
    };
    let few = some_ns.saturating_mul(100) < window.saturating_mul(IO_PERCENT);
    if window == 0 || few || thrashing(facts).is_some() {
        return Vec::new();
    }
    let of = |resources: &Resources| resources.io.value().and_then(|totals| totals.some_us);
    let groups = pressure.psi.cgroups.value().into_iter().flatten();
    let worst = groups
        .filter_map(|(path, resources)| Some((of(resources)?.saturating_mul(1000), path)))
        .filter(|(ns, path)| *ns > 0 && *path != "/")
        .max();
    let most = worst.map_or(String::new(), |(ns, path)| {
        format!("; most of cgroup {path}, {}", time(ns.min(window)))
    });
    let finding = Finding {
        label,
        missing,
        ..IO_BOUND.finding(Label::Observed, facts.from_ns, facts.to_ns)
    };
    let sleepers = facts.blocked.as_ref().map(|blocked| {
        let sleepers = blocked.by_name(|task| io_part(blocked, task));
        (blocked, sleepers)
    });
    let named = sleepers.and_then(|(blocked, sleepers)| {
        let worst = sleepers.iter().find(|one| is_worth(blocked, one.ns))?;
        let named = blocked.finding(&IO_BOUND, worst, |task| io_part(blocked, task));
        let kind = if blocked.io_known {
            "Waited for I/O"
        } else {
            "Slept uninterruptibly (D) at the same time"
        };
        // The same device may have more victims.
        let many = sleepers.iter().filter(|one| is_worth(blocked, one.ns));
        let many: Vec<(String, u64)> = many.take(NAMES).map(|one| (one.words(), one.ns)).collect();
        let each = |length: &dyn Fn(u64) -> String| -> String {
            let each = many
                .iter()
                .map(|(who, ns)| format!("{who} {}", length(*ns)));
            each.collect::<Vec<_>>().join(", ")
        };
        let who = format!(" {kind}: {}.", each(&|ns| total(blocked, ns)));
        let slept = |state: &str| match &many[..] {
            [(who, ns)] => format!("{who} was {state} for {}", time(*ns)),
            _ => format!("{} were {state}", each(&|ns| format!("for {}", time(ns)))),
        };
        let moment = blocked.moment(worst);
        let verdict = if blocked.io_known {
            let device = blocked.device;
            let device = device.map_or(String::new(), |name| format!(" on device {name}"));
            format!("{}; {moment}", slept(&format!("blocked by I/O{device}")))
        } else {
            // A lock or the freezer may have held them while other tasks waited for I/O.
            format!(
                "{} while tasks waited for I/O for {}; {moment}",
                slept("in uninterruptible sleep (D)"),
                time(some_ns)
            )
        };
        Some((named, who, verdict))
    });
    let (finding, who, verdict) = match named {
        Some((named, who, verdict)) => (
            Finding {
                worst_task_ms: None,
                label: finding.label,
                missing: finding.missing,
                ..named
            },
            who,
            Some(verdict),
        ),
        None => (finding, String::new(), None),
    };
    let blocked_ms = some_ns as f64 / 1e6;
    vec![Finding {
        impact_ms: blocked_ms,
        cost_ms: Some(blocked_ms),
        verdict: verdict.or_else(|| Some(format!("tasks waited for I/O for {}", time(some_ns)))),
        summary: format!(
            "Tasks waited for I/O for {} of {} ({:.0} %){most}: CPUs are not the cause.{who}",
            time(some_ns),
            time(window),
            some_ns as f64 * 100.0 / window as f64,
        ),
        ..finding
    }]
}

/// Part of a task's sleeps that counts as I/O once some I/O is known.
fn io_part(blocked: &BlockedFacts<'_>, task: &Blocked) -> u64 {
    if blocked.io_known {
        task.io_ns
    } else {
        task.ns
    }
}

/// Total length of sleeps; for more than the window, the mean number at a time.
fn total(blocked: &BlockedFacts<'_>, ns: u64) -> String {
    let window = blocked.window_ns();
    if ns <= window {
        format!("for {}", time(ns))
    } else {
        format!(
            "throughout ({:.1} at a time on average)",
            ns as f64 / window as f64
        )
    }
}

/// Minimum number of refaulted pages for a finding.
const REFAULTED_PAGES: u64 = 1_000;

pub(crate) const REFAULTS: FindingEntry = FindingEntry {
    id: "REFAULTS",
    title: "Blocked by refaults",
    meaning: "Tasks slept for pages that had just been reclaimed and were read back: their memory is too small.",
    kernel: "workingset_refault, psi_memstall_enter",
    threshold: "memory some at least 1 % of the window by the kernel's own count, 1,000 refaulted pages, and tasks in uninterruptible sleep for 1 % of the window",
    cost: "sleep of the tasks of the name that was stalled most",
    evidence: Evidence::of("psi", "sleeps"),
};

/// Longest memory stall of a task by the kernel's own count, ns, if pages were refaulted repeatedly.
fn thrashing(facts: &Facts<'_>) -> Option<(u64, u64)> {
    let pages = facts.blocked.as_ref()?.refaults?;
    let window = facts.to_ns.saturating_sub(facts.from_ns);
    let sampled = sampled_us(facts, Resource::Memory, None)?;
    let some_ns = sampled.saturating_mul(1000).min(window);
    let enough = some_ns.saturating_mul(100) >= window.saturating_mul(LEAST_PERCENT);
    (enough && window > 0 && pages >= REFAULTED_PAGES).then_some((some_ns, pages))
}

pub(super) fn refaults(facts: &Facts<'_>) -> Vec<Finding> {
    let (Some(blocked), Some((some_ns, pages))) = (&facts.blocked, thrashing(facts)) else {
        return Vec::new();
    };
    let part = |task: &Blocked| task.ns;
    let Some(sleepers) = blocked.worst(part).filter(|one| is_worth(blocked, one.ns)) else {
        return Vec::new();
    };
    let cgroup = facts.pressure.as_ref().and_then(|pressure| {
        let files = pressure.samples.iter();
        let paths = files.filter(|one| one.resource == Resource::Memory);
        let paths = paths.filter_map(|one| one.cgroup.as_deref());
        let grown = paths.filter_map(|path| {
            let us = sampled_us(facts, Resource::Memory, Some(path))?;
            (us > 0 && path != "/").then_some((us, path))
        });
        grown.max().map(|one| one.1.to_owned())
    });
    let of = cgroup.as_ref();
    let of = of.map_or(String::new(), |path| format!(", mostly of cgroup {path}"));
    vec![Finding {
        // That the sleeps are refaults is a conclusion.
        label: Label::Inferred,
        summary: format!(
            "{} slept uninterruptibly (D) {} while {pages} recently reclaimed pages were read back (refaults). Tasks were stalled on memory for {}{of}: memory is too small, CPUs are not the cause.",
            sleepers.words(),
            total(blocked, sleepers.ns),
            time(some_ns),
        ),
        verdict: Some(format!(
            "{} was blocked for {}: memory too small{of}, {pages} pages were read back (refaults); {}",
            sleepers.words(),
            time(sleepers.ns),
            blocked.moment(&sleepers)
        )),
        cgroup,
        ..blocked.finding(&REFAULTS, &sleepers, part)
    }]
}

fn is_worth(blocked: &BlockedFacts<'_>, ns: u64) -> bool {
    ns >= LEAST_NS && ns.saturating_mul(100) >= blocked.window_ns().saturating_mul(LEAST_PERCENT)
}

pub(crate) const BLOCKED: FindingEntry = FindingEntry {
    id: "BLOCKED",
    title: "Uninterruptible sleep",
    meaning: "Tasks slept in state D, and the kernel did not count them as waiting for I/O: locks, memory reclaim and the freezer also use this state.",
    kernel: "schedule, TASK_UNINTERRUPTIBLE",
    threshold: "tasks of one name slept in state D for 10 ms and 1 % of the window, excluding time counted by FROZEN, IO_BOUND and REFAULTS; not where events were lost and I/O is not recorded",
    cost: "that time",
    evidence: Evidence::SLEEPS,
};

pub(super) fn blocked(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(blocked) = &facts.blocked else {
        return Vec::new();
    };
    // Without evidence of single sleeps, all of them go with the pressure that the kernel counted.
    let counted = !io_bound(facts).is_empty() && !blocked.io_known || !refaults(facts).is_empty();
    // Where events are missing, those that show I/O may be among them.
    let partial = blocked.missing.iter();
    let partial = partial.filter(|one| [LOST_EVENTS, SILENT_CPUS].contains(&one.as_str()));
    if counted || !blocked.io_known && partial.count() > 0 {
        return Vec::new();
    }
    let part = |task: &Blocked| task.ns.saturating_sub(task.io_ns);
    let Some(sleepers) = blocked.worst(part).filter(|one| is_worth(blocked, one.ns)) else {
        return Vec::new();
    };
    let why = sleepers.reason().unwrap_or_else(|| {
        let unknown = if blocked.io_known {
            "not for I/O: a lock, memory or the freezer"
        } else {
            "for I/O, a lock, memory or the freezer (not recorded)"
        };
        unknown.to_owned()
    });
    vec![Finding {
        // Whether requests waited for it is not known.
        at_most: Severity::Medium,
        summary: format!(
            "{} slept uninterruptibly (D) {}, {why}; {}: CPUs are not the cause.",
            sleepers.words(),
            total(blocked, sleepers.ns),
            blocked.moment(&sleepers)
        ),
        verdict: Some(format!(
            "{} was in uninterruptible sleep (D) for {}, {why}; {}",
            sleepers.words(),
            time(sleepers.ns),
            blocked.moment(&sleepers)
        )),
        ..blocked.finding(&BLOCKED, &sleepers, part)
    }]
}
