//! CPUs stop their ticks and start them again.

use numalens_events::IlbKind;
use numalens_replay::idle_balancing::IlbRow;

use crate::ilb::model::Act;
use crate::ilb::replay::{Cpu, Replay};

/// An idle CPU without a tick for so many jiffies has stopped it, where nothing else tells. Assumed: virtual machines lose
/// single ticks.
const SILENT_JIFFIES: u64 = 10;

impl Replay<'_> {
    /// Events of the CPU are missing from here on: nobody knows whether its tick is stopped.
    pub(super) fn lost(&mut self, cpu: u32, was: Cpu) {
        self.listen(cpu, None);
        if was.stopped {
            if let Some(state) = self.cpus.get_mut(cpu as usize) {
                state.stopped = false;
            }
            self.mask.leave(cpu, self.now_ns);
            self.step(cpu, Act::ExitNohz);
        }
    }

    /// Nothing tells that a tick stops but that none is recorded any more.
    pub(super) fn waits_for_silence(&self) -> bool {
        self.enter_kind == Some(IlbKind::CpuIdle) && self.tick_kind.is_some()
    }

    /// An idle CPU whose tick is not recorded for a while is taken to have stopped it; one that ticks has not.
    pub(super) fn hear(&mut self, row: &IlbRow, cpu: Cpu) {
        let ticks = Some(row.kind) == self.tick_kind;
        if ticks && cpu.stopped {
            if let Some(cpu) = self.cpus.get_mut(row.cpu as usize) {
                cpu.stopped = false;
            }
            self.mask.leave(row.cpu, self.now_ns);
            self.step(row.cpu, Act::ExitNohz);
        }
        if cpu.idle && (ticks || (row.kind == IlbKind::CpuIdle && !cpu.stopped && enters(row))) {
            let jiffy = 1_000_000_000 / u64::from(self.config.jiffies.hz.max(1));
            self.listen(row.cpu, Some(self.now_ns + SILENT_JIFFIES * jiffy));
        }
    }

    /// Sets when a CPU is taken to have stopped its tick; only the first idle state or a tick moves that.
    #[inline]
    pub(super) fn listen(&mut self, cpu: u32, due: Option<u64>) {
        self.silent.set(cpu, due);
        self.expect(due.unwrap_or(u64::MAX));
    }

    pub(super) fn enter(&mut self, cpu: u32) {
        if let Some(state) = self.cpus.get_mut(cpu as usize) {
            state.stopped = true;
        }
        self.mask.enter(cpu, self.now_ns);
        self.step(cpu, Act::EnterNohz);
    }
}

/// Whether the row says that the CPU stops its tick.
pub(super) fn enters(row: &IlbRow) -> bool {
    match row.kind {
        IlbKind::TickStop => row.a != 0,
        // -1 says that the CPU leaves its idle state.
        IlbKind::CpuIdle => row.a != u64::from(u32::MAX),
        _ => true,
    }
}
