//! Whom a claim hurt, which finding is first, and what tasks sleep for: each with a look-alike.
#![allow(clippy::unwrap_used, missing_docs)]

use std::convert::Infallible;

use WaitFrom::{Preempted, Waking};
use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_engine::findings::split_checks;
use numalens_engine::headline::Headline;
use numalens_psi::findings::Facts;
use numalens_psi::findings::blocked::{Blocked, BlockedFacts};
use numalens_replay::waits::{Cause, CauseNs, WaitEnd, WaitFrom, WaitPart, WaitRow};
use numalens_subject::findings::{Finding, Severity, rank};
use numalens_subject::window::Names;
use numalens_waits::findings::{Meanwhile, Tally, Waiting, WaitingFacts, detect};

use crate::findings_waiting::{MS, WINDOW, facts};

/// The tasks: pid and number are the place.
const COMMS: [&str; 8] = [
    "idle",
    "web",
    "batch",
    "batch",
    "perf",
    "sh",
    "true",
    "kworker/0:1",
];

struct Named;

impl Names for Named {
    fn task(&self, task: TaskId) -> (i32, &str) {
        // Tasks 100 and on are pairs of one pid: a shell's child before and after it executes another program.
        match task {
            100.. if task.is_multiple_of(2) => (task as i32, "sh"),
            100.. => (task as i32 - 1, "true"),
            _ => (task as i32, COMMS[task as usize]),
        }
    }

    fn cgroup(&self, group: u32) -> &str {
        ["/", "/capped"][group as usize]
    }
}

/// Who waited, from when, what began it, nice value, cause, how long.
type Row = (TaskId, u64, WaitFrom, i32, Cause, u64);

fn tallied(waits: &[Row], ran: &[(TaskId, u64)]) -> Waiting {
    tallied_with(Tally::default(), waits, ran)
}

fn tallied_with(mut tally: Tally, waits: &[Row], ran: &[(TaskId, u64)]) -> Waiting {
    for &(task, ns) in ran {
        tally.ran(task, ns);
    }
    let mut waits = waits.to_vec();
    waits.sort_by_key(|one| std::cmp::Reverse(one.1 + one.5));
    for (task, start_ns, from, nice, cause, ns) in waits {
        let row = WaitRow {
            start_ns,
            end_ns: start_ns + ns,
            task,
            prio: 120 + nice,
            cpu: 0,
            from_cpu: 0,
            from,
            end: WaitEnd::Ran,
            waker_pid: -1,
            group: 0,
        };
        let causes = [CauseNs { cause, ns }];
        let part = WaitPart::whole(&row, &causes);
        if numalens_subject::window::is_own(Named.task(task).1) {
            tally.own(&part);
        } else {
            tally.wait(&part);
        }
    }
    let meanwhile = |row: &WaitRow| {
        let ns = row.end_ns - row.start_ns;
        Ok::<_, Infallible>(Meanwhile {
            cpus: vec![0],
            ran: vec![(4, ns / 2), (2, ns / 4), (3, ns / 4)],
        })
    };
    tally.finish(WINDOW, &Named, false, meanwhile).unwrap()
}

fn on_two_cpus(waiting: &Waiting) -> WaitingFacts<'_> {
    WaitingFacts {
        cpus: 2,
        ..facts(waiting, true)
    }
}

fn found(waiting: &Waiting) -> Vec<Finding> {
    rank(
        detect(&on_two_cpus(waiting)),
        0,
        WINDOW,
        2,
        waiting.total_ns,
    )
}

fn headline(waiting: &Waiting) -> String {
    let found = found(waiting);
    Headline::of(2, None, Some(&on_two_cpus(waiting)), &found, Vec::new()).summary
}

/// Waits of 5 ms in every 10 ms.
fn turns(task: TaskId, from: WaitFrom, nice: i32) -> Vec<Row> {
    (0..50)
        .map(|at| (task, at * 20 * MS, from, nice, Cause::Busy, 5 * MS))
        .collect()
}

#[test]
fn tasks_that_take_turns_are_not_hurt() {
    let ran = [(1, 50 * MS), (2, 900 * MS), (3, 900 * MS)];
    let severity = |waits: &[Vec<Row>]| {
        let waiting = tallied(&waits.concat(), &ran);
        let all = found(&waiting);
        assert_eq!((all.len(), all[0].id), (1, "CPU_SATURATED"));
        (all[0].severity, headline(&waiting))
    };
    let (two, three) = (turns(2, Preempted, 0), turns(3, Preempted, 0));
    let (fair, said) = severity(&[two.clone(), three.clone()]);
    assert_eq!(fair, Severity::Low);
    assert!(said.starts_with("No task waited long for a CPU"), "{said}");
    // A task that answers, and waits longer than it runs.
    let (hurt, said) = severity(&[two.clone(), three.clone(), turns(1, Waking, 0)]);
    assert_eq!(hurt, Severity::High);
    let expected = "web waited 250.0 ms: no CPU was idle, behind batch (2 tasks); longest 5.0 ms, 0.000 s into the window. 2 CPUs";
    assert!(said.starts_with(expected), "{said}");
    // The same with a nice value: it asked for that.
    assert_eq!(
        severity(&[two.clone(), three.clone(), turns(1, Waking, 5)]).0,
        Severity::Low
    );
    // It ran five times as long as it waited.
    let few: Vec<Row> = turns(3, Waking, 0).into_iter().take(36).collect();
    assert_eq!(severity(&[two.clone(), few]).0, Severity::Low);
    // Its slices end as others' do, but it gets less than half of their share.
    assert_eq!(
        severity(&[two, three, turns(1, Preempted, 0)]).0,
        Severity::High
    );
}

#[test]
fn a_missing_cpu_is_no_fair_share() {
    let waits = [turns(2, Preempted, 0), turns(3, Preempted, 0)].concat();
    let ran = [(2, 900 * MS), (3, 900 * MS)];
    let severity = |offline: Vec<(u64, u64)>| {
        let waiting = tallied_with(Tally::new(offline, 0), &waits, &ran);
        found(&waiting)[0].severity
    };
    assert_eq!(severity(vec![(0, WINDOW)]), Severity::High);
    assert_eq!(severity(vec![(WINDOW, 2 * WINDOW)]), Severity::Low);
}

#[test]
fn time_on_a_cpu_without_data_may_be_run_time() {
    // It was seen to run for less than it waited.
    let few: Vec<Row> = turns(1, Waking, 0).into_iter().take(36).collect();
    let waits = [few, turns(2, Preempted, 0)].concat();
    let ran = [(1, 5 * MS), (2, 900 * MS)];
    let severity = |unseen_ns: u64| {
        let waiting = tallied_with(Tally::new(Vec::new(), unseen_ns), &waits, &ran);
        found(&waiting)[0].severity
    };
    assert_eq!(severity(0), Severity::Medium);
    assert_eq!(severity(WINDOW), Severity::Low);
}

#[test]
fn one_long_stall_goes_before_many_short_waits() {
    let stall: Row = (1, 400 * MS, Waking, 0, Cause::BehindHigherClass, 110 * MS);
    let mut waits = turns(5, Waking, 0);
    waits.push(stall);
    let ids = |waits: &[Row]| -> Vec<_> {
        let all = found(&tallied(waits, &[]));
        all.iter().map(|one| (one.id, one.severity)).collect()
    };
    assert_eq!(
        ids(&waits),
        [
            ("RT_HOG", Severity::High),
            ("CPU_SATURATED", Severity::High)
        ]
    );
    // As many short waits behind the same tasks: what is more in all goes first.
    waits.pop();
    waits.extend((0..22).map(|at| (1, at * 40 * MS, Waking, 0, Cause::BehindHigherClass, 5 * MS)));
    assert_eq!(
        ids(&waits),
        [
            ("CPU_SATURATED", Severity::High),
            ("RT_HOG", Severity::High)
        ]
    );
}

#[test]
fn the_longest_wait_is_named_whatever_began_it() {
    let longest = |from| {
        let mut waits = turns(1, Waking, 0);
        waits.push((1, 400 * MS, from, 0, Cause::Throttled, 90 * MS));
        waits.push((1, 600 * MS, Waking, 0, Cause::Throttled, 30 * MS));
        let all = found(&tallied(&waits, &[]));
        let throttled = all.into_iter().find(|one| one.id == "CGROUP_THROTTLE");
        throttled.unwrap().verdict.unwrap()
    };
    for from in [Waking, Preempted] {
        let said = longest(from);
        assert!(said.contains("longest 90.0 ms, 0.400 s"), "{said}");
    }
}

#[test]
fn the_recorder_is_in_no_finding() {
    let own = tallied(&turns(4, Waking, 0), &[]);
    assert!(found(&own).is_empty());
    assert_eq!(own.total_ns, 250 * MS);
    // It ran longest in the meantime, and is not the culprit.
    let other = found(&tallied(&turns(1, Waking, 0), &[]));
    assert!(!other[0].summary.contains("perf"), "{}", other[0].summary);
    assert!(other[0].summary.contains("batch"), "{}", other[0].summary);
}

#[test]
fn a_quota_that_was_not_sampled_is_one_finding() {
    let part = |task, at: u64, cause| (task, at * MS, Preempted, 0, cause, 80 * MS);
    let of = |idle: TaskId| {
        tallied(
            &[
                part(1, 0, Cause::Throttled),
                part(idle, 200, Cause::IdleUnexplained),
            ],
            &[],
        )
    };
    let one = found(&of(1));
    let ids: Vec<_> = one.iter().map(|each| each.id).collect();
    assert_eq!(ids, ["CGROUP_THROTTLE"]);
    assert_eq!((one[0].impact_ms, one[0].label), (160.0, Label::Inferred));
    assert!(headline(&of(1)).starts_with(
        "web waited 160.0 ms: probably throttled by a CPU quota, which was not sampled; "
    ));
    // Another task on an idle CPU is another cause.
    assert_eq!(found(&of(2)).len(), 2);
}

#[test]
fn a_shell_that_forks_is_a_storm() {
    let child = |at: u64, task: TaskId| (task, at * 8 * MS, WaitFrom::New, 0, Cause::Busy, MS);
    let waits = |children: u32| -> Vec<Row> {
        let mut all = turns(5, Preempted, 0);
        all.extend((0..children).map(|at| child(u64::from(at), 100 + 2 * at)));
        all
    };
    let ran = |children: u32, each: u64| -> Vec<(TaskId, u64)> {
        let mut all = vec![(5, 300 * MS), (2, 400 * MS)];
        all.extend((0..children).map(|at| (101 + 2 * at, each)));
        all
    };
    let id = |children, each| found(&tallied(&waits(children), &ran(children, each)))[0].clone();
    let storm = id(120, 4 * MS);
    assert_eq!(storm.id, "FORK_STORM");
    let said = "sh forked 120 short tasks (120 a second), mostly true, and with them ran for 66 % of what all tasks ran";
    assert!(storm.summary.contains(said), "{}", storm.summary);
    // A build forks, too, and its tasks run long. A few short tasks are none.
    assert_eq!(id(120, 30 * MS).id, "CPU_SATURATED");
    assert_eq!(id(99, 4 * MS).id, "CPU_SATURATED");
}

fn sleeper(pid: i32, ms: u64, io_ms: u64) -> Blocked {
    let ns = ms * MS;
    Blocked {
        pid,
        comm: "db".to_owned(),
        ns,
        io_ns: io_ms * MS,
        felt: ns as f64 * ns as f64,
        longest: (100 * MS, 100 * MS + ns),
        steady: false,
        reasons: [].into(),
    }
}

fn asleep(tasks: &[Blocked], io_known: bool) -> Vec<Finding> {
    let facts = Facts {
        from_ns: 0,
        to_ns: WINDOW,
        cpus: 2,
        blocked: Some(BlockedFacts {
            from_ns: 0,
            to_ns: WINDOW,
            tasks,
            label: Label::Replayed,
            missing: &[],
            io_known,
            device: None,
            refaults: None,
        }),
        ..Facts::default()
    };
    rank(numalens_psi::findings::detect(&facts), 0, WINDOW, 2, 0)
}

#[test]
fn uninterruptible_sleep_is_not_called_io() {
    let tasks = [sleeper(1, 200, 0), sleeper(2, 100, 0)];
    let one = asleep(&tasks, false);
    assert_eq!(
        (one.len(), one[0].id, one[0].severity),
        (1, "BLOCKED", Severity::Medium)
    );
    let said = "db (2 tasks) slept uninterruptibly (D) for 300.0 ms, for I/O, a lock, memory or the freezer (not recorded); \
                longest 200.0 ms, 0.100 s into the window: CPUs are not the cause.";
    assert_eq!(one[0].summary, said);
    assert!(asleep(&tasks, true)[0].summary.contains("not for I/O"));
    // A recorded cause of most of the time is named, one of less is not.
    let mut held = tasks.clone();
    let lock = "a lock of the kernel (rwsem_down_write_slowpath)";
    held[0].reasons = [(lock.to_owned(), 160 * MS)].into();
    let said = &asleep(&held, true)[0].summary;
    assert!(
        said.contains(&format!("300.0 ms, mostly for {lock};")),
        "{said}"
    );
    held[0].reasons = [(lock.to_owned(), 150 * MS)].into();
    assert!(asleep(&held, true)[0].summary.contains("not for I/O"));
    // What is known to be I/O is another finding's, and 9 ms are none.
    assert!(asleep(&[sleeper(1, 200, 200)], true).is_empty());
    assert!(asleep(&[sleeper(1, 9, 0)], false).is_empty());
    let first = Headline::of(2, None, None, &one, Vec::new()).summary;
    assert!(
        first.starts_with("db (2 tasks) was in uninterruptible sleep (D) for 300.0 ms, "),
        "{first}"
    );
}

#[test]
fn the_kernels_own_threads_are_not_hurt_on_busy_cpus() {
    let waits = [turns(7, Waking, 0), turns(2, Preempted, 0)].concat();
    let waiting = tallied(&waits, &[(2, 900 * MS)]);
    assert_eq!(found(&waiting)[0].severity, Severity::Low);
    // They are behind a real-time task.
    let behind = turns(7, Waking, 0);
    let behind: Vec<Row> = behind
        .into_iter()
        .map(|one| (one.0, one.1, one.2, one.3, Cause::BehindHigherClass, one.5))
        .collect();
    assert_eq!(found(&tallied(&behind, &[]))[0].severity, Severity::High);
}

#[test]
fn checks_of_the_replay_are_no_findings() {
    let waiting = tallied(&turns(1, Waking, 0), &[]);
    let mut all = found(&waiting);
    let check = Finding {
        id: "PSI_MISMATCH",
        ..all[0].clone()
    };
    all.push(check);
    let (left, checks) = split_checks(all);
    assert_eq!(
        (left.len(), checks.len(), checks[0].id),
        (1, 1, "PSI_MISMATCH")
    );
}

#[test]
fn bursts_on_an_idle_machine_are_less_grave() {
    let waits = turns(1, Waking, 0);
    let severity = |ran: u64| {
        let waiting = tallied(&waits, &[(1, 100 * MS), (2, ran)]);
        found(&waiting)[0].severity
    };
    assert_eq!(severity(1_000 * MS), Severity::High);
    assert_eq!(severity(800 * MS), Severity::Medium);
    // A small cost on an idle machine is not a shortage.
    let few = |ran: u64| {
        let waiting = tallied(&waits[..10], &[(1, 100 * MS), (2, ran)]);
        found(&waiting)[0].severity
    };
    assert_eq!(
        (few(1_000 * MS), few(800 * MS)),
        (Severity::Medium, Severity::Low)
    );
}

#[test]
fn who_lost_microseconds_is_no_victim() {
    let of = |ns: u64| {
        let lost = (1, 0, Waking, 0, Cause::Busy, ns);
        let waits = [turns(2, Preempted, 0), vec![lost]].concat();
        tallied(&waits, &[(1, MS), (2, 900 * MS), (3, 900 * MS)])
    };
    let shared = headline(&of(9 * MS));
    assert!(shared.starts_with("No task waited long"), "{shared}");
    let hurt = headline(&of(11 * MS));
    assert!(
        hurt.starts_with("web waited 11.0 ms: no CPU was idle"),
        "{hurt}"
    );
}
