//! Kicks and passes as the recording shows them.

use numalens_core::provenance::Label;
use numalens_events::{IlbKind, Kinds};
use serde::Serialize;

use super::relevance::ELSE;
use super::{IlbRow, NR_KNOWN, OUTSIDE};
use crate::states::{MACHINE, OnCpu, StateRow};

/// Outcome of a kick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The target raised the SCHED softirq.
    Handled,
    /// Arrived, but no softirq was raised.
    Dropped,
    /// Arrival not seen.
    NotSeen,
}

/// A kick that the recording shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObservedKick {
    /// Time of sending, or of arrival if the sending is not recorded, ns of the reference clock.
    pub t_ns: u64,
    /// Time of arrival.
    pub arrived_ns: Option<u64>,
    /// Time at which its softirq was raised, or started if the raise is not recorded.
    pub handled_ns: Option<u64>,
    /// Sending CPU; `None` when not recorded.
    pub from: Option<u32>,
    /// Kicked CPU.
    pub target: u32,
    /// Flags (`NOHZ_STATS_KICK` and others of `kernel/sched/sched.h`), if probed.
    pub flags: Option<u32>,
    /// Outcome.
    pub outcome: Outcome,
    /// Provenance of the kick.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<&'static str>,
}

/// A balancing pass that the recording shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ObservedPass {
    /// From, ns of the reference clock.
    pub from_ns: u64,
    /// To, ns.
    pub to_ns: u64,
    /// Balancing CPU.
    pub cpu: u32,
    /// Flags of the pass, if probed.
    pub flags: Option<u32>,
    /// CPUs that it balanced for, besides itself; 0 also when nothing shows them.
    pub served: u32,
    /// Tasks that it moved.
    pub migrations: u32,
    /// A kick requested it; else the CPU did it on its way into idle.
    pub kicked: bool,
    /// A task started to run on the CPU within 50 µs of the end.
    pub aborted: bool,
}

/// After a pass, a switch within this time had been requested before its end, ns (`docs/algorithms/idle_balancing.md`, I12).
const RESCHED_NS: u64 = 50_000;
/// Missing input of a kick whose end lies in a gap.
const LOST: &str = "lost events";
/// A kick is seen to come within this time of its sending, or not at all, ns. Assumed.
const LATEST_NS: u64 = 20_000_000;
/// An interrupt or a wake-up of the idle task this long before a kick's arrival is the kick's, ns. Assumed.
const SENDER_NS: u64 = 1_000_000;

#[derive(Debug, Clone, Default)]
struct Cpu {
    sent: Option<ObservedKick>,
    came: Option<ObservedKick>,
    /// Last sender of an interrupt here, and its time.
    poke: Option<(u64, u32)>,
    pass: Option<ObservedPass>,
    /// Return of the pass, if probed.
    returned: Option<u64>,
    ended: Option<ObservedPass>,
    /// A kick was handled and its softirq is due.
    due: bool,
    in_softirq: bool,
    idle: bool,
}

impl Cpu {
    /// Starts a pass; returns a finished one, this one too when no return shows its length.
    fn pass_begins(&mut self, row: &IlbRow, returns: bool) -> Option<ObservedPass> {
        self.in_softirq &= row.b & OUTSIDE == 0;
        let old = self.pass.replace(ObservedPass {
            from_ns: row.ts_ns,
            to_ns: row.ts_ns,
            cpu: row.cpu,
            flags: (row.a & NR_KNOWN != 0).then_some(row.a as u32),
            served: 0,
            migrations: 0,
            kicked: self.in_softirq,
            aborted: false,
        });
        (self.due, self.returned) = (false, None);
        if !self.in_softirq && !returns {
            return self.pass.take();
        }
        old.filter(|pass| !pass.kicked)
    }

    /// Handles the return of a pass; returns it when it is finished. A pass in a softirq waits for the next events, which
    /// show whether it was aborted.
    fn pass_returns(&mut self, now: u64) -> Option<ObservedPass> {
        if self.pass.is_some_and(|pass| pass.kicked) {
            self.returned = Some(now);
            return None;
        }
        self.pass
            .take()
            .map(|pass| ObservedPass { to_ns: now, ..pass })
    }
}

/// Reads kicks and passes off rows and states, which come in one order of time.
#[derive(Debug, Default)]
pub struct Observer {
    kinds: Kinds,
    cpus: Vec<Cpu>,
    /// Kicks, by their arrival or, without one, when they are given up.
    pub kicks: Vec<ObservedKick>,
    /// Passes, ordered by end.
    pub passes: Vec<ObservedPass>,
    /// Kicks sent to a CPU on which an older one had not arrived (not by the model's flags: two queues, no entry
    /// between).
    pub double_queued: u64,
}

impl Observer {
    /// `kinds` are those of the recording's tables.
    #[must_use]
    pub fn new(kinds: Kinds) -> Self {
        Self {
            kinds,
            ..Self::default()
        }
    }

    fn at(&mut self, cpu: u32) -> Option<&mut Cpu> {
        let at = cpu as usize;
        if at >= numalens_core::topology::MAX_CPUS as usize {
            return None;
        }
        if at >= self.cpus.len() {
            self.cpus.resize_with(at + 1, Cpu::default);
        }
        self.cpus.get_mut(at)
    }

    /// Adds a state of the machine.
    #[inline]
    pub fn state(&mut self, row: &StateRow) {
        if row.group != MACHINE {
            return;
        }
        let Some(cpu) = self.at(row.cpu) else { return };
        let idle = row.state.on == OnCpu::Idle;
        let came = cpu.idle && row.state.on == OnCpu::Task;
        cpu.idle = idle;
        if cpu.ended.is_none() {
            return;
        }
        if let Some(mut pass) = cpu.ended.take() {
            pass.aborted = came && row.ts_ns.saturating_sub(pass.to_ns) <= RESCHED_NS;
            if !came && idle {
                cpu.ended = Some(pass);
            } else {
                self.passes.push(pass);
            }
        }
    }

    /// Most rows are ticks, which only end the wait for a kick's softirq.
    #[inline]
    fn says_nothing(&self, row: &IlbRow) -> bool {
        let tick = matches!(
            row.kind,
            IlbKind::Trigger
                | IlbKind::BalancerKick
                | IlbKind::Timer
                | IlbKind::Nohz
                | IlbKind::NrRunning
                | IlbKind::WakeQueue
        );
        let cpu = self.cpus.get(row.cpu as usize);
        tick && cpu.is_none_or(|cpu| cpu.came.is_none())
    }

    /// Takes in an event.
    #[inline]
    pub fn row(&mut self, row: &IlbRow) {
        if !self.says_nothing(row) {
            self.follow(row);
        }
    }

    fn follow(&mut self, row: &IlbRow) {
        let now = row.ts_ns;
        if ELSE.contains(&row.kind) {
            return;
        }
        match row.kind {
            IlbKind::Lost => return self.lost(row.cpu),
            IlbKind::CsdQueue => self.sent(row),
            IlbKind::Ipi | IlbKind::WakeIdle => {
                if let Some(cpu) = self.at(row.subject) {
                    cpu.poke = Some((now, row.cpu));
                }
            }
            _ => {}
        }
        // What follows a kick's arrival on its CPU shows what became of it.
        let both = self.kinds.has(IlbKind::Arrive) && self.kinds.has(IlbKind::CsdEntry);
        let raises = self.kinds.has(IlbKind::Raise);
        let returns = self.kinds.has(IlbKind::PassEnd);
        let Some(cpu) = self.at(row.cpu) else { return };
        let (mut done, mut over) = (None, None);
        match row.kind {
            IlbKind::Raise | IlbKind::Entry => {
                if let Some(mut came) = cpu.came.take() {
                    came.outcome = Outcome::Handled;
                    came.handled_ns = Some(now);
                    cpu.due = true;
                    done = Some(came);
                }
            }
            // The probe lies inside of the call.
            IlbKind::Arrive
                if both && cpu.came.as_ref().is_some_and(|came| came.flags.is_none()) => {}
            _ => {
                if let Some(mut came) = cpu.came.take() {
                    came.outcome = if raises {
                        Outcome::Dropped
                    } else {
                        Outcome::NotSeen
                    };
                    done = Some(came);
                }
            }
        }
        match row.kind {
            IlbKind::CsdEntry | IlbKind::Arrive => {
                let flags = (row.a & NR_KNOWN != 0).then_some(row.a as u32);
                let came = cpu.came.get_or_insert_with(|| {
                    cpu.sent
                        .take()
                        .unwrap_or_else(|| came_only(row, cpu.poke.take()))
                });
                came.arrived_ns.get_or_insert(now);
                came.flags = came.flags.or(flags);
            }
            IlbKind::Entry => cpu.in_softirq = true,
            IlbKind::Pass => over = cpu.pass_begins(row, returns),
            IlbKind::PassEnd => over = cpu.pass_returns(now),
            IlbKind::Balance if row.subject != row.cpu => {
                if let Some(pass) = &mut cpu.pass {
                    pass.served += 1;
                }
            }
            IlbKind::Migrate => {
                if let Some(pass) = cpu.pass.as_mut().filter(|pass| pass.kicked) {
                    pass.migrations += 1;
                }
            }
            IlbKind::Exit => {
                cpu.in_softirq = false;
                over = cpu.ended.take();
                // One outside of a softirq ends by its return alone.
                if let Some(mut pass) = cpu.pass.take_if(|pass| pass.kicked) {
                    pass.to_ns = cpu.returned.take().unwrap_or(now);
                    cpu.ended = Some(pass);
                }
            }
            _ => {}
        }
        self.kicks.extend(done);
        self.passes.extend(over);
    }

    fn sent(&mut self, row: &IlbRow) {
        let Some(cpu) = self.at(row.subject) else {
            return;
        };
        let old = cpu.sent.replace(ObservedKick {
            t_ns: row.ts_ns,
            arrived_ns: None,
            handled_ns: None,
            from: Some(row.cpu),
            target: row.subject,
            flags: None,
            outcome: Outcome::NotSeen,
            label: Label::Observed,
            missing: Vec::new(),
        });
        if let Some(old) = old {
            if row.ts_ns.saturating_sub(old.t_ns) < LATEST_NS {
                self.double_queued += 1;
            }
            self.kicks.push(old);
        }
    }

    /// Events of a CPU are missing from here on: what would have followed may be among them.
    fn lost(&mut self, cpu: u32) {
        let Some(cpu) = self.at(cpu) else { return };
        let kicks = [cpu.sent.take(), cpu.came.take()];
        let passes = [cpu.ended.take(), cpu.pass.take()];
        (cpu.poke, cpu.returned, cpu.due, cpu.in_softirq) = (None, None, false, false);
        for mut kick in kicks.into_iter().flatten() {
            kick.missing.push(LOST);
            self.kicks.push(kick);
        }
        self.passes.extend(passes.into_iter().flatten());
    }

    /// Ends the recording; kicks are then in the order of their times.
    pub fn finish(&mut self) {
        for cpu in &mut self.cpus {
            self.kicks.extend(cpu.sent.take());
            self.kicks.extend(cpu.came.take());
            self.passes.extend(cpu.ended.take());
            self.passes.extend(cpu.pass.take());
        }
        self.kicks.sort_by_key(|kick| (kick.t_ns, kick.target));
        self.passes.sort_by_key(|pass| (pass.from_ns, pass.cpu));
    }
}

/// A kick of which only the arrival is shown.
fn came_only(row: &IlbRow, poke: Option<(u64, u32)>) -> ObservedKick {
    let poke = poke.filter(|poke| row.ts_ns.saturating_sub(poke.0) <= SENDER_NS);
    ObservedKick {
        t_ns: row.ts_ns,
        arrived_ns: Some(row.ts_ns),
        handled_ns: None,
        from: poke.map(|poke| poke.1),
        target: row.cpu,
        flags: None,
        outcome: Outcome::NotSeen,
        label: if poke.is_some() {
            Label::Inferred
        } else {
            Label::Observed
        },
        missing: vec!["csd_queue_cpu"],
    }
}
