//! Idle CPUs during a wait.

use std::cmp::Reverse;

use numalens_core::EngineError;
use numalens_core::tasks::TaskId;
use numalens_core::topology::Node;
use numalens_replay::states::{OnCpu, States, Which};
use numalens_replay::timeline::Index;
use numalens_subject::window::{Names, Places};

use crate::queues::OnQueue;
use crate::story::lane::{Lane, Piece, Sum};
use crate::story::{IdleCpu, IdleNode, IdlePiece, Runner};

/// CPUs that are listed one by one.
const MOST_CPUS: usize = 256;
/// Pieces of all CPUs together, about.
const MOST_PIECES: usize = 4096;
/// Pieces of a node.
const NODE_PIECES: usize = 400;

/// Idle time of several CPUs, and how much of the time any of them was idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OfNode {
    idle_ns: u64,
    any_ns: u64,
}

impl Sum for OfNode {
    fn add(&mut self, other: &Self) {
        self.idle_ns += other.idle_ns;
        self.any_ns += other.any_ns;
    }
}

#[derive(Debug)]
struct OneCpu {
    on: OnCpu,
    since: u64,
    idle_ns: u64,
    lane: Lane<u64>,
}

#[derive(Debug)]
struct OneNode {
    idle: u32,
    since: u64,
    lane: Lane<OfNode>,
}

impl OneNode {
    fn until(&mut self, ts: u64) {
        let (from, idle) = (self.since, self.idle);
        self.since = ts;
        if idle > 0 && ts > from {
            let sum = OfNode {
                idle_ns: (ts - from) * u64::from(idle),
                any_ns: ts - from,
            };
            self.lane.push(Piece::one(from, ts, sum));
        }
    }
}

/// Results.
pub(super) struct Idle {
    pub(super) nodes: Vec<IdleNode>,
    pub(super) cpus: Vec<IdleCpu>,
    pub(super) cpus_more: u64,
}

/// All CPUs over a time.
struct Follow<'a> {
    places: &'a Places,
    start: u64,
    end: u64,
    /// Pieces of a CPU.
    most: usize,
    cpus: Vec<OneCpu>,
    nodes: Vec<OneNode>,
}

impl Follow<'_> {
    fn turn(&mut self, cpu: u32, on: OnCpu, ts: u64) {
        let (start, end, most) = (self.start, self.end, self.most);
        let at = cpu as usize;
        if at >= self.cpus.len() {
            self.cpus.resize_with(at + 1, || OneCpu {
                on: OnCpu::Unknown,
                since: start,
                idle_ns: 0,
                lane: Lane::new(start, end, most),
            });
        }
        let one = &mut self.cpus[at];
        let was = std::mem::replace(&mut one.on, on);
        if (was == OnCpu::Idle) == (on == OnCpu::Idle) {
            return;
        }
        let place = (self.places.of(cpu) as usize).min(self.nodes.len() - 1);
        let node = &mut self.nodes[place];
        node.until(ts);
        if on == OnCpu::Idle {
            node.idle += 1;
            one.since = ts;
        } else {
            node.idle -= 1;
            one.idle_ns += ts - one.since;
            one.lane.push(Piece::one(one.since, ts, ts - one.since));
        }
    }

    fn finish(&mut self) {
        for cpu in 0..self.cpus.len() {
            self.turn(cpu as u32, OnCpu::Unknown, self.end);
        }
        for node in &mut self.nodes {
            node.until(self.end);
        }
    }
}

/// Follows all CPUs over a time. `home` is the only CPU that may run the task, if it is known to be bound to one.
pub(super) fn idle(
    states: &States,
    machine: &[Node],
    places: &Places,
    (start, end): (u64, u64),
    home: Option<u32>,
) -> Result<Idle, EngineError> {
    let known: usize = machine.iter().map(|node| node.cpus.len()).sum();
    let nodes = (0..=machine.len()).map(|_| OneNode {
        idle: 0,
        since: start,
        lane: Lane::new(start, end, NODE_PIECES),
    });
    let mut follow = Follow {
        places,
        start,
        end,
        most: (MOST_PIECES / known.max(1)).clamp(16, NODE_PIECES),
        cpus: Vec::new(),
        nodes: nodes.collect(),
    };
    states.scan(Which::Machine, start, end, |row| {
        follow.turn(row.cpu, row.state.on, row.ts_ns.clamp(start, end));
    })?;
    follow.finish();
    let mut cpus: Vec<IdleCpu> = (0..)
        .zip(follow.cpus)
        .filter(|(_, one)| one.idle_ns > 0)
        .map(|(cpu, one)| IdleCpu {
            cpu,
            nid: places.nid(cpu),
            idle_ns: one.idle_ns,
            allowed: home.map(|home| home == cpu),
            pieces: one
                .lane
                .finish()
                .into_iter()
                .map(|piece| of_cpu(&piece))
                .collect(),
        })
        .collect();
    let more = cpus.len().saturating_sub(MOST_CPUS);
    if more > 0 {
        cpus.sort_by_key(|cpu| (std::cmp::Reverse(cpu.idle_ns), cpu.cpu));
        cpus.truncate(MOST_CPUS);
        cpus.sort_by_key(|cpu| cpu.cpu);
    }
    Ok(Idle {
        nodes: told_nodes(machine, follow.nodes),
        cpus,
        cpus_more: more as u64,
    })
}

fn told_nodes(machine: &[Node], nodes: Vec<OneNode>) -> Vec<IdleNode> {
    let names = machine
        .iter()
        .map(|node| (Some(node.nid), node.cpus.len() as u32));
    let all = names.chain([(None, 0)]).zip(nodes);
    all.map(|((nid, cpus), node)| {
        let pieces = node.lane.finish();
        IdleNode {
            nid,
            cpus,
            idle_ns: pieces.iter().map(|piece| piece.sum.idle_ns).sum(),
            any_ns: pieces.iter().map(|piece| piece.sum.any_ns).sum(),
            pieces: pieces
                .iter()
                .map(|piece| IdlePiece {
                    from_ns: piece.from_ns,
                    to_ns: piece.to_ns,
                    count: piece.count,
                    idle_ns: piece.sum.idle_ns,
                })
                .collect(),
        }
    })
    .filter(|node| node.nid.is_some() || node.idle_ns > 0)
    .collect()
}

fn of_cpu(piece: &Piece<u64>) -> IdlePiece {
    IdlePiece {
        from_ns: piece.from_ns,
        to_ns: piece.to_ns,
        count: piece.count,
        idle_ns: piece.sum,
    }
}

// Who ran on the task's CPU during its wait.

/// Stays that are reported of one queue.
const MOST: usize = 600;

/// Time by task.
struct Ran(Vec<(TaskId, u64)>);

impl Sum for Ran {
    fn add(&mut self, other: &Self) {
        for &(task, ns) in &other.0 {
            match self.0.iter_mut().find(|known| known.0 == task) {
                Some(known) => known.1 += ns,
                None => self.0.push((task, ns)),
            }
        }
    }
}

/// The stays on the CPUs of the queues while the task was there, cut to that time.
pub(super) fn runners<N: Names>(
    index: &Index,
    names: &N,
    queues: &[OnQueue],
    group_of: impl Fn(i32) -> Option<i32>,
) -> Result<Vec<Runner>, EngineError> {
    let mut all = Vec::new();
    for queue in queues {
        let (start, end) = (queue.from_ns, queue.to_ns);
        let mut lane = Lane::new(start, end, (MOST / queues.len()).max(16));
        for slice in index.slices(queue.cpu, start, end)? {
            let (from, to) = (slice.start_ns.max(start), slice.end_ns.min(end));
            let ran = Ran(vec![(slice.task, to.saturating_sub(from))]);
            lane.push(Piece::one(from, to, ran));
        }
        let pieces = lane.finish().into_iter();
        all.extend(pieces.filter_map(|piece| {
            let ran = &piece.sum.0;
            let longest = ran.iter().max_by_key(|(task, ns)| (*ns, Reverse(*task)))?;
            let (pid, comm) = names.task(longest.0);
            Some(Runner {
                from_ns: piece.from_ns,
                to_ns: piece.to_ns,
                cpu: queue.cpu,
                count: piece.count,
                run_ns: ran.iter().map(|ran| ran.1).sum(),
                task: longest.0,
                pid,
                comm: comm.to_owned(),
                tasks: ran.len(),
                numa_group: group_of(pid),
            })
        }));
    }
    Ok(all)
}
