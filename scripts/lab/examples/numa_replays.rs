//! Times the NUMA replays of a stored bundle against the run-state pass: `cargo run --release -p numalens-lab --example
//! numa_replays -- BUNDLE [times]`. Prints the time on the CPU of each and what they add to the pass, in percent; files are
//! written nowhere.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    missing_docs,
    unreachable_pub
)]

mod stored;

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arrow_buffer::Buffer;
use numalens_cling::events::{Inputs as ClingInputs, Lateness, replay};
use numalens_cling::lines;
use numalens_cling::timer::{Clock, SCAN_PERIOD_MAX_MS};
use numalens_core::ipc::IpcFile;
use numalens_core::provenance::{Label, Source};
use numalens_core::{FileSink, Output};
use numalens_events::NumaKind;
use numalens_numa_balancing::attempts;
use numalens_numa_balancing::decision::{Config as Explained, Explainer};
use numalens_page_migration::metrics;
use numalens_page_migration::metrics::{AMORTISATION_NS, Reasons, Samples, measure_runs};
use numalens_replay::migrations::{MIGRATIONS_FILE, Migrations};
use numalens_replay::numa::{
    ATTEMPTS_FILE, Attempt, Attempts, LINES_FILE, Lines, NumaTable, PAGE_RUNS_FILE, PAGES_FILE,
    Pages,
};
use numalens_replay::pass;
use numalens_replay::states::{MACHINE_FILE, States, Which};
use stored::{open, timed};

struct Nowhere;

impl FileSink for Nowhere {
    fn create(&mut self, _: &str) -> io::Result<Output> {
        Ok(Output::new(io::sink()))
    }
}

/// Keeps the logs, so that the replays read those of the pass that is timed.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<HashMap<String, Vec<u8>>>>);

struct Into(Memory, String);

impl Write for Into {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut files = (self.0).0.lock().unwrap();
        files.entry(self.1.clone()).or_default().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FileSink for Memory {
    fn create(&mut self, name: &str) -> io::Result<Output> {
        Ok(Output::new(Into(self.clone(), name.to_owned())))
    }
}

impl Memory {
    fn bytes(&self, name: &str) -> Buffer {
        Buffer::from_vec(
            self.0
                .lock()
                .unwrap()
                .get(name)
                .cloned()
                .unwrap_or_default(),
        )
    }
}

/// The tables of NUMA events, read into memory.
struct NumaFiles(Vec<(NumaKind, Buffer, String)>);

impl NumaFiles {
    fn open(bundle: &Path) -> Self {
        let text = fs::read_to_string(bundle.join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut found = Vec::new();
        for table in manifest["tables"].as_array().unwrap() {
            let name = |key: &str| table[key].as_str().unwrap();
            let bytes = Buffer::from_vec(fs::read(bundle.join(name("file"))).unwrap());
            let file = IpcFile::open(bytes.clone(), None).unwrap();
            let schema = file.schema().clone();
            let fields = schema.fields().iter();
            let columns: Vec<&str> = fields.map(|field| field.name().as_str()).collect();
            if let Some(kind) = NumaKind::of(name("system"), name("event"), &columns) {
                let fmt = file.metadata().remove("print_fmt").unwrap_or_default();
                found.push((kind, bytes, fmt));
            }
        }
        Self(found)
    }

    fn tables(&self) -> pass::Tables<'static> {
        let tables = self.0.iter().map(|(kind, bytes, fmt)| {
            let file = IpcFile::open(bytes.clone(), Some(NumaKind::COLUMNS)).unwrap();
            NumaTable::events(0, *kind, 0, fmt, Box::new(file.into_batches()))
        });
        pass::Tables {
            numa: tables.collect(),
            ..pass::Tables::default()
        }
    }
}

#[allow(clippy::too_many_lines)] // One replay after the other.
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let bundle = Path::new(&arguments[1]);
    let times = arguments.get(2).map_or(3, |text| text.parse().unwrap());
    let tables = open(bundle);
    let (origin, end) = (tables.config.origin_ns, tables.config.end_ns);
    let nodes = &tables.config.nodes;
    let file = |name: &str| Buffer::from_vec(fs::read(bundle.join(name)).unwrap());
    let numa_files = NumaFiles::open(bundle);
    let migrations = Migrations::open(file(MIGRATIONS_FILE)).unwrap();
    let mut logs = Memory::default();
    tables.pass(numa_files.tables(), &mut logs);
    let attempts_log = Attempts::open(logs.bytes(ATTEMPTS_FILE)).unwrap();
    let pages = Pages::open(logs.bytes(PAGE_RUNS_FILE), logs.bytes(PAGES_FILE)).unwrap();
    let printed = Lines::open(logs.bytes(LINES_FILE)).unwrap();
    let states = States::open(file(MACHINE_FILE), None).unwrap();
    let source = Source {
        name: String::new(),
        label: Label::Replayed,
        missing: Vec::new(),
    };
    let mut attempts: Vec<Attempt> = Vec::new();
    attempts_log
        .scan(origin, end, |attempt| attempts.push(*attempt))
        .unwrap();
    let nids: Vec<i32> = nodes.iter().map(|node| node.nid as i32).collect();

    let base = timed(times, || {
        drop(tables.pass(pass::Tables::default(), &mut Nowhere));
    });
    let logs = timed(times, || {
        drop(tables.pass(numa_files.tables(), &mut Nowhere));
    });
    let logs = logs.saturating_sub(base);
    let cling = timed(times, || {
        let mut scanned = lines::Replay::new(lines::Config::new(nids.clone()));
        let scan = printed.scan(origin, end, |row| {
            scanned.push(row.ts_ns, row.cpu, &row.line);
        });
        scan.unwrap();
        std::hint::black_box(scanned.finish(&[]));
        let inputs = ClingInputs {
            attempts: &attempts,
            timers: &[],
            readings: &[],
            nodes: &nids,
            clock: Clock {
                at_ns: origin,
                jiffies: 0,
                hz: 250,
            },
            jiffies_known: false,
            scan_period_max_ms: SCAN_PERIOD_MAX_MS,
            from_ns: origin,
            to_ns: end,
            lateness: Lateness::default(),
            missing: &[],
        };
        std::hint::black_box(replay(&inputs));
    });
    let reconcile = timed(times, || {
        let config = Explained {
            nodes,
            kernel: None,
            llcs_per_node: None,
            from_ns: origin,
            to_ns: end,
            source: source.clone(),
        };
        let mut explainer = Explainer::new(config, &attempts);
        let scan = states.scan(Which::Machine, origin, end, |row| explainer.row(row));
        scan.unwrap();
        std::hint::black_box(explainer.finish());
        let config = attempts::Config {
            nodes,
            from_ns: origin,
            to_ns: end,
            stick: None,
            source: source.clone(),
        };
        let mut meter = attempts::Meter::new(&config, &|_| "");
        for attempt in &attempts {
            meter.attempt(attempt);
        }
        for migration in migrations.rows(origin, end).unwrap() {
            meter.migration(&migration);
        }
        std::hint::black_box(meter.finish());
    });
    let migrate = timed(times, || {
        let config = metrics::Config {
            nodes,
            begin_ns: origin,
            end_ns: end,
            from_ns: origin,
            to_ns: end,
            amortisation_ns: AMORTISATION_NS,
            step_ns: None,
            reasons: Reasons::default(),
            tgid: &|_| None,
            samples: &Samples::default(),
            attempts: Some(&attempts),
            vmstat: &[],
            stays: None,
            nodes_recorded: false,
            moves: source.clone(),
            pages: Some(source.clone()),
        };
        let (moves, runs) = (
            migrations.rows(origin, end).unwrap(),
            pages.runs(origin, end).unwrap(),
        );
        std::hint::black_box(measure_runs(config, moves, runs));
    });
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let all = logs + cling + reconcile + migrate;
    println!(
        "run-state pass {:.2} ms; NUMA events {:.2}, cling {:.2}, reconcile {:.2}, migrate on fault {:.2} ms; together {:.1} % of the pass",
        ms(base),
        ms(logs),
        ms(cling),
        ms(reconcile),
        ms(migrate),
        100.0 * all.as_secs_f64() / base.as_secs_f64(),
    );
}
