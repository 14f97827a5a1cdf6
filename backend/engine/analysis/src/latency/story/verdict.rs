//! A wait in one sentence.

use numalens_replay::waits::{Cause, WaitEnd, WaitFrom, WaitRow};

use crate::latency::story::Story;
use crate::window::{cpus_text, time};

/// Share of a wait from which on a cause has a word, percent.
const LEAST_PERCENT: u64 = 10;

/// Who waited where and how long, who ran there longest (pid and name, and how long), and what decided it.
pub(super) fn verdict(story: &Story, wait: &WaitRow, ran: Option<((i32, &str), u64)>) -> String {
    let about = &story.wait;
    let began = match wait.from {
        WaitFrom::Waking | WaitFrom::Wakeup => "Woken",
        WaitFrom::Preempted => "Preempted",
        WaitFrom::New => "New",
        WaitFrom::Resumed => "Runnable behind lost events",
    };
    let mut parts = vec![format!(
        "{began}, {} ({}) waited {} on {}{}",
        about.comm,
        about.pid,
        time(about.wait_ns),
        queues(story),
        behind(ran),
    )];
    let mut causes: Vec<_> = about.causes.iter().collect();
    causes.sort_by_key(|sum| std::cmp::Reverse(sum.ns));
    for sum in causes {
        let cause = Cause::ALL
            .into_iter()
            .find(|cause| cause.name() == sum.cause);
        if let Some(cause) = cause
            .filter(|_| sum.ns.saturating_mul(100) >= about.wait_ns.saturating_mul(LEAST_PERCENT))
        {
            parts.push(words(cause, &time(sum.ns), &idle_cpus(story)));
        }
    }
    let open = match wait.end {
        WaitEnd::Ran => "",
        WaitEnd::Recording => "; it still waited when the recording ended",
        WaitEnd::Lost => "; then events are lost, so it is at least this long",
        WaitEnd::Gone => "; then the task was gone",
    };
    format!("{}{open}.", parts.join("; "))
}

/// "CPU 7", "CPUs 3 and 7".
fn queues(story: &Story) -> String {
    let mut cpus: Vec<u32> = story
        .stretches
        .iter()
        .filter(|stretch| stretch.queued)
        .map(|stretch| stretch.cpu)
        .collect();
    cpus.sort_unstable();
    cpus.dedup();
    if cpus.is_empty() {
        cpus.push(story.wait.cpu);
    }
    cpus_text(&cpus)
}

fn behind(ran: Option<((i32, &str), u64)>) -> String {
    let ran = ran.filter(|((pid, _), _)| *pid != 0);
    ran.map_or(String::new(), |((pid, comm), ns)| {
        format!(" behind {comm} ({pid}), which ran {} of it", time(ns))
    })
}

/// The CPUs that were idle longest, in the order of their numbers.
fn idle_cpus(story: &Story) -> String {
    let mut idle: Vec<_> = story
        .idle_cpus
        .iter()
        .filter(|idle| idle.idle_ns > 0 && idle.cpu != story.wait.cpu)
        .collect();
    let longest = idle.iter().map(|idle| idle.idle_ns).max().unwrap_or(0);
    idle.retain(|idle| idle.idle_ns >= longest / 2);
    let cpus: Vec<u32> = idle.iter().map(|idle| idle.cpu).collect();
    match cpus.len() {
        0 => "other CPUs were".to_owned(),
        1 => format!("{} was", cpus_text(&cpus)),
        _ => format!("{} were", cpus_text(&cpus)),
    }
}

/// A cause of `ns` of the wait.
fn words(cause: Cause, ns: &str, idle: &str) -> String {
    let idle_but = |but: &str| format!("for {ns} of it {idle} idle, but {but}");
    match cause {
        Cause::WakeUp => format!("for {ns} of it the wake-up was under way"),
        Cause::Unknown => format!("what the CPU did for {ns} of it is not recorded"),
        Cause::Throttled => format!(
            "for {ns} of it it was throttled: the quota of its cgroup (cpu.max), or its real-time or deadline budget, was used up"
        ),
        Cause::IdleExit => format!("for {ns} of it its CPU was leaving idle"),
        Cause::IdleUnexplained => {
            format!("for {ns} of it its CPU was idle, and nothing recorded says why")
        }
        Cause::Interrupt => format!("for {ns} of it the CPU served interrupts"),
        Cause::Softirq => format!("for {ns} of it the CPU served softirqs"),
        Cause::NumaScan => {
            format!("NUMA scanning (task_numa_work of the task on its CPU) took {ns} of it")
        }
        Cause::NewIdle => format!(
            "for {ns} of it its CPU, which had nothing to run, looked for tasks of other CPUs first (newly idle balancing)"
        ),
        Cause::Steal => format!("for {ns} of it the host did not run its CPU (steal)"),
        Cause::HardwareNoise => format!(
            "for {ns} of it its CPU ran nothing of the kernel's: its hardware or firmware had it, or, in a guest, its host"
        ),
        Cause::NotEligible => format!(
            "for {ns} of it no CPU was idle, and the scheduler had left it as not eligible: it had had more than its share"
        ),
        Cause::LaterDeadline => format!(
            "for {ns} of it no CPU was idle, and the scheduler had picked one whose deadline was no later"
        ),
        Cause::SliceProtected => format!(
            "for {ns} of it no CPU was idle, and the task on its CPU was let run on to the end of its protected slice, though this one had the earlier deadline"
        ),
        Cause::ScxQueued => {
            format!("for {ns} of it nothing but its BPF scheduler (sched_ext) kept it from running")
        }
        Cause::ScxStalled => {
            format!(
                "for {ns} of it its BPF scheduler (sched_ext) left it runnable, as the watchdog found"
            )
        }
        Cause::Busy => format!("for {ns} of it no CPU was idle"),
        Cause::BehindHigherClass => format!(
            "for {ns} of it a real-time, deadline or stop task had the CPU, and no CPU was idle"
        ),
        Cause::Pinned => idle_but("it may not run there"),
        Cause::ProbablyPinned => {
            idle_but("it probably may not run there: they passed it over again and again")
        }
        Cause::PinnedBehindHigherClass => {
            idle_but("it may not run there, and a real-time, deadline or stop task had its CPU")
        }
        Cause::MigrationCost => {
            format!(
                "for {ns} of it CPUs were idle, but it was cache hot, having run less than 0.5 ms before"
            )
        }
        Cause::PendingBalance => {
            format!(
                "for {ns} of it CPUs were idle, and a balancing pass was raised and not finished"
            )
        }
        Cause::KickDropped => format!(
            "for {ns} of it CPUs were idle, and the kick that was to make one of them balance had raised no SCHED softirq"
        ),
        Cause::IdleSameNode => {
            format!(
                "for {ns} of it a CPU of its node was idle, and no balancing pass was seen to look at it"
            )
        }
        Cause::IdleOtherNode => format!(
            "for {ns} of it only CPUs of other nodes were idle, and no balancing pass was seen to look at it"
        ),
        Cause::PassedOverSameNode => format!(
            "for {ns} of it a CPU of its node was idle whose balancing probably looked at it and left it"
        ),
        Cause::PassedOverOtherNode => format!(
            "for {ns} of it only CPUs of other nodes were idle, whose balancing probably left it (imbalance_pct, or affinity that is not recorded)"
        ),
        Cause::ImbalanceAllowed => format!(
            "for {ns} of it only CPUs of other nodes were idle, and balancing probably left it as the kernel allows a small imbalance between nodes"
        ),
        Cause::NumaKept => format!(
            "for {ns} of it only CPUs of other nodes were idle, and balancing probably left it where its memory is"
        ),
    }
}
