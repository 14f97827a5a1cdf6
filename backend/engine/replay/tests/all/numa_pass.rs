//! From tables to logs: which columns tell what, the order of several tables, page batches, and damaged tables.
#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Arc;

use arrow_array::{
    ArrayRef, Int32Array, RecordBatch, StringArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_schema::ArrowError;
use numalens_core::EngineError;
use numalens_core::topology::Node;
use numalens_events::{LostMark, Merge, NumaKind};
use numalens_replay::migrations::{How, Migration};
use numalens_replay::numa::{
    self, ATTEMPTS_FILE, Attempt, Attempts, ClingLine, LINES_FILE, LineRow, Lines, LogsWriter,
    NumaTable, PAGE_RUNS_FILE, PAGES_FILE, PageBatch, Pages, Reason, StickFormat, Summary,
    TargetFrom, Verdict,
};
use numalens_replay::pass::{self, PassInputs, Tables};
use numalens_replay::timeline;
use numalens_support::recordings::Memory;
use proptest::prelude::*;

/// A table: times, and columns of numbers or texts.
#[derive(Debug)]
struct Table {
    kind: NumaKind,
    ts: Vec<u64>,
    buffer: u8,
    columns: Vec<(&'static str, ArrayRef)>,
    print_fmt: &'static str,
}

fn table(kind: NumaKind, ts: &[u64], columns: &[(&'static str, &[i32])]) -> Table {
    let ints = |values: &[i32]| Arc::new(Int32Array::from(values.to_vec())) as ArrayRef;
    let columns = columns.iter().map(|&(name, values)| (name, ints(values)));
    Table {
        kind,
        ts: ts.to_vec(),
        buffer: 0,
        columns: columns.collect(),
        print_fmt: "",
    }
}

fn texts(mut table: Table, name: &'static str, values: &[&str]) -> Table {
    let values = StringArray::from(values.to_vec());
    table.columns.push((name, Arc::new(values)));
    table
}

impl Table {
    fn batch(&self, seq: u64) -> RecordBatch {
        let rows = self.ts.len();
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("ts_ns", Arc::new(UInt64Array::from(self.ts.clone()))),
            ("cpu", Arc::new(UInt32Array::from(vec![1; rows]))),
            (
                "seq",
                Arc::new(UInt64Array::from_iter_values(seq..seq + rows as u64)),
            ),
            (
                "buffer",
                Arc::new(UInt8Array::from(vec![self.buffer; rows])),
            ),
        ];
        columns.extend(self.columns.iter().cloned());
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn open(&self, input: u32, seq: u64) -> NumaTable<'static> {
        // Two batches, so that there is a border.
        let batch = self.batch(seq);
        let half = batch.num_rows() / 2;
        let rest = batch.num_rows() - half;
        let batches = [batch.slice(0, half), batch.slice(half, rest)];
        let batches = batches.map(Ok::<_, ArrowError>).into_iter();
        NumaTable::events(input, self.kind, 0, self.print_fmt, Box::new(batches))
    }
}

struct Out {
    summary: Summary,
    attempts: Vec<Attempt>,
    pages: Vec<PageBatch>,
    lines: Vec<LineRow>,
}

fn run(tables: Vec<NumaTable<'_>>, migrations: &[Migration]) -> Out {
    let node = |nid| Node {
        nid,
        cpus: (nid * 4..nid * 4 + 4).collect(),
    };
    let nodes: Vec<Node> = (0..4).map(node).collect();
    let config = numa::Config {
        origin_ns: 0,
        end_ns: 1_000_000,
        nodes: &nodes,
        preferred: &[],
    };
    let mut memory = Memory::default();
    let summary = logged(tables, migrations, &config, &mut memory);
    let (mut attempts, mut pages, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    let all = (0, u64::MAX);
    let log = Attempts::open(memory.buffer(ATTEMPTS_FILE)).unwrap();
    log.scan(all.0, all.1, |row| attempts.push(*row)).unwrap();
    let log = Pages::open(memory.buffer(PAGE_RUNS_FILE), memory.buffer(PAGES_FILE)).unwrap();
    log.scan(all.0, all.1, |row| pages.push(*row)).unwrap();
    let log = Lines::open(memory.buffer(LINES_FILE)).unwrap();
    log.scan(all.0, all.1, |row| lines.push(*row)).unwrap();
    Out {
        summary,
        attempts,
        pages,
        lines,
    }
}

/// The logs of the tables' events and the migrations, in the order in which the pass gives them.
fn logged(
    tables: Vec<NumaTable<'_>>,
    migrations: &[Migration],
    config: &numa::Config<'_>,
    memory: &mut Memory,
) -> Summary {
    let (mut logs, tables, pages) = LogsWriter::new(tables, config, memory).unwrap();
    let mut merge = Merge::new(tables).unwrap();
    let mut migrations = migrations.iter().peekable();
    while let Some((ts_ns, row)) = merge.next_row().unwrap() {
        while let Some(migration) = migrations.next_if(|next| next.ts_ns < ts_ns) {
            logs.migration(migration);
        }
        if let Some((cpu, event)) = row {
            logs.event(ts_ns, cpu, &event).unwrap();
        }
    }
    migrations.for_each(|migration| logs.migration(migration));
    logs.finish(pages, &mut |_| true).unwrap()
}

fn of(tables: &[Table]) -> Out {
    let tables = tables.iter().map(|table| table.open(0, 0)).collect();
    run(tables, &[])
}

fn ten(ts: &[u64], pid: &[i32], dst_cpu: &[i32], dst_pid: &[i32]) -> Table {
    let same = |value| vec![value; ts.len()];
    table(
        NumaKind::Stick,
        ts,
        &[
            ("src_pid", pid),
            ("src_cpu", &same(1)),
            ("src_nid", &same(0)),
            ("src_ngid", &same(7)),
            ("dst_pid", dst_pid),
            ("dst_cpu", dst_cpu),
        ],
    )
}

fn migration(ts_ns: u64, pid: i32, dest_cpu: u32) -> Migration {
    Migration {
        ts_ns,
        cpu: 1,
        pid,
        task: 0,
        orig_cpu: 1,
        dest_cpu,
        how: How::Unknown,
    }
}

#[test]
fn the_fields_tell_which_stick_it_is() {
    let out = of(&[ten(&[5, 6], &[1, 2], &[-1, 5], &[0, 9])]);
    let verdicts: Vec<Verdict> = out.attempts.iter().map(|row| row.verdict).collect();
    assert_eq!(verdicts, [Verdict::NoCpu, Verdict::SwapRefused]);
    assert_eq!(out.summary.sources.stick, Some(StickFormat::Ten));
    assert_eq!(out.attempts[0].ngid, 7);
    let old = table(
        NumaKind::Stick,
        &[5],
        &[("pid", &[1]), ("dst_cpu", &[5]), ("dst_nid", &[1])],
    );
    let out = of(&[old]);
    assert_eq!(out.attempts[0].verdict, Verdict::MoveRefused);
    assert_eq!(out.summary.sources.stick, Some(StickFormat::Seven));
    assert_eq!((out.attempts[0].ngid, out.attempts[0].src_cpu), (-1, -1));
}

#[test]
fn events_and_migrations_of_one_time_have_an_order() {
    let moved = || {
        table(
            NumaKind::Move,
            &[5],
            &[("pid", &[1]), ("dst_cpu", &[5]), ("dst_nid", &[1])],
        )
    };
    // Text has microseconds: what happens within one has one time.
    let out = run(vec![moved().open(0, 0)], &[migration(5, 1, 5)]);
    assert_eq!(out.attempts[0].verdict, Verdict::Moved);
    // The rank in the recording shows that the failure is the move's, whichever table comes first.
    for tables in [[0, 1], [1, 0]] {
        let stick = ten(&[5], &[1], &[5], &[0]);
        let tables = tables.map(|at| {
            if at == 0 {
                moved().open(0, 10)
            } else {
                stick.open(0, 11)
            }
        });
        let out = run(tables.into(), &[]);
        assert_eq!(out.attempts.len(), 1);
        assert_eq!(out.attempts[0].verdict, Verdict::MoveFailed);
    }
}

#[test]
fn other_tracing_instances_saw_the_same_again() {
    let mut again = ten(&[5], &[1], &[-1], &[0]);
    again.buffer = 1;
    let out = of(&[ten(&[5], &[1], &[-1], &[0]), again]);
    assert_eq!(out.attempts.len(), 1);
}

#[test]
fn probes_print_what_they_like() {
    let set = |columns: &[(&'static str, &[i32])]| {
        let out = of(&[table(NumaKind::Setnuma, &[5], columns)]);
        let row = out.lines.first().copied();
        row.map(|row| (row.line, row.current))
    };
    let line = |pid, old, new| ClingLine::Setnuma { pid, old, new };
    let bare: &[(&str, &[i32])] = &[("common_pid", &[9]), ("nid", &[1])];
    assert_eq!(set(bare), Some((line(9, None, 1), 9)));
    let full: &[(&str, &[i32])] = &[("pid", &[9]), ("old_nid", &[2]), ("new_nid", &[-1])];
    assert_eq!(set(full), Some((line(9, Some(2), -1), -1)));
    // No task, or no place.
    assert_eq!(set(&[("nid", &[1])]), None);
    assert_eq!(set(&[("common_pid", &[9])]), None);
    let out = of(&[
        table(
            NumaKind::Entry,
            &[5],
            &[("common_pid", &[9]), ("pref_nid", &[2])],
        ),
        table(
            NumaKind::Return,
            &[7],
            &[("common_pid", &[9]), ("ret", &[-22])],
        ),
    ]);
    let row = out.attempts[0];
    assert_eq!((row.verdict, row.ret), (Verdict::NoDomain, Some(-22)));
    assert_eq!((row.target_nid, row.target_from), (2, TargetFrom::Entry));
    assert_eq!((row.src_cpu, row.src_nid), (1, 0));
    let sources = out.summary.sources;
    assert!(sources.entry_probe && sources.entry_tells_node && sources.return_probe);
    assert!(!sources.setnuma_probe && !sources.cling_lines);
}

#[test]
fn what_a_probe_and_a_line_tell_counts_once() {
    let probe = table(
        NumaKind::Setnuma,
        &[10, 30, 50],
        &[("common_pid", &[9, 9, 9]), ("nid", &[1, -1, 1])],
    );
    let lines = table(NumaKind::Print, &[11, 31, 40], &[("common_pid", &[9; 3])]);
    let lines = texts(
        lines,
        "buf",
        &[
            "cling: setnuma pid=9 old=-1 new=1 cpu=1",
            "sched_setnuma: cling: setnuma pid=9 old=1 new=-1 cpu=1",
            // The probe missed this one.
            "cling: setnuma pid=9 old=-1 new=0 cpu=1",
        ],
    );
    let out = of(&[probe, lines]);
    let times: Vec<u64> = out.lines.iter().map(|row| row.ts_ns).collect();
    assert_eq!(times, [10, 30, 40, 50]);
    let counts = out.summary.counts;
    assert_eq!((counts.lines, counts.recorded_twice), (4, 2));
    let sources = out.summary.sources;
    assert!(sources.setnuma_probe && sources.setnuma_line && sources.cling_lines);
}

const PRINT_FMT: &str = r#""%s", __print_symbolic(REC->mode, { 0, "MIGRATE_ASYNC" }, { 1, "MIGRATE_SYNC_LIGHT" }),
 __print_symbolic(REC->reason, { 0, "compaction" }, { 4, "numa_misplaced" }, { 5, "mempolicy_mbind" })"#;

#[test]
fn batches_of_pages_have_their_beginnings() {
    let starts = table(
        NumaKind::MigratePagesStart,
        &[10, 12],
        &[("common_pid", &[8, 9])],
    );
    let mut ends = table(
        NumaKind::MigratePages,
        &[20, 21, 30],
        &[
            ("common_pid", &[9, 8, 9]),
            ("succeeded", &[3, 4, 5]),
            ("failed", &[0, 1, 0]),
            ("mode", &[0, 1, 7]),
            ("reason", &[4, 5, 9]),
        ],
    );
    ends.print_fmt = PRINT_FMT;
    let out = of(&[starts, ends]);
    let rows: Vec<_> = out
        .pages
        .iter()
        .map(|row| {
            (
                row.pid,
                row.start_ns,
                row.succeeded,
                Reason::of(row.reason),
                row.mode,
            )
        })
        .collect();
    let want = [
        (9, Some(12), 3, Reason::NumaMisplaced, 0),
        (8, Some(10), 4, Reason::Mbind, 1),
        (9, None, 5, Reason::Other, 255),
    ];
    assert_eq!(rows, want);
    let counts = out.summary.counts;
    assert_eq!((counts.page_batches, counts.timed_batches), (3, 2));
}

#[test]
fn recordings_as_text_have_names() {
    let ends = table(
        NumaKind::MigratePages,
        &[20],
        &[
            ("common_pid", &[9]),
            ("nr_succeeded", &[3]),
            ("nr_failed", &[2]),
        ],
    );
    let ends = texts(ends, "reason", &["demotion"]);
    let ends = texts(ends, "mode", &["MIGRATE_SYNC"]);
    let row = of(&[ends]).pages[0];
    assert_eq!((row.succeeded, row.failed), (3, 2));
    assert_eq!((row.reason, row.mode), (Reason::Demotion as u8, 2));
}

#[test]
fn a_beginning_before_a_gap_is_not_the_next_ends() {
    let starts = table(NumaKind::MigratePagesStart, &[10], &[("common_pid", &[9])]);
    let ends = table(
        NumaKind::MigratePages,
        &[20],
        &[("common_pid", &[9]), ("succeeded", &[3]), ("failed", &[0])],
    );
    let mark = LostMark {
        since_ns: 12,
        until_ns: 15,
        seq: 2,
        cpu: 3,
        buffer: 0,
    };
    let tables = vec![
        starts.open(0, 0),
        ends.open(0, 5),
        NumaTable::lost(0, vec![mark]),
    ];
    let out = run(tables, &[]);
    assert_eq!(out.pages[0].start_ns, None);
    assert_eq!(out.summary.counts.lost, 1);
}

#[test]
fn misplaced_pages_have_their_nodes() {
    let columns: &[(&str, &[i32])] = &[
        ("pid", &[9]),
        ("src_nid", &[1]),
        ("dst_nid", &[0]),
        ("nr_pages", &[512]),
    ];
    let out = of(&[table(NumaKind::Misplaced, &[20], columns)]);
    let row = out.pages[0];
    assert_eq!((row.src_nid, row.dst_nid, row.succeeded), (1, 0, 512));
    assert_eq!(Reason::of(row.reason), Reason::NumaMisplaced);
    let counts = out.summary.counts;
    assert_eq!((counts.page_batches, counts.misplaced), (0, 1));
}

#[test]
fn whoever_watches_may_stop_it() {
    let ts: Vec<u64> = (0..70_000).collect();
    let rows = vec![1; ts.len()];
    let skips = table(NumaKind::SkipVma, &ts, &[("common_pid", &rows)]);
    let config = timeline::Config {
        end_ns: u64::MAX,
        ..timeline::Config::default()
    };
    let tables = Tables {
        numa: vec![skips.open(0, 0)],
        ..Tables::default()
    };
    let (inputs, mut memory) = (PassInputs::default(), Memory::default());
    let stopped = pass::run(tables, &config, inputs, &mut memory, &mut |_| false);
    assert!(matches!(stopped, Err(EngineError::Stopped)));
}

const KINDS: [NumaKind; 12] = [
    NumaKind::Move,
    NumaKind::Swap,
    NumaKind::Stick,
    NumaKind::MigratePages,
    NumaKind::MigratePagesStart,
    NumaKind::Misplaced,
    NumaKind::SkipVma,
    NumaKind::Print,
    NumaKind::Setnuma,
    NumaKind::Entry,
    NumaKind::Return,
    NumaKind::Timer,
];

fn any_table() -> impl Strategy<Value = Table> {
    let columns = prop::collection::btree_set(4..NumaKind::COLUMNS.len(), 0..20);
    let ts = prop::collection::vec(0..2_000_000_u64, 0..12);
    (0..KINDS.len(), columns, ts, any::<[i32; 4]>(), any::<u16>()).prop_map(
        |(kind, columns, ts, values, as_text)| {
            let mut made = table(KINDS[kind], &ts, &[]);
            for (place, column) in columns.into_iter().enumerate() {
                let name = NumaKind::COLUMNS[column];
                let small = |at: usize| values[(at + place) % 4] >> (place * 7 % 31);
                let numbers: Vec<i32> = (0..ts.len()).map(small).collect();
                // A column may hold unexpected values.
                made.columns.push(if as_text >> (place % 16) & 1 == 1 {
                    let texts = numbers.iter().map(|number| format!("cling: {number}"));
                    (name, Arc::new(StringArray::from_iter_values(texts)) as _)
                } else {
                    (name, Arc::new(Int32Array::from(numbers)) as _)
                });
            }
            made
        },
    )
}

proptest! {
    #[test]
    fn no_table_is_too_strange(tables in prop::collection::vec(any_table(), 0..6)) {
        let out = of(&tables);
        prop_assert!(out.attempts.is_sorted_by_key(|row| row.start_ns));
        prop_assert!(out.pages.is_sorted_by_key(|row| row.end_ns));
        prop_assert!(out.lines.is_sorted_by_key(|row| row.ts_ns));
        prop_assert!(out.pages.iter().all(|row| row.start_ns.is_none_or(|start| start <= row.end_ns)));
    }
}
