//! The replay on random states and events: shorter ways lead to what the longer ones do. The replay counts CPUs that are
//! overdue only when their count may have changed, and asserts in these builds that it has not at all other times.

use numalens_core::kernel_version::KernelVersion;
use numalens_events::{IlbKind, Kinds};
use numalens_idle_balancing::model::{Annotation, Kind};
use numalens_idle_balancing::{Config, ModelKind, Replay, Replayed};
use numalens_replay::idle_balancing::{IDLE, IlbRow, Jiffies, NR_KNOWN};
use numalens_replay::states::{MACHINE, OnCpu, State, StateRow};
use proptest::prelude::*;

const CPUS: u32 = 5;
const HZ: u32 = 250;
const JIFFY: u64 = 4_000_000;
const END: u64 = 60 * JIFFY;

type Told = Vec<(ModelKind, Annotation)>;

fn config(kinds: &[IlbKind], minor: u16) -> Config {
    let kinds: Kinds = kinds.iter().map(|&kind| kind as u8).collect();
    Config {
        kernel: Some(KernelVersion { major: 6, minor }),
        cpus: CPUS as usize,
        llc: vec![0, 0, 0, 1, 1],
        jiffies: Jiffies::from_origin(HZ, 0),
        kinds,
        from_ns: 0,
        to_ns: END,
        count_from_ns: 10 * JIFFY,
        follow: ModelKind::all(kinds),
    }
}

fn run(config: Config, rows: &[Result<StateRow, IlbRow>]) -> (Replayed, Told) {
    let mut told = Vec::new();
    let mut out = |follow: ModelKind, note: &Annotation| told.push((follow, *note));
    let mut replay = Replay::new(config, &mut out);
    for row in rows {
        match row {
            Ok(state) => replay.state(state),
            Err(row) => replay.row(row),
        }
    }
    let replayed = replay.finish();
    told.sort_by_key(|told| told.0);
    (replayed, told)
}

#[allow(clippy::unnecessary_wraps)] // One of the two kinds of step.
fn state(ts_ns: u64, cpu: u32, running: u16) -> Result<StateRow, IlbRow> {
    let on = if running == 0 {
        OnCpu::Idle
    } else {
        OnCpu::Task
    };
    let state = State {
        on,
        running,
        ..State::default()
    };
    Ok(StateRow {
        ts_ns,
        cpu,
        group: MACHINE,
        state,
    })
}

fn event(ts_ns: u64, kind: IlbKind, cpu: u32, a: u64, b: u64) -> Result<StateRow, IlbRow> {
    Err(IlbRow {
        ts_ns,
        cpu,
        kind,
        subject: cpu,
        a,
        b,
    })
}

/// What happens besides ticks: when, where, what, how many tasks run.
fn happenings() -> impl Strategy<Value = Vec<(u64, u32, u8, u16)>> {
    let one = (0..END, 0..CPUS, 0..6_u8, 0..4_u16);
    prop::collection::vec(one, 1..150).prop_map(|mut all| {
        all.sort_unstable();
        all
    })
}

fn state_or_event(&(ts_ns, cpu, what, running): &(u64, u32, u8, u16)) -> Result<StateRow, IlbRow> {
    match what {
        0..=2 => state(ts_ns, cpu, running),
        3 => event(ts_ns, IlbKind::Enter, cpu, 0, 0),
        4 => event(ts_ns, IlbKind::Entry, cpu, 0, 0),
        _ => event(ts_ns, IlbKind::Lost, cpu, ts_ns, 0),
    }
}

proptest! {
    /// Ticks that are made up, all of a moment at once, are those of a recording that has them one by one.
    #[test]
    fn made_up_ticks_are_as_recorded_ones(all in happenings(), minor in 0..14_u16) {
        let quiet: Vec<_> = all.iter().map(state_or_event).collect();
        let made_up = run(config(&[IlbKind::Enter], minor), &quiet);
        // The same with a tick of each CPU that is known and has not stopped it.
        let mut rows = Vec::new();
        let mut cpus = [(false, false); CPUS as usize];
        let mut last = [None; CPUS as usize];
        let mut next = 0;
        let mut ticks = |rows: &mut Vec<_>, until: u64, cpus: &[(bool, bool)]| {
            while next <= until.min(END) {
                for (cpu, _) in (0..CPUS).zip(cpus).filter(|(_, cpu)| cpu.0 && !cpu.1) {
                    rows.push(event(next, IlbKind::Trigger, cpu, 0, 0));
                }
                next += JIFFY;
            }
        };
        for (row, &(ts_ns, cpu, what, running)) in quiet.iter().zip(&all) {
            ticks(&mut rows, ts_ns, &cpus);
            rows.push(*row);
            let (known, stopped) = &mut cpus[cpu as usize];
            match what {
                // A state that is reported again changes nothing.
                0..=2 if last[cpu as usize].replace(running) == Some(running) => {}
                0..=2 => (*known, *stopped) = (true, *stopped && running == 0),
                3 => *stopped = true,
                4 => {}
                _ => *stopped = false,
            }
        }
        ticks(&mut rows, END, &cpus);
        let recorded = run(config(&[IlbKind::Enter, IlbKind::Trigger], minor), &rows);
        prop_assert_eq!(&made_up.1, &recorded.1);
        prop_assert_eq!(&made_up.0.ticks, &recorded.0.ticks);
        prop_assert_eq!(&made_up.0.mask, &recorded.0.mask);
        let totals = |of: &Replayed| -> Vec<u64> { of.runs.iter().map(|run| run.overdue_cpu_ns).collect() };
        prop_assert_eq!(totals(&made_up.0), totals(&recorded.0));
    }

    /// With each kind of event that a step is made of; CPUs that only their silence tells to have stopped among them.
    #[test]
    fn counts_of_overdue_cpus_hold(
        all in prop::collection::vec((0..END, 0..CPUS, 0..9_u8, 0..4_u16), 1..200),
        silent: bool,
        minor in 0..14_u16,
    ) {
        let mut all = all;
        all.sort_unstable();
        let enter = if silent { IlbKind::CpuIdle } else { IlbKind::Enter };
        let rows: Vec<_> = all.iter().map(|told| {
            let &(ts_ns, cpu, what, running) = told;
            let nr = u64::from(running) | NR_KNOWN | if running == 0 { IDLE } else { 0 };
            match what {
                0 | 1 => event(ts_ns, IlbKind::Trigger, cpu, nr, 0),
                2 => event(ts_ns, IlbKind::Arrive, cpu, nr, 0),
                3 => event(ts_ns, IlbKind::Pass, cpu, nr, 0),
                4 => event(ts_ns, enter, cpu, 0, 0),
                5 => event(ts_ns, IlbKind::Entry, cpu, 0, 0),
                6 => event(ts_ns, IlbKind::Lost, cpu, ts_ns, 0),
                _ => state(ts_ns, cpu, running),
            }
        }).collect();
        let kinds = [IlbKind::Trigger, IlbKind::Arrive, IlbKind::Pass, enter];
        let (replayed, told) = run(config(&kinds, minor), &rows);
        prop_assert_eq!(replayed.runs.len(), 4);
        let counted: u64 = replayed.runs.iter().flat_map(|run| run.counts.kinds()).map(|kind| kind.1).sum();
        prop_assert_eq!(counted, told.len() as u64);
    }
}

/// `cpu.max` holds a group's tasks back: their CPU goes idle though they are runnable, and can be kicked like any idle one.
#[test]
fn throttled_tasks_keep_no_cpu_from_being_kicked() {
    let mut config = config(&[IlbKind::Enter, IlbKind::Trigger], 12);
    config.count_from_ns = 0;
    config.follow = vec![ModelKind::Modern];
    let stays_idle = |ts_ns: u64, running: u16| -> Result<StateRow, IlbRow> {
        let mut row = state(ts_ns, 1, running);
        if let Ok(row) = &mut row {
            row.state.on = OnCpu::Idle;
        }
        row
    };
    let busy_tick = |ts_ns: u64| event(ts_ns, IlbKind::Trigger, 0, NR_KNOWN | 2, 0);
    let rows = [
        state(JIFFY, 0, 2),
        state(JIFFY, 1, 2),
        // The CPU goes idle and both its tasks stay runnable.
        stays_idle(2 * JIFFY, 2),
        event(2 * JIFFY + 1, IlbKind::Enter, 1, 0, 0),
        busy_tick(3 * JIFFY),
        // One that wakes is in the runqueue until it runs.
        stays_idle(10 * JIFFY, 3),
        busy_tick(11 * JIFFY),
        // Without it the CPU is free again, and so it is when fewer are held back.
        stays_idle(12 * JIFFY, 2),
        busy_tick(20 * JIFFY),
        stays_idle(21 * JIFFY, 1),
        busy_tick(30 * JIFFY),
    ];
    let (_, told) = run(config, &rows);
    let kicks: Vec<(u64, Kind, Option<u32>)> = told
        .iter()
        .filter(|(_, note)| matches!(note.kind, Kind::KickSent | Kind::NoTarget))
        .map(|(_, note)| (note.t_ns / JIFFY, note.kind, note.target))
        .collect();
    assert_eq!(
        kicks,
        [
            (3, Kind::KickSent, Some(1)),
            (11, Kind::NoTarget, None),
            (20, Kind::KickSent, Some(1)),
            (30, Kind::KickSent, Some(1)),
        ]
    );
}
