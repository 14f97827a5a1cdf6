//! Runqueues on which a task waited, and the tasks that ran there.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use numalens_core::EngineError;
use numalens_core::tasks::TaskId;
use numalens_replay::migrations::{How, Migration, Migrations};
use numalens_replay::timeline::Index;

/// The task's queue during a part of the wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnQueue {
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
    pub(crate) cpu: u32,
}

/// On which queue a task was, which came to the one of `cpu` at `from_ns`, until `to_ns`; `moved` are its moves, by time.
fn queues(from_ns: u64, to_ns: u64, cpu: u32, moved: &[Migration]) -> Vec<OnQueue> {
    let mut queues = vec![OnQueue {
        from_ns,
        to_ns,
        cpu,
    }];
    let moved = moved.iter();
    for moved in moved.filter(|moved| moved.how == How::Runnable && moved.ts_ns >= from_ns) {
        let Some(last) = queues.last_mut().filter(|last| last.cpu != moved.dest_cpu) else {
            continue;
        };
        last.to_ns = moved.ts_ns;
        queues.push(OnQueue {
            from_ns: moved.ts_ns,
            to_ns,
            cpu: moved.dest_cpu,
        });
    }
    queues.retain(|queue| queue.from_ns < queue.to_ns);
    queues
}

/// The moves of a task between queues in a part of a wait.
///
/// # Errors
/// The log cannot be read.
pub(crate) fn moves(
    migrations: &Migrations,
    pid: i32,
    (from_ns, to_ns): (u64, u64),
) -> Result<Vec<Migration>, EngineError> {
    let moved = migrations.rows(from_ns, to_ns)?;
    Ok(moved
        .filter(|moved| moved.pid == pid && moved.how == How::Runnable)
        .collect())
}

/// On which queues a task was in a part of a wait in which it moved so, and at whose end it is on that of `cpu`.
pub(crate) fn queues_until(
    (from_ns, to_ns): (u64, u64),
    cpu: u32,
    moved: &[Migration],
) -> Vec<OnQueue> {
    let mut runnable = moved.iter().filter(|moved| moved.how == How::Runnable);
    let first = runnable.next().map_or(cpu, |first| first.orig_cpu);
    queues(from_ns, to_ns, first, moved)
}

/// Tasks that ran on these CPUs with their times, ns; the longest first. Idle tasks count.
pub(crate) fn ran_on(index: &Index, queues: &[OnQueue]) -> Result<Vec<(TaskId, u64)>, EngineError> {
    let mut ran: BTreeMap<TaskId, u64> = BTreeMap::new();
    for queue in queues {
        for slice in index.slices(queue.cpu, queue.from_ns, queue.to_ns)? {
            let start = slice.start_ns.max(queue.from_ns);
            let ns = slice.end_ns.min(queue.to_ns).saturating_sub(start);
            if ns > 0 {
                *ran.entry(slice.task).or_default() += ns;
            }
        }
    }
    let mut ran: Vec<_> = ran.into_iter().collect();
    ran.sort_by_key(|&(task, ns)| (Reverse(ns), task));
    Ok(ran)
}
