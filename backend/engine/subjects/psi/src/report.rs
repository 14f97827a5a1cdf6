//! Pressure as the report has it.

use std::collections::BTreeMap;

use numalens_bundle::Error;
use numalens_core::provenance::Source;
use numalens_subject::report::Request;
use numalens_subject::section::Answer;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Psi;
use crate::result::{AveragesCheck, LostStall, Node, Or, Residuals, Resources, Series};
use crate::sections::sampled::{SampledTotals, machine_totals};

/// Pressure: replayed, and next to it as sampled. Values that need the replay are null without one.
#[derive(Serialize, JsonSchema)]
pub(super) struct ReportPressure {
    /// Replayed, of the machine.
    system: Or<Resources>,
    /// Replayed, of the cgroups, by path.
    cgroups: Or<BTreeMap<String, Resources>>,
    /// Between the first and the last sample of the window, of the machine.
    sampled: Or<SampledTotals>,
    /// Replayed, over time.
    series: Or<Series>,
    /// First kernel version of the rules in use.
    rules: Option<String>,
    /// Source of the rules.
    rules_source: Option<Source>,
    /// Jiffies per second.
    hz: Option<u32>,
    /// Source of this value.
    hz_source: Option<Source>,
    /// Source of the times of the kernel's own updates.
    worker_source: Option<Source>,
    /// The clocks of the nodes' CPUs.
    nodes: Option<Vec<Node>>,
    /// The machine's totals against the samples.
    residual: Option<Residuals>,
    /// The same for cgroups.
    cgroup_residual: Option<BTreeMap<String, Residuals>>,
    /// Averages predicted from the sampled totals against the printed ones.
    averages: Option<AveragesCheck>,
    /// Stall that aggregations threw away.
    lost_us: Option<LostStall>,
}

impl ReportPressure {
    pub(super) fn new(psi: Answer<Psi>, request: &Request<'_>) -> Result<Self, Error> {
        let sampled = machine_totals(request.open, request.window)?;
        let psi = match psi {
            Answer::Content(psi) => psi.section,
            Answer::Unavailable(missing) => {
                return Ok(Self {
                    system: Or::Unavailable(missing.clone()),
                    cgroups: Or::Unavailable(missing.clone()),
                    sampled,
                    series: Or::Unavailable(missing),
                    rules: None,
                    rules_source: None,
                    hz: None,
                    hz_source: None,
                    worker_source: None,
                    nodes: None,
                    residual: None,
                    cgroup_residual: None,
                    averages: None,
                    lost_us: None,
                });
            }
        };
        Ok(Self {
            system: Or::Value(psi.system),
            cgroups: psi.cgroups,
            sampled,
            series: Or::Value(psi.series),
            rules: Some(psi.rules),
            rules_source: Some(psi.rules_source),
            hz: Some(psi.hz),
            hz_source: Some(psi.hz_source),
            worker_source: Some(psi.worker_source),
            nodes: Some(psi.nodes),
            residual: psi.residual,
            cgroup_residual: Some(psi.cgroup_residual),
            averages: psi.averages,
            lost_us: Some(psi.lost_us),
        })
    }
}
