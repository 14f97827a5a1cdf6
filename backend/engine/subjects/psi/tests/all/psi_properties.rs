//! Invariants and properties (`docs/algorithms/psi.md`, P12), on any states.

use numalens_psi::averages::{Averages, EXP, calc_load, hundredths, printed_as, step};
use numalens_psi::rules::state::{self, CPU_SOME, FULL_IN_SOME, NONIDLE, TOTALS};
use numalens_psi::times::Clock;
use numalens_psi::{Config, Pressure, Rules, rules};
use numalens_replay::states::{OnCpu, State, StateRow};
use numalens_subject::jiffies;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::psi_common::{MS, S, busy, config, idle, machine, of, read, replay, row, worker};

const NAMES: [&str; 5] = ["4.20", "5.7", "5.14", "5.17", "6.4"];
const JIFFY: u64 = 4 * MS;

/// Any state that a kernel can be in: counts agree with each other.
fn state() -> impl Strategy<Value = State> {
    (
        any::<bool>(),
        any::<bool>(),
        0..4u16,
        0..3u16,
        0..3u16,
        0..3u16,
    )
        .prop_map(|(on, stalled, waiting, iowait, asleep, more)| {
            let stalled = on && stalled;
            let memstall_running = u16::from(stalled) + more.min(waiting);
            State {
                on: if on { OnCpu::Task } else { OnCpu::Idle },
                stalled_on_cpu: stalled,
                running: u16::from(on) + waiting,
                iowait,
                memstall: asleep + memstall_running,
                memstall_running,
                bound: 0,
            }
        })
}

/// Steps of (ns until the next, CPU, state).
fn steps(cpus: u32) -> impl Strategy<Value = Vec<(u64, u32, State)>> {
    let wait = prop_oneof![0..50_000u64, 0..20 * MS, 0..500 * MS];
    vec((wait, 0..cpus, state()), 1..60)
}

/// Rows that begin with every CPU idle, and their end.
fn rows(steps: &[(u64, u32, State)], cpus: u32) -> (Vec<StateRow>, u64) {
    let mut rows: Vec<StateRow> = (0..cpus).map(|cpu| row(0, cpu, idle())).collect();
    let mut ts = 0;
    for &(wait, cpu, state) in steps {
        rows.push(row(ts, cpu, state));
        ts += wait;
    }
    (rows, ts + 10 * MS)
}

fn totals(config: Config, instants: &[u64], rows: &[StateRow], to: u64) -> [u64; TOTALS] {
    let instants: Vec<_> = instants.iter().map(|ts| read(*ts)).collect();
    machine(&replay(config, &instants, rows, to)).totals_ns
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn full_lies_in_some_and_totals_only_grow_within_the_wall(
        steps in steps(3), name in 0..5usize, mut reads in vec(0..3 * S, 0..12),
    ) {
        let (rows, to) = rows(&steps, 3);
        reads.sort_unstable();
        let instants: Vec<_> = reads.iter().map(|ts| read(*ts)).collect();
        let got = replay(config(NAMES[name], 250, 3), &instants, &rows, to);
        let has_ticks = name < 2;
        for pair in got.series.windows(2) {
            let wall = pair[1].t_ns - pair[0].t_ns;
            for number in 0..TOTALS {
                prop_assert!(pair[1].totals_ns[number] >= pair[0].totals_ns[number]);
                let grown = pair[1].totals_ns[number] - pair[0].totals_ns[number];
                prop_assert!(grown <= wall + JIFFY, "{number} {grown} {wall}");
            }
            for (full, some) in FULL_IN_SOME {
                // A tick may add what happened before the stall began, at most a jiffy of it.
                if has_ticks && full == state::MEM_FULL { continue; }
                let grown = |number: usize| pair[1].totals_ns[number] - pair[0].totals_ns[number];
                prop_assert!(grown(full) <= grown(some));
            }
        }
        for node in &got.nodes {
            prop_assert!(node.times_ns[CPU_SOME] <= node.times_ns[NONIDLE]);
            prop_assert!(node.times_ns[NONIDLE] <= 3 * to);
        }
    }

    #[test]
    fn masks_agree_with_each_other(state in state()) {
        for rules in &rules::TABLE {
            let mask = rules.states(&state);
            let has = |number: usize| mask & (1 << number) != 0;
            for (full, some) in FULL_IN_SOME {
                prop_assert!(!has(full) || has(some));
            }
            prop_assert!((0..TOTALS).all(|number| !has(number) || has(NONIDLE)));
            prop_assert!(!has(state::IRQ_FULL));
            prop_assert!((0..TOTALS).all(|number| !has(number) || rules.has(number)));
        }
    }

    #[test]
    fn splits_change_nothing(steps in steps(2), name in 0..5usize, at in vec(0..S, 0..10)) {
        let (rows, to) = rows(&steps, 2);
        let mut split = rows.clone();
        for at in at {
            let at = at % to;
            for cpu in 0..2 {
                let before = split.iter().rposition(|row| row.ts_ns <= at && row.cpu == cpu).unwrap();
                let after = split.iter().position(|row| row.ts_ns > at).unwrap_or(split.len());
                let state = split[before].state;
                split.insert(after, row(at, cpu, state));
            }
        }
        let reads = [to / 3, to / 2];
        prop_assert_eq!(totals(config(NAMES[name], 250, 2), &reads, &rows, to), totals(config(NAMES[name], 250, 2), &reads, &split, to));
    }

    #[test]
    fn names_of_cpus_do_not_matter(steps in steps(3), name in 0..5usize) {
        let (rows, to) = rows(&steps, 3);
        let turned: Vec<_> = rows.iter().map(|row| StateRow { cpu: (row.cpu + 1) % 3, ..*row }).collect();
        let reads = [to / 4, to / 2];
        prop_assert_eq!(totals(config(NAMES[name], 250, 3), &reads, &rows, to), totals(config(NAMES[name], 250, 3), &reads, &turned, to));
    }

    #[test]
    fn a_cpu_that_is_always_idle_does_not_matter(steps in steps(2), name in 0..5usize) {
        let (rows, to) = rows(&steps, 2);
        let mut more = rows.clone();
        more.insert(0, row(0, 2, idle()));
        let reads = [to / 4, to / 2];
        prop_assert_eq!(totals(config(NAMES[name], 250, 2), &reads, &rows, to), totals(config(NAMES[name], 250, 3), &reads, &more, to));
    }

    #[test]
    fn doubling_the_machine_changes_nothing(steps in steps(2), name in 0..5usize) {
        let (rows, to) = rows(&steps, 2);
        let twice: Vec<_> = rows.iter().flat_map(|row| [*row, StateRow { cpu: row.cpu + 2, ..*row }]).collect();
        let reads = [to / 4, to / 2];
        prop_assert_eq!(totals(config(NAMES[name], 250, 2), &reads, &rows, to), totals(config(NAMES[name], 250, 4), &reads, &twice, to));
    }

    #[test]
    fn windows_merge_when_weights_are_proportional(some in vec(0..=500u64, 4), weights in vec(1..5u64, 2)) {
        // Each CPU is busy for the same share of both windows: so many jiffies of 500 in each.
        let mut rows = Vec::new();
        for window in 0..2u64 {
            for cpu in 0..2u32 {
                let start = window * 2 * S;
                let busy_ns = weights[cpu as usize] * 100 * JIFFY;
                let some_ns = (some[(window * 2) as usize + cpu as usize] * JIFFY).min(busy_ns);
                rows.push(row(start, cpu, busy(2)));
                rows.push(row(start + some_ns, cpu, busy(1)));
                rows.push(row(start + busy_ns, cpu, idle()));
            }
        }
        rows.sort_by_key(|row| row.ts_ns);
        let once = totals(config("6.4", 250, 2), &[], &rows, 4 * S)[CPU_SOME];
        let twice = totals(config("6.4", 250, 2), &[2 * S], &rows, 4 * S)[CPU_SOME];
        // Two divisions truncate instead of one.
        prop_assert!(once.abs_diff(twice) <= 1);
    }

    #[test]
    fn one_cpu_is_exact(steps in vec((2 * JIFFY..100 * MS, 0..4u16), 1..40), name in 0..5usize) {
        let mut rows = Vec::new();
        let (mut ts, mut want) = (0, 0);
        for &(length, running) in &steps {
            rows.push(row(ts, 0, busy(running + 1)));
            ts += length;
            want += if running > 0 { length } else { 0 };
        }
        prop_assert_eq!(totals(config(NAMES[name], 250, 1), &[ts / 2], &rows, ts)[CPU_SOME], want);
    }

    #[test]
    fn time_shifts_by_jiffies(steps in steps(2), name in 0..5usize, jiffies in 0..10_000u64) {
        let (rows, to) = rows(&steps, 2);
        let by = jiffies * JIFFY;
        let shifted: Vec<_> = rows.iter().map(|row| StateRow { ts_ns: row.ts_ns + by, ..*row }).collect();
        let modelled = |from: u64| Config { from_ns: from, worker_traced: false, ..config(NAMES[name], 250, 2) };
        let (a, b) = (replay(modelled(0), &[read(to / 2)], &rows, to), replay(modelled(by), &[read(to / 2 + by)], &shifted, to + by));
        // The timer wheel's levels do not shift by any number of jiffies, so only by whole ones of 512.
        if jiffies % 512 == 0 {
            prop_assert_eq!(machine(&a), machine(&b));
        }
        let read_only = |from: u64| Config { from_ns: from, ..config(NAMES[name], 250, 2) };
        let (a, b) = (replay(read_only(0), &[read(to / 2)], &rows, to), replay(read_only(by), &[read(to / 2 + by)], &shifted, to + by));
        prop_assert_eq!(machine(&a), machine(&b));
        prop_assert_eq!(a.nodes, b.nodes);
        let back: Vec<_> = b.series.iter().map(|point| (point.t_ns - by, point.avg, point.totals_ns)).collect();
        prop_assert_eq!(a.series.iter().map(|point| (point.t_ns, point.avg, point.totals_ns)).collect::<Vec<_>>(), back);
    }

    #[test]
    fn another_cgroup_does_not_matter(steps in steps(2), other in steps(2), name in 0..5usize) {
        let (rows, to) = rows(&steps, 2);
        let own: Vec<_> = rows.iter().map(|row| StateRow { group: 1, ..*row }).collect();
        let mut ts = 0;
        let mut both = own.clone();
        for &(wait, cpu, state) in &other {
            both.push(of(2, ts, cpu, state));
            ts += wait;
        }
        both.sort_by_key(|row| row.ts_ns);
        let group = |rows: &[StateRow]| {
            let got = replay(config(NAMES[name], 250, 2), &[], rows, to);
            got.groups.into_iter().find(|group| group.group == 1).unwrap()
        };
        prop_assert_eq!(group(&own), group(&both));
    }

    #[test]
    fn groups_may_follow_one_another_or_mix(a in steps(2), b in steps(2)) {
        let ((first, to), (second, end)) = (rows(&a, 2), rows(&b, 2));
        let to = to.max(end);
        let mut both: Vec<_> = first.iter().copied().chain(second.iter().map(|row| StateRow { group: 1, ..*row })).collect();
        let apart = replay(config("6.4", 250, 2), &[], &both, to);
        both.sort_by_key(|row| row.ts_ns);
        prop_assert_eq!(apart, replay(config("6.4", 250, 2), &[], &both, to));
    }

    #[test]
    fn averages_stay_within_bounds_and_move_towards_the_share(percents in vec(0..=100u64, 1..60)) {
        let mut avg = [0; 3];
        for percent in percents {
            let before = avg;
            step(&mut avg, 0, percent);
            for k in 0..3 {
                let target = percent * 2048;
                prop_assert!(hundredths(avg[k]) <= 10_000);
                let (low, high) = (before[k].min(target), before[k].max(target));
                prop_assert!((low..=high).contains(&avg[k]));
                prop_assert!(before[k] == target || avg[k] != before[k] || before[k].abs_diff(target) * (2048 - EXP[k]) < 2048);
            }
        }
    }

    #[test]
    fn calc_load_is_monotone(a in 0..=204_800u64, b in 0..=204_800u64, percent in 0..=100u64) {
        for exp in EXP {
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(calc_load(low, exp, percent * 2048) <= calc_load(high, exp, percent * 2048));
        }
    }

    #[test]
    fn a_printed_average_pins_a_range(avg in 0..=204_800u64) {
        let (least, most) = printed_as(hundredths(avg));
        prop_assert!((least..=most).contains(&avg));
        prop_assert_eq!((hundredths(least), hundredths(most)), (hundredths(avg), hundredths(avg)));
        prop_assert!(least == 0 || hundredths(least - 1) < hundredths(avg));
        prop_assert!(hundredths(most + 1) > hundredths(avg));
    }

    #[test]
    fn unknown_time_counts_nowhere(steps in steps(1), lost in 1..S) {
        let (mut rows, to) = rows(&steps, 1);
        let before = totals(config("6.4", 250, 1), &[to], &rows, to);
        rows.push(row(to, 0, State { on: OnCpu::Lost, running: 3, ..State::default() }));
        let got = replay(config("6.4", 250, 1), &[read(to)], &rows, to + lost);
        prop_assert_eq!(machine(&got).totals_ns, before);
        prop_assert_eq!(machine(&got).unknown_ns, lost);
    }
}

#[test]
fn versions_have_their_rules() {
    let of = |major, minor| {
        Rules::of(numalens_core::kernel_version::KernelVersion { major, minor })
            .map(|rules| rules.name)
    };
    assert_eq!(of(4, 19), None);
    let want = [
        (4, 20, "4.20"),
        (5, 2, "4.20"),
        (5, 6, "4.20"),
        (5, 7, "5.7"),
        (5, 12, "5.7"),
        (5, 13, "5.14"),
        (5, 16, "5.14"),
        (5, 17, "5.17"),
        (6, 0, "5.17"),
        (6, 1, "6.4"),
        (6, 18, "6.4"),
        (7, 2, "6.4"),
    ];
    for (major, minor, name) in want {
        assert_eq!(of(major, minor), Some(name), "{major}.{minor}");
    }
    assert!(rules::TABLE.is_sorted_by_key(|row| row.from));
    assert!(NAMES.iter().all(|name| Rules::named(name).is_some()));
    assert!(Rules::named("5.2").is_none());
}

#[test]
fn a_late_period_is_missed_at_equality_except_in_4_20() {
    let avg = |name: &str, minor: u16| {
        let rules = if name.is_empty() {
            Rules::of(numalens_core::kernel_version::KernelVersion { major: 5, minor }).unwrap()
        } else {
            crate::psi_common::rules(name)
        };
        let period = jiffies::period(250);
        let mut averages = Averages::new(rules, 250, 0, period);
        let mut totals = [0; TOTALS];
        totals[CPU_SOME] = period;
        averages.update(&totals, 2 * period);
        (averages.avg[CPU_SOME], averages.next_update() / period)
    };
    // Not missed: half of a period twice as long. Missed: one period without stall, then a full one.
    let mut half = [0; 3];
    step(&mut half, 0, 50);
    let mut full = [0; 3];
    step(&mut full, 0, 100);
    assert_eq!(avg("4.20", 0), (half, 2));
    assert_eq!(avg("", 2), (full, 3));
    assert_eq!(avg("6.4", 0), (full, 3));
}

#[test]
fn periods_and_the_wheel() {
    assert_eq!(
        [1000, 300, 250, 100].map(jiffies::period),
        [2_001 * MS, 2_003_333_000, 2_004 * MS, 2_010 * MS]
    );
    // Steady state: armed from its own callback on a boundary of the wheel.
    assert_eq!(jiffies::wheel(2048, 2048 + 2001), 4096);
    assert_eq!(jiffies::wheel(504, 504 + 501), 1008);
    assert_eq!(jiffies::wheel(208, 208 + 201), 416);
    assert_eq!(jiffies::wheel(0, 6000), 6144);
    // 61 jiffies stay in the level of single ones, which still adds one.
    assert_eq!(jiffies::wheel(5, 66), 67);
    assert_eq!(
        [1000, 300, 250].map(|hz| jiffies::from_ns(1_999_999_999, hz)),
        [1999, 599, 499]
    );
}

#[test]
fn the_modelled_worker_runs_every_2_s_while_there_is_work() {
    let modelled = Config {
        worker_traced: false,
        ..config("6.4", 250, 1)
    };
    let rows = [row(0, 0, busy(2)), row(10 * S, 0, idle())];
    let got = replay(modelled, &[], &rows, 60 * S);
    assert!(machine(&got).worker_modelled);
    let runs: Vec<u64> = got.series.iter().map(|point| point.t_ns / MS).collect();
    let inner = &runs[1..runs.len() - 1];
    // The last run sees nothing and is the last.
    assert!((5..=7).contains(&inner.len()), "{runs:?}");
    for pair in inner.windows(2) {
        assert!((1_900..=2_100).contains(&(pair[1] - pair[0])), "{runs:?}");
    }
    assert_eq!(machine(&got).totals_ns[CPU_SOME], 10 * S);
}

#[test]
fn a_cgroup_without_traced_worker_is_modelled() {
    let rows = [
        row(0, 0, busy(2)),
        of(3, 0, 0, busy(2)),
        of(4, 0, 0, busy(2)),
    ];
    let mut instants = vec![worker(2 * S)];
    instants.push(numalens_replay::evidence::Instant {
        group: 4,
        ..worker(2 * S)
    });
    let got = replay(config("6.4", 250, 1), &instants, &rows, 5 * S);
    let modelled: Vec<_> = got
        .groups
        .iter()
        .map(|group| (group.group, group.worker_modelled))
        .collect();
    assert_eq!(modelled, [(0, false), (3, true), (4, false)]);
}

#[test]
fn a_window_inside_begins_with_the_states_there() {
    let begin = Config {
        from_ns: S,
        ..config("6.4", 250, 2)
    };
    let rows = [row(S, 0, busy(2)), row(S, 1, idle()), row(2 * S, 0, idle())];
    let got = replay(begin, &[read(S / 2), read(S)], &rows, 3 * S);
    assert_eq!(machine(&got).totals_ns[CPU_SOME], S);
    assert_eq!(machine(&got).unknown_ns, 0);
    assert_eq!(got.series[0].t_ns, S);
    assert_eq!(got.series.last().unwrap().t_ns, 3 * S);
}

#[test]
fn a_cpu_of_which_nobody_tells_is_unknown() {
    let got = replay(
        config("6.4", 250, 2),
        &[],
        &[row(0, 0, busy(1)), row(S, 1, busy(1))],
        3 * S,
    );
    assert_eq!(machine(&got).unknown_ns, S);
    // A cgroup that is never reported of a CPU has no task there.
    let got = replay(config("6.4", 250, 2), &[], &[of(1, 0, 1, busy(1))], 3 * S);
    assert_eq!(got.groups[1].unknown_ns, 0);
}

#[test]
fn the_series_keeps_updates_when_reads_are_many() {
    let reads: Vec<_> = (1..40_000)
        .map(|n| read(n * 10 * MS))
        .chain((1..200).map(|n| worker(n * 2_004 * MS)))
        .collect();
    let got = replay(
        config("6.4", 250, 1),
        &reads,
        &[row(0, 0, busy(2))],
        401 * S,
    );
    assert!(got.series.len() < 4_500, "{}", got.series.len());
    assert!(got.series.len() > 2_000);
    let updates = got.series.iter().filter(|point| point.updated).count();
    assert_eq!(updates, 200);
    assert!(got.series.is_sorted_by_key(|point| point.t_ns));
}

#[test]
fn times_do_not_wrap() {
    let mut clock = Clock::new(0, OnCpu::Idle);
    let ticks = jiffies::Ticks {
        anchor_ns: 0,
        hz: 250,
    };
    clock.set(crate::psi_common::rules("6.4"), ticks, 0, busy(2));
    clock.advance(crate::psi_common::rules("6.4"), ticks, 100 * S);
    assert_eq!(clock.recent()[CPU_SOME], 100 * S);
    assert_eq!(clock.recent()[CPU_SOME], 0);
}

#[test]
fn interrupt_time_needs_rules_that_count_it() {
    for (name, want) in [("5.17", 0), ("6.4", 8 * MS)] {
        let mut pressure = Pressure::new(config(name, 250, 1), &[]);
        pressure.row(&row(0, 0, busy(1)));
        pressure.irq(50 * MS, 0, 0, 8 * MS);
        let got = pressure.finish(100 * MS);
        assert_eq!(machine(&got).totals_ns[state::IRQ_FULL], want);
    }
}
