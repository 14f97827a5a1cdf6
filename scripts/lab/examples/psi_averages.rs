//! Predicts the averages of pressure samples from their totals and prints the worst residual of each file:
//! `cargo run -p numalens-lab --example psi_averages -- HZ FILE...` with the `psi.jsonl` of recordings.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

use numalens_psi::check::averages;
use numalens_psi::{Line, Resource, Sample, SampleSeries};
use serde_json::Value;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(hz) = args.next().and_then(|hz| hz.parse().ok()) else {
        eprintln!("usage: psi_averages HZ FILE...");
        return ExitCode::FAILURE;
    };
    println!("samples  updates  exact  skipped  worst  where");
    for file in args {
        match std::fs::read_to_string(&file) {
            Ok(text) => table(&file, &text, hz),
            Err(error) => eprintln!("{file}: {error}"),
        }
    }
    ExitCode::SUCCESS
}

fn table(file: &str, text: &str, hz: u32) {
    let rows: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let series: Vec<SampleSeries> = Resource::ALL
        .into_iter()
        .map(|resource| SampleSeries {
            cgroup: None,
            resource,
            samples: rows
                .iter()
                .filter_map(|row| sample(row, resource))
                .collect(),
        })
        .collect();
    let samples = rows.len();
    match averages(&series, hz, None) {
        Some(check) => {
            let at = check.worst_at.map_or(String::new(), |at| {
                format!(" at {} {} {} {}", at.0, at.1, at.2, at.3)
            });
            println!(
                "{samples:7}  {:7}  {:5}  {:7}  {:5.2}  {file}{at}",
                check.updates, check.exact, check.skipped, check.worst
            );
        }
        None => println!("{samples:7}  no update  {file}"),
    }
}

fn sample(row: &Value, resource: Resource) -> Option<Sample> {
    let text = row.get(resource.name())?.as_str()?;
    let line = |name: &str| {
        text.lines()
            .find(|line| line.starts_with(name))
            .and_then(line)
    };
    Some(Sample {
        t_ns: row.get("mono_ns")?.as_u64()?,
        end_ns: row.get("mono_end_ns").and_then(Value::as_u64),
        estimated: false,
        some: line("some"),
        full: line("full"),
    })
}

fn line(text: &str) -> Option<Line> {
    let mut values = text
        .split_whitespace()
        .skip(1)
        .filter_map(|part| part.split_once('='))
        .map(|part| part.1);
    let mut avg = [0; 3];
    for avg in &mut avg {
        *avg = values.next()?.replace('.', "").parse().ok()?;
    }
    Some(Line {
        avg,
        total_us: values.next()?.parse().ok()?,
    })
}
