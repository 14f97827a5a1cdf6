//! The report of a bundle: what its inputs are, and the sections of one window.

mod cling;

use std::borrow::Cow;
use std::collections::BTreeMap;

use numalens_bundle::Error;
use numalens_core::provenance::Source;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::findings::Finding;
use crate::findings::headline::{Headline, OtherWaiting};
use crate::psi::Psi;
use crate::psi::result::AveragesCheck;
use crate::psi::result::{LostStall, Node, Or, Residuals, Resources, Series};
use crate::sections::PARTS;
use crate::sections::findings::{Quality, Ranked};
use crate::sections::idle_balancing::result::{Ilb, MaskedIlb};
use crate::sections::options::{PsiRules, parse};
use crate::sections::sampled::{SampledTotals, machine_totals};
use crate::sections::section::{Answer, MOST_BYTES, Stop, answer, bounded, json};
use crate::window::Window;

pub(super) use self::cling::ReportCling;

/// Name and version of the report's schema.
const SCHEMA: &str = "numalens.report/2";
/// Columns of the map of waits, at most.
pub(super) const HEAT_COLUMNS: u64 = 60;
/// A section of so few bytes is part of the report whatever the others have used.
const SMALL_BYTES: usize = 1 << 20;
/// The section whose fields are fields of the report itself.
const SPREAD: &str = "findings";

/// What a report can specify besides its window. What is not given is left to the recording.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Options {
    /// Cling's degree, percent.
    #[schemars(range(min = 0, max = 100))]
    pub(super) degree: Option<u32>,
    /// Pressure by the rules of another kernel version.
    pub(super) psi_rules: Option<PsiRules>,
    /// Jiffies per second.
    #[schemars(range(min = 1, max = 10_000))]
    pub(super) hz: Option<u32>,
    /// Step of the utilisation table, ns.
    #[schemars(range(min = 1))]
    pub(super) step_ns: Option<u64>,
}

/// A bundle, a window and the report's options.
pub(super) struct Request<'a> {
    open: &'a Context,
    window: (u64, u64),
    options: Options,
}

/// A section of the report.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) about: Option<&'static str>,
    /// JSON of so many bytes at most.
    pub(super) write: fn(&Request<'_>, usize) -> Result<Vec<u8>, Error>,
    pub(super) describe: fn(&mut SchemaGenerator) -> Schema,
}

/// The JSON of a section in the shape that the report gives it; one that would be too long says so instead.
pub(super) fn part<'a, O, T, R: Serialize>(
    (name, section): (&str, impl FnOnce(&'a Context, Window, O) -> Result<T, Stop>),
    request: &Request<'a>,
    options: impl FnOnce(&Options) -> O,
    samples: bool,
    shape: impl Fn(Answer<T>, &Request<'a>) -> Result<R, Error>,
    most: usize,
) -> Result<Vec<u8>, Error> {
    let (open, window) = (request.open, request.window);
    let found = answer(section, open, window, options(&request.options), samples)?;
    bounded(name, found, |found| shape(found, request), most)
}

/// Schema of the shape that the report gives a section.
pub(super) fn described_part<'a, O, T, R: JsonSchema>(
    _: impl FnOnce(&'a Context, Window, O) -> Result<T, Stop>,
    _: impl Fn(Answer<T>, &Request<'a>) -> Result<R, Error>,
    generator: &mut SchemaGenerator,
) -> Schema {
    generator.subschema_for::<R>()
}

/// The default options of a section.
pub(super) fn usual<O: Default>(_: &Options) -> O {
    O::default()
}

/// A section in the shape that the service gives it.
#[allow(clippy::unnecessary_wraps, reason = "other shapes can fail")]
pub(super) fn as_is<T>(answer: Answer<T>, _: &Request<'_>) -> Result<Answer<T>, Error> {
    Ok(answer)
}

/// Idle load balancing without the mask of idle CPUs.
#[allow(clippy::unnecessary_wraps, reason = "other shapes can fail")]
pub(super) fn without_mask(
    answer: Answer<MaskedIlb>,
    _: &Request<'_>,
) -> Result<Answer<Ilb>, Error> {
    Ok(answer.map(|masked| masked.ilb))
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

/// What the report has besides sections.
#[derive(Serialize, JsonSchema)]
#[schemars(description = "The whole report. Times are ns of the trace's own clock.")]
struct Head {
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
}

/// Findings, the window in one sentence, and waiting that no finding claims.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct ReportFindings {
    /// The window in one sentence.
    headline: Or<Headline>,
    /// What stands out, worst first.
    findings: Or<Vec<Finding>>,
    /// Checks of the replay that failed, and what the recording lacks.
    quality: Vec<Quality>,
    /// Waiting that no finding claims; null when waits are not recorded.
    other_waiting: Option<OtherWaiting>,
}

impl ReportFindings {
    #[allow(clippy::unnecessary_wraps, reason = "other shapes can fail")]
    pub(super) fn new(found: Answer<Ranked>, _: &Request<'_>) -> Result<Self, Error> {
        Ok(match found {
            Answer::Content(found) => Self {
                headline: Or::Value(found.section.headline),
                findings: Or::Value(found.section.findings),
                quality: found.section.quality,
                other_waiting: found.section.other_waiting,
            },
            Answer::Unavailable(missing) => Self {
                headline: Or::Unavailable(missing.clone()),
                findings: Or::Unavailable(missing),
                quality: Vec::new(),
                other_waiting: None,
            },
        })
    }
}

/// Pressure: replayed, and next to it as sampled. What only the replay tells is null without one.
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
    let options = parse(options)?;
    let stored: Stored = serde_json::from_str(&open.manifest)
        .map_err(|error| Error::Bundle(format!("the manifest: {error}")))?;
    let [first, last] = stored.window_ns;
    let window = (edges.0.unwrap_or(first), edges.1.unwrap_or(last));
    let input = |entry: &Map<String, Value>| {
        let field = |name: &'static str| (name, entry.get(name).cloned().unwrap_or_default());
        INPUT_FIELDS.into_iter().map(field).collect()
    };
    let mut report = json(&Head {
        schema: SCHEMA,
        inputs: stored.inputs.iter().map(input).collect(),
        window_ns: [window.0, window.1],
        topology: stored.topology,
        event_counts: stored.event_counts,
        notes: stored.notes,
    })?;
    let request = Request {
        open,
        window,
        options,
    };
    let mut left = MOST_BYTES;
    for part in PARTS {
        let text = (part.write)(&request, left.max(SMALL_BYTES))?;
        left = left.saturating_sub(text.len());
        // Each goes in front of the bracket that ends the report.
        report.pop();
        report.push(b',');
        if part.name == SPREAD {
            report.extend_from_slice(&text[1..]);
        } else {
            report.extend_from_slice(format!("\"{}\":", part.name).as_bytes());
            report.extend(text);
            report.push(b'}');
        }
    }
    Ok(report)
}

/// The whole report.
pub(super) struct Report;

impl JsonSchema for Report {
    fn schema_name() -> Cow<'static, str> {
        "Report".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut report = Head::json_schema(generator);
        let mut insert = |name: &str, mut schema: Value, about: Option<&str>| {
            if let (Some(fields), Some(about)) = (schema.as_object_mut(), about) {
                let line = about.lines().next().unwrap_or_default();
                fields.insert("description".into(), line.into());
            }
            if let Some(properties) = report.pointer_mut("/properties") {
                properties[name] = schema;
            }
            if let Some(Value::Array(required)) = report.pointer_mut("/required") {
                required.push(name.into());
            }
        };
        for part in PARTS {
            let mut schema = (part.describe)(generator);
            if part.name == SPREAD {
                let fields = schema.pointer_mut("/properties").map(Value::take);
                let fields = fields.and_then(|fields| fields.as_object().cloned());
                for (name, schema) in fields.into_iter().flatten() {
                    insert(&name, schema, None);
                }
            } else {
                insert(part.name, schema.to_value(), part.about);
            }
        }
        report
    }
}
