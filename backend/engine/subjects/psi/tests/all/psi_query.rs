//! A query: labels, JSON, residuals, averages predicted from printed totals.

#![allow(clippy::float_cmp)]

use numalens_core::provenance::Label;
use numalens_psi::averages::{Averages, hundredths};
use numalens_psi::check::averages;
use numalens_psi::rules::state::{CPU_SOME, TOTALS};
use numalens_psi::{Input, Line, Options, Psi, Query, Resource, Sample, SampleSeries};
use numalens_replay::evidence::{Evidence, Instant};
use numalens_replay::states::{OnCpu, State, StateRow};

use crate::psi_common::{MS, S, busy, evidence, idle, of, row, rules, worker};

const PERIOD: u64 = 2_004 * MS;

struct Given {
    evidence: Evidence,
    options: Options,
    instants: Vec<Instant>,
    samples: Vec<SampleSeries>,
    lost_events: u64,
}

impl Given {
    fn new() -> Self {
        Self {
            evidence: evidence((6, 4)),
            options: Options::default(),
            instants: vec![worker(2 * S), worker(4 * S)],
            samples: Vec::new(),
            lost_events: 0,
        }
    }

    fn ask(&self, rows: &[StateRow], to: u64) -> Result<Psi, String> {
        let mut query = Query::new(Input {
            evidence: &self.evidence,
            options: &self.options,
            from_ns: 0,
            to_ns: to,
            node_of: &[0, 1],
            groups: &[(1, "/a"), (2, "/a/b")],
            instants: &self.instants,
            samples: &self.samples,
            lost_events: self.lost_events,
            tick_anchor_ns: None,
        })?;
        for row in rows {
            query.row(row);
        }
        Ok(query.finish())
    }
}

fn rows() -> Vec<StateRow> {
    vec![
        row(0, 0, busy(2)),
        row(0, 1, idle()),
        of(1, 0, 0, busy(1)),
        row(3 * S, 0, busy(1)),
    ]
}

fn sample(t_ns: u64, total_us: u64) -> Sample {
    let line = |total_us| Line {
        avg: [0; 3],
        total_us,
    };
    Sample {
        t_ns,
        end_ns: None,
        estimated: false,
        some: Some(line(total_us)),
        full: Some(line(0)),
    }
}

fn cpu(samples: Vec<Sample>) -> SampleSeries {
    SampleSeries {
        cgroup: None,
        resource: Resource::Cpu,
        samples,
    }
}

#[test]
fn the_json_has_the_agreed_shape() {
    let mut given = Given::new();
    given.samples = vec![cpu(vec![sample(S, 0), sample(5 * S, 2_000_000)])];
    let json = serde_json::to_value(given.ask(&rows(), 6 * S).unwrap()).unwrap();
    assert_eq!(json["rules"], "6.4");
    assert_eq!(json["rules_source"]["label"], "observed");
    assert_eq!(json["hz"], 250);
    let cpu = &json["system"]["cpu"];
    assert_eq!(
        (&cpu["some_us"], &cpu["full_us"]),
        (&3_000_000.into(), &0.into())
    );
    assert_eq!(
        (&cpu["label"], &cpu["missing"]),
        (&"replayed".into(), &serde_json::json!([]))
    );
    assert_eq!(json["system"]["irq"]["available"], false);
    assert!(json["system"]["irq"]["reason"].is_string());
    assert_eq!(json["cgroups"]["/a"]["cpu"]["some_us"], 0);
    assert_eq!(json["cgroups"]["/a"]["cpu"]["full_us"], 0);
    assert!(json["cgroups"]["/a/b"].is_null());
    assert_eq!(json["nodes"][0]["nid"], 0);
    assert_eq!(json["nodes"][0]["cpu_some_ns"], 3 * S);
    assert_eq!(json["nodes"][1]["nonidle_ns"], 0);
    let point = json["series"]["cpu"].as_array().unwrap().last().unwrap();
    for key in [
        "t_ns",
        "some_avg10",
        "some_avg60",
        "some_avg300",
        "some_total_us",
    ] {
        assert!(point[key].is_number(), "{key}");
    }
    assert!(point["full_avg10"].is_null() && point["full_total_us"].is_null());
    let residual = &json["residual"]["cpu"];
    assert_eq!(
        (&residual["sampled_some_us"], &residual["replayed_some_us"]),
        (&2_000_000.into(), &2_000_000.into())
    );
    assert_eq!(
        (&residual["within"], &residual["samples"]),
        (&true.into(), &2.into())
    );
    assert_eq!(residual["pressure_percent"], 50.0);
    assert_eq!(residual["tolerance_percent"], 1.0);
}

#[test]
fn labels_follow_the_evidence() {
    let label = |given: &Given| {
        let psi = given.ask(&rows(), 6 * S).unwrap();
        let cpu = psi.system.cpu.value().unwrap().clone();
        (cpu.label, cpu.missing)
    };
    let given = Given::new();
    assert_eq!(label(&given), (Label::Replayed, vec![]));

    let mut given = Given::new();
    given.lost_events = 7;
    assert_eq!(
        label(&given),
        (Label::Inferred, vec!["7 lost events".to_owned()])
    );

    let mut given = Given::new();
    given.evidence.worker = None;
    assert_eq!(
        label(&given),
        (Label::Inferred, vec!["runs of psi_avgs_work".to_owned()])
    );

    let mut given = Given::new();
    given.evidence.hz_source.label = Label::Inferred;
    assert_eq!(label(&given).0, Label::Inferred);

    let mut given = Given::new();
    given.evidence.run_state.label = Label::Inferred;
    given.evidence.run_state.missing = vec!["sched_wakeup".into()];
    assert_eq!(
        label(&given),
        (Label::Inferred, vec!["sched_wakeup".to_owned()])
    );

    let mut given = Given::new();
    given.evidence.kernel = None;
    assert_eq!(
        label(&given),
        (Label::Inferred, vec!["kernel version".to_owned()])
    );
    assert_eq!(given.ask(&rows(), S).unwrap().rules, "6.4");

    // Another version's rules.
    let mut given = Given::new();
    given.options.rules = Some("4.20".into());
    assert_eq!(label(&given), (Label::WhatIf, vec![]));
    let psi = given.ask(&rows(), S).unwrap();
    assert_eq!(
        (psi.rules.as_str(), psi.rules_source.label),
        ("4.20", Label::WhatIf)
    );
    // Its own by name.
    given.options.rules = Some("6.4".into());
    assert_eq!(label(&given), (Label::Replayed, vec![]));
    given.options.hz = Some(1000);
    assert_eq!(label(&given).0, Label::WhatIf);
    given.options.rules = Some("3.0".into());
    assert!(given.ask(&rows(), S).unwrap_err().contains("3.0"));

    let mut given = Given::new();
    given.evidence = evidence((4, 18));
    assert!(given.ask(&rows(), S).is_err());
    given.options.rules = Some("4.20".into());
    assert!(given.ask(&rows(), S).is_ok());

    // Unknown time of a CPU.
    let mut more = rows();
    more.push(row(
        5 * S,
        1,
        State {
            on: OnCpu::Lost,
            ..State::default()
        },
    ));
    let psi = Given::new().ask(&more, 6 * S).unwrap();
    let cpu = psi.system.cpu.value().unwrap();
    assert_eq!(cpu.label, Label::Inferred);
    assert!(cpu.missing[0].starts_with("1.000 s of CPU time"));

    // Waiting for I/O weighs CPUs, so cpu leans on it, too.
    let mut given = Given::new();
    given.evidence.iowait = None;
    assert_eq!(
        label(&given),
        (
            Label::Inferred,
            vec!["tasks that wait for I/O (they weigh CPUs)".to_owned()]
        )
    );
    let mut given = Given::new();
    given.evidence.memstall = Some(crate::psi_common::source(Label::Inferred));
    assert_eq!(label(&given).0, Label::Inferred);

    // No evidence at all.
    let mut given = Given::new();
    (given.evidence.memstall, given.evidence.cgroups) = (None, None);
    let psi = given.ask(&rows(), S).unwrap();
    assert!(psi.system.memory.value().is_none() && psi.cgroups.value().is_none());
    assert!(psi.series.memory.is_empty() && !psi.series.cpu.is_empty());
    assert!(psi.system.io.value().is_some());
}

#[test]
fn residuals_know_their_tolerance() {
    let residual = |sampled_us: u64, lost_events: u64| {
        let mut given = Given::new();
        given.lost_events = lost_events;
        given.samples = vec![cpu(vec![
            sample(S, 10),
            sample(2 * S, 11),
            sample(5 * S, 10 + sampled_us),
        ])];
        given
            .ask(&rows(), 6 * S)
            .unwrap()
            .residual
            .unwrap()
            .cpu
            .unwrap()
    };
    // 2 s of the 4 s in between.
    let exact = residual(2_000_000, 0);
    assert_eq!((exact.from_ns, exact.to_ns, exact.samples), (S, 5 * S, 3));
    assert!(exact.within && exact.check_within && exact.error_percent == 0.0);
    let off = residual(2_030_000, 0);
    assert!(!off.within && off.error_percent < -1.4 && off.error_percent > -1.5);
    assert!(off.check_within);
    // Gaps widen it.
    assert!(residual(2_030_000, 1).within);
    // Beyond 2 % and two jiffies for each of the four aggregations in between.
    assert_eq!(exact.check_tolerance_us, 40_000);
    assert!(!residual(2_045_000, 1).check_within);
    // Little pressure widens it, too.
    assert_eq!(residual(390_000, 0).tolerance_percent, 2.0);
}

#[test]
fn files_are_read_one_after_the_other() {
    let sample = Sample {
        end_ns: Some(9_000),
        estimated: false,
        ..sample(1_000, 0)
    };
    assert_eq!(
        [0, 1, 2].map(|index| sample.read_at(index)),
        [5_000, 7_000, 8_000]
    );
    let sample = Sample {
        end_ns: None,
        estimated: false,
        ..sample
    };
    assert_eq!([0, 1, 2].map(|index| sample.read_at(index)), [1_000; 3]);
}

/// Samples every 100 ms of a kernel that stalls `percent(second)` of the time.
fn kernel(
    percent: impl Fn(u64) -> u64,
    phase: u64,
    error: impl Fn(u64, usize) -> u32,
) -> SampleSeries {
    biased_kernel(percent, phase, error, 0)
}

/// The same, and its avg300 gains a little more per update than it should, in 2048ths.
fn biased_kernel(
    percent: impl Fn(u64) -> u64,
    phase: u64,
    error: impl Fn(u64, usize) -> u32,
    bias: u64,
) -> SampleSeries {
    let mut averages = Averages::new(rules("6.4"), 250, 0, PERIOD + phase);
    let mut totals = [0; TOTALS];
    let mut samples = Vec::new();
    let mut updates = 0;
    for ms in 1..=60_000u64 {
        totals[CPU_SOME] += percent(ms / 1000) * MS / 100;
        // The worker is up to 28 ms late; a read may come first.
        let reads = ms % 100 == 37;
        if ms * MS >= averages.next_update()
            && (reads || ms * MS >= averages.next_update() + (ms % 29) * MS)
        {
            averages.update(&totals, ms * MS);
            averages.avg[CPU_SOME][2] += bias;
            updates += 1;
        }
        if reads {
            let line = Line {
                avg: std::array::from_fn(|k| {
                    hundredths(averages.avg[CPU_SOME][k]) as u32 + error(updates, k)
                }),
                total_us: totals[CPU_SOME] / 1000,
            };
            samples.push(Sample {
                t_ns: ms * MS - 10_000,
                end_ns: Some(ms * MS + 10_000),
                estimated: false,
                some: Some(line),
                full: None,
            });
        }
    }
    cpu(samples)
}

#[test]
fn averages_follow_from_totals() {
    for phase in [0, 3 * MS, 50 * MS, 99 * MS] {
        for percent in [
            |_| 37,
            |s: u64| if s % 9 < 4 { 83 } else { 2 },
            |s: u64| s % 5 * 20,
            |_| 0,
            |_| 100,
        ] {
            let series = kernel(percent, phase, |_, _| 0);
            let check = averages(&[series], 250, None);
            let Some(check) = check else {
                assert_eq!(percent(1), 0);
                continue;
            };
            assert_eq!(check.worst, 0.0, "{phase} {check:?}");
            assert!(check.updates >= 25, "{check:?}");
            assert_eq!(check.label, Label::Inferred);
        }
    }
}

#[test]
fn averages_that_do_not_follow_are_seen() {
    for k in 0..3 {
        // One average is off by a tenth of a percent from the tenth update on.
        let series = kernel(
            |s| if s % 9 < 4 { 83 } else { 2 },
            0,
            |update, at| if update >= 10 && at == k { 10 } else { 0 },
        );
        let check = averages(&[series], 250, None).unwrap();
        assert!(check.worst > 0.03, "{k} {check:?}");
    }
}

#[test]
fn errors_below_what_is_printed_are_seen() {
    let percent = |s: u64| if s % 9 < 4 { 83 } else { 2 };
    let check = averages(&[biased_kernel(percent, 0, |_, _| 0, 1)], 250, None).unwrap();
    assert!(check.worst >= 0.01, "{check:?}");
}

/// 60 s of samples every `every` ms, and the runs of the worker, 25 ms after an update is due.
fn samples_every(every: u64) -> (Vec<Sample>, Vec<u64>) {
    let mut averages = Averages::new(rules("6.4"), 250, 0, PERIOD);
    let (mut totals, mut samples, mut workers) = ([0; TOTALS], Vec::new(), Vec::new());
    let mut due = PERIOD;
    for ms in 1..=60_000u64 {
        totals[CPU_SOME] += if ms / 700 % 2 == 0 { MS } else { 0 };
        if ms * MS >= due + 25 * MS {
            averages.update(&totals, ms * MS);
            workers.push(ms * MS);
            due += PERIOD;
        }
        if ms % every == every / 2 {
            averages.update(&totals, ms * MS);
            samples.push(Sample {
                t_ns: ms * MS,
                end_ns: None,
                estimated: false,
                some: Some(Line {
                    avg: averages.avg[CPU_SOME].map(|avg| hundredths(avg) as u32),
                    total_us: totals[CPU_SOME] / 1000,
                }),
                full: None,
            });
        }
    }
    (samples, workers)
}

#[test]
fn traced_workers_pin_updates() {
    for every in [97, 13] {
        let (samples, workers) = samples_every(every);
        let series = [cpu(samples)];
        let guessed = averages(&series, 250, None).unwrap();
        assert_eq!(
            (guessed.worst, guessed.label),
            (0.0, Label::Inferred),
            "{guessed:?}"
        );
        let check = averages(&series, 250, Some(&workers)).unwrap();
        assert_eq!(check.worst, 0.0, "{check:?}");
        assert_eq!((check.updates, check.skipped), (28, 1));
        assert!(check.exact >= guessed.exact, "{check:?} {guessed:?}");
        // A reading every 13 ms makes each update before the worker comes, so every moment is known.
        if every == 13 {
            assert_eq!(check.label, Label::Replayed, "{check:?}");
        }
    }
}

#[test]
fn odd_samples_are_no_trouble() {
    let mut odd = vec![
        sample(5 * S, 9),
        sample(S, 3),
        sample(S, 700),
        sample(u64::MAX / 4, 0),
    ];
    odd[1].some = None;
    odd[2].end_ns = Some(0);
    odd[3].some = Some(Line {
        avg: [u32::MAX; 3],
        total_us: 1 << 50,
    });
    let _ = averages(&[cpu(odd.clone()), cpu(vec![])], 250, Some(&[1, 2]));
    let mut given = Given::new();
    given.samples = vec![cpu(odd)];
    assert!(given.ask(&rows(), 6 * S).is_ok());
}
