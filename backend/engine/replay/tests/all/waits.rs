//! The rules of the states and of the waits' causes, one by one.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use numalens_core::topology::Node;
use numalens_replay::run_state::{ExtTask, SchedExtInputs, ScxSpan, ScxStall};
use numalens_replay::states::{OnCpu, State};
use numalens_replay::waits::{Cause, WaitFrom};
use numalens_support::model::{Answer, Outside};
use numalens_support::recordings::{DEADLINE, Ev, REAL_TIME, What, answer, config};

/// Two nodes of two CPUs.
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

fn recorded(events: &[(u64, u32, What)], outside: &Outside) -> Answer {
    let events: Vec<Ev> = events
        .iter()
        .map(|&(ts, cpu, what)| Ev { ts, cpu, what })
        .collect();
    answer(&events, &config(&events, 4, nodes()), outside)
}

fn nothing() -> Outside {
    Outside {
        iowaits: Some(Vec::new()),
        ..Outside::default()
    }
}

fn switch(prev: i32, state: i64, next: i32) -> What {
    What::Switch { prev, state, next }
}

fn wakeup(pid: i32, target: i32) -> What {
    What::Wakeup { pid, target }
}

/// The machine's states of a CPU: when, who is on it, running, iowait, memstall.
fn of(answer: &Answer, cpu: u32) -> Vec<(u64, OnCpu, [u16; 3])> {
    let rows = answer.machine.iter().filter(|row| row.cpu == cpu);
    rows.map(|row| {
        let state = row.state;
        (
            row.ts_ns,
            state.on,
            [state.running, state.iowait, state.memstall],
        )
    })
    .collect()
}

/// Causes of a wait by its place.
fn causes(answer: &Answer, wait: usize) -> Vec<(Cause, u64)> {
    let causes = answer.waits[wait].2.iter();
    causes.map(|cause| (cause.cause, cause.ns)).collect()
}

#[test]
fn a_switch_is_one_change() {
    let answer = recorded(
        &[
            (10, 0, switch(0, 0, 1)),
            (20, 0, switch(1, 0, 2)),
            (30, 0, switch(2, 1, 1)),
            (40, 0, switch(1, 1, 0)),
        ],
        &nothing(),
    );
    assert_eq!(
        of(&answer, 0),
        [
            (10, OnCpu::Task, [1, 0, 0]),
            (20, OnCpu::Task, [2, 0, 0]),
            (30, OnCpu::Task, [1, 0, 0]),
            (40, OnCpu::Idle, [0, 0, 0])
        ]
    );
    assert_eq!(of(&answer, 1), [(10, OnCpu::Unknown, [0, 0, 0])]);
}

#[test]
fn an_iowait_counts_where_the_task_slept_until_it_wakes() {
    let events = [
        (10, 0, switch(0, 0, 1)),
        (20, 0, switch(1, 2, 0)),
        (30, 1, wakeup(1, 2)),
        (40, 2, switch(0, 0, 1)),
        (50, 2, switch(1, 1, 0)),
    ];
    let outside = Outside {
        iowaits: Some(vec![(1, 22, 29), (1, 60, 70), (2, 20, 30)]),
        ..nothing()
    };
    let found = recorded(&events, &outside);
    assert_eq!(
        of(&found, 0),
        [
            (10, OnCpu::Task, [1, 0, 0]),
            (20, OnCpu::Idle, [0, 0, 0]),
            (22, OnCpu::Idle, [0, 1, 0]),
            (30, OnCpu::Idle, [0, 0, 0])
        ]
    );
    assert_eq!(
        of(&found, 2).last(),
        Some(&(50, OnCpu::Idle, [0, 0, 0])),
        "state S, no iowait"
    );
    let unknown = recorded(&events, &Outside::default());
    assert_eq!(
        of(&unknown, 0)[1..],
        [(20, OnCpu::Idle, [0, 0, 0])],
        "a sleep in D alone is no I/O wait"
    );
}

#[test]
fn a_memory_stall_stays_while_asleep_and_moves_with_the_task() {
    let stall = |enter| What::Stall { pid: 1, enter };
    let answer = recorded(
        &[
            (10, 0, switch(0, 0, 1)),
            (12, 0, stall(true)),
            (14, 0, stall(true)),
            (16, 0, stall(false)),
            (20, 0, switch(1, 1, 0)),
            (30, 1, wakeup(1, 2)),
            (40, 2, switch(0, 0, 1)),
            (45, 2, stall(false)),
            (46, 2, stall(false)),
            (50, 2, switch(1, 1, 0)),
        ],
        &nothing(),
    );
    assert_eq!(
        of(&answer, 0),
        [
            (10, OnCpu::Task, [1, 0, 0]),
            (12, OnCpu::Task, [1, 0, 1]),
            (20, OnCpu::Idle, [0, 0, 1]),
            (30, OnCpu::Idle, [0, 0, 0])
        ]
    );
    let two: Vec<State> = answer
        .machine
        .iter()
        .filter(|row| row.cpu == 2)
        .map(|row| row.state)
        .collect();
    let states: Vec<_> = two
        .iter()
        .map(|state| (state.memstall, state.memstall_running, state.stalled_on_cpu))
        .collect();
    assert_eq!(
        states,
        [
            (0, 0, false),
            (1, 1, false),
            (1, 1, true),
            (0, 0, false),
            (0, 0, false)
        ]
    );
}

#[test]
fn a_task_counts_in_its_cgroup_and_all_above() {
    let outside = Outside {
        members: vec![(1, "/a/b", 35)],
        ..nothing()
    };
    let answer = recorded(
        &[
            (10, 0, switch(0, 0, 1)),
            (
                20,
                0,
                What::Fork {
                    parent: 1,
                    child: 2,
                },
            ),
            (25, 0, wakeup(2, 0)),
            (30, 0, What::Attach { pid: 1, path: "/d" }),
            (33, 0, switch(1, 1, 2)),
            (40, 0, What::Lost),
        ],
        &outside,
    );
    let rows: Vec<_> = answer
        .groups
        .iter()
        .map(|(path, row)| (row.ts_ns, path.as_str(), row.state.on, row.state.running))
        .collect();
    assert_eq!(
        rows,
        [
            (10, "/a", OnCpu::Task, 1),
            (10, "/a/b", OnCpu::Task, 1),
            (25, "/a", OnCpu::Task, 2),
            (25, "/a/b", OnCpu::Task, 2),
            (30, "/a", OnCpu::Idle, 1),
            (30, "/a/b", OnCpu::Idle, 1),
            (30, "/d", OnCpu::Task, 1),
            (33, "/a", OnCpu::Task, 1),
            (33, "/a/b", OnCpu::Task, 1),
            (33, "/d", OnCpu::Idle, 0),
            (40, "/a", OnCpu::Lost, 0),
            (40, "/a/b", OnCpu::Lost, 0),
            (40, "/d", OnCpu::Lost, 0),
        ],
        "it counts in /a/b before it is seen there, the child by its parent"
    );
}

#[test]
fn the_first_task_of_a_cpu_is_there_from_the_beginning() {
    let outside = Outside {
        firsts: vec![(0, 10, 7), (1, 15, 0)],
        ..nothing()
    };
    let events = [
        (10, 3, What::Raise { vec: 1 }),
        (30, 0, switch(7, 1, 0)),
        (40, 1, switch(0, 0, 7)),
    ];
    let answer = recorded(&events, &outside);
    assert_eq!(
        of(&answer, 0),
        [(10, OnCpu::Task, [1, 0, 0]), (30, OnCpu::Idle, [0, 0, 0])]
    );
    assert_eq!(
        of(&answer, 1),
        [
            (10, OnCpu::Unknown, [0, 0, 0]),
            (15, OnCpu::Idle, [0, 0, 0]),
            (40, OnCpu::Task, [1, 0, 0])
        ]
    );
}

#[test]
fn a_pid_may_come_again() {
    let answer = recorded(
        &[
            (10, 0, switch(0, 0, 1)),
            (
                12,
                0,
                What::Stall {
                    pid: 1,
                    enter: true,
                },
            ),
            (20, 0, switch(1, 1, 0)),
            (30, 0, What::Free { pid: 1 }),
            (40, 1, switch(0, 0, 1)),
        ],
        &nothing(),
    );
    assert_eq!(of(&answer, 0).last(), Some(&(30, OnCpu::Idle, [0, 0, 0])));
    assert_eq!(of(&answer, 1).last(), Some(&(40, OnCpu::Task, [1, 0, 0])));
}

#[test]
fn a_wait_on_an_idle_cpu_is_the_way_out_of_idle() {
    let answer = recorded(
        &[
            (10, 0, switch(1, 1, 0)),
            (20, 1, What::Waking { pid: 1, target: 0 }),
            (23, 1, wakeup(1, 0)),
            (
                24,
                0,
                What::Irq {
                    softirq: false,
                    vec: 0,
                    enter: true,
                },
            ),
            (
                26,
                0,
                What::Irq {
                    softirq: false,
                    vec: 0,
                    enter: false,
                },
            ),
            (30, 0, switch(0, 0, 1)),
        ],
        &nothing(),
    );
    let wait = &answer.waits[0].1;
    assert_eq!(
        (wait.start_ns, wait.end_ns, wait.from),
        (20, 30, WaitFrom::Waking)
    );
    assert_eq!((wait.cpu, wait.from_cpu, wait.waker_pid), (0, 0, 77));
    assert_eq!(
        causes(&answer, 0),
        [(Cause::WakeUp, 3), (Cause::IdleExit, 7)]
    );
}

/// CPU 0 runs task 1 while task 2 waits there from 100 to 200; `others` say what goes on elsewhere.
fn waiting(others: &[(u64, u32, What)], outside: &Outside) -> Answer {
    let mut events = vec![
        (10, 0, switch(0, 0, 1)),
        (100, 0, wakeup(2, 0)),
        (200, 0, switch(1, 1, 2)),
    ];
    events.extend_from_slice(others);
    events.sort_by_key(|event| event.0);
    recorded(&events, outside)
}

#[test]
fn a_wait_behind_a_task_looks_at_the_other_cpus() {
    let others = [
        (20, 1, switch(0, 0, 5)),
        (20, 2, switch(0, 0, 6)),
        (20, 3, switch(0, 0, 7)),
        (110, 2, switch(6, 1, 0)),
        (130, 1, switch(5, 1, 0)),
        (170, 2, switch(0, 0, 6)),
        (180, 1, switch(0, 0, 5)),
    ];
    let found = waiting(&others, &nothing());
    let expected = [
        (Cause::IdleSameNode, 50),
        (Cause::IdleOtherNode, 20),
        (Cause::Busy, 30),
    ];
    assert_eq!(causes(&found, 0), expected);
    let pinned = Outside {
        allowed: vec![(2, vec![0])],
        ..nothing()
    };
    let found = waiting(&others, &pinned);
    assert_eq!(causes(&found, 0), [(Cause::Pinned, 70), (Cause::Busy, 30)]);
    assert!(
        found
            .machine
            .iter()
            .any(|row| row.cpu == 0 && row.state.bound == 1)
    );
}

#[test]
fn balancing_that_was_raised_and_is_not_finished_comes_first() {
    let others = [
        (20, 1, switch(5, 1, 0)),
        (110, 3, What::Raise { vec: 7 }),
        (120, 3, What::Raise { vec: 1 }),
        (
            130,
            3,
            What::Irq {
                softirq: true,
                vec: 7,
                enter: true,
            },
        ),
        (
            140,
            3,
            What::Irq {
                softirq: true,
                vec: 7,
                enter: false,
            },
        ),
    ];
    let found = waiting(&others, &nothing());
    let expected = [(Cause::PendingBalance, 30), (Cause::IdleSameNode, 70)];
    assert_eq!(causes(&found, 0), expected);
}

#[test]
fn interrupts_win_over_softirqs_and_end_with_the_switch() {
    let others = [
        (20, 1, switch(0, 0, 5)),
        (20, 2, switch(0, 0, 6)),
        (20, 3, switch(0, 0, 7)),
        (
            105,
            0,
            What::Irq {
                softirq: false,
                vec: 0,
                enter: false,
            },
        ),
        (
            110,
            0,
            What::Irq {
                softirq: true,
                vec: 3,
                enter: true,
            },
        ),
        (
            120,
            0,
            What::Irq {
                softirq: false,
                vec: 0,
                enter: true,
            },
        ),
        (
            125,
            0,
            What::Irq {
                softirq: false,
                vec: 0,
                enter: false,
            },
        ),
        (
            140,
            0,
            What::Irq {
                softirq: true,
                vec: 3,
                enter: false,
            },
        ),
        (
            190,
            0,
            What::Irq {
                softirq: false,
                vec: 0,
                enter: true,
            },
        ),
        (210, 0, wakeup(9, 0)),
        (220, 0, switch(2, 1, 9)),
    ];
    let found = waiting(&others, &nothing());
    let expected = [
        (Cause::Interrupt, 15),
        (Cause::Softirq, 25),
        (Cause::Busy, 60),
    ];
    assert_eq!(causes(&found, 0), expected);
    assert_eq!(causes(&found, 1), [(Cause::Busy, 10)]);
}

#[test]
fn a_scan_is_its_tasks_wherever_that_runs_and_ends_when_it_sleeps() {
    let scan = |pid, enter| What::Scan { pid, enter };
    let irq = |enter| What::Irq {
        softirq: false,
        vec: 0,
        enter,
    };
    // Task 1 runs on CPU 0 from before 100 on, where 2 waits from 100 on.
    let others = [
        (110, 0, scan(1, true)),
        (120, 0, irq(true)),
        (125, 0, irq(false)),
        // Preempted in the middle of it: the others do not scan.
        (150, 0, switch(1, 0, 3)),
        (170, 0, switch(3, 0, 1)),
        (180, 0, scan(1, false)),
        (190, 0, scan(1, true)),
        (195, 0, switch(1, 1, 3)),
        (197, 0, switch(3, 0, 1)),
    ];
    let found = waiting(&others, &nothing());
    let two = found.waits.iter().position(|wait| wait.1.task == 2);
    let of_two = causes(&found, two.unwrap());
    let ns = |cause| {
        let mine = of_two.iter().filter(|one| one.0 == cause);
        mine.map(|one| one.1).sum::<u64>()
    };
    assert_eq!((ns(Cause::NumaScan), ns(Cause::Interrupt)), (50, 5));
}

#[test]
fn a_bpf_scheduler_holds_no_deadline_task() {
    let mut outside = nothing();
    outside.sched_ext.loaded.push(ScxSpan {
        from_ns: 0,
        to_ns: 1000,
        all: true,
    });
    let held = |pid| {
        let events = [
            (10, 0, switch(0, 0, pid)),
            (20, 0, switch(pid, 1, 1)),
            (20, 1, switch(0, 0, 5)),
            (100, 0, wakeup(pid, 0)),
            (150, 1, switch(5, 1, 0)),
            (200, 0, switch(1, 1, pid)),
        ];
        let found = recorded(&events, &outside);
        let causes = causes(&found, 0);
        causes.iter().any(|&(cause, _)| cause == Cause::ScxQueued)
    };
    assert!(held(2));
    assert!(!held(DEADLINE));
    assert!(!held(REAL_TIME));
}

#[test]
fn a_bpf_scheduler_holds_its_tasks_while_cpus_are_idle_and_no_others() {
    let of = |outside: SchedExtInputs| Outside {
        sched_ext: outside,
        ..nothing()
    };
    let loaded = |all| SchedExtInputs {
        loaded: vec![ScxSpan {
            from_ns: 0,
            to_ns: 1000,
            all,
        }],
        ..SchedExtInputs::default()
    };
    let others = [
        (20, 1, switch(0, 0, 5)),
        (20, 2, switch(0, 0, 6)),
        (20, 3, switch(0, 0, 7)),
        (150, 1, switch(5, 1, 0)),
    ];
    // All CPUs are busy until 150, which is no scheduler's fault, then one of the node is idle.
    let found = waiting(&others, &of(loaded(true)));
    assert_eq!(
        causes(&found, 0),
        [(Cause::Busy, 50), (Cause::ScxQueued, 50)]
    );
    // With SCX_OPS_SWITCH_PARTIAL a task of another policy stays with the fair class.
    let found = waiting(&others, &of(loaded(false)));
    assert_eq!(
        causes(&found, 0),
        [(Cause::IdleSameNode, 50), (Cause::Busy, 50)]
    );
    let mut own = loaded(false);
    own.tasks.push(ExtTask {
        pid: 2,
        from_ns: 500,
        ext: true,
    });
    let found = waiting(&others, &of(own.clone()));
    assert_eq!(
        causes(&found, 0),
        [(Cause::Busy, 50), (Cause::ScxQueued, 50)]
    );
    // The watchdog found it: whatever else ran, the scheduler left it.
    own.stalls.push(ScxStall {
        pid: 2,
        from_ns: 90,
        to_ns: 190,
    });
    let found = waiting(&others, &of(own.clone()));
    assert_eq!(
        causes(&found, 0),
        [(Cause::Busy, 10), (Cause::ScxStalled, 90)]
    );
    // It is gone by then.
    own.loaded[0].to_ns = 100;
    let found = waiting(&others, &of(own));
    assert_eq!(
        causes(&found, 0),
        [(Cause::IdleSameNode, 50), (Cause::Busy, 50)]
    );
}

#[test]
fn a_wait_goes_on_after_a_migration() {
    let others = [
        (20, 1, switch(5, 1, 0)),
        (150, 1, What::Migrate { pid: 2, dest: 1 }),
        (160, 1, switch(0, 0, 2)),
    ];
    let found = waiting(&others, &nothing());
    let wait = &found.waits[0].1;
    assert_eq!(
        (wait.cpu, wait.from_cpu, wait.end_ns - wait.start_ns),
        (1, 0, 60)
    );
    assert_eq!(
        causes(&found, 0),
        [(Cause::IdleExit, 10), (Cause::IdleSameNode, 50)]
    );
}

#[test]
fn an_idle_cpu_does_not_run_a_throttled_cgroup() {
    let outside = Outside {
        members: vec![(1, "/a/b", 0)],
        throttled: vec![("/a", 25, 40), ("/d", 0, 100)],
        ..nothing()
    };
    let events = [
        (10, 0, switch(1, 1, 0)),
        (20, 1, wakeup(1, 0)),
        (50, 0, switch(0, 0, 1)),
    ];
    let found = recorded(&events, &outside);
    assert_eq!(
        causes(&found, 0),
        [(Cause::Throttled, 15), (Cause::IdleExit, 15)]
    );
    assert_eq!(found.waits[0].0, "/a/b");
}

#[test]
fn nobody_knows_what_a_cpu_without_events_does() {
    let found = recorded(
        &[
            (10, 1, wakeup(1, 0)),
            (30, 0, switch(4, 1, 1)),
            (40, 0, What::Lost),
            (50, 1, wakeup(4, 0)),
            (60, 0, switch(9, 0, 4)),
            (90, 0, switch(4, 1, 9)),
        ],
        &nothing(),
    );
    assert_eq!(causes(&found, 0), [(Cause::Unknown, 20)]);
    // Task 4 came to a queue of which nothing was known: it may have run there before.
    assert_eq!(found.waits[1].1.from, WaitFrom::Preempted);
    // CPU 0 is busy by then; whether another is, is not known.
    assert_eq!(causes(&found, 1), [(Cause::Unknown, 30)]);
}
