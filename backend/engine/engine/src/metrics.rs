//! Figures of recordings side by side: the tables of a comparison.

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_numa_balancing::statistics::{
    By, ComparedRow, Mean, Measured, SideOfRow, compare_sides,
};
use numalens_subject::Context;
use numalens_subject::metrics::{Better, Metric, Metrics, Reading, Run};
use numalens_subject::section::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::subjects;

/// The tables of a comparison in their order; `fleet` alone has others: name, title, and whether all figures are of the first section.
const TABLES: [(&str, &str, bool); 12] = [
    ("statistics", "Statistics", true),
    ("latency", "Wakeup latency", true),
    ("waste", "Idle CPUs while tasks wait", true),
    ("findings", "Findings by cost", true),
    ("benchmark", "Benchmarks", true),
    ("ops", "Ops", true),
    ("ops_mmtests", "Ops as mmtests counts", true),
    ("vmstat", "/proc/vmstat", true),
    ("numa", "Tasks and memory between nodes", false),
    ("psi", "Pressure", false),
    ("cling", "NUMA cling", true),
    ("ilb", "Idle load balancer", true),
];
/// A table without rows that is left out.
const OPTIONAL: &str = "benchmark";

/// Figures of all runs of each side.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    by: By,
    base: usize,
    sides: Vec<Vec<Vec<Metrics>>>,
}

/// A side of a row, or why it has no value.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ComparedCell")]
struct Cell {
    #[serde(flatten)]
    side: SideOfRow,
    /// Weakest provenance of its values.
    label: Option<Label>,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
    /// Reason for a missing value of this side or of one of its runs.
    reason: Option<String>,
}

/// A figure of all sides.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ComparedTableRow")]
struct Row<'a> {
    /// Name in JSON.
    name: &'a str,
    /// Label.
    title: &'a str,
    /// Unit of the values; for counts, that of the total.
    unit: &'a str,
    /// Better direction.
    better: Better,
    /// True if the row has totals, and its means are rates per second.
    counted: bool,
    /// Mean of the sides.
    mean: Mean,
    /// By side.
    sides: Vec<Cell>,
}

/// A table; figures that no run has are left out.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ComparedTable")]
pub(crate) struct Table<'a> {
    /// Name in JSON.
    name: &'static str,
    /// Label.
    title: &'static str,
    /// Rows; those that no side has anything of are left out.
    rows: Vec<Row<'a>>,
    /// By side: reason for which all data is missing there.
    absent: Vec<Option<&'a str>>,
}

/// Figures of a window with steps of `step_ns`, as JSON, in the order of the tables.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn metrics(open: &Context, window: (u64, u64), step_ns: u64) -> Result<Vec<u8>, Error> {
    let mut all = subjects::metrics(open, window, step_ns)?;
    let place = |name: &str| TABLES.iter().position(|table| table.0 == name);
    all.sort_by_key(|metrics| place(&metrics.table).unwrap_or(TABLES.len()));
    json(&all)
}

/// Compares the figures of all sides, as JSON.
///
/// # Errors
///
/// Fails when the request is not JSON of that shape, or names no side as the base.
pub fn compare_metrics(request: &str) -> Result<String, Error> {
    let request: Request = serde_json::from_str(request)
        .map_err(|error| Error::Wrong(format!("the figures: {error}")))?;
    let sides = request.sides.len();
    if request.base >= sides {
        let base = request.base;
        return Err(Error::Wrong(format!(
            "expected a base below {sides}, found {base}"
        )));
    }
    let tables = TABLES.iter().filter_map(|&table| compared(&request, table));
    let tables: Vec<Table<'_>> = tables.collect();
    serde_json::to_string(&tables).map_err(|error| Error::Bundle(error.to_string()))
}

fn compared<'a>(
    request: &'a Request,
    (name, title, of_one): (&'static str, &'static str, bool),
) -> Option<Table<'a>> {
    let of_run = |run: &'a Vec<Metrics>| -> Vec<&'a Metrics> {
        run.iter().filter(|metrics| metrics.table == name).collect()
    };
    let sides: Vec<Vec<Vec<&Metrics>>> = request
        .sides
        .iter()
        .map(|runs| runs.iter().map(of_run).collect())
        .collect();
    let sections = sides.iter().flatten().map(Vec::len).max().unwrap_or(0);
    let rows = (0..sections).flat_map(|section| {
        let sides: Vec<Vec<&Metrics>> = sides
            .iter()
            .map(|runs| {
                runs.iter()
                    .filter_map(|run| run.get(section).copied())
                    .collect()
            })
            .collect();
        rows(&sides, request)
    });
    let rows: Vec<Row<'_>> = rows.collect();
    let absent = sides.iter().map(|runs| {
        let mut reasons = runs.iter().map(|run| run.first()?.rows.as_ref().err());
        let first = reasons.next().flatten().filter(|_| of_one)?;
        reasons
            .all(|reason| reason.is_some())
            .then_some(first.as_str())
    });
    let absent = absent.collect();
    (name != OPTIONAL || !rows.is_empty()).then_some(Table {
        name,
        title,
        rows,
        absent,
    })
}

/// Figures of one section, in the order in which the runs have them.
fn rows<'a>(sides: &[Vec<&'a Metrics>], request: &Request) -> Vec<Row<'a>> {
    let mut figures: Vec<&Metric> = Vec::new();
    for metric in sides
        .iter()
        .flatten()
        .flat_map(|run| run.rows.iter().flatten())
    {
        if figures.iter().all(|other| other.name != metric.name) {
            figures.push(metric);
        }
    }
    let rows = figures.into_iter().filter_map(|figure| {
        let reading = |run: &&'a Metrics| -> Result<&'a Reading, &'a str> {
            let rows = run.rows.as_ref().map_err(String::as_str)?;
            let here = rows.iter().find(|row| row.name == figure.name);
            match here {
                Some(row) => row.value.as_ref().map_err(String::as_str),
                None => run.otherwise.as_ref().map_err(|reason| &**reason),
            }
        };
        let readings: Vec<Vec<Result<&Reading, &str>>> = sides
            .iter()
            .map(|runs| runs.iter().map(reading).collect())
            .collect();
        let mut known = readings.iter().flatten().flatten();
        let above_0 = sides.iter().flatten().any(|run| run.above_0);
        let costs =
            |reading: &Reading| !above_0 || reading.run.values.iter().any(|&value| value > 0.0);
        known
            .any(|reading| costs(reading))
            .then(|| row(figure, &readings, request))
    });
    rows.collect()
}

fn row<'a>(
    figure: &'a Metric,
    readings: &[Vec<Result<&Reading, &str>>],
    request: &Request,
) -> Row<'a> {
    let run = |reading: &Result<&Reading, &str>| {
        reading.map_or_else(|_| Run::default(), |it| it.run.clone())
    };
    let measured = Measured {
        better: figure.better,
        sides: readings
            .iter()
            .map(|runs| runs.iter().map(run).collect())
            .collect(),
    };
    let ComparedRow { mean, sides } = compare_sides(&measured, request.base, request.by);
    let known = || readings.iter().flatten().flatten();
    Row {
        name: &figure.name,
        title: &figure.title,
        unit: &figure.unit,
        better: figure.better,
        counted: known().any(|reading| reading.run.seconds.is_some()),
        mean,
        sides: sides
            .into_iter()
            .zip(readings)
            .map(|(side, runs)| cell(side, runs))
            .collect(),
    }
}

fn cell(side: SideOfRow, runs: &[Result<&Reading, &str>]) -> Cell {
    let known = || runs.iter().flatten();
    let mut missing: Vec<String> = Vec::new();
    for name in known().flat_map(|reading| &reading.missing) {
        if !missing.contains(name) {
            missing.push(name.clone());
        }
    }
    let reason = runs.iter().find_map(|run| run.err());
    let reason = reason.or_else(|| side.mean.is_none().then_some("not recorded in this window"));
    Cell {
        label: known().map(|reading| reading.label).max(),
        missing,
        reason: reason.map(str::to_owned),
        side,
    }
}
