//! State of each task.

use std::collections::HashMap;

use numalens_core::CpuSet;
use numalens_core::tasks::{NO_TASK, TaskId};

use super::counts::Placed;
use super::{Wait, names};
use crate::waits::{CauseTotals, Left, Turn, WaitFrom, WakeAffinity};

/// Activity of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Unknown,
    /// Asleep since it left a CPU.
    Sleeping {
        cpu: u32,
    },
    /// Runnable on a CPU, at a place in its queue.
    Queued {
        cpu: u32,
        at: u32,
    },
    Running {
        cpu: u32,
    },
}

#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Task {
    pub(super) pid: i32,
    pub(super) state: State,
    /// Counted flags of the task, and their CPU.
    pub(super) placed: Placed,
    /// Cgroup of the task.
    pub(super) group: u32,
    /// Depth of its memory stalls.
    pub(super) stalls: u32,
    /// True if its sleep, or its last one, is an iowait.
    pub(super) iowait: bool,
    /// Affinity, as far as known.
    pub(super) allowed: Allowed,
    /// CPUs on which it was seen running.
    pub(super) seen: Seen,
    /// True if it was switched out for the idle task, or for a task of a lower class: its budget is used up until it runs
    /// again.
    pub(super) out_of_budget: bool,
    /// Reason for which balancing left it during the current wait.
    pub(super) left: Left,
    /// Reason for which the last pick from its queue left it.
    pub(super) turn: Option<Turn>,
    /// Start of its sleep.
    pub(super) slept: u64,
    /// CPU to which it was moved in its sleep.
    pub(super) moved: Option<u32>,
    /// Priority as the kernel counts, from switches; -1 before the first.
    pub(super) prio: i32,
    /// Number of its last known name.
    pub(super) name: TaskId,
    /// Short form of that name.
    pub(super) comm: names::Short,
    /// The CPU whose number is in that name.
    pub(super) home: Option<u32>,
    /// Time and requesting task of the current wakeup.
    pub(super) waking: Option<(u64, i32)>,
    /// The requesting CPU.
    pub(super) waking_cpu: u32,
    /// Time and way in which it became runnable.
    pub(super) queued: (u64, WaitFrom),
    /// True if it has waited since a wakeup, and not since it ran.
    pub(super) was_woken: bool,
    /// On which CPU's queue it waits is not known.
    pub(super) unplaced: bool,
    /// From when on it counts as runnable, when a wake-up made it so.
    pub(super) woken: u64,
    /// CPU on which it first became runnable.
    pub(super) from_cpu: u32,
    /// Causes of the current wait on the CPUs that it has left.
    pub(super) before: Option<Box<CauseTotals>>,
}

impl Task {
    fn new(pid: i32) -> Self {
        Self {
            pid,
            state: State::Unknown,
            placed: Placed::NOWHERE,
            group: 0,
            stalls: 0,
            iowait: false,
            allowed: Allowed::ANYWHERE,
            seen: Seen::default(),
            out_of_budget: false,
            left: Left::default(),
            turn: None,
            slept: 0,
            moved: None,
            prio: -1,
            name: NO_TASK,
            comm: names::Short::EMPTY,
            home: None,
            waking: None,
            waking_cpu: 0,
            queued: (0, WaitFrom::Wakeup),
            was_woken: false,
            unplaced: false,
            woken: 0,
            from_cpu: 0,
            before: None,
        }
    }

    /// Remembers what a task is called that no switch has shown yet.
    #[inline]
    pub(super) fn call(&mut self, comm: &[u8]) {
        if self.name == NO_TASK && !comm.is_empty() {
            self.comm = names::Short::new(comm);
            self.home = names::home(comm);
        }
    }

    /// The wait that is under way, if there is one, and when the task came to a queue.
    #[inline]
    pub(super) fn wait(&self) -> Option<(Wait, Option<u64>)> {
        let queued = matches!(self.state, State::Queued { .. });
        let (since, from) = self.queued;
        let enqueued = queued.then_some(since);
        let wait = match self.waking {
            Some((since_ns, waker_pid)) => Wait {
                since_ns,
                from: WaitFrom::Waking,
                waker_pid,
            },
            None if queued => Wait {
                since_ns: since,
                from,
                waker_pid: -1,
            },
            None => return None,
        };
        Some((wait, enqueued))
    }
}

/// Place of a task in the table.
pub(super) type At = u32;

/// The largest pid that Linux gives out on 64-bit machines (`PID_MAX_LIMIT`).
const PID_MAX: i32 = 4 << 20;

/// Tasks by pid: an array for the pids that Linux gives out, so that no input can make look-ups slow, and a map for
/// whatever else a damaged input holds.
#[derive(Debug, Default)]
pub(super) struct TaskTable {
    /// Place in `tasks`, plus one.
    slots: Vec<u32>,
    odd: HashMap<i32, u32>,
    tasks: Vec<Task>,
    /// Places of tasks that are gone.
    unused: Vec<At>,
}

impl TaskTable {
    /// The task's place, and whether it is new.
    #[inline]
    pub(super) fn find(&mut self, pid: i32) -> (At, bool) {
        if let Some(&slot) = self.slots.get(pid as usize).filter(|_| pid >= 0)
            && slot != 0
        {
            return (slot - 1, false);
        }
        self.find_slowly(pid)
    }

    #[cold]
    fn find_slowly(&mut self, pid: i32) -> (At, bool) {
        let slot = if (0..PID_MAX).contains(&pid) {
            let at = pid as usize;
            if at >= self.slots.len() {
                self.slots.resize(at + 1, 0);
            }
            &mut self.slots[at]
        } else {
            self.odd.entry(pid).or_insert(0)
        };
        if *slot != 0 {
            return (*slot - 1, false);
        }
        let at = self.unused.pop().unwrap_or(self.tasks.len() as At);
        if at as usize == self.tasks.len() {
            self.tasks.push(Task::new(pid));
        } else {
            self.tasks[at as usize] = Task::new(pid);
        }
        *slot = at + 1;
        (at, true)
    }

    /// The task is gone; its place may be another's next.
    pub(super) fn drop(&mut self, at: At) {
        let pid = self.tasks[at as usize].pid;
        if (0..PID_MAX).contains(&pid) {
            self.slots[pid as usize] = 0;
        } else {
            self.odd.remove(&pid);
        }
        self.unused.push(at);
    }

    /// Number of slots.
    pub(super) fn len(&self) -> At {
        self.tasks.len() as At
    }

    #[inline]
    pub(super) fn get(&mut self, at: At) -> &mut Task {
        &mut self.tasks[at as usize]
    }
}

/// Number of times a task must be passed over until it counts as kept off the CPUs where it was never seen.
pub(super) const CHANCES: u8 = 8;

/// Affinity of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Allowed {
    pub(super) cpus: Cpus,
    /// True if it is a conclusion, false if it was recorded.
    pub(super) inferred: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cpus {
    /// Anywhere, as far as is known.
    Any,
    /// On one CPU.
    One(u32),
    /// On the CPUs of a mask, by its number.
    Mask(u32),
}

impl Allowed {
    pub(super) const ANYWHERE: Self = Self {
        cpus: Cpus::Any,
        inferred: true,
    };

    /// The mask, if it is one of several CPUs.
    #[inline]
    pub(super) fn mask(self) -> Option<u32> {
        match self.cpus {
            Cpus::Mask(mask) => Some(mask),
            Cpus::Any | Cpus::One(_) => None,
        }
    }

    /// Returns it as a row of a log has it.
    #[inline]
    pub(super) fn cpus(self) -> WakeAffinity {
        let inferred = self.inferred;
        match self.cpus {
            Cpus::Any if inferred => WakeAffinity::Unknown,
            Cpus::Any => WakeAffinity::Any,
            Cpus::One(cpu) => WakeAffinity::One { cpu, inferred },
            Cpus::Mask(mask) => WakeAffinity::Mask { mask, inferred },
        }
    }

    /// Returns whether the task may run on this CPU only.
    #[inline]
    pub(super) fn is_bound_to(self, cpu: u32) -> bool {
        self.cpus == Cpus::One(cpu)
    }

    /// Returns whether it was recorded.
    pub(super) fn observed(self) -> bool {
        !self.inferred
    }
}

/// CPUs on which a task was seen running, and how often it was passed over since.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    pub(super) cpus: Vec<Visited>,
    pub(super) last: Option<u32>,
    /// Number of recent times that CPUs on which it was not seen passed it over.
    pub(super) passed: u8,
    /// Time at which it was last passed over, ns.
    pub(super) at: u64,
}

/// A CPU where a task was seen to run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visited {
    pub(super) cpu: u32,
    /// Since the counting began.
    pub(super) lately: bool,
    /// Number of times that the CPU has passed the task over since it was there.
    pub(super) passed: u8,
}

impl Seen {
    /// Returns whether the task was not seen on any CPU yet.
    pub(super) fn is_nowhere(&self) -> bool {
        self.last.is_none()
    }

    /// The CPU passes the task over. Whether that is a conclusion about where the task may run.
    pub(super) fn passed_by(&mut self, now: u64, cpu: u32) -> bool {
        self.at = now;
        let visited = self.cpus.iter_mut().find(|visited| visited.cpu == cpu);
        if let Some(visited) = visited.filter(|visited| visited.lately) {
            visited.passed += 1;
            if visited.passed < CHANCES {
                return false;
            }
            // It ran there before its affinity changed.
            (visited.lately, visited.passed) = (false, 0);
            self.passed = CHANCES;
            return true;
        }
        if self.passed == 0 {
            let last = self.last;
            for visited in &mut self.cpus {
                visited.lately = last == Some(visited.cpu);
            }
        }
        self.passed = self.passed.saturating_add(1);
        self.passed == CHANCES
    }

    /// The task comes to the CPU; whether it was there lately.
    pub(super) fn comes(&mut self, cpu: u32) -> bool {
        self.last = Some(cpu);
        let at = self.cpus.iter().position(|visited| visited.cpu == cpu);
        let at = at.unwrap_or(self.cpus.len());
        if at == self.cpus.len() {
            self.cpus.push(Visited {
                cpu,
                lately: false,
                passed: 0,
            });
        }
        let visited = &mut self.cpus[at];
        visited.passed = 0;
        if !std::mem::replace(&mut visited.lately, true) {
            // That others passed it over said nothing.
            self.passed = 0;
            return false;
        }
        true
    }

    /// The CPUs where it was seen lately.
    pub(super) fn lately(&self) -> CpuSet {
        let lately = self.cpus.iter().filter(|visited| visited.lately);
        lately.map(|visited| visited.cpu).collect()
    }
}
