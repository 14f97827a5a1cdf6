//! Causes of waits from the ledger: each nanosecond of a wait has one cause, and each cause belongs to one claim. No two of
//! these findings count the same time.

mod claims;
mod clusters;
pub(super) mod sched_ext;
mod tally;
mod verdict;

use numalens_core::provenance::Label;
use numalens_replay::evidence::SchedExt;
use numalens_replay::waits::Cause;
use numalens_subject::detectors;
use numalens_subject::findings::{
    Claim, Evidence, Finding, FindingEntry, HIGH_PERCENT, Severity, WhatIf,
};
use numalens_subject::window::{BALANCING, CPU_STAT, CPUS_ALLOWED, cpus_text, into, time};

use self::tally::STORM_TASKS;

pub use self::claims::{Behind, Claimed, Meanwhile, Share, Storm, Victims, Waiting, Worst};
pub use self::tally::Tally;

/// Minimum waiting for a finding, ns.
pub const LEAST_NS: u64 = 10_000_000;
/// Minimum share of all waiting for a finding, percent.
const LEAST_PERCENT: u64 = 1;

/// Missing input for balancing passes: newidle balancing leaves no event.
const BALANCING_PASSES: &str = "balancing passes of idle CPUs";

/// Inputs of the detectors.
#[derive(Debug, Clone, Copy)]
pub struct WaitingFacts<'a> {
    /// The window, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// CPUs of the machine.
    pub cpus: usize,
    /// The waiting.
    pub waiting: &'a Waiting,
    /// Provenance of the waits.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: &'a [String],
    /// True if the tasks' affinity was sampled.
    pub affinity: bool,
    /// CPU time that the host took (`steal` of `/proc/stat`), of all CPUs, between the samples in the window; `None` when not sampled.
    pub steal_ns: Option<u64>,
    /// Facts about BPF schedulers.
    pub sched_ext: Option<&'a SchedExt>,
    /// True if wakeups were recorded: without them, only waits after preemptions are known.
    pub wakeups: bool,
    /// True if a CPU was offline in the window.
    pub offline: bool,
}

impl<'a> WaitingFacts<'a> {
    /// The waiting of a claim, if it is worth a word.
    #[must_use]
    pub fn claimed(&self, claim: Claim) -> Option<(&'a Claimed, &'a Worst)> {
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

    /// Number of waiting tasks, and their time. A sum over many tasks may be longer than the window: then the mean number at
    /// a time.
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

    /// Missing input for balancing that should have moved the tasks.
    fn lacks(&self, of_balancing: &'static str) -> &'static str {
        if self.affinity {
            of_balancing
        } else {
            CPUS_ALLOWED
        }
    }

    /// The sentences of a finding: the first, more about it, the tasks that waited most, and the longest wait.
    fn summary(&self, first: &str, more: &[&str], claimed: &Claimed, worst: &Worst) -> String {
        let more: String = more.iter().flat_map(|one| [*one, " "]).collect();
        format!(
            "{first}. {more}Waited most: {}. {}",
            who(claimed),
            self.longest(worst)
        )
    }

    /// The sentence on the affinity of tasks that could have run on an idle CPU.
    fn allowed(&self) -> &'static str {
        if self.affinity {
            "Their sampled affinity allows it, and the reason is not recorded."
        } else {
            "Their affinity was not recorded, so some may be pinned."
        }
    }

    /// Describes the longest wait of a victim, as others may have waited longer for their turn: task, length, CPU, time, and
    /// the task that ran there.
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
        let weight = worst.outweighed.as_ref();
        let weight = weight.map_or(String::new(), |why| {
            format!(" That task has a larger weight ({why}).")
        });
        format!(
            "In its longest wait, {} ({}) lost {} on {}, {}{behind}.{weight}",
            worst.waiter.comm,
            worst.waiter.pid,
            time(worst.waiter.ns),
            cpus_text(&worst.cpus),
            into(self.from_ns, row.start_ns),
        )
    }

    /// Highest possible severity. A claim is not serious if no task lost much to it, except tasks that waited longer for
    /// other causes. If no task lost anything, the CPUs were only busy.
    fn at_most(&self, claimed: &Claimed) -> Severity {
        let window_ns = self.to_ns.saturating_sub(self.from_ns).max(1);
        if claimed.victims.is_none() {
            Severity::Low
        } else if claimed.main_ns as f64 * 100.0 / (window_ns as f64) < HIGH_PERCENT {
            Severity::Medium
        } else {
            Severity::High
        }
    }

    /// As [`Self::at_most`], on busy CPUs: bursts on a machine that is idle most of the time are not a lasting lack of CPUs.
    fn at_most_saturated(&self, claimed: &Claimed) -> Severity {
        let window_ns = self.to_ns.saturating_sub(self.from_ns).max(1) as f64;
        let ran_ns = self.waiting.ran_ns as f64;
        let idle = ran_ns > 0.0 && 2.0 * ran_ns < window_ns * self.cpus as f64;
        let most = match idle {
            true if claimed.lost_ns as f64 * 100.0 < HIGH_PERCENT * window_ns => Severity::Low,
            true => Severity::Medium,
            false => Severity::High,
        };
        self.at_most(claimed).min(most)
    }

    fn finding(
        &self,
        detector: &FindingEntry,
        claimed: &Claimed,
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
        let ms = |ns: u64| ns as f64 / 1e6;
        let mut occurrences = claimed.occurrences.clone();
        for one in &mut occurrences.worst {
            one.from_ns = one.from_ns.clamp(self.from_ns, self.to_ns);
            one.to_ns = one.to_ns.clamp(self.from_ns, self.to_ns);
        }
        Finding {
            missing,
            impact_ms: ms(claimed.ns),
            cost_ms: Some(ms(claimed.ns)),
            felt_ms: Some(claimed.felt_ns / 1e6),
            victims_ms: claimed.victims.as_ref().map(|victims| ms(victims.ns)),
            worst_task_ms: claimed.victims.as_ref().map(|_| ms(claimed.lost_ns)),
            verdict: detector
                .evidence
                .claim
                .and_then(|claim| self.verdict(claim, claimed)),
            tasks: claimed.tasks,
            pids: claimed.top.iter().map(|one| one.pid).collect(),
            what_if: Some(WhatIf {
                label: Label::WhatIf,
                waiting_ms: ms(self.waiting.total_ns.saturating_sub(claimed.ns)),
                longest_wait_ms: ms(claimed.longest_without_ns),
            }),
            summary,
            at_most: self.at_most(claimed),
            ..detector.finding(label.max(self.label), self.from_ns, self.to_ns)
        }
        .at(occurrences)
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

/// All CPUs that tasks may use were busy.
pub const CPU_SATURATED: FindingEntry = FindingEntry {
    id: "CPU_SATURATED",
    title: "CPUs saturated",
    meaning: "More tasks were runnable than their affinity has CPUs, so they had to wait for each other.",
    kernel: "pick_next_task_fair",
    threshold: "tasks waited on busy CPUs while none was idle, 10 ms and 1 % of all waiting, and the case is not a fork storm. Low if no task waited a quarter as long as it ran; one level lower if the CPUs were idle most of the time",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::Saturated),
};

/// Sentence part: no CPU of the machine was seen idle.
fn none_idle(cpus: usize) -> String {
    if cpus == 1 {
        "The only CPU was never seen idle".to_owned()
    } else {
        format!("None of the {cpus} CPUs was seen idle")
    }
}

fn saturated(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::Saturated);
    let found = found.filter(|_| !is_storm(facts.waiting));
    let found = found.map(|(claimed, worst)| {
        let fairly = if claimed.victims.is_none() {
            ", which shared the CPUs fairly"
        } else {
            ""
        };
        let first = format!(
            "{} while {}{fairly}",
            none_idle(facts.cpus),
            facts.waited(claimed)
        );
        let summary = facts.summary(&first, &[], claimed, worst);
        Finding {
            at_most: facts.at_most_saturated(claimed),
            ..facts.finding(&CPU_SATURATED, claimed, (Label::Replayed, &[]), summary)
        }
    });
    found.into_iter().collect()
}

/// Returns whether new tasks before their first turn have most of the waiting on busy CPUs, or take most of the CPUs' time.
pub(super) fn is_storm(waiting: &Waiting) -> bool {
    let claimed = &waiting.claims[Claim::Saturated as usize];
    let queued = claimed.new_tasks >= STORM_TASKS && claimed.new_ns > claimed.ns / 2;
    queued || waiting.storm.is_some()
}

pub(crate) const FORK_STORM: FindingEntry = FindingEntry {
    id: "FORK_STORM",
    title: "Fork storm",
    meaning: "Tasks were forked faster than the CPUs could run them: new tasks waiting for their first turn, or short tasks and those that forked them, took the busy CPUs.",
    kernel: "wake_up_new_task",
    threshold: "as \"CPUs saturated\", with at least 100 new tasks that have most of the waiting before their first run. Or they ran at most 20 ms each and, with their parents, most of all run time",
    cost: "all waiting on busy CPUs",
    evidence: Evidence::claimed(Claim::Saturated),
};

fn fork_storm(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::Saturated);
    let found = found.filter(|_| is_storm(facts.waiting));
    let found = found.map(|(claimed, worst)| {
        let window_ns = facts.to_ns.saturating_sub(facts.from_ns).max(1);
        let each_second = |tasks: u64| tasks as f64 * 1e9 / window_ns as f64;
        let how = match &facts.waiting.storm {
            Some(storm) => format!(
                "{} forked {} short tasks ({:.0} a second), mostly {}, and with them ran for {:.0} % of what all tasks ran.",
                storm.parent,
                storm.tasks,
                each_second(storm.tasks),
                storm.child,
                storm.percent,
            ),
            None => format!(
                "{:.0} % of this waiting is that of {} new tasks ({:.0} a second) before their first run.",
                claimed.new_ns as f64 * 100.0 / claimed.ns.max(1) as f64,
                claimed.new_tasks,
                each_second(claimed.new_tasks),
            ),
        };
        let first = format!("{} while {}", none_idle(facts.cpus), facts.waited(claimed));
        let summary = facts.summary(&first, &[&how], claimed, worst);
        Finding {
            // What a storm costs is spread over many tasks.
            worst_task_ms: None,
            at_most: Severity::High,
            ..facts.finding(&FORK_STORM, claimed, (Label::Replayed, &[]), summary)
        }
    });
    found.into_iter().collect()
}

pub(crate) const RT_HOG: FindingEntry = FindingEntry {
    id: "RT_HOG",
    title: "Behind a higher class",
    meaning: "A real-time, deadline or stop task had the CPU, and no CPU within the affinity of the waiting task was idle.",
    kernel: "__pick_next_task, rt_sched_class",
    threshold: "tasks of the fair class waited behind a task of priority below 100, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::HigherClass),
};

fn behind_higher_class(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::HigherClass).map(|(claimed, worst)| {
        let pinned = claimed.causes[Cause::PinnedBehindHigherClass as usize];
        let more: &[&str] = if pinned > claimed.ns / 2 {
            &["CPUs were idle, but the tasks are pinned, or probably are."]
        } else {
            &[]
        };
        let waited = facts.waited(claimed);
        let first = format!(
            "Real-time, deadline or stop tasks, which precede all others, ran while {waited}"
        );
        let summary = facts.summary(&first, more, claimed, worst);
        facts.finding(&RT_HOG, claimed, (Label::Replayed, &[]), summary)
    });
    found.into_iter().collect()
}

pub(crate) const BUDDY_FIRST: FindingEntry = FindingEntry {
    id: "BUDDY_FIRST",
    title: "Short slices behind a buddy",
    meaning: "Woken tasks did not preempt tasks with longer slices, although they were eligible and had the earlier deadline, because the scheduler had a buddy to pick first.",
    kernel: "wakeup_preempt_fair, pick_eevdf: PICK_BUDDY (6.19, 7.0; fixed by 78cde54)",
    threshold: "tasks waited after such wakeups until the next pick from their queue, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::Buddy),
};

fn behind_buddy(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let what = "A task with a longer slice kept the CPU, as wakeup_preempt_fair picked a buddy,";
    behind(facts, &BUDDY_FIRST, Claim::Buddy, what)
}

pub(crate) const PINNED_HOTSPOT: FindingEntry = FindingEntry {
    id: "PINNED_HOTSPOT",
    title: "Pinned to busy CPUs",
    meaning: "The only idle CPUs were outside the affinity of the waiting tasks: mask, cpuset or binding of kernel threads.",
    kernel: "select_task_rq, can_migrate_task",
    threshold: "tasks waited while the only idle CPUs were outside their affinity, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::Pinned),
};

fn pinned(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::Pinned).map(|(claimed, worst)| {
        let probably = claimed.causes[Cause::ProbablyPinned as usize];
        // What most of it rests on.
        let inferred = probably > claimed.ns / 2;
        let (how, label) = if inferred {
            (
                "They are probably pinned (affinity or a cpuset): idle CPUs repeatedly declined to pull them.",
                (Label::Inferred, &[CPUS_ALLOWED][..]),
            )
        } else {
            ("They may not run there (affinity or a cpuset).", (Label::Replayed, &[][..]))
        };
        let first = format!("Other CPUs were idle while {}", facts.waited(claimed));
        let summary = facts.summary(&first, &[how], claimed, worst);
        facts.finding(&PINNED_HOTSPOT, claimed, label, summary)
    });
    found.into_iter().collect()
}

pub(crate) const CGROUP_THROTTLE: FindingEntry = FindingEntry {
    id: "CGROUP_THROTTLE",
    title: "Throttled",
    meaning: "Runnable tasks were not allowed to run: their cgroup had used up its quota, or they had exhausted their real-time or deadline budget.",
    kernel: "throttle_cfs_rq, sched_rt_runtime_exceeded",
    threshold: "tasks waited while throttled, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::Throttled),
};

fn throttled(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::Throttled).map(|(claimed, worst)| {
        let of = claimed
            .cgroup
            .as_ref()
            .map_or(String::new(), |(path, _)| format!(", mostly of cgroup {path}"));
        let idle = claimed.causes[Cause::IdleUnexplained as usize];
        let (probably, rest, known) = match idle {
            0 => ("", String::new(), (Label::Replayed, &[][..])),
            ns => (
                " probably",
                format!(", {} of this on idle CPUs, for no recorded reason", time(ns)),
                (Label::Inferred, &[CPU_STAT][..]),
            ),
        };
        let first = format!(
            "Throttling (cpu.max of a cgroup, or a real-time or deadline budget){probably} held tasks back{of}"
        );
        let waited = format!("{}{rest}.", facts.waited(claimed));
        let summary = facts.summary(&first, &[&waited], claimed, worst);
        Finding {
            cgroup: claimed.cgroup.as_ref().map(|group| group.0.clone()),
            ..facts.finding(&CGROUP_THROTTLE, claimed, known, summary)
        }
    });
    found.into_iter().collect()
}

pub(crate) const IRQ_STORM: FindingEntry = FindingEntry {
    id: "IRQ_STORM",
    title: "Behind interrupts",
    meaning: "The CPU served interrupts and softirqs while tasks waited there.",
    kernel: "__do_softirq, irq_enter",
    threshold: "tasks waited while their CPU served interrupts, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::Interrupts),
};

fn interrupts(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::Interrupts).map(|(claimed, worst)| {
        let first = format!(
            "Interrupts, {} of them softirqs, were served while {}",
            time(claimed.causes[Cause::Softirq as usize]),
            facts.waited(claimed),
        );
        let summary = facts.summary(&first, &[], claimed, worst);
        facts.finding(&IRQ_STORM, claimed, (Label::Replayed, &[]), summary)
    });
    found.into_iter().collect()
}

pub(crate) const NUMA_SCAN: FindingEntry = FindingEntry {
    id: "NUMA_SCAN",
    title: "Behind NUMA scanning",
    meaning: "The task on the CPU scanned its own memory for NUMA balancing (task_numa_work) while others waited there.",
    kernel: "task_numa_work, task_scan_min",
    threshold: "tasks waited while the task on their CPU scanned, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::NumaScan),
};

fn numa_scan(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let what = "NUMA scanning (task_numa_work) had the CPU";
    behind(facts, &NUMA_SCAN, Claim::NumaScan, what)
}

/// Tasks waited while `what` was so of their CPU.
fn behind(
    facts: &WaitingFacts<'_>,
    detector: &FindingEntry,
    claim: Claim,
    what: &str,
) -> Vec<Finding> {
    let found = facts.claimed(claim).map(|(claimed, worst)| {
        let whole = worst.row.end_ns.saturating_sub(worst.row.start_ns);
        let first = format!("{what} while {}", facts.waited(claimed));
        let summary = facts.summary(&first, &[], claimed, worst);
        let summary = format!("{summary} That wait lasted {}.", time(whole));
        facts.finding(detector, claimed, (Label::Replayed, &[]), summary)
    });
    found.into_iter().collect()
}

pub(crate) const NEWIDLE: FindingEntry = FindingEntry {
    id: "NEWIDLE",
    title: "Behind newly idle balancing",
    meaning: "A CPU that had run out of tasks searched other CPUs, and tasks that arrived there during the search waited until it ended.",
    kernel: "sched_balance_newidle (before 6.10 newidle_balance)",
    threshold: "tasks waited during newly idle balancing of their CPU, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::NewIdle),
};

fn newidle(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let what = "Newly idle balancing (sched_balance_newidle) had the CPU";
    behind(facts, &NEWIDLE, Claim::NewIdle, what)
}

pub(crate) const STEAL: FindingEntry = FindingEntry {
    id: "STEAL",
    title: "Not run by the host",
    meaning: "The host did not run a CPU of this guest while tasks waited there: on the host, the thread of that CPU was itself waiting.",
    kernel: "record_steal_time (arch/x86/kvm/x86.c), sched_info_arrive",
    threshold: "tasks waited while the host did not run their CPU, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::Steal),
};

fn steal(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let what = "The host did not run the guest's CPU (steal)";
    behind(facts, &STEAL, Claim::Steal, what)
}

pub(crate) const HARDWARE_NOISE: FindingEntry = FindingEntry {
    id: "HARDWARE_NOISE",
    title: "The hardware had the CPU",
    meaning: "A CPU ran neither tasks nor interrupts of its kernel while tasks waited there: hardware, firmware (SMI) or, in a guest, the host had it.",
    kernel: "run_osnoise (kernel/trace/trace_osnoise.c)",
    threshold: "tasks waited while hardware noise took their CPU, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::HardwareNoise),
};

fn hardware_noise(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let what = "The hardware or its firmware, or, in a guest, its host, had the CPU";
    behind(facts, &HARDWARE_NOISE, Claim::HardwareNoise, what)
}

pub(crate) const ILB_LATE: FindingEntry = FindingEntry {
    id: "ILB_LATE",
    title: "Idle CPUs balanced too late",
    meaning: "Tasks waited on busy CPUs while idle CPUs were within their affinity, as far as is known, and no balancing pass was seen to consider them.",
    kernel: "nohz_idle_balance, rebalance_domains (6.10 sched_balance_domains)",
    threshold: "tasks waited while another CPU within their affinity was idle and before it ran a balancing pass, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::IdleElsewhere),
};

/// Location of the idle CPUs, and progress of balancing.
const LATE: [(Cause, &str); 3] = [
    (Cause::IdleSameNode, "in the same node"),
    (Cause::IdleOtherNode, "in another node"),
    (Cause::PendingBalance, "with a pass raised and not finished"),
];

fn balanced_late(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::IdleElsewhere).map(|(claimed, worst)| {
        let first = format!("Another CPU was idle while {}", facts.waited(claimed));
        let balancing = format!(
            "No balancing pass of an idle CPU was seen to consider them: {}.",
            parts(claimed, &LATE)
        );
        let summary = facts.summary(&first, &[&balancing, facts.allowed()], claimed, worst);
        let missing = [facts.lacks(BALANCING_PASSES)];
        facts.finding(&ILB_LATE, claimed, (Label::Inferred, &missing), summary)
    });
    found.into_iter().collect()
}

pub(crate) const ILB_KICK_DROPPED: FindingEntry = FindingEntry {
    id: "ILB_KICK_DROPPED",
    title: "Idle-balance kick dropped",
    meaning: "A busy CPU kicked an idle one to balance for all idle CPUs, but that raised no SCHED softirq, and tasks kept waiting.",
    kernel: "nohz_csd_func, nohz_balancer_kick",
    threshold: "tasks waited while another CPU within their affinity was idle, after a kick that raised no softirq and until an idle CPU raised one (at most two ticks), 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::KickDropped),
};

fn kick_dropped(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::KickDropped).map(|(claimed, worst)| {
        let first = format!(
            "Another CPU was idle, and kicks of the idle load balancer raised no SCHED softirq, while {}",
            facts.waited(claimed)
        );
        let summary = facts.summary(&first, &[facts.allowed()], claimed, worst);
        let missing = [facts.lacks(BALANCING_PASSES)];
        let label = (Label::Inferred, &missing[..]);
        facts.finding(&ILB_KICK_DROPPED, claimed, label, summary)
    });
    found.into_iter().collect()
}

pub(crate) const PASSED_OVER: FindingEntry = FindingEntry {
    id: "PASSED_OVER",
    title: "Passed over by balancing",
    meaning: "Tasks waited on busy CPUs while balancing on idle CPUs probably considered them but did not pull them: imbalance_pct, NUMA balancing, or affinity that was not recorded.",
    kernel: "can_migrate_task, find_busiest_group, newidle_balance",
    threshold: "tasks waited while another CPU within their affinity was idle and after it ran a balancing pass, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::PassedOver),
};

/// Location of the idle CPUs, and possible reasons for leaving the tasks.
const LEFT: [(Cause, &str); 4] = [
    (Cause::PassedOverSameNode, "by the same node"),
    (Cause::PassedOverOtherNode, "by other nodes"),
    (Cause::ImbalanceAllowed, "as nodes may differ a little"),
    (
        Cause::NumaKept,
        "as NUMA balancing keeps them on their node",
    ),
];

fn passed_over(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::PassedOver).map(|(claimed, worst)| {
        let first = format!(
            "Load balancing on idle CPUs probably considered waiting tasks but did not pull them, while {}",
            facts.waited(claimed)
        );
        let by = format!("Passed over: {}.", parts(claimed, &LEFT));
        let summary = facts.summary(&first, &[&by, facts.allowed()], claimed, worst);
        let missing = [facts.lacks(BALANCING)];
        facts.finding(&PASSED_OVER, claimed, (Label::Inferred, &missing), summary)
    });
    found.into_iter().collect()
}

/// "12.0 ms by the same node, 3.0 ms by other nodes".
fn parts(claimed: &Claimed, words: &[(Cause, &str)]) -> String {
    let parts = words.iter().filter_map(|(cause, how)| {
        let ns = claimed.causes[*cause as usize];
        (ns > 0).then(|| format!("{} {how}", time(ns)))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// For so long a host may run others than the CPU of a guest, ns.
const SLOW_NS: u64 = 20_000_000;

pub(crate) const IDLE_UNEXPLAINED: FindingEntry = FindingEntry {
    id: "IDLE_UNEXPLAINED",
    title: "Waited on an idle CPU",
    meaning: "A task was runnable on a CPU that stayed idle for longer than an idle exit takes: a slow CPU, unrecorded throttling, or missing events.",
    kernel: "do_idle, throttle_cfs_rq",
    threshold: "a wait spends more than 5 ms on an idle CPU, 10 ms and 1 % of all waiting; low if no wait exceeds that by 20 ms",
    cost: "the part of each wait beyond 5 ms",
    evidence: Evidence::claimed(Claim::IdleUnexplained),
};

fn idle_unexplained(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::IdleUnexplained).map(|(claimed, worst)| {
        let first = format!(
            "CPUs with a runnable task of their own stayed idle for longer than an idle exit takes, while {}",
            facts.waited(claimed)
        );
        let stolen = match facts.steal_ns {
            Some(ns) if ns > 0 => format!("steal time in /proc/stat: {} over all CPUs", time(ns)),
            _ => "perhaps stolen by the host".to_owned(),
        };
        let why = format!(
            "Either the CPU was slow (in a guest, {stolen}), the task was throttled without a record, or events are missing."
        );
        let summary = facts.summary(&first, &[&why], claimed, worst);
        let label = (Label::Inferred, &[CPU_STAT][..]);
        let finding = facts.finding(&IDLE_UNEXPLAINED, claimed, label, summary);
        if worst.waiter.ns < SLOW_NS {
            Finding {
                at_most: Severity::Low,
                ..finding
            }
        } else {
            finding
        }
    });
    found.into_iter().collect()
}

detectors! {
    WaitingFacts<'_>;
    CPU_SATURATED => saturated,
    FORK_STORM => fork_storm,
    RT_HOG => behind_higher_class,
    BUDDY_FIRST => behind_buddy,
    PINNED_HOTSPOT => pinned,
    CGROUP_THROTTLE => throttled,
    IRQ_STORM => interrupts,
    NUMA_SCAN => numa_scan,
    NEWIDLE => newidle,
    STEAL => steal,
    HARDWARE_NOISE => hardware_noise,
    sched_ext::SCX_QUEUED => sched_ext::queued,
    sched_ext::SCX_STALLED => sched_ext::stalled,
    ILB_LATE => balanced_late,
    ILB_KICK_DROPPED => kick_dropped,
    PASSED_OVER => passed_over,
    IDLE_UNEXPLAINED => idle_unexplained,
}
