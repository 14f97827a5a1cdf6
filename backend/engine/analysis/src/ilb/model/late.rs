//! How many CPUs have their balancing overdue, and until when that stays so.

use crate::ilb::model::before;

/// A count of CPUs that stays the same for a while when nothing happens to them: it is asked for at every step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Late {
    /// CPUs whose `next_balance` is past.
    pub count: u32,
    /// For fewer jiffies than these from then on, they and only they are late.
    pub steady: u64,
}

impl Late {
    /// No CPU, whatever the time.
    pub const NONE: Self = Self {
        count: 0,
        steady: u64::MAX,
    };

    /// Of CPUs with these `next_balance`, at `jiffies`.
    #[inline]
    #[must_use]
    pub fn of(jiffies: u64, next_balances: impl Iterator<Item = u64>) -> Self {
        /// Further away than this, past and future change places ([`before`]).
        const HALF: u64 = 1 << 63;
        let mut found = Self::NONE;
        for next in next_balances {
            let steady = if before(jiffies, next) {
                next.wrapping_sub(jiffies)
            } else {
                found.count += 1;
                HALF - jiffies.wrapping_sub(next)
            };
            found.steady = found.steady.min(steady);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Moments close to each other, and ones that are half of all time away.
    fn moment() -> impl Strategy<Value = u64> {
        prop_oneof![
            0..20_u64,
            Just(0..20_u64).prop_flat_map(|near| near.prop_map(|at| at + (1 << 63) - 10)),
            any::<u64>()
        ]
    }

    proptest! {
        /// Counted again at any time before it may change, and not so at the first time behind.
        #[test]
        fn a_count_is_steady_for_as_long_as_told(
            next in prop::collection::vec(moment(), 0..5),
            now in moment(),
            later in moment(),
        ) {
            let of = |jiffies| Late::of(jiffies, next.iter().copied());
            let found = of(now);
            let late = next.iter().filter(|next| !before(now, **next)).count();
            prop_assert_eq!(found.count as usize, late);
            if later < found.steady {
                prop_assert_eq!(of(now.wrapping_add(later)).count, found.count);
            }
            prop_assert_eq!(of(now.wrapping_add(found.steady - 1)).count, found.count);
            if next.len() == 1 {
                prop_assert_ne!(of(now.wrapping_add(found.steady)).count, found.count);
            }
        }
    }
}
