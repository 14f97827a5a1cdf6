//! A model's run.

use numalens_events::{IlbKind, Kinds};
use numalens_replay::idle_balancing::{BLOCKED_DUE, IlbRow, Jiffies, SHORT, UPDATE_DUE};

use crate::curve::Curve;
use crate::model::{Act, Annotation, CHAIN, Kind, Late, Model, Modern, Old, Step};
use crate::replay::notes::NoteSink;
use crate::replay::{Counts, Cpu, ModelKind, Replay};

/// A model; which one is queried at every event.
pub(super) enum Either {
    Old(Old),
    Modern(Modern),
}

/// CPUs that are overdue, as counted last.
#[derive(Debug, Clone, Copy)]
struct Counted {
    late: Late,
    /// Time, jiffies.
    jiffies: u64,
    /// Nothing has happened since then to a CPU that may count.
    holds: bool,
}

/// A model and what it did so far.
pub(super) struct Running {
    pub(super) follow: ModelKind,
    pub(super) model: Either,
    pub(super) counts: Counts,
    pub(super) overdue: Curve,
    /// True if the actions of the model are wanted, and not only their counts.
    pub(super) tells: bool,
    rate: u32,
    counted: Counted,
}

impl Running {
    pub(super) fn new(follow: ModelKind, model: Either) -> Self {
        Self {
            follow,
            model,
            counts: Counts::default(),
            overdue: Curve::default(),
            tells: true,
            rate: 0,
            counted: Counted {
                late: Late::NONE,
                jiffies: 0,
                holds: false,
            },
        }
    }

    /// Arrival of the next kick in progress, ns.
    #[inline]
    pub(super) fn due(&self) -> Option<u64> {
        match &self.model {
            Either::Old(model) => model.due(),
            Either::Modern(model) => model.due(),
        }
    }

    /// The model takes a step.
    #[inline]
    pub(super) fn step(&mut self, step: &Step, sink: &mut NoteSink<'_, '_>) {
        let late = self.due().is_some_and(|due| due <= step.t_ns);
        let mut stirs = late || !matches!(step.act, Act::Tick { .. });
        let (counts, follow, tells) = (&mut self.counts, self.follow, self.tells);
        let mut out = |note: &Annotation| {
            // What else a model does may change when CPUs are balanced next.
            stirs |= !matches!(
                note.kind,
                Kind::GateClosed | Kind::PickBlocked | Kind::NoTarget
            );
            if note.t_ns >= sink.from_ns {
                counts.add(note);
                if tells {
                    (sink.out)(follow, note);
                }
            }
        };
        let waits = match &mut self.model {
            Either::Old(model) => {
                let waits = model.waits(step.cpu);
                model.take_step(step, &mut out);
                waits
            }
            Either::Modern(model) => {
                let waits = model.waits(step.cpu);
                model.take_step(step, &mut out);
                waits
            }
        };
        self.counted.holds &= !(stirs || waits);
    }

    /// Handles a change of the running task. Most steps are these, so they take a shorter path than [`Act::Run`].
    #[inline]
    pub(super) fn ran(&mut self, cpu: u32, nr_running: u32, idle: bool) {
        let waits = match &mut self.model {
            Either::Old(model) => {
                model.run(cpu, nr_running, idle);
                model.waits(cpu)
            }
            Either::Modern(model) => {
                model.run(cpu, nr_running, idle);
                model.waits(cpu)
            }
        };
        self.counted.holds &= !waits;
    }

    /// Kicks under way arrive between `since_ns` and `until_ns`.
    pub(super) fn arrive(
        &mut self,
        since_ns: u64,
        until_ns: u64,
        jiffies: &Jiffies,
        surplus: u32,
        sink: &mut NoteSink<'_, '_>,
    ) {
        let mut since = since_ns;
        for _ in 0..CHAIN {
            let Some(due) = self.due().filter(|&due| due <= until_ns) else {
                break;
            };
            since = since.max(due);
            let (counts, follow, tells) = (&mut self.counts, self.follow, self.tells);
            let mut out = |note: &Annotation| {
                if note.t_ns >= sink.from_ns {
                    counts.add(note);
                    if tells {
                        (sink.out)(follow, note);
                    }
                }
            };
            match &mut self.model {
                Either::Old(model) => model.arrived(due, &mut out),
                Either::Modern(model) => model.arrived(due, &mut out),
            }
            self.counted.holds = false;
            self.set_rate(since, jiffies.at(since), surplus);
        }
    }

    /// From now on so many idle CPUs are overdue while tasks wait.
    #[inline]
    pub(super) fn set_rate(&mut self, now_ns: u64, jiffies: u64, surplus: u32) {
        let rate = match surplus {
            0 => 0,
            surplus => self.late(jiffies).min(surplus),
        };
        if rate != self.rate {
            self.rate = rate;
            self.overdue.set(now_ns, rate);
        }
    }

    /// CPUs that are overdue: counted again only when that may have changed.
    #[inline]
    fn late(&mut self, jiffies: u64) -> u32 {
        let passed = jiffies.wrapping_sub(self.counted.jiffies);
        if !self.counted.holds || passed >= self.counted.late.steady {
            self.counted = Counted {
                late: self.count(jiffies),
                jiffies,
                holds: true,
            };
        }
        debug_assert_eq!(self.counted.late.count, self.count(jiffies).count);
        self.counted.late.count
    }

    fn count(&self, jiffies: u64) -> Late {
        match &self.model {
            Either::Old(model) => model.overdue(jiffies),
            Either::Modern(model) => model.overdue(jiffies),
        }
    }
}

// When CPUs count as having stopped their ticks, if only the absence of ticks shows it.

/// A moment per CPU that moves with each of its ticks.
#[derive(Debug)]
pub(super) struct Silence {
    due_ns: Vec<Option<u64>>,
    /// No moment is earlier, ns: moments move on at each tick, and the first one is only looked for when it may have come.
    first_ns: u64,
}

impl Silence {
    pub(super) fn new(cpus: usize) -> Self {
        Self {
            due_ns: vec![None; cpus],
            first_ns: u64::MAX,
        }
    }

    /// Sets a CPU's moment, or that it has none.
    #[inline]
    pub(super) fn set(&mut self, cpu: u32, due_ns: Option<u64>) {
        if let Some(due) = self.due_ns.get_mut(cpu as usize) {
            *due = due_ns;
            self.first_ns = self.first_ns.min(due_ns.unwrap_or(u64::MAX));
        }
    }

    /// No moment is earlier than this, ns.
    #[inline]
    pub(super) fn first_ns(&self) -> u64 {
        self.first_ns
    }

    /// The first moment that has come by `until_ns`, and its CPU; of one moment the first CPU. It is over then.
    pub(super) fn next(&mut self, until_ns: u64) -> Option<(u64, u32)> {
        if self.first_ns > until_ns {
            return None;
        }
        let all = self.due_ns.iter().zip(0..);
        let first = all.filter_map(|(due, cpu)| due.map(|due| (due, cpu))).min();
        self.first_ns = first.map_or(u64::MAX, |first| first.0);
        let (due, cpu) = first.filter(|first| first.0 <= until_ns)?;
        self.set(cpu, None);
        Some((due, cpu))
    }
}

// CPUs stop their ticks and start them again.

/// Number of jiffies after which an idle CPU without a tick is assumed to have stopped it, without other evidence: virtual
/// machines lose single ticks.
const SILENT_JIFFIES: u64 = 10;

impl Replay<'_> {
    /// Handles lost events of the CPU: whether its tick is stopped becomes unknown.
    pub(super) fn lost(&mut self, cpu: u32, was: Cpu) {
        self.listen(cpu, None);
        // It is not known which CPUs' tasks the missing events were about.
        for other in 0..self.cpus.len() as u32 {
            self.observe(other, |cpu| (cpu.observed, cpu.waking) = (None, false));
        }
        if kicks_observed(self.config.kinds) {
            self.step(cpu, Act::UnderWay(false));
        }
        if was.stopped {
            if let Some(state) = self.cpus.get_mut(cpu as usize) {
                state.stopped = false;
            }
            self.mask.leave(cpu, self.now_ns);
            self.step(cpu, Act::ExitNohz);
        }
    }

    /// Returns whether the absence of ticks is the only sign of a stopped tick.
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

/// Returns whether the row shows that the CPU stops its tick.
pub(super) fn enters(row: &IlbRow) -> bool {
    match row.kind {
        IlbKind::TickStop => row.a != 0,
        // -1 says that the CPU leaves its idle state.
        IlbKind::CpuIdle => row.a != u64::from(u32::MAX),
        _ => true,
    }
}

// What probes show, which is inferred elsewhere.

/// Returns whether calls show kicks in progress to a model that knows the kernel's reasons for them.
pub(super) fn kicks_observed(kinds: Kinds) -> bool {
    let sent = kinds.has(IlbKind::Nohz) && kinds.has(IlbKind::CsdQueue);
    sent && (kinds.has(IlbKind::CsdEntry) || kinds.has(IlbKind::Arrive))
}

impl Replay<'_> {
    /// Applies a probed number of tasks of a CPU, or a call that wakes tasks there.
    pub(super) fn observe(&mut self, cpu: u32, change: impl FnOnce(&mut Cpu)) {
        let Some(old) = self.cpus.get(cpu as usize).copied() else {
            return;
        };
        let mut new = old;
        change(&mut new);
        self.change(cpu, old, new);
        if (old.free(), old.nr_running()) != (new.free(), new.nr_running()) {
            self.ran(cpu, new.nr_running(), new.free());
        }
    }

    /// Applies a row that only probes and calls provide; returns whether it is one.
    pub(super) fn probed(&mut self, row: &IlbRow) -> bool {
        match row.kind {
            IlbKind::NrRunning => {
                self.observe(row.subject, |cpu| cpu.observed = Some(row.a as u32));
            }
            IlbKind::WakeQueue => self.observe(row.subject, |cpu| cpu.waking = true),
            IlbKind::WakeEntry => self.observe(row.cpu, |cpu| cpu.waking = false),
            IlbKind::CsdQueue => self.step(row.subject, Act::UnderWay(true)),
            IlbKind::CsdEntry if self.arrive_kind != Some(IlbKind::CsdEntry) => {
                self.step(row.cpu, Act::UnderWay(false));
            }
            IlbKind::Nohz => self.step(
                row.cpu,
                Act::Nohz {
                    until_next: row.a as i64,
                    blocked_due: row.b & BLOCKED_DUE != 0,
                    update_due: row.b & UPDATE_DUE != 0,
                    short: row.b & SHORT != 0,
                },
            ),
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// As a set of moments in their order would.
        #[test]
       fn moments_come_in_their_order(
            ops in prop::collection::vec((0..4_u32, prop::option::of(0..50_u64), 0..60_u64), 1..100),
        ) {
            let mut silence = Silence::new(3);
            let mut expected: BTreeSet<(u64, u32)> = BTreeSet::new();
            for (cpu, due, until) in ops {
                silence.set(cpu, due);
                expected.retain(|arrival| arrival.1 != cpu);
                expected.extend(due.filter(|_| cpu < 3).map(|due| (due, cpu)));
                prop_assert!(expected.first().is_none_or(|first| first.0 >= silence.first_ns()));
                while let Some(&first) = expected.first().filter(|first| first.0 <= until) {
                    expected.pop_first();
                    prop_assert_eq!(silence.next(until), Some(first));
                }
                prop_assert_eq!(silence.next(until), None);
            }
        }
    }
}
