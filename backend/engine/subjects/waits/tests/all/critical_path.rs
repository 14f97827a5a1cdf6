//! Who held a task up: worked examples, ones that look alike, and what holds of any recording.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use numalens_core::EngineError;
use numalens_core::provenance::Label;
use numalens_replay::timeline::TaskState;
use numalens_replay::waits::Context;
use numalens_support::recordings::{Ev, What};
use numalens_waits::{CriticalPath, PathLogs, PathStep, Stop, critical_path};
use proptest::prelude::*;

use crate::wait_story::{
    Asked, HARDIRQ, SOFTIRQ, ev, example, machine, on, recording, relay, replayed,
};

type Answer = Result<CriticalPath, &'static str>;

/// The paths of some moments.
fn paths(events: &[Ev], asked: &[Asked], flags: bool, of: &[(i32, u64)]) -> Vec<Answer> {
    replayed(events, asked, flags, machine(), |logs, waits| {
        let read = PathLogs {
            requests: logs.requests,
            nodes: logs.index.nodes(),
            origin_ns: logs.index.origin_ns(),
        };
        let spans = |pid| logs.index.task_spans(pid, waits);
        let name = |pid| format!("task{pid}");
        let path = |&(pid, at): &(i32, u64)| {
            critical_path::<_, EngineError>(&read, pid, at, spans, name).unwrap()
        };
        of.iter().map(path).collect()
    })
}

fn path(events: &[Ev], asked: &[Asked], pid: i32, at: u64) -> CriticalPath {
    paths(events, asked, true, &[(pid, at)]).remove(0).unwrap()
}

/// Who, from when, until when, how long it ran and how long it waited.
fn told(path: &CriticalPath) -> Vec<(i32, u64, u64, u64, u64)> {
    let step = |step: &PathStep| {
        (
            step.pid,
            step.from_ns,
            step.to_ns,
            step.run_ns,
            step.wait_ns,
        )
    };
    path.steps.iter().map(step).collect()
}

#[test]
fn a_wait_and_the_sleep_before_it_have_one_path() {
    let (events, asked) = example();
    let of_wait = path(&events, &asked, 10, 230);
    assert_eq!(
        told(&of_wait),
        [(10, 220, 280, 0, 60), (20, 200, 220, 15, 5)]
    );
    assert_eq!((of_wait.begin_ns, of_wait.end_ns), (140, 280));
    // From 140 to 200 it slept until an interrupt woke 20, which woke it.
    assert_eq!((of_wait.stop, of_wait.rest_ns), (Stop::Interrupt, 60));
    let parts: Vec<_> = of_wait.steps[1]
        .parts
        .iter()
        .map(|part| (part.state, part.from_ns, part.to_ns, part.cpu, part.nid))
        .collect();
    assert_eq!(
        parts,
        [
            ("wakeup", 200, 205, Some(1), Some(0)),
            ("running", 205, 220, Some(1), Some(0)),
        ]
    );
    let woken = of_wait.steps[0].woken.unwrap();
    assert_eq!(
        (woken.t_ns, woken.context, woken.cpu, woken.pid),
        (220, Context::Task, 1, Some(20))
    );
    let first = of_wait.steps[1].woken.unwrap();
    assert_eq!((first.context, first.cpu), (Context::Interrupt, 2));
    assert_eq!(of_wait.steps[1].slept_ns, Some(120));
    assert_eq!(of_wait.label, Label::Replayed);
    let of_sleep = path(&events, &asked, 10, 150);
    assert_eq!((of_wait.state, of_sleep.state), ("wakeup", "sleeping"));
    assert_eq!(
        CriticalPath {
            state: "wakeup",
            ..of_sleep
        },
        of_wait
    );
}

#[test]
fn who_was_awake_before_the_sleep_has_only_its_part() {
    let (mut events, mut asked) = example();
    asked[0].ts = 130;
    events[6].ts = 131;
    events[7].ts = 135;
    events.sort_by_key(|event| event.ts);
    let found = path(&events, &asked, 10, 230);
    assert_eq!(told(&found), [(10, 220, 280, 0, 60), (20, 140, 220, 80, 0)]);
    assert_eq!((found.stop, found.rest_ns), (Stop::RanAlready, 0));
    // Its run had begun before the path does.
    let part = &found.steps[1].parts[0];
    assert_eq!((part.since_ns, part.from_ns, part.to_ns), (135, 140, 220));
    assert_eq!(found.steps[1].woken, None);
}

#[test]
fn who_was_only_interrupted_is_not_blamed() {
    // Looks the same but for the flags: task 20 was on the CPU whose interrupt or softirq woke 10.
    for (flags, context, stop) in [
        (HARDIRQ, Context::Interrupt, Stop::Interrupt),
        (SOFTIRQ, Context::Softirq, Stop::Softirq),
    ] {
        let (events, mut asked) = example();
        asked[1].flags = flags;
        let found = path(&events, &asked, 10, 230);
        assert_eq!(told(&found), [(10, 220, 280, 0, 60)]);
        assert_eq!((found.stop, found.rest_ns), (stop, 80));
        let woken = found.steps[0].woken.unwrap();
        assert_eq!((woken.context, woken.pid), (context, Some(20)));
    }
    // An idle CPU is not a task either.
    let (events, mut asked) = example();
    asked[0].flags = 0;
    let found = path(&events, &asked, 10, 230);
    assert_eq!((found.steps.len(), found.stop), (2, Stop::Idle));
}

#[test]
fn what_is_not_recorded_is_named() {
    let (events, asked) = example();
    // Without flags it is not known whether 20 woke it or an interrupt on its CPU.
    let found = paths(&events, &asked, false, &[(10, 230)])
        .remove(0)
        .unwrap();
    assert_eq!(found.steps[1].missing, ["common_flags"]);
    assert_eq!(found.label, Label::Inferred);
    // Without requests the waker is not known.
    let found = path(&events, &[], 10, 230);
    assert_eq!((found.stop, told(&found).len()), (Stop::NotRecorded, 1));
    assert_eq!(found.missing, ["sched_waking"]);
    assert_eq!(found.steps[0].woken, None);
    // Who is said to have woken it is not seen to run there.
    let (mut events, asked) = example();
    events.retain(|event| event.ts != 205 && event.ts != 240);
    let found = path(&events, &asked, 10, 230);
    assert!(
        found.steps[1].missing.contains(&"sched_switch".to_owned()),
        "{found:?}"
    );
}

#[test]
fn a_preempted_task_was_woken_by_nobody_and_a_running_one_was_not_held_up() {
    let (events, asked) = example();
    let found = paths(
        &events,
        &asked,
        true,
        &[(30, 135), (10, 135), (10, 900), (10, 101)],
    );
    let of = found[0].as_ref().unwrap();
    assert_eq!(
        (told(of), of.stop),
        (vec![(30, 130, 140, 0, 10)], Stop::Preempted)
    );
    assert_eq!(
        found[1],
        Err("the task ran at that time: nothing delayed it")
    );
    assert_eq!(found[2], Err("the task did not exist at that time"));
    assert_eq!(
        found[3],
        Err("no event shows what the task did at that time")
    );
}

#[test]
fn a_new_task_was_forked() {
    let events = [
        on(100, 0, 0, 0, 1),
        on(100, 1, 0, 0, 2),
        ev(150, 0, What::WakeupNew { pid: 5, target: 0 }),
        on(180, 0, 1, 1, 5),
        on(200, 1, 2, 1, 0),
    ];
    let found = path(&events, &[], 5, 160);
    assert_eq!(
        (told(&found), found.stop),
        (vec![(5, 150, 180, 0, 30)], Stop::Created)
    );
    assert_eq!(found.missing, [] as [&str; 0]);
}

#[test]
fn a_long_path_is_cut_off() {
    let (events, asked) = relay((1..=40).rev());
    let found = path(&events, &asked, 1, 500);
    assert_eq!((found.steps.len(), found.stop), (32, Stop::Limit));
    let adjoin = found
        .steps
        .windows(2)
        .all(|pair| pair[1].to_ns == pair[0].from_ns);
    assert!(adjoin);
    assert_eq!(found.rest_ns, found.steps[31].from_ns - found.begin_ns);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn steps_adjoin_and_add_up(
        (events, asked) in recording(),
        moments in prop::collection::vec((1..9_i32, 1000..12_000_u64), 20),
    ) {
        let answers = paths(&events, &asked, true, &moments);
        for (answer, (pid, at)) in answers.iter().zip(moments) {
            let Ok(path) = answer else { continue };
            // What was before the recording counts as its start.
            let begin = events.iter().map(|event| event.ts).chain(asked.iter().map(|each| each.ts)).min();
            prop_assert!(at < path.end_ns && (path.begin_ns <= at || begin.is_some_and(|begin| at < begin)));
            prop_assert_eq!(path.pid, pid);
            let mut until = path.end_ns;
            for step in &path.steps {
                prop_assert_eq!(step.to_ns, until);
                prop_assert!(step.from_ns >= path.begin_ns);
                prop_assert_eq!(step.run_ns + step.wait_ns, step.to_ns - step.from_ns);
                let parts = step.parts.iter().map(|part| part.to_ns - part.from_ns);
                prop_assert!(step.parts_more > 0 || parts.sum::<u64>() == step.to_ns - step.from_ns);
                until = step.from_ns;
            }
            prop_assert_eq!(path.rest_ns, until - path.begin_ns);
            prop_assert!(path.stop != Stop::RanAlready || path.rest_ns == 0);
            let first = path.steps.first().map(|step| step.pid);
            prop_assert!(first.is_none_or(|first| first == pid));
            prop_assert!(path.state != TaskState::Running.name());
        }
    }
}
