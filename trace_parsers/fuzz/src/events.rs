//! Readers of recordings.

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use numalens_columns::{
    ByteSource, DecodeError, EventSink, LostEvents, ReadOptions, Recording, SinkError, Skipped,
    SliceSource, TableId, TableSpec,
};
use numalens_event_format::{Endian, EventFormat, RowBuffer};

use crate::check::{ENOUGH, Extent, Progress};

/// Rows after which a sink takes no more: an input may stand for many more bytes than it has.
const MOST_ROWS: u64 = 1 << 20;
/// Most rows of a batch.
const MOST_BATCH: usize = 16 << 10;

type Decode = fn(
    &dyn ByteSource,
    &ReadOptions,
    &mut dyn EventSink,
    &mut dyn FnMut(u64, u64),
) -> Result<Recording, DecodeError>;

/// Reads strictly and tolerantly: what goes well strictly gives the same events tolerantly.
pub(crate) fn check(decode: Decode, data: &[u8]) {
    let strict = read(decode, data, false);
    let tolerant = read(decode, data, true);
    if let Ok(strict) = strict {
        match tolerant {
            Ok(events) => assert_eq!(strict, events, "events of a strict and a tolerant reading"),
            Err(error) => assert!(
                error.to_string() == ENOUGH,
                "strict reading went well: {error}"
            ),
        }
    }
}

fn read(decode: Decode, data: &[u8], tolerant: bool) -> Result<u64, DecodeError> {
    let extent = Extent::of(data);
    let mut sink = Counter::new(extent, tolerant);
    let mut progress = Progress::new();
    let options = ReadOptions { tolerant };
    let result = decode(
        &SliceSource(data),
        &options,
        &mut sink,
        &mut |done, total| {
            progress.at(done, total);
        },
    );
    match result {
        Ok(recording) => {
            sink.agree(&recording);
            Ok(recording.summary.events)
        }
        Err(error) => {
            extent.ended(&error);
            Err(error)
        }
    }
}

/// Keeps counts and checks rows as they come.
struct Counter {
    extent: Extent,
    tolerant: bool,
    tables: Vec<Table>,
    rows: u64,
    /// Sums of all ranks and of their squares: equal to those of 0, 1, 2, ... only when no rank is missing or double.
    sum: u128,
    squares: u128,
    cpu: u32,
    lost: u64,
    lost_known: u64,
    lost_unknown: u64,
    last_lost: u64,
    skipped: u64,
    backwards: bool,
}

struct Table {
    spec: TableSpec,
    rows: u64,
    last: Option<(u64, u64)>,
}

impl Counter {
    fn new(extent: Extent, tolerant: bool) -> Self {
        Self {
            extent,
            tolerant,
            tables: Vec::new(),
            rows: 0,
            sum: 0,
            squares: 0,
            cpu: 0,
            lost: 0,
            lost_known: 0,
            lost_unknown: 0,
            last_lost: 0,
            skipped: 0,
            backwards: false,
        }
    }

    /// The counts that the reader gives are those that arrived.
    fn agree(&self, recording: &Recording) {
        let (info, summary) = (&recording.info, &recording.summary);
        assert_eq!(summary.events, self.rows);
        let n = u128::from(self.rows);
        assert_eq!(self.sum, n * n.saturating_sub(1) / 2, "ranks from 0 on");
        let squares = n.saturating_sub(1) * n * (2 * n).saturating_sub(1) / 6;
        assert_eq!(self.squares, squares, "each rank once");
        assert_eq!(
            summary.counts.iter().map(|count| count.count).sum::<u64>(),
            self.rows
        );
        assert_eq!(
            summary
                .cpu_spans
                .iter()
                .map(|span| span.events)
                .sum::<u64>(),
            self.rows
        );
        assert!(
            summary
                .cpu_spans
                .iter()
                .all(|span| span.first_ns <= span.last_ns)
        );
        assert!(
            summary
                .cpu_spans
                .is_sorted_by(|before, next| before.cpu < next.cpu)
        );
        assert_eq!(summary.buffer_events.iter().sum::<u64>(), self.rows);
        assert_eq!(summary.buffer_events.len(), info.buffers.len());
        assert_eq!(summary.lost_marks, self.lost);
        assert_eq!(summary.lost_events, self.lost_known);
        assert_eq!(summary.lost_unknown_marks, self.lost_unknown);
        assert!(
            !self.backwards || summary.backwards > 0,
            "a table that runs backwards"
        );
        assert!(!info.buffers.is_empty() && info.resolution_ns > 0);
        assert!(
            self.rows == 0 || info.cpus > self.cpu,
            "CPU {} of {}",
            self.cpu,
            info.cpus
        );
        for table in &self.tables {
            assert!(table.rows > 0, "a table without rows: {}", table.spec.event);
        }
    }
}

impl EventSink for Counter {
    fn open_table(&mut self, spec: &TableSpec) -> Result<TableId, SinkError> {
        let mut names: Vec<&str> = spec
            .columns
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        names.extend(["ts_ns", "cpu", "seq", "buffer"]);
        names.sort_unstable();
        assert!(
            names.windows(2).all(|pair| pair[0] != pair[1]),
            "two columns of one name: {spec:?}"
        );
        self.tables.push(Table {
            spec: spec.clone(),
            rows: 0,
            last: None,
        });
        Ok(self.tables.len() - 1)
    }

    fn write(&mut self, table: TableId, batch: &RecordBatch) -> Result<(), SinkError> {
        let table = &mut self.tables[table];
        assert_eq!(batch.schema(), table.spec.schema());
        assert!(
            (1..=MOST_BATCH).contains(&batch.num_rows()),
            "{} rows",
            batch.num_rows()
        );
        let ts = batch.column(0).as_primitive::<UInt64Type>();
        let cpu = batch.column(1).as_primitive::<UInt32Type>();
        let seq = batch.column(2).as_primitive::<UInt64Type>();
        let buffer = batch.column(3).as_primitive::<UInt8Type>();
        assert!(
            batch
                .columns()
                .iter()
                .all(|column| column.null_count() == 0)
        );
        assert_eq!(buffer.len(), ts.len());
        for (&ts, &seq) in ts.values().iter().zip(seq.values()) {
            if let Some((last_ts, last_seq)) = table.last {
                assert!(seq > last_seq, "rank {seq} after {last_seq}");
                self.backwards |= ts < last_ts;
            }
            table.last = Some((ts, seq));
            self.sum += u128::from(seq);
            self.squares += u128::from(seq) * u128::from(seq);
        }
        self.cpu = cpu.values().iter().copied().fold(self.cpu, u32::max);
        table.rows += batch.num_rows() as u64;
        self.rows += batch.num_rows() as u64;
        if self.rows > MOST_ROWS {
            return Err(SinkError(ENOUGH.to_owned()));
        }
        Ok(())
    }

    fn lost(&mut self, lost: LostEvents) -> Result<(), SinkError> {
        assert!(lost.seq >= self.last_lost, "marks ascend by rank");
        self.last_lost = lost.seq;
        self.lost += 1;
        match lost.count {
            Some(count) => self.lost_known = self.lost_known.saturating_add(count),
            None => self.lost_unknown += 1,
        }
        Ok(())
    }

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        self.extent
            .left_out(&skipped, self.tolerant, &mut self.skipped);
        Ok(())
    }
}

/// A format text up to a NUL, then records one after the other, each after a byte of its length.
pub(crate) fn format(data: &[u8]) {
    let end = data
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(data.len());
    let (text, mut records) = data.split_at(end);
    let Ok(format) = EventFormat::parse(text) else {
        return;
    };
    let shapes = [
        (Endian::Little, 8),
        (Endian::Big, 8),
        (Endian::Little, 4),
        (Endian::Big, 4),
    ];
    let mut rows = shapes.map(|(endian, long)| RowBuffer::new("fuzz", &format, endian, long));
    let mut count = 0_u64;
    records = records.get(1..).unwrap_or_default();
    while let Some((&length, rest)) = records.split_first() {
        let (record, rest) = rest.split_at(rest.len().min(usize::from(length)));
        for rows in &mut rows {
            rows.push(count, 0, count, 0, record);
        }
        records = rest;
        count += 1;
    }
    for mut rows in rows {
        let (spec, empty) = (rows.spec().clone(), rows.is_empty());
        match rows.take() {
            Ok(batch) => {
                assert_eq!(batch.num_rows() as u64, count);
                assert_eq!(batch.schema(), spec.schema());
            }
            Err(error) => assert!(empty, "a defect: {error}"),
        }
    }
}
