//! Whether a move would make loads more uneven than they are.

/// Loads and capacities of two nodes before a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loads {
    /// Load of the source.
    pub src: i64,
    /// Load of the destination.
    pub dst: i64,
    /// Capacity of the source's CPUs.
    pub src_capacity: i64,
    /// Capacity of the destination's CPUs.
    pub dst_capacity: i64,
}

impl Loads {
    /// How uneven the nodes would be with these loads, for their capacities.
    fn uneven(&self, src: i128, dst: i128) -> i128 {
        let dst = dst.saturating_mul(i128::from(self.src_capacity));
        dst.saturating_sub(src.saturating_mul(i128::from(self.dst_capacity)))
            .saturating_abs()
    }
}

/// `load_too_imbalanced`: whether the nodes are more uneven after `load` went from the source to the destination.
#[must_use]
pub fn load_too_imbalanced(loads: &Loads, load: i64) -> bool {
    let (src, dst, load) = (
        i128::from(loads.src),
        i128::from(loads.dst),
        i128::from(load),
    );
    loads.uneven(src - load, dst + load) > loads.uneven(src, dst)
}
