//! What comes out.

use numalens_core::json::{Moment, OptionalMoment};
use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_replay::waits::Context;
use schemars::JsonSchema;
use serde::Serialize;

use crate::latency::{CauseSum, WorstWait};

/// A part of a wait that was spent on one cause, or several short ones together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WaitSegment")]
pub struct Segment {
    /// From when.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Until when; the next one begins there.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// How many parts it is.
    pub count: u64,
    /// What it was spent on; adds up to its length.
    pub causes: Vec<CauseSum>,
}

/// Where the task was during a part of its wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WaitStretch")]
pub struct Stretch {
    /// From when.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Until when.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// The CPU.
    pub cpu: u32,
    /// Its node.
    pub nid: Option<u32>,
    /// On its queue; else about to come there.
    pub queued: bool,
}

/// A move of the task to another CPU during its wait (`sched_migrate_task`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WaitMove")]
pub struct Move {
    /// When.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// Where from.
    pub from_cpu: u32,
    /// Where to.
    pub to_cpu: u32,
    /// The CPU that moved it.
    pub by_cpu: u32,
}

/// Who ran on the task's CPU meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WaitRunner")]
pub struct Runner {
    /// From when, not before the wait.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Until when, not beyond the wait.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// Where.
    pub cpu: u32,
    /// How many stays on the CPU it is.
    pub count: u64,
    /// Their time, which is the whole of it if it is one.
    pub run_ns: u64,
    /// Row of the table of tasks: who ran longest.
    pub task: TaskId,
    /// Who.
    pub pid: i32,
    /// Its name.
    pub comm: String,
    /// How many tasks there are in it.
    pub tasks: usize,
    /// Its numa group, if it is known.
    pub numa_group: Option<i32>,
}

/// Time in which a CPU was idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "IdleTime")]
pub struct IdlePiece {
    /// From when.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Until when.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// How many times it is.
    pub count: u64,
    /// How long it was idle.
    pub idle_ns: u64,
}

/// A CPU that was idle during the wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IdleCpu {
    /// The CPU.
    pub cpu: u32,
    /// Its node.
    pub nid: Option<u32>,
    /// How long it was idle.
    pub idle_ns: u64,
    /// Whether the task may run there; `None` when nothing tells.
    pub allowed: Option<bool>,
    /// When.
    pub pieces: Vec<IdlePiece>,
}

/// The idle CPUs of a node during the wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IdleNode {
    /// The node; `None` for CPUs of which nobody knows it.
    pub nid: Option<u32>,
    /// How many CPUs it has.
    pub cpus: u32,
    /// Idle time of all of them together.
    pub idle_ns: u64,
    /// How long at least one was idle.
    pub any_ns: u64,
    /// Idle CPUs over time: `idle_ns` is that of all CPUs together.
    pub pieces: Vec<IdlePiece>,
}

/// Why the chain of wake-ups goes back no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WakeChainStop")]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// An interrupt asked.
    Interrupt,
    /// A softirq asked.
    Softirq,
    /// The idle task asked.
    Idle,
    /// The waker had been awake before the one that it woke went to sleep.
    RanAlready,
    /// The wait began with a preemption: nobody had to wake the task.
    Preempted,
    /// As many as are told.
    Limit,
    /// The recording does not tell more.
    NotRecorded,
    /// Events are missing there.
    LostEvents,
}

/// One who woke the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WakeHop")]
pub struct Hop {
    /// When it asked for the wake-up.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// Who was on the CPU that asked; in an interrupt a bystander. `None` when not recorded.
    pub pid: Option<i32>,
    /// Its name.
    pub comm: Option<String>,
    /// The CPU that asked.
    pub cpu: u32,
    /// Its node.
    pub nid: Option<u32>,
    /// What that CPU was doing.
    pub context: Context,
    /// When its own sleep began; `None` when not recorded.
    #[serde(with = "OptionalMoment")]
    pub slept_ns: Option<u64>,
    /// In which state it slept, as the kernel prints it.
    pub slept_in: Option<String>,
    /// When its own wake-up was asked for.
    #[serde(with = "OptionalMoment")]
    pub woken_ns: Option<u64>,
    /// When it got a CPU after that.
    #[serde(with = "OptionalMoment")]
    pub ran_ns: Option<u64>,
    /// `ran_ns - woken_ns`: its own wait.
    pub wait_ns: Option<u64>,
    /// How long it was off the CPU by preemption until it asked.
    pub preempted_ns: u64,
    /// How good it is.
    pub label: Label,
    /// What would make it better.
    pub missing: Vec<String>,
}

/// A wait, told from its begin to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Wait")]
pub struct Story {
    /// The wait.
    pub wait: WorstWait,
    /// What began it: `waking`, `wakeup` or `preempted`.
    pub began: &'static str,
    /// Its numa group, if it is known.
    pub numa_group: Option<i32>,
    /// What it was spent on, one part after the other without a hole.
    pub segments: Vec<Segment>,
    /// Where the task was.
    pub stretches: Vec<Stretch>,
    /// How it moved.
    pub moves: Vec<Move>,
    /// Moves that are not told.
    pub moves_more: u64,
    /// Who ran on its CPU meanwhile, in order of time.
    pub runners: Vec<Runner>,
    /// By node, in the machine's order.
    pub idle_nodes: Vec<IdleNode>,
    /// CPUs that were idle, by their numbers.
    pub idle_cpus: Vec<IdleCpu>,
    /// CPUs that were idle and are not told.
    pub idle_cpus_more: u64,
    /// How well it is known which idle CPUs could have taken the task.
    pub idle_label: Label,
    /// What would make it better.
    pub idle_missing: Vec<String>,
    /// When the sleep that the wait ended began; `None` when it did not sleep or nothing tells.
    #[serde(with = "OptionalMoment")]
    pub slept_ns: Option<u64>,
    /// In which state it slept.
    pub slept_in: Option<String>,
    /// Who woke it, who woke that one, and so on; times go back.
    pub chain: Vec<Hop>,
    /// Why it ends there.
    pub stop: Stop,
    /// How good causes and runners are.
    pub label: Label,
    /// What would make it better.
    pub missing: Vec<String>,
}
