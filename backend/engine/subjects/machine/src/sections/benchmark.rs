//! Results of the benchmarks that ran while the machine was recorded.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_subject::metrics::{Basis, Better, Metric, Metrics, content, figures};
use numalens_subject::options::Nothing;
use numalens_subject::section::{samples, texts};
use numalens_subject::{Context, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

/// A figure of a benchmark.
#[derive(Debug, Serialize, JsonSchema)]
struct BenchmarkFigure {
    /// Program that printed it.
    tool: String,
    /// Settings that distinguish the run from others, such as the number of threads.
    setup: String,
    name: String,
    /// Kernel in the heading of its column, if the table has several.
    column: Option<String>,
    unit: String,
    better: Better,
    /// Values in the order of the inputs, one for each run.
    values: Vec<f64>,
    /// Printed change against the first column, percent; positive is better.
    percent: Option<f64>,
    /// True if that change is printed with stars: it is significant.
    significant: bool,
}

/// Results of benchmarks. They have no time, and belong to the whole recording.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Benchmark {
    /// Figures in the order of the inputs.
    figures: Vec<BenchmarkFigure>,
    label: Label,
}

/// Tool, setup, name and column.
type Key = [Option<String>; 4];

pub(super) fn benchmark(open: &Context, _: Window, _: Nothing) -> Result<Benchmark, Stop> {
    let mut found = Figures::default();
    samples(open, "benchmarks", |batch| found.take(batch))?;
    if found.figures.is_empty() {
        return Err(Stop::unavailable(
            "no results of benchmarks: add the output of sysbench, pgbench, hackbench, schbench, mmtests or NAS",
        ));
    }
    Ok(Benchmark {
        figures: found.figures,
        label: Label::Observed,
    })
}

/// Figures, and where each is.
#[derive(Default)]
struct Figures {
    figures: Vec<BenchmarkFigure>,
    places: HashMap<Key, usize>,
}

impl Figures {
    fn take(&mut self, batch: &RecordBatch) {
        let number = |name| {
            batch
                .column_by_name(name)?
                .as_primitive_opt::<Float64Type>()
        };
        let star = batch.column_by_name("star");
        let (Some(values), Some(percents), Some(stars)) = (
            number("value"),
            number("percent"),
            star.and_then(|column| column.as_boolean_opt()),
        ) else {
            return;
        };
        let columns = ["tool", "setup", "name", "column", "unit", "better"];
        let columns = columns.map(|name| texts(batch, name));
        for row in 0..batch.num_rows() {
            let [tool, setup, name, column, unit, better] = columns.map(|texts| {
                let texts = texts.filter(|texts| texts.is_valid(row))?;
                Some(texts.value(row).to_owned())
            });
            let key = [tool, setup, name, column];
            if let Some(&place) = self.places.get(&key) {
                let figure = &mut self.figures[place];
                figure.values.push(values.value(row));
                // It was printed for one of the values alone.
                (figure.percent, figure.significant) = (None, false);
                continue;
            }
            self.places.insert(key.clone(), self.figures.len());
            let [tool, setup, name, column] = key;
            self.figures.push(BenchmarkFigure {
                tool: tool.unwrap_or_default(),
                setup: setup.unwrap_or_default(),
                name: name.unwrap_or_default(),
                column,
                unit: unit.unwrap_or_default(),
                better: Better::named(better.as_deref().unwrap_or_default()),
                values: vec![values.value(row)],
                percent: percents.is_valid(row).then(|| percents.value(row)),
                significant: stars.value(row),
            });
        }
    }
}

/// Figures for comparisons: the results.
pub(super) fn metrics(open: &Context, window: (u64, u64)) -> Result<Metrics, Error> {
    let printed = content(benchmark, open, window, Nothing {}, true)?;
    let metrics = figures("benchmark", &printed, |printed, seconds| {
        let basis = Basis::new(printed.label, &[""; 0], seconds);
        let row = |figure: &BenchmarkFigure| {
            let column = figure.column.as_deref().unwrap_or_default();
            let (tool, setup, name) = (&figure.tool, &figure.setup, &figure.name);
            let id = format!("benchmark_{tool} {setup} {name} {column}");
            let around = |before, text: &str, after| match text {
                "" => String::new(),
                text => format!("{before}{text}{after}"),
            };
            let (setup, column) = (around(" (", setup, ")"), around(", ", column, ""));
            let values = basis.numbers(figure.values.iter().copied());
            Metric::new(id, format!("{tool}{setup} {name}{column}"), Ok(values))
                .of(figure.unit.clone(), figure.better)
        };
        printed.figures.iter().map(row).collect()
    });
    Ok(metrics.otherwise("no benchmark printed it"))
}
