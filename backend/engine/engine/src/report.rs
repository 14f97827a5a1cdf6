//! The report of a bundle: what its inputs are, and the sections of one window.

use std::borrow::Cow;
use std::collections::BTreeMap;

use numalens_bundle::Error;
use numalens_subject::Context;
use numalens_subject::options::parse;
use numalens_subject::report::Request;
use numalens_subject::section::{MOST_BYTES, json};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::subjects::parts;

/// Name and version of the report's schema.
const SCHEMA: &str = "numalens.report/1";
/// A section of so few bytes is part of the report whatever the others have used.
const SMALL_BYTES: usize = 1 << 20;
/// The section whose fields are fields of the report itself.
const SPREAD: &str = "findings";

/// Fields of the manifest for the report.
#[derive(Deserialize)]
struct Stored {
    inputs: Vec<Map<String, Value>>,
    window_ns: [u64; 2],
    topology: Topology,
    event_counts: BTreeMap<String, u64>,
    notes: Vec<String>,
}

/// Fields of an input in the report; null if it has no such field.
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
    /// Number of its CPUs.
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

/// Fields of the report besides sections.
#[derive(Serialize, JsonSchema)]
#[schemars(description = "The whole report. Times are ns of the trace's own clock.")]
struct Head {
    /// `numalens.report/1`.
    schema: &'static str,
    /// The inputs, as the manifest has them.
    inputs: Vec<BTreeMap<&'static str, Value>>,
    /// The window.
    window_ns: [u64; 2],
    /// Nodes and CPUs.
    topology: Topology,
    /// Decoded events by name, of the whole files.
    event_counts: BTreeMap<String, u64>,
    /// Notes of the reader.
    notes: Vec<String>,
}

/// The report of a bundle as JSON. A missing edge is that of the window that the buffers of all CPUs cover.
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
    for part in parts() {
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
pub(crate) struct Report;

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
        for part in parts() {
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
