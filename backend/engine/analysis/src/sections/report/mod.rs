//! The report of a bundle: what its inputs are, and every section of one window.

mod cling;

use std::collections::BTreeMap;

use numalens_bundle::Error;
use numalens_core::provenance::Source;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::findings::Finding;
use crate::findings::headline::{Headline, OtherWaiting};
use crate::latency::{Latency, WaitHeat};
use crate::psi::Psi;
use crate::psi::check::AveragesCheck;
use crate::psi::result::{LostStall, Node, Or, Residuals, Resources, Series};
use crate::sections::idle_balancing::result::Ilb;
use crate::sections::numa_balancing::{self, NumaBalancing};
use crate::sections::numa_logs::{self, Counted};
use crate::sections::options::{
    self, Heat, List, Nothing, Pressure, PressureSeries, PsiRules, Step, parse,
};
use crate::sections::page_migration::{self, PageMigration};
use crate::sections::placement::{self, Placement};
use crate::sections::report::cling::ReportCling;
use crate::sections::sampled::{SampledTotals, machine_totals};
use crate::sections::section::{Answer, MOST_BYTES, answer, json};
use crate::sections::{findings, idle_balancing, latency, psi, utilisation};
use crate::utilisation::{Residencies, Utilisation};
use crate::waste::Waste;

/// Name and version of the report's schema.
const SCHEMA: &str = "numalens.report/2";
/// Columns of the map of waits, at most.
const HEAT_COLUMNS: u64 = 60;

/// What a report can specify besides its window. What is not given is left to the recording.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Options {
    /// Cling's degree, percent.
    #[schemars(range(min = 0, max = 100))]
    degree: Option<u32>,
    /// Pressure by the rules of another kernel version.
    psi_rules: Option<PsiRules>,
    /// Jiffies per second.
    #[schemars(range(min = 1, max = 10_000))]
    hz: Option<u32>,
    /// Step of the utilisation table, ns.
    #[schemars(range(min = 1))]
    step_ns: Option<u64>,
}

/// What the report takes from the manifest.
#[derive(Deserialize)]
struct Stored {
    inputs: Vec<Map<String, Value>>,
    window_ns: [u64; 2],
    topology: Topology,
    event_counts: BTreeMap<String, u64>,
    notes: Vec<String>,
}

/// What the report has of an input; null where it has no such thing.
const INPUT_FIELDS: [&str; 19] = [
    "name",
    "kind",
    "bytes",
    "events",
    "lost_events",
    "clock",
    "kernel",
    "cpus",
    "lost_marks",
    "lost_unknown_marks",
    "resolution_ns",
    "samples",
    "rows",
    "tables",
    "stamp_resolution_ns",
    "alignment",
    "skipped",
    "skipped_more",
    "facts",
];

/// A NUMA node and its CPUs.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TopologyNode")]
struct Place {
    /// The node.
    nid: u32,
    /// Its CPUs.
    cpus: Vec<u32>,
}

/// Nodes and CPUs, and how they are known.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Topology {
    /// `sidecar`, `perf`, `events` or `assumed`.
    source: String,
    /// The nodes.
    nodes: Vec<Place>,
}

/// The whole report. Times are ns of the trace's own clock.
#[derive(Serialize, JsonSchema)]
struct Report<'a> {
    /// `numalens.report/2`.
    schema: &'static str,
    /// The inputs, as the manifest has them.
    inputs: Vec<BTreeMap<&'static str, Value>>,
    /// The window.
    window_ns: [u64; 2],
    /// Nodes and CPUs.
    topology: Topology,
    /// Decoded events by name, of the whole files.
    event_counts: BTreeMap<String, u64>,
    /// What the reader has to say.
    notes: Vec<String>,
    /// Pressure.
    psi: ReportPressure,
    /// How busy nodes and CPUs were.
    utilisation: Answer<Utilisation>,
    /// Where tasks ran.
    residency: Answer<Residencies>,
    /// CPU time and memory by numa group and node.
    placement: Answer<Placement>,
    /// Attempts of the NUMA balancer.
    numa_balancing: Answer<NumaBalancing<'a>>,
    /// The counters of memory.
    vmstat: Answer<Counted>,
    /// NUMA cling.
    cling: ReportCling,
    /// The nohz idle load balancer, without its idle mask.
    idle_balancing: Answer<Ilb>,
    /// Memory that follows tasks.
    page_migration: Answer<PageMigration>,
    /// How long tasks waited.
    latency: Answer<Latency>,
    /// How many waits were how long when.
    wait_heat: Answer<WaitHeat>,
    /// Idle CPUs while tasks waited.
    waste: Answer<Waste>,
    /// The window in one sentence.
    headline: Or<Headline>,
    /// What stands out, worst first.
    findings: Or<Vec<Finding>>,
    /// Waiting that no finding claims; null when waits are not recorded.
    other_waiting: Option<OtherWaiting>,
}

/// Pressure: replayed, and next to it as sampled. What only the replay tells is null without one.
#[derive(Serialize, JsonSchema)]
struct ReportPressure {
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
    /// Why these.
    rules_source: Option<Source>,
    /// Jiffies per second.
    hz: Option<u32>,
    /// How that is known.
    hz_source: Option<Source>,
    /// How the moments of the kernel's own updates are known.
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
    fn new(psi: Answer<Psi>, sampled: Or<SampledTotals>) -> Self {
        let psi = match psi {
            Answer::Content(psi) => psi.section,
            Answer::Unavailable(missing) => {
                return Self {
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
                };
            }
        };
        Self {
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
        }
    }
}

/// The report of a bundle as JSON. An edge that is not given is that of the window that all CPUs' buffers have in common.
///
/// # Errors
///
/// Fails when an option is wrong or a log cannot be read.
pub fn report(
    open: &Context,
    edges: (Option<u64>, Option<u64>),
    options: &str,
) -> Result<Vec<u8>, Error> {
    let Options {
        degree,
        psi_rules,
        hz,
        step_ns,
    } = parse(options)?;
    let stored: Stored = serde_json::from_str(&open.manifest)
        .map_err(|error| Error::Bundle(format!("the manifest: {error}")))?;
    let [first, last] = stored.window_ns;
    let window = (edges.0.unwrap_or(first), edges.1.unwrap_or(last));
    let input = |entry: &Map<String, Value>| {
        let field = |name: &'static str| (name, entry.get(name).cloned().unwrap_or_default());
        INPUT_FIELDS.into_iter().map(field).collect()
    };
    let series = PressureSeries {
        psi_rules,
        hz,
        points: None,
    };
    let clinging = options::Cling {
        degree,
        ..options::Cling::default()
    };
    let busy = Step { step_ns };
    let heat = Heat {
        columns: HEAT_COLUMNS,
    };
    let pressure = Pressure { psi_rules, hz };
    let mut left = MOST_BYTES;
    // Before the findings: what they need of the idle load balancer is part of its models' reading.
    let idle_balancing = answer(
        idle_balancing::ilb,
        open,
        window,
        options::Ilb::default(),
        false,
    )?
    .bounded("idle_balancing", &mut left)?;
    let found = answer(findings::findings, open, window, pressure, false)?
        .bounded("findings", &mut left)?;
    let replayed = answer(psi::psi, open, window, series, false)?.bounded("psi", &mut left)?;
    let cling = answer(crate::sections::cling::cling, open, window, clinging, false)?
        .bounded("cling", &mut left)?;
    let migration = options::Migration::default();
    let (headline, findings, other_waiting) = match found {
        Answer::Content(found) => {
            let found = found.section;
            let (headline, findings) = (Or::Value(found.headline), Or::Value(found.findings));
            (headline, findings, found.other_waiting)
        }
        Answer::Unavailable(missing) => (
            Or::Unavailable(missing.clone()),
            Or::Unavailable(missing),
            None,
        ),
    };
    json(&Report {
        schema: SCHEMA,
        inputs: stored.inputs.iter().map(input).collect(),
        window_ns: [window.0, window.1],
        topology: stored.topology,
        event_counts: stored.event_counts,
        notes: stored.notes,
        psi: ReportPressure::new(replayed, machine_totals(open, window)?),
        utilisation: answer(utilisation::utilisation, open, window, busy, false)?
            .bounded("utilisation", &mut left)?,
        residency: answer(utilisation::residency, open, window, List::default(), false)?
            .bounded("residency", &mut left)?,
        placement: answer(
            placement::placement,
            open,
            window,
            options::Placement::default(),
            false,
        )?
        .bounded("placement", &mut left)?,
        numa_balancing: answer(
            numa_balancing::balancing,
            open,
            window,
            List::default(),
            false,
        )?
        .bounded("numa_balancing", &mut left)?,
        vmstat: answer(numa_logs::vmstat, open, window, Nothing::default(), true)?
            .bounded("vmstat", &mut left)?,
        cling: ReportCling::new(cling, degree),
        idle_balancing: idle_balancing.map(|masked| masked.ilb),
        page_migration: answer(page_migration::migration, open, window, migration, true)?
            .bounded("page_migration", &mut left)?,
        latency: answer(latency::latency, open, window, List::default(), false)?
            .bounded("latency", &mut left)?,
        wait_heat: answer(latency::wait_heat, open, window, heat, false)?
            .bounded("wait_heat", &mut left)?,
        waste: answer(utilisation::waste, open, window, Step::default(), false)?
            .bounded("waste", &mut left)?,
        headline,
        findings,
        other_waiting,
    })
}

/// What describes the report as it is written.
pub(super) fn describe(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    generator.subschema_for::<Report<'_>>()
}
