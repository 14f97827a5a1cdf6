//! One wait opened: a worked example, and what holds of the stories of any recording.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, UInt8Array, UInt32Array, UInt64Array};
use arrow_buffer::Buffer;
use numalens_core::EngineError;
use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_core::topology::Node;
use numalens_events::{EventTable, Kind};
use numalens_replay::migrations::{MIGRATIONS_FILE, Migrations};
use numalens_replay::run_state::Inputs;
use numalens_replay::states::{MACHINE_FILE, States};
use numalens_replay::timeline::Index;
use numalens_replay::waits::{
    CAUSES_FILE, CauseNs, CauseSpans, Context, MASKS_FILE, Order, PHASES_FILE, Phases,
    REQUESTS_FILE, Requests, SPANS_FILE, SegmentLogs, WAITS_FILE, WaitRow, Waits,
};
use numalens_subject::waits::parts_between;
use numalens_subject::window::Names;
use numalens_support::recordings::{Ev, Memory, What, config, run_pass, tables};
use numalens_support::rows::{nodes, source};
use numalens_waits::{Stop, Story, StoryLogs, StoryOf, story};
use proptest::prelude::*;

pub(crate) const HARDIRQ: u8 = 0x08;
pub(crate) const SOFTIRQ: u8 = 0x10;

/// A request to wake a task, with who asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) ts: u64,
    pub(crate) cpu: u32,
    pub(crate) pid: i32,
    pub(crate) target: i32,
    pub(crate) waker: i32,
    pub(crate) flags: u8,
}

/// The table of requests; `flags` are left out where they are not recorded.
fn wakings(asked: &[Asked], flags: bool) -> EventTable<'static> {
    let ints = |get: fn(&Asked) -> i32| -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(asked.iter().map(get)))
    };
    let ts = UInt64Array::from_iter_values(asked.iter().map(|each| each.ts));
    let cpu = UInt32Array::from_iter_values(asked.iter().map(|each| each.cpu));
    let seq = UInt64Array::from_iter_values((0..).take(asked.len()));
    let said = UInt8Array::from_iter_values(asked.iter().map(|each| each.flags));
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("ts_ns", Arc::new(ts)),
        ("cpu", Arc::new(cpu)),
        ("seq", Arc::new(seq)),
        ("buffer", Arc::new(UInt8Array::from(vec![0; asked.len()]))),
        ("common_pid", ints(|each| each.waker)),
        ("pid", ints(|each| each.pid)),
        ("target_cpu", ints(|each| each.target)),
    ];
    if flags {
        columns.push(("common_flags", Arc::new(said)));
    }
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    EventTable::events(0, Kind::Waking, 0, "", Box::new([Ok(batch)].into_iter()))
}

struct Known<'a>(&'a Index);

impl Names for Known<'_> {
    fn task(&self, task: TaskId) -> (i32, &str) {
        self.0.task(task).unwrap()
    }

    fn cgroup(&self, _: u32) -> &'static str {
        "/"
    }
}

type Told = (WaitRow, Vec<CauseNs>, Story);

/// Calls `read` with the logs and the waits of a recording.
pub(crate) fn replayed<T>(
    events: &[Ev],
    asked: &[Asked],
    flags: bool,
    machine: Vec<Node>,
    read: impl FnOnce(StoryLogs<'_>, &Waits) -> T,
) -> T {
    let mut config = config(events, 4, machine);
    config.end_ns += 1;
    let mut memory = Memory::default();
    let mut all = tables(events, 100);
    all.push(wakings(asked, flags));
    let summary = run_pass(all, &config, Inputs::default(), &mut memory);
    let tasks = Buffer::from_vec(summary.tasks.write(&[], Vec::new()).unwrap());
    let index = Index::open(memory.files(), &tasks).unwrap();
    let file = |name: &str| memory.file(name).unwrap();
    let states = States::open(file(MACHINE_FILE), None).unwrap();
    let spans = CauseSpans::open(file(SPANS_FILE)).unwrap();
    let phases = Phases::open(file(PHASES_FILE), file(MASKS_FILE)).unwrap();
    let requests = Requests::open(file(REQUESTS_FILE)).unwrap();
    let migrations = Migrations::open(file(MIGRATIONS_FILE)).unwrap();
    let waits = Waits::open(file(WAITS_FILE), file(CAUSES_FILE)).unwrap();
    let logs = StoryLogs {
        index: &index,
        segments: SegmentLogs {
            nodes: index.nodes(),
            states: &states,
            spans: &spans,
            phases: &phases,
        },
        requests: &requests,
        migrations: &migrations,
        groups: None,
    };
    read(logs, &waits)
}

/// The stories of all waits of a recording.
fn stories(events: &[Ev], asked: &[Asked], flags: bool, machine: Vec<Node>) -> Vec<Told> {
    replayed(events, asked, flags, machine, |logs, waits| {
        let mut told = Vec::new();
        waits
            .scan(0, u64::MAX, |wait, causes| {
                let of = StoryOf { wait, causes };
                let group = |pid| (pid == 30).then_some(7);
                let story = story(logs, of, &source(), &Known(logs.index), group).unwrap();
                told.push((*wait, causes.to_vec(), story));
            })
            .unwrap();
        told
    })
}

/// By wait, what its parts in a window were spent on: begin, end, and the causes.
type Parts = BTreeMap<(TaskId, u64), Vec<(u64, u64, Vec<CauseNs>)>>;

/// The parts of all waits in adjoining windows.
fn parts(logs: StoryLogs<'_>, waits: &Waits, edges: &[u64]) -> Parts {
    let mut parts = Parts::new();
    for window in edges.windows(2) {
        parts_between::<EngineError>(
            waits,
            (window[0], window[1]),
            Order::Forwards,
            |task| Known(logs.index).task(task).0,
            || Ok(logs.segments),
            |part| {
                let of = (part.wait.task, part.wait.start_ns);
                let found = (part.from_ns, part.to_ns, part.causes.to_vec());
                parts.entry(of).or_default().push(found);
            },
        )
        .unwrap();
    }
    parts
}

pub(crate) fn on(ts: u64, cpu: u32, prev: i32, state: i64, next: i32) -> Ev {
    let what = What::Switch { prev, state, next };
    Ev { ts, cpu, what }
}

pub(crate) fn ev(ts: u64, cpu: u32, what: What) -> Ev {
    Ev { ts, cpu, what }
}

/// Each of the tasks wakes the next one and goes to sleep, on one CPU; all sleep from the begin on.
pub(crate) fn relay(tasks: impl Iterator<Item = i32> + Clone) -> (Vec<Ev>, Vec<Asked>) {
    let (mut events, mut asked) = (Vec::new(), Vec::new());
    for (at, pid) in (10..).step_by(10).zip(tasks.clone()) {
        events.push(on(at, 0, 0, 0, pid));
        events.push(on(at + 5, 0, pid, 1, 0));
    }
    let mut waker = 0;
    for (ts, pid) in (1010..).step_by(10).zip(tasks) {
        asked.push(Asked {
            ts,
            cpu: 0,
            pid,
            target: 0,
            waker,
            flags: 0,
        });
        events.push(ev(ts + 1, 0, What::Wakeup { pid, target: 0 }));
        events.push(on(ts + 2, 0, waker, 1, pid));
        waker = pid;
    }
    (events, asked)
}

fn irq(ts: u64, cpu: u32, softirq: bool, enter: bool) -> Ev {
    let vec = 7;
    ev(
        ts,
        cpu,
        What::Irq {
            softirq,
            vec,
            enter,
        },
    )
}

/// Task 10 sleeps on CPU 0 from 140 on, which task 30 then has. An interrupt on idle CPU 2 wakes task 20 at 200, and that wakes
/// task 10 at 220. While 10 waits behind 30: an interrupt, then a balancing pass that moves it to CPU 1, idle since 240.
pub(crate) fn example() -> (Vec<Ev>, Vec<Asked>) {
    let events = vec![
        on(100, 0, 0, 0, 30),
        on(101, 1, 0, 0, 20),
        on(110, 2, 40, 1, 0),
        on(120, 1, 20, 1, 0),
        on(130, 0, 30, 0, 10),
        on(140, 0, 10, 1, 30),
        ev(202, 2, What::Wakeup { pid: 20, target: 1 }),
        on(205, 1, 0, 0, 20),
        ev(222, 1, What::Wakeup { pid: 10, target: 0 }),
        on(240, 1, 20, 1, 0),
        irq(250, 0, false, true),
        irq(255, 0, false, false),
        ev(260, 0, What::Raise { vec: 7 }),
        irq(266, 0, true, true),
        ev(270, 0, What::Migrate { pid: 10, dest: 1 }),
        irq(275, 0, true, false),
        on(280, 1, 0, 0, 10),
    ];
    let asked = vec![
        Asked {
            ts: 200,
            cpu: 2,
            pid: 20,
            target: 1,
            waker: 0,
            flags: HARDIRQ | 1,
        },
        Asked {
            ts: 220,
            cpu: 1,
            pid: 10,
            target: 0,
            waker: 20,
            flags: 0,
        },
    ];
    (events, asked)
}

/// The same where nobody saw task 10 before, so that nothing says that it ran lately.
fn unseen() -> (Vec<Ev>, Vec<Asked>) {
    let (mut events, asked) = example();
    events.retain(|event| !matches!(event.ts, 130 | 140));
    (events, asked)
}

fn of_ten(told: Vec<Told>) -> Told {
    let mut of = told
        .into_iter()
        .filter(|(_, _, story)| story.wait.pid == 10);
    of.next_back().unwrap()
}

pub(crate) fn machine() -> Vec<Node> {
    nodes(&[&[0, 1], &[2, 3]])
}

#[test]
fn a_wait_is_told_from_its_begin_to_its_end() {
    let (events, asked) = unseen();
    let (_, _, told) = of_ten(stories(&events, &asked, true, machine()));
    let segments: Vec<(u64, u64, &str)> = told
        .segments
        .iter()
        .map(|part| (part.from_ns, part.to_ns, part.causes[0].cause))
        .collect();
    assert_eq!(
        segments,
        [
            (220, 222, "wake_up"),
            (222, 240, "idle_other_node"),
            (240, 250, "idle_same_node"),
            (250, 255, "interrupt"),
            (255, 260, "idle_same_node"),
            (260, 266, "pending_balance"),
            // The softirq has the CPU, so it is what the wait is for.
            (266, 270, "softirq"),
            (270, 280, "idle_exit"),
        ]
    );
    assert_eq!(
        told.verdict,
        "Woken, task10 (10) waited 60 ns on CPUs 0 and 1 behind task30 (30), which was on CPU for 48 ns of that: 18 ns while only CPUs \
         of other nodes were idle, and no balancing pass was seen to consider it; 15 ns while a CPU of its node was idle, and no \
         balancing pass was seen to consider it; 10 ns while its CPU left idle; 6 ns while CPUs were idle, and a balancing pass was raised \
         and not finished."
    );
    let stretches: Vec<_> = told
        .stretches
        .iter()
        .map(|part| (part.from_ns, part.to_ns, part.cpu, part.nid, part.queued))
        .collect();
    assert_eq!(
        stretches,
        [
            (220, 222, 0, Some(0), false),
            (222, 270, 0, Some(0), true),
            (270, 280, 1, Some(0), true),
        ]
    );
    let moved = told.moves[0];
    assert_eq!(
        (moved.t_ns, moved.from_cpu, moved.to_cpu, moved.by_cpu),
        (270, 0, 1, 0)
    );
    let runner = &told.runners[0];
    assert_eq!((runner.from_ns, runner.to_ns, runner.cpu), (222, 270, 0));
    assert_eq!(
        (runner.pid, runner.run_ns, runner.numa_group),
        (30, 48, Some(7))
    );
    assert_eq!(told.runners.len(), 1);
    let idle: Vec<_> = told
        .idle_cpus
        .iter()
        .map(|cpu| (cpu.cpu, cpu.idle_ns, cpu.allowed))
        .collect();
    assert_eq!(idle, [(1, 40, None), (2, 60, None)]);
    let nodes: Vec<_> = told
        .idle_nodes
        .iter()
        .map(|node| (node.nid, node.idle_ns, node.any_ns))
        .collect();
    assert_eq!(nodes, [(Some(0), 40, 40), (Some(10), 60, 60)]);
    assert_eq!(
        (told.label, told.idle_label),
        (Label::Replayed, Label::Inferred)
    );
    assert_eq!(told.idle_missing, ["cpus_allowed"]);
}

#[test]
fn the_chain_goes_back_to_the_interrupt_that_began_it() {
    let (events, asked) = example();
    let (_, _, told) = of_ten(stories(&events, &asked, true, machine()));
    assert_eq!(
        (told.slept_ns, told.slept_in.as_deref()),
        (Some(140), Some("S"))
    );
    let hops: Vec<_> = told
        .chain
        .iter()
        .map(|hop| (hop.t_ns, hop.pid, hop.cpu, hop.context))
        .collect();
    assert_eq!(
        hops,
        [
            (220, Some(20), 1, Context::Task),
            (200, Some(0), 2, Context::Interrupt)
        ]
    );
    let hop = &told.chain[0];
    assert_eq!(
        (hop.woken_ns, hop.ran_ns, hop.wait_ns),
        (Some(200), Some(205), Some(5))
    );
    assert_eq!(
        (hop.slept_ns, hop.slept_in.as_deref()),
        (Some(120), Some("S"))
    );
    assert_eq!(
        (hop.label, told.chain[1].label),
        (Label::Replayed, Label::Observed)
    );
    assert_eq!(told.stop, Stop::Interrupt);
}

#[test]
fn who_was_awake_before_the_sleep_is_the_last() {
    let (mut events, mut asked) = example();
    // Now 20 is woken at 138, before 10 went to sleep at 140.
    asked[0].ts = 138;
    events[6].ts = 139;
    events[7].ts = 145;
    events.sort_by_key(|event| event.ts);
    let (_, _, told) = of_ten(stories(&events, &asked, true, machine()));
    assert_eq!((told.chain.len(), told.stop), (1, Stop::RanAlready));
    assert_eq!(told.chain[0].woken_ns, Some(138));
}

#[test]
fn contexts_are_told_as_far_as_they_are_recorded() {
    for (flags, recorded, context, stop) in [
        (0, true, Context::Idle, Stop::Idle),
        (SOFTIRQ, true, Context::Softirq, Stop::Softirq),
        (HARDIRQ, false, Context::Unknown, Stop::NotRecorded),
    ] {
        let (events, mut asked) = example();
        asked[0].flags = flags;
        let (_, _, told) = of_ten(stories(&events, &asked, recorded, machine()));
        let last = told.chain.last().unwrap();
        assert_eq!(
            (told.chain.len(), last.context, told.stop),
            (2, context, stop)
        );
        let missing: &[&str] = if recorded { &[] } else { &["common_flags"] };
        assert_eq!(last.missing, missing);
    }
}

#[test]
fn a_preempted_task_was_not_woken() {
    let (events, asked) = example();
    let told = stories(&events, &asked, true, machine());
    let of = told
        .iter()
        .find(|(_, _, story)| story.wait.pid == 30)
        .unwrap();
    assert_eq!(
        (of.2.began, of.2.stop, of.2.chain.len()),
        ("preempted", Stop::Preempted, 0)
    );
    assert_eq!(of.2.runners[0].pid, 10);
}

#[test]
fn a_move_that_was_not_recorded_is_missed() {
    let (mut events, asked) = example();
    events.retain(|event| !matches!(event.what, What::Migrate { .. }));
    let (_, _, told) = of_ten(stories(&events, &asked, true, machine()));
    assert_eq!(told.label, Label::Inferred);
    assert_eq!(told.missing, ["sched_migrate_task"]);
}

#[test]
fn a_chain_has_an_end() {
    let (events, asked) = relay(1..=20);
    let told = stories(&events, &asked, true, machine());
    let (_, _, last) = told.last().unwrap();
    assert_eq!((last.chain.len(), last.stop), (8, Stop::Limit));
    let (_, _, third) = told
        .iter()
        .find(|(_, _, story)| story.wait.pid == 3)
        .unwrap();
    let pids: Vec<_> = third.chain.iter().map(|hop| hop.pid).collect();
    assert_eq!(
        (pids, third.stop),
        (vec![Some(2), Some(1), Some(0)], Stop::Idle)
    );
}

/// A recording of some sense: who is switched out is who was on, nobody is at two places, wake-ups are of sleepers.
pub(crate) fn recording() -> impl Strategy<Value = (Vec<Ev>, Vec<Asked>)> {
    let step = (
        1..50_u64,
        0..4_u32,
        0..9_u8,
        1..9_i32,
        0..4_i32,
        any::<bool>(),
    );
    prop::collection::vec(step, 1..400).prop_map(|steps| {
        let (mut on_cpu, mut ts) = ([0_i32; 4], 1000);
        // 0 asleep, 1 waits, 2 runs.
        let mut does = [0_u8; 9];
        let (mut events, mut asked) = (Vec::new(), Vec::new());
        for (gap, cpu, kind, pid, other, yes) in steps {
            ts += gap * 2;
            let (at, who) = (cpu as usize, pid as usize);
            match kind {
                0..=3 => {
                    let prev = on_cpu[at];
                    let next = if does[who] == 2 || kind == 3 { 0 } else { pid };
                    let next = if does[who] == 1 || yes { next } else { 0 };
                    if next == prev {
                        continue;
                    }
                    events.push(on(ts, cpu, prev, i64::from(yes), next));
                    if prev != 0 {
                        does[prev as usize] = u8::from(!yes);
                    }
                    if next != 0 {
                        does[next as usize] = 2;
                    }
                    on_cpu[at] = next;
                }
                4 | 5 if does[who] == 0 => {
                    let flags = if yes { HARDIRQ } else { 0 };
                    asked.push(Asked {
                        ts,
                        cpu,
                        pid,
                        target: other,
                        waker: on_cpu[at],
                        flags,
                    });
                    events.push(ev(ts + 1, cpu, What::Wakeup { pid, target: other }));
                    does[who] = 1;
                }
                6 if does[who] == 1 => events.push(ev(ts, cpu, What::Migrate { pid, dest: other })),
                7 => events.push(irq(ts, cpu, other > 1, yes)),
                8 => events.push(ev(ts, cpu, What::Raise { vec: 7 })),
                _ => {}
            }
        }
        events.push(on(ts + 9, 0, on_cpu[0], 1, 0));
        (events, asked)
    })
}

#[test]
fn a_task_that_ran_lately_is_hot_at_first() {
    let (events, asked) = example();
    let (_, _, told) = of_ten(stories(&events, &asked, true, machine()));
    let hot: Vec<(u64, u64)> = told
        .segments
        .iter()
        .filter(|part| part.causes[0].cause == "migration_cost")
        .map(|part| (part.from_ns, part.to_ns))
        .collect();
    assert_eq!(hot, [(222, 250), (255, 266)]);
}

#[test]
fn a_wait_that_crosses_an_edge_counts_with_its_part() {
    let (events, asked) = unseen();
    let edges = [0, 224, 262, 1000];
    let found = replayed(&events, &asked, true, machine(), |logs, waits| {
        parts(logs, waits, &edges)
    });
    let of_ten = found.iter().find(|(of, _)| of.1 == 220).unwrap().1;
    let named: Vec<_> = of_ten
        .iter()
        .map(|(from, to, causes)| {
            let causes: Vec<_> = causes
                .iter()
                .map(|one| (one.cause.name(), one.ns))
                .collect();
            (*from, *to, causes)
        })
        .collect();
    assert_eq!(
        named,
        [
            (220, 224, vec![("wake_up", 2), ("idle_other_node", 2)]),
            (
                224,
                262,
                vec![
                    ("interrupt", 5),
                    ("pending_balance", 2),
                    ("idle_same_node", 15),
                    ("idle_other_node", 16),
                ]
            ),
            (
                262,
                280,
                vec![("idle_exit", 10), ("softirq", 4), ("pending_balance", 4)]
            ),
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn parts_in_adjoining_windows_add_up(
        (events, asked) in recording(),
        cuts in prop::collection::btree_set(900..6000_u64, 0..6),
    ) {
        let mut edges = vec![0];
        edges.extend(cuts);
        edges.push(u64::MAX);
        replayed(&events, &asked, true, machine(), |logs, waits| {
            let found = parts(logs, waits, &edges);
            let mut all = 0;
            waits.scan(0, u64::MAX, |wait, causes| {
                if wait.start_ns == wait.end_ns {
                    return;
                }
                all += 1;
                let parts = &found[&(wait.task, wait.start_ns)];
                let mut sums = BTreeMap::new();
                let mut at = wait.start_ns;
                for (from, to, causes) in parts {
                    assert_eq!(*from, at);
                    assert_eq!(causes.iter().map(|cause| cause.ns).sum::<u64>(), to - from);
                    for cause in causes {
                        *sums.entry(cause.cause.name()).or_insert(0) += cause.ns;
                    }
                    at = *to;
                }
                assert_eq!(at, wait.end_ns);
                let own = causes.iter().map(|cause| (cause.cause.name(), cause.ns));
                assert_eq!(sums, own.collect::<BTreeMap<_, _>>());
            }).unwrap();
            assert!(all <= found.len());
        });
    }

    #[test]
    fn parts_are_the_whole_and_times_go_back((events, asked) in recording()) {
        for (wait, causes, told) in stories(&events, &asked, true, machine()) {
            let mut at = wait.start_ns;
            let mut sums = BTreeMap::new();
            for part in &told.segments {
                prop_assert_eq!(part.from_ns, at);
                let sum: u64 = part.causes.iter().map(|cause| cause.ns).sum();
                prop_assert_eq!(sum, part.to_ns - part.from_ns);
                for cause in &part.causes {
                    *sums.entry(cause.cause).or_insert(0) += cause.ns;
                }
                at = part.to_ns;
            }
            prop_assert_eq!(at, wait.end_ns);
            let own: BTreeMap<&str, u64> =
                causes.iter().map(|told| (told.cause.name(), told.ns)).collect();
            prop_assert_eq!(&sums, &own);
            let length = wait.end_ns - wait.start_ns;
            for node in &told.idle_nodes {
                let of: u64 = told.idle_cpus.iter().filter(|cpu| cpu.nid == node.nid).map(|cpu| cpu.idle_ns).sum();
                prop_assert_eq!(node.idle_ns, of);
                prop_assert!(node.any_ns <= length && node.idle_ns <= length * 2);
            }
            for runner in &told.runners {
                prop_assert!(wait.start_ns <= runner.from_ns && runner.to_ns <= wait.end_ns);
                prop_assert!(runner.pid != told.wait.pid);
            }
            let times: Vec<u64> = told.chain.iter().map(|hop| hop.t_ns).collect();
            prop_assert!(times.windows(2).all(|pair| pair[1] < pair[0]), "{:?}", times);
            prop_assert!(times.first().is_none_or(|&first| first == wait.start_ns));
            for hop in &told.chain {
                prop_assert!(hop.woken_ns.is_none_or(|woken| woken < hop.t_ns));
                prop_assert_eq!(hop.wait_ns, hop.ran_ns.zip(hop.woken_ns).map(|(ran, woken)| ran - woken));
            }
        }
    }
}
