//! What gaps of lost events leave of the idle load balancer's kicks, and how versions of the kernel count idle time.

#![allow(clippy::unwrap_used)]

use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::Label;
use numalens_core::{CpuSet, Output};
use numalens_events::{IlbKind, Kinds, LostMark, Merge};
use numalens_idle_balancing::compare::{self, Guided, Reason};
use numalens_idle_balancing::idle::{self, Counting, IdleMeter};
use numalens_idle_balancing::model::{Annotation, Kind, Why, flags};
use numalens_idle_balancing::{Event, EventKind, Fate, ModelKind, of_kicks, of_model};
use numalens_machine::stat::StatSample;
use numalens_replay::idle_balancing::{
    IlbRow, IlbTable, Jiffies, JiffyLearner, LogWriter, NR_KNOWN, Observer, Outcome,
};
use numalens_replay::states::{MACHINE, OnCpu, State, StateRow};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
const S: u64 = 1_000_000_000;

fn row(ts_ns: u64, kind: IlbKind, cpu: u32, a: u64) -> IlbRow {
    IlbRow {
        ts_ns,
        cpu,
        kind,
        subject: cpu,
        a,
        b: 0,
    }
}

fn kinds(all: &[IlbKind]) -> Kinds {
    all.iter().copied().fold(Kinds::default(), Kinds::with)
}

fn state(ts_ns: u64, cpu: u32, idle: bool) -> StateRow {
    StateRow {
        ts_ns,
        cpu,
        group: MACHINE,
        state: State {
            on: if idle { OnCpu::Idle } else { OnCpu::Task },
            running: u16::from(!idle),
            ..State::default()
        },
    }
}

#[test]
fn gaps_stand_where_they_begin() {
    let mark = |since_ns, until_ns, cpu| LostMark {
        since_ns,
        until_ns,
        seq: 1,
        cpu,
        buffer: 0,
    };
    let kinds = |marks| {
        let (tables, jiffies) = (
            vec![IlbTable::lost(0, marks)],
            JiffyLearner::new(250, 0, 99),
        );
        let (log, tables) = LogWriter::new(tables, jiffies, Output::new(std::io::sink())).unwrap();
        (log.finish().unwrap().0, tables)
    };
    let (lost, tables) = kinds(vec![mark(50, 90, 1), mark(10, 20, 0)]);
    assert!(lost.has(IlbKind::Lost));
    let mut merge = Merge::new(tables).unwrap();
    let mut rows = Vec::new();
    while let Some((ts_ns, row)) = merge.next_row().unwrap() {
        let row = row.unwrap();
        rows.push((ts_ns, row.cpu, row.a, row.kind));
    }
    assert_eq!(
        rows,
        [(10, 0, 20, IlbKind::Lost), (50, 1, 90, IlbKind::Lost)]
    );
    // A recording that lost nothing does not say that it did.
    assert!(!kinds(Vec::new()).0.has(IlbKind::Lost));
}

/// The softirq that would tell may be among what is lost, so that the kick is not called dropped.
#[test]
fn a_kick_before_a_gap_is_not_called_dropped() {
    let recorded = kinds(&[IlbKind::Arrive, IlbKind::Raise, IlbKind::Trigger]);
    let outcome = |lost: bool| {
        let mut observer = Observer::new(recorded);
        observer.row(&row(
            MS,
            IlbKind::Arrive,
            1,
            u64::from(flags::KICKS) | NR_KNOWN,
        ));
        if lost {
            observer.row(&row(MS + 1, IlbKind::Lost, 1, 9 * MS));
        }
        observer.row(&row(9 * MS, IlbKind::Trigger, 1, 0));
        observer.finish();
        let kick = observer.kicks[0].clone();
        (kick.outcome, kick.missing.contains(&"lost events"))
    };
    assert_eq!(outcome(false), (Outcome::Dropped, false));
    assert_eq!(outcome(true), (Outcome::NotSeen, true));
}

#[test]
fn differences_beside_a_gap_are_blamed_on_it() {
    let told = Annotation {
        t_ns: 100 * MS,
        kind: Kind::KickSent,
        cpu: 0,
        target: Some(1),
        why: Why::NrRunning,
        size: 0,
        flags: flags::BALANCE,
    };
    let reason = |gap: Option<(u32, u64, u64)>| {
        let mut guided = Guided::default();
        guided.annotation(ModelKind::TraceDriven, &told);
        if let Some((cpu, from, to)) = gap {
            guided.gap(cpu, from, to);
        }
        compare::kicks(&[], &[], &guided, 250).reasons[0].reason
    };
    assert_eq!(reason(None), Reason::GateLater);
    assert_eq!(reason(Some((1, 90 * MS, 120 * MS))), Reason::LostEvents);
    assert_eq!(reason(Some((0, 90 * MS, 120 * MS))), Reason::GateLater);
    assert_eq!(reason(Some((1, 10 * MS, 20 * MS))), Reason::GateLater);
}

/// Linux 7.2 counts by the clock while the tick is stopped, by ticks while it runs: where ticks are lost, the rest is too.
#[test]
fn idle_time_is_counted_as_each_kernel_does() {
    let nohz = kinds(&[IlbKind::TickStop]);
    let version = |major, minor| Some(KernelVersion { major, minor });
    assert_eq!(Counting::of(version(6, 1), nohz), Counting::Exact);
    assert_eq!(Counting::of(version(7, 2), nohz), Counting::Dyntick);
    assert_eq!(Counting::of(None, nohz), Counting::Exact);
    assert_eq!(
        Counting::of(version(7, 2), Kinds::default()),
        Counting::Ticks
    );

    let mut meter = IdleMeter::new(&[(0, S)], 1, 250);
    // Busy until 200 ms. Idle with a running tick until 600 ms, of whose hundred ticks three came; the tick stops 10 ms
    // behind the last one and counts from there; a task comes at 900 ms.
    meter.row(&state(0, 0, false));
    meter.tick(100 * MS, 0);
    meter.row(&state(200 * MS, 0, true));
    for at in [300, 400, 590] {
        meter.tick(at * MS, 0);
    }
    meter.stop(600 * MS, 0);
    // Its tick is stopped: an interrupt does not count as one.
    meter.tick(700 * MS, 0);
    meter.row(&state(900 * MS, 0, false));
    let window = meter.finish(S)[0];
    assert!((window.idle_percent - 70.0).abs() < 1e-9);
    let counted = (900.0 - 590.0) + 3.0 * 4.0;
    assert_eq!(window.dyntick_percent, Some(counted / 10.0));
    let sample = |t_ns, user, idle| StatSample {
        t_ns,
        cpu: -1,
        user,
        idle,
        ..StatSample::default()
    };
    let sampled = idle::sampled(&[sample(0, 0, 0), sample(S, 1, 32)], 1);
    let of = |by| idle::compare(&[window], &sampled, by).unwrap();
    assert!(of(Counting::Dyntick).largest < 0.3);
    assert!(of(Counting::Exact).largest > 30.0);
    assert!(of(Counting::Dyntick).sentence().contains("since 7.2"));
}

#[test]
fn kicks_of_a_model_and_of_the_recording_become_rows() {
    let note = |t_ns, kind, cpu, target| Annotation {
        t_ns,
        kind,
        cpu,
        target,
        why: Why::NrRunning,
        size: 3,
        flags: 0,
    };
    let told = [
        note(1, Kind::KickSent, 0, Some(2)),
        note(2, Kind::KickLatched, 1, Some(2)),
        note(3, Kind::KickHandled, 2, None),
        note(4, Kind::Pass, 2, None),
        note(5, Kind::KickSent, 0, Some(3)),
        note(6, Kind::KickDropped, 3, None),
        note(7, Kind::Stale, 4, None),
        note(8, Kind::GateClosed, 0, None),
    ];
    let rows = of_model(&told, Label::WhatIf, false);
    let fates: Vec<Option<Fate>> = rows.iter().map(|row| row.fate).collect();
    assert_eq!(
        fates,
        [
            Some(Fate::Handled),
            Some(Fate::Latched),
            None,
            Some(Fate::Dropped),
            None
        ]
    );
    assert_eq!((rows[0].arrived_ns, rows[0].handled_ns), (Some(3), Some(3)));
    assert_eq!((rows[3].arrived_ns, rows[3].handled_ns), (Some(6), None));
    assert_eq!(
        (rows[4].kind, rows[4].jiffies),
        (EventKind::StaleNextBalance, Some(3))
    );
    let stale: Vec<Event> = of_model(&told, Label::Inferred, true);
    assert_eq!(stale.len(), 1);

    let mut observer = Observer::new(kinds(&[IlbKind::Arrive, IlbKind::Raise]));
    for (at, kind) in [
        (1, IlbKind::Arrive),
        (2, IlbKind::Raise),
        (3, IlbKind::Entry),
        (4, IlbKind::Pass),
        (9, IlbKind::Exit),
    ] {
        observer.row(&row(at, kind, 5, 0));
    }
    // A task comes at once: the pass was cut short.
    observer.state(&state(0, 5, true));
    observer.state(&state(10, 5, false));
    observer.finish();
    let rows = of_kicks(&observer.kicks, &observer.passes);
    assert_eq!(
        rows.iter()
            .map(|row| (row.kind, row.fate))
            .collect::<Vec<_>>(),
        [
            (EventKind::KickSent, Some(Fate::Aborted)),
            (EventKind::Pass, None)
        ]
    );
}

proptest! {
    #[test]
    fn a_set_of_cpus_is_one(steps in prop::collection::vec((any::<bool>(), 0_u32..200), 0..200)) {
        let (mut set, mut model) = (CpuSet::default(), std::collections::BTreeSet::new());
        for (insert, cpu) in steps {
            if insert {
                prop_assert_eq!(set.insert(cpu), model.insert(cpu));
            } else {
                prop_assert_eq!(set.remove(cpu), model.remove(&cpu));
            }
            prop_assert_eq!(set.is_empty(), model.is_empty());
            prop_assert_eq!(set.contains(cpu), model.contains(&cpu));
        }
        prop_assert_eq!(set.iter().collect::<Vec<_>>(), model.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn jiffies_are_steady_until_they_say(
        hz in prop::sample::select(vec![100_u32, 250, 300, 1000]),
        origin in 0_u64..1 << 50,
        at_origin in 0.0_f64..4.3e9,
        since in 0_u64..1 << 42,
        part in 0.0_f64..1.0,
    ) {
        let jiffies = Jiffies { hz, origin_ns: origin, at_origin, recorded: true };
        let now = origin + since;
        let until = jiffies.steady_until(now);
        if until > now {
            let then = now + ((until - 1 - now) as f64 * part) as u64;
            prop_assert_eq!(jiffies.at(then), jiffies.at(now));
            prop_assert_eq!(jiffies.at(until - 1), jiffies.at(now));
        }
    }
}
