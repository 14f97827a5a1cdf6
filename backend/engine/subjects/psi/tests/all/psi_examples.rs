//! The worked examples (`docs/algorithms/psi.md`, P13), one test each.

use numalens_psi::averages::{Averages, calc_load, calc_load_n, fixed_power_int, print, step};
use numalens_psi::rules::state::{CPU_FULL, CPU_SOME, MEM_FULL, MEM_SOME};
use numalens_replay::states::{OnCpu, State};

use crate::psi_common::{MS, S, busy, config, idle, machine, read, replay, row, rules, worker};

fn printed(avg: &[u64; 3]) -> String {
    avg.map(print).join(" ")
}

#[test]
fn example_1_full_stall_from_nothing() {
    let mut avg = [0; 3];
    step(&mut avg, 0, 100);
    assert_eq!(avg, [37100, 6700, 1400]);
    assert_eq!(printed(&avg), "18.11 3.27 0.68");
    step(&mut avg, 0, 100);
    assert_eq!(avg, [67480, 13181, 2791]);
    assert_eq!(printed(&avg), "32.94 6.43 1.36");
    for _ in 0..3 {
        step(&mut avg, 0, 100);
    }
    assert_eq!(printed(&avg), "63.18 15.32 3.37");
}

#[test]
fn example_2_missed_periods() {
    let mut avg = [0; 3];
    step(&mut avg, 0, 50);
    assert_eq!(avg, [18550, 3350, 700]);
    assert_eq!(printed(&avg), "9.05 1.63 0.34");
    assert_eq!(
        [1677, 1981, 2034].map(|exp| fixed_power_int(exp, 11, 5)),
        [753, 1734, 1978]
    );
    let exps = [1677, 1981, 2034];
    let at_once: [u64; 3] = std::array::from_fn(|k| calc_load_n(avg[k], exps[k], 0, 5));
    assert_eq!(at_once, [6820, 2836, 676]);
    let stepwise: [u64; 3] =
        std::array::from_fn(|k| (0..5).fold(avg[k], |avg, _| calc_load(avg, exps[k], 0)));
    assert_eq!(stepwise, [6828, 2835, 675]);
    step(&mut avg, 5, 25);
    assert_eq!(avg, [14860, 4419, 1022]);
    assert_eq!(printed(&avg), "7.25 2.15 0.49");
}

#[test]
fn example_3_where_averages_end() {
    let mut avg = [0; 3];
    for _ in 0..20_000 {
        step(&mut avg, 0, 1);
    }
    assert_eq!(avg, [2048; 3]);
    assert_eq!(printed(&avg), "1.00 1.00 1.00");
    let periods = |k: usize| {
        let (mut avg, mut periods) = ([100 * 2048; 3], 0);
        while avg[k] > 0 {
            step(&mut avg, 0, 0);
            periods += 1;
        }
        periods
    };
    assert_eq!(periods(0), 56);
    assert_eq!(periods(2), 1140);
}

#[test]
fn example_4_weights() {
    // Four CPUs nonidle for 2 s, CPU 0 with a waiting task.
    let mut rows = vec![row(0, 0, busy(2))];
    rows.extend((1..4).map(|cpu| row(0, cpu, busy(1))));
    let got = replay(config("6.4", 1000, 4), &[], &rows, 2 * S);
    assert_eq!(machine(&got).totals_ns[CPU_SOME], S / 2);
    // The other three idle.
    let mut rows = vec![row(0, 0, busy(2))];
    rows.extend((1..4).map(|cpu| row(0, cpu, idle())));
    let got = replay(config("6.4", 1000, 4), &[], &rows, 2 * S);
    assert_eq!(machine(&got).totals_ns[CPU_SOME], 2 * S);
}

#[test]
fn example_5_uneven_weights() {
    let rows = [
        row(0, 0, busy(2)),
        row(0, 1, busy(1)),
        row(S / 2, 1, idle()),
        row(S, 0, busy(1)),
    ];
    let got = replay(config("6.4", 1000, 2), &[], &rows, 2 * S);
    assert_eq!(machine(&got).totals_ns[CPU_SOME], S / 10 * 8);
}

#[test]
fn example_6_lost_time() {
    let of = |ns: u64, second: bool| {
        let mut rows = vec![row(0, 0, busy(2)), row(ns, 0, idle())];
        let to = if second { 40 * MS } else { ns };
        if second {
            rows.insert(1, row(0, 1, busy(1)));
        }
        let got = replay(config("6.4", 250, 2), &[], &rows, to);
        (
            machine(&got).totals_ns[CPU_SOME],
            machine(&got).lost_ns[CPU_SOME],
        )
    };
    assert_eq!(of(3_900_000, false), (0, 3_900_000));
    assert_eq!(of(4_000_000, false), (4_000_000, 0));
    assert_eq!(of(3_900_000, true).0, 0);
}

#[test]
fn example_7_wakeups_on_an_idle_cpu() {
    let woken = State {
        running: 1,
        ..idle()
    };
    let mut rows = vec![row(0, 0, idle())];
    for n in 0..1000 {
        rows.push(row(n * MS, 0, woken));
        rows.push(row(n * MS + 50_000, 0, busy(1)));
        rows.push(row(n * MS + 100_000, 0, idle()));
    }
    let some = |name: &str| {
        let got = replay(config(name, 1000, 1), &[], &rows, S);
        machine(&got).totals_ns[CPU_SOME]
    };
    assert_eq!(some("4.20"), 0);
    for name in ["5.7", "5.14", "5.17", "6.4"] {
        assert_eq!(some(name), 50 * MS, "{name}");
    }
    let full =
        |name: &str| machine(&replay(config(name, 1000, 1), &[], &rows, S)).totals_ns[CPU_FULL];
    assert_eq!((full("5.7"), full("5.14")), (0, 50 * MS));
}

#[test]
fn example_8_memory_full() {
    // The task on the CPU reclaims, another one waits: from 1 ms into a jiffy of 4 ms to the end of the tenth.
    let reclaim = State {
        on: OnCpu::Task,
        stalled_on_cpu: true,
        running: 2,
        memstall: 1,
        memstall_running: 1,
        ..State::default()
    };
    let rows = [row(0, 0, busy(2)), row(MS, 0, reclaim)];
    let full = |name: &str, to: u64| {
        let got = replay(config(name, 250, 1), &[], &rows, to);
        assert_eq!(machine(&got).totals_ns[MEM_SOME], to - MS);
        machine(&got).totals_ns[MEM_FULL]
    };
    // Only what ticks saw; the 2 ms after the last one are not.
    assert_eq!(full("4.20", 42 * MS), 39 * MS);
    assert_eq!(full("5.7", 42 * MS), 39 * MS);
    assert_eq!(full("4.20", 3_999_999 + 8 * MS), 7 * MS);
    for name in ["5.14", "5.17", "6.4"] {
        assert_eq!(full(name, 42 * MS), 41 * MS, "{name}");
    }
    // Two stalled and runnable tasks, a third CPU's worth of nothing: full although neither is on the CPU.
    let both = State {
        running: 2,
        memstall: 2,
        memstall_running: 2,
        ..idle()
    };
    let full = |name: &str| {
        let got = replay(config(name, 250, 1), &[], &[row(0, 0, both)], 40 * MS);
        machine(&got).totals_ns[MEM_FULL]
    };
    assert_eq!(
        [full("4.20"), full("5.14"), full("5.17"), full("6.4")],
        [0, 0, 40 * MS, 40 * MS]
    );
}

#[test]
fn example_9_overage_is_carried() {
    let mut averages = Averages::new(rules("6.4"), 250, 0, 2 * S);
    let mut totals = [0; 7];
    totals[CPU_SOME] = 2_500 * MS;
    assert!(averages.update(&totals, 2 * S));
    let mut want = [0; 3];
    step(&mut want, 0, 100);
    assert_eq!(averages.avg[CPU_SOME], want);
    // Nothing new in the next period: the half second left over counts there. 0.5 s of 2.004 s are 24 %.
    assert!(averages.update(&totals, 4_004 * MS));
    step(&mut want, 0, 24);
    assert_eq!(averages.avg[CPU_SOME], want);
    assert!(averages.update(&totals, 6_008 * MS));
    step(&mut want, 0, 0);
    assert_eq!(averages.avg[CPU_SOME], want);
}

#[test]
fn a_worker_that_is_traced_updates_the_averages_of_the_series() {
    let rows = [row(0, 0, busy(2))];
    let instants = [worker(2_004 * MS), read(2_100 * MS), worker(4_020 * MS)];
    let got = replay(config("6.4", 250, 1), &instants, &rows, 5 * S);
    let updates: Vec<(u64, String)> = got
        .series
        .iter()
        .filter(|point| point.updated)
        .map(|point| (point.t_ns / MS, printed(&point.avg[CPU_SOME])))
        .collect();
    assert_eq!(
        updates,
        [
            (2004, "18.11 3.27 0.68".into()),
            (4020, "32.94 6.43 1.36".into())
        ]
    );
    assert!(!machine(&got).worker_modelled);
}
