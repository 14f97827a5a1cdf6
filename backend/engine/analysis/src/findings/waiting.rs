//! What tasks waited for, as the ledger of waits has it: each nanosecond of a wait has one cause, and each cause belongs to
//! one claim, so no two of these findings count the same time.

use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_replay::waits::{Cause, WaitPart, WaitRow};

use crate::findings::pressure::{into, time};
use crate::findings::{Detector, Evidence, Finding, on};
use crate::window::{CPUS_ALLOWED, Names};

/// A claim about waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// All CPUs that the tasks may use were busy.
    Saturated,
    /// A real-time, deadline or stop task had the CPU.
    HigherClass,
    /// CPUs were idle that the tasks may not use.
    Pinned,
    /// A cgroup had used up its quota, or a task its budget.
    Throttled,
    /// The CPU served interrupts and softirqs.
    Interrupts,
    /// CPUs were idle that the tasks may use, as far as is known.
    IdleElsewhere,
    /// The task's own CPU was idle for longer than leaving idle takes.
    IdleUnexplained,
}

impl Claim {
    const COUNT: usize = 7;

    /// What a cause belongs to; the rest is waking up, leaving idle, and what nobody can say.
    fn of(cause: Cause) -> Option<Self> {
        Some(match cause {
            Cause::Busy => Self::Saturated,
            Cause::BehindHigherClass | Cause::PinnedBehindHigherClass => Self::HigherClass,
            Cause::Pinned | Cause::ProbablyPinned => Self::Pinned,
            Cause::Throttled => Self::Throttled,
            Cause::Interrupt | Cause::Softirq => Self::Interrupts,
            Cause::IdleSameNode | Cause::IdleOtherNode | Cause::PendingBalance => {
                Self::IdleElsewhere
            }
            Cause::IdleUnexplained => Self::IdleUnexplained,
            Cause::WakeUp | Cause::Unknown | Cause::IdleExit => return None,
        })
    }
}

/// Tasks that are named in a sentence.
const NAMED: usize = 3;
/// Waiting that nobody needs to hear of, ns.
const LEAST_NS: u64 = 10_000_000;
/// Share of all waiting that nobody needs to hear of, percent.
const LEAST_PERCENT: u64 = 1;

/// What would tell why balancing left a task where it was.
const BALANCING: &str = "why balancing left the tasks";

/// Somebody and a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// Who.
    pub pid: i32,
    /// Its name.
    pub comm: String,
    /// The time, ns.
    pub ns: u64,
}

/// The wait that a claim takes most of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worst {
    /// Who waited, and how long because of this.
    pub waiter: Share,
    /// The wait, as far as it lies in the window.
    pub row: WaitRow,
    /// Who ran on its CPU meanwhile, the longest first.
    pub behind: Vec<Share>,
}

/// The waiting of one claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claimed {
    /// In all, task-ns.
    pub ns: u64,
    /// By cause.
    pub causes: [u64; Cause::COUNT],
    /// How many waits have some of it.
    pub waits: u64,
    /// How many tasks have.
    pub tasks: usize,
    /// The tasks that have most of it.
    pub top: Vec<Share>,
    /// The cgroup whose own tasks have most of it, when cgroups are known; with how much.
    pub cgroup: Option<(String, u64)>,
    /// The wait that has most of it.
    pub worst: Option<Worst>,
}

/// All waiting of a window.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiting {
    /// In all, task-ns.
    pub total_ns: u64,
    /// Of it until tasks were on a runqueue and their idle CPUs ran them (causes `wake_up` and `idle_exit`).
    pub waking_ns: u64,
    claims: [Claimed; Claim::COUNT],
}

/// Adds up the waits of a window by claim.
#[derive(Debug, Default)]
pub struct Tally {
    total_ns: u64,
    waking_ns: u64,
    claims: [Claimed; Claim::COUNT],
    worst: [Option<(u64, WaitRow)>; Claim::COUNT],
    /// By task, and by cgroup.
    tasks: Vec<[u64; Claim::COUNT]>,
    groups: Vec<[u64; Claim::COUNT]>,
}

/// The row of a table that grows.
fn row(table: &mut Vec<[u64; Claim::COUNT]>, at: u32) -> &mut [u64; Claim::COUNT] {
    let at = at as usize;
    if at >= table.len() {
        table.resize(at + 1, [0; Claim::COUNT]);
    }
    &mut table[at]
}

/// Adds up; a sum over many tasks of a recording of many years may be beyond a `u64`.
fn add(sum: &mut u64, ns: u64) {
    *sum = sum.saturating_add(ns);
}

impl Tally {
    /// Takes in the part of a wait that lies in the window.
    pub fn wait(&mut self, part: &WaitPart<'_>) {
        let causes = part.causes;
        let wait = WaitRow {
            start_ns: part.from_ns,
            end_ns: part.to_ns,
            ..*part.wait
        };
        let mut spent = [0_u64; Claim::COUNT];
        for cause in causes {
            add(&mut self.total_ns, cause.ns);
            if let Some(claim) = Claim::of(cause.cause) {
                add(&mut spent[claim as usize], cause.ns);
                let causes = &mut self.claims[claim as usize].causes;
                add(&mut causes[cause.cause as usize], cause.ns);
            } else if cause.cause != Cause::Unknown {
                add(&mut self.waking_ns, cause.ns);
            }
        }
        let (tasks, groups) = (
            row(&mut self.tasks, wait.task),
            row(&mut self.groups, wait.group),
        );
        for (at, &ns) in spent.iter().enumerate().filter(|one| *one.1 > 0) {
            add(&mut tasks[at], ns);
            add(&mut groups[at], ns);
            add(&mut self.claims[at].ns, ns);
            self.claims[at].waits += 1;
            if self.worst[at].is_none_or(|(most, _)| ns > most) {
                self.worst[at] = Some((ns, wait));
            }
        }
    }

    /// What it was. `ran(cpu, from_ns, to_ns)` gives who ran on a CPU, and for how long; it is called for the worst waits.
    ///
    /// # Errors
    ///
    /// `ran` failed.
    pub fn finish<E>(
        mut self,
        names: &impl Names,
        cgroups: bool,
        mut ran: impl FnMut(u32, u64, u64) -> Result<Vec<(TaskId, u64)>, E>,
    ) -> Result<Waiting, E> {
        let share = |(task, ns): (TaskId, u64)| {
            let (pid, comm) = names.task(task);
            Share {
                pid,
                comm: comm.to_owned(),
                ns,
            }
        };
        let most = |table: &[[u64; Claim::COUNT]], at: usize| {
            let mut all: Vec<(u32, u64)> = (0..)
                .zip(table)
                .map(|(who, spent)| (who, spent[at]))
                .filter(|one| one.1 > 0)
                .collect();
            all.sort_by_key(|&(who, ns)| (std::cmp::Reverse(ns), who));
            all
        };
        for (at, claimed) in self.claims.iter_mut().enumerate() {
            let tasks = most(&self.tasks, at);
            claimed.tasks = tasks.len();
            claimed.top = tasks.into_iter().take(NAMED).map(share).collect();
            if cgroups {
                let groups = most(&self.groups, at).into_iter();
                claimed.cgroup = groups
                    .map(|(group, ns)| (names.cgroup(group).to_owned(), ns))
                    .find(|(path, _)| path != "/");
            }
            if let Some((ns, row)) = self.worst[at] {
                let mut behind = ran(row.cpu, row.start_ns, row.end_ns)?;
                behind.sort_by_key(|&(task, ns)| (std::cmp::Reverse(ns), task));
                claimed.worst = Some(Worst {
                    waiter: share((row.task, ns)),
                    row,
                    behind: behind.into_iter().take(NAMED).map(share).collect(),
                });
            }
        }
        Ok(Waiting {
            total_ns: self.total_ns,
            waking_ns: self.waking_ns,
            claims: self.claims,
        })
    }
}

/// What the detectors look at.
#[derive(Debug, Clone, Copy)]
pub struct WaitingFacts<'a> {
    /// The window, ns.
    pub from_ns: u64,
    /// Its end, ns.
    pub to_ns: u64,
    /// CPUs of the machine.
    pub cpus: usize,
    /// The waiting.
    pub waiting: &'a Waiting,
    /// How well it is known who waited when.
    pub label: Label,
    /// What would make it better known.
    pub missing: &'a [String],
    /// Whether the tasks' affinity was sampled.
    pub affinity: bool,
}

impl<'a> WaitingFacts<'a> {
    /// The waiting of a claim, if it is worth a word.
    fn claimed(&self, claim: Claim) -> Option<(&'a Claimed, &'a Worst)> {
        let claimed = &self.waiting.claims[claim as usize];
        let least = LEAST_NS.max(self.waiting.total_ns / 100 * LEAST_PERCENT);
        let enough = claimed.ns >= least;
        claimed
            .worst
            .as_ref()
            .filter(|_| enough)
            .map(|worst| (claimed, worst))
    }

    /// The share of all waiting, percent.
    fn percent(&self, ns: u64) -> f64 {
        ns as f64 * 100.0 / self.waiting.total_ns.max(1) as f64
    }

    /// How many tasks waited how long. A sum over many tasks may be longer than the window: that says how many at a time.
    fn waited(&self, claimed: &Claimed) -> String {
        let window = self.to_ns.saturating_sub(self.from_ns).max(1);
        let length = if claimed.ns <= window {
            time(claimed.ns)
        } else {
            format!(
                "{:.1} at a time on average",
                claimed.ns as f64 / window as f64
            )
        };
        let (who, share) = (tasks(claimed.tasks), self.percent(claimed.ns));
        format!("{who} waited ({length}, {share:.0} % of all waiting)")
    }

    /// The longest: whose, how long, when, where and behind whom.
    fn longest(&self, worst: &Worst) -> String {
        let row = &worst.row;
        let behind = worst.behind.first().filter(|one| one.pid != 0);
        let behind = behind.map_or(String::new(), |one| {
            format!(
                ", while {} ({}) ran there for {}",
                one.comm,
                one.pid,
                time(one.ns)
            )
        });
        format!(
            "the longest wait has {} of it: {} ({}) on CPU {}, {}{behind}",
            time(worst.waiter.ns),
            worst.waiter.comm,
            worst.waiter.pid,
            row.cpu,
            into(self.from_ns, row.start_ns),
        )
    }

    fn finding(
        &self,
        detector: &Detector,
        (claimed, worst): (&Claimed, &Worst),
        (label, missing): (Label, &[&str]),
        summary: String,
    ) -> Finding {
        let mut missing: Vec<String> = missing.iter().map(|name| (*name).to_owned()).collect();
        missing.extend(
            self.missing
                .iter()
                .filter(|name| *name != CPUS_ALLOWED)
                .cloned(),
        );
        missing.dedup();
        Finding {
            missing,
            from_ns: worst.row.start_ns.max(self.from_ns),
            to_ns: worst.row.end_ns.min(self.to_ns),
            impact_ms: claimed.ns as f64 / 1e6,
            worst_task_ms: claimed.top.first().map(|one| one.ns as f64 / 1e6),
            pids: claimed.top.iter().map(|one| one.pid).collect(),
            summary,
            ..detector.finding(label.max(self.label), self.from_ns, self.to_ns)
        }
    }
}

/// "stress (71), 2.1 s, and 3 others".
fn who(claimed: &Claimed) -> String {
    let named: Vec<String> = claimed
        .top
        .iter()
        .map(|one| format!("{} ({}) {}", one.comm, one.pid, time(one.ns)))
        .collect();
    let others = claimed.tasks.saturating_sub(claimed.top.len());
    match others {
        0 => named.join(", "),
        others => format!("{} and {others} more", named.join(", ")),
    }
}

fn tasks(count: usize) -> String {
    match count {
        1 => "1 task".to_owned(),
        count => format!("{count} tasks"),
    }
}

pub(crate) const CPU_SATURATED: Detector = Detector {
    id: "CPU_SATURATED",
    title: "CPUs saturated",
    meaning: "More tasks were runnable than there are CPUs that they may use: they had to wait for each other.",
    kernel: "pick_next_task_fair",
    threshold: "tasks waited on busy CPUs while none was idle, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::WAITS,
    detect: |facts| on(facts.waiting.as_ref(), saturated),
};

fn saturated(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::Saturated).map(|(claimed, worst)| {
        let summary = format!(
            "None of the {} CPUs was seen idle while {}: {}; {}.",
            facts.cpus,
            facts.waited(claimed),
            who(claimed),
            facts.longest(worst),
        );
        facts.finding(
            &CPU_SATURATED,
            (claimed, worst),
            (Label::Replayed, &[]),
            summary,
        )
    });
    found.into_iter().collect()
}

pub(crate) const RT_HOG: Detector = Detector {
    id: "RT_HOG",
    title: "Behind a higher class",
    meaning: "A real-time, deadline or stop task had the CPU, and no CPU that the waiting task may use was idle.",
    kernel: "__pick_next_task, rt_sched_class",
    threshold: "tasks of the fair class waited behind a task of priority below 100, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::WAITS,
    detect: |facts| on(facts.waiting.as_ref(), behind_higher_class),
};

fn behind_higher_class(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::HigherClass).map(|(claimed, worst)| {
        let summary = format!(
            "Real-time, deadline or stop tasks, which go before all others, ran while {}{}: {}; {}.",
            facts.waited(claimed),
            match claimed.causes[Cause::PinnedBehindHigherClass as usize] {
                ns if ns > claimed.ns / 2 =>
                    " (CPUs were idle, but the tasks are pinned, or probably are)",
                _ => "",
            },
            who(claimed),
            facts.longest(worst),
        );
        facts.finding(&RT_HOG, (claimed, worst), (Label::Replayed, &[]), summary)
    });
    found.into_iter().collect()
}

pub(crate) const PINNED_HOTSPOT: Detector = Detector {
    id: "PINNED_HOTSPOT",
    title: "Pinned to busy CPUs",
    meaning: "CPUs were idle, but none that the waiting tasks may use: affinity, a cpuset or the binding of kernel threads kept them there.",
    kernel: "select_task_rq, can_migrate_task",
    threshold: "tasks waited while only CPUs were idle that they may not use, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::WAITS,
    detect: |facts| on(facts.waiting.as_ref(), pinned),
};

fn pinned(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::Pinned).map(|(claimed, worst)| {
        let probably = claimed.causes[Cause::ProbablyPinned as usize];
        // What most of it rests on.
        let inferred = probably > claimed.ns / 2;
        let (how, label) = if inferred {
            (
                "are probably pinned (affinity or a cpuset): idle CPUs passed them over again and again",
                (Label::Inferred, &[CPUS_ALLOWED][..]),
            )
        } else {
            ("may not run there (affinity or a cpuset)", (Label::Replayed, &[][..]))
        };
        let summary = format!(
            "Other CPUs were idle while {}, but these {how}: {}; {}.",
            facts.waited(claimed),
            who(claimed),
            facts.longest(worst),
        );
        facts.finding(&PINNED_HOTSPOT, (claimed, worst), label, summary)
    });
    found.into_iter().collect()
}

pub(crate) const CGROUP_THROTTLE: Detector = Detector {
    id: "CGROUP_THROTTLE",
    title: "Cgroup throttle",
    meaning: "Tasks could run and were not allowed to: their cgroup had used up its quota, or they their real-time or deadline budget.",
    kernel: "throttle_cfs_rq, sched_rt_runtime_exceeded",
    threshold: "tasks waited while throttled, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::WAITS,
    detect: |facts| on(facts.waiting.as_ref(), throttled),
};

fn throttled(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::Throttled).map(|(claimed, worst)| {
        let of = claimed
            .cgroup
            .as_ref()
            .map_or(String::new(), |(path, _)| format!(", mostly of cgroup {path}"));
        let summary = format!(
            "Throttling (cpu.max of a cgroup, or a real-time or deadline budget) held tasks back{of}; {}: {}; {}.",
            facts.waited(claimed),
            who(claimed),
            facts.longest(worst),
        );
        Finding {
            cgroup: claimed.cgroup.as_ref().map(|group| group.0.clone()),
            ..facts.finding(
                &CGROUP_THROTTLE,
                (claimed, worst),
                (Label::Replayed, &[]),
                summary,
            )
        }
    });
    found.into_iter().collect()
}

pub(crate) const IRQ_STORM: Detector = Detector {
    id: "IRQ_STORM",
    title: "Behind interrupts",
    meaning: "The CPU served interrupts and softirqs while tasks waited there.",
    kernel: "__do_softirq, irq_enter",
    threshold: "tasks waited while their CPU served interrupts, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::WAITS,
    detect: |facts| on(facts.waiting.as_ref(), interrupts),
};

fn interrupts(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::Interrupts).map(|(claimed, worst)| {
        let summary = format!(
            "Interrupts, {} of them softirqs, were served while {}: {}; {}.",
            time(claimed.causes[Cause::Softirq as usize]),
            facts.waited(claimed),
            who(claimed),
            facts.longest(worst),
        );
        facts.finding(
            &IRQ_STORM,
            (claimed, worst),
            (Label::Replayed, &[]),
            summary,
        )
    });
    found.into_iter().collect()
}

pub(crate) const ILB_LATE: Detector = Detector {
    id: "ILB_LATE",
    title: "ILB late",
    meaning: "Tasks waited on busy CPUs while others were idle that they may use, as far as is known: balancing had not come to them yet.",
    kernel: "nohz_idle_balance, rebalance_domains (6.10 sched_balance_domains)",
    threshold: "tasks waited while another CPU was idle that they may use, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::WAITS,
    detect: |facts| on(facts.waiting.as_ref(), idle_elsewhere),
};

fn idle_elsewhere(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::IdleElsewhere).map(|(claimed, worst)| {
        let of = |cause: Cause| time(claimed.causes[cause as usize]);
        let summary = format!(
            "Another CPU was idle while {}: of the same node {}, only of others {}, with balancing under way {}; {}: {}; {}.",
            facts.waited(claimed),
            of(Cause::IdleSameNode),
            of(Cause::IdleOtherNode),
            of(Cause::PendingBalance),
            if facts.affinity {
                "their sampled affinity allows it, and why balancing left them is not known"
            } else {
                "nothing recorded says where they may run, so some may be bound by affinity"
            },
            who(claimed),
            facts.longest(worst),
        );
        let missing = if facts.affinity { BALANCING } else { CPUS_ALLOWED };
        let label = (Label::Inferred, &[missing][..]);
        facts.finding(&ILB_LATE, (claimed, worst), label, summary)
    });
    found.into_iter().collect()
}

pub(crate) const IDLE_UNEXPLAINED: Detector = Detector {
    id: "IDLE_UNEXPLAINED",
    title: "Waited on an idle CPU",
    meaning: "A task was runnable on a CPU that stayed idle for longer than leaving idle takes: a slow CPU, throttling that nothing recorded, or missing events.",
    kernel: "do_idle, throttle_cfs_rq",
    threshold: "a wait has more than 5 ms on an idle CPU, 10 ms and 1 % of all waiting",
    cost: "what is beyond 5 ms of each wait",
    evidence: Evidence::WAITS,
    detect: |facts| on(facts.waiting.as_ref(), idle_unexplained),
};

fn idle_unexplained(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::IdleUnexplained).map(|(claimed, worst)| {
        let summary = format!(
            "CPUs were idle with a runnable task of their own for longer than leaving idle takes, while {}: the CPU was slow (of a \
             guest, perhaps taken away), the task was throttled and nothing recorded it, or events are missing: {}; {}.",
            facts.waited(claimed),
            who(claimed),
            facts.longest(worst),
        );
        let label = (Label::Inferred, &["cpu.stat"][..]);
        facts.finding(&IDLE_UNEXPLAINED, (claimed, worst), label, summary)
    });
    found.into_iter().collect()
}
