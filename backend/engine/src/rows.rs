//! Tables of plain rows: each a row type, its columns in a mapped batch, and the conversions between them.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Int32Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch};
use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer};
use arrow_schema::{ArrowError, SchemaRef};

use crate::EngineError;
use crate::ipc::IpcFile;

/// A table's row type and its columns.
pub(crate) trait Columns: Sized {
    type Row: Copy;
    fn schema() -> SchemaRef;
    /// A batch of the rows of all parts, one part after the other.
    fn batch(parts: &[&[Self::Row]]) -> Result<RecordBatch, ArrowError>;
    /// The columns of a batch; `None` when it is not of this table.
    fn open(batch: &RecordBatch) -> Option<Self>;
    fn rows(&self) -> usize;
    fn get(&self, row: usize) -> Self::Row;
    /// The time by which the rows ascend, ns.
    fn time(row: &Self::Row) -> u64;
}

/// The Arrow type of a number.
pub(crate) trait Cell: ArrowNativeType {
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
pub(crate) fn array<T: Cell, R>(parts: &[&[R]], value: impl Fn(&R) -> T) -> ArrayRef {
    let mut values = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        values.extend(part.iter().map(&value));
    }
    let values = ScalarBuffer::from(values);
    Arc::new(PrimitiveArray::<T::Arrow>::new(values, None))
}

/// The column at a place, pointing into the batch's bytes.
pub(crate) fn column<T: Cell>(batch: &RecordBatch, at: usize) -> Option<ScalarBuffer<T>> {
    let array = batch
        .columns()
        .get(at)?
        .as_any()
        .downcast_ref::<PrimitiveArray<T::Arrow>>()?;
    Some(array.values().clone())
}

/// The batches of a file as columns of a table. `what` names the table in an error.
pub(crate) fn open_all<C: Columns>(bytes: Buffer, what: &str) -> Result<Vec<C>, EngineError> {
    let file = IpcFile::open(bytes, None)?;
    let mut columns = Vec::with_capacity(file.batches());
    for batch in file.into_batches() {
        let batch = C::open(&batch?);
        columns.push(batch.ok_or_else(|| {
            EngineError::Damaged(format!("the table of {what} has other columns"))
        })?);
    }
    Ok(columns)
}

macro_rules! table {
    ($(#[$about:meta])* $row:ident, $columns:ident, $time:ident, { $($(#[$doc:meta])* $field:ident: $ty:ty,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $row {
            $($(#[$doc])* pub(crate) $field: $ty,)+
        }

        #[derive(Debug)]
        pub(crate) struct $columns {
            $($field: arrow_buffer::ScalarBuffer<$ty>,)+
        }

        impl $crate::rows::Columns for $columns {
            type Row = $row;

            fn schema() -> arrow_schema::SchemaRef {
                use arrow_array::types::ArrowPrimitiveType;
                std::sync::Arc::new(arrow_schema::Schema::new(vec![
                    $(arrow_schema::Field::new(
                        stringify!($field),
                        <$ty as $crate::rows::Cell>::Arrow::DATA_TYPE,
                        false,
                    ),)+
                ]))
            }

            fn batch(parts: &[&[$row]]) -> Result<arrow_array::RecordBatch, arrow_schema::ArrowError> {
                arrow_array::RecordBatch::try_new(
                    Self::schema(),
                    vec![$($crate::rows::array(parts, |row: &$row| row.$field)),+],
                )
            }

            fn open(batch: &arrow_array::RecordBatch) -> Option<Self> {
                let mut at = 0..;
                Some(Self { $($field: $crate::rows::column(batch, at.next()?)?,)+ })
            }

            fn rows(&self) -> usize {
                self.$time.len()
            }

            #[inline]
            fn get(&self, row: usize) -> $row {
                $row { $($field: self.$field[row],)+ }
            }

            #[inline]
            fn time(row: &$row) -> u64 {
                u64::from(row.$time)
            }
        }
    };
}

pub(crate) use table;
