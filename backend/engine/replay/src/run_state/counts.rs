//! Counts of tasks per CPU, for the machine and for each cgroup, as PSI keeps them (`psi_group_change`,
//! `kernel/sched/psi.c`). Every task has flags that count on one CPU. A change of its flags, CPU or cgroup subtracts the old
//! ones and adds the new ones.

use crate::states::{OnCpu, State};

/// `TSK_RUNNING`.
pub(super) const RUNNING: u8 = 1;
/// `TSK_ONCPU`.
pub(super) const ON_CPU: u8 = 1 << 1;
/// `TSK_IOWAIT`.
pub(super) const IOWAIT: u8 = 1 << 2;
/// `TSK_MEMSTALL`.
pub(super) const MEMSTALL: u8 = 1 << 3;
/// Waits, and is bound to the CPU.
pub(super) const BOUND: u8 = 1 << 4;
/// Flags that few tasks have at a time.
pub(super) const RARE: u8 = IOWAIT | MEMSTALL | BOUND;

/// Counted flags of a task, and their CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) cpu: u32,
    pub(super) flags: u8,
}

impl Placed {
    pub(super) const NOWHERE: Self = Self { cpu: 0, flags: 0 };
}

/// Tasks of a CPU with flags that few have, of the whole machine or of one group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    stalled_on_cpu: u32,
    iowait: u32,
    memstall: u32,
    memstall_running: u32,
    bound: u32,
}

/// One more, or one less.
fn step(count: &mut u32, add: bool) {
    *count = if add {
        count.saturating_add(1)
    } else {
        count.saturating_sub(1)
    };
}

impl Counts {
    pub(super) fn each(&mut self, flags: u8, add: bool) {
        for (wanted, count) in [
            (IOWAIT, &mut self.iowait),
            (MEMSTALL, &mut self.memstall),
            (BOUND, &mut self.bound),
            (MEMSTALL | RUNNING, &mut self.memstall_running),
            (MEMSTALL | ON_CPU, &mut self.stalled_on_cpu),
        ] {
            if flags & wanted == wanted {
                step(count, add);
            }
        }
    }

    #[inline]
    fn state(&self, on: OnCpu, running: u32) -> State {
        State {
            on,
            stalled_on_cpu: on == OnCpu::Task && self.stalled_on_cpu > 0,
            running: State::count(running),
            iowait: State::count(self.iowait),
            memstall: State::count(self.memstall),
            memstall_running: State::count(self.memstall_running),
            bound: State::count(self.bound),
        }
    }

    /// The state of the CPU for the machine: who is on it and how many wait is said by the CPU itself.
    #[inline]
    pub(super) fn machine(&self, on: OnCpu, waiting: u32) -> State {
        self.state(on, waiting + u32::from(on == OnCpu::Task))
    }
}

/// A group on a CPU.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GroupCounts {
    counts: Counts,
    running: u32,
    on_cpu: u32,
    /// State reported last; `None` before the first report.
    pub(super) reported: Option<State>,
}

impl GroupCounts {
    pub(super) fn each(&mut self, flags: u8, add: bool) {
        self.counts.each(flags, add);
        if flags & RUNNING != 0 {
            step(&mut self.running, add);
        }
        if flags & ON_CPU != 0 {
            step(&mut self.on_cpu, add);
        }
    }

    /// The state of the CPU, on which `on` is for the machine, for the group.
    pub(super) fn state(&self, on: OnCpu) -> State {
        let on = match on {
            OnCpu::Idle | OnCpu::Task if self.on_cpu > 0 => OnCpu::Task,
            OnCpu::Idle | OnCpu::Task => OnCpu::Idle,
            unknown => unknown,
        };
        self.counts.state(on, self.running)
    }
}
