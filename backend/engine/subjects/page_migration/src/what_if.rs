//! The migration interval of the auto-migration patch: which moves of tasks between nodes it would have refused.

use std::collections::HashMap;

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_core::topology::Node;
use numalens_replay::migrations::Migration;
use numalens_subject::window::Places;
use schemars::JsonSchema;
use serde::Serialize;

/// The interval that the patch has by default, s.
pub const DEFAULT_S: u64 = 30;
/// The least it takes, s; less is taken as this.
pub const LEAST_S: u64 = 5;
/// The most it takes, s; more is taken as this.
pub const MOST_S: u64 = 300;

/// Refused moves that are listed; all are counted.
pub const MOST_LISTED: usize = 1000;

/// The interval that the patch would use, s: it clips silently.
#[must_use]
pub fn clip(interval_s: u64) -> u64 {
    interval_s.clamp(LEAST_S, MOST_S)
}

/// State that the patch keeps for a task: whether its memory is still to be walked, and until when it must stay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gate {
    pending: bool,
    next_ns: Option<u64>,
}

impl Gate {
    /// Returns whether a move to another node is refused at a time; otherwise the task moves and its memory is to be walked.
    pub fn refuses(&mut self, t_ns: u64) -> bool {
        let soon = self.pending || self.next_ns.is_some_and(|next_ns| t_ns < next_ns);
        self.pending = !soon || self.pending;
        soon
    }

    /// The walk of its memory ends: from here on the interval counts.
    pub fn walked(&mut self, t_ns: u64, interval_s: u64) {
        let length_ns = clip(interval_s).saturating_mul(1_000_000_000);
        self.pending = false;
        self.next_ns = Some(t_ns.saturating_add(length_ns));
    }
}

/// A move that would have been refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RefusedMove")]
pub struct Refused {
    /// Time, ns of the reference clock.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// Pid.
    pub pid: i32,
    /// The task's number.
    pub task: TaskId,
    /// From this node.
    pub from_nid: u32,
    /// To this one.
    pub to_nid: u32,
    /// Since its last move that would have been allowed, ns.
    pub after_ns: u64,
    /// Inferred for a task's first refusal, a what-if for all later ones: the task would have been elsewhere by then.
    pub label: Label,
}

/// Moves that the interval would have refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "IntervalWhatIf")]
pub struct WhatIf {
    /// The interval as used, s.
    pub interval_s: u64,
    /// Moves between nodes in the window.
    pub moves: u64,
    /// First refusals of their tasks in the window: up to there the history is the real one.
    pub first: u64,
    /// Refusals in the window after a task's first one.
    pub later: u64,
    /// All refused moves, ordered by time.
    pub refused: Vec<Refused>,
    /// Provenance of the first ones.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
struct Task {
    gate: Gate,
    moved_ns: u64,
    /// Node of the task in the what-if.
    nid: u32,
    diverged: bool,
}

/// Takes the migrations from the start of the recording, by time.
#[derive(Debug)]
pub struct Meter {
    places: Places,
    window: (u64, u64),
    tasks: HashMap<i32, Task>,
    result: WhatIf,
}

impl Meter {
    /// For an interval in seconds. What is reported is of the window, whose end belongs to it.
    #[must_use]
    pub fn new(nodes: &[Node], interval_s: u64, from_ns: u64, to_ns: u64) -> Self {
        Self {
            places: Places::new(nodes),
            window: (from_ns, to_ns),
            tasks: HashMap::new(),
            result: WhatIf {
                interval_s: clip(interval_s),
                moves: 0,
                first: 0,
                later: 0,
                refused: Vec::new(),
                label: Label::Inferred,
                // The walk ends when the task returns to user mode after its move; kernel threads and exec are exempt.
                missing: ["end of the walk", "kernel threads", "exec"]
                    .map(str::to_owned)
                    .to_vec(),
            },
        }
    }

    /// Adds a task's change of CPU. The walk is taken to end with the move.
    pub fn migration(&mut self, row: &Migration) {
        let nodes = (self.places.nid(row.orig_cpu), self.places.nid(row.dest_cpu));
        let (Some(from), Some(to)) = nodes else {
            return;
        };
        if from == to {
            return;
        }
        let (from_ns, to_ns) = self.window;
        let inside = row.ts_ns >= from_ns && row.ts_ns <= to_ns;
        self.result.moves += u64::from(inside);
        let task = self.tasks.entry(row.pid).or_insert(Task {
            gate: Gate::default(),
            moved_ns: row.ts_ns,
            nid: from,
            diverged: false,
        });
        if task.diverged && task.nid == to {
            // It would have been there all along.
            return;
        }
        let from = if task.diverged { task.nid } else { from };
        if !task.gate.refuses(row.ts_ns) {
            task.gate.walked(row.ts_ns, self.result.interval_s);
            task.moved_ns = row.ts_ns;
            task.nid = to;
            return;
        }
        let first = !std::mem::replace(&mut task.diverged, true);
        task.nid = from;
        if !inside {
            return;
        }
        self.result.first += u64::from(first);
        self.result.later += u64::from(!first);
        if self.result.refused.len() < MOST_LISTED {
            self.result.refused.push(Refused {
                t_ns: row.ts_ns,
                pid: row.pid,
                task: row.task,
                from_nid: from,
                to_nid: to,
                after_ns: row.ts_ns.saturating_sub(task.moved_ns),
                label: if first {
                    Label::Inferred
                } else {
                    Label::WhatIf
                },
            });
        }
    }

    /// Returns the refused moves.
    #[must_use]
    pub fn finish(self) -> WhatIf {
        self.result
    }
}
