//! Event tables as Arrow IPC files.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::io::BufWriter;
use std::rc::Rc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt8Type, UInt64Type};
use arrow_array::{BooleanArray, Int32Array, PrimitiveArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use numalens_columns::{
    BUFFER, EventSink, InputError, LostEvents, SinkError, Skipped, TS_NS, TableId, TableSpec,
};
use numalens_core::ipc::BatchWriter;
use numalens_core::topology::{Learner, MAX_CPUS};
use numalens_events::{Kind, times};

use super::files::{Folder, Limited, close};
use super::lines::Lines;
use crate::error::Error;

/// More event types than any kernel has: beyond, the recording is damaged.
const MOST_TABLES: usize = 1 << 13;
/// Buffer before a table's file; batches are far larger.
const WRITE_BUFFER: usize = 8 << 10;

/// A table that has been written.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub(super) system: String,
    pub(super) event: String,
    pub(super) print_fmt: String,
    /// File inside the bundle.
    pub(super) file: String,
    pub(super) rows: u64,
    /// Rows of each tracing instance, by its index.
    pub(super) by_buffer: Vec<u64>,
}

/// First and last time, ns.
pub(super) type TimeSpan = Option<(u64, u64)>;

/// Result of a recording.
pub(super) struct Finished {
    /// Tables, by system and event.
    pub(super) tables: Vec<Written>,
    /// Marks of lost events.
    pub(super) lost: Vec<LostEvents>,
    /// Time span of each tracing instance.
    pub(super) spans: Vec<TimeSpan>,
    /// Damaged parts left out by a tolerant read.
    pub(super) skipped: Vec<Skipped>,
    /// Rows that were left out as no thread has their numbers.
    pub(super) left_out: u64,
    /// Lines that were written into the trace.
    pub(super) lines: Lines,
    /// One more than the largest CPU that events name.
    pub(super) cpus: u32,
}

struct Open {
    writer: BatchWriter<BufWriter<Limited>>,
    table: Written,
    /// True if the replay takes threads by their numbers from it.
    of_threads: bool,
}

/// Columns of the replay's events with numbers of threads: of one there is, it is not below 0 (`pid_t`; `PID_MAX_LIMIT`,
/// `include/linux/threads.h`).
const THREADS: [&str; 5] = ["prev_pid", "next_pid", "pid", "parent_pid", "child_pid"];

/// Columns of the replay's events with CPUs on which tasks are put.
const CPUS: [&str; 2] = ["target_cpu", "dest_cpu"];
/// A CPU that fewer rows name may be damage.
const NAMED_BY: u32 = 2;

/// Writes the tables of one input.
pub(super) struct Sink<'a> {
    /// Name of the input.
    input: &'a str,
    /// True if damaged rows are left out.
    tolerant: bool,
    /// Rows that were left out.
    left_out: u64,
    /// The folder of its tables inside the bundle.
    within: String,
    folder: Folder<'a>,
    learner: &'a mut Learner,
    tables: Vec<Open>,
    names: HashSet<String>,
    lost: Vec<LostEvents>,
    skipped: Vec<Skipped>,
    lines: Lines,
    /// Rows that name each CPU.
    named: Vec<u32>,
    buffers: Vec<TimeSpan>,
    /// Set when the listener wants the work to stop.
    stop: Rc<Cell<bool>>,
    /// Reason for which the sink refused.
    failed: Option<Error>,
}

impl<'a> Sink<'a> {
    pub(super) fn new(
        input: &'a str,
        within: String,
        folder: Folder<'a>,
        learner: &'a mut Learner,
    ) -> Self {
        Self {
            input,
            tolerant: false,
            left_out: 0,
            within,
            folder,
            learner,
            tables: Vec::new(),
            names: HashSet::new(),
            lost: Vec::new(),
            skipped: Vec::new(),
            lines: Lines::default(),
            named: Vec::new(),
            buffers: Vec::new(),
            stop: Rc::default(),
            failed: None,
        }
    }

    /// Leaves out damaged rows instead of refusing them.
    pub(super) fn tolerant(mut self, tolerant: bool) -> Self {
        self.tolerant = tolerant;
        self
    }

    /// Setting this makes the sink refuse what comes next.
    pub(super) fn stop(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.stop)
    }

    /// Reason for which the sink refused; a batch that could not be written came before all that is refused here.
    pub(super) fn failed(&mut self) -> Option<Error> {
        let unwritten = self.folder.helper().wait().err();
        unwritten.map(Error::from).or_else(|| self.failed.take())
    }

    /// Ends all tables.
    pub(super) fn finish(self) -> Result<Finished, Error> {
        let mut tables = Vec::with_capacity(self.tables.len());
        for open in self.tables {
            close(open.writer.finish()?)?;
            tables.push(open.table);
        }
        let named = self.named.iter().rposition(|&rows| rows >= NAMED_BY);
        tables.sort_by(|a, b| (&a.system, &a.event).cmp(&(&b.system, &b.event)));
        Ok(Finished {
            tables,
            lost: self.lost,
            spans: self.buffers,
            skipped: self.skipped,
            left_out: self.left_out,
            lines: self.lines,
            cpus: named.map_or(0, |cpu| cpu as u32 + 1),
        })
    }

    /// A file name for the table: names come from the recording and may hold anything.
    fn file_name(&mut self, spec: &TableSpec) -> String {
        const LONGEST: usize = 100;
        let plain = |text: &str| -> String {
            let safe = |c: char| {
                if c.is_ascii_alphanumeric() || c == '_' || c == '-' {
                    c
                } else {
                    '_'
                }
            };
            text.chars().take(LONGEST).map(safe).collect()
        };
        let within = &self.within;
        let stem = format!("{within}/{}.{}", plain(&spec.system), plain(&spec.event));
        let mut name = format!("{stem}.arrow");
        let mut number = spec.id;
        while !self.names.insert(name.clone()) {
            name = format!("{stem}.{number}.arrow");
            number = number.wrapping_add(1);
        }
        name
    }

    /// Counts rows and times by tracing instance.
    fn count(&mut self, table: TableId, batch: &RecordBatch) {
        let times = batch
            .column_by_name(TS_NS)
            .and_then(|array| array.as_primitive_opt::<UInt64Type>());
        let buffers = batch
            .column_by_name(BUFFER)
            .and_then(|array| array.as_primitive_opt::<UInt8Type>());
        let (Some(times), Some(buffers)) = (times, buffers) else {
            return;
        };
        let table = &mut self.tables[table].table;
        table.rows += batch.num_rows() as u64;
        for (&time, &buffer) in times.values().iter().zip(buffers.values()) {
            let at = usize::from(buffer);
            if at >= table.by_buffer.len() {
                table.by_buffer.resize(at + 1, 0);
            }
            if at >= self.buffers.len() {
                self.buffers.resize(at + 1, None);
            }
            table.by_buffer[at] += 1;
            let span = self.buffers[at].get_or_insert((time, time));
            *span = (span.0.min(time), span.1.max(time));
        }
    }

    /// The rows whose threads can be: all of them, else those that a tolerant reading keeps.
    fn with_threads<'b>(
        &mut self,
        table: TableId,
        batch: &'b RecordBatch,
    ) -> Result<Cow<'b, RecordBatch>, SinkError> {
        if !self.tables[table].of_threads {
            return Ok(Cow::Borrowed(batch));
        }
        let numbers = |name| {
            Some((
                name,
                batch
                    .column_by_name(name)?
                    .as_primitive_opt::<Int32Type>()?,
            ))
        };
        let columns: Vec<(&str, &Int32Array)> = THREADS.into_iter().filter_map(numbers).collect();
        let below = |(_, column): &&(&str, &Int32Array)| column.values().iter().any(|&pid| pid < 0);
        let Some(&(name, column)) = columns.iter().find(below) else {
            return Ok(Cow::Borrowed(batch));
        };
        if self.tolerant {
            let fits = |row: usize| columns.iter().all(|(_, column)| column.value(row) >= 0);
            let rows: BooleanArray = (0..batch.num_rows()).map(|row| Some(fits(row))).collect();
            let kept = filter_record_batch(batch, &rows).map_err(|error| self.refuse(error))?;
            self.left_out += (batch.num_rows() - kept.num_rows()) as u64;
            return Ok(Cow::Owned(kept));
        }
        let event = &self.tables[table].table.event;
        let found = column.values().iter().find(|&&pid| pid < 0);
        let error = InputError::at_byte(
            0,
            format!("numbers of threads from 0 on in {event}"),
            format!("{} in {name}", found.copied().unwrap_or_default()),
        );
        Err(self.refuse(Error::input(self.input, error)))
    }

    /// Counts the rows of a table that name CPUs, which need not have events of their own.
    fn count_cpus(&mut self, table: TableId, batch: &RecordBatch) {
        if !self.tables[table].of_threads {
            return;
        }
        let columns = CPUS
            .into_iter()
            .filter_map(|name| batch.column_by_name(name));
        let columns = columns.filter_map(|array| array.as_primitive_opt::<Int32Type>());
        for &cpu in columns.flat_map(PrimitiveArray::values) {
            let Some(cpu) = u32::try_from(cpu).ok().filter(|&cpu| cpu < MAX_CPUS) else {
                continue;
            };
            let at = cpu as usize;
            if at >= self.named.len() {
                self.named.resize(at + 1, 0);
            }
            self.named[at] = self.named[at].saturating_add(1);
        }
    }

    fn refuse(&mut self, error: impl Into<Error>) -> SinkError {
        let error = error.into();
        let sentence = SinkError(error.to_string());
        self.failed = Some(error);
        sentence
    }
}

impl EventSink for Sink<'_> {
    fn open_table(&mut self, spec: &TableSpec) -> Result<TableId, SinkError> {
        if self.tables.len() >= MOST_TABLES {
            return Err(SinkError(format!(
                "expected at most {MOST_TABLES} event types, found more"
            )));
        }
        let file = self.file_name(spec);
        let writer = self
            .folder
            .create(&file)
            .map_err(|error| self.refuse(error))?;
        let writer = BufWriter::with_capacity(WRITE_BUFFER, writer);
        let writer = BatchWriter::helped(writer, &spec.schema(), &self.folder.helper());
        let writer = writer.map_err(|error| self.refuse(error))?;
        let table = Written {
            system: spec.system.clone(),
            event: spec.event.clone(),
            print_fmt: spec.print_fmt.clone(),
            file,
            rows: 0,
            by_buffer: Vec::new(),
        };
        let of_threads = Kind::of(&spec.system, &spec.event).is_some();
        self.tables.push(Open {
            writer,
            table,
            of_threads,
        });
        Ok(self.tables.len() - 1)
    }

    fn write(&mut self, table: TableId, batch: &RecordBatch) -> Result<(), SinkError> {
        if self.stop.get() {
            return Err(SinkError("stopped".to_owned()));
        }
        if !self.folder.budget().events(batch.num_rows() as u64) {
            return Err(SinkError("more events than allowed".to_owned()));
        }
        let batch = &*self.with_threads(table, batch)?;
        self.count(table, batch);
        self.count_cpus(table, batch);
        self.learner.observe(batch);
        let known = &self.tables[table].table;
        self.lines.observe(&known.system, &known.event, batch);
        let ts = times(batch).map_err(|error| self.refuse(error))?;
        let writer = &mut self.tables[table].writer;
        let written = writer.write(batch, ts.iter().copied());
        written.map_err(|error| self.refuse(error))
    }

    fn lost(&mut self, lost: LostEvents) -> Result<(), SinkError> {
        self.lost.push(lost);
        Ok(())
    }

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        self.skipped.push(skipped);
        Ok(())
    }
}

/// Several tracing instances may have recorded the same events; the fullest has them all. Its number and its rows.
pub(super) fn fullest(table: &Written) -> Option<(u8, u64)> {
    let buffers = table.by_buffer.iter().enumerate();
    let fullest = buffers.max_by_key(|&(at, &rows)| (rows, std::cmp::Reverse(at)));
    fullest.map(|(buffer, &rows)| (buffer as u8, rows))
}
