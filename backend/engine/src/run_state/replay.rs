//! The rules of the replay.

use super::cpu::{Cpu, Current};
use super::task::{State, TaskTable};
use super::{Observer, Stay, Unknown, Wait, WaitFrom};
use crate::events::{EndState, Event, Switched};
use crate::tasks::{TaskId, Tasks};

/// CPU numbers from this on are taken for damage; the kernel's `NR_CPUS` ends at 8192.
pub const MAX_CPUS: u32 = 1 << 14;

/// Which events the recording has, for what the missing ones mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recorded {
    /// `sched_wakeup` is there. Without it a task counts as waiting from `sched_waking` on.
    pub wakeup: bool,
    /// `sched_waking` is there.
    pub waking: bool,
}

/// What the replay met. Each is a count of events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    /// Switches followed.
    pub switches: u64,
    /// Switches away from a task that was not known to run: the switch before is missing.
    pub gaps: u64,
    /// Switches to a task that was asleep: its wake-up is missing.
    pub missed_wakeups: u64,
    /// Switches to a task that waited on another CPU: its migration is missing.
    pub missed_migrations: u64,
    /// Switches to a task that ran on another CPU: its switch-out is missing or comes late.
    pub ran_elsewhere: u64,
    /// Switches recorded twice and followed once.
    pub duplicates: u64,
    /// Marks of lost events.
    pub lost_marks: u64,
    /// Events that name a CPU beyond [`MAX_CPUS`]; they are left out.
    pub odd_cpus: u64,
}

/// The state of all CPUs and tasks at one time.
#[derive(Debug)]
pub struct Replay {
    cpus: Vec<Cpu>,
    states: TaskTable,
    tasks: Tasks,
    recorded: Recorded,
    origin_ns: u64,
    stats: Stats,
    /// CPUs whose queue changed during the event at hand.
    touched: Vec<u32>,
}

impl Replay {
    /// Starts at `origin_ns` with `cpus` CPUs (more may appear), about which nothing is known.
    #[must_use]
    pub fn new(origin_ns: u64, cpus: u32, recorded: Recorded) -> Self {
        Self {
            cpus: (0..cpus.min(MAX_CPUS))
                .map(|_| Cpu::new(origin_ns))
                .collect(),
            states: TaskTable::default(),
            tasks: Tasks::default(),
            recorded,
            origin_ns,
            stats: Stats::default(),
            touched: Vec::new(),
        }
    }

    /// What the replay met so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// How many CPUs there are.
    #[must_use]
    pub fn cpus(&self) -> u32 {
        self.cpus.len() as u32
    }

    /// Follows one event. `now` must not go back.
    pub fn event(&mut self, now: u64, cpu: u32, event: &Event<'_>, out: &mut impl Observer) {
        if !self.has_cpu(cpu) {
            return;
        }
        match *event {
            Event::Switch { prev, state, next } => self.switch(now, cpu, prev, state, next, out),
            Event::Waking {
                pid,
                target_cpu,
                waker,
            } => self.waking(now, pid, target_cpu, waker),
            Event::Wakeup { pid, target_cpu } => self.wakeup(now, pid, target_cpu),
            Event::Migrate { pid, dest_cpu } => self.migrate(pid, dest_cpu),
            Event::Free { pid } => self.free(pid),
            Event::Lost => {
                self.stats.lost_marks += 1;
                self.forget(now, cpu, Unknown::Lost, out);
            }
            Event::Pause => {
                for cpu in 0..self.cpus() {
                    self.forget(now, cpu, Unknown::Start, out);
                }
                // Whatever the tasks did, they may do something else when the next recording begins.
                self.states = TaskTable::default();
            }
        }
        while let Some(cpu) = self.touched.pop() {
            self.tell(now, cpu, out);
        }
    }

    /// Ends everything at `now` and gives the tasks with their times.
    pub fn finish(mut self, now: u64, out: &mut impl Observer) -> (Tasks, Stats) {
        for cpu in 0..self.cpus() {
            let c = &self.cpus[cpu as usize];
            match c.current {
                Current::Unknown(why) => out.unknown(cpu, c.since, now, why),
                Current::Idle => {}
                Current::Task {
                    task, prio, wait, ..
                } => {
                    let stay = Stay {
                        cpu,
                        task,
                        prio,
                        start_ns: c.since,
                        end_ns: now,
                        end_known: false,
                        end_state: "",
                        wait,
                    };
                    out.stay(&stay, &mut self.tasks);
                }
            }
        }
        (self.tasks, self.stats)
    }

    /// Makes sure that the CPU exists; false when its number cannot be real.
    fn has_cpu(&mut self, cpu: u32) -> bool {
        if cpu >= MAX_CPUS {
            self.stats.odd_cpus += 1;
            return false;
        }
        while self.cpus.len() <= cpu as usize {
            self.cpus.push(Cpu::new(self.origin_ns));
        }
        true
    }

    /// The number of a task's name, the last known one being kept with the task.
    fn name(&mut self, pid: i32, comm: &str) -> TaskId {
        let task = self.states.get(pid);
        match task.name {
            Some(id) if self.tasks.comm(id) == comm => id,
            _ => {
                let id = self.tasks.id(pid, comm);
                task.name = Some(id);
                id
            }
        }
    }

    fn switch(
        &mut self,
        now: u64,
        cpu: u32,
        prev: Switched<'_>,
        state: &EndState,
        next: Switched<'_>,
        out: &mut impl Observer,
    ) {
        let at = cpu as usize;
        if self.cpus[at].last_switch.replace((now, prev.pid, next.pid))
            == Some((now, prev.pid, next.pid))
        {
            self.stats.duplicates += 1;
            return;
        }
        self.stats.switches += 1;
        self.leave(now, cpu, prev, state, out);
        if prev.pid != 0 {
            let task = self.states.get(prev.pid);
            // Asked for before it was known to run: that request did not end a sleep.
            task.waking = None;
            match task.state {
                // It has been seen on another CPU since: its switch-out comes late and says nothing about now.
                State::Running { cpu: other } if other != cpu => {}
                _ if state.leaves => self.set(prev.pid, State::Sleeping),
                _ => self.enqueue(now, prev.pid, cpu, WaitFrom::Preempted),
            }
        }
        self.cpus[at].since = now;
        self.cpus[at].current = if next.pid == 0 {
            Current::Idle
        } else {
            self.enter(cpu, next)
        };
        self.touched.push(cpu);
    }

    /// Ends what the CPU did until now.
    fn leave(
        &mut self,
        now: u64,
        cpu: u32,
        prev: Switched<'_>,
        state: &EndState,
        out: &mut impl Observer,
    ) {
        let (current, since) = (
            self.cpus[cpu as usize].current,
            self.cpus[cpu as usize].since,
        );
        match current {
            Current::Unknown(why) => {
                out.unknown(cpu, since, now, why);
                if prev.pid != 0 {
                    self.name(prev.pid, prev.comm);
                }
            }
            Current::Task {
                pid, prio, wait, ..
            } if pid == prev.pid => {
                let task = self.name(pid, prev.comm);
                let stay = Stay {
                    cpu,
                    task,
                    prio,
                    start_ns: since,
                    end_ns: now,
                    end_known: true,
                    end_state: &state.label,
                    wait,
                };
                out.stay(&stay, &mut self.tasks);
            }
            Current::Task {
                pid,
                task,
                prio,
                wait,
            } => {
                self.stats.gaps += 1;
                let stay = Stay {
                    cpu,
                    task,
                    prio,
                    start_ns: since,
                    end_ns: now,
                    end_known: false,
                    end_state: "",
                    wait,
                };
                out.stay(&stay, &mut self.tasks);
                if self.states.get(pid).state == (State::Running { cpu }) {
                    self.set(pid, State::Unknown);
                }
            }
            Current::Idle if prev.pid == 0 => {}
            Current::Idle => self.stats.gaps += 1,
        }
    }

    /// The next task comes to its CPU.
    fn enter(&mut self, cpu: u32, next: Switched<'_>) -> Current {
        let task = self.name(next.pid, next.comm);
        let known = *self.states.get(next.pid);
        match known.state {
            State::Queued { cpu: queue, .. } if queue != cpu => self.stats.missed_migrations += 1,
            State::Running { cpu: other } if other != cpu => self.stats.ran_elsewhere += 1,
            State::Sleeping if self.recorded.wakeup => self.stats.missed_wakeups += 1,
            _ => {}
        }
        let wait = match (known.waking, known.state) {
            (Some((since_ns, waker_pid)), _) => Some(Wait {
                since_ns,
                from: WaitFrom::Waking,
                waker_pid,
            }),
            (None, State::Queued { .. }) => {
                let (since_ns, from) = known.queued;
                Some(Wait {
                    since_ns,
                    from,
                    waker_pid: -1,
                })
            }
            _ => None,
        };
        self.set(next.pid, State::Running { cpu });
        self.states.get(next.pid).waking = None;
        Current::Task {
            pid: next.pid,
            task,
            prio: next.prio,
            wait,
        }
    }

    fn waking(&mut self, now: u64, pid: i32, target_cpu: u32, waker: i32) {
        if pid == 0 {
            return;
        }
        let task = self.states.get(pid);
        // A task that runs or is runnable has nothing to wait for: the request only keeps it from going to sleep.
        if matches!(task.state, State::Sleeping | State::Unknown) {
            task.waking = Some((now, waker));
            if !self.recorded.wakeup {
                self.wakeup(now, pid, target_cpu);
            }
        }
    }

    fn wakeup(&mut self, now: u64, pid: i32, target_cpu: u32) {
        if pid == 0 || !self.has_cpu(target_cpu) {
            return;
        }
        match self.states.get(pid).state {
            State::Running { .. } => {}
            State::Queued { .. } => self.requeue(pid, target_cpu),
            State::Sleeping | State::Unknown => {
                self.enqueue(now, pid, target_cpu, WaitFrom::Wakeup);
            }
        }
    }

    fn migrate(&mut self, pid: i32, dest_cpu: u32) {
        if pid != 0 && self.has_cpu(dest_cpu) {
            self.requeue(pid, dest_cpu);
        }
    }

    fn free(&mut self, pid: i32) {
        let task = self.states.get(pid);
        task.waking = None;
        if !matches!(task.state, State::Running { .. }) {
            self.set(pid, State::Unknown);
        }
    }

    /// From here on nobody knows who is on the CPU or waits there.
    fn forget(&mut self, now: u64, cpu: u32, why: Unknown, out: &mut impl Observer) {
        let c = &mut self.cpus[cpu as usize];
        let since = c.since;
        c.last_switch = None;
        let queue = std::mem::take(&mut c.queue);
        let before = std::mem::replace(&mut c.current, Current::Unknown(why));
        if before != c.current {
            c.since = now;
        }
        match before {
            Current::Unknown(was) if was != why => out.unknown(cpu, since, now, was),
            Current::Task {
                pid,
                task,
                prio,
                wait,
            } => {
                let stay = Stay {
                    cpu,
                    task,
                    prio,
                    start_ns: since,
                    end_ns: now,
                    end_known: false,
                    end_state: "",
                    wait,
                };
                out.stay(&stay, &mut self.tasks);
                if self.states.get(pid).state == (State::Running { cpu }) {
                    self.states.get(pid).state = State::Unknown;
                }
            }
            Current::Unknown(_) | Current::Idle => {}
        }
        for pid in queue {
            let task = self.states.get(pid);
            task.state = State::Unknown;
            task.waking = None;
        }
        self.touched.push(cpu);
    }

    /// Gives the task a state other than queued, taking it out of its queue.
    fn set(&mut self, pid: i32, state: State) {
        let task = self.states.get(pid);
        let before = std::mem::replace(&mut task.state, state);
        if let State::Queued { cpu, at } = before {
            let queue = &mut self.cpus[cpu as usize].queue;
            queue.swap_remove(at as usize);
            self.touched.push(cpu);
            if let Some(&moved) = queue.get(at as usize) {
                self.states.get(moved).state = State::Queued { cpu, at };
            }
        }
    }

    fn enqueue(&mut self, now: u64, pid: i32, cpu: u32, from: WaitFrom) {
        self.set(pid, State::Unknown);
        let queue = &mut self.cpus[cpu as usize].queue;
        let at = queue.len() as u32;
        queue.push(pid);
        let task = self.states.get(pid);
        task.state = State::Queued { cpu, at };
        task.queued = (now, from);
        self.touched.push(cpu);
    }

    /// Moves a waiting task to another queue; it waits on.
    fn requeue(&mut self, pid: i32, dest_cpu: u32) {
        let task = self.states.get(pid);
        let (since, from) = task.queued;
        if matches!(task.state, State::Queued { cpu, .. } if cpu != dest_cpu) {
            self.enqueue(since, pid, dest_cpu, from);
        }
    }

    /// Tells the observer when the CPU's picture changed.
    fn tell(&mut self, now: u64, cpu: u32, out: &mut impl Observer) {
        let c = &mut self.cpus[cpu as usize];
        let is = (
            matches!(c.current, Current::Task { .. }),
            c.queue.len() as u32,
        );
        if c.told != is {
            c.told = is;
            out.cpu(now, cpu, is.0, is.1);
        }
    }
}
