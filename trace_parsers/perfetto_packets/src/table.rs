//! One event type's columns as messages.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt32Type, UInt64Type};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{DataType, Schema};

use crate::cells::{Cell, Cells};
use crate::messages;
use crate::page::{MOST, Page, Tag};
use crate::wire::{bytes, nested, number};

const GENERIC_DESCRIPTORS: u32 = 11;
/// Numbers from here on are free for described events.
const FIRST_GENERIC: u32 = 65536;
/// `FieldDescriptorProto.Type`
const TYPE_INT64: u64 = 3;
const TYPE_UINT64: u64 = 4;
const TYPE_STRING: u64 = 9;
const OPTIONAL: u64 = 1;
/// An event in its bundle, its time and its thread.
pub(crate) const EVENT: Tag = Tag::length(2);
pub(crate) const TIME: Tag = Tag::number(1);
pub(crate) const THREAD: Tag = Tag::number(2);
/// Most bytes of what each event has.
pub(crate) const MOST_HEAD: usize = 8 * MOST;
/// Columns that are not an event's own fields; the process tree has the processes.
const NOT_OWN: [&str; 9] = [
    "ts_ns",
    "cpu",
    "seq",
    "buffer",
    "common_flags",
    "common_preempt_count",
    "common_pid",
    "common_tgid",
    "common_type",
];
/// Perfetto's messages have no place for the callchain of a sample.
const NOT_IN_MESSAGES: &str = "callchain";
/// Prefix of a column when the event's field has the name of a column that each table has.
const ARGUMENT: &str = "arg_";

/// Reason for which a table is not an event table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit(pub &'static str);

/// A column and the field that it becomes.
#[derive(Debug, Clone)]
struct Field {
    column: usize,
    number: u32,
    name: String,
    ty: DataType,
}

/// Writer for the rows of one event type.
#[derive(Debug, Clone)]
pub struct Table {
    system: String,
    event: String,
    /// The message's field in `FtraceEvent`.
    field: u32,
    /// Described in the trace, since Perfetto has no message for it.
    described: bool,
    fields: Vec<Field>,
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
                .all(|(_, name, ty)| name == NOT_IN_MESSAGES || message.number(name, ty).is_some())
        });
        let fields = (1..)
            .zip(own)
            .filter_map(|(place, (column, name, ty))| {
                let number = match message {
                    Some(message) => message.number(&name, &ty)?,
                    None => place,
                };
                Some(Field {
                    column,
                    number,
                    name,
                    ty,
                })
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

    /// Description of the fields of an event; `None` if Perfetto knows it.
    pub(crate) fn description(&self) -> Option<Vec<u8>> {
        if !self.described {
            return None;
        }
        let mut out = Vec::new();
        nested(&mut out, GENERIC_DESCRIPTORS, |out| {
            number(out, 1, u64::from(self.field));
            let mut proto = Vec::new();
            bytes(&mut proto, 1, self.event.as_bytes());
            for field in &self.fields {
                nested(&mut proto, 2, |out| {
                    bytes(out, 1, field.name.as_bytes());
                    number(out, 3, u64::from(field.number));
                    number(out, 4, OPTIONAL);
                    number(out, 5, type_of(&field.ty));
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
        let mut cells = Cells::new(batch.num_rows());
        let fields: Vec<(Tag, Cell)> = self
            .fields
            .iter()
            .map(|field| match cells.push(batch.column(field.column)) {
                cell @ Cell::Number(_) => (Tag::number(field.number), cell),
                cell @ Cell::Text(_) => (Tag::length(field.number), cell),
            })
            .collect();
        let texts: usize = cells.texts.iter().map(|texts| texts.longest).sum();
        Ok(Rows {
            tag: Tag::length(self.field),
            ts: ts.values().clone(),
            cpu: cpu.values().clone(),
            pid: self
                .pid
                .and_then(|at| batch.column(at).as_primitive_opt::<Int32Type>())
                .map(|column| column.values().clone()),
            most: MOST_HEAD + 2 * MOST * fields.len() + texts,
            fields,
            cells,
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
    tag: Tag,
    ts: ScalarBuffer<u64>,
    cpu: ScalarBuffer<u32>,
    pid: Option<ScalarBuffer<i32>>,
    fields: Vec<(Tag, Cell)>,
    cells: Cells,
    /// Bytes of the longest event, at most.
    most: usize,
}

impl Rows {
    #[inline]
    pub(crate) fn cpu(&self, row: usize) -> u32 {
        self.cpu[row]
    }

    /// Writes an event.
    #[inline]
    pub(crate) fn write(&mut self, row: usize, page: &mut Page) {
        let ts = self.ts[row];
        let pid = self.pid.as_ref().map_or(0, |pids| pids[row]);
        // The numbers lie in a block that is filled again from time to time; the texts where they are.
        self.cells.load(row);
        let cells = &self.cells;
        let numbers = cells.numbers(row);
        page.write(self.most, |pen| {
            let event = pen.begin(EVENT);
            pen.number(TIME, ts);
            pen.number(THREAD, u64::from(pid as u32));
            let own = pen.begin(self.tag);
            for &(tag, cell) in &self.fields {
                match cell {
                    Cell::Number(at) => pen.number(tag, numbers[at]),
                    Cell::Text(at) => pen.bytes(tag, cells.texts[at].text(row)),
                }
            }
            pen.end(own);
            pen.end(event);
        });
    }
}
