//! avg10, avg60 and avg300: the kernel's fixed-point arithmetic (`update_averages`, `calc_avgs`, `kernel/sched/psi.c`;
//! `calc_load`, `calc_load_n`, `fixed_power_int`, `include/linux/sched/loadavg.h` and `kernel/sched/loadavg.c`).

use numalens_subject::jiffies;

use crate::rules::{Rules, state};

/// 1.0 in the kernel's fixed point (`FIXED_1`).
pub const FIXED_1: u64 = 2048;
/// By how much avg10, avg60 and avg300 shrink per period: `EXP_10s`, `EXP_60s`, `EXP_300s`.
pub const EXP: [u64; 3] = [1677, 1981, 2034];

/// One step towards `active`; rounds up while it does not fall.
#[must_use]
pub fn calc_load(load: u64, exp: u64, active: u64) -> u64 {
    let mut new = load * exp + active * (FIXED_1 - exp);
    if active >= load {
        new += FIXED_1 - 1;
    }
    new / FIXED_1
}

/// `x` to the power `n`, both in `bits` bits of fraction; each multiplication rounds.
#[must_use]
pub fn fixed_power_int(mut x: u64, bits: u32, mut n: u64) -> u64 {
    let half = 1 << (bits - 1);
    let mut result = 1 << bits;
    while n > 0 {
        if n & 1 == 1 {
            result = (result * x + half) >> bits;
        }
        n >>= 1;
        if n > 0 {
            x = (x * x + half) >> bits;
        }
    }
    result
}

/// `n` steps towards `active` at once; rounds otherwise than `n` calls of [`calc_load`].
#[must_use]
pub fn calc_load_n(load: u64, exp: u64, active: u64, n: u64) -> u64 {
    calc_load(load, fixed_power_int(exp, 11, n), active)
}

/// One update of the three averages: `missed` periods without stall, then one with `time` of stall in `period` (ns both).
pub fn calc_avgs(avg: &mut [u64; 3], missed: u64, time: u64, period: u64) {
    let percent = time * 100 / period.max(1);
    step(avg, missed, percent);
}

/// The same with the whole percents already known.
pub fn step(avg: &mut [u64; 3], missed: u64, percent: u64) {
    for (avg, exp) in avg.iter_mut().zip(EXP) {
        if missed > 0 {
            *avg = calc_load_n(*avg, exp, 0, missed);
        }
        *avg = calc_load(*avg, exp, percent * FIXED_1);
    }
}

/// An average as the file prints it, in hundredths (`LOAD_INT`, `LOAD_FRAC`).
#[must_use]
pub fn hundredths(avg: u64) -> u64 {
    (avg >> 11) * 100 + (((avg & (FIXED_1 - 1)) * 100) >> 11)
}

/// An average as the file prints it: "12.34".
#[must_use]
pub fn print(avg: u64) -> String {
    format!("{}.{:02}", avg >> 11, ((avg & (FIXED_1 - 1)) * 100) >> 11)
}

/// The least and the greatest average that print as so many hundredths.
#[must_use]
pub fn printed_as(hundredths: u64) -> (u64, u64) {
    let (whole, part) = (hundredths / 100 * FIXED_1, hundredths % 100);
    let least = |part: u64| (part * FIXED_1).div_ceil(100);
    (whole + least(part), whole + least(part + 1) - 1)
}

/// The averages at a window's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed {
    /// avg10, avg60 and avg300 of each state, fixed point.
    pub avg: [[u64; 3]; state::TOTALS],
    /// Next update by the kernel, ns; none when not known.
    pub next_update_ns: Option<u64>,
}

/// The averages of one group, and when they were updated.
#[derive(Debug, Clone)]
pub struct Averages {
    /// avg10, avg60 and avg300 of each state, fixed point.
    pub avg: [[u64; 3]; state::TOTALS],
    avg_total: [u64; state::TOTALS],
    last_update: u64,
    next_update: u64,
    period: u64,
    missed_at_equality: bool,
}

impl Averages {
    /// Averages that were last updated at `last_update` and will be at `next_update` or after it (ns).
    #[must_use]
    pub fn new(rules: &Rules, hz: u32, last_update: u64, next_update: u64) -> Self {
        Self {
            avg: [[0; 3]; state::TOTALS],
            avg_total: [0; state::TOTALS],
            last_update,
            next_update,
            period: jiffies::period(hz),
            missed_at_equality: rules.missed_at_equality,
        }
    }

    /// Returns the next update, ns.
    #[must_use]
    pub fn next_update(&self) -> u64 {
        self.next_update
    }

    /// Further periods that are over after the due one.
    fn missed(&self, now: u64) -> u64 {
        let late = now - self.next_update;
        if late > self.period || (late == self.period && self.missed_at_equality) {
            late / self.period
        } else {
            0
        }
    }

    fn set_next(&mut self, missed: u64) {
        let periods = (1 + missed).saturating_mul(self.period);
        self.next_update = self.next_update.saturating_add(periods);
    }

    /// Updates them from the totals (ns) if it is time to; says whether it was.
    pub fn update(&mut self, totals: &[u64; state::TOTALS], now: u64) -> bool {
        if now < self.next_update {
            return false;
        }
        let missed = self.missed(now);
        self.set_next(missed);
        let period = now.saturating_sub(self.last_update + missed * self.period);
        self.last_update = now;
        for (number, total) in totals.iter().enumerate() {
            // The kernel keeps the sample in 32 bits.
            let sample = u64::from((total - self.avg_total[number]) as u32).min(period);
            self.avg_total[number] += sample;
            calc_avgs(&mut self.avg[number], missed, sample, period);
        }
        true
    }

    /// Updates the averages as if every period since the last update had been updated at its end, with an equal part of the
    /// stall since then; returns the number of periods. Takes constant time: the averages soon stop changing.
    pub fn update_each(&mut self, totals: &[u64; state::TOTALS], now: u64) -> u64 {
        if now < self.next_update {
            return 0;
        }
        let missed = self.missed(now);
        self.set_next(missed);
        let span = now.saturating_sub(self.last_update);
        self.last_update = now;
        for (number, total) in totals.iter().enumerate() {
            let sample = (total - self.avg_total[number]).min(span);
            self.avg_total[number] = *total;
            let percent = (u128::from(sample) * 100 / u128::from(span.max(1))) as u64;
            for _ in 0..=missed {
                let before = self.avg[number];
                step(&mut self.avg[number], 0, percent);
                if self.avg[number] == before {
                    break;
                }
            }
        }
        missed + 1
    }
}
