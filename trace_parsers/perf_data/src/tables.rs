//! Samples as rows: one table per tracepoint, one per other event.

use std::collections::HashMap;

use linux_perf_event_reader::constants as bits;
use numalens_columns::{DecodeError, EventCount, EventSink, TableId};
use numalens_event_format::{ArrayLength, Endian, EventFormat, FieldFormat, RowBuffer, Storage};

use crate::attrs::{Attr, Attrs};
use crate::sample::{Layout, WORDS};
use crate::switches;
use crate::tracing::Formats;

/// CPUs that a recording may have. A larger number in a sample is damage: the kernel's own limit is 8192.
pub(crate) const MAX_CPU: u32 = 1 << 16;
/// Bytes that may wait in all tables together; then all are written. Bounds memory with thousands of events.
const MAX_WAITING: usize = 64 << 20;
/// System of the events that are not tracepoints.
const PERF: &str = "perf";

/// One event's table on its way to the sink.
struct Table {
    rows: RowBuffer,
    id: Option<TableId>,
    count: u64,
    with_chain: bool,
}

/// One sample ready to become a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) ts_ns: u64,
    pub(crate) cpu: u32,
    pub(crate) seq: u64,
    pub(crate) record: &'a [u8],
    pub(crate) callchain: &'a [u8],
}

/// All tables, found by the number of the event's attribute.
#[derive(Default)]
pub(crate) struct Tables {
    open: Vec<Table>,
    by_attr: Vec<Option<u32>>,
    by_shape: HashMap<Shape, u32>,
    waiting: usize,
    /// Tracepoints whose format the file lacks.
    pub(crate) without_format: u64,
}

/// Common properties of attributes that share a table.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Shape {
    Tracepoint(u32),
    Other(String, u64),
    /// The kernel's own records of switches.
    Switch,
}

impl Tables {
    /// Appends a row to the table of the attribute at `index`.
    #[inline]
    pub(crate) fn push(
        &mut self,
        index: u32,
        attrs: &Attrs,
        formats: &Formats,
        endian: Endian,
        row: Row<'_>,
        sink: &mut dyn EventSink,
    ) -> Result<(), DecodeError> {
        let at = match self.by_attr.get(index as usize) {
            Some(&Some(at)) => at as usize,
            _ => self.find(index, attrs, formats, endian),
        };
        self.push_at(at, row, sink)
    }

    /// Appends a row to the table of the kernel's own records of switches.
    pub(crate) fn push_switch(
        &mut self,
        endian: Endian,
        row: Row<'_>,
        sink: &mut dyn EventSink,
    ) -> Result<(), DecodeError> {
        let at = match self.by_shape.get(&Shape::Switch) {
            Some(&at) => at as usize,
            None => self.add(
                Shape::Switch,
                RowBuffer::new("sched", &switches::format(), endian, 8),
                false,
            ),
        };
        self.push_at(at, row, sink)
    }

    /// Returns whether there is such a table.
    pub(crate) fn has_switches(&self) -> bool {
        self.by_shape.contains_key(&Shape::Switch)
    }

    #[inline]
    fn push_at(
        &mut self,
        at: usize,
        row: Row<'_>,
        sink: &mut dyn EventSink,
    ) -> Result<(), DecodeError> {
        let Some(table) = self.open.get_mut(at) else {
            return Ok(());
        };
        table.count += 1;
        let Row {
            ts_ns,
            cpu,
            seq,
            record,
            callchain,
        } = row;
        let full = if table.with_chain {
            table
                .rows
                .push_with_list(ts_ns, cpu, seq, 0, record, callchain)
        } else {
            table.rows.push(ts_ns, cpu, seq, 0, record)
        };
        self.waiting += record.len() + callchain.len() + 32;
        if full {
            table.flush(sink)?;
        }
        if self.waiting >= MAX_WAITING {
            self.flush(sink)?;
        }
        Ok(())
    }

    #[cold]
    fn find(&mut self, index: u32, attrs: &Attrs, formats: &Formats, endian: Endian) -> usize {
        let at = match attrs.get(index) {
            Some(attr) => self.of_shape(attr, attrs, formats, endian),
            None => 0,
        };
        let index = index as usize;
        if index >= self.by_attr.len() {
            self.by_attr.resize(index + 1, None);
        }
        self.by_attr[index] = Some(at as u32);
        at
    }

    fn of_shape(&mut self, attr: &Attr, attrs: &Attrs, formats: &Formats, endian: Endian) -> usize {
        let shape = match attr.tracepoint() {
            Some(id) => Shape::Tracepoint(id),
            None => Shape::Other(attr.name(), attr.layout.sample_type),
        };
        if let Some(&at) = self.by_shape.get(&shape) {
            return at as usize;
        }
        let (rows, with_chain) = match &shape {
            Shape::Tracepoint(id) => {
                self.without_format += u64::from(!formats.by_id.contains_key(id));
                let rows = tracepoint(*id, attr, formats, endian);
                (rows, attrs.has_chain(*id))
            }
            Shape::Other(name, _) => {
                let format = format_of(name, &attr.layout, endian);
                (RowBuffer::new(PERF, &format, endian, 8), attr.has_chain())
            }
            // They have no attribute.
            Shape::Switch => return 0,
        };
        let rows = if with_chain {
            rows.with_list("callchain", "u64 ips[nr]")
        } else {
            rows
        };
        self.add(shape, rows, with_chain)
    }

    fn add(&mut self, shape: Shape, rows: RowBuffer, with_chain: bool) -> usize {
        let at = self.open.len();
        self.open.push(Table {
            rows,
            id: None,
            count: 0,
            with_chain,
        });
        self.by_shape.insert(shape, at as u32);
        at
    }

    /// Writes all rows that wait.
    pub(crate) fn flush(&mut self, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        self.waiting = 0;
        self.open.iter_mut().try_for_each(|table| table.flush(sink))
    }

    /// Returns the count of each event, by number and name.
    pub(crate) fn counts(&self) -> Vec<EventCount> {
        let count = |table: &Table| {
            let spec = table.rows.spec();
            EventCount {
                system: spec.system.clone(),
                event: spec.event.clone(),
                id: spec.id,
                count: table.count,
            }
        };
        let mut counts: Vec<EventCount> = self.open.iter().map(count).collect();
        counts.sort_by(|a, b| (a.id, &a.event).cmp(&(b.id, &b.event)));
        counts
    }
}

impl Table {
    #[cold]
    fn flush(&mut self, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let id = match self.id {
            Some(id) => id,
            None => *self.id.insert(sink.open_table(self.rows.spec())?),
        };
        let batch = self.rows.take();
        let batch = batch.map_err(|error| DecodeError::Columns(error.to_string()))?;
        Ok(sink.write(id, &batch)?)
    }
}

/// A tracepoint's rows, laid out by its format; without a format the record is kept as bytes.
fn tracepoint(id: u32, attr: &Attr, formats: &Formats, endian: Endian) -> RowBuffer {
    let endian = formats.endian.unwrap_or(endian);
    if let Some((system, format)) = formats.by_id.get(&id) {
        return RowBuffer::new(system, format, endian, formats.long_size);
    }
    let name = attr.name.as_deref().unwrap_or_default();
    let (system, event) = match name.split_once(':') {
        Some((system, event)) => (system, event.to_owned()),
        None => ("unknown", format!("type_{id}")),
    };
    let mut raw = field("raw", "raw record", 0, 0, false);
    raw.array = ArrayLength::Open;
    "struct".clone_into(&mut raw.element);
    RowBuffer::new(system, &format(event, id, vec![raw]), endian, 8)
}

/// The columns of an event that is not a tracepoint. Parts of the front keep their offsets in the sample's body; the single
/// words after the parts of variable length follow right after the front.
fn format_of(name: &str, layout: &Layout, endian: Endian) -> EventFormat {
    let mut fields = Vec::new();
    let front = [
        (bits::PERF_SAMPLE_TID, 0, 4, "pid", "s32 pid"),
        (bits::PERF_SAMPLE_TID, 4, 4, "tid", "s32 tid"),
        (bits::PERF_SAMPLE_PERIOD, 0, 8, "period", "u64 period"),
        (bits::PERF_SAMPLE_IP, 0, 8, "ip", "u64 ip"),
        (bits::PERF_SAMPLE_ADDR, 0, 8, "addr", "u64 addr"),
    ];
    for (bit, within, size, name, declaration) in front {
        if let Some(at) = layout.front_offset(bit) {
            fields.push(field(name, declaration, at + within, size, size == 4));
        }
    }
    let mut at = layout.front;
    for (bit, name) in WORDS {
        if !layout.has(bit) {
            continue;
        }
        if bit & layout.sample_type == bits::PERF_SAMPLE_WEIGHT_STRUCT {
            fields.extend(weights(at, endian));
        } else {
            fields.push(field(name, &format!("u64 {name}"), at, 8, false));
        }
        at += 8;
    }
    format(name.to_owned(), 0, fields)
}

/// `union perf_sample_weight` (`include/uapi/linux/perf_event.h`, Linux 5.12): the latency and two more, whose meaning the machine
/// gives; perf calls the first of these `ins_lat`. The order of the three is that of a word's bytes.
fn weights(at: usize, endian: Endian) -> [FieldFormat; 3] {
    let places = if endian == Endian::Big {
        [4, 2, 0]
    } else {
        [0, 4, 6]
    };
    let parts = [(4, "u32 weight"), (2, "u16 ins_lat"), (2, "u16 weight3")];
    std::array::from_fn(|part| {
        let (size, declaration) = parts[part];
        let name = &declaration[4..];
        field(name, declaration, at + places[part], size, false)
    })
}

/// Returns whether an event that is not a tracepoint has words after the parts of variable length.
pub(crate) fn has_words_behind(layout: &Layout) -> bool {
    WORDS.iter().any(|(bit, _)| layout.has(*bit))
}

fn format(name: String, id: u32, fields: Vec<FieldFormat>) -> EventFormat {
    EventFormat {
        name,
        id,
        fields,
        print_fmt: String::new(),
    }
}

fn field(name: &str, declaration: &str, offset: usize, size: usize, signed: bool) -> FieldFormat {
    let element = declaration.split(' ').next().unwrap_or_default();
    FieldFormat {
        name: name.to_owned(),
        element: element.to_owned(),
        declaration: declaration.to_owned(),
        offset,
        size,
        signed,
        storage: Storage::Inline,
        array: ArrayLength::Scalar,
    }
}
