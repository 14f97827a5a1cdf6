//! The log of the phases of waits: what the replay knew of a task while it waited.
//!
//! During a phase the task stays on one queue with the same affinity, and no new fact about it appears. Most phases have the
//! causes of a task without known facts on the CPU where it became runnable. These are not stored. The segments of a wait
//! follow from its phases, the log of states and the log of spans.

use numalens_core::ipc::Bytes;
use numalens_core::logs::{Batches, BatchesWriter, Columns, between, table};
use numalens_core::{CpuSet, EngineError, Output};

use super::rules::{Budget, Left, LeftByOtherNode, Turn, Waiter};
use super::{Cause, CauseNs, WaitRow};
use crate::log::writer;

/// Part of a wait on one queue during which nothing new became known of the task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phase {
    /// Begin, ns of the reference clock.
    pub start_ns: u64,
    /// End, ns.
    pub end_ns: u64,
    /// The task that waits.
    pub pid: i32,
    /// The CPU of the queue.
    pub cpu: u32,
    /// Number of the mask of CPUs that the task may use; `None` when it is one CPU or all.
    pub(crate) mask: Option<u32>,
    /// Facts about the task.
    pub(crate) waiter: Waiter,
}

/// Time in which a task waits that balancing passes of idle CPUs considered and left, for no known reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassedOver {
    /// The end of the first such pass, ns of the reference clock.
    pub start_ns: u64,
    /// End, ns.
    pub end_ns: u64,
    /// The task that waits.
    pub pid: i32,
    /// The CPU of the queue.
    pub cpu: u32,
    /// A CPU of the same node did so.
    pub by_same_node: bool,
    /// A CPU of another node did so.
    pub by_other_node: bool,
}

table! {
    /// A row of `waits/phases.arrow`; by their ends.
    StoredPhase, PhaseColumns, end_ns, {
        start_ns: u64,
        end_ns: u64,
        pid: i32,
        cpu: u16,
        /// Facts about the task, as bits.
        waiter: u16,
        /// Number of the mask, or `NO_MASK`.
        mask: u8,
    }
}

table! {
    /// A row of `waits/masks.arrow`: a CPU that a mask has.
    StoredMask, MaskColumns, mask, {
        mask: u32,
        cpu: u32,
    }
}

const NO_MASK: u8 = u8::MAX;

impl Phase {
    /// Returns whether the affinity of the task is known to keep it from some CPUs.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.waiter.bound || self.mask.is_some()
    }

    /// Returns whether that is a conclusion.
    #[must_use]
    pub fn is_inferred(&self) -> bool {
        self.waiter.inferred
    }

    fn pack(&self) -> StoredPhase {
        StoredPhase {
            start_ns: self.start_ns,
            end_ns: self.end_ns,
            pid: self.pid,
            cpu: self.cpu as u16,
            waiter: self.waiter.pack(),
            mask: self.mask.map_or(NO_MASK, |mask| mask as u8),
        }
    }
}

impl StoredPhase {
    fn unpack(self) -> Phase {
        Phase {
            start_ns: self.start_ns,
            end_ns: self.end_ns,
            pid: self.pid,
            cpu: u32::from(self.cpu),
            mask: (self.mask != NO_MASK).then_some(u32::from(self.mask)),
            waiter: Waiter::unpack(self.waiter),
        }
    }
}

impl Waiter {
    fn pack(self) -> u16 {
        let turn = match self.turn {
            None => 0,
            Some(Turn::NotEligible) => 1,
            Some(Turn::LaterDeadline) => 2,
            Some(Turn::SliceProtected) => 3,
            // The two bits were all taken.
            Some(Turn::ShortBehindBuddy) => 1 << 7,
        };
        u16::from(self.higher)
            | u16::from(self.bound) << 1
            | u16::from(self.inferred) << 2
            | u16::from(self.left.hot) << 3
            | u16::from(self.left.by_same_node) << 4
            | (self.left.by_other_node as u16) << 5
            | turn << 7
            | (self.budget as u16) << 9
            | u16::from(self.unseen) << 11
            | u16::from(self.unplaced) << 12
            | u16::from(self.astray) << 13
    }

    fn unpack(bits: u16) -> Self {
        let bit = |at: u16| bits >> at & 1 == 1;
        let two = |at: u16| bits >> at & 3;
        Self {
            higher: bit(0),
            bound: bit(1),
            inferred: bit(2),
            unseen: bit(11),
            unplaced: bit(12),
            astray: bit(13),
            left: Left {
                hot: bit(3),
                by_same_node: bit(4),
                by_other_node: match two(5) {
                    0 => LeftByOtherNode::No,
                    1 => LeftByOtherNode::Yes,
                    2 => LeftByOtherNode::Imbalance,
                    _ => LeftByOtherNode::Numa,
                },
            },
            turn: match two(7) {
                0 if bit(14) => Some(Turn::ShortBehindBuddy),
                0 => None,
                1 => Some(Turn::NotEligible),
                2 => Some(Turn::LaterDeadline),
                _ => Some(Turn::SliceProtected),
            },
            budget: match two(9) {
                0 => Budget::Unlimited,
                1 => Budget::Limited,
                2 => Budget::Throttled,
                _ => Budget::UsedUp,
            },
        }
    }
}

writer! {
    /// Writes `waits/phases.arrow`.
    PhasesWriter, PhaseColumns, Phase, Phase::pack
}

/// Writes the masks that phases name by number: `waits/masks.arrow`.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_masks(masks: &[CpuSet], out: Output) -> Result<(), EngineError> {
    let rows = (0..).zip(masks);
    let rows = rows.flat_map(|(mask, cpus)| cpus.iter().map(move |cpu| StoredMask { mask, cpu }));
    let mut writer = BatchesWriter::<MaskColumns>::new(out)?;
    writer.write(&[&rows.collect::<Vec<_>>()])?;
    writer.finish()
}

/// The phases, ready to be read.
#[derive(Debug)]
pub struct Phases {
    rows: Batches<PhaseColumns>,
    masks: Vec<CpuSet>,
}

impl Phases {
    /// Opens the bytes of `waits/phases.arrow` and `waits/masks.arrow`.
    ///
    /// # Errors
    /// The bytes are not those of phases and masks.
    pub fn open(phases: impl Into<Bytes>, masks: impl Into<Bytes>) -> Result<Self, EngineError> {
        let rows = Batches::open(phases, "the waits' phases")?;
        let stored = Batches::<MaskColumns>::open(masks, "the waits' masks")?;
        let mut masks: Vec<CpuSet> = Vec::new();
        for batch in stored.into_all()? {
            for row in 0..batch.rows() {
                let StoredMask { mask, cpu } = batch.get(row);
                let at = (mask as usize).min(usize::from(NO_MASK));
                if at >= masks.len() {
                    masks.resize_with(at + 1, CpuSet::default);
                }
                masks[at].insert(cpu);
            }
        }
        Ok(Self { rows, masks })
    }

    /// The mask of a number.
    #[must_use]
    pub fn mask(&self, mask: u32) -> CpuSet {
        self.masks.get(mask as usize).cloned().unwrap_or_default()
    }

    /// Returns whether the task of a phase may use a CPU, as far as is known.
    #[must_use]
    pub fn allows(&self, phase: &Phase, cpu: u32) -> bool {
        if phase.waiter.bound {
            return cpu == phase.cpu;
        }
        phase.mask.is_none_or(|mask| self.mask(mask).contains(cpu))
    }

    /// Returns the times at which tasks were passed over in phases that ended between two times, by the phases' starts.
    ///
    /// # Errors
    /// They could not be read.
    pub fn passed_over(&self, from: u64, to: u64) -> Result<Vec<PassedOver>, EngineError> {
        let mut found = Vec::new();
        for stored in between(&self.rows, from, to)? {
            let waiter = Waiter::unpack(stored.waiter);
            let one = PassedOver {
                start_ns: stored.start_ns,
                end_ns: stored.end_ns,
                pid: stored.pid,
                cpu: u32::from(stored.cpu),
                by_same_node: waiter.left.by_same_node,
                by_other_node: waiter.left.by_other_node == LeftByOtherNode::Yes,
            };
            let free = !waiter.bound && !waiter.left.hot && waiter.budget == Budget::Unlimited;
            if free && (one.by_same_node || one.by_other_node) {
                found.push(one);
            }
        }
        found.sort_unstable_by_key(|one| (one.start_ns, one.pid));
        Ok(found)
    }

    /// Returns the phases of a wait of the task `pid`, from its enqueueing until its end, in order and without gaps.
    /// `causes` are the causes of the wait.
    ///
    /// # Errors
    /// They could not be read.
    pub fn of(
        &self,
        wait: &WaitRow,
        causes: &[CauseNs],
        pid: i32,
    ) -> Result<Vec<Phase>, EngineError> {
        let wakeup = causes.iter().find(|total| total.cause == Cause::WakeUp);
        let mut at = wait.start_ns + wakeup.map_or(0, |total| total.ns);
        let mut phases = Vec::new();
        let plain = |start_ns, end_ns| Phase {
            start_ns,
            end_ns,
            pid,
            cpu: wait.from_cpu,
            mask: None,
            waiter: Waiter::PLAIN,
        };
        for stored in between(&self.rows, at, wait.end_ns)? {
            if stored.pid != pid || stored.start_ns < at || stored.start_ns >= stored.end_ns {
                continue;
            }
            let phase = stored.unpack();
            if at < phase.start_ns {
                phases.push(plain(at, phase.start_ns));
            }
            at = phase.end_ns;
            phases.push(phase);
        }
        if at < wait.end_ns {
            phases.push(plain(at, wait.end_ns));
        }
        Ok(phases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_a_task_fits_into_its_bits() {
        for bits in (0..1 << 11).chain([1 << 14]) {
            assert_eq!(Waiter::unpack(bits).pack(), bits);
        }
        assert_eq!(Waiter::PLAIN.pack(), 0);
    }
}
