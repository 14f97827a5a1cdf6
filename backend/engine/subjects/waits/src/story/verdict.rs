//! A wait in one sentence.

use numalens_replay::waits::{Cause, WaitEnd, WaitFrom, WaitRow};
use numalens_subject::window::{cpus_text, time};

use crate::story::Story;

/// Share of a wait from which on a cause has a word, percent.
const LEAST_PERCENT: u64 = 10;

/// Returns the verdict: task, CPU and length of the wait, the task that ran there longest (pid, name and time), and the
/// causes.
pub(super) fn verdict(story: &Story, wait: &WaitRow, ran: Option<((i32, &str), u64)>) -> String {
    let about = &story.wait;
    let began = match wait.from {
        WaitFrom::Waking | WaitFrom::Wakeup => "Woken",
        WaitFrom::Preempted => "Preempted",
        WaitFrom::New => "New",
        WaitFrom::Resumed => "Runnable (events before this were lost)",
    };
    let head = format!(
        "{began}, {} ({}) waited {} on {}{}",
        about.comm,
        about.pid,
        time(about.wait_ns),
        queues(story),
        behind(ran),
    );
    let idle = idle_cpus(story);
    let mut causes: Vec<_> = about.causes.iter().collect();
    causes.sort_by_key(|sum| std::cmp::Reverse(sum.ns));
    causes.retain(|sum| sum.ns.saturating_mul(100) >= about.wait_ns.saturating_mul(LEAST_PERCENT));
    let parts = causes.into_iter().filter_map(|sum| {
        let cause = Cause::ALL
            .into_iter()
            .find(|cause| cause.name() == sum.cause)?;
        let words = cause.clause().replace("{idle}", &idle);
        Some(format!("{} {words}", time(sum.ns)))
    });
    let parts = parts.collect::<Vec<_>>().join("; ");
    let colon = if parts.is_empty() { "" } else { ": " };
    let open = match wait.end {
        WaitEnd::Ran => "",
        WaitEnd::Recording => "; it still waited when the recording ended",
        WaitEnd::Lost => "; then events were lost, so it is at least this long",
        WaitEnd::Gone => "; then the task exited",
    };
    format!("{head}{colon}{parts}{open}.")
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
        format!(
            " behind {comm} ({pid}), which was on CPU for {} of that",
            time(ns)
        )
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
