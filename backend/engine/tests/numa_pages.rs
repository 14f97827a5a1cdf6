//! Calls that migrated pages, merged from their tables, beside a model that sorts all rows.
#![allow(clippy::unwrap_used, missing_docs)]

mod memory;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, UInt8Array, UInt32Array, UInt64Array};
use arrow_schema::ArrowError;
use memory::Memory;
use numalens_engine::events::LostMark;
use numalens_engine::numa::{
    self, NumaKind, NumaMerge, NumaTable, PAGE_RUNS_FILE, PAGES_FILE, PageBatch, Pages, Reason,
};
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

/// All rows sorted by time, input and rank; a gap begins after all of its time and input.
fn model(inputs: &[Vec<Row>]) -> Vec<PageBatch> {
    let mut all: Vec<((u64, usize, usize), Row)> = Vec::new();
    for (input, rows) in inputs.iter().enumerate() {
        for (seq, row) in rows.iter().enumerate() {
            let lost = row.what == What::Lost;
            if lost || !row.twice {
                let rank = if lost { usize::MAX } else { seq };
                all.push(((row.ts, input, rank), *row));
            }
        }
    }
    all.sort_by_key(|(key, _)| *key);
    let mut begun: HashMap<i32, u64> = HashMap::new();
    let mut calls = Vec::new();
    for (_, row) in all {
        let call = PageBatch {
            start_ns: None,
            end_ns: row.ts,
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
            What::Start => _ = begun.insert(row.pid, row.ts),
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

proptest! {
    #[test]
    fn calls_are_those_of_all_rows_sorted(inputs in prop::collection::vec(recording(), 1..3), cut in 0..20_usize) {
        let numbered = inputs.iter().enumerate();
        let tables = numbered.flat_map(|(input, rows)| tables(input as u32, rows, cut));
        let config = numa::Config { origin_ns: 0, end_ns: END, nodes: &[], preferred: &[] };
        let merge = NumaMerge::new(tables.collect()).unwrap();
        let mut memory = Memory::default();
        numa::pass(merge, [], &config, &mut memory, &mut |_| true).unwrap();
        let log = Pages::open(memory.bytes(PAGE_RUNS_FILE), memory.bytes(PAGES_FILE)).unwrap();
        let found: Vec<PageBatch> = log.rows(0, u64::MAX).collect();
        prop_assert_eq!(found, model(&inputs));
    }
}
