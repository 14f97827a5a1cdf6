//! Every detector: a case that it tells, with its cost, and one just below its threshold.

#![allow(clippy::unwrap_used, clippy::float_cmp)]

use numalens_core::provenance::Label;
use numalens_psi::findings::blocked::{Blocked, BlockedFacts};
use numalens_psi::findings::{Facts, Load, PressureFacts, Stalled, Watch, detect};
use numalens_psi::{Input, Line, Options, Query, Resource, Sample, SampleSeries};
use numalens_replay::evidence::Evidence;
use numalens_replay::states::{OnCpu, State, StateRow};
use numalens_subject::findings::{Finding, Severity, rank};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::psi_common::{MS, S, busy, evidence, idle, of, row};

pub(crate) struct Case {
    pub(crate) evidence: Evidence,
    rows: Vec<StateRow>,
    to: u64,
    pub(crate) samples: Vec<SampleSeries>,
    loads: Vec<Load>,
    stalled: Vec<Stalled>,
    options: Options,
    pub(crate) asleep: Vec<Blocked>,
    /// Whether it is known which sleeps were for I/O.
    pub(crate) io_known: bool,
    pub(crate) device: Option<&'static str>,
    /// Pages that were read back soon after they had been reclaimed.
    pub(crate) refaults: Option<u64>,
}

const GROUPS: [(u32, &str); 1] = [(1, "/web")];

impl Case {
    pub(crate) fn new(rows: Vec<StateRow>, to: u64) -> Self {
        Self {
            evidence: evidence((6, 4)),
            rows,
            to,
            samples: Vec::new(),
            loads: Vec::new(),
            stalled: Vec::new(),
            options: Options::default(),
            asleep: Vec::new(),
            io_known: false,
            device: None,
            refaults: None,
        }
    }

    fn all(&self) -> Vec<Finding> {
        let node_of = vec![0, 1];
        let mut query = Query::new(Input {
            evidence: &self.evidence,
            options: &self.options,
            from_ns: 0,
            to_ns: self.to,
            node_of: &node_of,
            groups: &GROUPS,
            instants: &[],
            samples: &self.samples,
            lost_events: 0,
            tick_anchor_ns: None,
        })
        .unwrap();
        let mut watch = Watch::new(query.rules(), query.hz(), 0, self.to, node_of.clone());
        for row in &self.rows {
            query.row(row);
            watch.row(row);
        }
        let (psi, watched) = (query.finish(), watch.finish());
        let facts = Facts {
            from_ns: 0,
            to_ns: self.to,
            cpus: 2,
            pressure: Some(PressureFacts {
                psi: &psi,
                watched: &watched,
                groups: &GROUPS,
                samples: &self.samples,
                loads: &self.loads,
                stalled: &self.stalled,
                waking_ns: None,
            }),
            blocked: Some(BlockedFacts {
                from_ns: 0,
                to_ns: self.to,
                tasks: &self.asleep,
                label: Label::Replayed,
                missing: &[],
                io_known: self.io_known,
                device: self.device,
                refaults: self.refaults,
            }),
        };
        rank(detect(&facts), 0, self.to, 2, 0)
    }

    pub(crate) fn of(&self, id: &str) -> Vec<Finding> {
        self.all()
            .into_iter()
            .filter(|finding| finding.id == id)
            .collect()
    }
}

fn stall(memstall: u16) -> State {
    State { memstall, ..idle() }
}

pub(crate) fn line(avg10: u32, total_us: u64) -> Line {
    Line {
        avg: [avg10, 0, 0],
        total_us,
    }
}

pub(crate) fn series(resource: Resource, lines: &[(u64, Line)]) -> SampleSeries {
    SampleSeries {
        cgroup: None,
        resource,
        samples: lines
            .iter()
            .map(|&(t_ns, line)| Sample {
                t_ns,
                end_ns: None,
                estimated: false,
                some: Some(line),
                full: Some(Line {
                    avg: [0; 3],
                    total_us: 0,
                }),
            })
            .collect(),
    }
}

#[test]
fn a_spike_that_avg10_hides() {
    // 60 ms of 100 ms, replayed: no samples.
    let case = |ns: u64| {
        let rows = vec![
            row(0, 0, busy(1)),
            row(0, 1, idle()),
            row(S, 0, busy(2)),
            row(S + ns, 0, busy(1)),
        ];
        let mut case = Case::new(rows, 10 * S);
        case.evidence.worker = None;
        case.of("PSI_SPIKE_HIDDEN")
    };
    let found = case(60 * MS);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].from_ns, found[0].to_ns, found[0].impact_ms),
        (S, S + 100 * MS, 60.0)
    );
    assert!(
        found[0]
            .summary
            .contains("60.0 ms of 100.0 ms (60 %) 1.000 s into the window"),
        "{}",
        found[0].summary
    );
    assert!(case(49 * MS).is_empty());
    // Long enough for avg10 to show it.
    assert!(case(2 * S).is_empty());
}

#[test]
fn a_spike_in_the_samples() {
    let case = |stall_us: u64, avg10: u32| {
        let mut lines = Vec::new();
        for n in 0..60u64 {
            let over = n >= 20;
            lines.push((
                n * 100 * MS,
                line(
                    if n >= 30 { avg10 } else { 10 },
                    if over { stall_us } else { 0 },
                ),
            ));
        }
        let mut case = Case::new(vec![row(0, 0, busy(1)), row(0, 1, idle())], 6 * S);
        case.samples = vec![series(Resource::Memory, &lines)];
        case.of("PSI_SPIKE_HIDDEN")
    };
    let found = case(80_000, 300);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].impact_ms, found[0].label),
        (80.0, Label::Observed)
    );
    assert_eq!((found[0].from_ns, found[0].to_ns), (1_900 * MS, 2_000 * MS));
    assert!(found[0].summary.contains("memory"));
    assert!(case(80_000, 500).is_empty());
    assert!(case(49_000, 300).is_empty());
}

#[test]
fn pressure_that_is_only_wakeups() {
    let made = |contended: u64, times: u64, name: Option<&str>| {
        let woken = State {
            running: 1,
            ..idle()
        };
        let mut rows = vec![row(0, 0, idle()), row(0, 1, idle())];
        for n in 0..times {
            rows.push(row(n * 100 * MS, 0, woken));
            rows.push(row(n * 100 * MS + 10 * MS, 0, busy(2)));
            rows.push(row(n * 100 * MS + 10 * MS + contended, 0, busy(1)));
            rows.push(row(n * 100 * MS + 90 * MS, 0, idle()));
        }
        let mut case = Case::new(rows, S);
        case.options.rules = name.map(str::to_owned);
        case
    };
    let case = |contended, times, name| made(contended, times, name).of("CPU_SOME_WAKE_ONLY");
    let found = case(9 * MS, 10, None);
    assert_eq!(found.len(), 1);
    assert!(
        (found[0].impact_ms - 100.0).abs() < 0.1,
        "{}",
        found[0].impact_ms
    );
    assert_eq!(
        (found[0].nodes.as_slice(), found[0].severity),
        (&[0][..], Severity::High)
    );
    assert!(case(11 * MS, 10, None).is_empty());
    // Pressure of 3.8 % matters little.
    assert_eq!(case(9 * MS, 2, None)[0].severity, Severity::Low);
    // Before 5.7 it was not counted.
    assert!(case(9 * MS, 10, Some("4.20")).is_empty());
    // The other CPU recorded nothing: what the woken tasks did there is not known.
    let mut partial = made(9 * MS, 10, None);
    partial.rows.retain(|row| row.cpu == 0);
    assert!(partial.of("CPU_SOME_WAKE_ONLY").is_empty());
}

#[test]
fn episodes_of_memory_full() {
    // 10 % of 2 s in stalls of 20 ms.
    let case = |ns: u64| {
        let mut rows = vec![row(0, 0, busy(1)), row(0, 1, idle())];
        for n in 0..10 {
            rows.push(row(S + n * 200 * MS, 0, stall(1)));
            rows.push(row(S + n * 200 * MS + ns, 0, busy(1)));
        }
        let mut case = Case::new(rows, 6 * S);
        let task = |pid, ns| Stalled {
            pid,
            comm: format!("eater-{pid}"),
            ns,
        };
        case.stalled = vec![task(7, 5 * MS), task(8, 150 * MS), task(9, 0)];
        case.of("MEM_FULL_EPISODE")
    };
    let found = case(20 * MS);
    assert_eq!(found.len(), 1);
    assert!((found[0].impact_ms - 200.0).abs() < 1e-6);
    assert_eq!(found[0].pids, [8, 7]);
    assert!(
        found[0]
            .summary
            .contains("eater-8 (8) was stalled longest, 150.0 ms"),
        "{}",
        found[0].summary
    );
    assert!(case(19 * MS).is_empty());
}

#[test]
fn memory_full_without_a_break() {
    let case = |ns: u64| {
        // The other CPU works, so the machine as a whole is hardly stalled.
        let rows = vec![
            row(0, 0, idle()),
            row(0, 1, busy(1)),
            row(S, 0, stall(1)),
            row(S + ns, 0, idle()),
        ];
        let mut case = Case::new(rows, 60 * S);
        case.rows.push(row(S + ns, 1, busy(1)));
        case.of("MEM_FULL_EPISODE")
    };
    let found = case(200 * MS);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].impact_ms, found[0].nodes.as_slice()),
        (200.0, &[0][..])
    );
    assert!(
        found[0].summary.contains(" on CPU 0 "),
        "{}",
        found[0].summary
    );
    assert!(case(199 * MS).is_empty());
}

#[test]
fn io_that_is_refaults() {
    let case = |both: u64| {
        let thrash = State {
            iowait: 1,
            memstall: 1,
            ..idle()
        };
        let io = State {
            iowait: 1,
            ..idle()
        };
        let rows = vec![
            row(0, 0, thrash),
            row(0, 1, idle()),
            row(both, 0, io),
            row(100 * MS, 0, busy(1)),
        ];
        Case::new(rows, 4 * S).of("IO_VS_MEM_REFAULT")
    };
    let found = case(50 * MS);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].impact_ms, found[0].label),
        (50.0, Label::Inferred)
    );
    assert!(case(49 * MS).is_empty());
}

#[test]
fn an_observer_that_reads_too_often() {
    let case = |apart: u64, busy_ns: u64| {
        // A jiffy is 4 ms.
        let mut rows = vec![row(0, 0, idle()), row(0, 1, idle())];
        let mut lines = Vec::new();
        for n in 0..50 {
            rows.push(row(n * apart, 0, busy(2)));
            rows.push(row(n * apart + busy_ns, 0, idle()));
            lines.push((n * apart, line(0, 0)));
        }
        let mut case = Case::new(rows, S);
        case.samples = vec![series(Resource::Cpu, &lines)];
        case.of("PSI_OBSERVER_LOSS")
    };
    let found = case(7 * MS, 3 * MS);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].impact_ms, 150.0);
    assert!(
        found[0].summary.contains("(49 times"),
        "{}",
        found[0].summary
    );
    assert!(case(8 * MS, 3 * MS).is_empty());
    // 50 times 1 µs is lost.
    assert!(case(7 * MS, MS / 1000).is_empty());
}

#[test]
fn a_replay_that_does_not_match() {
    let case = |sampled_us: u64| {
        let mut case = Case::new(vec![row(0, 0, busy(2)), row(0, 1, idle())], 6 * S);
        case.samples = vec![series(
            Resource::Cpu,
            &[(S, line(0, 0)), (5 * S, line(9000, sampled_us))],
        )];
        case
    };
    // 4 s replayed; 2 % are 80 ms.
    let found = case(3_900_000).of("PSI_MISMATCH");
    assert_eq!(found.len(), 1);
    assert!((found[0].impact_ms - 100.0).abs() < 1e-6);
    assert_eq!((found[0].from_ns, found[0].to_ns), (S, 5 * S));
    assert!(case(3_930_000).of("PSI_MISMATCH").is_empty());
    // It is not expected of another version's rules.
    let mut other = case(3_900_000);
    other.options.rules = Some("4.20".into());
    assert!(other.of("PSI_MISMATCH").is_empty());
}

#[test]
fn a_misleading_load_average() {
    let case = |one: f64, seconds: u64, running: u16| {
        let mut case = Case::new(vec![row(0, 0, busy(running)), row(0, 1, idle())], 80 * S);
        case.loads = (0..=seconds).map(|n| Load { t_ns: n * S, one }).collect();
        case.of("LOADAVG_MISLEADING")
    };
    let found = case(5.0, 60, 1);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].impact_ms, found[0].severity),
        (0.0, Severity::Low)
    );
    assert!(
        found[0].summary.contains("about 4.0 of the counted tasks"),
        "{}",
        found[0].summary
    );
    assert!(case(2.0, 60, 1).is_empty());
    assert!(case(5.0, 59, 1).is_empty());
    // Tasks do wait for a CPU.
    assert!(case(5.0, 60, 3).is_empty());
}

#[test]
fn findings_come_worst_first_and_as_json() {
    let woken = State {
        running: 1,
        ..idle()
    };
    let rows = vec![
        row(0, 0, woken),
        row(0, 1, idle()),
        row(S, 0, stall(1)),
        row(3 * S, 0, idle()),
    ];
    let found = Case::new(rows, 10 * S).all();
    assert!(found.len() >= 2, "{found:?}");
    assert!(found.is_sorted_by(|a, b| a.severity >= b.severity));
    let json = serde_json::to_value(&found[0]).unwrap();
    for key in [
        "id",
        "label",
        "missing",
        "severity",
        "from_ns",
        "to_ns",
        "impact_ms",
        "occurrences",
        "nodes",
        "pids",
        "cgroup",
        "summary",
    ] {
        assert!(!json[key].is_null() || key == "cgroup", "{key}");
    }
    assert_eq!(json["severity"], "high");
}

fn any_state() -> impl Strategy<Value = State> {
    (any::<bool>(), any::<bool>(), 0..4u16, 0..3u16, 0..3u16).prop_map(
        |(on, stalled, waiting, iowait, memstall)| {
            let stalled = on && stalled;
            State {
                on: if on { OnCpu::Task } else { OnCpu::Idle },
                stalled_on_cpu: stalled,
                running: u16::from(on) + waiting,
                iowait,
                memstall: memstall + u16::from(stalled),
                memstall_running: u16::from(stalled),
                bound: 0,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_finding_costs_more_than_there_was(steps in vec((0..400 * MS, 0..2u32, 0..2u32, any_state()), 1..50)) {
        let mut rows = vec![row(0, 0, idle()), row(0, 1, idle())];
        let mut ts = 0;
        for (wait, cpu, group, state) in steps {
            rows.push(of(group, ts, cpu, state));
            ts += wait;
        }
        let to = ts + S;
        for finding in Case::new(rows, to).all() {
            prop_assert!(finding.impact_ms <= to as f64 / 1e6 * 2.0);
            prop_assert!(finding.from_ns <= finding.to_ns && finding.to_ns <= to);
            prop_assert!(finding.summary.ends_with('.') && finding.impact_ms >= 0.0);
        }
    }

    #[test]
    fn an_idle_gap_creates_no_finding(steps in vec((1..400 * MS, 0..2u32, any_state()), 1..40), gap in 3..30u64) {
        let mut rows = vec![row(0, 0, idle()), row(0, 1, idle())];
        let mut ts = 0;
        for (wait, cpu, state) in steps {
            rows.push(row(ts, cpu, state));
            ts += wait;
        }
        rows.push(row(ts, 0, idle()));
        rows.push(row(ts, 1, idle()));
        // An episode's window may reach into the gap; nothing lies wholly inside.
        for finding in Case::new(rows, ts + gap * S).all() {
            prop_assert!(finding.from_ns <= ts, "{finding:?}");
        }
    }
}
