//! Summary of the pass over the NUMA events.

use numalens_events::NumaKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Attempt, ClingLine, NumaEvent, StickFormat, Verdict};

/// Basis of a bundle's NUMA replays; part of the bundle's evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Recorded events.
    pub sources: Sources,
    /// Counts of events.
    pub counts: Counts,
}

/// Kinds of events in a recording. A kind without events counts as missing, even if it was to be recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NumaSources")]
#[allow(clippy::struct_excessive_bools)]
pub struct Sources {
    /// `sched_move_numa`.
    pub moves: bool,
    /// `sched_swap_numa`.
    pub swaps: bool,
    /// The fields of `sched_stick_numa`; `None` when it never came.
    pub stick: Option<StickFormat>,
    /// `mm_migrate_pages`.
    pub migrate_pages: bool,
    /// `mm_migrate_pages_start`: the starts of batches are recorded.
    pub migrate_pages_start: bool,
    /// `mm_migrate_misplaced_pages`.
    pub misplaced: bool,
    /// `sched_skip_vma_numa`.
    pub skip_vma: bool,
    /// A probe on the entry of `task_numa_migrate`.
    pub entry_probe: bool,
    /// True if that probe prints the preferred node.
    pub entry_tells_node: bool,
    /// A probe on its return.
    pub return_probe: bool,
    /// A probe on `sched_setnuma`.
    pub setnuma_probe: bool,
    /// Lines of the cling kernel in `sched_setnuma`.
    pub setnuma_line: bool,
    /// A probe on the callback of cling's timer.
    pub timer_probe: bool,
    /// Any line of the cling kernel.
    pub cling_lines: bool,
}

/// Counts of events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NumaCounts")]
pub struct Counts {
    /// `sched_move_numa`.
    pub moves: u64,
    /// `sched_swap_numa`.
    pub swaps: u64,
    /// `sched_stick_numa`.
    pub sticks: u64,
    /// Probes on the entry of `task_numa_migrate`.
    pub entries: u64,
    /// Probes on its return.
    pub returns: u64,
    /// Attempts.
    pub attempts: u64,
    /// Of these, those with an unknown outcome.
    pub unknown: u64,
    /// Calls that migrated pages.
    pub page_batches: u64,
    /// Of them, those whose beginning is known.
    pub timed_batches: u64,
    /// `mm_migrate_misplaced_pages`.
    pub misplaced: u64,
    /// Lines of the cling kernel, and probes with the same information.
    pub lines: u64,
    /// Settings of a preferred node that both a line and a probe gave.
    pub recorded_twice: u64,
    /// `sched_skip_vma_numa`.
    pub skipped_vmas: u64,
    /// Gaps of lost events.
    pub lost: u64,
    /// Events that were older than the one before them.
    pub backwards: u64,
}

impl Summary {
    /// Returns the summary before the first event.
    pub(super) fn new(kinds: &[NumaKind]) -> Self {
        let has = |kind| kinds.contains(&kind);
        Self {
            sources: Sources {
                moves: has(NumaKind::Move),
                swaps: has(NumaKind::Swap),
                migrate_pages: has(NumaKind::MigratePages),
                migrate_pages_start: has(NumaKind::MigratePagesStart),
                misplaced: has(NumaKind::Misplaced),
                skip_vma: has(NumaKind::SkipVma),
                entry_probe: has(NumaKind::Entry),
                return_probe: has(NumaKind::Return),
                setnuma_probe: has(NumaKind::Setnuma),
                timer_probe: has(NumaKind::Timer),
                ..Sources::default()
            },
            counts: Counts::default(),
        }
    }

    pub(super) fn event(&mut self, event: &NumaEvent) {
        let counts = &mut self.counts;
        match event {
            NumaEvent::Move(_) => counts.moves += 1,
            NumaEvent::Swap(_) => counts.swaps += 1,
            NumaEvent::Stick(_, format) => {
                counts.sticks += 1;
                // Should recordings of two kernels lie together, the poorer one counts.
                let seven = self.sources.stick == Some(StickFormat::Seven);
                self.sources.stick = Some(if seven { StickFormat::Seven } else { *format });
            }
            NumaEvent::Entry { nid, .. } => {
                counts.entries += 1;
                self.sources.entry_tells_node |= nid.is_some();
            }
            NumaEvent::Return { .. } => counts.returns += 1,
            NumaEvent::SkippedVma => counts.skipped_vmas += 1,
            NumaEvent::Lost { .. } => counts.lost += 1,
            NumaEvent::Line { .. } => {}
        }
    }

    /// `probed`: a probe with the same information instead of a line.
    pub(super) fn line(&mut self, line: &ClingLine, probed: bool) {
        self.sources.cling_lines |= !probed;
        self.sources.setnuma_line |= !probed && matches!(line, ClingLine::Setnuma { .. });
    }

    pub(super) fn attempt(&mut self, attempt: &Attempt) {
        self.counts.attempts += 1;
        self.counts.unknown += u64::from(attempt.verdict == Verdict::Unknown);
    }
}
