//! Rows of a table as columns, and numbers as cells of Arrow columns.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Int32Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};
use arrow_schema::{ArrowError, SchemaRef};

/// A table's row type and its columns.
pub trait Columns: Sized {
    /// A row.
    type Row: Copy + Send + 'static;
    /// The schema of the file.
    fn schema() -> SchemaRef;
    /// A batch of the rows of all parts, one part after the other.
    ///
    /// # Errors
    /// The bytes cannot be read or written, or are not of this table.
    fn batch(parts: &[&[Self::Row]]) -> Result<RecordBatch, ArrowError>;
    /// The columns of a batch; `None` when it is not of this table.
    fn open(batch: &RecordBatch) -> Option<Self>;
    /// Returns the number of rows.
    fn rows(&self) -> usize;
    /// A row by its place.
    fn get(&self, row: usize) -> Self::Row;
    /// Calls `visit` with the rows of a range, as [`Self::get`] gives them.
    fn each(&self, rows: Range<usize>, visit: impl FnMut(Self::Row));
    /// The time by which the rows ascend, ns.
    fn time(row: &Self::Row) -> u64;
}

/// The Arrow type of a number.
pub trait Cell: ArrowNativeType {
    /// Arrow's.
    type Arrow: ArrowPrimitiveType<Native = Self>;
}

impl Cell for u8 {
    type Arrow = UInt8Type;
}
impl Cell for u16 {
    type Arrow = UInt16Type;
}
impl Cell for u32 {
    type Arrow = UInt32Type;
}
impl Cell for i32 {
    type Arrow = Int32Type;
}
impl Cell for u64 {
    type Arrow = UInt64Type;
}

/// One column of the rows of all parts.
pub fn array<T: Cell, R>(parts: &[&[R]], value: impl Fn(&R) -> T) -> ArrayRef {
    let mut values = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        values.extend(part.iter().map(&value));
    }
    let values = ScalarBuffer::from(values);
    Arc::new(PrimitiveArray::<T::Arrow>::new(values, None))
}

/// The column at a place, pointing into the batch's bytes.
#[must_use]
pub fn column<T: Cell>(batch: &RecordBatch, at: usize) -> Option<ScalarBuffer<T>> {
    let array = batch
        .columns()
        .get(at)?
        .as_any()
        .downcast_ref::<PrimitiveArray<T::Arrow>>()?;
    Some(array.values().clone())
}
