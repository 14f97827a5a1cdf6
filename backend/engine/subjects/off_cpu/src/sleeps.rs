//! The sleeps of one task, each whole, with what it was for and who ended it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use numalens_bundle::Error;
use numalens_core::json::Moment;
use numalens_replay::timeline::TaskState;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::BySum;
use crate::catalogue::{Cause, SleepCause};
use crate::explain::provenance;
use crate::ledger::Ledger;
use crate::piece::{By, Piece};

/// Holders that are listed of one sleep.
const HOLDERS: usize = 8;

/// Sleep of a task, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "TaskSleep")]
pub struct TaskSleep {
    /// Begin, ns of the reference clock.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// End, ns.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// Letter of the state as the kernel prints it (`S`, `D`, `T`, ...); `None` where no event has it.
    pub state: Option<String>,
    /// Id of the cause.
    pub cause: &'static str,
    /// Title of the cause.
    pub title: &'static str,
    /// Thing that was waited for.
    pub resource: Option<String>,
    /// Task or interrupt that ended the sleep.
    pub waker: Option<Sleeper>,
    /// Tasks that held the lock during the sleep, the longest time first; empty for other causes.
    pub holders: Vec<BySum>,
    /// `observed`, `replayed`, `inferred` or `not recorded`.
    pub provenance: &'static str,
    /// The sleep in one sentence.
    pub summary: String,
}

/// Task, or interrupt or timer of pid 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SleepWaker")]
pub struct Sleeper {
    /// Pid; 0 for an interrupt or a timer.
    pub pid: i32,
    /// Name.
    pub comm: String,
}

impl Ledger<'_> {
    /// Returns the sleeps of a task that overlap a window, in order of time and whole.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn sleeps(&self, pid: i32, from_ns: u64, to_ns: u64) -> Result<Vec<TaskSleep>, Error> {
        self.gather_with_wakers(&[pid], (from_ns, to_ns))?;
        let spans = self.spans(pid, (from_ns, to_ns))?;
        let (from, to) = (self.after_origin(from_ns), self.after_origin(to_ns));
        let first = spans.all().partition_point(|span| span.end <= from);
        let mut sleeps = Vec::new();
        for (at, span) in spans.all().iter().enumerate().skip(first) {
            if span.start >= to {
                break;
            }
            if !span.is_asleep() {
                continue;
            }
            let whole = (self.origin_ns + span.start, self.origin_ns + span.end);
            let sleep = self.sleep(pid, &spans, at)?;
            let mut pieces = Vec::new();
            self.slept(pid, &spans, at, whole, &mut pieces)?;
            let cause = Cause::Slept(sleep.cause);
            let waker = self.one_of(sleep.by);
            let mut holders = Vec::new();
            if cause.is_lock() {
                holders = self.holders(&pieces);
            }
            let state = match span.letter {
                0 if span.state == TaskState::Blocked => Some("D".to_owned()),
                0 => None,
                letter => Some(char::from(letter).to_string()),
            };
            let behind = holders.first().map(|held| held.comm.as_str());
            let behind = behind.or(waker.as_ref().map(|waker| waker.comm.as_str()));
            sleeps.push(TaskSleep {
                from_ns: whole.0,
                to_ns: whole.1,
                state,
                cause: cause.entry().id,
                title: cause.entry().title,
                resource: self.resource(sleep.resource)?,
                summary: self.sleep_sentence(pid, sleep.cause, whole, behind),
                waker,
                holders,
                provenance: provenance(sleep.label),
            });
        }
        Ok(sleeps)
    }

    /// Passes on the sleeps of all tasks that overlap a window, with the pid of the task, task by task.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read, and when `each` does.
    pub fn each_sleep(
        &self,
        window: (u64, u64),
        each: impl FnMut(i32, TaskSleep) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let all = (0..).map_while(|task| self.open.index.task(task));
        let pids: BTreeSet<i32> = all.map(|task| task.0).filter(|&pid| pid != 0).collect();
        let pids: Vec<i32> = pids.into_iter().collect();
        self.sleeps_of(&pids, window, each)
    }

    /// Hands on the sleeps of some tasks that have time in a window, with the pid of the task, task by task.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read, and when `each` does.
    pub fn sleeps_of(
        &self,
        pids: &[i32],
        (from_ns, to_ns): (u64, u64),
        mut each: impl FnMut(i32, TaskSleep) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.gather_with_wakers(pids, (from_ns, to_ns))?;
        for &pid in pids {
            for sleep in self.sleeps(pid, from_ns, to_ns)? {
                each(pid, sleep)?;
            }
        }
        Ok(())
    }

    fn one_of(&self, by: By) -> Option<Sleeper> {
        let comm = self.name(by)?;
        let pid = if let By::Task(pid) = by { pid } else { 0 };
        Some(Sleeper { pid, comm })
    }

    fn holders(&self, pieces: &[Piece]) -> Vec<BySum> {
        let mut held: BTreeMap<i32, u64> = BTreeMap::new();
        for piece in pieces {
            if let By::Task(pid) = piece.by {
                *held.entry(pid).or_default() += piece.ns();
            }
        }
        let mut holders: Vec<BySum> = held
            .into_iter()
            .map(|(pid, ns)| BySum {
                pid,
                comm: self.comm(pid).to_owned(),
                ns,
            })
            .collect();
        holders.sort_by_key(|one| (Reverse(one.ns), one.pid));
        holders.truncate(HOLDERS);
        holders
    }

    fn sleep_sentence(
        &self,
        pid: i32,
        cause: SleepCause,
        (from_ns, to_ns): (u64, u64),
        behind: Option<&str>,
    ) -> String {
        format!(
            "{} ({pid}) slept {:.1} ms, {}.",
            self.comm(pid),
            (to_ns - from_ns) as f64 / 1e6,
            cause
                .clause()
                .replace("{by}", behind.unwrap_or("another task"))
        )
    }
}
