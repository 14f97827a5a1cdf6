//! How long the meters take for a row. Run alone:
//! `cargo test --release -p numalens-engine --test all waste_speed -- --ignored --nocapture`
#![allow(clippy::print_stdout, missing_docs)]

use std::convert::Infallible;
use std::fs;

use numalens_core::topology::Node;
use numalens_machine::utilisation;
use numalens_replay::states::{OnCpu, StateRow};
use numalens_replay::waits::{Cause, CauseNs, WaitEnd, WaitFrom, WaitPart, WaitRow};
use numalens_subject::window::Names;
use numalens_support::rows::{idle, row, source, task};
use numalens_waits as latency;
use numalens_waste as waste;

const ROWS: usize = 4_000_000;
const WAITS: usize = 2_000_000;

/// Numbers that follow no pattern (`SplitMix64`).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ (x >> 31)) % end
    }
}

/// `nodes` nodes of `size` CPUs, and rows a microsecond apart. `tasks` of 16 CPUs are busy at a time, with up to two tasks
/// waiting on each.
fn recording(nodes: u32, size: u32, tasks: u64) -> (Vec<Node>, Vec<StateRow>) {
    let mut random = Random(1);
    let machine = (0..nodes)
        .map(|nid| Node {
            nid,
            cpus: (nid * size..(nid + 1) * size).collect(),
        })
        .collect();
    let cpus = u64::from(nodes * size);
    let mut rows: Vec<StateRow> = (0..nodes * size).map(|cpu| row(0, cpu, idle(0))).collect();
    rows.extend((0..ROWS as u64).map(|at| {
        let cpu = random.below(cpus) as u32;
        let busy = random.below(16) < tasks;
        let state = if busy {
            task(1 + random.below(3) as u16)
        } else {
            idle(0)
        };
        row(at * 1000, cpu, state)
    }));
    (machine, rows)
}

/// Time that this thread had on a CPU, ns: what else the machine does is not the meters' fault.
fn now() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split(' ').next();
    first.and_then(|ns| ns.parse().ok()).unwrap_or(0)
}

fn report(what: &str, count: usize, since: u64) {
    let ns = (now() - since) as f64 / count as f64;
    println!("{what:60} {ns:6.1} ns a row");
}

#[test]
#[ignore = "measures time"]
fn state_rows() {
    for (nodes, size, tasks) in [(1, 8, 8), (2, 8, 8), (2, 8, 15), (8, 16, 8), (8, 16, 15)] {
        let (machine, rows) = recording(nodes, size, tasks);
        let to_ns = ROWS as u64 * 1000;
        // What reading the rows costs by itself, with one branch that cannot be predicted.
        let since = now();
        let busy = rows.iter().filter(|row| row.state.on == OnCpu::Task);
        let sum: u64 = busy.map(|row| row.ts_ns % 3).sum();
        report(&format!("reading alone ({sum})"), rows.len(), since);
        let since = now();
        let mut meter = waste::Meter::new(&waste::Config {
            nodes: &machine,
            from_ns: 0,
            to_ns,
            step_ns: None,
            source: source(),
            affinity: true,
            movable: false,
        });
        for row in &rows {
            meter.row(row);
        }
        let wasted = meter.finish().cpu_seconds;
        let what = format!("waste, {nodes} nodes of {size} CPUs, {tasks}/16 busy, W {wasted:.1} s");
        report(&what, rows.len(), since);
        let since = now();
        let mut meter = utilisation::Meter::new(&utilisation::Config {
            nodes: &machine,
            from_ns: 0,
            to_ns,
            step_ns: None,
            source: source(),
        });
        for row in &rows {
            meter.row(row);
        }
        let average = meter
            .finish()
            .nodes
            .first()
            .map_or(0, |node| node.average.unwrap_or(0));
        let what = format!("utilisation, the same, average {average} %");
        report(&what, rows.len(), since);
    }
}

struct Nobody;

impl Names for Nobody {
    fn task(&self, task: u32) -> (i32, &str) {
        (task as i32, "")
    }

    fn cgroup(&self, _: u32) -> &'static str {
        "/"
    }
}

#[test]
#[ignore = "measures time"]
fn waits() {
    let mut random = Random(2);
    let (machine, _) = recording(4, 16, 8);
    for tasks in [100, 10_000] {
        let mut rows = Vec::new();
        let mut causes = Vec::new();
        for at in 0..WAITS as u64 {
            let bits = 10 + random.below(14);
            let ns = 2000 + random.below(1 << bits);
            rows.push(WaitRow {
                start_ns: at * 1000,
                end_ns: at * 1000 + ns,
                task: 1 + random.below(tasks) as u32,
                prio: 120,
                cpu: random.below(64) as u32,
                from_cpu: 0,
                from: if random.below(4) == 0 {
                    WaitFrom::Preempted
                } else {
                    WaitFrom::Waking
                },
                end: WaitEnd::Ran,
                waker_pid: 1,
                group: 0,
            });
            causes.push([
                CauseNs {
                    cause: Cause::WakeUp,
                    ns: 1000,
                },
                CauseNs {
                    cause: Cause::Busy,
                    ns: ns - 1000,
                },
            ]);
        }
        let since = now();
        let mut meter = latency::Meter::new(&latency::Config {
            nodes: &machine,
            pids: &[0],
            own: &[],
            source: source(),
            requests: true,
            cgroups: true,
            limit: 50,
        });
        for (row, causes) in rows.iter().zip(&causes) {
            meter.wait(&WaitPart::whole(row, causes));
        }
        report(
            &format!("latency, {tasks} tasks: taking in"),
            rows.len(),
            since,
        );
        let since = now();
        let found = meter
            .finish(&Nobody, |_, _, _| Ok::<_, Infallible>(Vec::new()))
            .unwrap();
        let what = format!(
            "latency, {tasks} tasks: the answer ({} wake-ups)",
            found.wakeups
        );
        report(&what, rows.len(), since);
    }
}
