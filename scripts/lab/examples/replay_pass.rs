//! Times the pass over a stored bundle's events: `cargo run --release -p numalens-lab --example replay_pass --
//! BUNDLE [times] [null | FOLDER] [whole]`. Prints the time on the CPU and the events per second, of each part and of the
//! whole pass or only of that, with the files written nowhere (`null`) or to a folder (default: one in `/dev/shm`).
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    missing_docs,
    unreachable_pub
)]

mod stored;

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use numalens_core::tasks::Tasks;
use numalens_core::{FileSink, Output};
use numalens_events::{Merge, Order};
use numalens_replay::pass;
use numalens_replay::run_state::{Inputs, Observer, Replay, Slice, Unknown};
use numalens_replay::states::{MachineWriter, StateRow};
use numalens_replay::waits::{CauseNs, WaitRow, WaitsWriter};
use stored::{Tables, cpu_times, open};

/// Looks at nothing.
struct Nobody;

impl Observer for Nobody {
    fn slice(&mut self, _: &Slice<'_>, _: &mut Tasks) {}
    fn unknown(&mut self, _: u32, _: u64, _: u64, _: Unknown) {}
}

/// Writes the logs of states and waits, and no index for pictures.
struct Logs {
    machine: MachineWriter,
    waits: WaitsWriter,
}

impl Observer for Logs {
    fn slice(&mut self, _: &Slice<'_>, _: &mut Tasks) {}
    fn unknown(&mut self, _: u32, _: u64, _: u64, _: Unknown) {}
    fn state(&mut self, row: &StateRow) {
        self.machine.push(row);
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

impl FileSink for To {
    fn create(&mut self, name: &str) -> io::Result<Output> {
        Ok(match self {
            Self::Nowhere => Output::new(io::sink()),
            Self::Folder(folder) => {
                let path = folder.join(name);
                fs::create_dir_all(path.parent().unwrap())?;
                Output::new(BufWriter::new(File::create(path)?))
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
        let mut merge = Merge::new(tables.scheduler()).unwrap();
        let mut sum = 0_u64;
        while let Some((ts_ns, row)) = merge.next_row().unwrap() {
            let cpu = row.map_or(0, |(cpu, _)| cpu);
            sum = sum.wrapping_add(ts_ns).wrapping_add(u64::from(cpu));
        }
        std::hint::black_box(sum);
    });
    timed("merge, replay", tables.rows, || {
        let config = &tables.config;
        let mut merge = Merge::new(tables.scheduler()).unwrap();
        let (mut order, origin) = (Order::default(), config.origin_ns);
        let mut replay = Replay::new(
            origin,
            config.cpus,
            &config.nodes,
            config.recorded,
            Inputs::default(),
        );
        while let Some((ts_ns, row)) = merge.next_row().unwrap() {
            if let Some((cpu, event)) = row {
                replay.event(order.take(ts_ns), cpu, &event, &mut Nobody);
            }
        }
        replay.finish(config.end_ns, &mut Nobody);
    });
    timed("merge, replay, logs", tables.rows, || {
        let config = &tables.config;
        let mut merge = Merge::new(tables.scheduler()).unwrap();
        let (mut order, origin) = (Order::default(), config.origin_ns);
        let mut replay = Replay::new(
            origin,
            config.cpus,
            &config.nodes,
            config.recorded,
            Inputs::default(),
        );
        let nowhere = || Output::new(io::sink());
        let mut logs = Logs {
            machine: MachineWriter::new(nowhere()).unwrap(),
            waits: WaitsWriter::new(nowhere(), nowhere()).unwrap(),
        };
        let mut done = 0_u64;
        while let Some((ts_ns, row)) = merge.next_row().unwrap() {
            if let Some((cpu, event)) = row {
                replay.event(order.take(ts_ns), cpu, &event, &mut logs);
            }
            done += 1;
            if done.is_multiple_of(256) {
                logs.machine.flush(|_| ()).unwrap();
                logs.waits.flush().unwrap();
            }
        }
        replay.finish(config.end_ns, &mut logs);
        logs.machine.finish(|_| ()).unwrap();
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
            tables.pass(pass::Tables::default(), &mut sink);
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
