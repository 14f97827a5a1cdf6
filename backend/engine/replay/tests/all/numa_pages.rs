//! Calls that migrated pages, merged from their tables, compared with a model that takes one row after the other.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, UInt8Array, UInt32Array, UInt64Array};
use arrow_schema::ArrowError;
use numalens_events::{LostMark, NumaKind};
use numalens_replay::numa::{
    self, LogsWriter, NumaTable, PAGE_RUNS_FILE, PAGES_FILE, PageBatch, Pages, PagesWriter, Reason,
};
use numalens_support::recordings::Memory;
use proptest::prelude::*;

const END: u64 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Start,
    End,
    Misplaced,
    Lost,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    ts: u64,
    what: What,
    pid: i32,
    cpu: u32,
    /// Of another tracing instance, which saw the same once more.
    twice: bool,
}

fn any_row() -> impl Strategy<Value = Row> {
    let what = prop_oneof![
        8 => Just(What::Start),
        8 => Just(What::End),
        1 => Just(What::Misplaced),
        1 => Just(What::Lost),
    ];
    // Few times, so that many rows are of one; two pids share a place of the pass's table.
    let pid = prop_oneof![Just(7), Just(7 + 256), Just(9)];
    (0..30_u64, what, pid, 0..3_u32, prop::bool::weighted(0.05)).prop_map(
        |(ts, what, pid, cpu, twice)| Row {
            ts,
            what,
            pid,
            cpu,
            twice,
        },
    )
}

fn recording() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec(any_row(), 0..60).prop_map(|mut rows| {
        rows.sort_by_key(|row| row.ts);
        rows
    })
}

/// Mostly begins and ends, so that many lie between two rows of other tables; at times one that goes back.
fn busy() -> impl Strategy<Value = Vec<Row>> {
    let what = prop_oneof![
        100 => Just(What::Start),
        100 => Just(What::End),
        1 => Just(What::Misplaced),
        1 => Just(What::Lost),
    ];
    let pid = prop_oneof![8 => Just(7), 1 => Just(7 + 256), 2 => Just(9)];
    let twice = prop::bool::weighted(0.002);
    let step = prop_oneof![100 => 0..3_i64, 1 => -6..0_i64];
    let row = (step, what, pid, prop::bool::weighted(0.1), twice);
    prop::collection::vec(row, 0..400).prop_map(|rows| {
        let mut now = 10_i64;
        let rows = rows.into_iter().map(|(step, what, pid, other, twice)| {
            now = (now + step).max(0);
            Row {
                ts: now as u64,
                what,
                pid,
                cpu: u32::from(other),
                twice,
            }
        });
        rows.collect()
    })
}

/// The tables of an input; a row's rank is its place in the recording.
fn tables(input: u32, rows: &[Row], cut: usize) -> Vec<NumaTable<'static>> {
    let of = |what| -> Vec<(usize, Row)> {
        let rows = rows.iter().copied().enumerate();
        rows.filter(|(_, row)| row.what == what).collect()
    };
    let kinds = [
        (What::Start, NumaKind::MigratePagesStart),
        (What::End, NumaKind::MigratePages),
        (What::Misplaced, NumaKind::Misplaced),
    ];
    let mut found: Vec<_> = kinds
        .map(|(what, kind)| {
            let batch = batch(&of(what));
            let cut = cut.min(batch.num_rows());
            let rest = batch.num_rows() - cut;
            let batches = [batch.slice(0, cut), batch.slice(cut, rest)];
            let batches = batches.map(Ok::<_, ArrowError>).into_iter();
            NumaTable::events(input, kind, 0, "", Box::new(batches))
        })
        .into();
    let marks = of(What::Lost).into_iter().map(|(seq, row)| LostMark {
        since_ns: row.ts,
        until_ns: row.ts,
        seq: seq as u64,
        cpu: row.cpu,
        buffer: 0,
    });
    found.push(NumaTable::lost(input, marks.collect()));
    found
}

fn batch(rows: &[(usize, Row)]) -> RecordBatch {
    let ints = |value: &dyn Fn(&Row) -> i32| {
        let values = rows.iter().map(|(_, row)| value(row));
        Arc::new(Int32Array::from_iter_values(values)) as ArrayRef
    };
    let ts = rows.iter().map(|(_, row)| row.ts);
    let seq = rows.iter().map(|(seq, _)| *seq as u64);
    let cpu = rows.iter().map(|(_, row)| row.cpu);
    let buffer = rows.iter().map(|(_, row)| u8::from(row.twice));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("ts_ns", Arc::new(UInt64Array::from_iter_values(ts))),
        ("seq", Arc::new(UInt64Array::from_iter_values(seq))),
        ("cpu", Arc::new(UInt32Array::from_iter_values(cpu))),
        ("buffer", Arc::new(UInt8Array::from_iter_values(buffer))),
        ("common_pid", ints(&|row| row.pid)),
        ("succeeded", ints(&|row| row.pid % 4)),
        ("failed", ints(&|_| 1)),
        ("reason", ints(&|row| row.pid % 20)),
        ("mode", ints(&|_| 1)),
        ("src_nid", ints(&|_| 0)),
        ("dst_nid", ints(&|_| 1)),
        ("nr_pages", ints(&|_| 3)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// A row at its place: time, input, rank.
type Placed = ((u64, usize, usize), Row);

/// Always the first of the tables' next rows, by time, input and rank; a gap begins after all of its time and input. No time
/// goes back.
fn merged(inputs: &[Vec<Row>]) -> Vec<Row> {
    let kinds = [What::Start, What::End, What::Misplaced, What::Lost];
    let mut tables: Vec<VecDeque<Placed>> = Vec::new();
    for (input, rows) in inputs.iter().enumerate() {
        tables.extend(kinds.map(|kind| {
            let lost = kind == What::Lost;
            let key = |seq, row: &Row| (row.ts, input, if lost { usize::MAX } else { seq });
            let rows = rows.iter().enumerate();
            let rows = rows.filter(|(_, row)| row.what == kind && (lost || !row.twice));
            let mut table: Vec<_> = rows.map(|(seq, row)| (key(seq, row), *row)).collect();
            if lost {
                table.sort_by_key(|(key, _)| *key);
            }
            table.into()
        }));
    }
    let (mut all, mut now) = (Vec::new(), 0);
    let next = |table: &&mut VecDeque<((u64, usize, usize), Row)>| table.front().map(|row| row.0);
    while let Some(first) = tables
        .iter_mut()
        .filter(|table| !table.is_empty())
        .min_by_key(next)
    {
        let (_, row) = first.pop_front().unwrap();
        now = row.ts.max(now);
        all.push(Row { ts: now, ..row });
    }
    all
}

fn model(inputs: &[Vec<Row>], (origin, end): (u64, u64)) -> Vec<PageBatch> {
    let mut begun: HashMap<i32, u64> = HashMap::new();
    let mut calls = Vec::new();
    for row in merged(inputs) {
        let ts = row.ts.clamp(origin, end);
        let call = PageBatch {
            start_ns: None,
            end_ns: ts,
            cpu: row.cpu,
            pid: row.pid,
            succeeded: (row.pid % 4) as u64,
            failed: 1,
            reason: (row.pid % 20) as u8,
            mode: 1,
            src_nid: -1,
            dst_nid: -1,
        };
        match row.what {
            What::Start => _ = begun.insert(row.pid, ts),
            What::End => calls.push(PageBatch {
                start_ns: begun.remove(&row.pid),
                ..call
            }),
            What::Misplaced => calls.push(PageBatch {
                succeeded: 3,
                failed: 0,
                reason: Reason::NumaMisplaced as u8,
                mode: 0,
                src_nid: 0,
                dst_nid: 1,
                ..call
            }),
            What::Lost => begun.clear(),
        }
    }
    calls
}

fn logged(inputs: &[Vec<Row>], cut: usize, (origin_ns, end_ns): (u64, u64)) -> Pages {
    let numbered = inputs.iter().enumerate();
    let tables = numbered.flat_map(|(input, rows)| tables(input as u32, rows, cut));
    let config = numa::Config {
        origin_ns,
        end_ns,
        nodes: &[],
        preferred: &[],
    };
    let mut memory = Memory::default();
    let (logs, _, pages) = LogsWriter::new(tables.collect(), &config, &mut memory).unwrap();
    logs.finish(pages, &mut |_| true).unwrap();
    Pages::open(memory.buffer(PAGE_RUNS_FILE), memory.buffer(PAGES_FILE)).unwrap()
}

proptest! {
    #[test]
    fn calls_are_those_of_all_rows_sorted(inputs in prop::collection::vec(recording(), 1..3), cut in 0..20_usize) {
        let span = (0, END);
        let found: Vec<PageBatch> = logged(&inputs, cut, span).rows(0, u64::MAX).unwrap().collect();
        prop_assert_eq!(found, model(&inputs, span));
    }

    #[test]
    fn calls_that_are_given_together_are_the_same(
        inputs in prop::collection::vec(busy(), 1..3),
        cut in 0..300_usize,
        origin in 0..60_u64,
        length in 0..500_u64,
    ) {
        let span = (origin, origin + length);
        let found: Vec<PageBatch> = logged(&inputs, cut, span).rows(0, u64::MAX).unwrap().collect();
        prop_assert_eq!(found, model(&inputs, span));
    }
}

#[test]
fn many_calls_of_a_run_are_cut() {
    let pairs = (0..10_000).flat_map(|number| {
        // Others come in between, once.
        let pid = if number == 5_000 { 9 } else { 7 };
        [What::Start, What::End].map(|what| Row {
            ts: number * 3 + u64::from(what == What::End),
            what,
            pid,
            cpu: 1,
            twice: false,
        })
    });
    let rows: Vec<Row> = pairs.collect();
    let span = (0, 30_000);
    let log = logged(std::slice::from_ref(&rows), 7_777, span);
    let lengths = |log: &Pages| -> Vec<usize> {
        let runs = log.runs(0, u64::MAX).unwrap();
        runs.map(|(_, calls)| calls.len()).collect()
    };
    assert_eq!(lengths(&log).iter().max(), Some(&1024));
    let found: Vec<PageBatch> = log.rows(0, u64::MAX).unwrap().collect();
    assert_eq!(found, model(&[rows], span));
    // One by one they come to the same runs.
    let memory = Memory::default();
    let mut writer =
        PagesWriter::new(memory.writer(PAGE_RUNS_FILE), memory.writer(PAGES_FILE)).unwrap();
    for call in &found {
        writer.push(call).unwrap();
    }
    writer.finish().unwrap();
    let other = Pages::open(memory.buffer(PAGE_RUNS_FILE), memory.buffer(PAGES_FILE)).unwrap();
    assert_eq!(lengths(&log), lengths(&other));
}
