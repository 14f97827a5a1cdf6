//! Event tables of a copy: their names, and the change to each column.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Int8Array, Int16Array,
    Int32Array, Int64Array, ListArray, RecordBatch, Scalar, StringArray, UInt8Array, UInt16Array,
    UInt32Array, UInt64Array, new_empty_array, new_null_array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::zip::zip;
use numalens_events::probed;

use super::kernel::{EventFields, Kernel};
use super::names::{Kind, Names, each};
use super::rows::threads;
use crate::error::Error;
use crate::ingest::sink::Written;

/// Columns that readers add to every event, whatever it is.
const ADDED: [&str; 13] = [
    "ts_ns",
    "cpu",
    "seq",
    "buffer",
    "common_type",
    "common_flags",
    "common_preempt_count",
    "common_preempt_lazy_count",
    "common_pid",
    "common_tgid",
    CALLCHAIN,
    "callchain_symbols",
    "caller",
];
/// Column of the addresses of a stack.
pub(super) const CALLCHAIN: &str = "callchain";
/// System of perf's own events.
const PERF: &str = "perf";
/// Fields of perf's own events.
const PERF_FIELDS: &str = "*";
/// System of events that are not the kernel's own.
const OTHERS: &str = "events";
/// System of probes of the kernel's functions; users choose it.
const PROBES: &str = "probes";
/// Fields that every probe has: it is known by them.
const PROBE_FIELDS: [&str; 3] = ["__probe_ip", "__probe_func", "__probe_ret_ip"];
/// Fields of strings that the kernel fills with its own words.
const OWN_STRINGS: [&str; 3] = ["rwbs", "action", "line"];
/// Addresses of code and data of the running thread.
const ADDRESSES: [&str; 3] = ["ip", "addr", "phys_addr"];

/// Change to the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// Kept unchanged.
    Nothing,
    /// Names of tasks; with the column of their numbers, where there is one.
    Tasks(Option<&'static str>),
    /// Paths of cgroups.
    Groups,
    /// Lines that were written into the trace.
    Lines,
    /// Texts of the kernel.
    Words,
    /// Stacks in perf's form.
    Stacks,
    /// Texts that may contain any names.
    Texts,
    /// Bytes and lists of bytes, which may be a text.
    Empty,
}

/// A column.
struct Column {
    change: Change,
    /// True if it describes the running thread, not another one in the event.
    of_current: bool,
}

/// An event table under its new names.
pub(super) struct Table {
    pub(super) system: String,
    pub(super) event: String,
    pub(super) print_fmt: String,
    pub(super) schema: SchemaRef,
    columns: Vec<Column>,
    /// Column of the running thread's number.
    current: Option<&'static str>,
}

impl Table {
    /// Names of a table and its columns in the copy.
    pub(super) fn new(names: &mut Names, table: &Written, schema: &Schema) -> Self {
        let of_probe = |field: &Arc<Field>| PROBE_FIELDS.contains(&field.name().as_str());
        let probe = schema.fields().iter().any(of_probe);
        let origin = Origin::of(&table.system, &table.event, probe);
        let (system, event) = if names.pseudonyms() {
            origin.rename(names, &table.system, &table.event)
        } else {
            (table.system.clone(), table.event.clone())
        };
        let print_fmt = names.words(&table.print_fmt);
        let mut fields = Vec::with_capacity(schema.fields().len());
        let mut columns = Vec::with_capacity(schema.fields().len());
        for field in schema.fields() {
            let known = origin.field(field.name());
            let name = if known.is_some() || !names.pseudonyms() {
                field.name().clone()
            } else {
                names.number(Kind::Field, field.name())
            };
            let ctype = field.metadata().get("ctype");
            let ctype = ctype.map(|ctype| ("ctype".to_owned(), names.words(ctype)));
            let new = field.as_ref().clone().with_name(name);
            fields.push(new.with_metadata(HashMap::<String, String>::from_iter(ctype)));
            columns.push(Column {
                change: change(field, &origin, known, names.pseudonyms()),
                of_current: of_current(field),
            });
        }
        let mut metadata: HashMap<String, String> = HashMap::from([
            ("system".to_owned(), system.clone()),
            ("event".to_owned(), event.clone()),
            ("print_fmt".to_owned(), print_fmt.clone()),
        ]);
        let id = schema.metadata().get("id");
        metadata.extend(id.map(|id| ("id".to_owned(), names.words(id))));
        let current = ["common_pid", "tid", "prev_pid"];
        let current = current
            .into_iter()
            .find(|name| schema.column_with_name(name).is_some());
        Self {
            system,
            event,
            print_fmt,
            schema: Arc::new(Schema::new_with_metadata(fields, metadata)),
            columns,
            current,
        }
    }

    /// Rows of the table under their new names.
    pub(super) fn rows(
        &self,
        names: &mut Names,
        batch: &RecordBatch,
    ) -> Result<RecordBatch, Error> {
        let current = self.current.and_then(|name| threads(batch, name));
        let strangers = names.strangers(current.as_ref(), batch.num_rows());
        let mut columns = Vec::with_capacity(batch.num_columns());
        for (column, array) in self.columns.iter().zip(batch.columns()) {
            let mut array = column.change.of(names, batch, array)?;
            if let Some(strangers) = strangers.as_ref().filter(|_| column.of_current) {
                array = blank(&array, strangers)?;
            }
            columns.push(array);
        }
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}

/// Origin of an event.
enum Origin {
    /// The kernel or perf, with the fields that they name.
    Known(&'static EventFields),
    /// A probe of a function of the kernel.
    Probe,
    /// A user.
    Other,
}

impl Origin {
    fn of(system: &str, event: &str, probe: bool) -> Self {
        let kernel = Kernel::get();
        if probe {
            return if kernel.knows(probed(event).0) {
                Self::Probe
            } else {
                Self::Other
            };
        }
        let known = if system == PERF {
            kernel
                .event(PERF, PERF_FIELDS)
                .filter(|_| kernel.says(event))
        } else {
            kernel.event(system, event)
        };
        known.map_or(Self::Other, Self::Known)
    }

    fn rename(&self, names: &mut Names, system: &str, event: &str) -> (String, String) {
        match self {
            Self::Known(_) => (system.to_owned(), event.to_owned()),
            Self::Probe => (PROBES.to_owned(), event.to_owned()),
            // Perf's samples stay samples.
            Self::Other if system == PERF => (PERF.to_owned(), names.number(Kind::Event, event)),
            Self::Other => {
                let event = names.number(Kind::Event, &format!("{system}:{event}"));
                (OTHERS.to_owned(), event)
            }
        }
    }

    /// Returns whether a field of the event's origin is a string; `None` for other fields.
    fn field(&self, name: &str) -> Option<bool> {
        if ADDED.contains(&name) {
            return Some(false);
        }
        let kernel = Kernel::get();
        match self {
            Self::Known(fields) => {
                let plain = name.strip_prefix("arg_").unwrap_or(name);
                let fields = fields.get(name).or_else(|| fields.get(plain));
                // What a text says of an event in more words than its fields.
                fields.copied().or((name == "text").then_some(true))
            }
            Self::Probe => (PROBE_FIELDS.contains(&name) || kernel.knows(name)).then_some(true),
            Self::Other => (name == "text").then_some(true),
        }
    }
}

/// Change to a column, with pseudonyms or without.
fn change(field: &Field, origin: &Origin, string: Option<bool>, pseudonyms: bool) -> Change {
    let name = field.name().as_str();
    match field.data_type() {
        DataType::Utf8 => {
            let task = name == "comm" || name.ends_with("_comm");
            if task {
                Change::Tasks(number_of(name))
            } else if !pseudonyms {
                Change::Nothing
            } else if matches!(name, "callchain_symbols" | "caller") {
                Change::Stacks
            } else if matches!(name, "cgroup" | "path" | "dst_path") {
                Change::Groups
            } else if matches!(name, "buf" | "str" | "fmt") {
                Change::Lines
            } else if name == "text"
                && matches!(origin, Origin::Known(fields) if fields.contains_key("ip"))
            {
                Change::Stacks
            } else if matches!(origin, Origin::Known(_))
                && (string == Some(false) || OWN_STRINGS.contains(&name))
            {
                Change::Words
            } else {
                Change::Texts
            }
        }
        DataType::Binary if pseudonyms => Change::Empty,
        DataType::List(item) | DataType::FixedSizeList(item, _) if pseudonyms => {
            let bytes = matches!(item.data_type(), DataType::Int8 | DataType::UInt8);
            if bytes || !matches!(origin, Origin::Known(_)) && !ADDED.contains(&name) {
                Change::Empty
            } else {
                Change::Nothing
            }
        }
        _ => Change::Nothing,
    }
}

/// The column of the numbers of the tasks that a column names.
fn number_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "comm" => "pid",
        "prev_comm" => "prev_pid",
        "next_comm" => "next_pid",
        "parent_comm" => "parent_pid",
        "child_comm" => "child_pid",
        _ => return None,
    })
}

/// Returns whether a column describes the running thread.
fn of_current(field: &Field) -> bool {
    let name = field.name().as_str();
    match field.data_type() {
        DataType::Utf8 => {
            !(number_of(name).is_some()
                || matches!(name, "prev_state" | "cgroup" | "path" | "dst_path"))
        }
        DataType::Binary | DataType::List(_) | DataType::FixedSizeList(..) => true,
        _ => ADDRESSES.contains(&name),
    }
}

impl Change {
    fn of(
        self,
        names: &mut Names,
        batch: &RecordBatch,
        array: &ArrayRef,
    ) -> Result<ArrayRef, Error> {
        let texts = array.as_string_opt::<i32>();
        Ok(match (self, texts) {
            (Self::Tasks(number), Some(texts)) => {
                let pids = number.and_then(|number| threads(batch, number));
                names.tasks(texts, pids.as_ref())
            }
            (Self::Groups, Some(texts)) => each(texts, |text| names.group(text)),
            (Self::Lines, Some(texts)) => each(texts, |text| names.line(text)),
            (Self::Words, Some(texts)) => each(texts, |text| names.words(text)),
            (Self::Stacks, Some(texts)) => each(texts, |text| names.stack(text)),
            (Self::Texts, Some(texts)) => each(texts, |text| names.text(text)),
            (Self::Empty, _) => blank(array, &BooleanArray::from(vec![true; array.len()]))?,
            _ => Arc::clone(array),
        })
    }
}

/// A column without the values of some rows: they become 0, an empty text or an empty list.
fn blank(array: &ArrayRef, rows: &BooleanArray) -> Result<ArrayRef, Error> {
    let nothing = Scalar::new(nothing(array.data_type()));
    Ok(zip(rows, &nothing, array)?)
}

/// Rows with empty call chains.
pub(super) fn without_chains(batch: &RecordBatch) -> Result<RecordBatch, Error> {
    let schema = batch.schema();
    let all = BooleanArray::from(vec![true; batch.num_rows()]);
    let columns = schema.fields().iter().zip(batch.columns());
    let columns = columns.map(|(field, array)| match field.name().as_str() {
        CALLCHAIN => blank(array, &all),
        _ => Ok(Arc::clone(array)),
    });
    let columns = columns.collect::<Result<_, Error>>()?;
    Ok(RecordBatch::try_new(schema, columns)?)
}

/// An array of one value that says nothing.
fn nothing(data_type: &DataType) -> ArrayRef {
    match data_type {
        DataType::Utf8 => Arc::new(StringArray::from(vec![""])),
        DataType::Binary => Arc::new(BinaryArray::from(vec![&b""[..]])),
        DataType::List(item) => {
            let values = new_empty_array(item.data_type());
            let ends = OffsetBuffer::from_lengths([0]);
            Arc::new(ListArray::new(Arc::clone(item), ends, values, None))
        }
        DataType::FixedSizeList(item, length) => {
            let values = zeros(item.data_type(), *length as usize);
            Arc::new(FixedSizeListArray::new(
                Arc::clone(item),
                *length,
                values,
                None,
            ))
        }
        number => zeros(number, 1),
    }
}

/// Zeros of a type of integers.
fn zeros(data_type: &DataType, count: usize) -> ArrayRef {
    macro_rules! zeros {
        ($($type:ident => $array:ident),*) => {
            match data_type {
                $(DataType::$type => Arc::new($array::from_value(0, count)),)*
                _ => new_null_array(data_type, count),
            }
        };
    }
    zeros!(
        Int8 => Int8Array, Int16 => Int16Array, Int32 => Int32Array, Int64 => Int64Array,
        UInt8 => UInt8Array, UInt16 => UInt16Array, UInt32 => UInt32Array, UInt64 => UInt64Array
    )
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};
    use std::sync::Arc;

    use arrow_array::builder::{ListBuilder, UInt64Builder};
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int32Type, UInt64Type};
    use arrow_array::{
        Array, ArrayRef, BinaryArray, FixedSizeListArray, Int32Array, RecordBatch, StringArray,
        UInt64Array,
    };
    use arrow_schema::{DataType, Field, Schema};

    use super::super::Cut;
    use super::super::names::Names;
    use super::Table;
    use crate::ingest::sink::Written;

    fn text(text: &str) -> ArrayRef {
        Arc::new(StringArray::from(vec![text]))
    }

    fn number(number: i32) -> ArrayRef {
        Arc::new(Int32Array::from(vec![number]))
    }

    fn chain(addresses: &[u64]) -> ArrayRef {
        let item = Field::new("item", DataType::UInt64, false);
        let mut lists = ListBuilder::new(UInt64Builder::new()).with_field(item);
        lists.values().append_slice(addresses);
        lists.append(true);
        Arc::new(lists.finish())
    }

    /// The names of a copy of an event of one row, and the row.
    fn copy(
        cut: &Cut,
        (system, event): (&str, &str),
        columns: Vec<(&str, ArrayRef)>,
    ) -> (Table, RecordBatch) {
        let mut all = vec![("ts_ns", Arc::new(UInt64Array::from(vec![5])) as ArrayRef)];
        all.extend(columns);
        let fields = all.iter().map(|(name, array)| {
            let ctype = HashMap::from([("ctype".to_owned(), "struct acme * x".to_owned())]);
            Field::new(*name, array.data_type().clone(), false).with_metadata(ctype)
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let arrays = all.into_iter().map(|(_, array)| array).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).unwrap();
        let written = Written {
            system: system.to_owned(),
            event: event.to_owned(),
            print_fmt: "\"acme=%d\", REC->acme".to_owned(),
            file: String::new(),
            rows: 1,
            by_buffer: Vec::new(),
        };
        let mut names = Names::new(cut);
        let table = Table::new(&mut names, &written, &schema);
        let rows = table.rows(&mut names, &batch).unwrap();
        (table, rows)
    }

    fn pseudonyms() -> Cut {
        Cut {
            pseudonyms: true,
            ..Cut::default()
        }
    }

    fn value<'a>(batch: &'a RecordBatch, name: &str) -> &'a str {
        batch[name].as_string::<i32>().value(0)
    }

    #[test]
    fn an_event_of_the_kernel_keeps_its_name_and_fields() {
        let columns = vec![
            ("comm", text("postgres")),
            ("pid", number(7)),
            ("dst_path", text("/acme.slice/db")),
            ("acme", text("plan")),
        ];
        let (table, rows) = copy(&pseudonyms(), ("cgroup", "cgroup_attach_task"), columns);
        assert_eq!(
            (table.system.as_str(), table.event.as_str()),
            ("cgroup", "cgroup_attach_task")
        );
        assert_eq!(value(&rows, "comm"), "task-1");
        assert_eq!(rows["pid"].as_primitive::<Int32Type>().value(0), 7);
        assert_eq!(value(&rows, "dst_path"), "/group-1/group-2");
        assert_eq!(value(&rows, "field-1"), "text-1");
    }

    #[test]
    fn nothing_but_numbers_is_left_of_an_event_of_a_user() {
        let bytes = Arc::new(Field::new("item", DataType::UInt8, false));
        let bytes = FixedSizeListArray::new(
            bytes,
            4,
            Arc::new(arrow_array::UInt8Array::from(b"acme".to_vec())),
            None,
        );
        let columns = vec![
            ("acme_count", number(7)),
            ("name", text("acme")),
            ("function", text("schedule")),
            ("bytes", Arc::new(bytes) as ArrayRef),
            (
                "raw",
                Arc::new(BinaryArray::from_vec(vec![b"acme"])) as ArrayRef,
            ),
            ("words", chain(&[0x656d_6361])),
        ];
        let (table, rows) = copy(&pseudonyms(), ("acme", "acme_begin"), columns);
        assert_eq!(
            (table.system.as_str(), table.event.as_str()),
            ("events", "event-1")
        );
        let schema = rows.schema();
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        assert_eq!(
            names,
            [
                "ts_ns", "field-1", "field-2", "field-3", "field-4", "field-5", "field-6"
            ]
        );
        assert_eq!(rows["field-1"].as_primitive::<Int32Type>().value(0), 7);
        assert_eq!(value(&rows, "field-3"), "text-2");
        assert!(!format!("{rows:?} {schema:?}").contains("acme"));
        let array = rows["field-4"].as_fixed_size_list().value(0);
        assert_eq!(
            array
                .as_primitive::<arrow_array::types::UInt8Type>()
                .values(),
            &[0; 4]
        );
        assert!(rows["field-6"].as_list::<i32>().value(0).is_empty());
    }

    #[test]
    fn a_probe_of_the_kernel_keeps_the_function_and_loses_its_group() {
        let columns = vec![
            ("__probe_ip", chain(&[1])),
            ("pid", number(7)),
            ("acme", number(8)),
        ];
        let (table, rows) = copy(
            &pseudonyms(),
            ("acme", "task_numa_migrate_ret"),
            columns.clone(),
        );
        assert_eq!(
            (table.system.as_str(), table.event.as_str()),
            ("probes", "task_numa_migrate_ret")
        );
        assert!(rows.column_by_name("pid").is_some() && rows.column_by_name("acme").is_none());
        let (table, _) = copy(&pseudonyms(), ("acme", "acme_ioctl"), columns);
        assert_eq!(
            (table.system.as_str(), table.event.as_str()),
            ("events", "event-1")
        );
    }

    #[test]
    fn stacks_of_tasks_that_were_not_chosen_are_gone() {
        let columns = || {
            vec![
                ("common_pid", number(7)),
                ("prev_comm", text("postgres")),
                ("prev_pid", number(7)),
                ("next_comm", text("java")),
                ("next_pid", number(8)),
                ("callchain", chain(&[1, 2])),
                ("callchain_symbols", text("acme (/bin/acme)")),
                ("ip", Arc::new(UInt64Array::from(vec![9])) as ArrayRef),
            ]
        };
        for (chosen, prev, next, addresses, symbols, ip) in [
            (7, "postgres", "other", 2, "acme (/bin/acme)", 9),
            (8, "other", "java", 0, "", 0),
        ] {
            let cut = Cut {
                tasks: Some(BTreeSet::from([chosen])),
                ..Cut::default()
            };
            let (table, rows) = copy(&cut, ("sched", "sched_switch"), columns());
            assert_eq!(table.event, "sched_switch");
            assert_eq!(
                (value(&rows, "prev_comm"), value(&rows, "next_comm")),
                (prev, next)
            );
            assert_eq!(rows["callchain"].as_list::<i32>().value(0).len(), addresses);
            assert_eq!(value(&rows, "callchain_symbols"), symbols);
            assert_eq!(rows["ip"].as_primitive::<UInt64Type>().value(0), ip);
        }
    }
}
