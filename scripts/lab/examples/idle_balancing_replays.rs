//! Times the replays of the idle load balancer of a stored bundle against the run-state pass: `cargo run --release -p
//! numalens-lab --example idle_balancing_replays -- BUNDLE [times]`. Prints the time on the CPU of what a reading adds to the pass, the
//! log of events, and of what whoever asks for the section waits for, with no model and with all, in percent of the pass; files
//! are written nowhere.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    missing_docs,
    unreachable_pub
)]

mod stored;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arrow_buffer::Buffer;
use numalens_core::ipc::IpcFile;
use numalens_core::kernel_version::KernelVersion;
use numalens_core::{FileSink, Output};
use numalens_events::IlbKind;
use numalens_idle_balancing::{Config, ModelKind, StudyRequest, idle, study};
use numalens_replay::idle_balancing::{EVENTS_FILE, Events, IlbTable, learn_csd};
use numalens_replay::pass;
use numalens_replay::states::{MACHINE_FILE, States};
use stored::{open, timed};

struct Nowhere;

impl FileSink for Nowhere {
    fn create(&mut self, _: &str) -> io::Result<Output> {
        Ok(Output::new(io::sink()))
    }
}

/// Keeps the log of the balancer's events.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl FileSink for Kept {
    fn create(&mut self, name: &str) -> io::Result<Output> {
        Ok(match name {
            EVENTS_FILE => Output::new(self.clone()),
            _ => Output::new(io::sink()),
        })
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The tables of the balancer's events, read into memory.
struct Files(Vec<(IlbKind, Buffer)>);

impl Files {
    fn open(bundle: &Path, manifest: &serde_json::Value) -> Self {
        let mut found = Vec::new();
        for table in manifest["tables"].as_array().unwrap() {
            let name = |key: &str| table[key].as_str().unwrap();
            let bytes = Buffer::from_vec(fs::read(bundle.join(name("file"))).unwrap());
            let file = IpcFile::open(bytes.clone(), None).unwrap();
            let fields = file.schema().fields().iter();
            let columns: Vec<&str> = fields.map(|field| field.name().as_str()).collect();
            let kind = IlbKind::of(name("system"), name("event"), &columns);
            found.extend(kind.map(|kind| (kind, bytes)));
        }
        Self(found)
    }

    fn tables(&self, only: Option<IlbKind>, csd: Option<u64>) -> Vec<IlbTable<'static>> {
        let wanted = self
            .0
            .iter()
            .filter(|file| only.is_none_or(|only| only == file.0));
        let table = |(kind, bytes): &(IlbKind, Buffer)| {
            let called = matches!(kind, IlbKind::CsdQueue | IlbKind::CsdEntry);
            let file = IpcFile::open(bytes.clone(), Some(IlbKind::COLUMNS)).unwrap();
            let batches = Box::new(file.into_batches());
            IlbTable::new(0, *kind, 0, csd.filter(|_| called), batches)
        };
        wanted.map(table).collect()
    }

    /// All that the pass follows of it.
    fn all(&self) -> pass::Tables<'static> {
        let one = |kind| self.tables(Some(kind), None).pop();
        let csd = one(IlbKind::CsdEntry).zip(one(IlbKind::Arrive));
        let csd = csd.and_then(|(entries, arrivals)| learn_csd(entries, arrivals).unwrap());
        pass::Tables {
            idle_balancing: self.tables(None, csd),
            ..pass::Tables::default()
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let bundle = Path::new(&arguments[1]);
    let times = arguments.get(2).map_or(3, |text| text.parse().unwrap());
    let text = fs::read_to_string(bundle.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let tables = open(bundle);
    let (origin, end) = (tables.config.origin_ns, tables.config.end_ns);
    let files = Files::open(bundle, &manifest);
    let mut kept = Kept::default();
    let evidence = &manifest["evidence"];
    let summary = tables.pass(files.all(), &mut kept);
    let (kinds, jiffies) = (summary.idle_balancing, summary.jiffies);
    let events = Events::open(Buffer::from_vec(kept.0.lock().unwrap().clone())).unwrap();
    let states = Buffer::from_vec(fs::read(bundle.join(MACHINE_FILE)).unwrap());
    let states = States::open(states, None).unwrap();
    let kernel: Option<KernelVersion> = serde_json::from_value(evidence["kernel"].clone()).unwrap();
    let cpus = tables.config.cpus as usize;
    let mut llc = vec![0; cpus];
    for (at, node) in tables.config.nodes.iter().enumerate() {
        for &cpu in &node.cpus {
            llc[cpu as usize] = at as u32;
        }
    }
    let request = |follow: &[ModelKind]| StudyRequest {
        config: Config {
            kernel,
            cpus,
            llc: llc.clone(),
            jiffies,
            kinds,
            from_ns: origin,
            to_ns: end,
            count_from_ns: origin,
            follow: follow.to_vec(),
        },
        keep: follow.last().copied(),
        idle: vec![idle::seconds(origin, end)],
    };
    let base = timed(times, || {
        drop(tables.pass(pass::Tables::default(), &mut Nowhere));
    });
    let log = timed(times, || drop(tables.pass(files.all(), &mut Nowhere)));
    let log = log.saturating_sub(base);
    let observed = timed(times, || {
        std::hint::black_box(study(&events, &states, request(&[])).unwrap());
    });
    let all = timed(times, || {
        std::hint::black_box(study(&events, &states, request(&ModelKind::all(kinds))).unwrap());
    });
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let share = |time: Duration| 100.0 * time.as_secs_f64() / base.as_secs_f64();
    println!(
        "run-state pass {:.2} ms; its log adds {:.2} ms = {:.1} % to a reading; requested, observation {:.2} ms = {:.1} %, all \
         models {:.2} ms more = {:.1} %; together {:.1} % of the pass",
        ms(base),
        ms(log),
        share(log),
        ms(observed),
        share(observed),
        ms(all.saturating_sub(observed)),
        share(all.saturating_sub(observed)),
        share(log + all),
    );
}
