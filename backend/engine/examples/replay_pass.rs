//! Times the pass over a stored bundle's events: `cargo run --release -p numalens-engine --example replay_pass --
//! BUNDLE [times] [null | FOLDER] [whole]`. Prints the time on the CPU and the events per second, of each part and of the
//! whole pass or only of that, with the files written nowhere (`null`) or to a folder (default: one in `/dev/shm`).
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    missing_docs,
    unreachable_pub
)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arrow_buffer::Buffer;
use numalens_engine::events::{EventTable, Kind, Merge};
use numalens_engine::ipc::IpcFile;
use numalens_engine::pass;
use numalens_engine::run_state::{Inputs, Observer, Recorded, Replay, Stay, Unknown};
use numalens_engine::states::{MachineWriter, Reorder, StateRow};
use numalens_engine::tasks::Tasks;
use numalens_engine::timeline::{Config, IndexSink};
use numalens_engine::topology::Node;
use numalens_engine::waits::{CauseNs, WaitRow, WaitsWriter};

/// User time and system time of this process so far.
fn cpu_times() -> (Duration, Duration) {
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

struct Tables {
    files: Vec<(Kind, Buffer, String)>,
    config: Config,
    rows: u64,
}

fn number(value: &serde_json::Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

fn open(bundle: &Path) -> Tables {
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
        },
        switches: counts.get(&Kind::Switch).copied().unwrap_or(0),
    };
    Tables {
        files,
        config,
        rows: counts.values().sum(),
    }
}

impl Tables {
    fn merge(&self) -> Merge<'static> {
        let tables = self.files.iter().map(|(kind, bytes, _)| {
            let file = IpcFile::open(bytes.clone(), Some(&Kind::COLUMNS)).unwrap();
            EventTable::events(0, *kind, 0, "", Box::new(file.into_batches()))
        });
        Merge::new(tables.collect()).unwrap()
    }
}

/// Looks at nothing.
struct Nobody;

impl Observer for Nobody {
    fn stay(&mut self, _: &Stay<'_>, _: &mut Tasks) {}
    fn cpu(&mut self, _: u64, _: u32, _: bool, _: u32) {}
    fn unknown(&mut self, _: u32, _: u64, _: u64, _: Unknown) {}
}

/// Writes the logs of states and waits, and no index for pictures.
struct Logs {
    machine: MachineWriter,
    reorder: Reorder,
    waits: WaitsWriter,
}

impl Observer for Logs {
    fn stay(&mut self, _: &Stay<'_>, _: &mut Tasks) {}
    fn cpu(&mut self, _: u64, _: u32, _: bool, _: u32) {}
    fn unknown(&mut self, _: u32, _: u64, _: u64, _: Unknown) {}
    fn state(&mut self, row: &StateRow) {
        let machine = &mut self.machine;
        self.reorder.push(row, |row| machine.push(row));
    }
    fn wait(&mut self, wait: &WaitRow, causes: &[CauseNs]) {
        self.waits.push(wait, causes);
    }
}

/// Where the files go.
enum To {
    Nowhere,
    Folder(PathBuf),
}

impl IndexSink for To {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write>> {
        Ok(match self {
            Self::Nowhere => Box::new(io::sink()),
            Self::Folder(folder) => {
                let path = folder.join(name);
                fs::create_dir_all(path.parent().unwrap())?;
                Box::new(BufWriter::new(File::create(path)?))
            }
        })
    }
}

fn timed(name: &str, events: u64, work: impl FnOnce()) {
    let (before, began) = (cpu_times(), Instant::now());
    work();
    let (took, after) = (began.elapsed(), cpu_times());
    let user = after.0.saturating_sub(before.0);
    let system = after.1.saturating_sub(before.1);
    let speed = |time: Duration| events as f64 / time.as_secs_f64() / 1e6;
    println!(
        "{name:24} user {:5.2} s ({:5.1} M events/s)  system {:5.2} s  wall {:5.2} s ({:5.1} M events/s)",
        user.as_secs_f64(),
        speed(user),
        system.as_secs_f64(),
        took.as_secs_f64(),
        speed(took),
    );
}

fn time_parts(tables: &Tables) {
    timed("merge", tables.rows, || {
        let mut merge = tables.merge();
        let mut sum = 0_u64;
        while let Some((now, cpu, _)) = merge.next_event().unwrap() {
            sum = sum.wrapping_add(now).wrapping_add(u64::from(cpu));
        }
        std::hint::black_box(sum);
    });
    timed("merge, replay", tables.rows, || {
        let config = &tables.config;
        let (mut merge, origin) = (tables.merge(), config.origin_ns);
        let mut replay = Replay::new(
            origin,
            config.cpus,
            &config.nodes,
            config.recorded,
            Inputs::default(),
        );
        while let Some((now, cpu, event)) = merge.next_event().unwrap() {
            replay.event(now, cpu, &event, &mut Nobody);
        }
        replay.finish(config.end_ns, &mut Nobody);
    });
    timed("merge, replay, logs", tables.rows, || {
        let config = &tables.config;
        let (mut merge, origin) = (tables.merge(), config.origin_ns);
        let mut replay = Replay::new(
            origin,
            config.cpus,
            &config.nodes,
            config.recorded,
            Inputs::default(),
        );
        let nowhere = || Box::new(io::sink());
        let mut logs = Logs {
            machine: MachineWriter::new(nowhere()).unwrap(),
            reorder: Reorder::default(),
            waits: WaitsWriter::new(nowhere(), nowhere()).unwrap(),
        };
        let mut done = 0_u64;
        while let Some((now, cpu, event)) = merge.next_event().unwrap() {
            replay.event(now, cpu, &event, &mut logs);
            done += 1;
            if done.is_multiple_of(256) {
                logs.machine.flush().unwrap();
                logs.waits.flush().unwrap();
            }
        }
        replay.finish(config.end_ns, &mut logs);
        let machine = &mut logs.machine;
        logs.reorder.finish(|row| machine.push(row));
        logs.machine.finish().unwrap();
        logs.waits.finish().unwrap();
    });
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let tables = open(Path::new(&arguments[1]));
    let times = arguments
        .get(2)
        .map_or(1, |text| text.parse::<u32>().unwrap());
    let to = arguments
        .get(3)
        .map_or("/dev/shm/numalens_pass", String::as_str);
    println!(
        "{} events in {} tables, files to {to}",
        tables.rows,
        tables.files.len()
    );
    let parts = arguments.get(4).is_none_or(|text| text != "whole");
    for _ in 0..times {
        if parts {
            time_parts(&tables);
        }
        timed("whole pass", tables.rows, || {
            let mut sink = match to {
                "null" => To::Nowhere,
                folder => To::Folder(folder.into()),
            };
            let merge = tables.merge();
            pass::run(
                merge,
                &tables.config,
                Inputs::default(),
                &mut sink,
                &mut |_| true,
            )
            .unwrap();
        });
    }
    if to != "null" {
        let mut files: Vec<PathBuf> = vec![to.into()];
        while let Some(path) = files.pop() {
            if path.is_dir() {
                files.extend(
                    fs::read_dir(path)
                        .unwrap()
                        .map(|entry| entry.unwrap().path()),
                );
            } else {
                println!(
                    "{:6.1} MB  {}",
                    fs::metadata(&path).unwrap().len() as f64 / 1e6,
                    path.display()
                );
            }
        }
        fs::remove_dir_all(to).unwrap();
    }
}
