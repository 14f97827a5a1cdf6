//! What probes on the balancer's functions tell takes the place of what the replay infers
//! (`docs/algorithms/idle_balancing.md`, I12), in a worked example and its look-alikes.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, UInt8Array, UInt32Array, UInt64Array};
use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::Label;
use numalens_events::{IlbKind, Kinds, Rows};
use numalens_idle_balancing::model::{Annotation, Kind, Why, flags};
use numalens_idle_balancing::{Config, ModelKind, Replay, Resting};
use numalens_replay::idle_balancing::{
    BLOCKED_DUE, IlbRow, IlbTable, Jiffies, NR_KNOWN, Observer, SHORT, Sources, UPDATE_DUE,
};
use numalens_replay::states::{MACHINE, OnCpu, State, StateRow};

const MS: u64 = 1_000_000;
const JIFFY: u64 = 4 * MS;

fn row(ts_ns: u64, kind: IlbKind, cpu: u32, a: u64, b: u64) -> IlbRow {
    let subject = cpu;
    IlbRow {
        ts_ns,
        cpu,
        kind,
        subject,
        a,
        b,
    }
}

fn state(cpu: u32, running: u16) -> StateRow {
    let on = if running > 0 {
        OnCpu::Task
    } else {
        OnCpu::Idle
    };
    StateRow {
        ts_ns: 0,
        cpu,
        group: MACHINE,
        state: State {
            on,
            running,
            ..State::default()
        },
    }
}

/// CPUs 0 and 2 run one task each, CPU 1 is idle and has stopped its tick; the kicks of the guided model.
fn kicks(rows: &[IlbRow]) -> Vec<(u64, Option<u32>, u32, Why)> {
    let there = [IlbKind::Arrive, IlbKind::Trigger, IlbKind::TickStop];
    let kinds = there.into_iter().fold(Kinds::default(), Kinds::with);
    let config = Config {
        kernel: Some(KernelVersion {
            major: 6,
            minor: 12,
        }),
        cpus: 3,
        llc: Vec::new(),
        jiffies: Jiffies::from_origin(250, 0),
        kinds: rows.iter().fold(kinds, |kinds, row| kinds.with(row.kind)),
        from_ns: 0,
        to_ns: 1000 * MS,
        count_from_ns: 0,
        follow: vec![ModelKind::TraceDriven],
    };
    let mut sent = Vec::new();
    let mut out = |_, told: &Annotation| {
        if told.kind == Kind::KickSent {
            sent.push((told.t_ns / JIFFY, told.target, told.flags, told.why));
        }
    };
    let mut replay = Replay::new(config, &mut out);
    replay.state(&state(0, 1));
    replay.state(&state(1, 0));
    replay.state(&state(2, 1));
    replay.row(&row(1, IlbKind::TickStop, 1, 1, 0));
    for row in rows {
        replay.row(row);
    }
    let _ = replay.finish();
    sent
}

/// A tick of CPU 0 with so many tasks.
fn tick(jiffy: u64, nr_running: u64) -> IlbRow {
    row(jiffy * JIFFY, IlbKind::Trigger, 0, nr_running | NR_KNOWN, 0)
}

/// What the tick finds: jiffies until `nohz.next_balance`, and what is due.
fn nohz(jiffy: u64, until_next: i64, due: u64) -> IlbRow {
    row(jiffy * JIFFY, IlbKind::Nohz, 0, until_next as u64, due)
}

/// The kernel's `next_balance` is 3 jiffies away, so that a CPU with 2 tasks kicks at jiffy 13 and not at 10; nothing else is due.
#[test]
fn the_kernels_next_balance_decides() {
    let both = flags::STATS | flags::BALANCE;
    let told = [
        nohz(10, 3, 0),
        tick(10, 2),
        nohz(13, 0, 0),
        tick(13, 2),
        nohz(14, 60, 0),
        tick(14, 2),
    ];
    assert_eq!(kicks(&told), [(13, Some(1), both, Why::NrRunning)]);
    // Without it no event shows when balancing is due, and a CPU that entered the mask counts as due.
    let untold: Vec<IlbRow> = told
        .into_iter()
        .filter(|row| row.kind == IlbKind::Trigger)
        .collect();
    let (first, due) = (kicks(&untold)[0], flags::STATS | flags::NEXT);
    assert_eq!(first, (10, Some(1), due, Why::BlockedLoad));
}

/// What is due before `next_balance`, and a CPU whose capacity interrupts take; the look-alikes have one task and nothing due.
#[test]
fn what_is_due_is_the_kernels() {
    let one = |until, due| kicks(&[nohz(10, until, due), tick(10, 1)]);
    assert_eq!(
        one(3, BLOCKED_DUE),
        [(10, Some(1), flags::STATS, Why::BlockedLoad)]
    );
    assert_eq!(
        one(3, UPDATE_DUE),
        [(10, Some(1), flags::NEXT, Why::NextBalance)]
    );
    let both = flags::STATS | flags::BALANCE;
    assert_eq!(one(0, SHORT), [(10, Some(1), both, Why::Capacity)]);
    assert_eq!(one(3, SHORT), []);
    assert_eq!(one(0, 0), []);
    // An idle tick asks for nothing, whatever is due.
    assert_eq!(
        kicks(&[nohz(10, 0, BLOCKED_DUE), {
            let mut idle = tick(10, 0);
            idle.a |= numalens_replay::idle_balancing::IDLE;
            idle
        }]),
        []
    );
}

/// CPU 1 has a task that is about to come on it, as only the probe tells: it is no CPU to kick.
#[test]
fn nr_running_is_the_kernels() {
    let due = [nohz(10, 0, 0), tick(10, 2)];
    let told = |cpu, nr_running| IlbRow {
        subject: cpu,
        ..row(9 * JIFFY, IlbKind::NrRunning, 0, nr_running, 0)
    };
    let of = |before: &[IlbRow]| kicks(&[before, &due].concat()).len();
    assert_eq!(of(&[told(1, 1)]), 0);
    assert_eq!(of(&[told(1, 1), told(1, 0)]), 1);
    assert_eq!(of(&[told(0, 1)]), 1);
    // After lost events it is not known.
    assert_eq!(
        of(&[told(1, 1), row(9 * JIFFY, IlbKind::Lost, 0, 9 * JIFFY, 0)]),
        1
    );
}

/// A tick's table of 3 ticks: what its probe read becomes a row before the tick's own.
#[test]
fn a_tick_tells_of_nohz_too() {
    let ints = |values: [i32; 3]| -> ArrayRef { Arc::new(Int32Array::from(values.to_vec())) };
    let longs = |values: [u64; 3]| -> ArrayRef { Arc::new(UInt64Array::from(values.to_vec())) };
    // Jiffies begin 5 min before they wrap (`INITIAL_JIFFIES`, 32 bits of them).
    let now = 0xffff_fff0;
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("ts_ns", longs([10, 20, 30])),
        ("cpu", Arc::new(UInt32Array::from(vec![1; 3]))),
        ("seq", longs([0, 1, 2])),
        ("buffer", Arc::new(UInt8Array::from(vec![0; 3]))),
        ("nr_running", ints([2, 1, 1])),
        ("idle_balance", ints([0; 3])),
        ("next_balance", longs([now + 2; 3])),
        ("jiffies", longs([now; 3])),
        ("nohz_next_balance", longs([now + 3, now, now - 1])),
        ("nohz_next_blocked", longs([now, now - 1, now - 1])),
        ("has_blocked", ints([1, 1, 0])),
        ("needs_update", ints([1, 0, 0])),
        ("capacity", longs([1024, 1024, 870])),
        ("imbalance_pct", ints([117, 0, 117])),
    ];
    let rows = |columns: &[(&str, ArrayRef)]| {
        let batch = RecordBatch::try_from_iter(columns.to_vec()).unwrap();
        let batches = Box::new(std::iter::once(Ok(batch)));
        let mut table = IlbTable::new(0, IlbKind::Trigger, 0, None, batches);
        let mut rows = Vec::new();
        while table.advance().unwrap().is_some() {
            rows.extend(table.row());
            table.consume();
        }
        rows
    };
    let all = rows(&columns);
    let kinds: Vec<IlbKind> = all.iter().map(|row| row.kind).collect();
    assert_eq!(kinds, [IlbKind::Nohz, IlbKind::Trigger].repeat(3));
    let told = all
        .iter()
        .step_by(2)
        .map(|row| (row.ts_ns, row.a as i64, row.b));
    let expected = [(10, 3, UPDATE_DUE), (20, 0, BLOCKED_DUE), (30, -1, SHORT)];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert_eq!((all[1].a, all[1].b), (2 | NR_KNOWN, now + 2));
    let names = |columns: &[(&'static str, ArrayRef)]| -> Vec<&'static str> {
        columns.iter().map(|column| column.0).collect()
    };
    assert_eq!(IlbKind::Trigger.also(&names(&columns)), Some(IlbKind::Nohz));
    // A probe of another tool, which reads one thing less.
    columns.retain(|column| column.0 != "needs_update");
    assert!(
        rows(&columns)
            .iter()
            .all(|row| row.kind == IlbKind::Trigger)
    );
    assert_eq!(IlbKind::Trigger.also(&names(&columns)), None);
}

#[test]
fn probes_are_known_by_their_names() {
    let of = |event, columns: &[&str]| IlbKind::of("numalens", event, columns);
    let back = &["__probe_func", "__probe_ret_ip"];
    assert_eq!(of("_nohz_idle_balance_ret", back), Some(IlbKind::PassEnd));
    assert_eq!(of("_nohz_idle_balance", back), Some(IlbKind::PassEnd));
    // Text has no such columns.
    assert_eq!(of("_nohz_idle_balance_ret", &[]), Some(IlbKind::PassEnd));
    assert_eq!(of("nohz_idle_balance_ret", &[]), None);
    assert_eq!(of("nohz_csd_func_ret", back), None);
    assert_eq!(of("sched_balance_trigger_ret", &[]), None);
    let tasks = of("sched_update_nr_running_tp", &["nr_running"]);
    assert_eq!(tasks, Some(IlbKind::NrRunning));
    assert_eq!(of("sched_balance_newidle", &[]), Some(IlbKind::NewIdle));
    let ends = of("sched_balance_newidle_ret", back);
    assert_eq!(ends, Some(IlbKind::NewIdleEnd));
    assert_eq!(of("load_balance_ret", &[]), Some(IlbKind::SearchEnd));
    let kicks = of("smp_call_function_single_async", &["func"]);
    assert_eq!(kicks, Some(IlbKind::CsdQueue));
    let calls = of("__smp_call_single_queue", &["type"]);
    assert_eq!(calls, Some(IlbKind::WakeQueue));
    assert_eq!(of("sched_ttwu_pending", &[]), Some(IlbKind::WakeEntry));
    assert_eq!(of("sched_ttwu_pending_ret", back), None);
}

/// A task that is woken on CPU 1 by a call has not come, and a kick is under way to it: neither is kicked for.
#[test]
fn calls_under_way_are_the_kernels() {
    let call = |ms: u64, kind, cpu, subject| IlbRow {
        subject,
        ..row(ms * MS, kind, cpu, 0, 0)
    };
    let due = |jiffy| [nohz(jiffy, 0, 0), tick(jiffy, 2)];
    let waking = [call(39, IlbKind::WakeQueue, 0, 1)];
    let taken = [call(39, IlbKind::WakeEntry, 1, 1)];
    assert_eq!(kicks(&[&waking[..], &due(10)].concat()).len(), 0);
    assert_eq!(kicks(&[&waking[..], &taken, &due(10)].concat()).len(), 1);
    // Sent at jiffy 10, and 28 ms later not there; a look-alike that the kernel did not send holds nothing back.
    let sent = [call(40, IlbKind::CsdQueue, 0, 1)];
    let came = [call(67, IlbKind::CsdEntry, 1, 1)];
    let other = [
        call(40, IlbKind::CsdQueue, 1, 0),
        call(41, IlbKind::CsdEntry, 0, 0),
    ];
    let begin = row(2, IlbKind::Pass, 0, 0, 0);
    let run = |calls: &[IlbRow], later: &[IlbRow]| {
        let all = [&[begin], &due(10)[..], calls, later, &due(17)].concat();
        kicks(&all).iter().map(|kick| kick.0).collect::<Vec<u64>>()
    };
    assert_eq!(run(&sent, &came), [10, 17]);
    assert_eq!(run(&other, &[]), [10, 17]);
    let late = [call(69, IlbKind::CsdEntry, 1, 1)];
    let all = [&[begin], &due(10)[..], &sent, &due(17), &late].concat();
    assert_eq!(kicks(&all).len(), 1);
}

/// Before 6.5 nothing tells that a call begins but the probe on `nohz_csd_func`: it ends that the kick is under way.
#[test]
fn a_kick_is_under_way_until_its_probe_is_hit() {
    let begin = row(2, IlbKind::Pass, 0, 0, 0);
    let sent = IlbRow {
        subject: 1,
        ..row(40 * MS, IlbKind::CsdQueue, 0, 0, 0)
    };
    let due = |jiffy| [nohz(jiffy, 0, 0), tick(jiffy, 2)];
    let both = u64::from(flags::STATS | flags::BALANCE) | NR_KNOWN;
    let came = |ms| row(ms * MS, IlbKind::Arrive, 1, both, 0);
    let run = |came: IlbRow, first: bool| {
        let (early, late) = if first {
            (vec![came], vec![])
        } else {
            (vec![], vec![came])
        };
        let all = [&[begin], &due(10)[..], &[sent], &early, &due(17), &late].concat();
        let all = [&all[..], &due(24)].concat();
        kicks(&all).iter().map(|kick| kick.0).collect::<Vec<u64>>()
    };
    // The kernel did not send that of 17, so that it is not in the way of the next one.
    assert_eq!(run(came(67), true), [10, 17, 24]);
    assert_eq!(run(came(69), false), [10, 24]);
}

/// A probe on `__smp_call_single_queue` reads what kind of call it is; one on `sched_ttwu_pending` is about nothing else.
#[test]
fn wake_ups_are_known_by_the_type_of_their_calls() {
    const WAKE: u64 = 0xffff_ffff_8110_2000;
    let longs = |values: Vec<u64>| -> ArrayRef { Arc::new(UInt64Array::from(values)) };
    let ints = |values: Vec<u32>| -> ArrayRef { Arc::new(UInt32Array::from(values)) };
    let of = |kind, more: Vec<(&str, ArrayRef)>| {
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("ts_ns", longs(vec![10, 20, 30])),
            ("cpu", ints(vec![0; 3])),
            ("seq", longs(vec![0, 1, 2])),
            ("buffer", Arc::new(UInt8Array::from(vec![0; 3]))),
            ("arg_cpu", ints(vec![1, 2, 3])),
        ];
        columns.extend(more);
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let batches = Box::new(std::iter::once(Ok(batch)));
        let mut table = IlbTable::new(0, kind, 0, Some(WAKE), batches);
        let mut subjects = Vec::new();
        while table.advance().unwrap().is_some() {
            subjects.extend(table.row().map(|row| row.subject));
            table.consume();
        }
        subjects
    };
    // Asynchronous, a wake-up, synchronous and locked.
    let types = || vec![("type", ints(vec![0x00, 0x30, 0x11]))];
    let functions = || vec![("func", longs(vec![7, WAKE, 8]))];
    assert_eq!(of(IlbKind::WakeQueue, types()), [2]);
    // The kernel's own event has the function.
    assert_eq!(of(IlbKind::WakeQueue, functions()), [2]);
    assert_eq!(of(IlbKind::WakeEntry, vec![]), [0, 0, 0]);
    assert_eq!(of(IlbKind::WakeEntry, functions()), [0]);
}

#[test]
fn passes_last_until_they_return() {
    let all = [IlbKind::Pass, IlbKind::PassEnd, IlbKind::Exit];
    for returns in [true, false] {
        let kinds = all
            .into_iter()
            .filter(|&kind| returns || kind != IlbKind::PassEnd);
        let kinds = kinds.fold(Kinds::default(), Kinds::with);
        let mut observer = Observer::new(kinds);
        for (at, kind) in [
            (10, IlbKind::Entry),
            (12, IlbKind::Pass),
            (17, IlbKind::PassEnd),
            (20, IlbKind::Exit),
            // On its way into idle, in no softirq.
            (40, IlbKind::Pass),
            (45, IlbKind::PassEnd),
        ] {
            if returns || kind != IlbKind::PassEnd {
                observer.row(&row(at, kind, 3, 0, 0));
            }
        }
        observer.finish();
        let passes = observer.passes.iter();
        let passes = passes.map(|pass| (pass.from_ns, pass.to_ns, pass.kicked));
        let expected = if returns {
            [(12, 17, true), (40, 45, false)]
        } else {
            [(12, 20, true), (40, 40, false)]
        };
        assert_eq!(passes.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn what_is_read_is_observed() {
    let bare = Kinds::default().with(IlbKind::Trigger);
    let probed = bare.with(IlbKind::Nohz).with(IlbKind::NrRunning);
    let labels = |kinds| {
        let sources = Sources::of(kinds);
        (sources.next_balance.label, sources.nr_running.label)
    };
    assert_eq!(labels(bare), (Label::Inferred, Label::Replayed));
    assert_eq!(labels(probed), (Label::Observed, Label::Observed));
    let kernel = Some(KernelVersion {
        major: 6,
        minor: 12,
    });
    let of = |follow: ModelKind, kinds| follow.label(kernel, kinds).0;
    assert_eq!(of(ModelKind::TraceDriven, probed), Label::Replayed);
    assert_eq!(of(ModelKind::TraceDriven, bare), Label::Inferred);
    assert_eq!(of(ModelKind::Modern, probed), Label::Inferred);
}

/// CPUs 0 and 2 tick with two tasks each, 20 µs apart, and both ticks are under way for 100 µs.
#[test]
fn a_tick_decides_behind_its_probe() {
    let at = |us: u64, kind, cpu, subject| IlbRow {
        subject,
        ..row(10 * JIFFY + us * 1000, kind, cpu, 0, 0)
    };
    let ticks = |cpu: u32, us: u64| {
        [nohz(10, 0, 0), tick(10, 2)].map(|one| IlbRow {
            ts_ns: one.ts_ns + us * 1000,
            cpu,
            subject: cpu,
            ..one
        })
    };
    let run = |between: &[IlbRow], ends: bool| {
        let begin = [row(2, IlbKind::Pass, 0, 0, 0)];
        let mut all = [&begin, &ticks(0, 0)[..], &ticks(2, 20), between].concat();
        all.sort_by_key(|row| row.ts_ns);
        all.retain(|row| ends || row.kind != IlbKind::TickEnd);
        kicks(&all).iter().map(|kick| kick.1).collect::<Vec<_>>()
    };
    let sent = at(50, IlbKind::CsdQueue, 0, 1);
    let ends = |us| {
        [
            at(us, IlbKind::TickEnd, 0, 0),
            at(us, IlbKind::TickEnd, 2, 2),
        ]
    };
    // CPU 0 sends its kick when CPU 2's tick has begun: that finds CPU 1 kicked.
    let first = [&[sent][..], &ends(100)].concat();
    assert_eq!(run(&first, true), [Some(1)]);
    // By their probes alone both kick.
    assert_eq!(run(&first, false).len(), 2);
    // It came before CPU 2's tick decided, which may kick again.
    let came = at(60, IlbKind::Arrive, 1, 1);
    assert_eq!(
        run(&[&[sent, came][..], &ends(100)].concat(), true).len(),
        2
    );
    // CPU 0 sends none: what the model alone has sent is not in CPU 2's way.
    let other = at(110, IlbKind::CsdQueue, 2, 1);
    let alone = [&ends(100)[..1], &[other], &ends(120)[1..]].concat();
    assert_eq!(run(&alone, true).len(), 2);
    // A task comes on CPU 1 before they decide, or after.
    let woken = |us| IlbRow {
        a: 1,
        ..at(us, IlbKind::NrRunning, 1, 1)
    };
    let unseen = at(150, IlbKind::CsdQueue, 1, 0);
    let of = |us| run(&[&[woken(us), unseen][..], &ends(100)].concat(), true);
    assert_eq!(of(90), []);
    assert_eq!(of(110).len(), 2);
}

/// CPU 1 has no state and no event but a kick at jiffy 10: it was in the idle mask all along, so that the kick follows from the tick
/// of that jiffy. Look-alikes: its tick stops first, it ticks first, or events are lost first; then nobody knows.
#[test]
fn who_is_kicked_first_was_in_the_idle_mask() {
    let sent = IlbRow {
        subject: 1,
        ..row(10 * JIFFY + 1, IlbKind::CsdQueue, 0, 0, 0)
    };
    let came = row(10 * JIFFY + 2, IlbKind::Arrive, 1, NR_KNOWN, 0);
    let run = |first: &[IlbRow]| {
        let rows = [first, &[nohz(10, 0, 0), tick(10, 2), sent, came]].concat();
        let there = [IlbKind::Arrive, IlbKind::CsdQueue, IlbKind::TickEnd];
        let there = [IlbKind::Trigger, IlbKind::Nohz, IlbKind::TickStop]
            .into_iter()
            .chain(there);
        let kinds = there.fold(Kinds::default(), Kinds::with);
        let mut resting = Resting::new(kinds, 2).unwrap();
        let mut rest = rows.iter();
        while rest.next().is_some_and(|row| resting.row(row)) {}
        let found = resting.finish();
        let mut sent = Vec::new();
        let mut out = |_, told: &Annotation| {
            if told.kind == Kind::KickSent {
                sent.push((told.t_ns / JIFFY, told.target));
            }
        };
        let config = Config {
            kernel: None,
            cpus: 2,
            llc: Vec::new(),
            jiffies: Jiffies::from_origin(250, 0),
            kinds,
            from_ns: 0,
            to_ns: 1000 * MS,
            count_from_ns: 0,
            follow: vec![ModelKind::TraceDriven],
        };
        let mut replay = Replay::new(config, &mut out);
        replay.rest(&found);
        replay.state(&state(0, 2));
        for row in &rows {
            replay.row(row);
        }
        let mask = replay.finish().mask;
        let mask: Vec<(u32, u64)> = mask.iter().map(|span| (span.cpu, span.from_ns)).collect();
        (found.iter().collect::<Vec<u32>>(), sent, mask)
    };
    assert_eq!(run(&[]), (vec![1], vec![(10, Some(1))], vec![(1, 0)]));
    let later = row(MS, IlbKind::TickStop, 1, 1, 0);
    let busy = row(MS, IlbKind::Trigger, 1, 1 | NR_KNOWN, 0);
    let lost = row(MS, IlbKind::Lost, 1, 2 * MS, 0);
    assert!(run(&[later]).0.is_empty());
    assert_eq!(run(&[busy]), (vec![], vec![], vec![]));
    assert_eq!(run(&[lost]), (vec![], vec![], vec![]));
    // Without calls nothing shows which CPU kicked which.
    assert!(Resting::new(Kinds::default().with(IlbKind::Arrive), 2).is_none());
}
