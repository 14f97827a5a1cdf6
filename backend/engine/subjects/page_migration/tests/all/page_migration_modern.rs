//! What tells today what the statistics of 2010 told, and what these numbers conserve.
#![allow(clippy::unwrap_used, clippy::float_cmp)]

use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::{Label, Source};
use numalens_page_migration::metrics::Reasons;
use numalens_page_migration::modern::{Config, Conserved, Meter, Modern, Rule};
use numalens_page_migration::vmstat::{Vmstat, bound, within};
use numalens_replay::numa::{Attempt, PageBatch, TargetFrom, Verdict};
use proptest::prelude::*;

use crate::page_migration_common::{batch, moved, nodes, source};

fn reading(t_ns: u64, values: &[(&str, u64)]) -> Vec<Vmstat> {
    let rows = values
        .iter()
        .map(|&(name, value)| (t_ns, t_ns + 10, name, value));
    Vmstat::collect(rows)
}

#[allow(clippy::unnecessary_wraps)]
fn kernel(major: u16, minor: u16) -> Option<KernelVersion> {
    Some(KernelVersion { major, minor })
}

fn ask(vmstat: &[Vmstat], kernel: Option<KernelVersion>, pages: &[PageBatch]) -> Modern {
    let nodes = nodes(2);
    let mut meter = Meter::new(Config {
        nodes: &nodes,
        recording: (0, 1000),
        window: (0, 1000),
        vmstat,
        kernel,
        reasons: Reasons::default(),
        pages: Some(source()),
        moves: source(),
        attempts: true,
        skipped_vmas: None,
    });
    for page in pages {
        meter.pages(page);
    }
    meter.migration(&moved(5, 7, 0, 2));
    meter.migration(&moved(6, 7, 2, 3));
    for verdict in [Verdict::Moved, Verdict::Swapped, Verdict::NoCpu] {
        meter.attempt(&Attempt {
            start_ns: 5,
            end_ns: 6,
            cpu: 0,
            pid: 7,
            tgid: 7,
            ngid: 0,
            src_cpu: 0,
            src_nid: 0,
            dst_cpu: 2,
            dst_nid: 10,
            partner: None,
            verdict,
            target_nid: 10,
            target_from: TargetFrom::TwoNodes,
            ret: None,
        });
    }
    meter.finish()
}

fn samples(migrated: u64) -> Vec<Vmstat> {
    let mut all = reading(
        100,
        &[
            ("numa_pages_migrated", 50),
            ("pgmigrate_success", 60),
            ("pgmigrate_fail", 1),
            ("numa_hint_faults", 500),
            ("numa_hint_faults_local", 400),
            ("numa_pte_updates", 1000),
            ("something_else", 1),
        ],
    );
    all.extend(reading(
        900,
        &[
            ("numa_pages_migrated", 50 + migrated),
            ("pgmigrate_success", 65 + migrated),
            ("pgmigrate_fail", 4),
            ("numa_hint_faults", 600),
            ("numa_hint_faults_local", 480),
            ("numa_pte_updates", 1900),
        ],
    ));
    all
}

fn value(modern: &Modern, statistic: &str, nth: usize) -> Option<u64> {
    let all = modern.equivalents.iter();
    let mut own = all.filter(|told| told.statistic == statistic);
    own.nth(nth).unwrap().value
}

#[test]
fn every_statistic_has_its_source_or_none() {
    let pages = [
        batch(200, 7, 0, 30),
        PageBatch {
            failed: 2,
            ..batch(300, 7, 0, 0)
        },
        PageBatch {
            reason: 3,
            ..batch(300, 7, 0, 8)
        },
        // The same pages again, with their nodes.
        PageBatch {
            src_nid: 0,
            dst_nid: 10,
            ..batch(200, 7, 0, 30)
        },
    ];
    let modern = ask(&samples(30), kernel(6, 12), &pages);
    let samples_ns = modern.samples_ns.map(|(first, last)| (first.0, last.0));
    assert_eq!(samples_ns, Some((100, 900)));
    assert_eq!(value(&modern, "LC", 0), Some(100));
    assert_eq!(value(&modern, "MP", 0), Some(32));
    assert_eq!(value(&modern, "MG", 0), Some(35));
    assert_eq!(value(&modern, "MG", 1), Some(30));
    assert_eq!(value(&modern, "MG-MP", 0), Some(5));
    assert_eq!(value(&modern, "TM", 0), Some(1));
    assert_eq!(value(&modern, "TM", 1), Some(3));
    assert_eq!(value(&modern, "SC", 0), Some(900));
    assert_eq!(value(&modern, "SC", 1), None);
    assert_eq!(value(&modern, "FA", 0), Some(3));
    assert_eq!(value(&modern, "FA", 1), Some(2));
    assert_eq!(value(&modern, "kicks", 0), Some(8));
    for none in ["AD", "RM", "DU", "FR"] {
        let mut all = modern.equivalents.iter();
        let told = all.find(|told| told.statistic == none).unwrap();
        assert_eq!((told.source, told.value), (None, None));
    }
    // Labels: printed counters are observed, a lower bound is not.
    for told in &modern.equivalents {
        let observed = ["numa_hint_faults", "pgmigrate_success"].map(Some);
        if observed.contains(&told.source) {
            assert_eq!(told.quality.label, Label::Observed);
        }
        if told.statistic == "MP" {
            assert_eq!(told.quality.label, Label::Inferred);
            assert_eq!(told.quality.missing, ["pages that the filters refused"]);
        }
    }
    assert_eq!(modern.conserved.len(), 3);
    assert!(modern.conserved.iter().all(|law| law.holds == Some(true)));
    assert_eq!(modern.conserved[1].residual, Some(5));
}

fn traced(migrated: u64, version: Option<KernelVersion>, pages: &[PageBatch]) -> Conserved {
    let modern = ask(&samples(migrated), version, pages);
    modern.conserved.last().unwrap().clone()
}

#[test]
fn events_and_counter_tell_the_same_pages() {
    // One before the first sample, one while it is read, two between, one after the last.
    let pages = [
        batch(99, 7, 0, 1000),
        batch(105, 7, 0, 3),
        batch(200, 7, 0, 20),
        batch(300, 7, 0, 10),
        batch(911, 7, 0, 1000),
    ];
    let law = traced(33, kernel(6, 1), &pages);
    assert_eq!((law.left, law.right), (Some(33), Some(33)));
    assert_eq!((law.residual, law.rule), (Some(0), Rule::Equal));
    assert_eq!(
        (law.holds, law.quality.label),
        (Some(true), Label::Replayed)
    );
    // 30 or 33 by which side of the sample, and 20 more or less for a call on its way.
    assert_eq!(law.slack, 23);
    for (counted, holds) in [(9, false), (10, true), (53, true), (54, false)] {
        let law = traced(counted, kernel(5, 14), &pages);
        assert_eq!(law.holds, Some(holds), "{counted}");
    }
    // Huge pages came without events before 5.14.
    let law = traced(5000, kernel(5, 13), &pages);
    assert_eq!((law.rule, law.holds), (Rule::AtLeast, Some(true)));
    assert_eq!(law.residual, Some(5000 - 33));
    assert_eq!(traced(9, kernel(5, 2), &pages).holds, Some(false));
    let law = traced(5000, None, &pages);
    assert_eq!(
        (law.holds, law.quality.label),
        (Some(true), Label::Inferred)
    );
    assert_eq!(law.quality.missing, ["kernel version"]);
}

#[test]
fn without_samples_nothing_is_compared() {
    let modern = ask(&[], kernel(6, 1), &[batch(5, 7, 0, 1)]);
    assert_eq!(modern.samples_ns, None);
    for law in modern.conserved {
        assert_eq!((law.holds, law.quality.label), (None, Label::Inferred));
        assert!(!law.quality.missing.is_empty());
    }
    // Samples from before the recording do not count.
    let mut early = samples(5);
    early[0].t_ns = 0;
    assert!(ask(&early, None, &[]).samples_ns.is_some());
    early[1].end_ns = 1001;
    assert_eq!(ask(&early, None, &[]).samples_ns, None);
}

#[test]
fn a_window_without_samples_takes_those_around_it() {
    let all: Vec<Vmstat> = [10, 20, 30, 40]
        .into_iter()
        .map(|t_ns| Vmstat {
            t_ns,
            end_ns: t_ns + 1,
            ..Vmstat::default()
        })
        .collect();
    let times = |from, to| {
        within(&all, from, to).map(|pair| {
            let times: Vec<u64> = pair.readings.iter().map(|at| at.t_ns).collect();
            (times, pair.inside)
        })
    };
    assert_eq!(times(10, 31), Some((vec![10, 20, 30], true)));
    assert_eq!(times(10, 30), Some((vec![10, 20], true)));
    assert_eq!(times(15, 25), Some((vec![10, 20, 30], false)));
    assert_eq!(times(21, 29), Some((vec![20, 30], false)));
    assert_eq!(times(41, 50), None);
    assert_eq!(within(&[], 0, 50), None);
}

#[test]
fn readings_come_between_a_samplers_other_ones() {
    let at = |t_ns, end_ns| Vmstat {
        t_ns,
        end_ns,
        ..Vmstat::default()
    };
    let mut readings = [
        at(100, 100),
        at(200, 200),
        at(300, 310),
        at(400, 400),
        at(450, 450),
    ];
    bound(
        &mut readings,
        &[
            (100, 120),
            (150, 155),
            (200, 290),
            (210, 220),
            (300, 305),
            (450, 460),
        ],
    );
    let times = readings.map(|reading| (reading.t_ns, reading.end_ns));
    // The third shows its end itself, the fourth has nothing of its own, the last nothing behind it.
    assert_eq!(
        times,
        [(120, 150), (290, 290), (305, 310), (400, 450), (460, 460)]
    );
}

#[test]
fn lost_events_lower_the_judgement() {
    let nodes = nodes(2);
    let vmstat = samples(4);
    let meter = Meter::new(Config {
        nodes: &nodes,
        recording: (0, 1000),
        window: (0, 1000),
        vmstat: &vmstat,
        kernel: kernel(6, 1),
        reasons: Reasons::default(),
        pages: Some(Source {
            label: Label::Inferred,
            missing: vec!["lost_events".to_owned()],
            ..source()
        }),
        moves: source(),
        attempts: false,
        skipped_vmas: Some(3),
    });
    let modern = meter.finish();
    let law = modern.conserved.last().unwrap();
    assert_eq!((law.holds, law.residual), (Some(false), Some(4)));
    assert_eq!(law.quality.label, Label::Inferred);
    assert_eq!(law.quality.missing, ["lost_events"]);
    assert_eq!(value(&modern, "SC", 1), Some(3));
    assert_eq!(value(&modern, "TM", 1), None);
}

proptest! {
    #[test]
    fn a_counter_that_counts_every_call_is_conserved(
        calls in prop::collection::vec((0_u64..1000, 0_u64..600), 0..40),
        reads in prop::array::uniform2(0_u64..950),
        took in prop::array::uniform2(0_u64..50),
        seen in prop::array::uniform2(0_u64..50),
    ) {
        // The counter is read at some moment while the file is.
        let mut calls = calls;
        calls.sort_unstable();
        let mut reads = reads;
        reads.sort_unstable();
        let vmstat: Vec<Vmstat> = (0..2).map(|at| {
            let moment = reads[at] + seen[at].min(took[at]);
            let counted = calls.iter().filter(|(end, _)| *end <= moment).map(|(_, pages)| *pages).sum();
            Vmstat {
                t_ns: reads[at],
                end_ns: reads[at] + took[at],
                numa_pages_migrated: Some(counted),
                ..Vmstat::default()
            }
        }).collect();
        prop_assume!(reads[0] < reads[1]);
        let pages: Vec<PageBatch> = calls.iter().map(|&(end, pages)| batch(end, 7, 0, pages)).collect();
        let modern = ask(&vmstat, kernel(6, 1), &pages);
        let law = modern.conserved.last().unwrap();
        if law.right.is_some() {
            prop_assert_eq!(law.holds, Some(true), "{:?}", law);
        }
    }
}
