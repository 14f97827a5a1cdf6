//! One slice with all its facts.

use numalens_core::EngineError;
use numalens_core::tasks::TaskId;
use serde::Serialize;

use crate::timeline::Index;
use crate::timeline::index::{Cursor, Series};
use crate::timeline::rows::NO_STATE;
use crate::timeline::rows::{SliceColumns, SliceRow};

/// A task's stay on a CPU. Times are ns of the trace clock, as decimal text: they may exceed what JSON numbers hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Slice {
    /// CPU of the slice.
    pub cpu: u32,
    /// The CPU's node.
    pub nid: Option<u32>,
    /// Number of the task.
    pub task: u32,
    /// Pid of the task.
    pub pid: i32,
    /// Name of the task.
    pub comm: String,
    /// Priority as the kernel counts (120 = nice 0).
    pub prio: i32,
    /// Start of the slice.
    pub start_ns: String,
    /// End of the slice, or of the recorded time.
    pub end_ns: String,
    /// `end_ns - start_ns`.
    pub duration_ns: String,
    /// True if a switch at the start was recorded.
    pub start_known: bool,
    /// True if a switch at the end was recorded.
    pub end_known: bool,
    /// The state in which it left, as the kernel prints it.
    pub end_state: Option<String>,
    /// Task that ran before; 0 is the idle task.
    pub prev_pid: Option<i32>,
    /// The name of who ran before it.
    pub prev_comm: Option<String>,
    /// Task that ran after; 0 is the idle task.
    pub next_pid: Option<i32>,
    /// The name of who ran after it.
    pub next_comm: Option<String>,
    /// Time of the wakeup request.
    pub waking_ns: Option<String>,
    /// Wait for the CPU, ns.
    pub wait_ns: Option<String>,
    /// Start of the wait: `waking`, `wakeup`, `preempted`, `new` or `resumed`.
    pub wait_from: Option<&'static str>,
    /// Task on the waking CPU.
    pub waker_pid: Option<i32>,
    /// The last known name of who woke it.
    pub waker_comm: Option<String>,
    /// `observed`, or `inferred` when no switch at `end_ns` was recorded.
    pub label: &'static str,
}

/// First range of a search for a pid's next slice, in ns, and its factor at each step.
const FIRST_REACH: u64 = 1 << 20;
const FURTHER: u64 = 4;

/// Looks for a pid on all CPUs at once, one time range after the other. On a CPU where the pid does not run, the search must
/// not continue to the end of the recording when the pid soon runs on another one.
struct Search<'a> {
    tasks: &'a [TaskId],
    /// CPU, its slices, and the row where the search continues.
    cpus: Vec<(u32, Cursor<'a, SliceColumns>, u32, u32)>,
}

impl<'a> Search<'a> {
    fn new(
        index: &'a Index,
        pid: i32,
        from: impl Fn(&Series<SliceColumns>) -> Result<u32, EngineError>,
    ) -> Result<Option<Self>, EngineError> {
        let Some(tasks) = index.by_pid.get(&pid) else {
            return Ok(None);
        };
        let cpus = index.slices.iter();
        let cpus = cpus.map(|(&cpu, lane)| {
            let rows = &lane.rows;
            Ok::<_, EngineError>((cpu, rows.cursor(), from(rows)?, rows.len()))
        });
        Ok(Some(Self {
            tasks,
            cpus: cpus.collect::<Result<_, _>>()?,
        }))
    }

    /// The first slice from where the search is up to those that start at `limit`.
    fn forward(&mut self, limit: u64) -> Result<Option<(u64, u32, u32)>, EngineError> {
        let mut best: Option<(u64, u32, u32)> = None;
        for (cpu, cursor, row, len) in &mut self.cpus {
            while *row < *len {
                let slice = cursor.get(*row)?;
                if slice.start > limit {
                    break;
                }
                if self.tasks.binary_search(&slice.task).is_ok() {
                    let found = (slice.start, *cpu, *row);
                    best = Some(best.map_or(found, |best| best.min(found)));
                    break;
                }
                *row += 1;
            }
        }
        Ok(best)
    }

    /// The last slice from where the search is down to those that start at `limit`.
    fn backward(&mut self, limit: u64) -> Result<Option<(u64, u32, u32)>, EngineError> {
        let mut best: Option<(u64, u32, u32)> = None;
        for (cpu, cursor, row, _) in &mut self.cpus {
            while let Some(before) = row.checked_sub(1) {
                let slice = cursor.get(before)?;
                if slice.start < limit {
                    break;
                }
                if self.tasks.binary_search(&slice.task).is_ok() {
                    best = best.max(Some((slice.start, *cpu, before)));
                    break;
                }
                *row = before;
            }
        }
        Ok(best)
    }
}

impl Index {
    /// The slice on the CPU at a time (trace clock); `None` when the CPU was idle or its task unknown.
    ///
    /// # Errors
    /// It could not be read.
    pub fn slice_at(&self, cpu: u32, t_ns: u64) -> Result<Option<Slice>, EngineError> {
        let lane = self.slices.get(&cpu);
        let (Some(lane), Some(time)) = (lane, t_ns.checked_sub(self.meta.origin_ns)) else {
            return Ok(None);
        };
        let rows = &lane.rows;
        let row = rows.partition(time, |slice| slice.start <= time)?;
        let Some(row) = row.checked_sub(1) else {
            return Ok(None);
        };
        let slice = rows.cursor().get(row)?;
        // A slice that the recording's end cut off continues at that end.
        let cut_off = slice.state == NO_STATE && t_ns == self.meta.end_ns;
        let inside =
            time < slice.end || (time == slice.end && (slice.start == slice.end || cut_off));
        inside.then(|| self.describe(cpu, row)).transpose()
    }

    /// The first slice of a pid on any CPU that starts after a time (trace clock), or the last that starts before it.
    ///
    /// # Errors
    /// It could not be read.
    pub fn next_slice(
        &self,
        pid: i32,
        t_ns: u64,
        forward: bool,
    ) -> Result<Option<Slice>, EngineError> {
        let time = t_ns.checked_sub(self.meta.origin_ns);
        let found = match (forward, time) {
            (true, time) => self.after(pid, time)?,
            (false, Some(time)) => self.before(pid, time)?,
            (false, None) => None,
        };
        let slice = found.map(|(_, cpu, row)| self.describe(cpu, row));
        slice.transpose()
    }

    /// Start, CPU and row of the pid's first slice that starts after `time`; of its first of all without a time.
    fn after(&self, pid: i32, time: Option<u64>) -> Result<Option<(u64, u32, u32)>, EngineError> {
        let search = Search::new(self, pid, |rows| {
            time.map_or(Ok(0), |time| {
                rows.partition(time, |slice| slice.start <= time)
            })
        })?;
        let Some(mut search) = search else {
            return Ok(None);
        };
        let end = self.end();
        let mut reach = FIRST_REACH;
        loop {
            let limit = time.unwrap_or(0).saturating_add(reach).min(end);
            let found = search.forward(limit)?;
            if found.is_some() || limit == end {
                return Ok(found);
            }
            reach = reach.saturating_mul(FURTHER);
        }
    }

    /// Start, CPU and row of the pid's last slice that starts before `time`.
    fn before(&self, pid: i32, time: u64) -> Result<Option<(u64, u32, u32)>, EngineError> {
        let search = Search::new(self, pid, |rows| {
            rows.partition(time, |slice| slice.start < time)
        })?;
        let Some(mut search) = search else {
            return Ok(None);
        };
        let mut reach = FIRST_REACH;
        loop {
            let limit = time.saturating_sub(reach);
            let found = search.backward(limit)?;
            if found.is_some() || limit == 0 {
                return Ok(found);
            }
            reach = reach.saturating_mul(FURTHER);
        }
    }

    fn describe(&self, cpu: u32, row: u32) -> Result<Slice, EngineError> {
        let rows = &self.slices[&cpu].rows;
        let mut cursor = rows.cursor();
        let slice = cursor.get(row)?;
        let absolute = |time: u64| self.meta.origin_ns.saturating_add(time).to_string();
        let (pid, comm) = self.task(slice.task).unwrap_or((-1, ""));
        let prev = row.checked_sub(1).map(|row| cursor.get(row)).transpose()?;
        let next = (row + 1 < rows.len()).then(|| cursor.get(row + 1));
        let next = next.transpose()?;
        let end_known = slice.state != NO_STATE;
        let prev = self.neighbour(
            cpu,
            prev.filter(|prev| prev.end == slice.start),
            slice.start,
        );
        let next = if end_known {
            self.neighbour(cpu, next.filter(|next| next.start == slice.end), slice.end)
        } else {
            None
        };
        let wait_from = match slice.wait {
            1 => Some("waking"),
            2 => Some("wakeup"),
            3 => Some("preempted"),
            4 => Some("new"),
            5 => Some("resumed"),
            _ => None,
        };
        Ok(Slice {
            cpu,
            nid: self.node_of.get(&cpu).copied(),
            task: slice.task,
            pid,
            comm: comm.to_owned(),
            prio: slice.prio,
            start_ns: absolute(slice.start),
            end_ns: absolute(slice.end),
            duration_ns: slice.end.saturating_sub(slice.start).to_string(),
            start_known: true,
            end_known,
            end_state: self
                .meta
                .states
                .get(usize::from(slice.state))
                .filter(|_| end_known)
                .cloned(),
            prev_pid: prev.as_ref().map(|prev| prev.0),
            prev_comm: prev.map(|prev| prev.1),
            next_pid: next.as_ref().map(|next| next.0),
            next_comm: next.map(|next| next.1),
            waking_ns: (slice.wait == 1).then(|| absolute(slice.wait_since)),
            wait_ns: wait_from.map(|_| slice.start.saturating_sub(slice.wait_since).to_string()),
            wait_from,
            waker_pid: (slice.wait == 1 && slice.waker >= 0).then_some(slice.waker),
            waker_comm: Some(slice.waker)
                .filter(|&pid| slice.wait == 1 && pid >= 0)
                .and_then(|pid| self.name(pid)),
            label: if end_known { "observed" } else { "inferred" },
        })
    }

    /// Task on the CPU right before or after a slice that begins or ends at `time`: a neighbour, or the idle task if the CPU
    /// is known to be idle.
    fn neighbour(&self, cpu: u32, slice: Option<SliceRow>, time: u64) -> Option<(i32, String)> {
        if let Some(slice) = slice {
            return self
                .task(slice.task)
                .map(|(pid, comm)| (pid, comm.to_owned()));
        }
        let unknown = self
            .spans
            .get(&cpu)
            .into_iter()
            .flatten()
            .any(|span| span.start <= time && time <= span.end);
        (!unknown).then(|| (0, format!("swapper/{cpu}")))
    }

    fn name(&self, pid: i32) -> Option<String> {
        if pid == 0 {
            Some("swapper".to_owned())
        } else {
            self.comm_of(pid).map(str::to_owned)
        }
    }
}
