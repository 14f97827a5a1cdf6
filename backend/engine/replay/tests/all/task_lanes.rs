//! What a task did: worked examples, and any events against the slices of the CPUs.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int32Type, UInt8Type, UInt32Type};
use arrow_buffer::Buffer;
use numalens_core::topology::Node;
use numalens_replay::run_state::Inputs;
use numalens_replay::timeline::TaskState::{
    self, Blocked, Lost, NotRecorded, Preempted, Running, Sleeping, Woken,
};
use numalens_replay::timeline::{
    Index, KIND_EXACT, KIND_MERGED, KIND_THREADS, Lane, NO_CPU, TaskSpan, TaskSpans,
};
use numalens_replay::waits::{CAUSES_FILE, Cause, Order, WAITS_FILE, Waits};
use numalens_support::recordings::{Ev, Memory, What, config, items, run_pass, tables};
use proptest::prelude::*;

use crate::timeline::{events, hostile};

const CPUS: u32 = 4;

fn nodes() -> Vec<Node> {
    vec![
        Node {
            nid: 0,
            cpus: vec![0, 1],
        },
        Node {
            nid: 1,
            cpus: vec![2, 3],
        },
    ]
}

fn opened(events: &[Ev]) -> (Index, Waits) {
    let mut memory = Memory::default();
    let config = config(events, CPUS, nodes());
    let summary = run_pass(tables(events, 100), &config, Inputs::default(), &mut memory);
    let tasks = Buffer::from_vec(summary.tasks.write(&[], Vec::new()).unwrap());
    let index = Index::open(memory.files(), &tasks).unwrap();
    let file = |name| memory.file(name).unwrap();
    (
        index,
        Waits::open(file(WAITS_FILE), file(CAUSES_FILE)).unwrap(),
    )
}

/// The tasks of some pids.
fn of(index: &Index, pids: &[i32]) -> impl Fn(u32) -> bool {
    |task| index.task(task).is_some_and(|(pid, _)| pids.contains(&pid))
}

fn all(spans: &TaskSpans) -> Vec<TaskSpan> {
    spans.within(0, u64::MAX).to_vec()
}

/// States with begin, end and CPU.
fn states(events: &[(u64, u32, What)], pid: i32) -> Vec<(TaskState, u64, u64, u32)> {
    let events: Vec<Ev> = events
        .iter()
        .map(|&(ts, cpu, what)| Ev { ts, cpu, what })
        .collect();
    let (index, waits) = opened(&events);
    let spans = all(&index.task_spans(pid, &waits).unwrap());
    spans
        .iter()
        .map(|span| (span.state, span.start, span.end, span.cpu))
        .collect()
}

fn switch(prev: i32, state: i64, next: i32) -> What {
    What::Switch { prev, state, next }
}

#[test]
fn a_task_sleeps_is_woken_waits_and_runs() {
    let events = [
        (100, 0, switch(0, 0, 1)),
        (110, 1, switch(0, 0, 2)),
        (120, 0, switch(1, 1, 0)),
        (150, 1, What::Waking { pid: 1, target: 0 }),
        (152, 1, What::Wakeup { pid: 1, target: 0 }),
        (160, 0, switch(0, 0, 1)),
        (170, 0, switch(1, 0, 3)),
        (190, 0, switch(3, 1, 1)),
        (200, 0, switch(1, 2, 0)),
        (240, 1, switch(2, 1, 0)),
    ];
    assert_eq!(
        states(&events, 1),
        [
            (Running, 0, 20, 0),
            (Sleeping, 20, 50, NO_CPU),
            (Woken, 50, 60, 0),
            (Running, 60, 70, 0),
            (Preempted, 70, 90, 0),
            (Running, 90, 100, 0),
            (Blocked, 100, 140, NO_CPU),
        ]
    );
    assert_eq!(states(&events, 77), []);
}

#[test]
fn uninterruptible_sleeps_end_where_the_task_becomes_runnable() {
    let events: Vec<Ev> = [
        (100, 0, switch(0, 0, 1)),
        (110, 1, switch(0, 0, 2)),
        (120, 0, switch(1, 2, 0)),
        (150, 1, What::Waking { pid: 1, target: 0 }),
        (152, 1, What::Wakeup { pid: 1, target: 0 }),
        (160, 0, switch(0, 0, 1)),
        // S is no such sleep, and one that spans lost events may have been interrupted.
        (170, 0, switch(1, 1, 0)),
        (180, 0, switch(0, 0, 3)),
        (190, 0, switch(3, 2, 0)),
        (200, 1, What::Lost),
        (220, 1, switch(0, 0, 2)),
        (230, 1, switch(2, 2, 0)),
        (250, 0, switch(0, 0, 3)),
    ]
    .iter()
    .map(|&(ts, cpu, what)| Ev { ts, cpu, what })
    .collect();
    let (index, waits) = opened(&events);
    let sleeps = |from_ns, to_ns| -> Vec<_> {
        let each = |each: &mut dyn FnMut(u32, u64)| {
            waits.over(from_ns, to_ns, Order::Forwards, |wait, _| {
                each(wait.task, wait.start_ns);
            })
        };
        let found = index.blocked(from_ns, to_ns, each).unwrap();
        let pid = |task| index.task(task).unwrap().0;
        let found = found.iter();
        found
            .map(|one| (pid(one.task), one.cpu, one.from_ns, one.to_ns))
            .collect()
    };
    assert_eq!(sleeps(100, 245), [(1, 0, 120, 150), (2, 1, 230, 245)]);
    assert_eq!(sleeps(100, 130), [(1, 0, 120, 130)]);
    assert!(sleeps(121, 180).is_empty());
}

#[test]
fn before_its_first_event_a_task_did_what_is_not_recorded_and_after_its_end_nothing() {
    let events = [
        (100, 1, switch(0, 0, 2)),
        (150, 0, switch(0, 0, 1)),
        (160, 0, switch(1, 0x20, 0)),
        (300, 1, switch(2, 1, 0)),
    ];
    assert_eq!(
        states(&events, 1),
        [(NotRecorded, 0, 50, NO_CPU), (Running, 50, 60, 0),]
    );
}

#[test]
fn sleep_over_lost_events_is_not_known() {
    let events = [
        (100, 0, switch(0, 0, 1)),
        (120, 0, switch(1, 1, 0)),
        (150, 1, switch(0, 0, 2)),
        (160, 1, What::Lost),
        (190, 1, switch(2, 1, 0)),
        (200, 0, switch(0, 0, 1)),
        (220, 0, switch(1, 1, 0)),
    ];
    let found = states(&events, 1);
    let lost: Vec<_> = found.iter().filter(|span| span.0 == Lost).collect();
    assert!(!lost.is_empty(), "{found:?}");
    assert!(
        lost.iter().all(|span| span.1 >= 20 && span.2 <= 100),
        "{found:?}"
    );
    assert!(found.contains(&(Sleeping, 20, lost[0].1, NO_CPU)));
}

#[test]
fn a_lane_of_a_task_has_columns_of_its_own() {
    let events: Vec<Ev> = [
        (100, 0, switch(0, 0, 1)),
        (110, 1, switch(0, 0, 2)),
        (120, 0, switch(1, 1, 3)),
        (150, 1, What::Waking { pid: 1, target: 0 }),
        (152, 1, What::Wakeup { pid: 1, target: 0 }),
        (1_160, 0, switch(3, 1, 1)),
        (1_170, 0, switch(1, 1, 0)),
    ]
    .into_iter()
    .map(|(ts, cpu, what)| Ev { ts, cpu, what })
    .collect();
    let (index, waits) = opened(&events);
    let spans = index.task_spans(1, &waits).unwrap();
    let (from, to) = (index.origin_ns(), index.end_ns());
    let plain = index.window(&[Lane::Cpu(0)], from, to, 2_000).unwrap();
    assert!(plain.column_by_name("cause").is_none());
    let batch = index
        .window(&[Lane::Cpu(0), Lane::Task(&spans)], from, to, 2_000)
        .unwrap();
    let kinds = batch
        .column_by_name("kind")
        .unwrap()
        .as_primitive::<UInt8Type>();
    let row = (0..batch.num_rows())
        .find(|&row| kinds.value(row) == 6)
        .unwrap();
    let cause = batch
        .column_by_name("cause")
        .unwrap()
        .as_primitive::<UInt8Type>();
    let names = batch.schema().metadata()["causes"].clone();
    let name = names
        .split(',')
        .nth(usize::from(cause.value(row)))
        .unwrap()
        .to_owned();
    // CPUs 2 and 3 never had an event: whether they were idle is not known.
    assert!(Cause::ALL.iter().any(|cause| cause.name() == name));
    let waker = batch
        .column_by_name("waker_pid")
        .unwrap()
        .as_primitive::<Int32Type>();
    let cpu = batch
        .column_by_name("cpu")
        .unwrap()
        .as_primitive::<UInt32Type>();
    // All events of these recordings are of pid 77.
    assert_eq!((waker.value(row), cpu.value(row)), (77, 0));
}

/// Time with running, waiting, blocked, sleeping and unknown threads.
type Counted = (u64, [u32; 5]);

fn counted(
    index: &Index,
    waits: &Waits,
    pids: &[i32],
    counts: impl Fn(i32, u64) -> bool,
) -> Vec<Counted> {
    let counts = index.thread_counts(of(index, pids), counts, waits).unwrap();
    let steps = counts.within(0, u64::MAX).iter();
    steps
        .map(|step| {
            let of = [
                step.running,
                step.waiting,
                step.blocked,
                step.sleeping,
                step.unknown,
            ];
            (step.time, of)
        })
        .collect()
}

/// 1 runs, sleeps, is woken by 2, waits and runs; 2 runs until it blocks.
fn two() -> (Index, Waits) {
    let events: Vec<Ev> = [
        (100, 0, switch(0, 0, 1)),
        (110, 1, switch(0, 0, 2)),
        (120, 0, switch(1, 1, 0)),
        (150, 1, What::Waking { pid: 1, target: 0 }),
        (152, 1, What::Wakeup { pid: 1, target: 0 }),
        (160, 0, switch(0, 0, 1)),
        (170, 1, switch(2, 2, 0)),
        (200, 0, switch(1, 1, 0)),
    ]
    .into_iter()
    .map(|(ts, cpu, what)| Ev { ts, cpu, what })
    .collect();
    opened(&events)
}

#[test]
fn threads_together_are_counted_by_what_they_do() {
    let (index, waits) = two();
    assert_eq!(
        counted(&index, &waits, &[1, 2], |_, _| true),
        [
            (0, [1, 0, 0, 0, 1]),
            (10, [2, 0, 0, 0, 0]),
            (20, [1, 0, 0, 1, 0]),
            (50, [1, 1, 0, 0, 0]),
            (60, [2, 0, 0, 0, 0]),
            (70, [1, 0, 1, 0, 0]),
            (100, [0, 0, 0, 0, 0]),
        ]
    );
    // One that comes into the cgroup later counts from then on; another process' threads never do.
    let late = |pid, ts_ns| pid != 1 || ts_ns >= 150;
    assert_eq!(
        counted(&index, &waits, &[1], late),
        [(50, [0, 1, 0, 0, 0]), (60, [1, 0, 0, 0, 0]), (100, [0; 5])]
    );
    assert_eq!(counted(&index, &waits, &[77], |_, _| true), []);
}

#[test]
fn a_lane_of_threads_has_the_means_of_its_buckets() {
    let (index, waits) = two();
    let counts = index
        .thread_counts(of(&index, &[1, 2]), |_, _| true, &waits)
        .unwrap();
    let lanes = [Lane::Threads(&counts)];
    let (from, to) = (index.origin_ns(), index.end_ns());
    let shown = |px| {
        let batch = index.window(&lanes, from, to, px).unwrap();
        let floats = |name| {
            let column = batch.column_by_name(name).unwrap();
            column.as_primitive::<Float32Type>().values().to_vec()
        };
        (
            floats("busy"),
            floats("wait"),
            floats("blocked"),
            floats("unknown"),
            items(&batch),
        )
    };
    let (busy, wait, blocked, unknown, exact) = shown(100);
    assert_eq!(busy, [1.0, 2.0, 1.0, 1.0, 2.0, 1.0]);
    assert_eq!(wait, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(blocked, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(unknown, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert!(exact.iter().all(|item| item.kind == KIND_THREADS));
    // On two pixels buckets are 32 ns wide, the last one is cut off by the recording's end.
    let (busy, wait, _, _, merged) = shown(2);
    let ends: Vec<(f64, f64)> = merged.iter().map(|item| (item.start, item.end)).collect();
    assert_eq!(
        ends,
        [(0.0, 32.0), (32.0, 64.0), (64.0, 96.0), (96.0, 100.0)]
    );
    assert_eq!(
        busy,
        [(10.0 + 20.0 + 12.0) / 32.0, 36.0 / 32.0, 38.0 / 32.0, 1.0]
    );
    assert_eq!(wait, [0.0, 10.0 / 32.0, 0.0, 0.0]);
}

proptest! {
    #[test]
    fn as_many_threads_are_counted_as_do_it(events in events(), px in 1..60_u32) {
        let (index, waits) = opened(&events);
        let pids: Vec<i32> = (1..7).collect();
        let counts = index.thread_counts(of(&index, &pids), |_, _| true, &waits).unwrap();
        let lanes: Vec<TaskSpans> = pids.iter().map(|&pid| index.task_spans(pid, &waits).unwrap()).collect();
        let end = index.end_ns() - index.origin_ns();
        for step in counts.within(0, u64::MAX) {
            let doing = |wanted: &[TaskState]| {
                let at = lanes.iter().flat_map(|lane| lane.within(step.time, step.time + 1));
                at.filter(|span| wanted.contains(&span.state)).count() as u32
            };
            prop_assert_eq!(step.running, doing(&[Running]));
            prop_assert_eq!(step.waiting, doing(&[Woken, Preempted, TaskState::Resumed]));
            prop_assert_eq!(step.blocked, doing(&[Blocked]));
            prop_assert_eq!(step.sleeping, doing(&[Sleeping]));
            prop_assert_eq!(step.unknown, doing(&[NotRecorded, Lost]));
        }
        let ran: u64 = lanes.iter().flat_map(all)
            .filter(|span| span.state == Running).map(|span| span.end - span.start).sum();
        let batch = index.window(&[Lane::Threads(&counts)], index.origin_ns(), index.end_ns(), px).unwrap();
        let shown = items(&batch);
        prop_assert!(shown.len() <= 3 * px as usize + 3, "{} items on {px} pixels", shown.len());
        prop_assert!(shown.windows(2).all(|pair| pair[0].end <= pair[1].start));
        let busy: f64 = shown.iter().map(|item| f64::from(item.busy) * (item.end - item.start)).sum();
        prop_assert!((busy - ran as f64).abs() <= 1e-4 * end.max(1) as f64 * 7.0, "{busy} {ran}");
    }

    #[test]
    fn a_task_does_one_thing_at_a_time(events in events(), px in 1..60_u32) {
        let (index, waits) = opened(&events);
        let end = index.end_ns() - index.origin_ns();
        let mut ran = std::collections::BTreeMap::new();
        for cpu in 0..CPUS {
            for slice in index.slices(cpu, 0, u64::MAX).unwrap() {
                let pid = index.task(slice.task).unwrap().0;
                *ran.entry(pid).or_insert(0) += slice.end_ns - slice.start_ns;
            }
        }
        for pid in 1..7 {
            let lane = index.task_spans(pid, &waits).unwrap();
            let spans = all(&lane);
            prop_assert!(spans.iter().all(|span| span.start < span.end && span.end <= end));
            prop_assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{spans:?}");
            let running = spans.iter().filter(|span| span.state == Running);
            let running: u64 = running.map(|span| span.end - span.start).sum();
            // Of a task that damage puts on two CPUs at a time only one counts.
            prop_assert!(running <= ran.get(&pid).copied().unwrap_or(0));
            let shown = items(&index.window(&[Lane::Task(&lane)], index.origin_ns(), index.end_ns(), px).unwrap());
            prop_assert!(shown.len() <= 3 * px as usize + 3, "{} items on {px} pixels", shown.len());
            prop_assert!(shown.windows(2).all(|pair| pair[0].end <= pair[1].start));
            let busy: f64 = shown.iter()
                .filter(|item| [KIND_EXACT, KIND_MERGED].contains(&item.kind))
                .map(|item| f64::from(item.busy) * (item.end - item.start))
                .sum();
            prop_assert!((busy - running as f64).abs() <= 1e-4 * end.max(1) as f64, "{busy} {running}");
        }
    }

    #[test]
    fn a_window_has_the_spans_of_the_whole(events in events(), from: prop::sample::Index, len: prop::sample::Index) {
        let (index, waits) = opened(&events);
        let end = index.end_ns() - index.origin_ns();
        let from = from.index(end as usize + 1) as u64;
        let to = from + len.index((end - from) as usize + 1) as u64;
        let pids: Vec<i32> = (1..7).collect();
        let parts = index.task_spans_over(&pids, (from, to), &waits).unwrap();
        for pid in pids {
            let whole = all(&index.task_spans(pid, &waits).unwrap());
            let part = parts.get(&pid).cloned().unwrap_or_default();
            let spans = all(&part);
            prop_assert_eq!(part.goes_on() && spans.is_empty(), false);
            // A pid that another task gets after the window is gone.
            let gone = spans.last().map_or(0, |last| last.end);
            let until = if part.goes_on() { to } else { gone.min(to) };
            let inside = |spans: &[TaskSpan]| {
                let mut inside = spans.to_vec();
                inside.retain(|span| span.end > from && span.start < until);
                inside
            };
            prop_assert_eq!(inside(&spans), inside(&whole), "{} {} {}", pid, from, to);
            let Some(first) = spans.first() else { continue };
            let at = whole.iter().position(|span| span == first).unwrap();
            prop_assert_eq!(&whole[at..at + spans.len()], &spans[..]);
            // What a sleep may depend on is there.
            let asleep = |spans: &[TaskSpan]| spans.iter().rev().find(|span| span.is_asleep()).copied();
            let sleeps = spans.iter().position(|span| span.end > from && span.start <= to && span.is_asleep());
            if let Some(place) = sleeps.filter(|&place| asleep(&spans[..place]).is_none()) {
                let born = whole[at..at + place].iter().any(|span| span.state == Woken);
                prop_assert!(born || asleep(&whole[..at + place]).is_none());
            }
        }
    }

    #[test]
    fn damage_is_no_panic(events in prop::collection::vec(hostile(), 0..200), from: u64, to: u64, px: u32) {
        let (index, waits) = opened(&events);
        for pid in [0, 1, 2, 3, i32::MAX, i32::MIN] {
            let lane = index.task_spans(pid, &waits).unwrap();
            let counts = index.thread_counts(of(&index, &[pid]), |_, _| true, &waits).unwrap();
            index.window(&[Lane::Task(&lane), Lane::Threads(&counts)], from, to, px).unwrap();
        }
    }
}
