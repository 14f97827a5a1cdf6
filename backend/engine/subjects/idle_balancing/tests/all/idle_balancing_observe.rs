//! What the recordings show of the idle load balancer: tables, log, kicks and passes, comparison, idle time, findings.

#![allow(clippy::unwrap_used)]

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, Int32Array, RecordBatch, UInt8Array, UInt32Array, UInt64Array};
use arrow_buffer::Buffer;
use numalens_core::Output;
use numalens_core::kernel_version::KernelVersion;
use numalens_events::{IlbKind, Kinds, Merge};
use numalens_idle_balancing::compare::{self, Guided, Reason};
use numalens_idle_balancing::findings::{IdleBalancingFacts, detect};
use numalens_idle_balancing::idle::{self, Counting, IdleMeter};
use numalens_idle_balancing::model::{Annotation, Kind, Why, flags};
use numalens_idle_balancing::{Config, Curve, ModelKind, Replay};
use numalens_machine::stat::StatSample;
use numalens_replay::idle_balancing::{
    self, Events, IDLE, IlbRow, IlbTable, Jiffies, JiffyLearner, LogWriter, NR_KNOWN, OUTSIDE,
    ObservedKick, Observer, Outcome,
};
use numalens_replay::states::{MACHINE, OnCpu, State, StateRow};

const MS: u64 = 1_000_000;
const S: u64 = 1_000_000_000;

#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A table of events on CPUs at times, with one more column each for `extra`.
fn table(
    kind: IlbKind,
    function: Option<u64>,
    events: &[(u64, u32)],
    extra: Vec<(&str, ArrayRef)>,
) -> IlbTable<'static> {
    let ts: Vec<u64> = events.iter().map(|event| event.0).collect();
    let cpu: Vec<u32> = events.iter().map(|event| event.1).collect();
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("ts_ns", Arc::new(UInt64Array::from(ts.clone()))),
        ("cpu", Arc::new(UInt32Array::from(cpu))),
        ("seq", Arc::new(UInt64Array::from(ts))),
        ("buffer", Arc::new(UInt8Array::from(vec![0; events.len()]))),
    ];
    columns.extend(extra);
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    IlbTable::new(0, kind, 0, function, Box::new(std::iter::once(Ok(batch))))
}

fn ints(values: Vec<i32>) -> ArrayRef {
    Arc::new(Int32Array::from(values))
}

fn addresses(values: Vec<u64>) -> ArrayRef {
    Arc::new(UInt64Array::from(values))
}

#[test]
fn tables_are_known_by_their_names() {
    const PROBE: &[&str] = &["ts_ns", "__probe_ip"];
    for (system, event, kind) in [
        ("nbk", "trigger_lb", Some(IlbKind::Trigger)),
        (
            "kprobes",
            "p_trigger_load_balance_0",
            Some(IlbKind::Trigger),
        ),
        ("nbk", "nohz_csd_func", Some(IlbKind::Arrive)),
        ("probe", "_nohz_idle_balance_isra_0", Some(IlbKind::Pass)),
        ("probe", "sched_balance_domains", Some(IlbKind::Balance)),
        ("timer", "tick_stop", Some(IlbKind::TickStop)),
        ("csd", "csd_queue_cpu", Some(IlbKind::CsdQueue)),
        ("sched", "sched_switch", None),
        ("nbk", "load_balance", Some(IlbKind::Search)),
        ("nbk", "newidle_balance", Some(IlbKind::NewIdle)),
        ("nbk", "find_busiest_group", None),
    ] {
        assert_eq!(IlbKind::of(system, event, PROBE), kind, "{event}");
    }
    assert_eq!(IlbKind::of("p", "kick_ilb_ret", &["__probe_ret_ip"]), None);
    for kind in IlbKind::ALL {
        assert_eq!(IlbKind::of_number(kind as u8), Some(kind));
    }
}

#[test]
fn the_log_holds_what_counts_in_order_of_time() {
    const CSD: u64 = 0xffff_ffff_8100_0000;
    let entries = || {
        let at = [(10, 1), (20, 1), (30, 1)];
        let func = addresses(vec![CSD, 5, CSD]);
        table(IlbKind::CsdEntry, Some(CSD), &at, vec![("func", func)])
    };
    let arrivals = || {
        let flags = ints(vec![3, 8]);
        table(
            IlbKind::Arrive,
            None,
            &[(11, 1), (31, 1)],
            vec![("nohz_flags", flags)],
        )
    };
    let learned = idle_balancing::learn_csd(entries(), arrivals()).unwrap();
    assert_eq!(learned, Some(CSD));
    let softirq =
        |kind, at: &[(u64, u32)]| table(kind, None, at, vec![("vec", ints(vec![7; at.len()]))]);
    // One behind a kick, one of a timer, one that follows no kick.
    let timers = table(
        IlbKind::Raise,
        None,
        &[(12, 1), (13, 1), (24, 1)],
        vec![("vec", ints(vec![7, 1, 7]))],
    );
    let pass = table(
        IlbKind::Pass,
        None,
        &[(16, 1), (29, 1)],
        vec![("nohz_flags", ints(vec![3, 4]))],
    );
    let moves = vec![
        ("pid", ints(vec![100, 101])),
        ("orig_cpu", ints(vec![0, 0])),
        ("dest_cpu", ints(vec![1, 1])),
    ];
    let tables = vec![
        softirq(IlbKind::Exit, &[(18, 1), (26, 1), (28, 1)]),
        entries(),
        table(IlbKind::Migrate, None, &[(17, 1), (19, 1)], moves),
        arrivals(),
        softirq(IlbKind::Entry, &[(15, 1), (25, 1), (27, 1)]),
        timers,
        pass,
    ];
    let file = File::default();
    let jiffies = JiffyLearner::new(250, 0, u64::MAX);
    let (mut log, tables) = LogWriter::new(tables, jiffies, Output::new(file.clone())).unwrap();
    let mut merge = Merge::new(tables).unwrap();
    while let Some((ts_ns, row)) = merge.next_row().unwrap() {
        log.row(ts_ns, row.unwrap()).unwrap();
    }
    let (kinds, jiffies) = log.finish().unwrap();
    assert!(!jiffies.recorded);
    assert!(kinds.has(IlbKind::Migrate) && !kinds.has(IlbKind::Trigger));
    let events = Events::open(Buffer::from_vec(file.0.lock().unwrap().clone())).unwrap();
    let rows: Vec<IlbRow> = events.rows(0, u64::MAX).unwrap().collect();
    let told: Vec<(u64, IlbKind)> = rows.iter().map(|row| (row.ts_ns, row.kind)).collect();
    assert_eq!(
        told,
        [
            (10, IlbKind::CsdEntry),
            (11, IlbKind::Arrive),
            (12, IlbKind::Raise),
            (15, IlbKind::Entry),
            (16, IlbKind::Pass),
            (17, IlbKind::Migrate),
            (18, IlbKind::Exit),
            (25, IlbKind::Entry),
            // Until the softirq behind a pass has ended, a task that comes may have ended the pass.
            (26, IlbKind::Exit),
            (27, IlbKind::Entry),
            (29, IlbKind::Pass),
            (30, IlbKind::CsdEntry),
            (31, IlbKind::Arrive),
        ]
    );
    assert_eq!(rows[1].a, 3 | NR_KNOWN);
    assert_eq!((rows[5].subject, rows[5].a), (1, 100));
    assert_eq!((rows[4].b, rows[10].b), (0, OUTSIDE));
    assert_eq!(events.rows(12, 16).unwrap().count(), 3);
    let mut observer = Observer::new(kinds);
    for row in &rows {
        observer.row(row);
    }
    observer.finish();
    let outcomes: Vec<Outcome> = observer.kicks.iter().map(|kick| kick.outcome).collect();
    assert_eq!(outcomes, [Outcome::Handled, Outcome::NotSeen]);
    assert_eq!(observer.kicks[0].flags, Some(3));
    let passes: Vec<(bool, u32)> = observer
        .passes
        .iter()
        .map(|pass| (pass.kicked, pass.migrations))
        .collect();
    assert_eq!(passes, [(true, 1), (false, 0)]);
}

fn row(ts_ns: u64, kind: IlbKind, cpu: u32, subject: u32, a: u64) -> IlbRow {
    IlbRow {
        ts_ns,
        cpu,
        kind,
        subject,
        a,
        b: 0,
    }
}

#[test]
fn kicks_are_followed_from_sender_to_softirq() {
    let all = [
        IlbKind::CsdQueue,
        IlbKind::CsdEntry,
        IlbKind::Arrive,
        IlbKind::Raise,
    ];
    let kinds = all.into_iter().fold(Kinds::default(), Kinds::with);
    let mut observer = Observer::new(kinds);
    for told in [
        row(100, IlbKind::CsdQueue, 0, 3, 0),
        row(200, IlbKind::CsdEntry, 3, 3, 0),
        row(210, IlbKind::Arrive, 3, 3, 3 | NR_KNOWN),
        row(220, IlbKind::Raise, 3, 3, 0),
        row(230, IlbKind::Entry, 3, 3, 0),
        row(240, IlbKind::Pass, 3, 3, 3 | NR_KNOWN),
        row(250, IlbKind::Balance, 3, 5, 0),
        row(260, IlbKind::Migrate, 3, 5, 77),
        row(270, IlbKind::Balance, 3, 3, 0),
        row(300, IlbKind::Exit, 3, 3, 0),
        row(400, IlbKind::CsdQueue, 1, 3, 0),
        row(500, IlbKind::CsdEntry, 3, 3, 0),
        row(510, IlbKind::Arrive, 3, 3, 8 | NR_KNOWN),
        row(900, IlbKind::Leave, 3, 3, 1),
        row(950, IlbKind::CsdQueue, 1, 4, 0),
    ] {
        observer.row(&told);
    }
    observer.finish();
    let told: Vec<_> = observer
        .kicks
        .iter()
        .map(|kick| (kick.t_ns, kick.from, kick.target, kick.flags, kick.outcome))
        .collect();
    assert_eq!(
        told,
        [
            (100, Some(0), 3, Some(3), Outcome::Handled),
            (400, Some(1), 3, Some(8), Outcome::Dropped),
            (950, Some(1), 4, None, Outcome::NotSeen),
        ]
    );
    let pass = observer.passes[0];
    assert_eq!((pass.from_ns, pass.to_ns, pass.kicked), (240, 300, true));
    assert_eq!((pass.served, pass.migrations), (1, 1));
    assert_eq!(observer.double_queued, 0);
}

fn state(ts_ns: u64, cpu: u32, running: u16) -> StateRow {
    StateRow {
        ts_ns,
        cpu,
        group: MACHINE,
        state: State {
            on: if running > 0 {
                OnCpu::Task
            } else {
                OnCpu::Idle
            },
            running,
            ..State::default()
        },
    }
}

#[test]
fn models_run_on_a_recording_with_and_without_ticks() {
    let kernel = Some(KernelVersion { major: 6, minor: 1 });
    for ticks in [true, false] {
        let mut kinds = Kinds::default().with(IlbKind::TickStop);
        if ticks {
            kinds = kinds.with(IlbKind::Trigger);
        }
        let config = Config {
            kernel,
            cpus: 2,
            llc: Vec::new(),
            jiffies: Jiffies::from_origin(250, 0),
            kinds,
            from_ns: 0,
            to_ns: S,
            count_from_ns: 0,
            follow: ModelKind::ALL.to_vec(),
        };
        let mut sent = Vec::new();
        let mut out = |follow: ModelKind, told: &Annotation| {
            if told.kind == Kind::KickSent {
                sent.push((follow, told.cpu, told.target));
            }
        };
        let mut replay = Replay::new(config, &mut out);
        replay.state(&state(0, 0, 3));
        replay.state(&state(0, 1, 0));
        replay.row(&row(1, IlbKind::TickStop, 1, 1, 1));
        if ticks {
            for at in 1..250 {
                let told = 3 | NR_KNOWN;
                replay.row(&row(at * 4 * MS, IlbKind::Trigger, 0, 0, told));
            }
        }
        let replayed = replay.finish();
        assert_eq!(replayed.made_up, !ticks);
        assert!(replayed.ticks >= 249);
        assert_eq!(replayed.waste.between(0, S), S);
        for run in &replayed.runs {
            let kicks = run.counts.of(Kind::KickSent);
            if run.follow == ModelKind::V2011 {
                // CPU 1 had no idle tick before it stopped: its flag latches, and no CPU balances for it.
                assert_eq!((kicks, run.counts.of(Kind::KickDropped)), (1, 1));
                assert!(run.counts.of(Kind::KickLatched) > 200);
                assert!(run.overdue_cpu_ns > S * 9 / 10);
            } else if run.follow == ModelKind::V2011Patched {
                // It is kicked repeatedly and has no CPU to hand over to; both kicks move next_balance.
                assert!(kicks > 100 && run.counts.of(Kind::Pass) == 0);
            } else {
                assert!(kicks > 10, "{:?} {kicks}", run.follow);
                assert!(run.overdue_cpu_ns < S / 10, "{:?}", run.follow);
            }
        }
        assert_eq!(compare::models(&replayed).len(), 4);
        assert!(sent.iter().all(|kick| (kick.1, kick.2) == (0, Some(1))));
    }
}

#[test]
fn jiffies_are_learned_from_ticks_that_raise_the_softirq() {
    let mut rows = Vec::new();
    for at in 1..50_u64 {
        let mut told = row(at * 4 * MS, IlbKind::Trigger, 0, 0, 1 | NR_KNOWN | IDLE);
        // Every second tick is due, in its own jiffy.
        told.b = 5000 + at + at % 2;
        rows.push(told);
        if at % 2 == 0 {
            rows.push(row(at * 4 * MS + 10, IlbKind::Raise, 0, 0, 0));
        }
    }
    let jiffies = idle_balancing::learn_jiffies(250, 0, rows.into_iter());
    assert!(jiffies.recorded);
    assert_eq!(jiffies.at(40 * MS), 5010);
    assert_eq!(jiffies.at(43 * MS), 5010);
    assert!(!idle_balancing::learn_jiffies(250, 0, std::iter::empty()).recorded);
}

fn told(t_ns: u64, kind: Kind, cpu: u32, target: u32, why: Why) -> Annotation {
    Annotation {
        t_ns,
        kind,
        cpu,
        target: Some(target),
        why,
        size: 0,
        flags: flags::STATS | flags::BALANCE,
    }
}

fn kick(t_ns: u64, from: Option<u32>, target: u32, flags: u32) -> ObservedKick {
    ObservedKick {
        t_ns,
        arrived_ns: Some(t_ns + 1000),
        handled_ns: None,
        from,
        target,
        flags: Some(flags),
        outcome: Outcome::Handled,
        label: numalens_core::provenance::Label::Observed,
        missing: Vec::new(),
    }
}

#[test]
fn differences_of_kicks_have_reasons() {
    let mut guided = Guided::default();
    for (at, kind, target, why) in [
        (100, Kind::KickSent, 3, Why::NrRunning),
        (200, Kind::GateClosed, 3, Why::TooEarly),
        (300, Kind::KickSent, 5, Why::LlcBusy),
        (500, Kind::KickSent, 4, Why::LlcBusy),
        (600, Kind::KickSent, 4, Why::BlockedLoad),
    ] {
        guided.annotation(ModelKind::TraceDriven, &told(at * MS, kind, 0, target, why));
        guided.annotation(ModelKind::V2011, &told(at * MS, Kind::KickSent, 0, 9, why));
    }
    guided.tick(900 * MS);
    let observed = [
        kick(100 * MS + 10, Some(0), 3, 3),
        kick(200 * MS + 10, Some(0), 3, 3),
        kick(300 * MS + 10, Some(0), 3, 3),
        kick(700 * MS, Some(0), 3, 8),
        kick(800 * MS, Some(0), 3, 3),
        kick(900 * MS + 10, Some(0), 3, 3),
    ];
    let compared = compare::kicks(&observed, &[], &guided, 250);
    let get = |reason| {
        let row = compared.reasons.iter().find(|row| row.reason == reason);
        row.map(|row| (row.both, row.observed_only, row.model_only))
    };
    assert_eq!(get(Reason::Same), Some((1, 0, 0)));
    assert_eq!(get(Reason::NextBalanceUnknown), Some((0, 1, 0)));
    assert_eq!(get(Reason::OtherTarget), Some((0, 1, 1)));
    assert_eq!(get(Reason::NextKick), Some((0, 1, 0)));
    assert_eq!(get(Reason::TickNotSeen), Some((0, 1, 0)));
    assert_eq!(get(Reason::NrRunningDiffers), Some((0, 1, 0)));
    assert_eq!(get(Reason::GateLater), Some((0, 0, 1)));
    assert_eq!(get(Reason::BlockedLoadUnknown), Some((0, 0, 1)));
    let sum =
        |side: fn(&compare::ReasonCount) -> u64| compared.reasons.iter().map(side).sum::<u64>();
    assert_eq!(sum(|row| row.both + row.observed_only), compared.observed);
    assert_eq!(sum(|row| row.both + row.model_only), compared.model);
    assert_eq!((compared.same_flags, compared.told_flags), (1, 1));
}

#[test]
fn idle_time_of_states_and_samples() {
    let edges = idle::seconds(0, 2 * S + MS);
    let mut meter = IdleMeter::new(&edges, 2, 250);
    meter.row(&state(0, 0, 1));
    meter.row(&state(0, 1, 0));
    meter.tick(S / 2, 0);
    meter.tick(S / 2, 1);
    meter.row(&state(3 * S / 2, 0, 0));
    let windows = meter.finish(2 * S);
    let percents: Vec<f64> = windows.iter().map(|window| window.idle_percent).collect();
    assert_eq!(percents, [50.0, 75.0]);
    assert_eq!(windows[0].tick_percent, Some(50.0));
    let sample = |t_ns, user, idle| StatSample {
        t_ns,
        cpu: -1,
        user,
        idle,
        ..StatSample::default()
    };
    // Half of the busy ticks are lost: vmstat's share is too high, the time is not.
    let samples = [
        sample(0, 10, 10),
        sample(S, 60, 110),
        sample(2 * S, 85, 260),
    ];
    let theirs = idle::sampled(&samples, 2);
    let compared = idle::compare(&windows, &theirs, Counting::Exact).unwrap();
    assert_eq!((compared.trace.mean, compared.sampled.mean), (62.5, 62.5));
    assert_eq!((compared.mean_difference, compared.largest), (0.0, 0.0));
    assert!(theirs[0].share_percent > 66.0 && compared.counted_percent < 90.0);
    let ticks = idle::compare(&windows, &theirs, Counting::Ticks).unwrap();
    assert_eq!((ticks.trace.windows, ticks.trace.mean), (1, 50.0));
    assert!(idle::compare(&windows, &[], Counting::Exact).is_none());
}

#[test]
fn detectors_fire_above_their_thresholds() {
    let mut waste = Curve::default();
    waste.set(0, 1);
    waste.set(20 * S, 0);
    let mut idle = Curve::default();
    idle.set(0, 8);
    let mut kicks: Vec<ObservedKick> = (0..300).map(|at| kick(at * 2 * MS, None, 1, 3)).collect();
    for at in (5..300).step_by(20) {
        kicks[at].outcome = Outcome::Dropped;
    }
    let pass = |at: u64, aborted| numalens_replay::idle_balancing::ObservedPass {
        from_ns: at,
        to_ns: at + MS,
        cpu: 1,
        flags: Some(3),
        served: 1,
        migrations: 0,
        kicked: true,
        aborted,
    };
    let passes = [pass(11 * MS, true), pass(30 * MS, false)];
    let mut annotations: Vec<(ModelKind, Annotation)> = (0..10)
        .map(|at| told(at * MS, Kind::PickBlocked, 2, 0, Why::PickIdle))
        .map(|told| (ModelKind::V2011, told))
        .collect();
    annotations.push((
        ModelKind::V2011,
        told(100 * MS, Kind::KickDropped, 3, 3, Why::StaleTick),
    ));
    annotations.push((
        ModelKind::V2011,
        told(150 * MS, Kind::KickHandled, 3, 3, Why::Kicked),
    ));
    let mut facts = IdleBalancingFacts {
        from_ns: 0,
        to_ns: 20 * S,
        cpus: 16,
        hz: 250,
        kernel: Some(KernelVersion { major: 3, minor: 1 }),
        what_if: false,
        kinds: Kinds::default(),
        kicks: &kicks,
        passes: &passes,
        searches: &[],
        offline: &[],
        annotations: &annotations,
        waste: &waste,
        idle: &idle,
    };
    let found = |facts: &IdleBalancingFacts<'_>| -> Vec<(&'static str, f64)> {
        let all = detect(facts);
        all.iter()
            .map(|finding| (finding.id, finding.impact_ms))
            .collect()
    };
    assert_eq!(
        found(&facts),
        [
            ("ILB_LATCHED", 50.0),
            ("ILB_MONOPOLY", 2.0),
            ("ILB_STORM", 2.0),
            ("PICK_BLOCKED", 13.0),
            ("ILB_ABORTED", 2.0),
        ]
    );
    facts.kernel = Some(KernelVersion { major: 6, minor: 1 });
    let ids: Vec<_> = found(&facts).into_iter().map(|found| found.0).collect();
    assert!(!ids.contains(&"ILB_LATCHED") && !ids.contains(&"PICK_BLOCKED"));
    // A part of the kicks is no storm.
    facts.kicks = &kicks[6..30];
    facts.passes = &passes[1..];
    facts.idle = &waste;
    let ids: Vec<_> = found(&facts).into_iter().map(|found| found.0).collect();
    assert!(ids.is_empty(), "{ids:?}");
}
