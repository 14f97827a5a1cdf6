//! Rows on their way into batches.

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, StringBuilder,
    UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::DataType;
use numalens_columns::DecodeError;

use crate::stamp::Stamp;
use crate::{SampleSink, SampleTableId};

/// Rows after which a batch is written.
const BATCH_ROWS: usize = 8 << 10;
/// Bytes of text after which a batch is written.
const BATCH_TEXT: usize = 1 << 20;

/// One value of a row.
pub(crate) enum Cell<'a> {
    Bool(bool),
    I32(Option<i32>),
    I64(Option<i64>),
    U32(u32),
    U64(Option<u64>),
    F64(Option<f64>),
    Text(Option<&'a str>),
}

macro_rules! cell_from {
    ($($ty:ty => |$value:ident| $cell:expr;)*) => {
        $(impl<'a> From<$ty> for Cell<'a> {
            fn from($value: $ty) -> Self {
                $cell
            }
        })*
    };
}

cell_from! {
    bool => |value| Self::Bool(value);
    i32 => |value| Self::I32(Some(value));
    Option<i32> => |value| Self::I32(value);
    Option<i64> => |value| Self::I64(value);
    i64 => |value| Self::I64(Some(value));
    u32 => |value| Self::U32(value);
    u64 => |value| Self::U64(Some(value));
    Option<u64> => |value| Self::U64(value);
    f64 => |value| Self::F64(Some(value));
    Option<f64> => |value| Self::F64(value);
    &'a str => |value| Self::Text(Some(value));
    Option<&'a str> => |value| Self::Text(value);
}

/// A row out of values of any column types.
macro_rules! cells {
    ($($value:expr),* $(,)?) => {
        &[$($crate::rows::Cell::from($value)),*]
    };
}

/// One column of a batch that is being filled.
enum Filling {
    Bool(BooleanBuilder),
    I32(Int32Builder),
    I64(Int64Builder),
    U32(UInt32Builder),
    U64(UInt64Builder),
    F64(Float64Builder),
    Text(StringBuilder),
}

impl Filling {
    fn new(ty: &DataType) -> Self {
        match ty {
            DataType::Boolean => Self::Bool(BooleanBuilder::new()),
            DataType::Int32 => Self::I32(Int32Builder::new()),
            DataType::Int64 => Self::I64(Int64Builder::new()),
            DataType::UInt32 => Self::U32(UInt32Builder::new()),
            DataType::UInt64 => Self::U64(UInt64Builder::new()),
            DataType::Float64 => Self::F64(Float64Builder::new()),
            _ => Self::Text(StringBuilder::new()),
        }
    }

    /// Appends a value. One of another type is left out; the batch then does not fit together and is refused.
    fn push(&mut self, cell: &Cell) {
        match (self, cell) {
            (Self::Bool(column), Cell::Bool(value)) => column.append_value(*value),
            (Self::I32(column), Cell::I32(value)) => column.append_option(*value),
            (Self::I64(column), Cell::I64(value)) => column.append_option(*value),
            (Self::U32(column), Cell::U32(value)) => column.append_value(*value),
            (Self::U64(column), Cell::U64(value)) => column.append_option(*value),
            (Self::F64(column), Cell::F64(value)) => column.append_option(*value),
            (Self::Text(column), Cell::Text(value)) => column.append_option(*value),
            _ => {}
        }
    }

    fn finish(&mut self) -> ArrayRef {
        let column: &mut dyn ArrayBuilder = match self {
            Self::Bool(column) => column,
            Self::I32(column) => column,
            Self::I64(column) => column,
            Self::U32(column) => column,
            Self::U64(column) => column,
            Self::F64(column) => column,
            Self::Text(column) => column,
        };
        column.finish()
    }
}

/// The rows of one table that are not written yet.
struct Table {
    id: SampleTableId,
    columns: Vec<Filling>,
    rows: usize,
    text: usize,
    /// Rows of the whole input.
    total: u64,
}

impl Table {
    fn new(id: SampleTableId) -> Self {
        let schema = id.schema();
        let columns = schema
            .fields()
            .iter()
            .map(|field| Filling::new(field.data_type()));
        Self {
            id,
            columns: columns.collect(),
            rows: 0,
            text: 0,
            total: 0,
        }
    }

    fn write(&mut self, sink: &mut dyn SampleSink) -> Result<(), DecodeError> {
        if self.rows > 0 {
            let columns = self.columns.iter_mut().map(Filling::finish).collect();
            let batch = RecordBatch::try_new(self.id.schema(), columns)
                .map_err(|error| DecodeError::Columns(error.to_string()))?;
            self.rows = 0;
            self.text = 0;
            for from in (0..batch.num_rows()).step_by(BATCH_ROWS) {
                let rows = BATCH_ROWS.min(batch.num_rows() - from);
                sink.write(self.id, &batch.slice(from, rows))?;
            }
        }
        Ok(())
    }
}

/// Identity of an instant without timestamps: the item that was sampled first.
#[derive(PartialEq)]
struct First {
    table: SampleTableId,
    key: String,
}

/// All tables of one input, and the stamp of the instant that is being read.
pub(crate) struct Rows {
    stamp: Stamp,
    tables: Vec<Table>,
    instants: u64,
    /// The instant has rows already.
    open: bool,
    first: Option<First>,
    /// True if timestamps do not distinguish instants.
    by_first: bool,
}

impl Rows {
    pub(crate) fn new() -> Self {
        Self {
            stamp: Stamp::default(),
            tables: SampleTableId::ALL.map(Table::new).into(),
            instants: 0,
            open: false,
            first: None,
            by_first: false,
        }
    }

    /// Each row has a stamp of its own, so the first thing coming again makes another instant.
    pub(crate) fn count_by_first(&mut self) {
        self.by_first = true;
    }

    /// Rows that are not written yet.
    pub(crate) fn waiting(&self) -> u64 {
        self.tables.iter().map(|table| table.rows as u64).sum()
    }

    pub(crate) fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Starts the instant of the following rows, a new one if the start time differs.
    pub(crate) fn at(&mut self, stamp: Stamp) {
        let begin = |stamp: Stamp| Stamp {
            end_mono_ns: None,
            ..stamp
        };
        if begin(stamp) != begin(self.stamp) {
            self.open = false;
        }
        self.stamp = stamp;
    }

    /// Sets another time of the same instant for the following rows.
    pub(crate) fn restamp(&mut self, stamp: Stamp) {
        self.stamp = stamp;
    }

    /// Starts another instant for the following rows.
    pub(crate) fn next_instant(&mut self, stamp: Stamp) {
        self.open = false;
        self.stamp = stamp;
    }

    /// A thing was sampled. Without stamps, the first thing coming again makes another instant.
    pub(crate) fn sampled(&mut self, table: SampleTableId, key: &str) {
        if self.by_first || self.stamp.is_empty() {
            let again = self
                .first
                .as_ref()
                .is_some_and(|first| first.table == table && first.key == key);
            if again {
                self.open = false;
            } else if self.first.is_none() {
                self.first = Some(First {
                    table,
                    key: key.to_owned(),
                });
            }
        }
        if !self.open {
            self.open = true;
            self.instants += 1;
        }
    }

    /// Appends a row at the instant that is being read.
    pub(crate) fn push(&mut self, table: SampleTableId, cells: &[Cell]) {
        let table = &mut self.tables[table as usize];
        let (stamps, own) = table.columns.split_at_mut(6);
        for (column, value) in stamps.iter_mut().zip(self.stamp.columns()) {
            column.push(&Cell::I64(value));
        }
        for (column, cell) in own.iter_mut().zip(cells) {
            column.push(cell);
            if let Cell::Text(Some(text)) = cell {
                table.text += text.len();
            }
        }
        table.rows += 1;
        table.total += 1;
    }

    /// Writes what makes a batch.
    pub(crate) fn write_full(&mut self, sink: &mut dyn SampleSink) -> Result<(), DecodeError> {
        for table in &mut self.tables {
            if table.rows >= BATCH_ROWS || table.text >= BATCH_TEXT {
                table.write(sink)?;
            }
        }
        Ok(())
    }

    /// Writes what is left.
    pub(crate) fn write_all(&mut self, sink: &mut dyn SampleSink) -> Result<(), DecodeError> {
        for table in &mut self.tables {
            table.write(sink)?;
        }
        Ok(())
    }

    pub(crate) fn instants(&self) -> u64 {
        self.instants
    }

    /// Tables that have rows, with their number.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (SampleTableId, u64)> + Clone {
        self.tables
            .iter()
            .filter(|table| table.total > 0)
            .map(|table| (table.id, table.total))
    }
}
