//! Times of the timer that halves a group's counters (`cling_timer_func`; `docs/algorithms/cling.md`, G3; common.md, K3).

use std::collections::HashMap;

use numalens_replay::numa::Attempt;
use numalens_subject::jiffies;

use crate::samples::Reading;

/// `NUMA_MIGRATE_SCALE`: periods of the timer in one `scan_period_max`.
pub const SCALE: u64 = 10;
/// Default of `sysctl_numa_balancing_scan_period_max`, ms.
pub const SCAN_PERIOD_MAX_MS: u32 = 60_000;

/// `msecs_to_jiffies`: rounded up.
#[must_use]
pub fn msecs_to_jiffies(ms: u32, hz: u32) -> u64 {
    (u64::from(ms) * u64::from(hz)).div_ceil(1000)
}

/// Returns the period of the timer, jiffies; 0 makes it fire with every tick.
#[must_use]
pub fn period(scan_period_max_ms: u32, hz: u32) -> u64 {
    msecs_to_jiffies(scan_period_max_ms, hz) / SCALE
}

/// The jiffy in which a timer fires that was armed at `now` for `expires` (`calc_wheel_index`, `kernel/time/timer.c`, since
/// 4.8): put off to the next boundary of its level, or the next tick when `expires` is over.
#[must_use]
pub fn wheel_expiry(now: u64, expires: u64) -> u64 {
    if expires < now {
        return now.saturating_add(1);
    }
    // Levels beyond the wheel's end are not distinguished; the shift keeps far ones from wrapping.
    if expires >= u64::MAX >> 1 {
        return u64::MAX;
    }
    jiffies::wheel(now, expires)
}

/// Jiffies in which a group's timer fires, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timer {
    next: u64,
    period: u64,
}

impl Timer {
    /// A group was made in jiffy `now`: `add_timer` with `expires` 0 fires with the next tick.
    #[must_use]
    pub fn made(now: u64, period: u64) -> Self {
        Self {
            next: wheel_expiry(now, 0),
            period,
        }
    }

    /// A timer whose next firing is known.
    #[must_use]
    pub fn due(next: u64, period: u64) -> Self {
        Self { next, period }
    }

    /// Returns the next firing.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Fires the timer and arms it again (`mod_timer(jiffies + period)`).
    pub fn fire(&mut self) -> u64 {
        let now = self.next;
        self.next = wheel_expiry(now, now.saturating_add(self.period)).max(now.saturating_add(1));
        now
    }

    /// Advances to the first firing after `jiffy` in constant time: on the wheel's boundaries firings have equal distances.
    pub fn skip(&mut self, jiffy: u64) {
        let mut apart = 0;
        while self.next <= jiffy && self.next < u64::MAX {
            let before = std::mem::replace(&mut apart, 0);
            let now = self.fire();
            apart = self.next - now;
            if apart == before && self.next <= jiffy {
                self.next += (jiffy - self.next) / apart * apart;
            }
        }
    }
}

/// Returns the jiffies between firings once the timer is on the wheel's boundaries.
#[must_use]
pub fn steady_period(period: u64) -> u64 {
    let mut timer = Timer::made(0, period);
    timer.fire();
    let before = timer.fire();
    timer.next() - before
}

/// Jiffies as moments: those since jiffy `jiffies` began at `at_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// A moment, ns of the reference clock.
    pub at_ns: u64,
    /// The kernel's jiffies then.
    pub jiffies: u64,
    /// Jiffies per second.
    pub hz: u32,
}

impl Clock {
    /// Length of a jiffy, ns.
    #[must_use]
    pub fn jiffy_ns(self) -> u64 {
        (1_000_000_000 / u64::from(self.hz.max(1))).max(1)
    }

    /// The jiffy in which a moment lies.
    #[must_use]
    pub fn jiffy(self, ts_ns: u64) -> u64 {
        let jiffy = self.jiffy_ns();
        if ts_ns >= self.at_ns {
            self.jiffies.saturating_add((ts_ns - self.at_ns) / jiffy)
        } else {
            self.jiffies
                .saturating_sub((self.at_ns - ts_ns).div_ceil(jiffy))
        }
    }

    /// Returns the start of a jiffy, ns.
    #[must_use]
    pub fn at(self, jiffies: u64) -> u64 {
        let jiffy = self.jiffy_ns();
        if jiffies >= self.jiffies {
            self.at_ns
                .saturating_add((jiffies - self.jiffies).saturating_mul(jiffy))
        } else {
            self.at_ns
                .saturating_sub((self.jiffies - jiffies).saturating_mul(jiffy))
        }
    }
}

// How often the timer comes, from readings of `cpu.numa_group` alone.

/// An attempt may be counted so long after its last event, ns.
const LATE_NS: u64 = 300_000_000;
/// Minimum number of seen timers.
const ENOUGH: u64 = 8;
/// Maximum distance between a setting's timer and the seen one, percent.
const NEAR_PERCENT: u64 = 4;
/// Plausible settings, ms: the roundest first.
const STEPS_MS: [usize; 4] = [10_000, 1_000, 500, 100];
/// The largest setting that is looked for, ms.
const MOST_MS: u32 = 120_000;

/// Mean time between two timers of a group, ns: between two samples without an attempt counters only halve. `None` when too
/// few such samples show a halving.
#[must_use]
pub fn timer_ns(readings: &[Reading], attempts: &[Attempt]) -> Option<u64> {
    let mut last: HashMap<&str, &Reading> = HashMap::new();
    let (mut time, mut timers) = (0_u64, 0_u64);
    for reading in readings.iter().filter(|reading| reading.enabled) {
        let Some(before) = last.insert(&reading.cgroup, reading) else {
            continue;
        };
        let Some(halved) = halvings(before, reading) else {
            continue;
        };
        let (from, to) = (before.t0_ns.saturating_sub(LATE_NS), reading.t1_ns);
        let first = attempts.partition_point(|attempt| attempt.start_ns < from);
        let mut between = attempts[first..].iter();
        if between
            .by_ref()
            .take_while(|attempt| attempt.start_ns <= to)
            .any(|attempt| attempt.ngid == reading.gid)
        {
            continue;
        }
        time += reading.t0_ns.saturating_sub(before.t0_ns);
        timers += halved;
    }
    (timers >= ENOUGH).then(|| time / timers)
}

/// Number of halvings of the counters; `None` after other changes, or when the counters are too small.
fn halvings(before: &Reading, after: &Reading) -> Option<u64> {
    let (old, new) = (before.group.as_ref()?, after.group.as_ref()?);
    if before.gid != after.gid || new.nodes().iter().all(|node| node.1.t == 0) {
        return None;
    }
    let halved = |times: u32| {
        new.nodes().iter().all(|&(nid, stat)| {
            let was = old.stat(nid);
            (was.f >> times, was.t >> times) == (stat.f, stat.t)
        })
    };
    (0..u64::BITS).find(|&times| halved(times)).map(u64::from)
}

/// The setting of `scan_period_max`, ms, whose timer comes as often; the roundest of several.
#[must_use]
pub fn scan_period_max_ms(timer_ns: u64, hz: u32) -> Option<u32> {
    let jiffy_ns = 1_000_000_000 / u64::from(hz.max(1));
    let off = |ms: u32| (steady_period(period(ms, hz)) * jiffy_ns).abs_diff(timer_ns);
    STEPS_MS.into_iter().find_map(|step| {
        let settings = (step as u32..=MOST_MS).step_by(step);
        let nearest = settings.min_by_key(|&ms| off(ms))?;
        (off(nearest).saturating_mul(100) <= timer_ns.saturating_mul(NEAR_PERCENT))
            .then_some(nearest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::{Group, Stat};

    fn reading(t_ns: u64, f: u64, t: u64) -> Reading {
        let mut group = Group::new(&[0, 1]);
        group.set(0, Stat { f, t, q: 0 });
        Reading {
            t0_ns: t_ns,
            t1_ns: t_ns,
            cgroup: "/a".to_owned(),
            enabled: true,
            gid: 7,
            nr_tasks: 1,
            group: Some(group),
            degree: None,
            faults: None,
        }
    }

    #[test]
    fn halvings_tell_the_period() {
        let readings: Vec<Reading> = (0..16)
            .map(|n| reading(n * 320, 1 << 20 >> n, 1 << 30 >> n))
            .collect();
        assert_eq!(timer_ns(&readings, &[]), Some(320));
        assert_eq!(
            timer_ns(&readings[..8], &[]),
            None,
            "seven halvings are too few"
        );
        let twice: Vec<Reading> = readings.iter().step_by(2).cloned().collect();
        assert_eq!(timer_ns(&twice, &[]), Some(320));
        // Where nothing is left, nothing shows how often it was halved.
        let gone = (31..60).map(|n| reading(n * 320, 0, 0));
        let longer: Vec<Reading> = readings.iter().cloned().chain(gone).collect();
        assert_eq!(timer_ns(&longer, &[]), Some(320));
        // What is neither the same nor halved says nothing.
        let odd: Vec<Reading> = (0..16).map(|n| reading(n * 320, 3 * n, 100 + n)).collect();
        assert_eq!(timer_ns(&odd, &[]), None);
    }

    #[test]
    fn the_roundest_setting_is_taken() {
        // 75 jiffies, put off to 80 by the wheel.
        assert_eq!(scan_period_max_ms(320_000_000, 250), Some(3_000));
        assert_eq!(scan_period_max_ms(6_144_000_000, 1000), Some(60_000));
        assert_eq!(scan_period_max_ms(1, 250), None);
    }
}
