//! The inputs' clocks, put on one.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use numalens_columns::TS_NS;
use numalens_core::clock::{
    Clock, Evidence, Meeting, Method, Placed, Placement, SampleTimes, Span, Times,
};
use numalens_events::times;

use super::decode::Decoded;
use super::files::Folder;
use super::samples::Collected;
use crate::bundle::{Alignment, Recording, Reference};
use crate::error::Error;

/// Clock information of an input; nothing without events.
pub(super) fn of_recording(recording: &Recording) -> Times {
    let spans = || recording.cpu_spans.iter().filter(|span| span.events > 0);
    let first = spans().map(|span| span.first_ns).min();
    let last = spans().map(|span| span.last_ns).max();
    let (Some(first), Some(last)) = (first, last) else {
        return Times::Timeless;
    };
    let pairs = recording.clock_pairs.iter();
    Times::Recording {
        clock: recording.clock.clone(),
        range: (signed(first), signed(last)),
        pairs: pairs.map(|pair| (pair.trace_ns, pair.real_ns)).collect(),
    }
}

/// The same for samples; `resolution_ns` is the step of their stamps.
pub(super) fn of_samples(collected: &Collected, resolution_ns: u64) -> Times {
    let times = SampleTimes {
        resolution_ns: signed(resolution_ns),
        ..collected.stamps.times.clone()
    };
    if times.mono.or(times.boot).or(times.real).is_some() {
        Times::Samples(times)
    } else {
        Times::Timeless
    }
}

/// Matches of numbered samples and marks in the traces, by recording. A mark with a different time than the sample of its
/// number belongs to another sampling, and matches nothing.
pub(super) fn meetings(
    recordings: &[Decoded],
    collected: &[Collected],
) -> BTreeMap<u32, Vec<Meeting>> {
    let mut met = BTreeMap::new();
    for recording in recordings {
        let meetings = recording.lines.marks.iter().map(|(trace_ns, mark)| {
            let after_ns = collected.iter().find_map(|samples| {
                let &(before, after) = samples.stamps.numbers.get(&mark.idx)?;
                (before == mark.mono_ns).then_some(after).flatten()
            });
            Meeting {
                trace_ns: *trace_ns,
                before_ns: mark.mono_ns,
                after_ns,
            }
        });
        let meetings: Vec<Meeting> = meetings.collect();
        if !meetings.is_empty() {
            met.insert(recording.input, meetings);
        }
    }
    met
}

/// Alignment of an input for the manifest; `None` for an input without times.
pub(super) fn describe(placed: &Placed, times: &Times, clock: Option<&str>) -> Option<Alignment> {
    if matches!(times, Times::Timeless) && placed.method == Method::None {
        return None;
    }
    let span = placed.span;
    let middle = middle(times, placed.clock.as_ref());
    Some(Alignment {
        method: placed.method,
        clock: placed
            .clock
            .as_ref()
            .map(|used| shown(used, clock.filter(|_| matches!(used, Clock::Trace(_))))),
        offset_ns: span.map(|span| span.offset_at(middle)),
        uncertainty_ns: span.map(|span| span.uncertainty_ns()),
        drift_ppb: span.map_or(0, |span| span.drift_ppb),
        evidence: sentence(placed),
        label: label(placed),
    })
}

/// The reference for the manifest; `name` is the recording's own word for its clock.
pub(super) fn reference(placement: &Placement, name: Option<&str>) -> Option<Reference> {
    Some(Reference {
        input: placement.reference?,
        clock: shown(placement.clock.as_ref()?, name),
    })
}

fn middle(times: &Times, clock: Option<&Clock>) -> i64 {
    let range = match (times, clock) {
        (Times::Recording { range, .. }, _) => Some(*range),
        (Times::Samples(times), Some(Clock::Monotonic)) => times.mono,
        (Times::Samples(times), Some(Clock::Boot)) => times.boot,
        (Times::Samples(times), Some(Clock::Real)) => times.real,
        _ => None,
    };
    range.map_or(0, |(first, last)| i64::midpoint(first, last))
}

fn shown(clock: &Clock, name: Option<&str>) -> String {
    match clock {
        Clock::Trace(_) => name.unwrap_or("unnamed").to_owned(),
        Clock::Samples(_) => "the samples' own".to_owned(),
        Clock::Monotonic => "mono".to_owned(),
        Clock::MonotonicRaw => "mono_raw".to_owned(),
        Clock::Boot => "boot".to_owned(),
        Clock::Real => "real".to_owned(),
        Clock::Tai => "tai".to_owned(),
        Clock::Sched => "local".to_owned(),
        Clock::Global => "global".to_owned(),
    }
}

fn label(placed: &Placed) -> &'static str {
    match placed.method {
        Method::Reference | Method::SameClock => "observed",
        Method::Markers | Method::ClockPairs if !placed.evidence.contains(&Evidence::Kernel) => {
            "replayed"
        }
        _ => "inferred",
    }
}

fn sentence(placed: &Placed) -> String {
    match placed.method {
        Method::Reference => "Reference clock: all times are on this input's clock.".to_owned(),
        Method::User => "Offset set by a user.".to_owned(),
        Method::None => "Its clock cannot be aligned with the others.".to_owned(),
        _ => {
            let steps: Vec<String> = placed.evidence.iter().map(step).collect();
            format!("Placed by {}.", steps.join(", then "))
        }
    }
}

fn step(evidence: &Evidence) -> String {
    match evidence {
        Evidence::SameClock => "the clock's name".to_owned(),
        Evidence::Markers(1) => "one line of the sampler in the trace".to_owned(),
        Evidence::Markers(count) => format!("{count} lines of the sampler in the trace"),
        Evidence::ClockPairs(1) => "one instant stored on two clocks".to_owned(),
        Evidence::ClockPairs(count) => format!("{count} instants stored on two clocks"),
        Evidence::Kernel => "two clocks that the kernel keeps within a tick".to_owned(),
        Evidence::User => "what a user gave".to_owned(),
        Evidence::Overlap => "overlapping times, taken for the same clock".to_owned(),
    }
}

/// Moves a recording onto the reference clock: its tables, marks of lost events and spans.
pub(super) fn shift(
    folder: Folder<'_>,
    recording: &mut Recording,
    decoded: &mut Decoded,
    span: &Span,
) -> Result<(), Error> {
    for table in &decoded.tables {
        shift_table(folder, &table.file, span)?;
    }
    let move_on = |time: &mut u64| *time = moved(*time, span);
    decoded
        .lost
        .iter_mut()
        .for_each(|lost| move_on(&mut lost.ts_ns));
    // What was so before the recording stays so.
    let changes = decoded.mappings.changes.iter_mut();
    changes
        .filter(|change| change.ts_ns > 0)
        .for_each(|change| move_on(&mut change.ts_ns));
    for cpu in &mut recording.cpu_spans {
        move_on(&mut cpu.first_ns);
        move_on(&mut cpu.last_ns);
    }
    for buffer in &mut recording.buffers {
        buffer.first_ns.iter_mut().for_each(move_on);
        buffer.last_ns.iter_mut().for_each(move_on);
    }
    Ok(())
}

fn shift_table(folder: Folder<'_>, file: &str, span: &Span) -> Result<(), Error> {
    folder.rewrite(file, |batch, writer| {
        let schema = batch.schema();
        let columns = batch.columns().iter().zip(schema.fields());
        let columns = columns.map(|(column, field)| {
            let times = column.as_primitive_opt::<UInt64Type>();
            match times.filter(|_| field.name() == TS_NS) {
                Some(times) => {
                    let times = times.values().iter().map(|&time| moved(time, span));
                    Arc::new(UInt64Array::from_iter_values(times)) as ArrayRef
                }
                None => Arc::clone(column),
            }
        });
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns.collect())?;
        Ok(writer.write(&batch, times(&batch)?.iter().copied())?)
    })
}

/// A time before the clock's zero counts as zero.
fn moved(time: u64, span: &Span) -> u64 {
    u64::try_from(span.apply(signed(time))).unwrap_or(0)
}

fn signed(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}
