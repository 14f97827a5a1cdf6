//! The log of states and the waits against the slow and simple way, on any events.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;

use numalens_core::topology::Node;
use numalens_replay::run_state::{SchedExtInputs, Switches};
use numalens_replay::states::{OnCpu, StateRow};
use numalens_replay::waits::{Cause, CauseNs};
use numalens_support::model::{Answer, Outside, model};
use numalens_support::recordings::{Ev, What, answer, config};
use proptest::prelude::*;

const CPUS: u32 = 4;
const PATHS: [&str; 5] = ["/", "/a", "/a/b", "/a/c/", "/d"];

fn nodes() -> Vec<Node> {
    vec![
        Node {
            nid: 0,
            cpus: vec![0, 1],
        },
        Node {
            nid: 3,
            cpus: vec![3],
        },
    ]
}

fn path() -> impl Strategy<Value = &'static str> {
    (0..PATHS.len()).prop_map(|at| PATHS[at])
}

fn what() -> impl Strategy<Value = What> {
    let (pid, cpu, enter) = (0..8_i32, 0..CPUS as i32, any::<bool>());
    let vec = prop_oneof![Just(7), 0..9_i32];
    prop_oneof![
        9 => (pid.clone(), prop_oneof![Just(0_i64), Just(1), Just(2), Just(0x100), Just(0x80), Just(0x82)], pid.clone())
            .prop_map(|(prev, state, next)| What::Switch { prev, state, next }),
        2 => (pid.clone(), cpu.clone()).prop_map(|(pid, target)| What::Waking { pid, target }),
        3 => (pid.clone(), cpu.clone()).prop_map(|(pid, target)| What::Wakeup { pid, target }),
        1 => (pid.clone(), cpu.clone()).prop_map(|(pid, target)| What::WakeupNew { pid, target }),
        1 => (pid.clone(), cpu).prop_map(|(pid, dest)| What::Migrate { pid, dest }),
        1 => pid.clone().prop_map(|pid| What::Free { pid }),
        1 => (pid.clone(), pid.clone()).prop_map(|(parent, child)| What::Fork { parent, child }),
        1 => pid.clone().prop_map(|pid| What::Exit { pid }),
        1 => (pid.clone(), path()).prop_map(|(pid, path)| What::Attach { pid, path }),
        2 => (pid.clone(), enter).prop_map(|(pid, enter)| What::Stall { pid, enter }),
        2 => (pid, enter).prop_map(|(pid, enter)| What::Scan { pid, enter }),
        2 => (any::<bool>(), vec.clone(), enter).prop_map(|(softirq, vec, enter)| What::Irq { softirq, vec, enter }),
        1 => vec.prop_map(|vec| What::Raise { vec }),
        1 => (0..6).prop_map(|n| if n == 0 { What::Pause } else { What::Lost }),
    ]
}

/// Switches whose tasks follow each other, so that tasks really run, wait and sleep; the odd event comes in between.
fn events(most: usize) -> impl Strategy<Value = Vec<Ev>> {
    let gap = prop_oneof![2 => Just(0_u64), 6 => 1..20_u64, 2 => 20..2000_u64];
    let event = (gap, 0..CPUS, what(), 0..8_u32);
    (0..1_000_000_u64, prop::collection::vec(event, 1..most)).prop_map(|(mut ts, events)| {
        let mut on = [0; CPUS as usize];
        let mut made: Vec<Ev> = Vec::new();
        for (gap, cpu, mut what, odd) in events {
            ts += gap;
            if let What::Switch { prev, next, .. } = &mut what {
                if odd > 0 {
                    *prev = on[cpu as usize];
                }
                on[cpu as usize] = *next;
            }
            made.push(Ev { ts, cpu, what });
        }
        made.sort_by_key(|event| {
            (
                event.ts,
                event.what == What::Pause,
                event.what == What::Lost,
            )
        });
        made
    })
}

fn outside() -> impl Strategy<Value = Outside> {
    let time = || 0..6000_u64;
    let iowaits = prop::collection::vec((0..8_i32, time(), 1..400_u64), 0..30);
    (
        prop::option::weighted(0.7, iowaits),
        prop::collection::vec((0..8_i32, path(), time()), 0..6),
        prop::collection::vec((0..CPUS, time(), 0..8_i32), 0..3),
        prop::collection::vec((path(), time(), time()), 0..4),
        prop::collection::vec((0..8_i32, prop::collection::vec(0..CPUS, 1..4)), 0..3),
    )
        .prop_map(|(iowaits, members, firsts, throttled, allowed)| Outside {
            iowaits: iowaits.map(|all| {
                all.into_iter()
                    .map(|(pid, from, ns)| (pid, from, from + ns))
                    .collect()
            }),
            members,
            firsts,
            throttled,
            allowed,
            quotas: Vec::new(),
            numa_balanced: Vec::new(),
            switches: Switches::Recorded,
            changed: Vec::new(),
            offline: Vec::new(),
            inactive: Vec::new(),
            starved: Vec::new(),
            sched_ext: SchedExtInputs::default(),
        })
}

/// The inputs' times, moved to where the events are.
fn at(mut outside: Outside, ns: u64) -> Outside {
    for wait in outside.iowaits.iter_mut().flatten() {
        (wait.1, wait.2) = (wait.1 + ns, wait.2 + ns);
    }
    outside.members.iter_mut().for_each(|member| member.2 += ns);
    outside.firsts.iter_mut().for_each(|first| first.1 += ns);
    for span in &mut outside.throttled {
        (span.1, span.2) = (span.1 + ns, span.2 + ns);
    }
    outside
}

/// Rows of one time in one order. A scan begins with what holds at its start, so of the first time only the last rows count.
fn ordered(mut answer: Answer, origin: u64) -> Answer {
    let first = |rows: &mut Vec<(String, StateRow)>| {
        let (begin, rest): (Vec<_>, Vec<_>) = rows.drain(..).partition(|row| row.1.ts_ns <= origin);
        let begin: BTreeMap<(String, u32), StateRow> = begin
            .into_iter()
            .map(|(path, row)| ((path, row.cpu), row))
            .collect();
        rows.extend(begin.into_iter().map(|((path, _), row)| (path, row)));
        rows.extend(rest);
        // An event may change a CPU once only, but several events may come at one time, and change it in their order.
        rows.sort_by(|a, b| (a.1.ts_ns, &a.0, a.1.cpu).cmp(&(b.1.ts_ns, &b.0, b.1.cpu)));
    };
    let mut machine: Vec<_> = answer
        .machine
        .drain(..)
        .map(|row| (String::new(), row))
        .collect();
    first(&mut machine);
    answer.machine = machine.into_iter().map(|row| row.1).collect();
    first(&mut answer.groups);
    // The model does not balance.
    for (_, _, causes) in &mut answer.waits {
        *causes = not_looked_at(causes);
    }
    answer
}

/// The causes as if no balancing pass had looked at any task.
fn not_looked_at(causes: &[CauseNs]) -> Vec<CauseNs> {
    let mut sums: BTreeMap<Cause, u64> = BTreeMap::new();
    for spent in causes {
        let cause = match spent.cause {
            Cause::PassedOverSameNode => Cause::IdleSameNode,
            Cause::PassedOverOtherNode | Cause::ImbalanceAllowed | Cause::NumaKept => {
                Cause::IdleOtherNode
            }
            cause => cause,
        };
        *sums.entry(cause).or_default() += spent.ns;
    }
    sums.into_iter()
        .map(|(cause, ns)| CauseNs { cause, ns })
        .collect()
}

fn check(events: &[Ev], outside: &Outside) -> Answer {
    let config = config(events, CPUS, nodes());
    let found = ordered(answer(events, &config, outside), config.origin_ns);
    let expected = model(events, CPUS, &config.nodes, outside, config.end_ns);
    let expected = ordered(expected, config.origin_ns);
    for (found, expected) in found.machine.iter().zip(&expected.machine) {
        assert_eq!(found, expected, "machine");
    }
    for (found, expected) in found.groups.iter().zip(&expected.groups) {
        assert_eq!(found, expected, "groups");
    }
    for (found, expected) in found.waits.iter().zip(&expected.waits) {
        assert_eq!(found, expected, "waits");
    }
    assert_eq!(found, expected);
    found
}

/// What holds of any answer.
fn sound(answer: &Answer, config: &numalens_replay::timeline::Config) {
    for (_, wait, causes) in &answer.waits {
        let sum: u64 = causes.iter().map(|cause| cause.ns).sum();
        assert_eq!(sum, wait.end_ns - wait.start_ns);
        assert!(causes.windows(2).all(|pair| pair[0].cause < pair[1].cause));
    }
    let mut spent = vec![[0_u64; 3]; CPUS as usize];
    let mut since: BTreeMap<u32, StateRow> = BTreeMap::new();
    let end = (0..CPUS).map(|cpu| StateRow {
        ts_ns: config.end_ns,
        cpu,
        group: 0,
        state: numalens_replay::states::State::default(),
    });
    for row in answer.machine.iter().copied().chain(end) {
        if let Some(before) = since.insert(row.cpu, row) {
            let class = match before.state.on {
                OnCpu::Unknown | OnCpu::Lost => 0,
                OnCpu::Idle => 1,
                OnCpu::Task => 2,
            };
            spent[row.cpu as usize][class] += row.ts_ns - before.ts_ns;
        }
        let state = row.state;
        assert!(state.memstall_running <= state.memstall && state.bound <= state.running);
        assert!(!state.stalled_on_cpu || (state.on == OnCpu::Task && state.memstall_running > 0));
    }
    for spent in spent {
        assert_eq!(spent.iter().sum::<u64>(), config.end_ns - config.origin_ns);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_model_says_the_same(events in events(300), outside in outside()) {
        let outside = at(outside, events[0].ts);
        let found = check(&events, &outside);
        sound(&found, &config(&events, CPUS, nodes()));
    }

    #[test]
    fn a_shift_in_time_changes_nothing_else(events in events(200), outside in outside(), shift in 0..1_u64 << 40) {
        let outside = at(outside, events[0].ts);
        let mut here = answer(&events, &config(&events, CPUS, nodes()), &outside);
        let events: Vec<Ev> = events.iter().map(|event| Ev { ts: event.ts + shift, ..*event }).collect();
        let there = answer(&events, &config(&events, CPUS, nodes()), &at(outside, shift));
        here.machine.iter_mut().for_each(|row| row.ts_ns += shift);
        here.groups.iter_mut().for_each(|row| row.1.ts_ns += shift);
        for (_, wait, _) in &mut here.waits {
            (wait.start_ns, wait.end_ns) = (wait.start_ns + shift, wait.end_ns + shift);
        }
        prop_assert_eq!(here, there);
    }

    #[test]
    fn other_numbers_of_cpus_change_nothing_else(events in events(200), outside in outside()) {
        // Turned round within the nodes: 0 and 1 are of one node.
        let other = |cpu: u32| [1, 0, 2, 3][cpu as usize];
        let turned = |cpu: i32| if (0..CPUS as i32).contains(&cpu) { other(cpu as u32) as i32 } else { cpu };
        // Threads named for a CPU would be bound to another.
        let events: Vec<Ev> = events.into_iter().filter(|event| !format!("{event:?}").contains(": 5")).collect();
        prop_assume!(!events.is_empty());
        let outside = at(outside, events[0].ts);
        let mut here = answer(&events, &config(&events, CPUS, nodes()), &outside);
        let events: Vec<Ev> = events.iter().map(|event| {
            let what = match event.what {
                What::Waking { pid, target } => What::Waking { pid, target: turned(target) },
                What::Wakeup { pid, target } => What::Wakeup { pid, target: turned(target) },
                What::WakeupNew { pid, target } => What::WakeupNew { pid, target: turned(target) },
                What::Migrate { pid, dest } => What::Migrate { pid, dest: turned(dest) },
                same => same,
            };
            Ev { ts: event.ts, cpu: other(event.cpu), what }
        }).collect();
        let mut moved = outside.clone();
        moved.firsts.iter_mut().for_each(|first| first.0 = other(first.0));
        moved.allowed.iter_mut().for_each(|of| of.1.iter_mut().for_each(|cpu| *cpu = other(*cpu)));
        let there = answer(&events, &config(&events, CPUS, nodes()), &moved);
        here.machine.iter_mut().for_each(|row| row.cpu = other(row.cpu));
        here.groups.iter_mut().for_each(|row| row.1.cpu = other(row.1.cpu));
        for (_, wait, _) in &mut here.waits {
            (wait.cpu, wait.from_cpu) = (other(wait.cpu), other(wait.from_cpu));
        }
        let origin = events[0].ts;
        prop_assert_eq!(ordered(here, origin), ordered(there, origin));
    }
}
