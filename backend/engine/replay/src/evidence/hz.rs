//! Jiffies per second: recorded, or inferred from the distance of ticks.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use numalens_core::columns::{i64s, u32s, u64s};
use numalens_core::provenance::{Label, Source};

/// Build options of kernels (`kernel/Kconfig.hz`), fastest first.
const RATES: [u32; 4] = [1000, 300, 250, 100];
/// Assumed without evidence: the value of most distributions.
const ASSUMED: u32 = 250;
/// The softirq that a tick raises when a timer is due.
const TIMER_SOFTIRQ: i64 = 1;
/// The functions that `hrtimer_expire_entry` names for the tick, the second one since 6.9.
const TICKS: [&str; 2] = ["tick_sched_timer", "tick_nohz_handler"];

/// Durations that may be jiffies, counted near each rate's jiffy and around it.
#[derive(Debug, Clone, Copy, Default)]
struct Durations {
    /// Within 1 % of the jiffy.
    near: [u64; RATES.len()],
    /// From 2 % to 4 % away from it, which is twice as wide.
    around: [u64; RATES.len()],
}

impl Durations {
    fn add(&mut self, ns: u64) {
        for (at, &rate) in RATES.iter().enumerate() {
            let jiffy = 1_000_000_000 / u64::from(rate);
            let off = ns.abs_diff(jiffy) * 100;
            if off < jiffy {
                self.near[at] += 1;
            } else if (2 * jiffy..4 * jiffy).contains(&off) {
                self.around[at] += 1;
            }
        }
    }

    /// The rate whose jiffy dominates. Other durations are spread evenly around a jiffy, ticks are not. Where a fast rate's
    /// jiffy dominates, a slower one can do so for other reasons (time slices, sleeps), never the reverse.
    fn rate(&self) -> Option<u32> {
        const FEWEST: f64 = 20.0;
        /// Minimum height of a peak, in standard deviations of the count.
        const CLEAR: f64 = 3.0;
        let peaks: [(f64, f64); RATES.len()] = std::array::from_fn(|at| {
            let (near, around) = (self.near[at] as f64, self.around[at] as f64 / 2.0);
            (near - around, (near + around / 2.0).sqrt())
        });
        let highest = peaks.iter().map(|peak| peak.0).fold(0.0, f64::max);
        let stands_out = |&(peak, spread): &(f64, f64)| {
            peak >= FEWEST && peak >= CLEAR * spread && peak * 3.0 >= highest
        };
        let at = peaks.iter().position(stands_out)?;
        Some(RATES[at])
    }
}

/// Time between events that follow each other on a CPU.
#[derive(Debug, Clone, Default)]
struct Gaps {
    last: Vec<Option<u64>>,
    found: Durations,
}

impl Gaps {
    fn event(&mut self, cpu: u32, ts_ns: u64) {
        /// Beyond this a CPU's number cannot be real, and nothing is kept for it.
        const MAX: usize = numalens_core::topology::MAX_CPUS as usize;
        let at = cpu as usize;
        if at >= MAX {
            return;
        }
        if at >= self.last.len() {
            self.last.resize(at + 1, None);
        }
        if let Some(last) = self.last[at].replace(ts_ns) {
            self.found.add(ts_ns.saturating_sub(last));
        }
    }
}

/// Collects evidence for the rate of jiffies. Batches of one table come in their order.
#[derive(Debug, Clone, Default)]
pub struct HzEvidence {
    printed: Option<u32>,
    ticks: Gaps,
    timers: Gaps,
    runtimes: Durations,
}

impl HzEvidence {
    /// Columns of an event that are needed besides `ts_ns` and `cpu`; `None` for other events.
    #[must_use]
    pub fn columns(event: &str) -> Option<&'static [&'static str]> {
        match event {
            "hrtimer_expire_entry" => Some(&["function"]),
            "softirq_raise" => Some(&["vec"]),
            "sched_stat_runtime" => Some(&["runtime"]),
            _ => None,
        }
    }

    /// Looks at a batch of such an event.
    pub fn observe(&mut self, event: &str, batch: &RecordBatch) {
        match event {
            "hrtimer_expire_entry" => {
                let functions = batch.column_by_name("function");
                // As an address it says nothing: it is not resolved here.
                let Some(functions) = functions.and_then(|array| array.as_string_opt::<i32>())
                else {
                    return;
                };
                self.ticks
                    .batch(batch, |row| TICKS.contains(&functions.value(row)));
            }
            "softirq_raise" => {
                if let Some(vectors) = i64s(batch, "vec") {
                    let timers = &mut self.timers;
                    timers.batch(batch, |row| vectors[row] == TIMER_SOFTIRQ);
                }
            }
            // A tick shows how long the task on the CPU ran since the last one (`update_curr`, `kernel/sched/fair.c`).
            "sched_stat_runtime" => {
                if let Some(runtimes) = i64s(batch, "runtime") {
                    (0..batch.num_rows())
                        .for_each(|row| self.runtimes.add(runtimes[row].unsigned_abs()));
                }
            }
            _ => {}
        }
    }

    /// Looks at a text that may say `CONFIG_HZ=250` or `hz=250`; the first that does counts.
    pub fn text(&mut self, text: &str) {
        const MOST: u32 = 10_000;
        let stated = |word: &str| {
            let number = word
                .strip_prefix("CONFIG_HZ=")
                .or_else(|| word.strip_prefix("hz="))?;
            number.parse().ok().filter(|hz| (1..=MOST).contains(hz))
        };
        if self.printed.is_none() {
            self.printed = text.split_whitespace().find_map(stated);
        }
    }

    /// The rate and where it comes from; `user` is the user's own setting.
    #[must_use]
    pub fn decide(&self, user: Option<u32>) -> (u32, Source) {
        let observed = |name: &str| Source {
            name: name.to_owned(),
            label: Label::Observed,
            missing: Vec::new(),
        };
        let inferred = |name: &str| Source {
            name: name.to_owned(),
            label: Label::Inferred,
            missing: vec!["CONFIG_HZ".to_owned()],
        };
        if let Some(hz) = user {
            return (hz, observed("user"));
        }
        if let Some(hz) = self.printed {
            return (hz, observed("printed"));
        }
        // The spacing of ticks is as good as the configuration; run times only hint at it (docs/algorithms/common.md, K2).
        let replayed = |name: &str| Source {
            name: name.to_owned(),
            label: Label::Replayed,
            missing: Vec::new(),
        };
        let spacings = [
            (self.ticks.found.rate(), replayed("spacing of ticks")),
            (
                self.timers.found.rate(),
                replayed("spacing of softirq_raise [action=TIMER]"),
            ),
            (
                self.runtimes.rate(),
                inferred("runtimes of sched_stat_runtime"),
            ),
        ];
        let found = spacings
            .into_iter()
            .find_map(|(rate, source)| Some((rate?, source)));
        found.unwrap_or_else(|| (ASSUMED, inferred("assumed")))
    }
}

impl Gaps {
    fn batch(&mut self, batch: &RecordBatch, counts: impl Fn(usize) -> bool) {
        let (Some(times), Some(cpus)) = (u64s(batch, "ts_ns"), u32s(batch, "cpu")) else {
            return;
        };
        for row in (0..batch.num_rows()).filter(|&row| counts(row)) {
            self.event(cpus[row], times[row]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ticks at `hz` that time the runs of a busy task, among runs of any length.
    fn runs(hz: u64, ticks: u64, others: u64) -> Durations {
        let mut runs = Durations::default();
        (0..ticks).for_each(|at| runs.add(1_000_000_000 / hz + (at % 20) * 500 - 5_000));
        let mut noise = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..others {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            runs.add(noise % 12_000_000);
        }
        runs
    }

    #[test]
    fn a_rate_stands_out_of_other_runtimes() {
        for hz in RATES {
            assert_eq!(
                runs(u64::from(hz), 200, 3_000).rate(),
                Some(hz),
                "{hz} ticks a second"
            );
        }
        assert_eq!(runs(250, 0, 20_000).rate(), None, "nothing dominates");
        assert_eq!(runs(250, 10, 0).rate(), None, "too few");
    }

    #[test]
    fn a_fast_tick_wins_over_slower_habits() {
        let (mut runs, slow) = (runs(250, 100, 1_000), runs(100, 200, 0));
        for at in 0..RATES.len() {
            runs.near[at] += slow.near[at];
        }
        assert_eq!(runs.rate(), Some(250));
    }

    #[test]
    fn what_is_stated_comes_before_what_is_measured() {
        let mut hz = HzEvidence {
            runtimes: runs(250, 300, 0),
            ..HzEvidence::default()
        };
        assert_eq!(hz.decide(None).0, 250);
        assert_eq!(hz.decide(None).1.label, Label::Inferred);
        assert_eq!(hz.decide(None).1.missing, ["CONFIG_HZ"]);
        hz.text("cling: enable cgroup_id=20 degree=20 hz=1000 grp=1");
        hz.text("hz=300");
        assert_eq!(hz.decide(None).0, 1000);
        assert_eq!(hz.decide(None).1.label, Label::Observed);
        assert_eq!(hz.decide(Some(100)).0, 100);
        let mut nothing = HzEvidence::default();
        nothing.text("CONFIG_HZ=0 hz=x khz=7");
        assert_eq!(nothing.decide(None).0, ASSUMED);
        assert_eq!(nothing.decide(None).1.name, "assumed");
    }
}
