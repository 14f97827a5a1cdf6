//! What tasks are kept from running by: where they may run, what they may use, and higher classes. Each rule with an example
//! in which it holds and one that looks like it and in which it does not.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;

use numalens_core::topology::Node;
use numalens_replay::evidence::CpuSpan;
use numalens_replay::run_state::{Starved, Switches};
use numalens_replay::states::OnCpu;
use numalens_replay::waits::{Cause, WaitEnd};
use numalens_support::model::{Answer, Outside};
use numalens_support::recordings::{Ev, REAL_TIME, STOPPER, What, answer, config};

const MS: u64 = 1_000_000;

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

/// The answer to events in order; times in units of 100 µs.
fn recorded(events: &[(u64, u32, What)], outside: &Outside) -> Answer {
    let mut events: Vec<Ev> = events
        .iter()
        .map(|&(at, cpu, what)| Ev {
            ts: at * MS / 10,
            cpu,
            what,
        })
        .collect();
    events.sort_by_key(|event| event.ts);
    answer(&events, &config(&events, 4, nodes()), outside)
}

fn nothing() -> Outside {
    Outside {
        iowaits: Some(Vec::new()),
        ..Outside::default()
    }
}

fn switch(prev: i32, next: i32) -> What {
    What::Switch {
        prev,
        state: 0,
        next,
    }
}

fn sleep(prev: i32, next: i32) -> What {
    What::Switch {
        prev,
        state: 1,
        next,
    }
}

/// What a task's waits were spent on, in units of 100 µs.
fn spent(answer: &Answer, task: i32) -> BTreeMap<&'static str, u64> {
    let mut spent = BTreeMap::new();
    for (_, row, causes) in &answer.waits {
        if row.task == task as u32 {
            for cause in causes {
                *spent.entry(cause.cause.name()).or_default() += cause.ns * 10 / MS;
            }
        }
    }
    spent
}

/// All CPUs but the first are busy with tasks of their own.
fn busy() -> Vec<(u64, u32, What)> {
    vec![
        (0, 1, switch(0, 6)),
        (0, 2, switch(0, 7)),
        (0, 3, switch(0, 8)),
    ]
}

#[test]
fn a_real_time_task_goes_first() {
    let hog = |fair: i32| {
        [
            (0, 0, switch(0, 1)),
            (1, 0, switch(1, fair)),
            (11, 0, sleep(fair, 1)),
            (20, 0, sleep(1, 0)),
        ]
    };
    let of = |events: &[(u64, u32, What)], outside: &Outside| {
        spent(&recorded(&[&busy(), events].concat(), outside), 1)
    };
    let behind = Cause::BehindHigherClass.name();
    assert_eq!(of(&hog(REAL_TIME), &nothing()), [(behind, 10)].into());
    // The same behind a task of its own class.
    assert_eq!(of(&hog(2), &nothing()), [("busy", 10)].into());
    // Another CPU is idle: it was not moved there, unless it may not run there.
    let idle = [&hog(REAL_TIME)[..], &[(1, 1, sleep(6, 0))]].concat();
    assert_eq!(
        of(&idle, &nothing()),
        [("migration_cost", 5), ("idle_same_node", 5)].into()
    );
    let bound = Outside {
        allowed: vec![(1, vec![0])],
        ..nothing()
    };
    let both = Cause::PinnedBehindHigherClass.name();
    assert_eq!(of(&idle, &bound), [(both, 10)].into());
    // A real-time task that waits for another is not behind a higher class.
    let events = [
        (0, 0, switch(0, REAL_TIME)),
        (1, 0, switch(REAL_TIME, REAL_TIME + 1)),
        (11, 0, sleep(REAL_TIME + 1, REAL_TIME)),
    ];
    let found = recorded(&[&busy()[..], &events].concat(), &nothing());
    assert_eq!(spent(&found, REAL_TIME), [("busy", 10)].into());
}

/// Two tasks take turns on CPU 0 for 4 ms each, and CPU 1 goes idle every 2 ms; node 1 is busy.
fn turns(from: u64, to: u64) -> Vec<(u64, u32, What)> {
    let mut events = vec![(0, 2, switch(0, 7)), (0, 3, switch(0, 8))];
    for at in (from..to).step_by(80) {
        events.push((at, 0, switch(2, 1)));
        events.push((at + 40, 0, switch(1, 2)));
    }
    for at in (from + 10..to).step_by(20) {
        events.push((at, 1, switch(0, 6)));
        events.push((at + 2, 1, sleep(6, 0)));
    }
    events
}

#[test]
fn who_is_passed_over_again_and_again_is_probably_pinned() {
    let of = |events: &[(u64, u32, What)], task: i32| {
        let spent = spent(&recorded(events, &nothing()), task);
        let get = |cause: Cause| spent.get(cause.name()).copied().unwrap_or_default();
        (get(Cause::ProbablyPinned), get(Cause::IdleSameNode))
    };
    let start = (0, 0, switch(0, 2));
    let pinned = [&turns(100, 4_000)[..], &[start]].concat();
    let (probably, open) = of(&pinned, 1);
    assert!(probably > 1_000 && open < 500, "{probably} {open}");
    // CPU 3 recorded nothing: task 1 may have run there.
    let silent: Vec<_> = pinned.iter().copied().filter(|one| one.1 != 3).collect();
    let missing = Outside {
        switches: Switches::Missing,
        ..nothing()
    };
    let causes = spent(&recorded(&silent, &missing), 1);
    assert_eq!(causes.keys().collect::<Vec<_>>(), [&Cause::Unknown.name()]);
    // It was seen on CPU 1 before it was bound.
    let bound_later = [
        &[
            (1, 1, switch(0, 1)),
            (50, 1, sleep(1, 0)),
            (60, 0, What::Wakeup { pid: 1, target: 0 }),
        ],
        &pinned[..],
    ]
    .concat();
    let (probably, open) = of(&bound_later, 1);
    assert!(probably > 1_000 && open < 600, "{probably} {open}");
    // It runs on CPU 1 now and then: that it waited is not because it may not run there.
    let mut moves = pinned.clone();
    for at in (100..4_000).step_by(160) {
        moves.retain(|&(ts, cpu, _)| cpu != 0 || ts != at + 40);
        moves.retain(|&(ts, cpu, _)| cpu != 1 || !(at + 40..at + 60).contains(&ts));
        moves.push((at + 41, 0, switch(1, 2)));
        moves.push((at + 42, 1, switch(0, 1)));
        moves.push((at + 55, 1, switch(1, 0)));
    }
    assert_eq!(of(&moves, 1).0, 0);
}

#[test]
fn cpus_that_take_no_part_in_balancing_are_not_allowed() {
    // Tasks 1 and 2 take turns on CPU 0, whose balancing comes every 50 ms. CPU 1 is idle but for a task of its own.
    let of = |idle_balances: bool, takes: bool| {
        let mut events = vec![
            (0, 0, switch(0, 2)),
            (0, 2, switch(0, 7)),
            (0, 3, switch(0, 8)),
        ];
        for at in (100..10_000).step_by(80) {
            events.push((at, 0, switch(2, 1)));
            events.push((at + 40, 0, switch(1, 2)));
        }
        for at in (150..10_000).step_by(500) {
            let softirq = |enter| What::Irq {
                softirq: true,
                vec: 7,
                enter,
            };
            events.push((at, 0, softirq(true)));
            events.push((at + 1, 0, softirq(false)));
            if idle_balances && at % 3_000 == 150 {
                events.push((at + 2, 1, softirq(true)));
                events.push((at + 3, 1, softirq(false)));
            }
        }
        for at in (1_000..9_000).step_by(1_000) {
            // A task of node 1 comes to CPU 1, or its own one.
            let other = if takes { 7 } else { 6 };
            if takes {
                events.push((at - 1, 2, sleep(7, 0)));
            }
            events.push((at, 1, switch(0, other)));
            events.push((at + 2, 1, sleep(other, 0)));
            if takes {
                events.push((at + 3, 2, switch(0, 7)));
            }
        }
        let found = spent(&recorded(&events, &nothing()), 1);
        let pinned = found.get("probably_pinned").copied().unwrap_or_default();
        pinned as f64 / found.values().sum::<u64>() as f64
    };
    let pinned = of(false, false);
    assert!(pinned > 0.35, "{pinned}");
    // It balances, if rarely; or it takes a task now and then: why it leaves these is not known so soon.
    assert_eq!((of(true, false), of(false, true)), (0.0, 0.0));
}

#[test]
fn a_kernel_thread_is_bound_to_its_cpu_before_it_ever_ran() {
    // A real-time task has CPU 1, and all others are idle.
    let of = |woken_on: u32| {
        let target = woken_on as i32;
        let events = [
            (0, 0, sleep(9, 0)),
            (0, 1, switch(0, REAL_TIME)),
            (0, 2, sleep(7, 0)),
            (0, 3, sleep(8, 0)),
            (10, 1, What::Wakeup { pid: 5, target }),
            (
                110,
                woken_on,
                switch(if woken_on == 1 { REAL_TIME } else { 0 }, 5),
            ),
        ];
        spent(&recorded(&events, &nothing()), 5)
    };
    assert_eq!(of(1), [("pinned_behind_higher_class", 100)].into());
    // Elsewhere its name says nothing.
    assert!(!of(0).contains_key("pinned_behind_higher_class"));
}

#[test]
fn a_quota_that_is_used_up_throttles_on_busy_cpus_too() {
    // A task of /a has 5 ms of each 50 ms; a free one runs otherwise.
    let mut events = vec![(0, 0, switch(0, 1))];
    for at in (50..20_000).step_by(500) {
        events.push((at, 0, switch(1, 2)));
        events.push((at + 450, 0, switch(2, 1)));
    }
    let events = [busy(), events].concat();
    let limited = Outside {
        members: vec![(1, "/a", 0)],
        quotas: vec![("/a", 5 * MS, 50 * MS)],
        throttled: vec![("/a", 0, 2_000 * MS)],
        ..nothing()
    };
    let found = spent(&recorded(&events, &limited), 1);
    assert!(found["throttled"] > 15_000, "{found:?}");
    // The same turns where the kernel counted no throttling: it waits for the other task.
    let other = Outside {
        throttled: Vec::new(),
        ..limited.clone()
    };
    let found = spent(&recorded(&events, &other), 1);
    assert!(!found.contains_key("throttled"), "{found:?}");
    // A quota that is never used up.
    let large = Outside {
        quotas: vec![("/a", 500 * MS, 50 * MS)],
        ..limited
    };
    let found = spent(&recorded(&events, &large), 1);
    assert!(!found.contains_key("throttled"), "{found:?}");
}

#[test]
fn long_silences_tell_when_the_quota_is_filled() {
    // A task of /a takes turns of 4 ms with a free one until it has used 20 of each 100 ms, which begin at 63 ms.
    let turns = |silent: u64| {
        let mut events = vec![(0, 0, switch(0, 2))];
        for begin in (630..30_000).step_by(1_000) {
            for turn in 0..(1_000 - silent) / 80 {
                let at = begin + 80 * turn;
                events.push((at, 0, switch(2, 1)));
                events.push((at + 40, 0, switch(1, 2)));
            }
        }
        [busy(), events].concat()
    };
    let limited = Outside {
        members: vec![(1, "/a", 0)],
        quotas: vec![("/a", 20 * MS, 100 * MS)],
        throttled: vec![("/a", 0, 3_000 * MS)],
        ..nothing()
    };
    // 60 ms of each period but the first ones.
    let found = spent(&recorded(&turns(600), &limited), 1);
    assert!(found["throttled"] > 15_000, "{found:?}");
    assert!(found["busy"] > 4_000, "{found:?}");
    // The same with a quota that it does not use up: it just has to share the CPU.
    let large = Outside {
        quotas: vec![("/a", 60 * MS, 100 * MS)],
        ..limited
    };
    let found = spent(&recorded(&turns(600), &large), 1);
    assert!(!found.contains_key("throttled"), "{found:?}");
}

#[test]
fn who_could_run_and_leaves_its_cpu_idle_has_no_budget() {
    let of = |next: i32| {
        let events = [
            (0, 0, switch(0, REAL_TIME)),
            (10, 0, switch(REAL_TIME, next)),
            (30, 0, switch(next, REAL_TIME)),
        ];
        spent(
            &recorded(&[&busy()[..], &events].concat(), &nothing()),
            REAL_TIME,
        )
    };
    assert_eq!(of(0), [("throttled", 20)].into());
    // A real-time task that makes way for one of the fair class is throttled; for its like it is not.
    assert_eq!(of(1), [("throttled", 20)].into());
    assert_eq!(of(REAL_TIME + 1), [("busy", 20)].into());
}

#[test]
fn leaving_idle_takes_no_seconds() {
    let of = |until: u64| {
        let events = [
            (0, 0, sleep(1, 0)),
            (10, 1, What::Wakeup { pid: 1, target: 0 }),
            (until, 0, switch(0, 1)),
        ];
        spent(&recorded(&[&busy()[..], &events].concat(), &nothing()), 1)
    };
    assert_eq!(of(50), [("idle_exit", 40)].into());
    assert_eq!(
        of(110),
        [("idle_exit", 50), ("idle_unexplained", 50)].into()
    );
}

#[test]
fn a_task_that_ran_lately_is_left_where_it_is() {
    let idle = (0, 1, sleep(6, 0));
    let of = |events: &[(u64, u32, What)]| {
        spent(
            &recorded(&[&busy()[..], &[idle], events].concat(), &nothing()),
            1,
        )
    };
    let preempted = |from: u64, to: u64| [(from, 0, switch(1, 2)), (to, 0, switch(2, 1))];
    let first = (0, 0, switch(0, 1));
    let short = [&[first][..], &preempted(10, 14)].concat();
    assert_eq!(of(&short), [("migration_cost", 4)].into());
    let long = [&[first][..], &preempted(10, 30)].concat();
    assert_eq!(
        of(&long),
        [("migration_cost", 5), ("idle_same_node", 15)].into()
    );
    // Woken after a short sleep, and after a long one.
    let woken = |at: u64| {
        [
            first,
            (10, 0, sleep(1, 2)),
            (at, 2, What::Wakeup { pid: 1, target: 0 }),
            (at + 10, 0, switch(2, 1)),
        ]
    };
    assert_eq!(
        of(&woken(12)),
        [("migration_cost", 3), ("idle_same_node", 7)].into()
    );
    assert_eq!(of(&woken(20)), [("idle_same_node", 10)].into());
    // No CPU is idle: balancing is not what it waits for.
    let busy = recorded(&[&busy()[..], &short].concat(), &nothing());
    assert_eq!(spent(&busy, 1), [("busy", 4)].into());
}

#[test]
fn a_balancing_pass_looks_at_a_task_and_leaves_it() {
    let with = |cpu: u32, from: u32, outside: &Outside, more: &[(u64, u32, What)]| {
        // The CPU is idle for long at a time, so that it balances when it becomes idle.
        let mut events = vec![(0, 0, switch(0, 2)), (0, 1, switch(0, 6))];
        events.extend([(0, 2, switch(0, 7)), (0, 3, switch(0, 8))]);
        let other = 5 + cpu as i32;
        for at in (100..2_100).step_by(100) {
            events.push((at, cpu, sleep(other, 0)));
            events.push((at + 90, cpu, switch(0, other)));
        }
        events.push((2_050, 0, switch(2, 1)));
        events.push((2_100, 0, switch(1, 2)));
        events.push((2_100 + u64::from(from), cpu, sleep(other, 0)));
        events.push((2_160, 0, switch(2, 1)));
        events.extend(more);
        let found = recorded(&events, outside);
        let mut spent = spent(&found, 1);
        spent.remove("busy");
        spent
    };
    let of = |cpu, from, outside: &Outside| with(cpu, from, outside, &[]);
    // It became idle while the task was hot: it could not take it. Later: it looked, and left it.
    assert_eq!(
        of(1, 2, &nothing()),
        [("migration_cost", 3), ("idle_same_node", 55)].into()
    );
    assert_eq!(
        of(1, 20, &nothing()),
        [("passed_over_same_node", 40)].into()
    );
    assert_eq!(
        of(2, 20, &nothing()),
        [("passed_over_other_node", 40)].into()
    );
    let scanned = Outside {
        numa_balanced: vec![1],
        ..nothing()
    };
    assert_eq!(of(2, 20, &scanned), [("numa_kept", 40)].into());
    // CPU 1 of the task's node was idle a moment ago, and a task that may not leave CPU 3 waits there: nodes with 3 and 2 tasks,
    // and no utilisation shows yet that one is overloaded.
    let waits = (1_885, 2, What::Wakeup { pid: 9, target: 3 });
    let nap = [(1_990, 1, sleep(6, 0)), (2_000, 1, switch(0, 6))];
    let at_3 = Outside {
        allowed: vec![(9, vec![3])],
        ..nothing()
    };
    let all = [&nap[..], &[waits]].concat();
    assert_eq!(with(2, 20, &at_3, &all), [("imbalance_allowed", 40)].into());
    // The node has been full for long, or it has 2 tasks more.
    for some in [&[waits][..], &nap[..]] {
        assert_eq!(
            with(2, 20, &at_3, some),
            [("passed_over_other_node", 40)].into()
        );
    }
    // It may not run there: no balancing pass would take it.
    let bound = Outside {
        allowed: vec![(1, vec![0])],
        ..nothing()
    };
    assert_eq!(of(1, 20, &bound), [("pinned", 40)].into());
}

#[test]
fn a_child_may_run_where_its_parent_may() {
    let events = [
        (0, 0, switch(0, 1)),
        (0, 1, sleep(6, 0)),
        (
            10,
            0,
            What::Fork {
                parent: 1,
                child: 2,
            },
        ),
        (10, 0, What::WakeupNew { pid: 2, target: 0 }),
        (30, 0, switch(1, 2)),
        (40, 0, sleep(2, 0)),
    ];
    let of = |outside: &Outside| spent(&recorded(&events, outside), 2);
    assert_eq!(of(&nothing()), [("idle_same_node", 20)].into());
    let bound = |pid: i32| Outside {
        allowed: vec![(pid, vec![0])],
        ..nothing()
    };
    assert_eq!(of(&bound(1)), [("pinned", 20)].into());
    // What was known of another task that had the child's pid says nothing.
    assert_eq!(of(&bound(2)), [("idle_same_node", 20)].into());
}

#[test]
fn a_change_makes_where_a_task_may_run_unknown() {
    // Task 1 may run on CPU 0 only and waits there from 1 to 21, or the child that it forks at 5, from 6 to 21; CPU 1 is idle.
    let of = |child: bool, changed: &[(i32, u64, u64, Option<Vec<u32>>)]| {
        let waits = if child { 3 } else { 1 };
        let (fork, wakeup) = (
            What::Fork {
                parent: 1,
                child: 3,
            },
            What::WakeupNew { pid: 3, target: 0 },
        );
        let mut events = vec![(0, 0, switch(0, 1)), (0, 1, switch(6, 0))];
        if child {
            events.extend([(5, 0, fork), (6, 0, wakeup)]);
        } else {
            events.push((1, 0, switch(1, 2)));
        }
        events.push((21, 0, sleep(if child { 1 } else { 2 }, waits)));
        let outside = Outside {
            allowed: vec![(1, vec![0])],
            changed: changed.to_vec(),
            ..nothing()
        };
        spent(&recorded(&[&busy()[..], &events].concat(), &outside), waits)
    };
    let at = |ns: u64| ns * MS / 10;
    assert_eq!(of(false, &[]), [("pinned", 20)].into());
    // From 11 on it may run anywhere, for all that is known; or on CPUs 0 and 1.
    let anywhere = [("pinned", 10), ("idle_same_node", 10)].into();
    assert_eq!(of(false, &[(1, at(11), at(11), None)]), anywhere);
    let both = Some(vec![0, 1]);
    assert_eq!(of(false, &[(1, at(11), at(11), both)]), anywhere);
    // It was bound when it ran elsewhere last, and is sampled so at 11: not for all of the time in between.
    let elsewhere = [(0, 1, switch(6, 1)), (1, 1, sleep(1, 0))];
    let events = [
        &busy()[..],
        &elsewhere,
        &[
            (2, 0, What::Wakeup { pid: 1, target: 0 }),
            (0, 0, switch(0, 2)),
            (22, 0, sleep(2, 1)),
        ],
    ];
    let sampled = |free: bool| {
        let cpus = if free { vec![0, 1] } else { vec![0] };
        let outside = Outside {
            allowed: vec![(1, vec![0])],
            changed: vec![(1, at(12), at(12), Some(cpus))],
            ..nothing()
        };
        spent(&recorded(&events.concat(), &outside), 1)
    };
    let unknown = ("idle_same_node", 6);
    assert_eq!(
        sampled(false),
        [("migration_cost", 4), unknown, ("pinned", 10)].into()
    );
    assert_eq!(
        sampled(true),
        [("migration_cost", 4), ("idle_same_node", 16)].into()
    );
    // Bound at some time between two samples, at 0 and 11: before the later one that is a conclusion; after a recorded call it is not.
    let free = (1, 0, 0, Some(vec![0, 1, 2, 3]));
    let bound = (1, at(1), at(11), Some(vec![0]));
    let again = (1, at(11), at(11), Some(vec![0]));
    let concluded = of(false, &[free.clone(), bound.clone(), again.clone()]);
    assert_eq!(concluded, [("probably_pinned", 10), ("pinned", 10)].into());
    let called = (1, at(1), at(1), None);
    assert_eq!(
        of(false, &[free, called, bound, again]),
        [("pinned", 20)].into()
    );
    // The change is one of another task.
    assert_eq!(
        of(false, &[(2, at(11), at(11), None)]),
        [("pinned", 20)].into()
    );
    // A child inherits what its parent may at its fork.
    assert_eq!(of(true, &[]), [("pinned", 15)].into());
    let unknown = [("idle_same_node", 15)].into();
    assert_eq!(of(true, &[(1, at(4), at(4), None)]), unknown);
    assert_eq!(
        of(true, &[(1, at(7), at(7), None)]),
        [("pinned", 15)].into()
    );
}

#[test]
fn a_task_that_was_runnable_at_two_samples_and_never_ran_waited() {
    let starved = |pid: i32, to: u64| Starved {
        pid,
        comm: "starved".to_owned(),
        cpu: 0,
        from_ns: 0,
        to_ns: to * MS / 10,
    };
    let of = |starved: Starved| {
        let outside = Outside {
            starved: vec![starved],
            ..nothing()
        };
        let events = [
            (0, 0, switch(0, 1)),
            (10, 0, What::Waking { pid: 3, target: 0 }),
            (300, 0, sleep(1, 0)),
            (400, 0, switch(0, 1)),
        ];
        let found = recorded(&[&busy()[..], &events].concat(), &outside);
        let waits = found
            .waits
            .iter()
            .filter(|wait| wait.1.end == WaitEnd::Recording);
        let waits = waits.map(|(_, row, _)| (row.end_ns - row.start_ns) * 10 / MS);
        waits.collect::<Vec<_>>()
    };
    // Whether the last sample lies in the recording or behind its end.
    assert_eq!(of(starved(2, 200)), [400]);
    assert_eq!(of(starved(2, 900)), [400]);
    // It ran, or was woken: the events show.
    assert_eq!(of(starved(1, 200)), [0; 0]);
    assert_eq!(of(starved(3, 200)), [0; 0]);
}

#[test]
fn a_task_that_is_woken_again_has_slept_in_between() {
    let events = [
        (0, 0, sleep(5, 0)),
        (10, 0, What::Waking { pid: 1, target: 0 }),
        (10, 0, What::Wakeup { pid: 1, target: 0 }),
        // It ran and went to sleep, which was not recorded.
        (900, 0, What::Waking { pid: 1, target: 0 }),
        (900, 0, What::Wakeup { pid: 1, target: 0 }),
        (902, 0, switch(0, 1)),
        (910, 0, switch(1, 0)),
        // It waits after a preemption: an attempt to wake it says nothing.
        (915, 0, What::Waking { pid: 1, target: 0 }),
        (920, 0, switch(0, 1)),
    ];
    let lengths = |missing: bool| -> Vec<u64> {
        let outside = Outside {
            switches: if missing {
                Switches::Missing
            } else {
                Switches::Recorded
            },
            ..nothing()
        };
        let found = recorded(&events, &outside);
        let waits = found.waits.iter();
        let waits = waits.map(|(_, row, _)| (row.end_ns - row.start_ns) * 10 / MS);
        waits.collect()
    };
    assert_eq!(lengths(true), [2, 10]);
    assert_eq!(lengths(false), [892, 10]);
    // Or its CPU stays idle and nothing wakes it any more.
    let events = [
        (0, 0, sleep(5, 0)),
        (10, 0, What::Waking { pid: 1, target: 0 }),
        (10, 0, What::Wakeup { pid: 1, target: 0 }),
        (900, 1, switch(0, 6)),
    ];
    let waits = |missing: bool| {
        let outside = Outside {
            switches: if missing {
                Switches::Missing
            } else {
                Switches::Recorded
            },
            ..nothing()
        };
        recorded(&events, &outside).waits.len()
    };
    assert_eq!((waits(true), waits(false)), (0, 1));
}

#[test]
fn a_cpu_whose_stopper_stays_is_off() {
    let of = |task: i32| {
        let events = [
            (0, 0, switch(0, task)),
            (1_000, 1, switch(6, 0)),
            (5_000, 0, sleep(task, 0)),
        ];
        let found = recorded(&[&busy()[..], &events].concat(), &nothing());
        let rows = found.machine.iter().filter(|row| row.cpu == 0);
        rows.map(|row| (row.ts_ns * 10 / MS, row.state.on))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of(STOPPER),
        [
            (0, OnCpu::Task),
            (2_000, OnCpu::Unknown),
            (5_000, OnCpu::Idle)
        ]
    );
    assert_eq!(of(1), [(0, OnCpu::Task), (5_000, OnCpu::Idle)]);
}

#[test]
fn a_cpu_that_is_off_is_idle_for_nobody() {
    // CPU 3 becomes idle at 0, and CPU 0 has a task more than it can run from 2 to 40.
    let of = |outside: &Outside| {
        let events = [
            (0, 3, switch(0, 8)),
            (0, 3, sleep(8, 0)),
            (0, 0, switch(0, 1)),
            (2, 0, switch(1, 2)),
            (40, 0, sleep(2, 1)),
            (50, 3, switch(0, 9)),
        ];
        let found = recorded(&[&busy()[..2], &events].concat(), outside);
        let rows = found.machine.iter().filter(|row| row.cpu == 3);
        let rows = rows.map(|row| (row.ts_ns * 10 / MS, row.state.on));
        (rows.collect::<Vec<_>>(), spent(&found, 1))
    };
    let span = |cpu, from: u64, to: u64| CpuSpan {
        cpu,
        from_ns: from * MS / 10,
        to_ns: Some(to * MS / 10),
    };
    let idle = [("migration_cost", 5), ("idle_other_node", 33)].into();
    let online = vec![(0, OnCpu::Idle), (50, OnCpu::Task)];
    assert_eq!(of(&nothing()), (online.clone(), idle));
    let off = Outside {
        offline: vec![span(3, 1, 50)],
        ..nothing()
    };
    let rows = vec![(0, OnCpu::Idle), (1, OnCpu::Unknown), (50, OnCpu::Task)];
    assert_eq!(of(&off), (rows, [("busy", 38)].into()));
    // On its way off and back it is idle, but takes no task.
    let inactive = Outside {
        inactive: vec![span(3, 1, 30)],
        ..nothing()
    };
    let waited = [("busy", 28), ("idle_other_node", 10)].into();
    assert_eq!(of(&inactive), (online.clone(), waited));
    // Another CPU that goes off makes no difference.
    let other = Outside {
        offline: vec![span(2, 1, 50)],
        inactive: vec![span(2, 1, 50)],
        ..nothing()
    };
    assert_eq!(of(&other).0, online);
    assert_eq!(of(&other).1, of(&nothing()).1);
}

#[test]
fn a_task_may_have_run_on_a_cpu_that_was_known_only_later() {
    // Task 1 waits on CPU 0, which is idle, while CPU 3 goes off.
    let of = |known: bool, from: u64| {
        let known = if known { 3 } else { 2 };
        let events = [
            (0, 0, sleep(5, 0)),
            (2, 0, What::Wakeup { pid: 1, target: 0 }),
            (80, 0, switch(0, 1)),
        ];
        let outside = Outside {
            offline: vec![CpuSpan {
                cpu: 3,
                from_ns: from * MS / 10,
                to_ns: None,
            }],
            ..nothing()
        };
        spent(
            &recorded(&[&busy()[..known], &events].concat(), &outside),
            1,
        )
    };
    let ran = |found: &BTreeMap<&str, u64>| found.contains_key("unknown");
    let waited = of(true, 40);
    assert!(waited["idle_unexplained"] > 0 && !ran(&waited));
    assert_eq!(of(false, 0), waited);
    let waited = of(false, 40);
    assert!(!waited.contains_key("idle_unexplained") && ran(&waited));
}

#[test]
fn a_cpu_that_is_going_off_passes_nobody_over() {
    // Task 1 waits on CPU 0 behind task 2, while CPU 1 becomes idle repeatedly, for 2 ms at a time.
    let of = |inactive: &[CpuSpan]| {
        let mut events = vec![(0, 0, switch(0, 1)), (1, 0, switch(1, 2))];
        for turn in 0..40 {
            events.extend([
                (2 + turn * 40, 1, sleep(if turn == 0 { 6 } else { 9 }, 0)),
                (40 + turn * 40, 1, switch(0, 9)),
            ]);
        }
        events.extend([(1_610, 1, sleep(9, 0)), (1_700, 0, sleep(2, 1))]);
        let outside = Outside {
            inactive: inactive.to_vec(),
            ..nothing()
        };
        spent(&recorded(&[&busy()[..], &events].concat(), &outside), 1)
    };
    let span = CpuSpan {
        cpu: 1,
        from_ns: 0,
        to_ns: Some(162 * MS),
    };
    assert!(of(&[]).contains_key("probably_pinned"), "{:?}", of(&[]));
    let waited = [("busy", 1_619), ("idle_same_node", 80)].into();
    assert_eq!(of(&[span]), waited);
}

#[test]
fn waits_do_not_cross_gaps() {
    let events = [
        (0, 0, switch(0, 1)),
        (10, 0, switch(1, 2)),
        (30, 1, What::Lost),
        (60, 1, switch(6, 0)),
        (90, 0, sleep(2, 1)),
    ];
    let found = recorded(&[&busy()[..], &events].concat(), &nothing());
    let waits = found.waits.iter().filter(|wait| wait.1.task == 1);
    let waits: Vec<_> = waits
        .map(|(_, row, _)| (row.start_ns * 10 / MS, row.end_ns * 10 / MS, row.end))
        .collect();
    // Until events are lost, while they are, and from where they are there again.
    assert_eq!(
        waits,
        [
            (10, 30, WaitEnd::Lost),
            (30, 60, WaitEnd::Lost),
            (60, 90, WaitEnd::Ran)
        ]
    );
}
