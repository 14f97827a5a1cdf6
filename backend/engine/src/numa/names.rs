//! Columns of names and of texts.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};

use super::reason::Numbers;
use crate::events::i64s;

/// A column of names: as numbers, or in a recording as text as they are.
pub(super) enum Names {
    Numbers(ScalarBuffer<i64>, Numbers),
    Texts(Texts, fn(&[u8]) -> u8),
}

impl Names {
    pub(super) fn find(
        batch: &RecordBatch,
        name: &str,
        numbers: &Numbers,
        named: fn(&[u8]) -> u8,
    ) -> Option<Self> {
        match i64s(batch, name) {
            Some(ints) => Some(Self::Numbers(ints, numbers.clone())),
            None => Texts::find(batch, name).map(|texts| Self::Texts(texts, named)),
        }
    }

    #[inline]
    pub(super) fn get(&self, row: usize) -> u8 {
        match self {
            Self::Numbers(ints, numbers) => numbers.get(ints[row]),
            Self::Texts(texts, named) => named(texts.get(row)),
        }
    }
}

/// A column of texts, as bytes.
pub(super) struct Texts {
    ends: OffsetBuffer<i32>,
    bytes: Buffer,
}

impl Texts {
    pub(super) fn find(batch: &RecordBatch, name: &str) -> Option<Self> {
        let array = batch.column_by_name(name)?.as_string_opt::<i32>()?;
        Some(Self {
            ends: array.offsets().clone(),
            bytes: array.values().clone(),
        })
    }

    pub(super) fn get(&self, row: usize) -> &[u8] {
        let range = self.ends[row] as usize..self.ends[row + 1] as usize;
        self.bytes.as_slice().get(range).unwrap_or_default()
    }
}
