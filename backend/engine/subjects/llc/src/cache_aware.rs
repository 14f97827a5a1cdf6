//! Last-level cache (LLC) that cache-aware scheduling of Linux 7.2 would prefer for a process (`kernel/sched/fair.c`,
//! `CONFIG_SCHED_CACHE`: `account_mm_sched`, `task_cache_work`), from the run times of its tasks by CPU.
//!
//! The kernel keeps for each process how long it ran on each CPU, halved every epoch, as a share of what all tasks ran there.
//! In an epoch in which a thread runs, it sums the shares up by LLC; the largest sum is preferred once it is more than twice that of the LLC preferred so far.

use std::collections::{BTreeMap, HashMap, HashSet};

use numalens_core::EngineError;
use numalens_replay::timeline::SliceRef;
use numalens_subject::Shared;

/// Length of an epoch, ns: `llc_epoch_period` (default: `HZ / 100` jiffies).
pub(crate) const EPOCH_NS: u64 = 10_000_000;
/// Epochs without a scan after which there is no preference (`llc_epoch_affinity_timeout`).
const TIMEOUT_EPOCHS: u64 = 5;
/// Load of a CPU that ran only the process: `NICE_0_LOAD` of 64-bit kernels.
const FULL: u128 = 1 << 20;
/// The fair class has priorities from here on (`MAX_RT_PRIO`).
const FIRST_FAIR: i32 = 100;

/// Last-level caches, and the process of each task.
pub(crate) struct CachesAndTasks<'a> {
    /// CPUs by LLC.
    pub(crate) llcs: &'a [Vec<u32>],
    /// CPUs of a core (`cpu_smt_num_threads`).
    pub(crate) smt: u64,
    /// The process of each task, by the task's number; `None` where it is not recorded.
    pub(crate) process: &'a [Option<i32>],
    /// Threads of each process.
    pub(crate) threads: &'a HashMap<i32, u64>,
}

/// From when on each process would prefer which LLC, by its place among the LLCs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Preferences(HashMap<i32, Vec<(u64, Option<usize>)>>);

impl Preferences {
    /// Returns the preference of a process at a time.
    pub(crate) fn at(&self, tgid: i32, ts_ns: u64) -> Option<usize> {
        let changes = self.changes(tgid);
        let past = changes.partition_point(|change| change.0 <= ts_ns);
        changes.get(past.checked_sub(1)?)?.1
    }

    /// The parts of a span, each with its length and what the process prefers there.
    pub(crate) fn parts(
        &self,
        tgid: i32,
        from_ns: u64,
        to_ns: u64,
    ) -> impl Iterator<Item = (u64, Option<usize>)> {
        let changes = self.changes(tgid);
        let first = changes.partition_point(|change| change.0 <= from_ns);
        let past = changes
            .partition_point(|change| change.0 < to_ns)
            .max(first);
        let inside = changes.get(first..past).unwrap_or_default();
        let starts =
            std::iter::once((from_ns, self.at(tgid, from_ns))).chain(inside.iter().copied());
        let ends = inside.iter().map(|change| change.0).chain([to_ns]);
        starts
            .zip(ends)
            .map(|((start, llc), end)| (end.saturating_sub(start), llc))
    }

    /// Changes of a process' preference, with their times.
    pub(crate) fn changes(&self, tgid: i32) -> &[(u64, Option<usize>)] {
        self.0.get(&tgid).map_or(&[], Vec::as_slice)
    }
}

impl Shared for Preferences {
    fn heap_bytes(&self) -> usize {
        let changes = self.0.values().map(Vec::len).sum::<usize>();
        changes * size_of::<(u64, Option<usize>)>() + self.0.capacity() * 64
    }
}

/// Time on a CPU that is halved every epoch (`__update_mm_sched`).
#[derive(Debug, Clone, Copy, Default)]
struct Runtime {
    ns: u64,
    epoch: u64,
}

impl Runtime {
    fn until(&mut self, epoch: u64) -> &mut u64 {
        let passed = epoch.saturating_sub(self.epoch);
        self.ns = u32::try_from(passed)
            .ok()
            .and_then(|passed| self.ns.checked_shr(passed))
            .unwrap_or(0);
        self.epoch = epoch;
        &mut self.ns
    }
}

/// The kernel's statistics of a process (`mm->sc_stat`).
#[derive(Debug)]
struct Process {
    /// Run time by CPU.
    on: BTreeMap<u32, Runtime>,
    /// The last epoch in which it was scanned.
    scanned: u64,
    /// CPUs that it runs on at a time, averaged (`nr_running_avg`).
    running: u64,
    preferred: Option<usize>,
    /// CPU of its last run.
    cpu: u32,
    changes: Vec<(u64, Option<usize>)>,
}

impl Process {
    fn prefer(&mut self, llc: Option<usize>, ts_ns: u64) {
        if self.preferred != llc {
            self.preferred = llc;
            self.changes.push((ts_ns, llc));
        }
    }
}

/// The replay up to some epoch.
struct Replay<'a> {
    known: &'a CachesAndTasks<'a>,
    llc_of: BTreeMap<u32, usize>,
    /// Run time of all tasks of the fair class on each CPU (`rq->cpu_runtime`).
    cpus: BTreeMap<u32, Runtime>,
    processes: BTreeMap<i32, Process>,
}

impl Replay<'_> {
    /// Number of CPUs that share a CPU's LLC (`sd_llc_size`).
    fn llc_size(&self, cpu: u32) -> u64 {
        let llc = self
            .llc_of
            .get(&cpu)
            .and_then(|&at| self.known.llcs.get(at));
        llc.map_or(1, |cpus| cpus.len() as u64)
    }

    /// Returns whether a process is too small or too large to be brought together (`invalid_llc_nr`, `fits_capacity`, with a
    /// tolerance of 1).
    fn unfit(&self, tgid: i32, running: u64, cpu: u32) -> bool {
        let threads = self.known.threads.get(&tgid).copied().unwrap_or(0);
        threads <= 1 || running * self.known.smt * 1280 >= self.llc_size(cpu) * 1024
    }

    /// A task ran on a CPU within an epoch (`account_mm_sched`).
    fn ran(&mut self, epoch: u64, slice: &SliceRef, from_ns: u64, ns: u64) -> Option<i32> {
        if slice.prio < FIRST_FAIR {
            return None;
        }
        *self.cpus.entry(slice.cpu).or_default().until(epoch) += ns;
        let tgid = self.known.process.get(slice.task as usize).copied()??;
        let process = self.processes.entry(tgid).or_insert_with(|| Process {
            on: BTreeMap::new(),
            scanned: epoch,
            running: 0,
            preferred: None,
            cpu: slice.cpu,
            changes: Vec::new(),
        });
        *process.on.entry(slice.cpu).or_default().until(epoch) += ns;
        process.cpu = slice.cpu;
        let (scanned, running) = (process.scanned, process.running);
        if epoch - scanned > TIMEOUT_EPOCHS || self.unfit(tgid, running, slice.cpu) {
            self.prefer(tgid, None, from_ns);
        }
        Some(tgid)
    }

    fn prefer(&mut self, tgid: i32, llc: Option<usize>, ts_ns: u64) {
        if let Some(process) = self.processes.get_mut(&tgid) {
            process.prefer(llc, ts_ns);
        }
    }

    /// Looks where a process ran, at the end of an epoch in which it did (`task_cache_work`); it is on so many CPUs now.
    fn scan(&mut self, epoch: u64, tgid: i32, on_cpus: u64, ts_ns: u64) {
        let Some(process) = self.processes.get_mut(&tgid) else {
            return;
        };
        process.scanned = epoch;
        let (cpu, running, preferred) = (process.cpu, process.running, process.preferred);
        if self.unfit(tgid, running, cpu) {
            self.prefer(tgid, None, ts_ns);
            return;
        }
        let mut shares: BTreeMap<usize, u128> = BTreeMap::new();
        let Some(process) = self.processes.get_mut(&tgid) else {
            return;
        };
        process.on.retain(|cpu, runtime| {
            let own = *runtime.until(epoch);
            let all = self.cpus.get_mut(cpu).map_or(0, |all| *all.until(epoch));
            // An LLC of one CPU has no scheduling domain.
            let llc = self.llc_of.get(cpu).copied();
            if let Some(llc) = llc.filter(|&at| self.known.llcs[at].len() > 1) {
                *shares.entry(llc).or_default() += FULL * u128::from(own) / (u128::from(all) + 1);
            }
            own > 0
        });
        let mut best = (0, None);
        for (&llc, &share) in &shares {
            if share > best.0 {
                best = (share, Some(llc));
            }
        }
        let kept = preferred.and_then(|llc| shares.get(&llc).copied());
        let renewed = smoothed(running, on_cpus, self.llc_size(cpu));
        if best.0 > 2 * kept.unwrap_or(0) {
            self.prefer(tgid, best.1, ts_ns);
        }
        if let Some(process) = self.processes.get_mut(&tgid) {
            process.running = renewed;
        }
    }
}

/// An average with another reading, in whole CPUs as the kernel has it (`update_avg_scale`).
fn smoothed(average: u64, reading: u64, llc_size: u64) -> u64 {
    let divisor = (llc_size >> 2).clamp(2, 8) as i64;
    average.saturating_add_signed((reading as i64 - average as i64) / divisor)
}

/// Replays the preferences of all processes over `from_ns..to_ns`, given the slices of each CPU in order.
///
/// Epochs begin at `from_ns`; a process counts as scanned at the end of each in which it ran.
///
/// # Errors
/// Those of the slices.
pub(crate) fn preferences<I: Iterator<Item = SliceRef>>(
    known: &CachesAndTasks<'_>,
    (from_ns, to_ns): (u64, u64),
    lanes: impl Iterator<Item = Result<I, EngineError>>,
) -> Result<Preferences, EngineError> {
    let mut lanes = lanes
        .map(|lane| Ok(lane?.peekable()))
        .collect::<Result<Vec<_>, EngineError>>()?;
    let llcs = known.llcs.iter().enumerate();
    let mut replay = Replay {
        known,
        llc_of: llcs
            .flat_map(|(at, cpus)| cpus.iter().map(move |&cpu| (cpu, at)))
            .collect(),
        cpus: BTreeMap::new(),
        processes: BTreeMap::new(),
    };
    let mut start = from_ns;
    while start < to_ns {
        let end = start.saturating_add(EPOCH_NS).min(to_ns);
        let epoch = (start - from_ns) / EPOCH_NS;
        // Processes that ran in this epoch, and the CPUs that they are on at its end.
        let mut ran: BTreeMap<i32, u64> = BTreeMap::new();
        let mut idle = true;
        for lane in &mut lanes {
            while let Some(slice) = lane.peek().copied().filter(|slice| slice.start_ns < end) {
                idle = false;
                let from = slice.start_ns.max(start);
                let ns = slice.end_ns.min(end).saturating_sub(from);
                let tgid = replay.ran(epoch, &slice, from, ns);
                if let Some(tgid) = tgid.filter(|_| ns > 0) {
                    let scanned = replay.llc_size(slice.cpu) > 1;
                    *ran.entry(tgid).or_default() += u64::from(scanned && slice.end_ns >= end);
                }
                if slice.end_ns > end {
                    break;
                }
                lane.next();
            }
        }
        for (tgid, on_cpus) in ran {
            replay.scan(epoch, tgid, on_cpus, end);
        }
        start = end;
        if idle {
            // To the epoch in which a thread runs again.
            let starts = lanes
                .iter_mut()
                .filter_map(|lane| lane.peek().map(|next| next.start_ns));
            let next = starts.min().unwrap_or(to_ns).clamp(start, to_ns);
            start += (next - start) / EPOCH_NS * EPOCH_NS;
            if next == to_ns {
                break;
            }
        }
    }
    let processes = replay.processes.into_iter();
    Ok(Preferences(
        processes
            .filter(|process| !process.1.changes.is_empty())
            .map(|(tgid, process)| (tgid, process.changes))
            .collect(),
    ))
}

/// Number of known threads of each process, from the pids and processes of the tasks.
pub(crate) fn thread_counts(pids: &[i32], process: &[Option<i32>]) -> HashMap<i32, u64> {
    let named = process.iter().zip(pids);
    let threads: HashSet<(i32, i32)> = named
        .filter_map(|(tgid, pid)| Some(((*tgid)?, *pid)))
        .collect();
    let mut counts = HashMap::new();
    for (tgid, _) in threads {
        *counts.entry(tgid).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    use numalens_core::tasks::TaskId;

    const MS: u64 = 1_000_000;

    fn slice(cpu: u32, task: TaskId, start_ms: u64, end_ms: u64) -> SliceRef {
        SliceRef {
            cpu,
            task,
            prio: 120,
            start_ns: start_ms * MS,
            end_ns: end_ms * MS,
        }
    }

    /// Two LLCs of four CPUs; tasks 0 to 3 are of process 100 and tasks 4 to 7 of 200, which has as many threads as are given.
    fn replayed(slices: &[SliceRef], threads: u64, end_ms: u64) -> Preferences {
        let llcs = [vec![0, 1, 2, 3], vec![4, 5, 6, 7]];
        let process: Vec<Option<i32>> = (0..8).map(|task| Some(100 * (task / 4 + 1))).collect();
        let known = CachesAndTasks {
            llcs: &llcs,
            smt: 1,
            process: &process,
            threads: &HashMap::from([(100, threads), (200, threads)]),
        };
        let lanes = (0..8).map(|cpu| {
            let mut lane: Vec<SliceRef> =
                slices.iter().filter(|it| it.cpu == cpu).copied().collect();
            lane.sort_by_key(|slice| slice.start_ns);
            Ok(lane.into_iter())
        });
        preferences(&known, (0, end_ms * MS), lanes).unwrap()
    }

    #[test]
    fn the_llc_in_which_it_ran_most_is_preferred_from_the_first_epoch_on() {
        let found = replayed(&[slice(0, 0, 0, 50), slice(4, 1, 0, 5)], 2, 50);
        assert_eq!(found.changes(100), [(10 * MS, Some(0))]);
        assert_eq!(found.at(100, 9 * MS), None);
        assert_eq!(found.at(100, 10 * MS), Some(0));
        assert_eq!(found.changes(200), []);
        let parts: Vec<_> = found.parts(100, 4 * MS, 14 * MS).collect();
        assert_eq!(parts, [(6 * MS, None), (4 * MS, Some(0))]);
    }

    #[test]
    fn another_has_to_be_more_than_twice_as_much() {
        // All of CPU 0, then two CPUs of the other LLC next to it: exactly twice, which is not more.
        let twice = [
            slice(0, 0, 0, 300),
            slice(4, 1, 10, 300),
            slice(5, 2, 10, 300),
        ];
        assert_eq!(replayed(&twice, 3, 300).changes(100), [(10 * MS, Some(0))]);
        // It leaves CPU 0: what it ran there is halved until the others are more than twice that.
        let gone = [
            slice(0, 0, 0, 10),
            slice(0, 4, 10, 100),
            slice(4, 1, 10, 100),
        ];
        let found = replayed(&gone, 2, 100);
        assert_eq!(found.changes(100), [(10 * MS, Some(0)), (20 * MS, Some(1))]);
    }

    #[test]
    fn who_shares_the_cpu_makes_the_share_smaller() {
        // Four CPUs at a fifth each are less than one CPU alone.
        let mut slices = vec![slice(4, 0, 0, 10)];
        for cpu in 0..4 {
            slices.push(slice(cpu, 1, 0, 2));
            slices.push(slice(cpu, 4 + cpu, 2, 10));
        }
        assert_eq!(replayed(&slices, 5, 10).changes(100), [(10 * MS, Some(1))]);
        // Where the others are not of the fair class, they are no part of it.
        for other in slices.iter_mut().filter(|it| it.task >= 4) {
            other.prio = 10;
        }
        assert_eq!(replayed(&slices, 5, 10).changes(100), [(10 * MS, Some(0))]);
    }

    #[test]
    fn one_thread_and_too_many_have_no_preference() {
        let alone = [slice(0, 0, 0, 50)];
        assert_eq!(replayed(&alone, 1, 50).changes(100), []);
        let all: Vec<SliceRef> = (0..4).map(|cpu| slice(cpu, cpu, 0, 400)).collect();
        let found = replayed(&all, 4, 400);
        // On four CPUs the average comes to 2, 3, and stays: (4 - 3) / 2 is 0. Three fit into four.
        assert_eq!(found.changes(100), [(10 * MS, Some(0))]);
        let spread: Vec<SliceRef> = (0..8).map(|cpu| slice(cpu, cpu % 4, 0, 400)).collect();
        let found = replayed(&spread, 8, 400);
        // On eight CPUs it comes to 4, which is too many from the next epoch on, and no later scan makes it less.
        assert_eq!(found.changes(100), [(10 * MS, Some(0)), (10 * MS, None)]);
    }

    #[test]
    fn who_does_not_run_for_more_than_five_epochs_has_none_until_it_is_scanned() {
        let slept = |until| [slice(0, 0, 0, 10), slice(4, 1, until, until + 5)];
        let found = replayed(&slept(50), 2, 90);
        assert_eq!(
            found.at(100, 50 * MS),
            Some(0),
            "five epochs are not too long"
        );
        let found = replayed(&slept(60), 2, 90);
        assert_eq!(
            found.at(100, 59 * MS),
            Some(0),
            "not checked before it runs"
        );
        assert_eq!(found.at(100, 60 * MS), None);
        assert_eq!(found.at(100, 70 * MS), Some(1));
        // Epochs continue as they began however long no thread ran.
        let found = replayed(&slept(63), 2, 90);
        assert_eq!(found.at(100, 69 * MS), None);
        assert_eq!(found.at(100, 70 * MS), Some(1));
    }

    #[test]
    fn an_llc_of_one_cpu_is_never_preferred() {
        let known = CachesAndTasks {
            llcs: &[vec![0], vec![1]],
            smt: 1,
            process: &[Some(100)],
            threads: &HashMap::from([(100, 2)]),
        };
        let lanes = [Ok(vec![slice(0, 0, 0, 50)].into_iter())].into_iter();
        let found = preferences(&known, (0, 50 * MS), lanes).unwrap();
        assert_eq!(found, Preferences::default());
    }

    #[test]
    fn averages_are_in_whole_cpus() {
        assert_eq!(smoothed(0, 4, 4), 2);
        assert_eq!(smoothed(3, 4, 4), 3);
        assert_eq!(smoothed(8, 0, 64), 7);
        assert_eq!(smoothed(1, 0, 64), 1);
    }
}
