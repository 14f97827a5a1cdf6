//! `PSI_OBSERVER_LOSS`: reading a pressure file more often than a CPU is busy for a jiffy throws stall away, because each read
//! aggregates with weights of whole jiffies (`collect_percpu_times`).

use numalens_core::provenance::Label;

use crate::findings::{Facts, Finding, words};

/// Readings of one file must be this far apart, jiffies (`docs/algorithms/psi.md`, P14).
const JIFFIES: u64 = 2;

pub(super) fn detect(facts: &Facts<'_>) -> Vec<Finding> {
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
        found.push(Finding {
            label: Label::Inferred,
            missing: vec!["other readers of the pressure files".to_owned()],
            from_ns: first[0].t_ns,
            to_ns: end[1].t_ns,
            impact_ms: lost_us as f64 / 1e3,
            summary: format!(
                "The {} file was read {count} times within {JIFFIES} jiffies of the reading before, first {}: the kernel dropped \
                 about {} of stall that no total will ever show.",
                series.resource.name(),
                words::at(facts, first[0].t_ns),
                words::time(lost_us * 1000),
            ),
            ..words::finding("PSI_OBSERVER_LOSS", facts)
        });
    }
    found
}
