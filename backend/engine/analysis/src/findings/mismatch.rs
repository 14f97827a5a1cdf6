//! `PSI_MISMATCH`: the replay does not give what the kernel printed, so something about the trace is not as assumed.

use numalens_core::provenance::Label;

use crate::findings::{Facts, Finding, words};
use crate::psi::check::Residual;
use crate::psi::result::{Psi, Residuals, WORKER_RUNS};

pub(super) fn detect(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pressure) = &facts.pressure else {
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

/// Whether the moments are known at which the kernel aggregated a cgroup. Where they are modelled, its total depends on
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
                "why: lost events, another HZ or kernel version, or evidence that is not recorded"
                    .to_owned(),
            ],
            from_ns: residual.from_ns,
            to_ns: residual.to_ns,
            impact_ms: off.max(full) as f64 / 1e3,
            cgroup: path.map(str::to_owned),
            summary: format!(
                "The kernel counted {} of {name} pressure for {who} from {} on, the replay {} ({:+.1} %): do not trust the replayed \
                 {name} pressure of this window.",
                words::time(residual.sampled_some_us * 1000),
                words::at(facts, residual.from_ns),
                words::time(residual.replayed_some_us * 1000),
                residual.error_percent,
            ),
            ..words::finding("PSI_MISMATCH", facts)
        })
    };
    all.into_iter().filter_map(of).collect()
}
