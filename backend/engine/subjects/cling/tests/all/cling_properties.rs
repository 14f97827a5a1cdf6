//! Invariants and properties (a)-(d) of `docs/algorithms/cling.md`, G15, and replays of a small kernel that prints what it does.

#![allow(clippy::unwrap_used)]

use numalens_cling::compare::{self, compare};
use numalens_cling::events::{self, Inputs, Reached};
use numalens_cling::group::{Group, NO_NODE, Stat, WEIGHT};
use numalens_cling::history::Degrees;
use numalens_cling::lines::{Check, Config, Lines, Replay};
use numalens_cling::timer::{Clock, Timer};
use numalens_cling::whatif::WhatIf;
use numalens_core::provenance::Label;
use numalens_replay::numa::{ClingLine, Site};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::cling_common::{JIFFY, MS, Op, Printed, S, events_of, gid, kernel, replayed};

const NODES: [i32; 3] = [0, 1, 3];

fn nid() -> impl Strategy<Value = i32> {
    prop::sample::select(NODES.to_vec())
}

fn op() -> impl Strategy<Value = Op> {
    let group = 0..2_usize;
    prop_oneof![
        6 => (group.clone(), nid(), prop::bool::weighted(0.7))
            .prop_map(|(group, nid, failed)| Op::Attempt { group, nid, failed }),
        3 => group.clone().prop_map(|group| Op::Timer { group }),
        2 => group.clone().prop_map(|group| Op::Read { group }),
        2 => (group.clone(), nid(), nid()).prop_map(|(group, snid, dnid)| Op::Wake { group, snid, dnid }),
        1 => (group.clone(), nid()).prop_map(|(group, nid)| Op::Elect { group, nid }),
        1 => (group, nid(), nid()).prop_map(|(group, snid, dnid)| Op::Memory { group, snid, dnid }),
    ]
}

fn replay(printed: &Printed) -> Lines {
    replayed(printed, &NODES)
}

fn inputs(printed: &Printed) -> Inputs<'_> {
    events_of(printed, &NODES)
}

fn run(ops: &[Op]) -> Vec<Group> {
    let mut groups = vec![Group::new(&NODES); 2];
    for op in ops {
        match *op {
            Op::Attempt { group, nid, failed } => groups[group].attempt(nid, failed),
            Op::Timer { group } => groups[group].timer(),
            _ => {}
        }
    }
    groups
}

proptest! {
    #[test]
    fn a_timer_that_skips_comes_to_where_it_would_fire(
        from in 0..1_000_000_u64, period in 0..200_000_u64, far in 0..3_000_000_u64,
    ) {
        let mut skipped = Timer::due(from, period);
        let mut fired = skipped;
        skipped.skip(from + far);
        while fired.next() <= from + far {
            fired.fire();
        }
        prop_assert_eq!(skipped, fired);
        // No machine could fire it as often as this.
        skipped.skip(u64::MAX / 4);
        prop_assert!(skipped.next() > u64::MAX / 4);
    }

    #[test]
    fn invariants(ops in vec(op(), 0..200), degree in 0..=100_u32) {
        let mut groups = vec![Group::new(&NODES); 2];
        let mut failed_before = false;
        for op in ops {
            let before = groups.clone();
            match op {
                Op::Attempt { group, nid, failed } => {
                    groups[group].attempt(nid, failed);
                    let (was, is) = (before[group].stat(nid), groups[group].stat(nid));
                    prop_assert_eq!(is.t - was.t, WEIGHT);
                    prop_assert_eq!(is.f - was.f, if failed { WEIGHT } else { 0 });
                    prop_assert_eq!(groups[group].busiest_nid, before[group].busiest_nid);
                    failed_before |= failed;
                }
                Op::Timer { group } => groups[group].timer(),
                _ => {}
            }
            for group in &groups {
                let mut busy = 0;
                for &(nid, stat) in group.nodes() {
                    prop_assert!(stat.f <= stat.t);
                    prop_assert!(stat.q <= 99);
                    prop_assert_eq!(stat.q, stat.f * 100 / (stat.t + 1));
                    prop_assert!(stat.f >= WEIGHT || !group.busy(nid, degree));
                    busy += usize::from(group.busy(nid, degree));
                }
                prop_assert!(busy <= 1);
                prop_assert!(degree < 99 || busy == 0);
                prop_assert!(failed_before || group.busiest_nid == NO_NODE);
            }
        }
    }

    // (a) The order of attempts between two timers does not matter.
    #[test]
    fn attempts_permute(ops in vec(op(), 0..60), seed in any::<u64>()) {
        let mut permuted = ops.clone();
        let mut state = seed;
        for at in 1..permuted.len() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let timer = |op: &Op| matches!(op, Op::Timer { .. });
            if state >> 63 == 0 && !timer(&permuted[at]) && !timer(&permuted[at - 1]) {
                permuted.swap(at, at - 1);
            }
        }
        prop_assert_eq!(run(&ops), run(&permuted));
    }

    // (b) Groups never influence each other.
    #[test]
    fn groups_are_apart(ops in vec(op(), 0..100)) {
        let own: Vec<Op> = ops.iter().copied().filter(|op| match op {
            Op::Attempt { group, .. } | Op::Timer { group } => *group == 0,
            _ => false,
        }).collect();
        prop_assert_eq!(&run(&ops)[0], &run(&own)[0]);
    }

    // (c) What is busy with a higher degree is busy with a lower one.
    #[test]
    fn busy_shrinks_with_the_degree(ops in vec(op(), 0..100), low in 0..=100_u32, high in 0..=100_u32) {
        let (low, high) = (low.min(high), low.max(high));
        for group in run(&ops) {
            if let Some(nid) = group.busy_node(high) {
                prop_assert!(group.busy(nid, low));
            }
        }
        // And so over time.
        let lines = replay(&kernel(2, &NODES, &ops, 30 * MS, 20));
        for history in &lines.histories {
            let wide = history.busy(&Degrees::constant(low));
            for busy in history.busy(&Degrees::constant(high)) {
                prop_assert!(wide.iter().any(|other| other.nid == busy.nid
                    && other.from_ns <= busy.from_ns && busy.to_ns <= other.to_ns));
            }
        }
    }

    // (d) As many more successes never raise the ratio.
    #[test]
    fn successes_never_raise_the_ratio(ops in vec(op(), 0..100), more in 0..20_usize) {
        for mut group in run(&ops) {
            for nid in NODES {
                let before = group.stat(nid).q;
                (0..more).for_each(|_| group.attempt(nid, false));
                prop_assert!(more == 0 || group.stat(nid).q <= before);
            }
        }
    }

    #[test]
    fn what_a_kernel_prints_is_replayed(ops in vec(op(), 0..150), degree in 0..=100_u32) {
        let printed = kernel(2, &NODES, &ops, 30 * MS, degree);
        let lines = replay(&printed);
        prop_assert_eq!(&lines.violations, &vec![]);
        for row in &lines.checked {
            prop_assert_eq!(row.compared, row.exact, "{:?}", row.check);
        }
        let read = printed.readings.iter().filter(|reading| reading.enabled).count() as u64;
        prop_assert_eq!(lines.checked(Check::Sample).unwrap().exact, read);
        // With the degree that it ran with, nothing is decided otherwise.
        prop_assert_eq!(WhatIf::of_lines(&lines).at(degree).parts, None);
        for (group, history) in run(&ops).iter().zip(&lines.histories) {
            prop_assert_eq!(&history.at(u64::MAX), group);
            prop_assert_eq!(history.label, Label::Replayed);
        }
    }

    #[test]
    fn a_wrong_number_is_found(ops in vec(op(), 1..100), at in any::<prop::sample::Index>(), what in 0..4_u8) {
        let mut printed = kernel(2, &NODES, &ops, 30 * MS, 20);
        let at = at.index(printed.lines.len());
        let wrong = |f: &mut u64, t: &mut u64, q: &mut u64, busiest: &mut i32| match what {
            0 => *f += 1,
            1 => *t += 1,
            2 => *q += 1,
            _ => *busiest = 2,
        };
        match &mut printed.lines[at].2 {
            ClingLine::MigrateStat { f, t, q, busiest_nid, .. }
            | ClingLine::Timer { f, t, q, busiest_nid, .. }
            | ClingLine::Show { f, t, q, busiest_nid, .. }
            | ClingLine::Decision { f, t, q, busiest_nid, .. } => wrong(f, t, q, busiest_nid),
            _ => return Ok(()),
        }
        let lines = replay(&printed);
        prop_assert!(!lines.violations.is_empty());
        prop_assert_eq!(lines.violations[0].t_ns, printed.lines[at].0);
    }

    #[test]
    fn a_missing_line_is_found(ops in vec(op(), 1..100), at in any::<prop::sample::Index>()) {
        let mut printed = kernel(2, &NODES, &ops, 30 * MS, 20);
        let attempts: Vec<usize> = (0..printed.lines.len())
            .filter(|&at| matches!(printed.lines[at].2, ClingLine::MigrateStat { .. }))
            .collect();
        prop_assume!(!attempts.is_empty());
        let gone = attempts[at.index(attempts.len())];
        let ClingLine::MigrateStat { grp, nid, .. } = printed.lines.remove(gone).2 else { unreachable!() };
        // The next line with the node's counters decides; so does a decision, but not the group's other nodes.
        let shows = printed.lines.iter().skip(gone).any(|row| match row.2 {
            ClingLine::MigrateStat { grp: of, nid: on, .. }
            | ClingLine::Timer { grp: of, nid: on, .. }
            | ClingLine::Show { grp: of, nid: on, .. } => (of, on) == (grp, nid),
            _ => false,
        });
        let lines = replay(&printed);
        prop_assert!(!shows || !lines.violations.is_empty());
    }

    // From events, with the timer's callbacks: all that was printed, and every reading.
    #[test]
    fn events_lead_to_what_was_printed(ops in vec(op(), 0..150)) {
        let printed = kernel(1, &NODES, &one(&ops), 30 * MS, 20);
        // Where no callback was seen, timers are modelled.
        prop_assume!(!printed.timers.is_empty());
        let lines = replay(&printed);
        let events = events::replay(&inputs(&printed));
        let table = compare(&compare::Inputs {
            lines: &lines,
            events: &events,
            attempts: &printed.attempts,
            lost: &[],
            jiffy_ns: JIFFY,
            late_ns: 300 * MS,
        });
        for part in [&table.attempts, &table.counters, &table.flips] {
            // Without any reading the group's id is in no file, and nothing is counted.
            let read = printed.readings.iter().any(|reading| reading.enabled);
            if read {
                prop_assert_eq!(part.reproduced, part.printed);
                prop_assert!(part.missed.is_empty() && part.extra.is_empty());
            }
        }
        for residual in &events.residuals {
            prop_assert!(matches!(residual.reached, Reached::Exactly), "{:?}", residual);
        }
    }

    // The kernel counts an attempt late: the readings show it, and the order is found.
    #[test]
    fn late_attempts_are_put_in_order(ops in vec(op(), 2..80), at in any::<prop::sample::Index>()) {
        let mut printed = kernel(1, &NODES, &one(&ops), 3 * MS, 20);
        prop_assume!(!printed.attempts.is_empty() && !printed.timers.is_empty());
        let at = at.index(printed.attempts.len());
        // Its events are a jiffy before; all others stay in order.
        printed.attempts[at].start_ns -= JIFFY;
        printed.attempts[at].end_ns -= JIFFY;
        printed.attempts.sort_by_key(|attempt| attempt.start_ns);
        let events = events::replay(&inputs(&printed));
        for residual in &events.residuals {
            prop_assert!(residual.reached != Reached::Not, "{:?}", residual);
        }
    }

    // Timers that are only modelled: each reading sets the replay right, and everything is marked as inferred.
    #[test]
    fn without_callbacks_readings_hold(ops in vec(op(), 0..150)) {
        let mut printed = kernel(2, &NODES, &ops, 30 * MS, 20);
        printed.timers.clear();
        let events = events::replay(&inputs(&printed));
        for history in &events.histories {
            prop_assert_eq!(history.label, Label::Inferred);
            let last = printed.readings.iter().rfind(|reading| {
                reading.enabled && history.group.cgroup.as_deref() == Some(reading.cgroup.as_str())
            });
            let last = last.unwrap();
            prop_assert!(history.changes(last.t0_ns, last.t1_ns).iter().chain([&last.t0_ns])
                .any(|&t_ns| Some(history.at(t_ns)) == last.group));
        }
    }

    // Whatever is in lines, nothing breaks.
    #[test]
    fn any_lines(rows in vec(any_line(), 0..60)) {
        let mut replay = Replay::new(Config::new(vec![0, 1]));
        for (at, line) in rows.iter().enumerate() {
            replay.push(at as u64 * (u64::MAX / 100), 0, line);
        }
        let lines = replay.finish(&[]);
        let whatif = WhatIf::of_lines(&lines);
        let _ = whatif.at(0);
        let _ = numalens_cling::annotations::of_lines(&lines, 0, u64::MAX);
    }

    #[test]
    fn any_attempts(rows in vec((any::<u64>(), any::<u64>(), -1..3_i32, any::<i32>(), any::<bool>()), 0..40), hz in any::<u32>(), max in any::<u32>()) {
        let mut printed = Printed::default();
        for (start, long, nid, ngid, failed) in rows {
            let mut attempt = crate::cling_common::attempt(start, 0, nid, failed);
            attempt.end_ns = start.saturating_add(long);
            attempt.ngid = ngid;
            printed.attempts.push(attempt);
        }
        printed.attempts.sort_by_key(|attempt| attempt.start_ns);
        // A whole recording with a timer in each tick would take long; the timer stands still here.
        let input = Inputs { clock: Clock { at_ns: 0, jiffies: 0, hz }, scan_period_max_ms: max, to_ns: S, timers: &[7], ..inputs(&printed) };
        let _ = events::replay(&input);
    }
}

fn one(ops: &[Op]) -> Vec<Op> {
    ops.iter()
        .map(|op| match *op {
            Op::Attempt { nid, failed, .. } => Op::Attempt {
                group: 0,
                nid,
                failed,
            },
            Op::Timer { .. } => Op::Timer { group: 0 },
            Op::Read { .. } => Op::Read { group: 0 },
            Op::Wake { snid, dnid, .. } => Op::Wake {
                group: 0,
                snid,
                dnid,
            },
            Op::Elect { nid, .. } => Op::Elect { group: 0, nid },
            Op::Memory { snid, dnid, .. } => Op::Memory {
                group: 0,
                snid,
                dnid,
            },
        })
        .collect()
}

fn any_line() -> impl Strategy<Value = ClingLine> {
    let n = || prop_oneof![any::<u64>(), Just(u64::MAX), 0..5_u64];
    let i = || prop_oneof![any::<i32>(), -1..3_i32];
    (
        0..9_u8,
        [n(), n(), n(), n()],
        [i(), i(), i(), i()],
        0..3_u32,
        any::<bool>(),
    )
        .prop_map(
            |(kind, [f, t, q, more], [nid, other, busiest_nid, nr_tasks], grp, yes)| match kind {
                0 => ClingLine::Enable {
                    cgroup_id: f,
                    degree: t as u32,
                    scan_period_max_ms: q as u32,
                    hz: more as u32,
                    jiffies: more,
                    grp,
                },
                1 => ClingLine::Disable {
                    gid: nid,
                    nr_tasks,
                    cgroup_id: f,
                    grp,
                },
                2 => ClingLine::Member {
                    join: yes,
                    gid: gid(0),
                    pid: other,
                    kind: numalens_replay::numa::GroupChange::Switch,
                    nr_tasks,
                    grp,
                },
                3 => ClingLine::MigrateStat {
                    gid: 1,
                    pid: other,
                    nid,
                    failed: yes,
                    f,
                    t,
                    q,
                    busiest_nid,
                    grp,
                },
                4 => ClingLine::Timer {
                    gid: 1,
                    nid,
                    f,
                    t,
                    q,
                    busiest_nid,
                    grp,
                },
                5 => ClingLine::TimerEnd {
                    gid: 1,
                    busiest_nid,
                    nr_tasks,
                    degree: f as u32,
                    period: t,
                    jiffies: q,
                    grp,
                },
                6 => ClingLine::Decision {
                    site: Site::Swap,
                    pid: other,
                    snid: nid,
                    dnid: other,
                    busy: yes,
                    gid: 1,
                    f,
                    t,
                    q,
                    busiest_nid,
                    grp,
                },
                7 => ClingLine::Memory {
                    gid: 1,
                    pid: other,
                    snid: nid,
                    dnid: other,
                    src_busy: yes,
                    grp,
                },
                _ => ClingLine::Setnuma {
                    pid: other,
                    old: yes.then_some(nid),
                    new: busiest_nid,
                },
            },
        )
}

#[test]
fn the_ratio_of_any_counters() {
    assert_eq!(Stat::ratio(0, 0), 0);
    assert_eq!(Stat::ratio(1024, 1024), 99);
    assert_eq!(Stat::ratio(u64::MAX, u64::MAX), 0);
}
