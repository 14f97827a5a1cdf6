//! One group's pressure: its clocks, the moments of aggregation, totals and averages.

use numalens_replay::evidence::InstantKind;
use numalens_replay::states::{MACHINE, OnCpu, State};

use super::aggregate::{GroupTotals, Mark, Point};
use super::averages::{Averages, Seed};
use super::jiffies::{self, Ticks};
use super::rules::{Rules, state};
use super::times::Clock;

/// Points of the series that are kept besides updates of the averages.
const SERIES_READS: usize = 4000;

/// Whose rules, and how the kernel counts time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Time {
    pub(super) rules: &'static Rules,
    pub(super) hz: u32,
    pub(super) ticks: Ticks,
}

impl Time {
    /// When delayed work of so many jiffies runs that is put on the timer wheel at `now`.
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
    clocks: Vec<Clock>,
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
    /// Reads of the series, and how far apart they are kept, ns.
    reads: usize,
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
            clocks: Vec::new(),
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
            reads: 0,
            spacing: 0,
        };
        group.mark(from);
        group
    }

    /// Makes it the machine: CPUs that nobody tells of are unknown, and the series is kept.
    pub(super) fn machine(&mut self, cpus: usize, from: u64, seed: Option<&Seed>) {
        self.clocks = vec![Clock::new(from, OnCpu::Unknown); cpus];
        if let Some(seed) = seed {
            if let Some(next) = seed.next_update_ns {
                self.averages = Averages::new(self.time.rules, self.time.hz, from, next);
            }
            self.averages.avg = seed.avg;
        }
        self.point(from, false);
    }

    pub(super) fn change(&mut self, ts: u64, cpu: u32, to: State) {
        self.run(ts);
        let time = self.time;
        self.clock(cpu).set(time.rules, time.ticks, ts, to);
        // Any change of a task arms the worker if it does not pend (`psi_task_change`).
        let active = self.clocks[cpu as usize].mask() & (1 << state::NONIDLE) != 0;
        if self.modelled && self.worker.is_none() && active {
            self.worker = Some(time.delayed(ts, jiffies::period_jiffies(time.hz)));
        }
    }

    pub(super) fn irq(&mut self, ts: u64, cpu: u32, ns: u64) {
        self.run(ts);
        self.clock(cpu).irq(ns);
    }

    /// The window's end: what a read there would show.
    pub(super) fn finish(&mut self, to: u64) {
        self.run(to);
        let updated = self.aggregate(to).1;
        if self.number == MACHINE && self.series.last().is_some_and(|point| point.t_ns < to) {
            self.point(to, updated);
        }
    }

    pub(super) fn clocks(&self) -> &[Clock] {
        &self.clocks
    }

    pub(super) fn take_series(&mut self) -> Vec<Point> {
        std::mem::take(&mut self.series)
    }

    pub(super) fn into_totals(self) -> GroupTotals {
        GroupTotals {
            group: self.number,
            totals_ns: self.totals,
            lost_ns: self.lost,
            unknown_ns: self.clocks.iter().map(Clock::unknown).sum(),
            worker_modelled: self.modelled,
            marks: self.marks,
        }
    }

    fn clock(&mut self, cpu: u32) -> &mut Clock {
        let cpu = cpu as usize;
        if self.clocks.len() <= cpu {
            let on = if self.number == MACHINE {
                OnCpu::Unknown
            } else {
                OnCpu::Idle
            };
            self.clocks
                .resize_with(cpu + 1, || Clock::new(self.from, on));
        }
        &mut self.clocks[cpu]
    }

    /// Aggregates at every moment up to `ts`.
    fn run(&mut self, ts: u64) {
        loop {
            let known = self.instants.get(self.next).copied();
            let worker = self
                .worker
                .filter(|due| known.is_none_or(|known| *due <= known.0));
            let (now, kind) = match (worker, known) {
                (Some(due), _) => (due, InstantKind::Worker),
                (None, Some(known)) => known,
                (None, None) => return,
            };
            if now > ts {
                return;
            }
            if worker.is_none() {
                self.next += 1;
            }
            let (busy, updated) = self.aggregate(now);
            if worker.is_some() {
                // `psi_avgs_work`: runs again as long as there was something to see.
                let left = self.averages.next_update().saturating_sub(now);
                let delay = jiffies::from_ns(left, self.time.hz) + 1;
                self.worker = busy.then(|| self.time.delayed(now, delay).max(now + 1));
            }
            if kind == InstantKind::Read {
                self.mark(now);
            }
            if self.number == MACHINE {
                self.point(now, updated);
            }
        }
    }

    /// `collect_percpu_times`, then the averages if they are due. Says whether any CPU was busy, and whether the averages
    /// were updated.
    fn aggregate(&mut self, now: u64) -> (bool, bool) {
        let mut weights = 0u64;
        let mut busy = 0u64;
        // 128 bits: a trace may leave out more instants than the kernel ever would.
        let mut sums = [0u128; state::TOTALS];
        let mut exact = [0u128; state::TOTALS];
        for clock in &mut self.clocks {
            clock.advance(self.time.rules, self.time.ticks, now);
            let delta = clock.recent();
            let nonidle = delta[state::NONIDLE];
            let weight = jiffies::from_ns(nonidle, self.time.hz);
            weights += weight;
            busy += nonidle;
            for number in 0..state::TOTALS {
                sums[number] += u128::from(delta[number]) * u128::from(weight);
                exact[number] += u128::from(delta[number]) * u128::from(nonidle);
            }
        }
        for number in 0..state::TOTALS {
            self.totals[number] += (sums[number] / u128::from(weights.max(1))) as u64;
            if weights == 0 {
                self.lost[number] += (exact[number] / u128::from(busy.max(1))) as u64;
            }
        }
        self.aggregations += 1;
        (busy > 0, self.averages.update(&self.totals, now))
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
        if !updated && self.spacing > 0 && now < last + self.spacing {
            return;
        }
        self.series.push(Point {
            t_ns: now,
            updated,
            avg: self.averages.avg,
            totals_ns: self.totals,
        });
        self.reads += usize::from(!updated);
        if self.reads > SERIES_READS {
            self.thin();
        }
    }

    /// Halves the reads of the series; updates of the averages stay.
    fn thin(&mut self) {
        let span = self.series.last().map_or(0, |point| point.t_ns) - self.from;
        self.spacing = (self.spacing * 2).max(span * 2 / SERIES_READS as u64);
        let (spacing, mut last) = (self.spacing, None::<u64>);
        self.series.retain(|point| {
            let keep = point.updated || last.is_none_or(|last| point.t_ns >= last + spacing);
            if keep {
                last = Some(point.t_ns);
            }
            keep
        });
        self.reads = self.series.iter().filter(|point| !point.updated).count();
    }
}
