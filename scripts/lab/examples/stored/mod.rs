//! A stored bundle as the examples that time replays read it, and the time that this process took.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use arrow_buffer::Buffer;
use numalens_core::FileSink;
use numalens_core::ipc::IpcFile;
use numalens_core::topology::Node;
use numalens_events::{EventTable, Kind};
use numalens_replay::pass;
use numalens_replay::run_state::Recorded;
use numalens_replay::timeline::Config;

/// User time and system time of this process so far.
pub fn cpu_times() -> (Duration, Duration) {
    let text = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks = |at: usize| Duration::from_millis(10 * fields[at].parse::<u64>().unwrap());
    (ticks(11), ticks(12))
}

/// Time on the CPU so far, as exactly as the kernel tells it.
fn on_cpu() -> Duration {
    let exact = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let exact = exact.and_then(|text| text.split_whitespace().next()?.parse().ok());
    exact.map_or_else(
        || {
            let (user, system) = cpu_times();
            user + system
        },
        Duration::from_nanos,
    )
}

/// How often the work is done in a run: clock ticks, where there is nothing better, are coarse.
#[allow(dead_code)] // Not every example times parts.
const TIMES: u32 = 20;

/// Time on the CPU of the quickest of several runs.
#[allow(dead_code)]
pub fn timed(times: u32, mut work: impl FnMut()) -> Duration {
    let run = |work: &mut dyn FnMut()| {
        let before = on_cpu();
        work();
        on_cpu().saturating_sub(before)
    };
    (0..times)
        .map(|_| {
            run(&mut || {
                for _ in 0..TIMES {
                    work();
                }
            }) / TIMES
        })
        .min()
        .unwrap()
}

pub struct Tables {
    pub files: Vec<(Kind, Buffer, String)>,
    pub config: Config,
    /// Jiffies per second.
    pub hz: u32,
    #[allow(dead_code)] // Not every example counts them.
    pub rows: u64,
}

pub fn number(value: &serde_json::Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

pub fn open(bundle: &Path) -> Tables {
    let text = fs::read_to_string(bundle.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut counts: BTreeMap<Kind, u64> = BTreeMap::new();
    let mut files = Vec::new();
    for table in manifest["tables"].as_array().unwrap() {
        let name = |key: &str| table[key].as_str().unwrap().to_owned();
        let Some(kind) = Kind::of(&name("system"), &name("event")) else {
            continue;
        };
        *counts.entry(kind).or_default() += number(&table["rows"]);
        // Read into memory before the clock starts: the page cache would hold them as well.
        let bytes = fs::read(bundle.join(name("file"))).unwrap();
        files.push((kind, Buffer::from_vec(bytes), name("event")));
    }
    let nodes = manifest["topology"]["nodes"].as_array().unwrap().iter();
    let nodes: Vec<Node> = nodes
        .map(|node| Node {
            nid: number(&node["nid"]) as u32,
            cpus: node["cpus"]
                .as_array()
                .unwrap()
                .iter()
                .map(|cpu| number(cpu) as u32)
                .collect(),
        })
        .collect();
    let has = |kind| counts.contains_key(&kind);
    let config = Config {
        origin_ns: number(&manifest["origin_ns"]),
        end_ns: number(&manifest["end_ns"]),
        cpus: nodes.iter().map(|node| node.cpus.len() as u32).sum(),
        nodes,
        recorded: Recorded {
            wakeup: has(Kind::Wakeup),
            waking: has(Kind::Waking),
            softirq: has(Kind::SoftirqEntry),
            numa_scan: has(Kind::NumaScanReturn),
            newidle: has(Kind::NewIdleReturn),
            balance_rq: has(Kind::BalanceReturn),
        },
        switches: counts.get(&Kind::Switch).copied().unwrap_or(0),
    };
    Tables {
        files,
        config,
        hz: number(&manifest["evidence"]["hz"]) as u32,
        rows: counts.values().sum(),
    }
}

impl Tables {
    pub fn scheduler(&self) -> Vec<EventTable<'static>> {
        let tables = self.files.iter().map(|(kind, bytes, _)| {
            let file = IpcFile::open(bytes.clone(), Some(&Kind::COLUMNS)).unwrap();
            EventTable::events(0, *kind, 0, "", Box::new(file.into_batches()))
        });
        tables.collect()
    }

    /// The pass, with these tables of the balancers besides.
    #[allow(dead_code)] // Not every example runs it.
    pub fn pass(&self, tables: pass::Tables<'static>, sink: &mut dyn FileSink) -> pass::Summary {
        let tables = pass::Tables {
            scheduler: self.scheduler(),
            ..tables
        };
        let mut inputs = pass::PassInputs::default();
        inputs.run_state.hz = self.hz;
        pass::run(tables, &self.config, inputs, sink, &mut |_| true).unwrap()
    }
}
