//! Matches of samples and trace: the sampler reads its clock, writes a line into the trace, and reads its clock again after
//! the sample.

use super::Span;

/// One meeting of two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meeting {
    /// The line's stamp on the trace clock, ns.
    pub trace_ns: i64,
    /// The sampler's clock before the line was written, ns.
    pub before_ns: i64,
    /// The sampler's clock some time after the line was written, ns; where the sampler stored it.
    pub after_ns: Option<i64>,
}

/// The distance from the sampler's clock to the trace clock; `None` without meetings.
///
/// The line was written between `before_ns` and `after_ns`, so each meeting bounds the distance on both sides; all
/// together bound it best. Where no distance fits them all, the clocks drift: then a line is fitted and the widest miss
/// is its uncertainty. Where nothing bounds the distance from below, writing the line is assumed to take between 0 and
/// its usual time.
#[must_use]
pub fn meet(meetings: &[Meeting]) -> Option<Span> {
    let nearest = meetings.iter().map(Meeting::high).min()?;
    let bounded: Vec<&Meeting> = meetings.iter().filter(|m| m.after_ns.is_some()).collect();
    let Some(farthest) = bounded.iter().filter_map(|m| m.low()).max() else {
        return Some(one_sided(meetings, nearest));
    };
    if farthest <= nearest {
        return Some(Span::between(farthest, nearest));
    }
    Some(drifting(&bounded))
}

impl Meeting {
    /// Largest distance that it allows.
    fn high(&self) -> i64 {
        self.trace_ns.saturating_sub(self.before_ns)
    }

    /// Smallest distance that it allows.
    fn low(&self) -> Option<i64> {
        self.after_ns
            .map(|after| self.trace_ns.saturating_sub(after).min(self.high()))
    }

    /// The distance in the middle of what it allows.
    fn middle(&self) -> i64 {
        i64::midpoint(self.low().unwrap_or_else(|| self.high()), self.high())
    }
}

fn one_sided(meetings: &[Meeting], nearest: i64) -> Span {
    let mut delays: Vec<u64> = meetings
        .iter()
        .map(|m| m.high().abs_diff(nearest))
        .collect();
    delays.sort_unstable();
    let usual = delays[delays.len() / 2];
    Span::between(nearest.saturating_sub_unsigned(usual), nearest)
}

/// A straight line through the middles, by least squares.
fn drifting(meetings: &[&Meeting]) -> Span {
    let at_ns = meetings[meetings.len() / 2].before_ns;
    let points = || {
        meetings.iter().map(|m| {
            let x = i128::from(m.before_ns) - i128::from(at_ns);
            let y = i128::from(m.middle()) - i128::from(meetings[0].middle());
            (x as f64, y as f64)
        })
    };
    let n = meetings.len() as f64;
    let (mean_x, mean_y) = points().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x / n, sy + y / n));
    let (sxx, sxy) = points().fold((0.0, 0.0), |(sxx, sxy), (x, y)| {
        (
            sxx + (x - mean_x) * (x - mean_x),
            sxy + (x - mean_x) * (y - mean_y),
        )
    });
    let slope = if sxx > 0.0 { sxy / sxx } else { 0.0 };
    let offset = meetings[0]
        .middle()
        .saturating_add((mean_y - slope * mean_x).round() as i64);
    let line = Span {
        at_ns,
        drift_ppb: (slope * 1e9).round() as i64,
        ..Span::between(offset, offset)
    };
    let miss = meetings.iter().map(|m| {
        let at = line.offset_at(m.before_ns);
        let low = m.low().unwrap_or(at);
        m.high().abs_diff(at).max(low.abs_diff(at))
    });
    let miss = miss.max().unwrap_or(0);
    Span {
        low_ns: offset.saturating_sub_unsigned(miss),
        high_ns: offset.saturating_add_unsigned(miss),
        ..line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn meeting(trace_ns: i64, before_ns: i64, after_ns: i64) -> Meeting {
        Meeting {
            trace_ns,
            before_ns,
            after_ns: Some(after_ns),
        }
    }

    #[test]
    fn meetings_together_bound_better_than_each() {
        // Distances 90..=110, 95..=130 and 80..=100: only 95..=100 fits all.
        let span = meet(&[
            meeting(1_110, 1_000, 1_020),
            meeting(2_130, 2_000, 2_035),
            meeting(3_100, 3_000, 3_020),
        ]);
        assert_eq!(span, Some(Span::between(95, 100)));
        assert_eq!(meet(&[]), None);
    }

    #[test]
    fn without_a_stamp_afterwards_the_usual_delay_is_the_bound() {
        let one = |trace_ns, before_ns| Meeting {
            trace_ns,
            before_ns,
            after_ns: None,
        };
        // Delays 0, 4 and 900 beyond the distance 50.
        let span = meet(&[one(1_050, 1_000), one(2_054, 2_000), one(3_950, 3_000)]).unwrap();
        assert_eq!(span, Span::between(46, 50));
    }

    #[test]
    fn drift_is_found() {
        // 10 µs a second, met every 100 ms, exactly to 200 ns.
        let meetings: Vec<Meeting> = (0..50)
            .map(|i| {
                let t = i * 100_000_000;
                meeting(t + 1_000_000 + i * 1_000, t - 100, t + 100)
            })
            .collect();
        let span = meet(&meetings).unwrap();
        assert!((span.drift_ppb - 10_000).abs() < 10, "{span:?}");
        assert!(span.uncertainty_ns() < 300, "{span:?}");
        assert!(span.apply(0).abs_diff(1_000_000) < 300);
        assert!(span.apply(4_900_000_000).abs_diff(4_901_049_000) < 300);
    }

    proptest! {
        #[test]
        fn the_true_distance_is_always_inside(
            distance in -1_000_000_000_000_i64..1_000_000_000_000,
            reads in proptest::collection::vec((0..1_000_000_i64, 0..1_000_000_i64), 1..40),
        ) {
            let meetings: Vec<Meeting> = reads.iter().enumerate().map(|(i, &(delay, rest))| {
                let before = i as i64 * 100_000_000;
                meeting(before + delay + distance, before, before + delay + rest)
            }).collect();
            let span = meet(&meetings).unwrap();
            prop_assert!(span.low_ns <= distance && distance <= span.high_ns);
            let widest = reads.iter().map(|&(delay, rest)| (delay + rest) as u64).min().unwrap();
            prop_assert!(span.uncertainty_ns() <= widest.div_ceil(2));
        }
    }
}
