//! One event type's columns as messages.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, StringArray};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{DataType, Schema};

use crate::messages;
use crate::wire::{bytes, nested, number};

const GENERIC_DESCRIPTORS: u32 = 11;
/// Numbers from here on are free for described events.
const FIRST_GENERIC: u32 = 65536;
/// `FieldDescriptorProto.Type`
const TYPE_INT64: u64 = 3;
const TYPE_UINT64: u64 = 4;
const TYPE_STRING: u64 = 9;
const OPTIONAL: u64 = 1;
/// Columns that are not an event's own fields.
const NOT_OWN: [&str; 8] = [
    "ts_ns",
    "cpu",
    "seq",
    "buffer",
    "common_flags",
    "common_preempt_count",
    "common_pid",
    "common_type",
];
/// What a column is called when the event's field has the name of a column that each table has.
const ARGUMENT: &str = "arg_";

/// Why a table is no event table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit(pub &'static str);

/// How the rows of one event type are written.
#[derive(Debug, Clone)]
pub struct Table {
    system: String,
    event: String,
    /// The message's field in `FtraceEvent`.
    field: u32,
    /// Described in the trace, since Perfetto has no message for it.
    described: bool,
    /// Column, number and name of each field.
    fields: Vec<(usize, u32, String, DataType)>,
    pid: Option<usize>,
}

impl Table {
    /// The event `system:event` with the columns of `schema`; `place` is another one for each table of a trace.
    #[must_use]
    pub fn new(system: &str, event: &str, schema: &Schema, place: u32) -> Self {
        let own: Vec<(usize, String, DataType)> = schema
            .fields()
            .iter()
            .enumerate()
            .filter(|(_, field)| !NOT_OWN.contains(&field.name().as_str()))
            .map(|(column, field)| (column, named(field.name()), field.data_type().clone()))
            .collect();
        let message = messages::find(event).filter(|message| {
            own.iter()
                .all(|(_, name, _)| message.fields.contains(&name.as_str()))
        });
        let number = |at: usize, name: &str| match message {
            Some(message) => message.fields.iter().position(|known| *known == name),
            None => Some(at),
        };
        let fields = own
            .into_iter()
            .enumerate()
            .filter_map(|(at, (column, name, ty))| {
                Some((column, number(at, &name)? as u32 + 1, name, ty))
            })
            .collect();
        Self {
            system: system.to_owned(),
            event: event.to_owned(),
            field: message.map_or(FIRST_GENERIC + place, |message| message.field),
            described: message.is_none(),
            fields,
            pid: ["common_pid", "prev_pid"]
                .iter()
                .find_map(|name| schema.index_of(name).ok()),
        }
    }

    /// What says how a described event's fields are called; `None` where Perfetto knows.
    pub(crate) fn description(&self) -> Option<Vec<u8>> {
        if !self.described {
            return None;
        }
        let mut out = Vec::new();
        nested(&mut out, GENERIC_DESCRIPTORS, |out| {
            number(out, 1, u64::from(self.field));
            let mut proto = Vec::new();
            bytes(&mut proto, 1, self.event.as_bytes());
            for (_, place, name, ty) in &self.fields {
                nested(&mut proto, 2, |out| {
                    bytes(out, 1, name.as_bytes());
                    number(out, 3, u64::from(*place));
                    number(out, 4, OPTIONAL);
                    number(out, 5, type_of(ty));
                });
            }
            bytes(out, 2, &proto);
            bytes(out, 3, self.system.as_bytes());
        });
        Some(out)
    }

    /// A batch of such rows.
    ///
    /// # Errors
    ///
    /// `Unfit` where a column that every event table has is missing or of another type.
    pub fn rows(&self, batch: &RecordBatch) -> Result<Rows, Unfit> {
        let ts = batch.column_by_name("ts_ns");
        let ts = ts.and_then(|column| column.as_primitive_opt::<UInt64Type>());
        let cpu = batch.column_by_name("cpu");
        let cpu = cpu.and_then(|column| column.as_primitive_opt::<UInt32Type>());
        let (Some(ts), Some(cpu)) = (ts, cpu) else {
            return Err(Unfit("an event table has no times or no CPUs"));
        };
        let cells = self
            .fields
            .iter()
            .map(|(column, field, ..)| (*field, Cells::of(batch.column(*column))));
        Ok(Rows {
            field: self.field,
            ts: ts.values().clone(),
            cpu: cpu.values().clone(),
            pid: self
                .pid
                .and_then(|at| batch.column(at).as_primitive_opt::<Int32Type>())
                .map(|column| column.values().clone()),
            cells: cells.collect(),
        })
    }
}

/// The kernel's name of a column.
fn named(column: &str) -> String {
    let plain = column.strip_prefix(ARGUMENT);
    plain
        .filter(|plain| NOT_OWN[..4].contains(plain))
        .unwrap_or(column)
        .to_owned()
}

fn type_of(ty: &DataType) -> u64 {
    match ty {
        ty if ty.is_unsigned_integer() => TYPE_UINT64,
        ty if ty.is_signed_integer() => TYPE_INT64,
        _ => TYPE_STRING,
    }
}

/// A batch whose rows can be written.
#[derive(Debug)]
pub struct Rows {
    field: u32,
    ts: ScalarBuffer<u64>,
    cpu: ScalarBuffer<u32>,
    pid: Option<ScalarBuffer<i32>>,
    cells: Vec<(u32, Cells)>,
}

impl Rows {
    pub(crate) fn cpu(&self, row: usize) -> u32 {
        self.cpu[row]
    }

    /// The content of an `FtraceEvent`.
    pub(crate) fn write(&self, row: usize, out: &mut Vec<u8>) {
        number(out, 1, self.ts[row]);
        let pid = self.pid.as_ref().map_or(0, |pids| pids[row]);
        number(out, 2, u64::from(pid as u32));
        nested(out, self.field, |out| {
            for (field, cells) in &self.cells {
                cells.write(*field, row, out);
            }
        });
    }
}

/// A column's values.
#[derive(Debug)]
enum Cells {
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
    Text(StringArray),
    Bytes(BinaryArray),
    /// An array in each row, or a type that no event has today.
    Other(ArrayRef),
}

impl Cells {
    fn of(column: &ArrayRef) -> Self {
        match column.data_type() {
            DataType::Int8 => Self::I8(column.as_primitive::<Int8Type>().values().clone()),
            DataType::Int16 => Self::I16(column.as_primitive::<Int16Type>().values().clone()),
            DataType::Int32 => Self::I32(column.as_primitive::<Int32Type>().values().clone()),
            DataType::Int64 => Self::I64(column.as_primitive::<Int64Type>().values().clone()),
            DataType::UInt8 => Self::U8(column.as_primitive::<UInt8Type>().values().clone()),
            DataType::UInt16 => Self::U16(column.as_primitive::<UInt16Type>().values().clone()),
            DataType::UInt32 => Self::U32(column.as_primitive::<UInt32Type>().values().clone()),
            DataType::UInt64 => Self::U64(column.as_primitive::<UInt64Type>().values().clone()),
            DataType::Utf8 => Self::Text(column.as_string().clone()),
            DataType::Binary => Self::Bytes(column.as_binary().clone()),
            _ => Self::Other(Arc::clone(column)),
        }
    }

    fn write(&self, field: u32, row: usize, out: &mut Vec<u8>) {
        match self {
            Self::I8(values) => number(out, field, i64::from(values[row]) as u64),
            Self::I16(values) => number(out, field, i64::from(values[row]) as u64),
            Self::I32(values) => number(out, field, i64::from(values[row]) as u64),
            Self::I64(values) => number(out, field, values[row] as u64),
            Self::U8(values) => number(out, field, u64::from(values[row])),
            Self::U16(values) => number(out, field, u64::from(values[row])),
            Self::U32(values) => number(out, field, u64::from(values[row])),
            Self::U64(values) => number(out, field, values[row]),
            Self::Text(values) => bytes(out, field, values.value(row).as_bytes()),
            Self::Bytes(values) => bytes(out, field, hex(values.value(row)).as_bytes()),
            Self::Other(values) => bytes(out, field, listed(values, row).as_bytes()),
        }
    }
}

fn hex(value: &[u8]) -> String {
    value.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The numbers of an array, as `1,2,3`.
fn listed(column: &ArrayRef, row: usize) -> String {
    let items = if let Some(lists) = column.as_list_opt::<i32>() {
        lists.value(row)
    } else if let Some(lists) = column.as_fixed_size_list_opt() {
        lists.value(row)
    } else {
        return String::new();
    };
    let cells = Cells::of(&items);
    let texts = (0..items.len()).map(|at| match &cells {
        Cells::I8(values) => values[at].to_string(),
        Cells::I16(values) => values[at].to_string(),
        Cells::I32(values) => values[at].to_string(),
        Cells::I64(values) => values[at].to_string(),
        Cells::U8(values) => values[at].to_string(),
        Cells::U16(values) => values[at].to_string(),
        Cells::U32(values) => values[at].to_string(),
        Cells::U64(values) => values[at].to_string(),
        _ => String::new(),
    });
    texts.collect::<Vec<_>>().join(",")
}
