//! A set of CPUs.

use std::num::ParseIntError;
use std::str::FromStr;

/// A bit per CPU: the balancer asks for the first one, and for all, at every tick.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CpuSet {
    words: Vec<u64>,
    len: u32,
}

impl CpuSet {
    /// Adds a CPU; returns whether it was new.
    pub fn insert(&mut self, cpu: u32) -> bool {
        let at = cpu as usize / 64;
        if cpu >= crate::topology::MAX_CPUS {
            return false;
        }
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let bit = 1 << (cpu % 64);
        let Some(word) = self.words.get_mut(at).filter(|word| **word & bit == 0) else {
            return false;
        };
        *word |= bit;
        self.len += 1;
        true
    }

    /// Removes a CPU; returns whether it was present.
    #[inline]
    pub fn remove(&mut self, cpu: u32) -> bool {
        let bit = 1 << (cpu % 64);
        let word = self.words.get_mut(cpu as usize / 64);
        let Some(word) = word.filter(|word| **word & bit != 0) else {
            return false;
        };
        *word &= !bit;
        self.len -= 1;
        true
    }

    /// Returns whether the set contains a CPU.
    #[must_use]
    #[inline]
    pub fn contains(&self, cpu: u32) -> bool {
        let word = self.words.get(cpu as usize / 64);
        word.is_some_and(|word| word & 1 << (cpu % 64) != 0)
    }

    /// Number.
    #[must_use]
    #[inline]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Returns whether the set is empty.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All, ascending.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.words.iter().enumerate();
        words.flat_map(|(at, &word)| Bits(word).map(move |bit| at as u32 * 64 + bit))
    }
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> Self {
        let mut set = Self::default();
        for cpu in cpus {
            set.insert(cpu);
        }
        set
    }
}

impl FromStr for CpuSet {
    type Err = ParseIntError;

    /// A list as the kernel prints it: `0-3,8` (`bitmap_print_to_pagebuf`, `lib/bitmap-str.c`); of nothing, nothing.
    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        let mut set = Self::default();
        for range in text.trim().split(',').filter(|range| !range.is_empty()) {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (first.parse::<u32>()?, last.parse::<u32>()?);
            for cpu in first..=last.min(crate::topology::MAX_CPUS) {
                set.insert(cpu);
            }
        }
        Ok(set)
    }
}

/// The bits of a word, ascending.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let bit = self.0.trailing_zeros();
        // The lowest bit falls; of 0 nothing is left.
        self.0 &= self.0.wrapping_sub(1);
        (bit < u64::BITS).then_some(bit)
    }
}
