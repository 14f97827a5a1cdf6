//! Typed access to the columns of one batch.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;

/// An integer column of any width: the kernel's own widths differ between versions and machines.
#[derive(Debug, Clone)]
pub(crate) enum Ints {
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
}

impl Ints {
    fn of(array: &ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Int8 => Self::I8(array.as_primitive::<Int8Type>().values().clone()),
            DataType::Int16 => Self::I16(array.as_primitive::<Int16Type>().values().clone()),
            DataType::Int32 => Self::I32(array.as_primitive::<Int32Type>().values().clone()),
            DataType::Int64 => Self::I64(array.as_primitive::<Int64Type>().values().clone()),
            DataType::UInt8 => Self::U8(array.as_primitive::<UInt8Type>().values().clone()),
            DataType::UInt16 => Self::U16(array.as_primitive::<UInt16Type>().values().clone()),
            DataType::UInt32 => Self::U32(array.as_primitive::<UInt32Type>().values().clone()),
            DataType::UInt64 => Self::U64(array.as_primitive::<UInt64Type>().values().clone()),
            _ => return None,
        })
    }

    /// The integer column `name`; `None` when there is no such column or it holds something else.
    pub(crate) fn find(batch: &RecordBatch, name: &str) -> Option<Self> {
        batch.column_by_name(name).and_then(Self::of)
    }

    /// The value of a row; values from 2^63 on wrap.
    pub(crate) fn get(&self, row: usize) -> i64 {
        match self {
            Self::I8(values) => i64::from(values[row]),
            Self::I16(values) => i64::from(values[row]),
            Self::I32(values) => i64::from(values[row]),
            Self::I64(values) => values[row],
            Self::U8(values) => i64::from(values[row]),
            Self::U16(values) => i64::from(values[row]),
            Self::U32(values) => i64::from(values[row]),
            Self::U64(values) => values[row] as i64,
        }
    }
}

/// The column `name` of 64-bit unsigned integers.
pub(crate) fn u64s(batch: &RecordBatch, name: &str) -> Option<ScalarBuffer<u64>> {
    batch
        .column_by_name(name)?
        .as_primitive_opt::<UInt64Type>()
        .map(|array| array.values().clone())
}

/// The column `name` of 32-bit unsigned integers.
pub(crate) fn u32s(batch: &RecordBatch, name: &str) -> Option<ScalarBuffer<u32>> {
    batch
        .column_by_name(name)?
        .as_primitive_opt::<UInt32Type>()
        .map(|array| array.values().clone())
}

/// The column `name` of bytes.
pub(crate) fn u8s(batch: &RecordBatch, name: &str) -> Option<ScalarBuffer<u8>> {
    batch
        .column_by_name(name)?
        .as_primitive_opt::<UInt8Type>()
        .map(|array| array.values().clone())
}
