//! The clocks of one group on one CPU (`record_times`, `get_recent_times`, `kernel/sched/psi.c`).
//!
//! The kernel keeps times in 32 bits and takes differences modulo 2^32 ns, so an aggregation that comes later than 4.29 s of
//! active state loses multiples of that. It never comes that late: while anything is active the worker runs every 2 s.
//! The clocks here have 64 bits and never wrap; a trace that lacks worker instants (lost events) must not lose time by it.

use numalens_replay::states::{OnCpu, State};
use numalens_subject::jiffies::Ticks;

use crate::rules::{Mask, Predicate, Rules, state};

/// The states' times of one group on one CPU.
#[derive(Debug, Clone)]
pub struct Clock {
    state: State,
    mask: Mask,
    /// Up to when `times` are counted.
    counted: u64,
    /// The kernel's `state_start`: when it last recorded times here. Matters only where reclaim counts by ticks.
    recorded: u64,
    times: [u64; state::COUNT],
    /// Times at the last aggregation.
    previous: [u64; state::COUNT],
    unknown: u64,
}

impl Clock {
    /// A CPU about which nothing is known from `from` on. `on` is what that means for the group: the machine's CPU is
    /// unknown, a cgroup that no row named has no task there.
    #[must_use]
    pub fn new(from: u64, on: OnCpu) -> Self {
        Self {
            state: State {
                on,
                ..State::default()
            },
            mask: 0,
            counted: from,
            recorded: from,
            times: [0; state::COUNT],
            previous: [0; state::COUNT],
            unknown: 0,
        }
    }

    /// Counts up to `now`. Counting at more moments changes nothing.
    pub fn advance(&mut self, rules: &Rules, ticks: Ticks, now: u64) {
        let delta = now.saturating_sub(self.counted);
        if delta == 0 {
            return;
        }
        let since = self.counted;
        self.counted = now;
        if !self.state.known() {
            self.unknown = self.unknown.saturating_add(delta);
            return;
        }
        let mut mask = self.mask;
        while mask != 0 {
            self.times[mask.trailing_zeros() as usize] += delta;
            mask &= mask - 1;
        }
        if rules.reclaim_by_tick && self.reclaims_unnoticed() {
            self.tick(ticks, since, now);
        }
    }

    /// From `now` on the CPU is in `to`.
    pub fn set(&mut self, rules: &Rules, ticks: Ticks, now: u64, to: State) {
        self.advance(rules, ticks, now);
        if recorded(rules, &self.state, &to) {
            self.recorded = now;
        }
        self.state = to;
        self.mask = if to.known() { rules.states(&to) } else { 0 };
    }

    /// Adds interrupt time (`psi_account_irqtime`).
    pub fn irq(&mut self, ns: u64) {
        self.times[state::IRQ_FULL] = self.times[state::IRQ_FULL].saturating_add(ns);
    }

    /// Returns the increase of each state since the last call.
    pub fn recent(&mut self) -> [u64; state::COUNT] {
        let mut delta = self.times;
        for (delta, previous) in delta.iter_mut().zip(&self.previous) {
            *delta -= previous;
        }
        self.previous = self.times;
        delta
    }

    /// Each state's time since the clock began, ns.
    #[must_use]
    pub fn times(&self) -> &[u64; state::COUNT] {
        &self.times
    }

    /// Returns the unknown time, ns; it is counted in no state.
    #[must_use]
    pub fn unknown(&self) -> u64 {
        self.unknown
    }

    /// The state since the last change.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the current states.
    #[must_use]
    pub fn mask(&self) -> Mask {
        self.mask
    }

    fn reclaims_unnoticed(&self) -> bool {
        self.state.on == OnCpu::Task
            && self.state.stalled_on_cpu
            && self.mask & (1 << state::MEM_SOME) != 0
            && self.mask & (1 << state::MEM_FULL) == 0
    }

    /// `psi_task_tick` for every tick in (since, now].
    fn tick(&mut self, ticks: Ticks, since: u64, now: u64) {
        let (Some(first), Some(last)) = (ticks.first_in(since, now), ticks.last_in(since, now))
        else {
            return;
        };
        self.times[state::MEM_FULL] +=
            (first - self.recorded.min(first)).min(ticks.jiffy()) + (last - first);
        self.recorded = last;
    }
}

/// Returns whether the kernel would record times at the change: when a count changes that it keeps. It counts the task on the
/// CPU only since CPU pressure depends on it.
fn recorded(rules: &Rules, from: &State, to: &State) -> bool {
    let counts = |state: &State| (state.running, state.iowait, state.memstall);
    let counts_on_cpu = rules.states[state::CPU_SOME] == Predicate::RunnableOverOnCpu;
    counts(from) != counts(to) || (counts_on_cpu && from.on != to.on)
}
