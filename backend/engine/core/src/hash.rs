//! Maps by pid for loops over events: the standard hasher takes longer than the rest of such a loop.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by pid or another small number.
pub type PidMap<V> = HashMap<i32, V, BuildHasherDefault<Folded>>;

/// Multiplies and folds the halves of the product. Pids that collide in the lower or the upper bits of one half differ in the
/// other, so no choice of pids in an input puts many of them into one place.
#[derive(Debug, Default, Clone, Copy)]
pub struct Folded(u64);

/// 2^64 divided by the golden ratio, made odd.
const FACTOR: u128 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write_i32(&mut self, number: i32) {
        // The factor twice, so that small numbers reach the upper half.
        let once = (u128::from(number as u32) | 1 << 63) * FACTOR;
        let folded = once as u64 ^ (once >> 64) as u64;
        let twice = u128::from(folded) * FACTOR;
        self.0 = twice as u64 ^ (twice >> 64) as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_i32(i32::from(byte) ^ self.0 as i32);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn neighbours_and_multiples_spread() {
        let hash = |pid: i32| {
            let mut hasher = Folded::default();
            hasher.write_i32(pid);
            hasher.finish()
        };
        for step in [1, 1 << 7, 1 << 16, 1 << 22, 1_000_003] {
            let pids = (0..4096_i32).map(|n| n.wrapping_mul(step));
            let distinct: HashSet<i32> = pids.clone().collect();
            let low: HashSet<u64> = pids.clone().map(|pid| hash(pid) & 0xffff).collect();
            let high: HashSet<u64> = pids.map(|pid| hash(pid) >> 48).collect();
            // As many as chance keeps distinct of 4096 in 65536 places.
            let least = distinct.len() * 9 / 10;
            assert!(
                low.len() > least && high.len() > least,
                "{step}: {} {}",
                low.len(),
                high.len()
            );
        }
    }
}
