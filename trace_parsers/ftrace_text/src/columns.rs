//! Values collected as columns, and turned into a batch.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, PrimitiveArray, RecordBatch, StringArray, builder::ListBuilder,
    builder::UInt64Builder,
};
use arrow_buffer::{Buffer, OffsetBuffer};
use arrow_schema::{DataType, Field, SchemaRef};
use numalens_columns::{ColumnType, DecodeError, TableSpec};

/// Rows per batch at most.
const MAX_ROWS: usize = 16 * 1024;
/// Bytes of text per batch at most, about.
const MAX_BYTES: usize = 1 << 20;

/// One column on its way.
#[derive(Debug)]
enum Cells {
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    Text { bytes: Vec<u8>, ends: Vec<usize> },
    List(ListBuilder<UInt64Builder>),
}

impl Cells {
    fn new(ty: &ColumnType) -> Self {
        match ty {
            ColumnType::Int(1) => Self::I8(Vec::new()),
            ColumnType::Int(2) => Self::I16(Vec::new()),
            ColumnType::Int(4) => Self::I32(Vec::new()),
            ColumnType::Int(_) => Self::I64(Vec::new()),
            ColumnType::UInt(1) => Self::U8(Vec::new()),
            ColumnType::UInt(2) => Self::U16(Vec::new()),
            ColumnType::UInt(4) => Self::U32(Vec::new()),
            ColumnType::UInt(_) => Self::U64(Vec::new()),
            ColumnType::List(..) => {
                let item = Field::new("item", DataType::UInt64, false);
                Self::List(ListBuilder::new(UInt64Builder::new()).with_field(item))
            }
            ColumnType::Text | ColumnType::Bytes | ColumnType::Array(..) => Self::Text {
                bytes: Vec::new(),
                ends: Vec::new(),
            },
        }
    }

    fn take(&mut self) -> ArrayRef {
        fn all<T: ArrowPrimitiveType>(values: &mut Vec<T::Native>) -> ArrayRef {
            Arc::new(PrimitiveArray::<T>::new(
                std::mem::take(values).into(),
                None,
            ))
        }
        match self {
            Self::I8(values) => all::<Int8Type>(values),
            Self::I16(values) => all::<Int16Type>(values),
            Self::I32(values) => all::<Int32Type>(values),
            Self::I64(values) => all::<Int64Type>(values),
            Self::U8(values) => all::<UInt8Type>(values),
            Self::U16(values) => all::<UInt16Type>(values),
            Self::U32(values) => all::<UInt32Type>(values),
            Self::U64(values) => all::<UInt64Type>(values),
            Self::Text { bytes, ends } => {
                Arc::new(strings(std::mem::take(bytes), &std::mem::take(ends)))
            }
            Self::List(builder) => Arc::new(builder.finish()),
        }
    }
}

/// Bytes that are not UTF-8 are replaced.
fn strings(bytes: Vec<u8>, ends: &[usize]) -> StringArray {
    if bytes.is_ascii() {
        let lengths = ends
            .iter()
            .scan(0, |start, &end| Some(end - std::mem::replace(start, end)));
        return StringArray::new(
            OffsetBuffer::from_lengths(lengths),
            Buffer::from_vec(bytes),
            None,
        );
    }
    let mut start = 0;
    StringArray::from_iter_values(ends.iter().map(|&end| {
        let text = String::from_utf8_lossy(&bytes[start..end]);
        start = end;
        text
    }))
}

/// The rows of one table that wait for their batch.
#[derive(Debug)]
pub(crate) struct Rows {
    schema: SchemaRef,
    cells: Vec<Cells>,
    count: usize,
    /// Bytes of text and lists.
    bytes: usize,
}

impl Rows {
    pub(crate) fn new(spec: &TableSpec) -> Self {
        let stamp = [
            ColumnType::UInt(8),
            ColumnType::UInt(4),
            ColumnType::UInt(8),
            ColumnType::UInt(1),
        ];
        let types = stamp
            .iter()
            .chain(spec.columns.iter().map(|column| &column.ty));
        Self {
            schema: spec.schema(),
            cells: types.map(Cells::new).collect(),
            count: 0,
            bytes: 0,
        }
    }

    /// Appends to the integer column `at`, counted from `ts_ns`.
    #[inline]
    pub(crate) fn bits(&mut self, at: usize, bits: u64) {
        match &mut self.cells[at] {
            Cells::I8(values) => values.push(bits as i8),
            Cells::I16(values) => values.push(bits as i16),
            Cells::I32(values) => values.push(bits as i32),
            Cells::I64(values) => values.push(bits as i64),
            Cells::U8(values) => values.push(bits as u8),
            Cells::U16(values) => values.push(bits as u16),
            Cells::U32(values) => values.push(bits as u32),
            Cells::U64(values) => values.push(bits),
            Cells::Text { bytes, ends } => {
                bytes.extend_from_slice(bits.to_string().as_bytes());
                ends.push(bytes.len());
            }
            Cells::List(list) => list.append(true),
        }
    }

    /// Appends to the text column `at`.
    #[inline]
    pub(crate) fn text(&mut self, at: usize, text: &[u8]) {
        match &mut self.cells[at] {
            Cells::Text { bytes, ends } => {
                bytes.extend_from_slice(text);
                ends.push(bytes.len());
                self.bytes += text.len();
            }
            _ => self.bits(at, 0),
        }
    }

    /// Appends to the list column `at`.
    pub(crate) fn list(&mut self, at: usize, values: impl Iterator<Item = u64>) {
        if let Cells::List(list) = &mut self.cells[at] {
            for value in values {
                list.values().append_value(value);
                self.bytes += 8;
            }
            list.append(true);
        }
    }

    pub(crate) fn is_text(&self, at: usize) -> bool {
        matches!(self.cells[at], Cells::Text { .. })
    }

    /// A row is complete; true when a batch should be taken.
    #[inline]
    pub(crate) fn end_row(&mut self) -> bool {
        self.count += 1;
        self.count >= MAX_ROWS || self.bytes >= MAX_BYTES
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn take(&mut self) -> Result<RecordBatch, DecodeError> {
        self.count = 0;
        self.bytes = 0;
        let columns = self.cells.iter_mut().map(Cells::take).collect();
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(|error| DecodeError::Columns(error.to_string()))
    }
}
