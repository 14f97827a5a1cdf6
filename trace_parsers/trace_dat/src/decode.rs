//! All events of a recording in time order, as columns.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use arrow_schema::ArrowError;
use numalens_columns::{
    CpuSpan, DecodeError, EventCount, EventSink, InputError, LostEvents, Summary, TableId,
    TableSpec, Tournament,
};
use numalens_event_format::{EventFormat, FieldFormat, RowBuffer};

use crate::layout::TraceDat;
use crate::page::Missed;
use crate::printed::{Lines, Printed};
use crate::stream::{Shared, Stream};

/// Interval of progress reports, in events.
const PROGRESS_STEP: u64 = 1 << 16;

/// One event type on its way to the sink.
struct Table {
    rows: RowBuffer,
    id: Option<TableId>,
    count: u64,
    /// Conversion of its lines, and the resulting table.
    printed: Option<(Printed, TableSpec)>,
}

/// Tables by event number; the first use of a number finds or makes its table.
struct Tables<'t> {
    by_id: Vec<Option<u32>>,
    open: Vec<Table>,
    formats: BTreeMap<u32, (&'t str, &'t EventFormat)>,
    trace: &'t TraceDat<'t>,
    /// Read when the first line comes.
    lines: OnceCell<Lines>,
}

impl<'t> Tables<'t> {
    fn new(trace: &'t TraceDat<'t>) -> Self {
        let formats = trace.metadata.formats.iter();
        let formats = formats
            .map(|entry| (entry.format.id, (entry.system.as_str(), &entry.format)))
            .collect();
        Self {
            by_id: vec![None; 1 << 16],
            open: Vec::new(),
            formats,
            trace,
            lines: OnceCell::new(),
        }
    }

    /// Hands a table's rows to the sink.
    #[cold]
    fn flush(&mut self, index: usize, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        let table = &mut self.open[index];
        if table.rows.is_empty() {
            return Ok(());
        }
        let id = match table.id {
            Some(id) => id,
            None => *table.id.insert(sink.open_table(table.spec())?),
        };
        let wrong = |error: ArrowError| DecodeError::Columns(error.to_string());
        let mut batch = table.rows.take().map_err(wrong)?;
        if let Some((printed, spec)) = &table.printed {
            let lines = self.lines.get_or_init(|| self.trace.lines());
            batch = printed.apply(spec, &batch, lines).map_err(wrong)?;
        }
        sink.write(id, &batch)?;
        Ok(())
    }

    #[inline]
    fn index(&mut self, id: u16) -> usize {
        match self.by_id[usize::from(id)] {
            Some(index) => index as usize,
            None => self.open_table(id),
        }
    }

    #[cold]
    fn open_table(&mut self, id: u16) -> usize {
        let unknown;
        let (system, format) = if let Some(&(system, format)) = self.formats.get(&u32::from(id)) {
            (system, format)
        } else {
            unknown = unknown_format(u32::from(id));
            ("unknown", &unknown)
        };
        let rows = RowBuffer::new(
            system,
            format,
            self.trace.endian,
            self.trace.header.long_size,
        );
        let index = self.open.len();
        let printed = Printed::of(rows.spec());
        self.open.push(Table {
            rows,
            id: None,
            count: 0,
            printed,
        });
        self.by_id[usize::from(id)] = Some(index as u32);
        index
    }
}

impl Table {
    fn spec(&self) -> &TableSpec {
        self.printed
            .as_ref()
            .map_or_else(|| self.rows.spec(), |(_, spec)| spec)
    }
}

/// An event number without a format keeps its bytes.
fn unknown_format(id: u32) -> EventFormat {
    let raw = FieldFormat {
        name: "raw".to_owned(),
        element: "struct".to_owned(),
        declaration: "raw record".to_owned(),
        offset: 0,
        size: 0,
        signed: false,
        storage: numalens_event_format::Storage::Inline,
        array: numalens_event_format::ArrayLength::Open,
    };
    EventFormat {
        name: format!("type_{id}"),
        id,
        fields: vec![raw],
        print_fmt: String::new(),
    }
}

impl TraceDat<'_> {
    /// Decodes every event of every buffer into `sink`, ascending by time; ties keep the order of buffer, CPU and recording.
    /// A tolerant read reports left-out parts to `sink`, and marks lost events before the CPU's next one. `progress` gets the
    /// finished and total bytes of event data.
    ///
    /// # Errors
    /// The event data is damaged, or the sink refuses.
    pub fn decode(
        &self,
        sink: &mut dyn EventSink,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Summary, DecodeError> {
        let mut shared = Shared::new(self.tolerant);
        for part in &self.skipped {
            shared.skips.push(part.clone());
        }
        shared.ends = self.ends();
        let mut streams = Vec::new();
        let mut total = 0;
        for (buffer, layout) in self.buffers.iter().enumerate() {
            for region in &layout.cpus {
                total += region.range.len() as u64;
                let stream = Stream::open(self, buffer as u8, layout, region, &mut shared)?;
                streams.push(stream);
            }
        }
        let mut decoder = Decoder {
            trace: self,
            plain: self.options.clock.is_identity(),
            type_at: self.type_field(),
            tables: Tables::new(self),
            spans: BTreeMap::new(),
            summary: Summary {
                buffer_events: vec![0; self.buffers.len().max(1)],
                ..Summary::default()
            },
            last: 0,
            shared,
        };
        decoder.run(&mut streams, sink, &mut |streams| {
            let done: u64 = streams.iter().map(|stream| stream.consumed).sum();
            progress(done.min(total), total);
        })?;
        progress(total, total);
        decoder.summary.redated = decoder.shared.redated;
        decoder.finish(sink)
    }

    /// By CPU, the timestamps of its first and its last page, if pages are uncompressed in the file.
    fn ends(&self) -> Vec<(u32, u64, u64)> {
        let mut ends = Vec::new();
        for layout in self.buffers.iter().filter(|layout| !layout.compressed) {
            let size = layout.page_size as usize;
            for region in layout.cpus.iter().filter(|region| !region.range.is_empty()) {
                let pages = region.range.clone().step_by(size.max(1));
                let stamp = |&page: &usize| {
                    let at = page + self.header.timestamp;
                    let bytes = self.source.bytes().get(at..at + 8)?;
                    Some(self.endian.u64(bytes, 0)).filter(|&stamp| stamp != 0)
                };
                let first = pages.clone().take(PADDING).find_map(|page| stamp(&page));
                // Recorders pad the last pages with zeros.
                let last = pages.rev().take(PADDING).find_map(|page| stamp(&page));
                ends.extend(
                    first
                        .zip(last)
                        .map(|(first, last)| (region.cpu, first, last)),
                );
            }
        }
        ends
    }

    /// Offset of `common_type`; the same in all formats of a kernel.
    fn type_field(&self) -> usize {
        let fields = self
            .metadata
            .formats
            .iter()
            .filter_map(|entry| entry.format.field("common_type"));
        fields
            .filter(|field| field.size == 2)
            .map(|field| field.offset)
            .next()
            .unwrap_or(0)
    }
}

/// Most pages without events at the end of a CPU's data that are looked at.
const PADDING: usize = 16;

struct Decoder<'t> {
    trace: &'t TraceDat<'t>,
    /// Stamps need no conversion.
    plain: bool,
    type_at: usize,
    tables: Tables<'t>,
    spans: BTreeMap<u32, CpuSpan>,
    summary: Summary,
    last: u64,
    shared: Shared,
}

impl Decoder<'_> {
    #[inline]
    fn ns(&self, raw: u64, cpu: u32) -> u64 {
        if self.plain {
            raw
        } else {
            self.trace.options.clock.to_ns(raw, cpu)
        }
    }

    /// Merges the streams.
    fn run(
        &mut self,
        streams: &mut [Stream<'_>],
        sink: &mut dyn EventSink,
        progress: &mut dyn FnMut(&[Stream<'_>]),
    ) -> Result<(), DecodeError> {
        let time = |stream: &Stream<'_>| Some(self.ns(stream.stamp()?, stream.cpu));
        let mut next = Tournament::new(streams.iter().map(time));
        let mut spans = vec![None; streams.len()];
        let mut reported = 0;
        while let Some((index, ts)) = next.first() {
            let Some(stream) = streams.get_mut(index) else {
                break;
            };
            if self.event(ts, stream, sink)? {
                let span: &mut (u64, u64, u64) = spans[index].get_or_insert((ts, ts, 0));
                *span = (span.0.min(ts), span.1.max(ts), span.2 + 1);
            }
            stream.advance(&mut self.shared)?;
            let stamp = stream.stamp();
            next.advance(stamp.map(|stamp| self.ns(stamp, stream.cpu)));
            self.shared.skips.drain(sink)?;
            if self.summary.events - reported >= PROGRESS_STEP {
                reported = self.summary.events;
                progress(streams);
            }
        }
        for (stream, span) in streams.iter_mut().zip(spans) {
            if let Some(span) = span {
                self.span(stream, span);
                if let Some(missed) = stream.take_missed_at_end() {
                    self.lost(self.last, stream, missed, sink)?;
                }
            }
        }
        Ok(())
    }

    /// Marks events of a CPU that are missing before the next one written, or at its end.
    fn lost(
        &mut self,
        ts_ns: u64,
        stream: &Stream<'_>,
        missed: Missed,
        sink: &mut dyn EventSink,
    ) -> Result<(), DecodeError> {
        let count = missed.count();
        self.summary.lost_marks += 1;
        match count {
            Some(count) => {
                self.summary.lost_events = self.summary.lost_events.saturating_add(count);
            }
            None => self.summary.lost_unknown_marks += 1,
        }
        sink.lost(LostEvents {
            ts_ns,
            cpu: stream.cpu,
            buffer: stream.buffer,
            seq: self.summary.events,
            count,
        })?;
        Ok(())
    }

    #[inline]
    fn event(
        &mut self,
        ts: u64,
        stream: &mut Stream<'_>,
        sink: &mut dyn EventSink,
    ) -> Result<bool, DecodeError> {
        let seq = self.summary.events;
        if stream.record().len() < self.type_at + 2 {
            stream.skip_event(short_record(stream), &mut self.shared)?;
            return Ok(false);
        }
        if let Some(missed) = stream.take_missed() {
            self.lost(ts, stream, missed, sink)?;
        }
        if ts < self.last {
            self.summary.backwards += 1;
        }
        self.last = ts;
        let record = stream.record();
        let id = self.trace.endian.u16(record, self.type_at);
        let index = self.tables.index(id);
        let table = &mut self.tables.open[index];
        table.count += 1;
        self.summary.events += 1;
        if table.rows.push(ts, stream.cpu, seq, stream.buffer, record) {
            self.tables.flush(index, sink)?;
        }
        Ok(true)
    }

    fn span(&mut self, stream: &Stream<'_>, (first_ns, last_ns, events): (u64, u64, u64)) {
        self.summary.buffer_events[usize::from(stream.buffer)] += events;
        let span = self.spans.entry(stream.cpu).or_insert(CpuSpan {
            cpu: stream.cpu,
            first_ns,
            last_ns,
            events: 0,
        });
        span.first_ns = span.first_ns.min(first_ns);
        span.last_ns = span.last_ns.max(last_ns);
        span.events += events;
    }

    fn finish(mut self, sink: &mut dyn EventSink) -> Result<Summary, DecodeError> {
        self.shared.skips.finish(sink)?;
        for index in 0..self.tables.open.len() {
            self.tables.flush(index, sink)?;
        }
        for table in &self.tables.open {
            let spec = table.spec();
            self.summary.counts.push(EventCount {
                system: spec.system.clone(),
                event: spec.event.clone(),
                id: spec.id,
                count: table.count,
            });
        }
        self.summary.counts.sort_by_key(|count| count.id);
        self.summary.cpu_spans = self.spans.into_values().collect();
        Ok(self.summary)
    }
}

#[cold]
fn short_record(stream: &Stream<'_>) -> InputError {
    InputError::at_byte(
        stream.place(),
        format!("events of CPU {} that begin with their type", stream.cpu),
        format!("one of {} bytes", stream.record().len()),
    )
}
