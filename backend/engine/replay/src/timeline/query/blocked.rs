//! Uninterruptible sleeps, and stops.

use std::collections::BTreeMap;

use numalens_core::EngineError;
use numalens_core::tasks::TaskId;

use crate::timeline::Index;
use crate::timeline::task_spans::sleeps_in;

/// States of a [`BlockedSleep`], by their letters: uninterruptible, stopped by a signal, stopped by a tracer.
const LETTERS: [u8; 3] = *b"DTt";

/// A sleep in state D, T or t, cut to a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockedSleep {
    /// Sleeping task.
    pub task: TaskId,
    /// Letter of the state: `D`, `T` or `t`.
    pub letter: u8,
    /// CPU on which it ran last.
    pub cpu: u32,
    /// Start of the sleep, ns of the trace clock.
    pub from_ns: u64,
    /// Time at which it became runnable or ran again, or the window's end.
    pub to_ns: u64,
}

impl Index {
    /// The sleeps in state D, T or t that begin in a window, by task and time. Without those that span lost events: the task may have run.
    /// `waits` calls back with who became runnable when.
    ///
    /// # Errors
    /// The slices or the waits could not be read.
    pub fn blocked<E: From<EngineError>>(
        &self,
        from_ns: u64,
        to_ns: u64,
        waits: impl FnOnce(&mut dyn FnMut(TaskId, u64)) -> Result<(), E>,
    ) -> Result<Vec<BlockedSleep>, E> {
        let states: Vec<Option<u8>> = self
            .meta
            .states
            .iter()
            .map(|state| sleeps_in(state).filter(|letter| LETTERS.contains(letter)))
            .collect();
        let origin = self.meta.origin_ns;
        let mut sleeps: Vec<BlockedSleep> = Vec::new();
        let (first_ns, last_ns) = (from_ns.saturating_sub(origin), to_ns.saturating_sub(origin));
        for (&cpu, lane) in &self.slices {
            let first = lane
                .rows
                .partition(first_ns, |slice| slice.end < first_ns)?;
            let past = lane
                .rows
                .partition(last_ns, |slice| slice.start < last_ns)?;
            for slice in lane.rows.range(first..past)? {
                let from = origin.saturating_add(slice.end);
                let letter = states.get(usize::from(slice.state)).copied().flatten();
                if let Some(letter) = letter.filter(|_| (from_ns..to_ns).contains(&from)) {
                    sleeps.push(BlockedSleep {
                        task: slice.task,
                        letter,
                        cpu,
                        from_ns: from,
                        to_ns,
                    });
                }
            }
        }
        if sleeps.is_empty() {
            return Ok(sleeps);
        }
        // When each of these tasks continues, by whatever name it has then.
        let pid_of = |task: TaskId| self.task(task).map_or(-1, |one| one.0);
        let mut resumed: BTreeMap<i32, Vec<u64>> = BTreeMap::new();
        for sleep in &sleeps {
            resumed.entry(pid_of(sleep.task)).or_default();
        }
        for lane in self.slices.values() {
            let first = lane
                .rows
                .partition(first_ns, |slice| slice.end < first_ns)?;
            let past = lane
                .rows
                .partition(last_ns, |slice| slice.start < last_ns)?;
            for slice in lane.rows.range(first..past)? {
                if let Some(times) = resumed.get_mut(&pid_of(slice.task)) {
                    times.push(origin.saturating_add(slice.start));
                }
            }
        }
        waits(&mut |task, at| {
            if let Some(times) = resumed.get_mut(&pid_of(task)) {
                times.push(at);
            }
        })?;
        for times in resumed.values_mut() {
            times.sort_unstable();
        }
        let lost = self.lost_spans();
        for sleep in &mut sleeps {
            let times = resumed
                .get(&pid_of(sleep.task))
                .map_or(&[][..], Vec::as_slice);
            let next = times.partition_point(|&at| at < sleep.from_ns);
            let next = times.get(next).copied().unwrap_or(to_ns);
            sleep.to_ns = next.min(to_ns);
        }
        let whole = |sleep: &BlockedSleep| {
            let mut lost = lost.iter();
            lost.all(|&(from, to)| to <= sleep.from_ns || from >= sleep.to_ns)
        };
        sleeps.retain(whole);
        sleeps.sort_by_key(|sleep| (sleep.task, sleep.from_ns));
        Ok(sleeps)
    }
}
