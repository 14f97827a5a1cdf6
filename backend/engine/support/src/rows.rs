//! Events and state rows made in memory, and a window's rows among them.

use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_replay::states::{MACHINE, OnCpu, State, StateRow};
use proptest::prelude::*;

/// Rows of a recording are before this moment.
pub const END: u64 = 60;

pub fn source() -> Source {
    Source {
        name: "sched_switch".to_owned(),
        label: Label::Replayed,
        missing: Vec::new(),
    }
}

/// Nodes 0, 10, 20, ... with these CPUs.
pub fn nodes(cpus: &[&[u32]]) -> Vec<Node> {
    (0..)
        .zip(cpus)
        .map(|(at, cpus)| Node {
            nid: at * 10,
            cpus: cpus.to_vec(),
        })
        .collect()
}

pub fn cpus(nodes: &[Node]) -> Vec<u32> {
    nodes.iter().flat_map(|node| node.cpus.clone()).collect()
}

pub fn idle(running: u16) -> State {
    State {
        on: OnCpu::Idle,
        running,
        ..State::default()
    }
}

pub fn task(running: u16) -> State {
    State {
        on: OnCpu::Task,
        running,
        ..State::default()
    }
}

pub fn bound(state: State, bound: u16) -> State {
    State { bound, ..state }
}

pub fn row(ts_ns: u64, cpu: u32, state: State) -> StateRow {
    StateRow {
        ts_ns,
        cpu,
        group: MACHINE,
        state,
    }
}

/// The state of a CPU at a moment, if it is known.
pub fn at(rows: &[StateRow], cpu: u32, ts_ns: u64) -> Option<State> {
    rows.iter()
        .rev()
        .find(|row| row.cpu == cpu && row.ts_ns <= ts_ns)
        .map(|row| row.state)
}

/// The rows of a window, as `States::scan` gives them.
pub fn window(rows: &[StateRow], nodes: &[Node], from_ns: u64, to_ns: u64) -> Vec<StateRow> {
    let mut window: Vec<StateRow> = cpus(nodes)
        .into_iter()
        .filter_map(|cpu| at(rows, cpu, from_ns).map(|state| row(from_ns, cpu, state)))
        .collect();
    let changes = rows.iter();
    window.extend(changes.filter(|row| row.ts_ns > from_ns && row.ts_ns <= to_ns));
    window
}

/// Up to three nodes with up to three CPUs each; CPU numbers take turns among the nodes.
pub fn machine() -> impl Strategy<Value = Vec<Node>> {
    prop::collection::vec(1_usize..=3, 1..=3).prop_map(|sizes| {
        let mut nodes: Vec<Node> = nodes(&vec![&[][..]; sizes.len()]);
        let mut cpu = 0;
        for round in 0..3 {
            for (node, &size) in nodes.iter_mut().zip(&sizes) {
                if round < size {
                    node.cpus.push(cpu);
                    cpu += 1;
                }
            }
        }
        nodes
    })
}

fn state() -> impl Strategy<Value = State> {
    (0_u8..8, 0_u16..5, 0_u16..5).prop_map(|(on, running, bound)| {
        let on = match on {
            0 => OnCpu::Unknown,
            1 => OnCpu::Lost,
            2..5 => OnCpu::Idle,
            _ => OnCpu::Task,
        };
        let mut state = State {
            on,
            running: running.max(u16::from(on == OnCpu::Task)),
            ..State::default()
        };
        state.bound = bound.min(state.waiting());
        state
    })
}

/// A machine and rows on it.
pub fn recording() -> impl Strategy<Value = (Vec<Node>, Vec<StateRow>)> {
    let step = (0_u64..4, any::<prop::sample::Index>(), state());
    (machine(), prop::collection::vec(step, 0..30)).prop_map(|(nodes, steps)| {
        let cpus = cpus(&nodes);
        let mut ts_ns = 0;
        let rows = steps.into_iter().map(|(ns, cpu, state)| {
            ts_ns += ns;
            row(ts_ns, *cpu.get(&cpus), state)
        });
        (nodes, rows.filter(|row| row.ts_ns < END).collect())
    })
}

/// Three moments in order, somewhere in and around the recording.
pub fn moments() -> impl Strategy<Value = [u64; 3]> {
    [0..END + 10, 0..END + 10, 0..END + 10].prop_map(|mut moments| {
        moments.sort_unstable();
        moments
    })
}

/// Kind of annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Switch {
        prev: i32,
        state: i64,
        next: i32,
    },
    Waking {
        pid: i32,
        target: i32,
    },
    Wakeup {
        pid: i32,
        target: i32,
    },
    WakeupNew {
        pid: i32,
        target: i32,
    },
    Migrate {
        pid: i32,
        dest: i32,
    },
    Free {
        pid: i32,
    },
    Fork {
        parent: i32,
        child: i32,
    },
    Exit {
        pid: i32,
    },
    Attach {
        pid: i32,
        path: &'static str,
    },
    Stall {
        pid: i32,
        enter: bool,
    },
    Irq {
        softirq: bool,
        vec: i32,
        enter: bool,
    },
    Raise {
        vec: i32,
    },
    Scan {
        pid: i32,
        enter: bool,
    },
    Lost,
    Pause,
}

/// An event of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ev {
    pub ts: u64,
    pub cpu: u32,
    pub what: What,
}

/// The task that stops CPU 0.
pub const STOPPER: i32 = 99;

/// Name of a task in these recordings.
pub fn comm(pid: i32) -> String {
    match pid {
        // Named as the kernel names its threads of one CPU.
        5 => "kworker/1:0".to_owned(),
        STOPPER => "migration/0".to_owned(),
        _ => format!("task{pid}"),
    }
}
