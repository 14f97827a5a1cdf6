//! Columns of names.

use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;
use numalens_core::columns::{Texts, i32s};

use super::reason::Numbers;

/// A column of names: as numbers, or in a recording as text as they are.
pub(super) enum Names {
    Numbers(ScalarBuffer<i32>, Numbers),
    Texts(Texts, fn(&[u8]) -> u8),
}

impl Names {
    pub(super) fn find(
        batch: &RecordBatch,
        name: &str,
        numbers: &Numbers,
        named: fn(&[u8]) -> u8,
    ) -> Option<Self> {
        match i32s(batch, name) {
            Some(ints) => Some(Self::Numbers(ints, numbers.clone())),
            None => Texts::find(batch, name).map(|texts| Self::Texts(texts, named)),
        }
    }

    /// The numbers as recorded; `None` of text.
    pub(super) fn numbers(&self) -> Option<&[i32]> {
        match self {
            Self::Numbers(ints, _) => Some(ints),
            Self::Texts(..) => None,
        }
    }

    #[inline]
    pub(super) fn get(&self, row: usize) -> u8 {
        match self {
            Self::Numbers(ints, numbers) => numbers.get(i64::from(ints[row])),
            Self::Texts(texts, named) => named(texts.get(row)),
        }
    }
}
