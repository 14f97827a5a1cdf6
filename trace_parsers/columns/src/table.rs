use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::{LostEvents, Skipped};

/// Name of the time column: u64, ns of the trace clock.
pub const TS_NS: &str = "ts_ns";
/// Name of the column of the CPU that recorded the event: u32.
pub const CPU: &str = "cpu";
/// Name of the rank column: u64, the event's place in the total order of its input.
pub const SEQ: &str = "seq";
/// Name of the buffer column: u8, index of the tracing instance that recorded the event (0 = top level).
pub const BUFFER: &str = "buffer";

/// The type of a column of event fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnType {
    /// Unsigned integer of 1, 2, 4 or 8 bytes.
    UInt(u8),
    /// Signed integer of 1, 2, 4 or 8 bytes.
    Int(u8),
    /// Text up to its NUL; bytes that are not UTF-8 are replaced.
    Text,
    /// Raw bytes.
    Bytes,
    /// Array of a fixed number of integers (`signed`, element bytes, number of elements).
    Array(bool, u8, u32),
    /// Array of integers whose length is the record's own (`signed`, element bytes).
    List(bool, u8),
}

impl ColumnType {
    /// The Arrow type.
    #[must_use]
    pub fn data_type(&self) -> DataType {
        match *self {
            Self::UInt(width) => integer(false, width),
            Self::Int(width) => integer(true, width),
            Self::Text => DataType::Utf8,
            Self::Bytes => DataType::Binary,
            Self::Array(signed, width, n) => DataType::FixedSizeList(item(signed, width), n as i32),
            Self::List(signed, width) => DataType::List(item(signed, width)),
        }
    }
}

fn item(signed: bool, width: u8) -> Arc<Field> {
    Arc::new(Field::new("item", integer(signed, width), false))
}

fn integer(signed: bool, width: u8) -> DataType {
    match (signed, width) {
        (false, 1) => DataType::UInt8,
        (false, 2) => DataType::UInt16,
        (false, 4) => DataType::UInt32,
        (false, _) => DataType::UInt64,
        (true, 1) => DataType::Int8,
        (true, 2) => DataType::Int16,
        (true, 4) => DataType::Int32,
        (true, _) => DataType::Int64,
    }
}

/// One field of an event type as a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Column name, see [`argument_name`].
    pub name: String,
    /// Column type.
    pub ty: ColumnType,
    /// The C declaration that the kernel gives.
    pub ctype: String,
}

/// The shape of one event type's table.
///
/// Columns: `ts_ns`, `cpu`, `seq`, `buffer`, then [`TableSpec::columns`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSpec {
    /// Event system (`sched`, `ftrace`, ...).
    pub system: String,
    /// Event name (`sched_switch`).
    pub event: String,
    /// The event's number in its file.
    pub id: u32,
    /// The kernel's print format.
    pub print_fmt: String,
    /// The event's fields in the kernel's order.
    pub columns: Vec<Column>,
}

impl TableSpec {
    /// The Arrow schema, with `system`, `event`, `id` and `print_fmt` as its metadata and `ctype` on each field.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        let mut fields = vec![
            Field::new(TS_NS, DataType::UInt64, false),
            Field::new(CPU, DataType::UInt32, false),
            Field::new(SEQ, DataType::UInt64, false),
            Field::new(BUFFER, DataType::UInt8, false),
        ];
        for column in &self.columns {
            let metadata = HashMap::from([("ctype".to_owned(), column.ctype.clone())]);
            fields.push(
                Field::new(&column.name, column.ty.data_type(), false).with_metadata(metadata),
            );
        }
        let metadata = HashMap::from([
            ("system".to_owned(), self.system.clone()),
            ("event".to_owned(), self.event.clone()),
            ("id".to_owned(), self.id.to_string()),
            ("print_fmt".to_owned(), self.print_fmt.clone()),
        ]);
        Arc::new(Schema::new_with_metadata(fields, metadata))
    }
}

/// The column name of an event's own field.
///
/// It is the kernel's name, except for the four names that every table has already (`ts_ns`, `cpu`, `seq`, `buffer`):
/// `ipi_send_cpu` has a field `cpu`, for instance, which becomes `arg_cpu`. `taken` are the names given so far; a
/// name that appears twice in one format gets its position appended.
#[must_use]
pub fn argument_name(name: &str, taken: &[Column]) -> String {
    let base = match name {
        TS_NS | CPU | SEQ | BUFFER => format!("arg_{name}"),
        _ => name.to_owned(),
    };
    if taken.iter().any(|column| column.name == base) {
        format!("{base}_{}", taken.len())
    } else {
        base
    }
}

/// Handle of an open table, given by the sink.
pub type TableId = usize;

/// The sink could not take a batch (disk full, limit reached). The text is one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SinkError(pub String);

/// Receiver of a reader's tables.
///
/// Batches of one table arrive in the order of their `seq`; tables are opened when their first event is seen.
pub trait EventSink {
    /// Opens a table and returns its handle.
    ///
    /// # Errors
    /// The sink cannot take more tables.
    fn open_table(&mut self, spec: &TableSpec) -> Result<TableId, SinkError>;

    /// Appends rows.
    ///
    /// # Errors
    /// The sink cannot take more rows.
    fn write(&mut self, table: TableId, batch: &RecordBatch) -> Result<(), SinkError>;

    /// Notes lost events, in the order of their `seq`.
    ///
    /// # Errors
    /// The sink cannot take more marks.
    fn lost(&mut self, lost: LostEvents) -> Result<(), SinkError>;

    /// Notes a part of a damaged input that was left out; only a tolerant reading calls it. The default forgets it.
    ///
    /// # Errors
    /// The sink cannot take more.
    fn skipped(&mut self, _skipped: Skipped) -> Result<(), SinkError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_fields_never_hide_the_four_common_columns() {
        let taken = [Column {
            name: "arg_cpu".to_owned(),
            ty: ColumnType::UInt(4),
            ctype: String::new(),
        }];
        assert_eq!(argument_name("cpu", &[]), "arg_cpu");
        assert_eq!(argument_name("cpu", &taken), "arg_cpu_1");
        assert_eq!(argument_name("prev_pid", &taken), "prev_pid");
    }

    #[test]
    fn schema_starts_with_time_and_cpu() {
        let spec = TableSpec {
            system: "sched".to_owned(),
            event: "sched_switch".to_owned(),
            id: 7,
            print_fmt: String::new(),
            columns: vec![Column {
                name: "prev_pid".to_owned(),
                ty: ColumnType::Int(4),
                ctype: "pid_t prev_pid".to_owned(),
            }],
        };
        let schema = spec.schema();
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        assert_eq!(names, ["ts_ns", "cpu", "seq", "buffer", "prev_pid"]);
        assert_eq!(schema.metadata()["event"], "sched_switch");
        assert_eq!(schema.field(4).data_type(), &DataType::Int32);
    }
}
