//! What a replay costs is bounded by the events there are, whatever time and which CPUs they claim.

use numalens_core::topology::MAX_CPUS;
use numalens_psi::effort::Effort;
use numalens_psi::findings::watch::{STEP_NS, Watch, Watched};
use numalens_psi::rules::state::{CPU_SOME, TOTALS};
use numalens_psi::{Config, Replay};
use numalens_replay::states::{OnCpu, State, StateRow};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::psi_common::{MS, S, busy, config, idle as nobody, machine, of, replay, row, rules};

/// Most points of a series of averages.
const MOST_POINTS: usize = 8192 + 4000 + 2;

/// Inputs with times from here on are refused, ns.
const LATEST: u64 = 1 << 62;

/// A pressure whose worker is modelled.
fn modelled(cpus: usize) -> Config {
    Config {
        worker_traced: false,
        ..config("6.4", 250, cpus)
    }
}

fn watch(rows: &[StateRow], to: u64) -> Watched {
    let mut watch = Watch::new(rules("6.4"), 250, 0, to, Vec::new());
    for row in rows {
        watch.row(row);
    }
    watch.finish()
}

/// A task on the CPU and one that waits, of which one does for memory.
fn stalled() -> State {
    State {
        memstall: 1,
        ..busy(2)
    }
}

/// Ns until the next row, its CPU, group and state.
fn events() -> impl Strategy<Value = Vec<(u64, u32, u32, State)>> {
    let state = prop_oneof![
        Just(nobody()),
        Just(busy(1)),
        Just(busy(3)),
        Just(stalled()),
        Just(State::default()),
    ];
    vec((0..S, 0..5u32, 0..3u32, state), 1..40)
}

/// The events with times and CPUs multiplied, and their end.
fn spread(events: &[(u64, u32, u32, State)], times: u64, apart: u32) -> (Vec<StateRow>, u64) {
    let mut ts = 0_u64;
    let mut rows = Vec::new();
    for &(wait, cpu, group, state) in events {
        ts = ts
            .saturating_add(wait.saturating_mul(times))
            .min(LATEST - 1);
        rows.push(of(group, ts, cpu * apart, state));
    }
    (rows, ts.saturating_add(times).min(LATEST))
}

/// What both replays took beyond the events, and the points that came of it.
fn cost(pressure: &Replay, watched: &Watched) -> (u64, usize) {
    let episodes = watched.groups.iter().map(|group| {
        let spikes: usize = group.spikes.iter().map(Vec::len).sum();
        spikes + group.mem_full.len() + group.throttled.len() + group.mem_full_stretches.len()
    });
    (
        pressure.steps.max(watched.steps),
        pressure.series.len() + episodes.sum::<usize>(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn longer_and_wider_recordings_of_the_same_events_cost_no_more(
        events in events(), times in 0..62u32, apart in 1..MAX_CPUS / 5,
    ) {
        let (rows, to) = spread(&events, 1 << times, apart);
        let pressure = replay(modelled(0), &[], &rows, to);
        let watched = watch(&rows, to);
        let (steps, points) = cost(&pressure, &watched);
        prop_assert!(steps <= Effort::FREE + Effort::PER_EVENT * rows.len() as u64);
        prop_assert!(points <= MOST_POINTS + 100 * rows.len(), "{points} points");
        for group in &pressure.groups {
            for number in 0..TOTALS {
                prop_assert!(group.totals_ns[number] <= to, "no stall is longer than the window");
            }
        }
    }

    /// Where there is effort enough every step is taken; where there is not, the sums are the same.
    #[test]
    fn steps_taken_at_once_come_to_the_same(
        tens in 10_000..15_000_u64, phase in 0..2 * S, state in prop_oneof![Just(busy(3)), Just(stalled())],
    ) {
        // So much time of one CPU is replayed step by step, and that of 400 is not.
        let to = phase + tens * 10 * S;
        let rows = |cpus: u32| -> Vec<StateRow> {
            let mut rows: Vec<StateRow> = (0..cpus).map(|cpu| row(0, cpu, busy(1))).collect();
            rows.extend((0..cpus).map(|cpu| row(phase, cpu, state)));
            rows
        };
        let (few, many) = (rows(1), rows(400));
        let (one, all) = (watch(&few, to), watch(&many, to));
        prop_assert_eq!(one.groups[0].cpu_some_ns / S, all.groups[0].cpu_some_ns / S);
        prop_assert_eq!(one.groups[0].mem_full_ns / S, all.groups[0].mem_full_ns / S);
        let (one, all) = (replay(modelled(1), &[], &few, to), replay(modelled(400), &[], &many, to));
        prop_assert!(one.steps >= tens * 10 / 3 * Effort::of_cpus(1), "all periods were replayed");
        prop_assert!(all.steps < tens * 1000 / 201 * Effort::of_cpus(400), "not all were: {}", all.steps);
        for number in 0..TOTALS {
            let (one, all) = (machine(&one).totals_ns[number], machine(&all).totals_ns[number]);
            prop_assert!(one.abs_diff(all) < MS, "state {}: {} and {}", number, one, all);
        }
        let ends = |replay: &Replay| replay.series.last().map(|point| point.avg);
        prop_assert_eq!(ends(&one), ends(&all));
    }
}

#[test]
fn three_events_of_seven_weeks_have_a_short_series_and_exact_totals() {
    let to = 4_000_000 * S;
    let rows = [row(0, 0, busy(1)), row(S, 0, busy(2))];
    let got = replay(modelled(1), &[], &rows, to);
    let total = machine(&got).totals_ns[CPU_SOME] + machine(&got).lost_ns[CPU_SOME];
    assert_eq!(total, to - S);
    assert!(got.series.len() <= MOST_POINTS, "{}", got.series.len());
    let updates = got.series.iter().filter(|point| point.updated).count() as u64;
    // One every 2.004 s.
    assert_eq!(updates + got.left_out, to * 1000 / (2004 * S));
    let last = got.series.last().unwrap();
    assert_eq!(last.avg[CPU_SOME], [100 * 2048; 3]);
}

#[test]
fn an_hour_keeps_every_update() {
    let rows = [row(0, 0, busy(1)), row(S, 0, busy(2))];
    let got = replay(modelled(512), &[], &rows, 3600 * S);
    assert_eq!(got.left_out, 0);
    let updates = got.series.iter().filter(|point| point.updated).count() as u64;
    assert_eq!(updates, 3600 * 1000 / 2004);
}

#[test]
fn a_stall_of_a_year_is_one_episode() {
    let year = 365 * 24 * 3600 * S;
    let cpus = 0..64;
    let mut rows: Vec<StateRow> = cpus.clone().map(|cpu| row(0, cpu, nobody())).collect();
    let full = State {
        on: OnCpu::Idle,
        memstall: 1,
        ..State::default()
    };
    rows.extend(cpus.map(|cpu| row(S, cpu, full)));
    let watched = watch(&rows, year);
    assert!(watched.steps <= Effort::FREE + Effort::PER_EVENT * rows.len() as u64);
    let machine = &watched.groups[0];
    assert_eq!(machine.mem_full_ns, year - S);
    let [episode] = machine.mem_full.as_slice() else {
        panic!("{:?}", machine.mem_full);
    };
    assert_eq!((episode.stall_ns, episode.to_ns), (year - S, year));
    assert!(episode.from_ns <= S, "it begins with the first full window");
    let [_, spikes, _] = &machine.spikes;
    assert_eq!((spikes.len(), spikes[0].stall_ns), (1, year - S));
    assert_eq!(spikes[0].from_ns, S / STEP_NS * STEP_NS);
}

#[test]
fn a_window_of_a_century_is_no_special_one() {
    let rows = [
        row(0, 0, busy(1)),
        row(LATEST - 1, MAX_CPUS - 1, busy(2)),
        // No machine has such a CPU: left out.
        row(LATEST - 1, u32::from(u16::MAX), busy(2)),
    ];
    let got = replay(modelled(1), &[], &rows, LATEST);
    assert!(got.series.len() <= MOST_POINTS);
    assert!(watch(&rows, LATEST).runnable > 0.9);
}
