//! Who ran on the task's CPU during its wait.

use std::cmp::Reverse;

use numalens_core::EngineError;
use numalens_core::tasks::TaskId;
use numalens_replay::timeline::Index;

use crate::latency::story::causes::OnQueue;
use crate::latency::story::lane::{Lane, Piece, Sum};
use crate::latency::story::result::Runner;
use crate::window::Names;

/// Stays that are told of one queue.
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
