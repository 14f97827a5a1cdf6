//! A whole text into tables.

use std::collections::BTreeMap;

use numalens_columns::{
    ByteSource, CpuSpan, DecodeError, EventCount, EventSink, InputError, LostEvents, ReadOptions,
    Recording, Summary,
};

use crate::bytes::shown;
use crate::layout::find;
use crate::line::Layout;
use crate::lines::Lines;
use crate::merge::{Lost, Merge};
use crate::records::{Cut, Event};
use crate::rows::Common;
use crate::skips::Skips;
use crate::survey::{Survey, survey};
use crate::tables::Tables;

/// Interval of progress reports, in events.
const PROGRESS_STEP: u64 = 1 << 16;
/// Number of inspected bytes of a text for its layout.
const HEAD: usize = 1 << 16;

/// Decodes a whole text into `sink`, ascending by time; ties keep the order of the text.
///
/// The text is walked twice: once to see in which pieces it is in time order, once to decode it. `progress` is given
/// how many of how many bytes are done, both walks together.
///
/// # Errors
/// The input is not a trace text, a line is damaged (strict reading), or the sink refuses.
pub fn decode(
    source: &dyn ByteSource,
    options: &ReadOptions,
    sink: &mut dyn EventSink,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Recording, DecodeError> {
    let bytes = source.bytes();
    let total = 2 * bytes.len() as u64;
    let head = &bytes[..bytes.len().min(HEAD)];
    let layout = find(head, head.len() == bytes.len()).ok_or_else(|| no_layout(bytes))?;
    let mut skips = Skips::new(options.tolerant);
    let survey = survey(source, &layout, &mut skips, sink, &mut |done| {
        progress(done, total);
    })?;
    if let Some(error) = survey.facts.timeless() {
        return Err(error.into());
    }
    let mut decoder = Decoder::new(bytes, &layout, &survey, skips);
    let mut merge = Merge::new(source, &survey.sections, &layout);
    let mut reported = 0;
    while let Some((event, lost)) = merge.next() {
        decoder.event(&event, lost, sink)?;
        if decoder.summary.events - reported >= PROGRESS_STEP {
            reported = decoder.summary.events;
            progress(total / 2 + merge.done(&survey.sections), total);
        }
    }
    let unplaced = merge.unplaced();
    let (summary, notes) = decoder.finish(sink)?;
    let mut info = survey.facts.into_info(&survey.instances);
    info.notes.extend(notes);
    let tracer = info.facts.get("tracer").filter(|tracer| *tracer != "nop");
    let has = |fits: fn(&EventCount) -> bool| summary.counts.iter().any(fits);
    if let Some(tracer) = tracer
        && (has(|count| count.event == "text") || !has(|count| count.system == "sched"))
    {
        info.notes.push(format!(
            "Lines of the tracer {tracer} that are not events are kept as text."
        ));
    }
    if unplaced > 0 {
        info.notes.push(format!(
            "{unplaced} marks of lost events are not followed by an event of their CPU."
        ));
    }
    progress(total, total);
    Ok(Recording {
        info,
        summary,
        ..Recording::default()
    })
}

struct Decoder<'a, 'l> {
    bytes: &'a [u8],
    tables: Tables<'l>,
    instances: &'l [Vec<u8>],
    skips: Skips,
    spans: BTreeMap<u32, CpuSpan>,
    summary: Summary,
    values: Vec<crate::template::Value<'a>>,
    /// CPUs of which an event was left out.
    left_out: Vec<u32>,
    cut: Cut,
}

impl<'a, 'l> Decoder<'a, 'l> {
    fn new(bytes: &'a [u8], layout: &'l Layout, survey: &'l Survey, skips: Skips) -> Self {
        Self {
            bytes,
            tables: Tables::new(layout, survey.chains),
            instances: &survey.instances,
            skips,
            spans: BTreeMap::new(),
            summary: Summary {
                buffer_events: vec![0; survey.instances.len()],
                backwards: survey.backwards,
                ..Summary::default()
            },
            values: Vec::new(),
            left_out: Vec::new(),
            cut: survey.cut,
        }
    }

    #[inline]
    fn event(
        &mut self,
        event: &Event<'a>,
        lost: Lost,
        sink: &mut dyn EventSink,
    ) -> Result<(), DecodeError> {
        let seq = self.summary.events;
        let head = &event.head;
        let buffer = match head.instance {
            b"" => 0,
            name => self
                .instances
                .iter()
                .position(|known| known == name)
                .unwrap_or(0),
        };
        let common = Common::new(head, seq, buffer as u8);
        let cut = self.ends_in(event);
        if let Some((expected, found)) =
            self.tables
                .push(event, &common, cut, &mut self.values, sink)?
        {
            if cut {
                self.cut.end = true;
                return Ok(());
            }
            let error = InputError::at_line(event.line, expected, found);
            self.skips.line(error, Some(head.cpu), sink)?;
            self.left_out.push(head.cpu);
            self.left_out.sort_unstable();
            self.left_out.dedup();
            return Ok(());
        }
        self.mark(&common, lost, sink)?;
        self.summary.events += 1;
        self.summary.buffer_events[buffer] += 1;
        let span = self.spans.entry(head.cpu).or_insert(CpuSpan {
            cpu: head.cpu,
            first_ns: head.ts_ns,
            last_ns: head.ts_ns,
            events: 0,
        });
        span.last_ns = head.ts_ns;
        span.events += 1;
        Ok(())
    }

    /// Returns whether the text ends within the event's line.
    #[inline]
    fn ends_in(&self, event: &Event<'_>) -> bool {
        let end = event.named.details.as_ptr() as usize + event.named.details.len();
        event.chain.is_empty() && end == self.bytes.as_ptr() as usize + self.bytes.len()
    }

    /// Marks events that are missing before this one.
    #[inline]
    fn mark(
        &mut self,
        common: &Common,
        lost: Lost,
        sink: &mut dyn EventSink,
    ) -> Result<(), DecodeError> {
        let mut lost = lost;
        if !self.left_out.is_empty()
            && let Ok(at) = self.left_out.binary_search(&common.cpu)
        {
            self.left_out.remove(at);
            lost = Some(None);
        }
        let Some(count) = lost else {
            return Ok(());
        };
        self.summary.lost_marks += 1;
        match count {
            Some(count) => {
                self.summary.lost_events = self.summary.lost_events.saturating_add(count);
            }
            None => self.summary.lost_unknown_marks += 1,
        }
        let Common {
            ts_ns,
            cpu,
            buffer,
            seq,
            ..
        } = *common;
        Ok(sink.lost(LostEvents {
            ts_ns,
            cpu,
            buffer,
            seq,
            count,
        })?)
    }

    fn finish(mut self, sink: &mut dyn EventSink) -> Result<(Summary, Vec<String>), DecodeError> {
        self.tables.flush(sink)?;
        self.skips.finish(sink)?;
        self.summary.counts = self.tables.counts();
        self.summary.cpu_spans = self.spans.into_values().collect();
        let mut notes = self.tables.notes;
        for (cut, end) in [(self.cut.start(), "first"), (self.cut.end, "last")] {
            if cut {
                notes.push(format!("The {end} line is cut: it was left out."));
            }
        }
        Ok((self.summary, notes))
    }
}

/// The first line that is neither blank nor a comment.
fn no_layout(bytes: &[u8]) -> InputError {
    let mut lines = Lines::new(bytes, 0, 0);
    let line = lines.find(|line| !line.text.is_empty() && !line.text.starts_with(b"#"));
    let expected = "event lines of tracefs, trace-cmd report, perf script or babeltrace2, each with a CPU and a time";
    match line {
        Some(line) => InputError::at_line(line.number, expected, shown(line.text)),
        None => InputError::at_line(1, expected, "none"),
    }
}
