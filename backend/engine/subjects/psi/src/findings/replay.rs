//! `PSI_MISMATCH`: the replay does not give what the kernel printed, so something about the trace is not as assumed.

use numalens_core::provenance::Label;
use numalens_subject::findings::{Evidence, Finding, FindingEntry};
use numalens_subject::window::time;

use crate::findings as pressure;
use crate::findings::Facts;
use crate::result::{Psi, Residual, Residuals, WORKER_RUNS};

/// The replayed pressure is not what the kernel printed.
pub const PSI_MISMATCH: FindingEntry = FindingEntry {
    id: "PSI_MISMATCH",
    title: "PSI mismatch",
    meaning: "The replay and the kernel's own count differ by more than their sampling explains: events were lost, or the assumed rules or HZ are wrong.",
    kernel: "psi_group_change",
    threshold: "the totals differ by more than the sampling times explain",
    cost: "the difference",
    evidence: Evidence::PRESSURE,
};

pub(super) fn mismatch(facts: &Facts<'_>) -> Vec<Finding> {
    // What tasks did in time that is not recorded is the difference.
    let Some(pressure) = super::replayed(facts) else {
        return Vec::new();
    };
    // Another version's rules are meant to give something else.
    if pressure.psi.rules_source.label == Label::WhatIf
        || pressure.psi.hz_source.label == Label::WhatIf
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    if let Some(residuals) = &pressure.psi.residual {
        found.extend(of(facts, residuals, None));
    }
    for (path, residuals) in &pressure.psi.cgroup_residual {
        if worker_known(pressure.psi, path) {
            found.extend(of(facts, residuals, Some(path)));
        }
    }
    found
}

/// Returns whether the times of the kernel's aggregations of a cgroup are known. If they are modelled, its total depends on
/// their phase, by far more than a mismatch would be (a cgroup runs on few CPUs for a short time, and weights are whole
/// jiffies).
fn worker_known(psi: &Psi, path: &str) -> bool {
    let cpu = psi.cgroups.value().and_then(|all| all.get(path));
    cpu.and_then(|resources| resources.cpu.value())
        .is_none_or(|cpu| !cpu.missing.iter().any(|missing| missing == WORKER_RUNS))
}

fn of(facts: &Facts<'_>, residuals: &Residuals, path: Option<&str>) -> Vec<Finding> {
    let all = [
        ("cpu", &residuals.cpu),
        ("memory", &residuals.memory),
        ("io", &residuals.io),
    ];
    let of = |(name, residual): (&str, &Option<Residual>)| {
        let residual = residual
            .as_ref()
            .filter(|residual| !residual.check_within)?;
        let off = residual.sampled_some_us.abs_diff(residual.replayed_some_us);
        let full = match (residual.sampled_full_us, residual.replayed_full_us) {
            (Some(sampled), Some(replayed)) => sampled.abs_diff(replayed),
            _ => 0,
        };
        let who = path.map_or("the machine".to_owned(), |path| format!("cgroup {path}"));
        Some(Finding {
            label: Label::Inferred,
            missing: vec![
                "the reason: lost events, another HZ or kernel version, or unrecorded evidence"
                    .to_owned(),
            ],
            from_ns: residual.from_ns,
            to_ns: residual.to_ns,
            impact_ms: off.max(full) as f64 / 1e3,
            cgroup: path.map(str::to_owned),
            summary: format!(
                "The kernel counted {} of {name} pressure for {who}, starting {}, and the replay {} ({:+.1} %): do not trust the replayed \
                 {name} pressure of this window.",
                time(residual.sampled_some_us * 1000),
                pressure::at(facts, residual.from_ns),
                time(residual.replayed_some_us * 1000),
                residual.error_percent,
            ),
            ..PSI_MISMATCH.finding(Label::Observed, facts.from_ns, facts.to_ns)
        })
    };
    all.into_iter().filter_map(of).collect()
}

// `PSI_OBSERVER_LOSS`: reading a pressure file more often than a CPU is busy for a jiffy throws stall away, because each read
// aggregates with weights of whole jiffies (`collect_percpu_times`).

/// Minimum distance between samples of one file, jiffies (`docs/algorithms/psi.md`, P14).
const JIFFIES: u64 = 2;

/// Less lost stall is not worth a sentence, µs.
const LEAST_LOST_US: u64 = 100;

/// Pressure that aggregations of the kernel lost.
pub const PSI_OBSERVER_LOSS: FindingEntry = FindingEntry {
    id: "PSI_OBSERVER_LOSS",
    title: "PSI loses time to frequent reads",
    meaning: "Reading the pressure files more often than every two jiffies makes the kernel lose stall time.",
    kernel: "collect_percpu_times",
    threshold: "a file was read twice within 2 jiffies",
    cost: "lost stall (P5)",
    evidence: Evidence::PRESSURE,
};

pub(super) fn observer_loss(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pressure) = &facts.pressure else {
        return Vec::new();
    };
    let apart = JIFFIES * 1_000_000_000 / u64::from(pressure.psi.hz.max(1));
    let mut found = Vec::new();
    for series in pressure
        .samples
        .iter()
        .filter(|series| series.cgroup.is_none())
    {
        let mut close = series
            .samples
            .windows(2)
            .filter(|pair| pair[0].t_ns >= facts.from_ns && pair[1].t_ns <= facts.to_ns)
            .filter(|pair| pair[1].t_ns.saturating_sub(pair[0].t_ns) < apart);
        let Some(first) = close.next() else { continue };
        let count = 1 + close.clone().count();
        let end = close.next_back().unwrap_or(first);
        let lost = &pressure.psi.lost_us;
        let lost_us = match series.resource.name() {
            "cpu" => lost.cpu,
            "memory" => lost.memory,
            _ => lost.io,
        };
        if lost_us < LEAST_LOST_US {
            continue;
        }
        found.push(Finding {
            label: Label::Inferred,
            missing: vec!["other readers of the pressure files".to_owned()],
            from_ns: first[0].t_ns,
            to_ns: end[1].t_ns,
            impact_ms: lost_us as f64 / 1e3,
            summary: format!(
                "The {} pressure file was read twice within {JIFFIES} jiffies ({count} times, first {}). The kernel lost about {} of stall time, which is missing in the totals.",
                series.resource.name(),
                pressure::at(facts, first[0].t_ns),
                time(lost_us * 1000),
            ),
            ..PSI_OBSERVER_LOSS.finding(Label::Observed, facts.from_ns, facts.to_ns)
        });
    }
    found
}
