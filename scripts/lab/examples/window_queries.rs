//! Times window queries on a made-up recording: `cargo run --release -p numalens-lab --example window_queries --
//! [events in millions] [CPUs] [nodes] [queries]`. Prints the time to build the index, its size, and the distribution
//! of the time of a query of 2000 pixels over all nodes and 16 CPUs.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    unreachable_pub
)]

use std::time::{Duration, Instant};

use arrow_buffer::Buffer;
use numalens_core::topology::Node;
use numalens_replay::run_state::Inputs;
use numalens_replay::timeline::{Index, Lane};
use numalens_support::recordings::{Ev, Memory, What, config, run_pass, tables};

/// A small generator of numbers (xorshift), the same at every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// A machine under bursty load: seconds of a few switches, then milliseconds of many.
fn recording(events: usize, cpus: u32) -> Vec<Ev> {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut running = vec![0_i32; cpus as usize];
    let mut made = Vec::with_capacity(events);
    let mut ts = 1_000_000_000_000;
    let mut burst = 0;
    while made.len() < events {
        if burst == 0 {
            burst = numbers.below(20_000);
            ts += numbers.below(50_000_000);
        }
        burst -= 1;
        ts += numbers.below(if burst.is_multiple_of(3) { 4_000 } else { 400 });
        let cpu = numbers.below(u64::from(cpus)) as u32;
        let pid = 1 + numbers.below(300) as i32;
        let prev = running[cpu as usize];
        let next = if numbers.below(5) == 0 { 0 } else { pid };
        let state = i64::from(numbers.below(3) != 0);
        made.push(Ev {
            ts,
            cpu,
            what: What::Waking {
                pid,
                target: cpu as i32,
            },
        });
        made.push(Ev {
            ts: ts + 100,
            cpu,
            what: What::Wakeup {
                pid,
                target: cpu as i32,
            },
        });
        made.push(Ev {
            ts: ts + 150,
            cpu,
            what: What::Migrate {
                pid,
                dest: cpu as i32,
            },
        });
        made.push(Ev {
            ts: ts + 200,
            cpu,
            what: What::Switch { prev, state, next },
        });
        running[cpu as usize] = next;
        ts += 200;
    }
    made
}

fn argument(at: usize, default: u64) -> u64 {
    std::env::args()
        .nth(at)
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// Time that this thread has been on a CPU, where the kernel tells it.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(
        text.split(' ')
            .next()
            .and_then(|ns| ns.parse().ok())
            .unwrap_or(0),
    )
}

fn main() {
    let events = recording(argument(1, 10) as usize * 1_000_000, argument(2, 16) as u32);
    let (cpus, per_node) = (argument(2, 16) as u32, argument(2, 16) / argument(3, 4));
    let nodes: Vec<Node> = (0..argument(3, 4) as u32)
        .map(|nid| Node {
            nid,
            cpus: (nid * per_node as u32..(nid + 1) * per_node as u32).collect(),
        })
        .collect();
    let config = config(&events, cpus, nodes.clone());
    let tables = tables(&events, 1 << 16);
    let mut memory = Memory::default();
    let (began, cpu_before) = (Instant::now(), cpu_time());
    let summary = run_pass(tables, &config, Inputs::default(), &mut memory);
    let (took, on_cpu) = (began.elapsed(), cpu_time().saturating_sub(cpu_before));
    let size = memory.bytes() / 1_000_000;
    println!(
        "{} events, {cpus} CPUs: index built in {took:?} ({on_cpu:?} on the CPU), {size} MB",
        events.len()
    );
    drop(events);
    let tasks = Buffer::from_vec(summary.tasks.write(&[], Vec::new()).unwrap());
    let files = memory.files();
    let began = Instant::now();
    let index = Index::open(files, &tasks).unwrap();
    println!("opened in {:?}", began.elapsed());

    let mut lanes: Vec<Lane> = nodes.iter().map(|node| Lane::Node(node.nid)).collect();
    lanes.extend((0..cpus.min(16)).map(Lane::Cpu));
    let (origin, span) = (config.origin_ns, config.end_ns - config.origin_ns);
    let mut numbers = Numbers(7);
    let mut times: Vec<(Duration, u64, usize)> = Vec::new();
    for _ in 0..argument(4, 1000) {
        // Widths from the whole recording down to a microsecond, evenly over the orders of magnitude.
        let width = span
            .checked_shr(numbers.below(u64::from(span.ilog2()) - 10) as u32)
            .unwrap_or(0)
            .max(1000);
        let from = origin + numbers.below(span - width + 1);
        let began = Instant::now();
        let batch = index.window(&lanes, from, from + width, 2000).unwrap();
        times.push((began.elapsed(), width, batch.num_rows()));
    }
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    for (name, share) in [
        ("median", 0.5),
        ("p90", 0.9),
        ("p99", 0.99),
        ("longest", 1.0),
    ] {
        let (took, width, rows) = at(share);
        println!(
            "{name}: {took:?} ({} lanes, window {width} ns, {rows} items)",
            lanes.len()
        );
    }
}
