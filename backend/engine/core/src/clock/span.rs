//! Offset between two clocks.

/// The distance between two clocks: an instant that is `t` on the first is `t + d` on the second, with `d` between
/// `low_ns` and `high_ns` when the first shows `at_ns`, changing by `drift_ppb` ns per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Smallest possible distance, ns.
    pub low_ns: i64,
    /// Largest possible distance, ns. Not below `low_ns`.
    pub high_ns: i64,
    /// Time of the first clock at which the distance holds, ns. Means something only with drift.
    pub at_ns: i64,
    /// Growth of the distance, parts per billion of the first clock.
    pub drift_ppb: i64,
}

impl Span {
    /// A distance known within bounds (given in any order), without drift.
    #[must_use]
    pub fn between(one_ns: i64, other_ns: i64) -> Self {
        Self {
            low_ns: one_ns.min(other_ns),
            high_ns: one_ns.max(other_ns),
            at_ns: 0,
            drift_ppb: 0,
        }
    }

    /// A distance known to `uncertainty_ns` on either side.
    #[must_use]
    pub fn around(offset_ns: i64, uncertainty_ns: i64) -> Self {
        Self::between(
            offset_ns.saturating_sub(uncertainty_ns),
            offset_ns.saturating_add(uncertainty_ns),
        )
    }

    /// The middle of the possible distances, ns.
    #[must_use]
    pub fn offset_ns(&self) -> i64 {
        i64::midpoint(self.low_ns, self.high_ns)
    }

    /// Maximum distance of the true offset from [`Span::offset_ns`], ns, rounded up.
    #[must_use]
    pub fn uncertainty_ns(&self) -> u64 {
        self.low_ns.abs_diff(self.high_ns).div_ceil(2)
    }

    /// The second clock's time when the first shows `t_ns`; saturates.
    #[must_use]
    pub fn apply(&self, t_ns: i64) -> i64 {
        t_ns.saturating_add(self.offset_at(t_ns))
    }

    /// The distance when the first clock shows `t_ns`, ns.
    #[must_use]
    pub fn offset_at(&self, t_ns: i64) -> i64 {
        let since = i128::from(t_ns) - i128::from(self.at_ns);
        let grown = since * i128::from(self.drift_ppb) / 1_000_000_000;
        let grown = i64::try_from(grown).unwrap_or(if grown < 0 { i64::MIN } else { i64::MAX });
        self.offset_ns().saturating_add(grown)
    }

    /// The same from the second clock's side.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            low_ns: self.high_ns.saturating_neg(),
            high_ns: self.low_ns.saturating_neg(),
            at_ns: self.at_ns.saturating_add(self.offset_ns()),
            drift_ppb: self.drift_ppb.saturating_neg(),
        }
    }

    /// The distance from the first clock to the one that `next` leads to from the second.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        // The next distance, as it is when the first clock shows `at_ns`.
        let shift = next
            .offset_at(self.apply(self.at_ns))
            .saturating_sub(next.offset_ns());
        Self {
            low_ns: self
                .low_ns
                .saturating_add(next.low_ns)
                .saturating_add(shift),
            high_ns: self
                .high_ns
                .saturating_add(next.high_ns)
                .saturating_add(shift),
            at_ns: self.at_ns,
            drift_ppb: self.drift_ppb.saturating_add(next.drift_ppb),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_drifting_clock_is_followed() {
        let span = Span {
            low_ns: 900,
            high_ns: 1100,
            at_ns: 5_000_000_000,
            drift_ppb: 2_000,
        };
        assert_eq!((span.offset_ns(), span.uncertainty_ns()), (1000, 100));
        assert_eq!(span.apply(5_000_000_000), 5_000_001_000);
        assert_eq!(span.apply(7_000_000_000), 7_000_005_000);
        assert_eq!(span.apply(4_000_000_000), 3_999_999_000);
    }

    fn spans() -> impl Strategy<Value = Span> {
        let second = 1_000_000_000_i64;
        (
            -1000 * second..1000 * second,
            0..second,
            0..1000 * second,
            -200_000..200_000_i64,
        )
            .prop_map(|(low, width, at_ns, drift_ppb)| Span {
                low_ns: low,
                high_ns: low + width,
                at_ns,
                drift_ppb,
            })
    }

    proptest! {
        #[test]
        fn there_and_back_again_is_where_it_began(span in spans(), t in 0..1_000_000_000_000_i64) {
            let back = span.reversed().apply(span.apply(t));
            // The reversed drift is that of the second clock: equal to first order (200 ppm of 200 ppm).
            prop_assert!(back.abs_diff(t) <= 2 + (t - span.at_ns).unsigned_abs() / 10_000_000, "{back} {t}");
            prop_assert_eq!(span.reversed().uncertainty_ns(), span.uncertainty_ns());
        }

        #[test]
        fn two_steps_equal_one_and_uncertainties_add(one in spans(), two in spans(), t in 0..1_000_000_000_000_i64) {
            let both = one.then(&two);
            let stepwise = two.apply(one.apply(t));
            prop_assert!(both.apply(t).abs_diff(stepwise) <= 4 + (t - one.at_ns).unsigned_abs() / 10_000_000);
            let sum = one.uncertainty_ns() + two.uncertainty_ns();
            prop_assert!(both.uncertainty_ns() <= sum && sum <= both.uncertainty_ns() + 1);
        }

        #[test]
        fn extremes_do_not_overflow(low in any::<i64>(), high in any::<i64>(), t in any::<i64>(), ppb in any::<i64>()) {
            let span = Span { at_ns: t, drift_ppb: ppb, ..Span::between(low, high) };
            let _ = (span.apply(t), span.reversed().apply(low), span.then(&span).uncertainty_ns());
            let _ = Span::around(low, high);
        }
    }
}
