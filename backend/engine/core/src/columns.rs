//! Typed access to the columns of one batch.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, PrimitiveArray, RecordBatch, downcast_integer_array};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;

/// The integer column `name` in 64 bits, whatever its width: the kernel's own widths differ between versions and machines.
/// Values from 2^63 on wrap. `None` without such a column or for another type.
#[must_use]
pub fn i64s(batch: &RecordBatch, name: &str) -> Option<ScalarBuffer<i64>> {
    let array = batch.column_by_name(name)?;
    Some(match array.data_type() {
        DataType::Int64 => array.as_primitive::<Int64Type>().values().clone(),
        DataType::UInt64 => {
            let values = array.as_primitive::<UInt64Type>().values();
            ScalarBuffer::from(values.clone().into_inner())
        }
        DataType::Int8 => wide::<Int8Type>(batch, name)?,
        DataType::Int16 => wide::<Int16Type>(batch, name)?,
        DataType::Int32 => wide::<Int32Type>(batch, name)?,
        DataType::UInt8 => wide::<UInt8Type>(batch, name)?,
        DataType::UInt16 => wide::<UInt16Type>(batch, name)?,
        DataType::UInt32 => wide::<UInt32Type>(batch, name)?,
        _ => return None,
    })
}

fn wide<T: ArrowPrimitiveType>(batch: &RecordBatch, name: &str) -> Option<ScalarBuffer<i64>>
where
    T::Native: Into<i64>,
{
    let values = batch
        .column_by_name(name)?
        .as_primitive_opt::<T>()?
        .values();
    Some(values.iter().map(|&value| value.into()).collect())
}

/// The integer column `name` in 32 bits; wider values lose their upper half, as in the kernel's own `int` fields.
#[must_use]
pub fn i32s(batch: &RecordBatch, name: &str) -> Option<ScalarBuffer<i32>> {
    let array = batch.column_by_name(name)?;
    Some(match array.data_type() {
        // The widths that kernels have, without a copy.
        DataType::Int32 => array.as_primitive::<Int32Type>().values().clone(),
        DataType::UInt32 => {
            let values = array.as_primitive::<UInt32Type>().values();
            ScalarBuffer::from(values.clone().into_inner())
        }
        _ => i64s(batch, name)?
            .iter()
            .map(|&value| value as i32)
            .collect(),
    })
}

/// Integers of any width as `T`: null for nulls, and for values that do not fit `T`. `None` for other types.
#[must_use]
pub fn integers<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<PrimitiveArray<T>>
where
    T::Native: TryFrom<i128>,
{
    downcast_integer_array!(
        array => Some(
            array
                .iter()
                .map(|value| T::Native::try_from(i128::from(value?)).ok())
                .collect(),
        ),
        _ => None
    )
}

/// A column of texts, as bytes.
#[derive(Debug, Clone)]
pub struct Texts {
    ends: OffsetBuffer<i32>,
    bytes: Buffer,
}

impl Texts {
    /// The column `name`; `None` without such a column or for another type.
    #[must_use]
    pub fn find(batch: &RecordBatch, name: &str) -> Option<Self> {
        let array = batch.column_by_name(name)?.as_string_opt::<i32>()?;
        Some(Self {
            ends: array.offsets().clone(),
            bytes: array.values().clone(),
        })
    }

    /// The text of a row.
    #[must_use]
    #[inline]
    pub fn get(&self, row: usize) -> &[u8] {
        let range = self.ends[row] as usize..self.ends[row + 1] as usize;
        self.bytes.as_slice().get(range).unwrap_or_default()
    }
}

/// The column `name` of 64-bit unsigned integers.
#[must_use]
pub fn u64s(batch: &RecordBatch, name: &str) -> Option<ScalarBuffer<u64>> {
    batch
        .column_by_name(name)?
        .as_primitive_opt::<UInt64Type>()
        .map(|array| array.values().clone())
}

/// The column `name` of 32-bit unsigned integers.
#[must_use]
pub fn u32s(batch: &RecordBatch, name: &str) -> Option<ScalarBuffer<u32>> {
    batch
        .column_by_name(name)?
        .as_primitive_opt::<UInt32Type>()
        .map(|array| array.values().clone())
}

/// The column `name` of bytes.
#[must_use]
pub fn u8s(batch: &RecordBatch, name: &str) -> Option<ScalarBuffer<u8>> {
    batch
        .column_by_name(name)?
        .as_primitive_opt::<UInt8Type>()
        .map(|array| array.values().clone())
}
