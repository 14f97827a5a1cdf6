//! One group's pressure: its clocks, the moments of aggregation, totals and averages.

use numalens_replay::evidence::InstantKind;
use numalens_replay::states::{MACHINE, OnCpu, State};
use numalens_subject::jiffies::{self, Ticks};

use crate::averages::{Averages, Seed};
use crate::effort::Effort;
use crate::per_cpu::PerCpu;
use crate::rules::{Rules, state};
use crate::times::Clock;

/// Totals that a read would have shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Time, ns.
    pub ts_ns: u64,
    /// Totals since the window's start, ns, by state.
    pub totals_ns: [u64; state::TOTALS],
    /// Aggregations since the window's start.
    pub aggregations: u64,
}

/// A group's pressure in the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupTotals {
    /// [`MACHINE`] or the number of a cgroup.
    pub group: u32,
    /// Totals, ns, by state.
    pub totals_ns: [u64; state::TOTALS],
    /// Stall that aggregations threw away because no CPU had been busy for a jiffy since the last one, ns.
    pub lost_ns: [u64; state::TOTALS],
    /// Unknown CPU time, summed over CPUs, ns.
    pub unknown_ns: u64,
    /// The worker's runs are modelled.
    pub worker_modelled: bool,
    /// Totals at the wanted reads, by time.
    pub marks: Vec<Mark>,
}

/// The machine's pressure after one aggregation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Time, ns.
    pub t_ns: u64,
    /// The averages were updated here.
    pub updated: bool,
    /// avg10, avg60 and avg300 of each state, fixed point.
    pub avg: [[u64; 3]; state::TOTALS],
    /// Totals since the window's start, ns.
    pub totals_ns: [u64; state::TOTALS],
}

/// Updates of the averages that the series keeps: those of four and a half hours.
pub(super) const SERIES_UPDATES: usize = 8192;
/// Points of the series that are kept besides updates of the averages.
const SERIES_READS: usize = 4000;

/// Rules, and the kernel's unit of time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Time {
    pub(super) rules: &'static Rules,
    pub(super) hz: u32,
    pub(super) ticks: Ticks,
}

impl Time {
    /// Time at which delayed work of this many jiffies runs, put on the timer wheel at `now`.
    fn delayed(&self, now: u64, delay: u64) -> u64 {
        let number = self.ticks.number(now);
        self.ticks.at(jiffies::wheel(number, number + delay))
    }
}

#[derive(Debug)]
pub(super) struct Group {
    time: Time,
    pub(super) number: u32,
    from: u64,
    /// Minimum number of the machine's CPUs; 0 for a cgroup, whose CPUs are idle until a row says otherwise.
    cpus: u32,
    clocks: PerCpu<Clock>,
    totals: [u64; state::TOTALS],
    lost: [u64; state::TOTALS],
    averages: Averages,
    aggregations: u64,
    /// Known moments of aggregation after `from`, and the next of them.
    instants: Vec<(u64, InstantKind)>,
    next: usize,
    /// The worker is modelled; if so and it is pending, when it runs.
    modelled: bool,
    worker: Option<u64>,
    wanted: Vec<u64>,
    marks: Vec<Mark>,
    series: Vec<Point>,
    /// Updates of the averages so far.
    updated: u64,
    updates: Kept,
    reads: Kept,
}

/// Points of one kind in the series.
#[derive(Debug, Default)]
struct Kept {
    points: usize,
    /// Time of the last one, and their distance, ns.
    last: u64,
    spacing: u64,
}

impl Group {
    pub(super) fn new(
        time: Time,
        number: u32,
        from: u64,
        instants: Vec<(u64, InstantKind)>,
        wanted: Vec<u64>,
        modelled: bool,
    ) -> Self {
        // A traced worker updates the averages whenever it runs, unless a read just did.
        let first_update = instants
            .iter()
            .find(|instant| instant.1 == InstantKind::Worker);
        let first_update =
            first_update.map_or(from + jiffies::period(time.hz), |instant| instant.0);
        let mut group = Self {
            time,
            number,
            from,
            cpus: 0,
            clocks: PerCpu::new(),
            totals: [0; state::TOTALS],
            lost: [0; state::TOTALS],
            averages: Averages::new(time.rules, time.hz, from, first_update),
            aggregations: 0,
            instants,
            next: 0,
            modelled,
            worker: None,
            wanted,
            marks: Vec::new(),
            series: Vec::new(),
            updated: 0,
            updates: Kept::default(),
            reads: Kept::default(),
        };
        group.mark(from);
        group
    }

    /// Makes it the machine: CPUs without rows are unknown, and the series is kept.
    pub(super) fn machine(&mut self, cpus: usize, from: u64, seed: Option<&Seed>) {
        self.cpus = cpus as u32;
        if let Some(seed) = seed {
            if let Some(next) = seed.next_update_ns {
                self.averages = Averages::new(self.time.rules, self.time.hz, from, next);
            }
            self.averages.avg = seed.avg;
        }
        self.point(from, false);
    }

    pub(super) fn change(&mut self, ts: u64, cpu: u32, to: State, effort: &mut Effort) {
        self.run(ts, effort);
        let time = self.time;
        let Some(clock) = self.clock(cpu) else { return };
        clock.set(time.rules, time.ticks, ts, to);
        // Any change of a task arms the worker if it does not pend (`psi_task_change`).
        let active = clock.mask() & (1 << state::NONIDLE) != 0;
        if self.modelled && self.worker.is_none() && active {
            self.worker = Some(time.delayed(ts, jiffies::period_jiffies(time.hz)));
        }
    }

    pub(super) fn irq(&mut self, ts: u64, cpu: u32, ns: u64, effort: &mut Effort) {
        self.run(ts, effort);
        if let Some(clock) = self.clock(cpu) {
            clock.irq(ns);
        }
    }

    /// The window's end: what a read there would show.
    pub(super) fn finish(&mut self, to: u64, effort: &mut Effort) {
        self.run(to, effort);
        let updated = self.aggregate(to, false).1;
        if self.number == MACHINE && self.series.last().is_some_and(|point| point.t_ns < to) {
            self.point(to, updated);
        }
    }

    /// The machine's CPUs, from 0 on; no clock for one that no row named.
    pub(super) fn clocks(&self) -> impl Iterator<Item = Option<&Clock>> {
        (0..self.cpus.max(self.clocks.end())).map(|cpu| self.clocks.get(cpu))
    }

    pub(super) fn take_series(&mut self) -> Vec<Point> {
        std::mem::take(&mut self.series)
    }

    /// Updates of the averages that have no point in the series.
    pub(super) fn left_out(&self) -> u64 {
        self.updated.saturating_sub(self.updates.points as u64)
    }

    /// Returns the totals in a window of `span` ns.
    pub(super) fn into_totals(self, span: u64) -> GroupTotals {
        let unknown = self.clocks.iter().map(|(_, clock)| clock.unknown());
        let unknown = unknown.fold(0, u64::saturating_add);
        let unmet = match self.number {
            MACHINE => self.cpus.max(self.clocks.end()) as usize - self.clocks.len(),
            _ => 0,
        };
        GroupTotals {
            group: self.number,
            totals_ns: self.totals,
            lost_ns: self.lost,
            unknown_ns: unknown.saturating_add(span.saturating_mul(unmet as u64)),
            worker_modelled: self.modelled,
            marks: self.marks,
        }
    }

    fn clock(&mut self, cpu: u32) -> Option<&mut Clock> {
        let from = self.from;
        let on = if self.number == MACHINE {
            OnCpu::Unknown
        } else {
            OnCpu::Idle
        };
        self.clocks.meet(cpu, || Clock::new(from, on))
    }

    /// Aggregates at every moment up to `ts`. Where the modelled worker would run more often than `effort` allows, it runs once
    /// for all periods up to the next known moment: nothing changes in them.
    fn run(&mut self, ts: u64, effort: &mut Effort) {
        loop {
            let known = self.instants.get(self.next).copied();
            let worker = self
                .worker
                .filter(|due| known.is_none_or(|known| *due <= known.0));
            let (mut now, kind) = match (worker, known) {
                (Some(due), _) => (due, InstantKind::Worker),
                (None, Some(known)) => known,
                (None, None) => return,
            };
            if now > ts {
                return;
            }
            let mut each = false;
            if worker.is_none() {
                self.next += 1;
                effort.event();
            } else if !effort.take(Effort::of_cpus(self.clocks.len())) {
                let until = known.map_or(ts, |known| known.0.min(ts));
                let period = jiffies::period(self.time.hz);
                now += (until - now) / period * period;
                each = true;
            }
            let (busy, updated) = self.aggregate(now, each);
            if worker.is_some() {
                // `psi_avgs_work`: runs again as long as there was something to see.
                let left = self.averages.next_update().saturating_sub(now);
                let delay = jiffies::from_ns(left, self.time.hz) + 1;
                self.worker = busy.then(|| {
                    let next = self.time.delayed(now, delay);
                    next.max(now.saturating_add(1))
                });
            }
            if kind == InstantKind::Read {
                self.mark(now);
            }
            if self.number == MACHINE {
                self.point(now, updated);
            }
        }
    }

    /// `collect_percpu_times`, then the averages if they are due; `each`: all periods since the last update passed alike. Says
    /// whether any CPU was busy, and whether the averages were updated.
    fn aggregate(&mut self, now: u64, each: bool) -> (bool, bool) {
        let mut weights = 0u64;
        let mut busy = 0u64;
        // 128 bits: a trace may leave out more instants than the kernel ever would.
        let mut sums = [0u128; state::TOTALS];
        let mut exact = [0u128; state::TOTALS];
        for (_, clock) in self.clocks.iter_mut() {
            clock.advance(self.time.rules, self.time.ticks, now);
            let delta = clock.recent();
            let nonidle = delta[state::NONIDLE];
            let weight = jiffies::from_ns(nonidle, self.time.hz);
            weights += weight;
            busy = busy.saturating_add(nonidle);
            for number in 0..state::TOTALS {
                sums[number] += u128::from(delta[number]) * u128::from(weight);
                let weighed = u128::from(delta[number]) * u128::from(nonidle);
                exact[number] = exact[number].saturating_add(weighed);
            }
        }
        for number in 0..state::TOTALS {
            self.totals[number] += (sums[number] / u128::from(weights.max(1))) as u64;
            if weights == 0 {
                self.lost[number] += (exact[number] / u128::from(busy.max(1))) as u64;
            }
        }
        self.aggregations += 1;
        let updates = if each {
            self.averages.update_each(&self.totals, now)
        } else {
            u64::from(self.averages.update(&self.totals, now))
        };
        self.updated += updates;
        (busy > 0, updates > 0)
    }

    fn mark(&mut self, now: u64) {
        if self.wanted.binary_search(&now).is_ok() {
            self.marks.push(Mark {
                ts_ns: now,
                totals_ns: self.totals,
                aggregations: self.aggregations,
            });
        }
    }

    fn point(&mut self, now: u64, updated: bool) {
        let last = self.series.last().map_or(0, |point| point.t_ns);
        let wait = if updated {
            self.updates.last.saturating_add(self.updates.spacing)
        } else if self.reads.spacing > 0 {
            last.saturating_add(self.reads.spacing)
        } else {
            0
        };
        if now < wait {
            return;
        }
        self.series.push(Point {
            t_ns: now,
            updated,
            avg: self.averages.avg,
            totals_ns: self.totals,
        });
        let kept = if updated {
            self.updates.last = now;
            &mut self.updates
        } else {
            &mut self.reads
        };
        kept.points += 1;
        if self.reads.points > SERIES_READS || self.updates.points > SERIES_UPDATES {
            self.thin();
        }
    }

    /// Halves the reads of the series, or the updates of the averages, whichever are too many.
    fn thin(&mut self) {
        let span = self.series.last().map_or(0, |point| point.t_ns) - self.from;
        let mut spacing = self.reads.spacing;
        if self.reads.points > SERIES_READS {
            spacing = (spacing.saturating_mul(2)).max(span / (SERIES_READS as u64 / 2));
            self.reads.spacing = spacing;
        } else {
            let updates = &mut self.updates;
            let twice = updates.spacing.saturating_mul(2);
            updates.spacing = twice.max(span / (SERIES_UPDATES as u64 / 2));
        }
        let (mut last, mut last_updated) = (None::<u64>, None::<u64>);
        let far = |last: Option<u64>, spacing: u64, t_ns: u64| {
            last.is_none_or(|last| t_ns >= last.saturating_add(spacing))
        };
        let updates = self.updates.spacing;
        self.series.retain(|point| {
            let keep = if point.updated {
                far(last_updated, updates, point.t_ns)
            } else {
                far(last, spacing, point.t_ns)
            };
            if keep {
                last = Some(point.t_ns);
                last_updated = last.filter(|_| point.updated).or(last_updated);
            }
            keep
        });
        self.updates.points = self.series.iter().filter(|point| point.updated).count();
        self.reads.points = self.series.len() - self.updates.points;
    }
}
