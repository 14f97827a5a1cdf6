//! Captured answers of the trace processor against the recordings that the traces were made of.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use arrow_array::{RecordBatch, UInt32Array, UInt64Array};
use numalens_columns::{Cell, ReadOptions, SliceSource};
use support::{Kept, capture, fixtures, replay};

/// Columns that a Perfetto trace does not carry.
const NOT_CARRIED: &[&str] = &["common_flags", "common_preempt_count", "group_dead", "seq"];

/// A table's rows as texts, one per row, sorted: times that are equal may stand in either order.
fn rows(batches: &[RecordBatch], columns: &[String]) -> Vec<String> {
    let mut rows = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let cells = columns
                .iter()
                .map(|name| Cell::of(batch.column_by_name(name).unwrap(), row).to_string());
            rows.push(cells.collect::<Vec<_>>().join("\t"));
        }
    }
    rows.sort();
    rows
}

/// Compares the tables of a trace with those of the trace.dat that it was made of.
fn same_as(name: &str, recording: &str, whole: bool) {
    let (trace, calls) = capture(name);
    let mut ours = Kept::default();
    let imported = replay(&trace, &calls, &mut ours).unwrap();
    let bytes = fs::read(fixtures().join(recording)).unwrap();
    let mut theirs = Kept::default();
    let source = SliceSource(&bytes);
    let decoded = numalens_trace_dat::decode(
        &source,
        &ReadOptions::default(),
        &mut theirs,
        &mut |_, _| {},
    );
    let decoded = decoded.unwrap();
    let by_event: BTreeMap<_, _> = theirs
        .tables
        .iter()
        .map(|(spec, batches)| (spec.event.as_str(), (spec, batches)))
        .collect();
    if whole {
        assert_eq!(imported.summary.events, decoded.summary.events);
        assert_eq!(imported.summary.cpu_spans, decoded.summary.cpu_spans);
        assert_eq!(ours.tables.len(), by_event.len());
    }
    for (spec, batches) in &ours.tables {
        let (theirs, their_batches) = by_event[spec.event.as_str()];
        assert_eq!(spec.system, theirs.system, "{}", spec.event);
        let carried = |name: &str| !NOT_CARRIED.contains(&name);
        let types = |spec: &numalens_columns::TableSpec| {
            let columns = spec.columns.iter().filter(|column| carried(&column.name));
            columns
                .map(|column| (column.name.clone(), column.ty.clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(types(spec), types(theirs), "{}", spec.event);
        let fields = spec.schema();
        let columns = fields.fields().iter().map(|field| field.name().clone());
        let columns: Vec<String> = columns.filter(|name| carried(name)).collect();
        let (found, expected) = (rows(batches, &columns), rows(their_batches, &columns));
        if whole {
            assert_eq!(found, expected, "{}", spec.event);
        } else {
            let missing: Vec<_> = found.iter().filter(|row| !expected.contains(row)).collect();
            assert!(missing.is_empty(), "{}: {missing:?}", spec.event);
        }
    }
}

#[test]
fn a_trace_gives_the_columns_of_the_recording_it_was_made_of() {
    same_as("tc-small", "tc-small.v7-zstd.dat", true);
}

#[test]
fn numa_decisions_keep_every_argument() {
    same_as("cling-2x4-small.part", "cling-2x4-small.v7-zstd.dat", false);
}

#[test]
fn ranks_are_dense_and_ascend_with_time() {
    for name in ["tc-small", "cling-2x4-small.part", "tc-small.compact"] {
        let (trace, calls) = capture(name);
        let mut sink = Kept::default();
        let recording = replay(&trace, &calls, &mut sink).unwrap();
        let mut events = Vec::new();
        for batch in sink.tables.iter().flat_map(|(_, batches)| batches) {
            let column = |index| {
                batch
                    .column(index)
                    .as_any()
                    .downcast_ref::<UInt64Array>()
                    .unwrap()
            };
            events.extend(
                column(2)
                    .values()
                    .iter()
                    .copied()
                    .zip(column(0).values().iter().copied()),
            );
        }
        events.sort_unstable();
        assert!(
            events
                .iter()
                .enumerate()
                .all(|(rank, &(seq, _))| seq == rank as u64),
            "{name}"
        );
        assert!(events.is_sorted_by_key(|&(_, ts)| ts), "{name}");
        assert_eq!(recording.summary.events, events.len() as u64, "{name}");
        assert_eq!(recording.summary.backwards, 0, "{name}");
    }
}

#[test]
fn lost_events_are_marked_at_the_first_event_behind_them() {
    let (trace, calls) = capture("cling-2x4-small.part");
    let mut sink = Kept::default();
    let recording = replay(&trace, &calls, &mut sink).unwrap();
    assert_eq!(sink.lost.len(), 1);
    let lost = sink.lost[0];
    assert_eq!((lost.cpu, lost.count), (3, None));
    assert_eq!(recording.summary.lost_unknown_marks, 1);
    // The trace says that CPU 3 lost events before the second half of them: this is its first event there.
    let mut of_cpu = Vec::new();
    for batch in sink.tables.iter().flat_map(|(_, batches)| batches) {
        let numbers = batch.column(2).as_any().downcast_ref::<UInt64Array>();
        let cpus = batch.column(1).as_any().downcast_ref::<UInt32Array>();
        let rows = numbers.unwrap().values().iter().zip(cpus.unwrap().values());
        of_cpu.extend(rows.filter(|&(_, &cpu)| cpu == 3).map(|(&seq, _)| seq));
    }
    let half = recording.summary.events / 2;
    assert_eq!(
        of_cpu.into_iter().filter(|&seq| seq >= half).min(),
        Some(lost.seq)
    );
}

#[test]
fn a_cpu_that_lost_events_somewhere_is_marked_at_its_beginning() {
    let (_, calls) = capture("cling-2x4-small.part");
    let mut sink = Kept::default();
    // Without the trace's own bytes nothing shows the place.
    let recording = replay(&[], &calls, &mut sink).unwrap();
    let first = recording
        .summary
        .cpu_spans
        .iter()
        .find(|span| span.cpu == 3)
        .unwrap()
        .first_ns;
    assert_eq!(
        sink.lost
            .iter()
            .map(|lost| (lost.cpu, lost.ts_ns))
            .collect::<Vec<_>>(),
        [(3, first)]
    );
    assert!(
        recording
            .info
            .notes
            .iter()
            .any(|note| note.contains("unknown time"))
    );
}

#[test]
fn a_trace_that_ends_within_a_packet_says_so() {
    let (trace, calls) = capture("cling-2x4-small.part");
    let note = |trace: &[u8]| {
        let recording = replay(trace, &calls, &mut Kept::default()).unwrap();
        let notes = recording.info.notes.into_iter();
        notes
            .filter(|note| note.contains("packet"))
            .collect::<Vec<_>>()
    };
    assert_eq!(note(&trace), [""; 0]);
    assert_eq!(
        note(&trace[..trace.len() - 1]),
        ["The trace ends within a packet, whose events are missing."]
    );
    assert!(
        note(&[&trace, &b"xyz"[..]].concat())[0]
            .starts_with("Something in the trace is not a packet")
    );
}

#[test]
fn what_a_compact_trace_gives() {
    let (trace, calls) = capture("tc-small.compact");
    let mut sink = Kept::default();
    let recording = replay(&trace, &calls, &mut sink).unwrap();
    let mut text = format!("{:#?}\n", recording.info);
    for (spec, batches) in &sink.tables {
        let columns: Vec<String> = spec
            .schema()
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
        let types = spec
            .columns
            .iter()
            .map(|column| format!("{} {:?}", column.name, column.ty));
        writeln!(
            text,
            "{}:{} {}",
            spec.system,
            spec.event,
            types.collect::<Vec<_>>().join(", ")
        )
        .unwrap();
        for row in rows(batches, &columns).iter().take(3) {
            writeln!(text, "  {row}").unwrap();
        }
    }
    insta::assert_snapshot!(text);
}
