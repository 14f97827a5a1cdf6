//! From events to attempts: each row of the pattern table, and what gaps, late ends and missing probes make of it.
#![allow(clippy::unwrap_used, missing_docs)]

use numalens_core::topology::Node;
use numalens_replay::migrations::{How, Migration};
use numalens_replay::numa::{
    Attempt, Candidate, Classifier, ClingLine, LATEST_NS, Leaning, NumaEvent, Partner, Preferred,
    SPAN_NS, StickFormat, TargetFrom, Verdict,
};
use proptest::prelude::*;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;

fn nodes(count: u32) -> Vec<Node> {
    let node = |nid| Node {
        nid,
        cpus: (nid * 4..nid * 4 + 4).collect(),
    };
    (0..count).map(node).collect()
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Event(u64, u32, NumaEvent),
    Migrate(u64, i32, u32, How),
}

/// p goes from CPU 1 of node 0 to a CPU.
fn choice(pid: i32, dst_cpu: i32, partner: i32) -> Candidate {
    Candidate {
        pid,
        tgid: 90,
        ngid: 7,
        src_cpu: 1,
        src_nid: 0,
        dst_cpu,
        dst_nid: if dst_cpu < 0 { -1 } else { dst_cpu / 4 },
        partner: (partner > 0).then_some(Partner {
            pid: partner,
            tgid: partner,
            ngid: 0,
        }),
    }
}

fn moves(ts: u64, pid: i32, dst_cpu: i32) -> Step {
    Step::Event(ts, 1, NumaEvent::Move(choice(pid, dst_cpu, 0)))
}

fn swaps(ts: u64, pid: i32, dst_cpu: i32, partner: i32) -> Step {
    Step::Event(ts, 1, NumaEvent::Swap(choice(pid, dst_cpu, partner)))
}

fn sticks(ts: u64, pid: i32, dst_cpu: i32, partner: i32) -> Step {
    let choice = choice(pid, dst_cpu, partner);
    Step::Event(ts, 1, NumaEvent::Stick(choice, StickFormat::Ten))
}

fn sticks_7(ts: u64, pid: i32, dst_cpu: i32) -> Step {
    let choice = choice(pid, dst_cpu, 0);
    Step::Event(ts, 1, NumaEvent::Stick(choice, StickFormat::Seven))
}

fn migrates(ts: u64, pid: i32, cpu: u32) -> Step {
    Step::Migrate(ts, pid, cpu, How::Runnable)
}

fn enters(ts: u64, pid: i32, nid: Option<i32>) -> Step {
    Step::Event(ts, 1, NumaEvent::Entry { pid, nid })
}

fn returns(ts: u64, pid: i32, ret: i32) -> Step {
    let ret = Some(ret);
    Step::Event(ts, 1, NumaEvent::Return { pid, ret })
}

fn prefers(ts: u64, pid: i32, new: i32) -> Step {
    let line = ClingLine::Setnuma {
        pid,
        old: None,
        new,
    };
    let event = NumaEvent::Line {
        current: pid,
        line,
        probe: true,
    };
    Step::Event(ts, 1, event)
}

fn loses(ts: u64, cpu: u32, until_ns: u64) -> Step {
    Step::Event(ts, cpu, NumaEvent::Lost { until_ns })
}

fn run(leaning: Leaning<'_>, steps: &[Step]) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    let mut tell = |attempt: &Attempt| attempts.push(*attempt);
    let mut classifier = Classifier::new(leaning);
    for step in steps {
        match *step {
            Step::Event(ts, cpu, event) => classifier.event(ts, cpu, &event, &mut tell),
            Step::Migrate(ts_ns, pid, dest_cpu, how) => {
                let migration = Migration {
                    ts_ns,
                    cpu: 1,
                    pid,
                    task: 0,
                    orig_cpu: 1,
                    dest_cpu,
                    how,
                };
                classifier.migration(&migration, &mut tell);
            }
        }
    }
    classifier.finish(&mut tell);
    attempts
}

fn verdicts(steps: &[Step]) -> Vec<Verdict> {
    let nodes = nodes(2);
    let leaning = Leaning {
        nodes: &nodes,
        ..Leaning::default()
    };
    let attempts = run(leaning, steps);
    attempts.iter().map(|attempt| attempt.verdict).collect()
}

fn verdicts_with_return(steps: &[Step]) -> Vec<(Verdict, Option<i32>)> {
    let nodes = nodes(2);
    let leaning = Leaning {
        nodes: &nodes,
        returns: true,
        ..Leaning::default()
    };
    let attempts = run(leaning, steps);
    attempts
        .iter()
        .map(|attempt| (attempt.verdict, attempt.ret))
        .collect()
}

fn targets(count: u32, preferred: &[Preferred], steps: &[Step]) -> Vec<(i32, TargetFrom)> {
    let nodes = nodes(count);
    let leaning = Leaning {
        nodes: &nodes,
        preferred,
        returns: false,
    };
    let attempts = run(leaning, steps);
    attempts
        .iter()
        .map(|attempt| (attempt.target_nid, attempt.target_from))
        .collect()
}

#[test]
fn no_cpu() {
    assert_eq!(verdicts(&[sticks(5, 101, -1, 0)]), [Verdict::NoCpu]);
}

#[test]
fn moved() {
    let steps = [moves(5, 101, 5), migrates(9, 101, 5)];
    let attempts = run(Leaning::default(), &steps);
    assert_eq!(attempts.len(), 1);
    assert_eq!(attempts[0].verdict, Verdict::Moved);
    assert_eq!((attempts[0].start_ns, attempts[0].end_ns), (5, 9));
    assert_eq!((attempts[0].tgid, attempts[0].ngid), (90, 7));
    assert_eq!((attempts[0].dst_cpu, attempts[0].dst_nid), (5, 1));
    assert!(attempts[0].traced_move() && !attempts[0].traced_swap() && !attempts[0].stuck());
    assert_eq!(attempts[0].failed(), Some(false));
}

#[test]
fn move_failed() {
    let steps = [moves(5, 101, 5), sticks(9, 101, 5, 0)];
    assert_eq!(verdicts(&steps), [Verdict::MoveFailed]);
}

#[test]
fn move_refused() {
    assert_eq!(verdicts(&[sticks(5, 101, 5, 0)]), [Verdict::MoveRefused]);
}

#[test]
fn swapped() {
    let steps = [
        swaps(5, 101, 6, 203),
        migrates(7, 101, 6),
        migrates(8, 203, 1),
    ];
    assert_eq!(verdicts(&steps), [Verdict::Swapped]);
    // One alone may have been the load balancer's.
    assert_eq!(verdicts(&steps[..2]), [Verdict::Unknown]);
}

#[test]
fn swap_raced() {
    let steps = [
        swaps(5, 101, 6, 203),
        // The load balancer was faster.
        migrates(7, 101, 6),
        sticks(9, 101, 6, 203),
    ];
    assert_eq!(verdicts(&steps), [Verdict::SwapRaced]);
}

#[test]
fn swap_refused() {
    let steps = [sticks(5, 101, 6, 203)];
    assert_eq!(verdicts(&steps), [Verdict::SwapRefused]);
}

#[test]
fn a_move_without_its_migration_is_unknown() {
    assert_eq!(verdicts(&[moves(5, 101, 5)]), [Verdict::Unknown]);
    // Elsewhere, or another task.
    for other in [migrates(9, 101, 2), migrates(9, 102, 5)] {
        assert_eq!(verdicts(&[moves(5, 101, 5), other]), [Verdict::Unknown]);
    }
    // A task that slept wakes next to the CPU that was chosen.
    let woken = |how| verdicts(&[moves(5, 101, 5), Step::Migrate(9, 101, 6, how)]);
    assert_eq!(woken(How::Waking), [Verdict::Moved]);
    assert_eq!(woken(How::Runnable), [Verdict::Unknown]);
}

#[test]
fn the_next_attempt_tells_where_the_move_ended() {
    let mut next = choice(101, 9, 0);
    (next.src_cpu, next.src_nid) = (5, 1);
    let steps = [
        moves(5, 101, 5),
        Step::Event(100 * MS, 5, NumaEvent::Stick(next, StickFormat::Ten)),
    ];
    assert_eq!(verdicts(&steps), [Verdict::Moved, Verdict::MoveRefused]);
    let steps = [
        moves(5, 101, 5),
        Step::Event(100 * MS, 5, NumaEvent::Move(next)),
    ];
    assert_eq!(verdicts(&steps), [Verdict::Moved, Verdict::Unknown]);
}

#[test]
fn attempts_end_late_on_slow_machines() {
    let late = 280 * MS;
    let steps = [moves(5, 101, 5), migrates(late, 101, 5)];
    assert_eq!(verdicts(&steps), [Verdict::Moved]);
    let steps = [moves(5, 101, 5), sticks(late, 101, 5, 0)];
    assert_eq!(verdicts(&steps), [Verdict::MoveFailed]);
    // But not that late: that is another attempt, or another's migration.
    let steps = [moves(5, 101, 5), migrates(6 + LATEST_NS, 101, 5)];
    assert_eq!(verdicts(&steps), [Verdict::Unknown]);
    let steps = [moves(5, 101, 5), sticks(6 + LATEST_NS, 101, 5, 0)];
    assert_eq!(verdicts(&steps), [Verdict::Unknown, Verdict::MoveRefused]);
}

#[test]
fn an_attempt_ends_before_the_tasks_next_one() {
    let steps = [
        moves(5, 101, 5),
        sticks(6, 101, -1, 0),
        moves(7, 101, 6),
        moves(8, 102, 4),
        sticks(9, 101, 6, 203),
        migrates(10, 102, 4),
    ];
    let attempts = [
        Verdict::Unknown,
        Verdict::NoCpu,
        Verdict::Unknown,
        Verdict::Moved,
        Verdict::SwapRefused,
    ];
    assert_eq!(verdicts(&steps), attempts);
}

#[test]
fn seven_fields_up_to_5_6() {
    assert_eq!(verdicts(&[sticks_7(5, 101, 5)]), [Verdict::MoveRefused]);
    let steps = [moves(5, 101, 5), sticks_7(9, 101, 5)];
    assert_eq!(verdicts(&steps), [Verdict::MoveFailed]);
    // The partner had gone to another CPU, and that one is printed.
    let steps = [swaps(5, 101, 6, 203), sticks_7(9, 101, 2)];
    assert_eq!(verdicts(&steps), [Verdict::SwapRaced]);
}

#[test]
fn the_functions_return_tells() {
    let attempts = verdicts_with_return(&[
        moves(1, 101, 5),
        returns(2, 101, 0),
        swaps(3, 102, 6, 203),
        returns(4, 102, 0),
        sticks(5, 103, -1, 0),
        returns(6, 103, -11),
        // Before 5.7 nothing else shows that no CPU was found.
        returns(7, 104, -11),
        returns(8, 105, -22),
        // Refused, not without a domain.
        sticks(9, 106, 5, 0),
        returns(10, 106, -22),
        // It succeeded in an unknown way.
        returns(11, 107, 0),
        swaps(12, 108, 6, 203),
        returns(13, 108, -11),
    ]);
    let want = [
        (Verdict::Moved, Some(0)),
        (Verdict::Swapped, Some(0)),
        (Verdict::NoCpu, Some(-11)),
        (Verdict::NoCpu, Some(-11)),
        (Verdict::NoDomain, Some(-22)),
        (Verdict::MoveRefused, Some(-22)),
        (Verdict::Unknown, Some(0)),
        (Verdict::SwapRaced, Some(-11)),
    ];
    assert_eq!(attempts, want);
}

#[test]
fn without_the_return_probe_nothing_is_said_to_lack_a_domain() {
    let steps = [enters(1, 101, Some(1)), enters(50 * MS, 101, Some(1))];
    assert_eq!(verdicts(&steps), [Verdict::Unknown, Verdict::Unknown]);
}

#[test]
fn a_return_after_its_attempt_was_given_up_is_no_attempt() {
    let attempts = verdicts_with_return(&[
        moves(5, 101, 5),
        sticks(6 + LATEST_NS, 102, -1, 0),
        returns(7 + LATEST_NS, 101, 0),
        returns(8 + LATEST_NS, 102, -11),
    ]);
    let want = [(Verdict::Unknown, None), (Verdict::NoCpu, Some(-11))];
    assert_eq!(attempts, want);
}

#[test]
fn one_attempt_has_one_row() {
    let nodes = nodes(2);
    let leaning = Leaning {
        nodes: &nodes,
        returns: true,
        ..Leaning::default()
    };
    let attempts = run(
        leaning,
        &[
            enters(1, 101, Some(1)),
            swaps(3, 101, 6, 203),
            sticks(8, 101, 6, 203),
            returns(9, 101, -11),
        ],
    );
    assert_eq!(attempts.len(), 1);
    assert_eq!((attempts[0].start_ns, attempts[0].end_ns), (1, 9));
    assert_eq!(attempts[0].verdict, Verdict::SwapRaced);
    let partner = attempts[0].partner.unwrap();
    assert_eq!((partner.pid, partner.ngid), (203, 0));
}

#[test]
fn lost_events_may_hide_a_failure() {
    let around = |gap: Step| verdicts(&[moves(5 * MS, 101, 5), gap, migrates(6 * MS, 101, 5)]);
    // Of the CPU where it ran, and of the one where it went.
    for cpu in [1, 5] {
        assert_eq!(around(loses(5 * MS, cpu, 7 * MS)), [Verdict::Unknown]);
    }
    assert_eq!(around(loses(5 * MS, 3, 7 * MS)), [Verdict::Moved]);
    // The gap begins after the migration, where the failure would have been recorded.
    let after = |since: u64| {
        verdicts(&[
            moves(5 * MS, 101, 5),
            migrates(6 * MS, 101, 5),
            loses(since, 1, since + MS),
            sticks(40 * MS, 101, -1, 0),
        ])
    };
    assert_eq!(after(10 * MS)[0], Verdict::Unknown);
    assert_eq!(after(6 * MS + SPAN_NS)[0], Verdict::Moved);
    // Printed lines count.
    let steps = [
        moves(5 * MS, 101, 5),
        loses(5 * MS, 1, 7 * MS),
        sticks(8 * MS, 101, 5, 0),
    ];
    assert_eq!(verdicts(&steps), [Verdict::MoveFailed]);
    // Why the function failed may be lost.
    let attempts = verdicts_with_return(&[
        enters(5 * MS, 101, None),
        loses(5 * MS, 1, 6 * MS),
        returns(7 * MS, 101, -22),
    ]);
    assert_eq!(attempts, [(Verdict::Unknown, Some(-22))]);
}

#[test]
fn the_target_of_two_nodes_is_the_other_one() {
    for set in [0, 3] {
        let steps = [prefers(1, 101, set), sticks(5, 101, -1, 0)];
        assert_eq!(targets(2, &[], &steps), [(1, TargetFrom::TwoNodes)]);
    }
    // The probe on the entry printed it.
    let steps = [enters(1, 101, Some(3)), sticks(5, 101, -1, 0)];
    assert_eq!(targets(2, &[], &steps), [(3, TargetFrom::Entry)]);
}

#[test]
fn the_target_of_many_nodes() {
    let sample = |ts_ns, nid| Preferred {
        ts_ns,
        pid: 101,
        nid,
    };
    let found =
        |preferred: &[Preferred], steps: &[Step]| *targets(4, preferred, steps).last().unwrap();
    let none = sticks(5 * US, 101, -1, 0);
    assert_eq!(found(&[], &[none]), (-1, TargetFrom::Unknown));
    let set = prefers(2 * US, 101, 2);
    assert_eq!(
        found(&[sample(1, 3)], &[set, none]),
        (2, TargetFrom::Setnuma)
    );
    assert_eq!(found(&[sample(1, 3)], &[none]), (3, TargetFrom::Sample));
    // It was read later, or says where the task is, or none.
    for useless in [sample(6 * US, 3), sample(1, 0), sample(1, -1)] {
        assert_eq!(found(&[useless], &[none]), (-1, TargetFrom::Unknown));
    }
    let moved = moves(3 * US, 101, 9);
    assert_eq!(found(&[], &[moved]), (2, TargetFrom::Destination));
    assert_eq!(found(&[], &[moved, none]), (2, TargetFrom::LastDestination));
    // A setting to none leaves nothing to try for: what was seen is not all.
    let unset = prefers(2 * US, 101, -1);
    assert_eq!(found(&[], &[set, unset, none]), (-1, TargetFrom::Unknown));
}

#[test]
fn what_the_function_sets_itself_is_not_its_target() {
    let preferred = |steps: &[Step]| targets(4, &[], steps)[0];
    // It found none and prefers the task's own node from now on.
    let steps = [
        prefers(1, 101, 2),
        prefers(3, 101, 0),
        sticks(4, 101, -1, 0),
    ];
    assert_eq!(preferred(&steps), (2, TargetFrom::Setnuma));
    // It took its second choice.
    let steps = [prefers(1, 101, 2), prefers(3, 101, 1), moves(4, 101, 5)];
    assert_eq!(preferred(&steps), (2, TargetFrom::Setnuma));
    let steps = [prefers(1, 101, 1), moves(4, 101, 5)];
    assert_eq!(preferred(&steps), (1, TargetFrom::Setnuma));
    // With the entry there is no doubt.
    let steps = [
        prefers(1, 101, 3),
        prefers(2, 101, 2),
        enters(3, 101, None),
        prefers(4, 101, 1),
        moves(5, 101, 5),
    ];
    assert_eq!(preferred(&steps), (2, TargetFrom::Setnuma));
    let steps = [
        prefers(1, 101, 3),
        prefers(2, 101, 1),
        enters(3, 101, None),
        moves(5, 101, 5),
    ];
    assert_eq!(preferred(&steps), (1, TargetFrom::Setnuma));
}

fn any_step() -> impl Strategy<Value = Step> {
    let pid = 100..104_i32;
    let cpu = -1..8_i32;
    (0..9, 0..3_u64, pid, cpu, 0..3_i32).prop_map(|(kind, gap, pid, cpu, extra)| {
        let after = [0, 3 * US, 400 * MS][gap as usize];
        match kind {
            0 => moves(after, pid, cpu.max(0)),
            1 => swaps(after, pid, cpu.max(0), 100 + extra),
            2 => sticks(after, pid, cpu, extra),
            3 => migrates(after, pid, cpu.max(0) as u32),
            4 => enters(after, pid, (extra > 0).then_some(extra)),
            5 => returns(after, pid, [0, -11, -22][extra as usize]),
            6 => prefers(after, pid, extra - 1),
            7 => loses(after, cpu.max(0) as u32, u64::MAX),
            _ => sticks_7(after, pid, cpu.max(0)),
        }
    })
}

/// Steps that say how much later they come than the one before, as steps of ascending times.
fn in_order(steps: &[Step], from: u64) -> Vec<Step> {
    let mut now = from;
    let mut placed = steps.to_vec();
    for step in &mut placed {
        let (Step::Event(ts, ..) | Step::Migrate(ts, ..)) = step;
        now += *ts;
        *ts = now;
        if let Step::Event(ts, _, NumaEvent::Lost { until_ns }) = step {
            *until_ns = *ts + MS;
        }
    }
    placed
}

proptest! {
    #[test]
    fn every_event_has_its_attempt(steps in prop::collection::vec(any_step(), 0..60), returning: bool) {
        let machine = nodes(2);
        let leaning = Leaning { nodes: &machine, returns: returning, ..Leaning::default() };
        let placed = in_order(&steps, 1_000 * MS);
        let attempts = run(leaning, &placed);
        prop_assert!(attempts.is_sorted_by_key(|attempt| attempt.start_ns));
        prop_assert!(attempts.iter().all(|attempt| attempt.end_ns >= attempt.start_ns));
        let count = |is: fn(&NumaEvent) -> bool| {
            placed.iter().filter(|step| matches!(step, Step::Event(_, _, event) if is(event))).count()
        };
        // Each move and swap is one attempt, be its end known or not.
        let moves = count(|event| matches!(event, NumaEvent::Move(_)));
        let swaps = count(|event| matches!(event, NumaEvent::Swap(_)));
        prop_assert_eq!(attempts.iter().filter(|attempt| attempt.traced_move()).count(), moves);
        prop_assert_eq!(attempts.iter().filter(|attempt| attempt.traced_swap()).count(), swaps);
        // Each stick ends one; a return may report a failure whose stick was not recorded.
        let sticks = count(|event| matches!(event, NumaEvent::Stick(..)));
        let stuck = attempts.iter().filter(|attempt| attempt.stuck()).count();
        let returns = count(|event| matches!(event, NumaEvent::Return { .. }));
        prop_assert!(sticks <= stuck && stuck <= sticks + returns);
        // A constant offset changes nothing but times.
        let later: Vec<Attempt> = run(leaning, &in_order(&steps, 5_000 * MS)).iter().map(|attempt| Attempt {
            start_ns: attempt.start_ns - 4_000 * MS,
            end_ns: attempt.end_ns - 4_000 * MS,
            ..*attempt
        }).collect();
        prop_assert_eq!(attempts, later);
    }
}
