//! How often the timer comes, from readings of `cpu.numa_group` alone.

use std::collections::HashMap;

use numalens_replay::numa::Attempt;

use crate::cling::samples::Reading;
use crate::cling::timer::{period, steady_period};

/// An attempt may be counted so long after its last event, ns.
const LATE_NS: u64 = 300_000_000;
/// So many timers must have been seen.
const ENOUGH: u64 = 8;
/// How far the timer of a setting may be from what was seen, percent.
const NEAR_PERCENT: u64 = 4;
/// Settings that people choose, ms: the roundest first.
const STEPS_MS: [usize; 4] = [10_000, 1_000, 500, 100];
/// The largest setting that is looked for, ms.
const MOST_MS: u32 = 120_000;

/// Mean time between two timers of a group, ns: between two readings without an attempt counters only halve. `None` when too
/// few such readings show a halving.
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

/// How often the counters were halved; `None` when something else happened, or nothing is left that tells.
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
    use crate::cling::group::{Group, Stat};

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
        // Where nothing is left, nothing tells how often it was halved.
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
