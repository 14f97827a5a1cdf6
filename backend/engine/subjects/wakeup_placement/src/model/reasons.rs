//! A set of reasons.

use crate::catalogue::PlacementReason;

/// Reasons that are possible for one decision; none where no rule gives the recorded CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reasons(u32);

impl Reasons {
    /// Adds a reason.
    pub fn add(&mut self, reason: PlacementReason) {
        self.0 |= 1 << reason as u32;
    }

    /// Adds a reason if it holds.
    pub fn add_if(&mut self, holds: bool, reason: PlacementReason) {
        if holds {
            self.add(reason);
        }
    }

    /// Adds the reasons of another set.
    pub fn add_all(&mut self, others: Self) {
        self.0 |= others.0;
    }

    /// Returns whether a reason is possible.
    #[must_use]
    pub fn has(self, reason: PlacementReason) -> bool {
        self.0 & 1 << reason as u32 != 0
    }

    /// Number of possible reasons.
    #[must_use]
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns whether no rule gives the recorded CPU.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The reason, if there is only one.
    #[must_use]
    pub fn only(self) -> Option<PlacementReason> {
        self.iter().next().filter(|_| self.len() == 1)
    }

    /// Returns the reasons in the order of the catalogue.
    pub fn iter(self) -> impl Iterator<Item = PlacementReason> {
        PlacementReason::ALL
            .into_iter()
            .filter(move |&reason| self.has(reason))
    }

    /// Returns whether all possible reasons are among some.
    #[must_use]
    pub fn all_in(self, some: &[PlacementReason]) -> bool {
        self.iter().all(|reason| some.contains(&reason))
    }
}

impl From<PlacementReason> for Reasons {
    fn from(reason: PlacementReason) -> Self {
        let mut one = Self::default();
        one.add(reason);
        one
    }
}
