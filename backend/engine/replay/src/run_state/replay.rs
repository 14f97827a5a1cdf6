//! State of all CPUs and tasks, and its reports.

use std::collections::{BTreeMap, HashMap, HashSet};

use numalens_core::CpuSet;
use numalens_core::tasks::Tasks;
use numalens_core::topology::{MAX_CPUS, Node};
use numalens_events::Event;

use super::cpu::{Cpu, Current, Waiting};
use super::eevdf::Eevdf;
use super::inputs::{Inputs, Iowaits, Switches};
use super::quota::Quotas;
use super::sched_ext::Ext;
use super::task::{At, State, TaskTable};
use super::timed::Timed;
use super::typical::Typical;
use super::{Observer, Slice, Unknown};
use crate::evidence::Course;
use crate::states::{Groups, MACHINE, StateRow};
use crate::waits::{
    Clocks, Context, HARDWARE_NOISE, Phase, Request, SCHED, STEAL, WaitEnd, WaitFrom,
};

/// Recorded events, to interpret the missing ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Recorded {
    /// `sched_wakeup` is there. Without it a task counts as waiting from `sched_waking` on.
    pub wakeup: bool,
    /// True if `sched_waking` is recorded.
    pub waking: bool,
    /// `softirq_entry` is there. Without it a raised softirq would never be known to begin.
    pub softirq: bool,
    /// The return of `task_numa_work` is recorded. Without it a scan would never be known to end.
    pub numa_scan: bool,
    /// The return of `sched_balance_newidle` is there. Without it newly idle balancing is that of its domains.
    pub newidle: bool,
    /// The return of `sched_balance_rq` is there.
    pub balance_rq: bool,
}

/// Statistics of the replay: counts of events, except for the times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    /// Switches followed.
    pub switches: u64,
    /// Switches away from a task that was not known to run: the switch before is missing.
    pub gaps: u64,
    /// CPU time in which the CPU did something else than it was thought to do, at most: from the switch-in that a gap
    /// contradicts until the gap, ns.
    pub gap_ns: u64,
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

/// Results of a replay.
#[derive(Debug)]
pub struct Finished {
    /// The tasks that ran, with their times.
    pub tasks: Tasks,
    /// The cgroups that were met.
    pub groups: Groups,
    /// The masks of CPUs that the phases of waits name by number.
    pub masks: Vec<CpuSet>,
    /// Statistics of the replay.
    pub stats: Stats,
    /// Events that the replay missed, by time.
    pub course: Course,
}

/// The state of all CPUs and tasks at one time.
#[derive(Debug)]
pub struct Replay {
    pub(super) cpus: Vec<Cpu>,
    pub(super) states: TaskTable,
    pub(super) tasks: Tasks,
    pub(super) groups: Groups,
    /// Number of open throttled spans of each group.
    pub(super) throttled: Vec<u32>,
    pub(super) clocks: Clocks,
    pub(super) timed: Timed,
    pub(super) iowaits: Iowaits,
    /// See [`Inputs::kernel_threads`].
    pub(super) kernel_threads: HashSet<i32>,
    /// See [`Inputs::followed`].
    pub(super) followed: Option<HashSet<i32>>,
    /// Priorities by the switch that brought their task: time, CPU, pid. See [`Inputs::reclassed`].
    pub(super) reclassed: HashMap<(u64, u32, i32), i32>,
    /// See [`Inputs::numa_balanced`].
    pub(super) numa_balanced: HashSet<i32>,
    /// Tasks of BPF schedulers.
    pub(super) ext: Ext,
    /// Affinity of the tasks of cgroups, as sampled.
    pub(super) group_cpus: HashMap<u32, CpuSet>,
    /// Affinity of tasks that were sampled themselves.
    pub(super) task_cpus: HashMap<i32, (u64, CpuSet)>,
    /// The quotas of cgroups, by group.
    pub(super) quotas: Quotas,
    /// CPUs where tasks wait, and which of them is the next to be looked at.
    pub(super) overloaded: Vec<u32>,
    pub(super) turn: u32,
    /// Number of balancing passes of busy CPUs while CPUs were idle, since the last one of an idle CPU.
    pub(super) kicks_missed: u8,
    /// From tick to tick of a busy CPU, ns.
    pub(super) tick_ns: u64,
    /// Until when a dropped kick holds balancing up at most, ns.
    pub(super) kick_dropped_until: u64,
    /// Tasks that scan their memory for NUMA balancing; few at a time.
    pub(super) scanning: Vec<i32>,
    /// Queues of the fair class.
    pub(super) eevdf: Eevdf,
    pub(super) recorded: Recorded,
    pub(super) origin_ns: u64,
    pub(super) stats: Stats,
    pub(super) course: Course,
    /// CPUs whose picture may have changed during the event at hand.
    pub(super) touched: Vec<u32>,
    /// The same for groups: CPU and group.
    pub(super) touched_groups: Vec<(u32, u32)>,
    started: bool,
    /// The CPU whose switch is the event at hand.
    pub(super) switched: Option<u32>,
    /// From when on what the event at hand changes holds; earlier than the event for some wake-ups.
    pub(super) since: u64,
    pub(super) enqueued_before_wakeup: bool,
    pub(super) date_missing_wakeups: bool,
    pub(super) switches: Switches,
    /// Tasks that wait if they have no event: start, clocks at that time, and CPU.
    pub(super) starving: BTreeMap<i32, (Waiting, u32)>,
    /// Phases of waits that ended and were not reported yet.
    pub(super) phases: Vec<Phase>,
    /// From becoming runnable on an idle CPU to running there.
    pub(super) typical: Typical,
}

impl Replay {
    /// Starts at `origin_ns` with `cpus` CPUs (more may appear), whose state is known only from `inputs`.
    #[must_use]
    pub fn new(
        origin_ns: u64,
        cpus: u32,
        nodes: &[Node],
        recorded: Recorded,
        mut inputs: Inputs,
    ) -> Self {
        let mut groups = Groups::default();
        let timed = Timed::new(&mut inputs, &mut groups);
        let mut replay = Self {
            cpus: Vec::new(),
            states: TaskTable::default(),
            tasks: Tasks::default(),
            groups,
            throttled: Vec::new(),
            clocks: Clocks::new(origin_ns, nodes, recorded.softirq),
            timed,
            iowaits: inputs.iowaits,
            kernel_threads: inputs.kernel_threads.into_iter().collect(),
            followed: inputs.followed,
            reclassed: inputs
                .reclassed
                .iter()
                .map(|one| ((one.ts_ns, one.cpu, one.pid), one.prio))
                .collect(),
            numa_balanced: inputs.numa_balanced.into_iter().collect(),
            ext: inputs.sched_ext.into(),
            group_cpus: HashMap::new(),
            task_cpus: HashMap::new(),
            quotas: Quotas::default(),
            overloaded: Vec::new(),
            turn: 0,
            kicks_missed: 0,
            tick_ns: 1_000_000_000 / u64::from(inputs.hz.max(1)),
            kick_dropped_until: 0,
            scanning: Vec::new(),
            eevdf: Eevdf::default(),
            recorded,
            origin_ns,
            stats: Stats::default(),
            course: Course::new(origin_ns),
            touched: Vec::new(),
            touched_groups: Vec::new(),
            started: false,
            switched: None,
            since: origin_ns,
            enqueued_before_wakeup: inputs.enqueued_before_wakeup,
            date_missing_wakeups: inputs.date_missing_wakeups,
            switches: inputs.switches,
            starving: BTreeMap::new(),
            phases: Vec::new(),
            typical: Typical::default(),
        };
        if let Some(last) = cpus.min(MAX_CPUS).checked_sub(1) {
            replay.has_cpu(last);
        }
        replay
    }

    /// Statistics so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The cgroups met so far.
    #[must_use]
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Number of CPUs.
    #[must_use]
    pub fn cpus(&self) -> u32 {
        self.cpus.len() as u32
    }

    /// Follows one event. `now` must not go back.
    #[inline]
    pub fn event(&mut self, now: u64, cpu: u32, event: &Event<'_>, out: &mut impl Observer) {
        if !self.started || self.timed.is_due(now) {
            self.come_to(now, out);
        }
        if !self.has_cpu(cpu) {
            return;
        }
        self.since = now;
        self.cpus[cpu as usize].last_event = now;
        if self.cpus[cpu as usize].gap && !matches!(event, Event::Pause) {
            self.close_gap(now, cpu, out);
        }
        match *event {
            Event::Switch { prev, state, next } => self.switch(now, cpu, prev, state, next, out),
            Event::Waking {
                pid,
                comm,
                target_cpu,
                waker,
                flags,
            } => {
                if let Some((prev_cpu, allowed)) =
                    self.waking(now, cpu, (pid, comm), target_cpu, waker)
                {
                    let serves = self.clocks.serves(cpu);
                    out.request(&Request {
                        ts_ns: now,
                        pid,
                        cpu,
                        waker_pid: waker,
                        context: Context::of(waker, flags, serves),
                        prev_cpu,
                        allowed,
                        new: false,
                    });
                }
            }
            Event::Wakeup {
                pid,
                comm,
                target_cpu,
                new,
            } => {
                let from = if new { WaitFrom::New } else { WaitFrom::Wakeup };
                self.wakeup(now, cpu, pid, target_cpu, from);
                self.woken_as(now, pid, comm);
                if new && pid != 0 {
                    let at = self.task(now, pid);
                    let allowed = self.states.get(at).allowed.cpus();
                    out.request(&Request {
                        ts_ns: now,
                        pid,
                        cpu,
                        waker_pid: -1,
                        context: Context::Unknown,
                        prev_cpu: None,
                        allowed,
                        new: true,
                    });
                }
            }
            Event::Irq {
                softirq,
                vec,
                enter,
            } => {
                self.clocks.irq(now, cpu, softirq, vec, enter);
                if softirq && vec == SCHED {
                    if enter {
                        self.balancing_comes(now, cpu);
                    } else {
                        self.balanced(now, cpu);
                    }
                }
            }
            Event::SoftirqRaise { vec } => {
                self.clocks.raise(now, cpu, vec);
                if vec == SCHED {
                    self.balancing_comes(now, cpu);
                }
            }
            Event::Stall { pid, enter } => self.stall(now, pid, enter),
            ref rare => self.rarely(now, cpu, rare, out),
        }
        self.tell(out);
        self.switched = None;
    }

    #[cold]
    fn rarely(&mut self, now: u64, cpu: u32, event: &Event<'_>, out: &mut impl Observer) {
        match *event {
            Event::Migrate {
                pid,
                orig_cpu,
                dest_cpu,
            } => self.migrate(now, cpu, pid, orig_cpu, dest_cpu, out),
            Event::Free { pid } => self.free(now, pid, out),
            Event::Fork { parent, child } => self.fork(now, parent, child, out),
            Event::Exit { pid } => self.exit(now, pid),
            Event::NumaScan { pid, enter } => self.numa_scan(now, cpu, pid, enter),
            Event::NewIdle { enter, whole } => {
                let counts = if whole {
                    self.recorded.newidle
                } else {
                    self.recorded.balance_rq && !self.recorded.newidle
                };
                if counts {
                    self.clocks.new_idle(now, cpu, enter);
                }
            }
            Event::Taken { by_host, enter } => {
                let class = if by_host { STEAL } else { HARDWARE_NOISE };
                self.clocks.taken(now, cpu, class, enter);
            }
            Event::Entity(ref entity) => self.entity(entity),
            Event::Pick(ref pick) => self.picked(now, pick),
            Event::Kick => self.kicked(now, cpu),
            Event::CgroupAttach { pid, path } => {
                let group = self.groups.number(&String::from_utf8_lossy(path));
                if pid != 0 {
                    let at = self.task(now, pid);
                    self.attach(now, at, group);
                }
            }
            Event::Lost => {
                self.stats.lost_marks += 1;
                self.forget(now, cpu, Unknown::Lost, out);
                self.split_waits(now, out);
                // So may what an idle CPU raised after a kick was dropped.
                self.clocks.kick_served(now);
                self.cpus[cpu as usize].gap = true;
            }
            Event::Pause => self.pause(now, out),
            _ => {}
        }
    }

    /// A task begins or ends to scan its memory, on the CPU where it runs.
    fn numa_scan(&mut self, now: u64, cpu: u32, pid: i32, enter: bool) {
        if !self.recorded.numa_scan {
            return;
        }
        self.scanning.retain(|&known| known != pid);
        if enter {
            self.scanning.push(pid);
        }
        let current = self.cpus[cpu as usize].current;
        if matches!(current, Current::Task { pid: on, .. } if on == pid) {
            self.clocks.numa_scan(now, cpu, enter);
        }
    }

    /// Does what is due by `now`, each at its time.
    #[cold]
    fn come_to(&mut self, now: u64, out: &mut impl Observer) {
        let mut at = self.origin_ns;
        if !self.started {
            self.started = true;
            self.touched.extend(0..self.cpus());
            self.since = at;
            while let Some((_, due)) = self.timed.take(at) {
                self.due(at, due, out);
            }
            self.tell(out);
        }
        while let Some((ns, due)) = self.timed.take(now) {
            at = at.max(ns);
            self.since = at;
            self.due(at, due, out);
            self.tell(out);
        }
    }

    /// Ends everything at `now` and returns the tasks with their times.
    pub fn finish(mut self, now: u64, out: &mut impl Observer) -> Finished {
        self.come_to(now, out);
        self.end_waits(now, out);
        self.clocks.end(now);
        self.tell_spans(out);
        for cpu in 0..self.cpus() {
            match self.cpus[cpu as usize].current {
                Current::Unknown(why) => {
                    out.unknown(cpu, self.cpus[cpu as usize].since, now, why);
                }
                _ => {
                    self.cut_short(now, cpu, out);
                }
            }
        }
        Finished {
            tasks: self.tasks,
            groups: self.groups,
            masks: self.clocks.into_masks(),
            stats: self.stats,
            course: self.course,
        }
    }

    /// Reports a slice without a recorded end; returns the task's pid.
    pub(super) fn cut_short(&mut self, now: u64, cpu: u32, out: &mut impl Observer) -> Option<i32> {
        let c = &self.cpus[cpu as usize];
        let Current::Task {
            pid,
            task,
            prio,
            wait,
        } = c.current
        else {
            return None;
        };
        let slice = Slice {
            cpu,
            task,
            prio,
            start_ns: c.since,
            end_ns: now,
            end_known: false,
            end_state: "",
            wait,
        };
        out.slice(&slice, &mut self.tasks);
        Some(pid)
    }

    /// Makes sure that the CPU exists; false when its number cannot be real.
    #[inline]
    pub(super) fn has_cpu(&mut self, cpu: u32) -> bool {
        (cpu as usize) < self.cpus.len() || self.new_cpu(cpu)
    }

    #[cold]
    fn new_cpu(&mut self, cpu: u32) -> bool {
        if cpu >= MAX_CPUS {
            self.stats.odd_cpus += 1;
            return false;
        }
        self.clocks.reach(cpu, self.origin_ns);
        while self.cpus.len() <= cpu as usize {
            self.touched.push(self.cpus());
            self.cpus.push(Cpu::new(self.origin_ns));
        }
        true
    }

    /// The task's place; a new one gets what is known of its pid.
    #[inline]
    pub(super) fn task(&mut self, now: u64, pid: i32) -> At {
        let (at, new) = self.states.find(pid);
        if new {
            self.introduce(now, pid, at);
        }
        at
    }

    #[cold]
    fn introduce(&mut self, now: u64, pid: i32, at: At) {
        let task = self.states.get(at);
        task.group = self.timed.group(pid, now);
        if let Some((_, cpus)) = self.task_cpus.get(&pid).cloned() {
            self.allow_cpus(now, at, &cpus, false);
        } else {
            self.allow_group(now, at);
        }
    }

    /// The CPU's picture may change with this event.
    #[inline]
    pub(super) fn touch(&mut self, cpu: u32) {
        if self.touched.last() != Some(&cpu) {
            self.touched.push(cpu);
        }
    }

    /// Reports the changes to the observer.
    #[inline]
    pub(super) fn tell(&mut self, out: &mut impl Observer) {
        if self.clocks.has_spans() || !self.phases.is_empty() {
            self.tell_spans(out);
        }
        if self.clocks.has_crossed() {
            self.replace_scopes();
        }
        while let Some(cpu) = self.touched.pop() {
            let c = &mut self.cpus[cpu as usize];
            let state = c.state();
            // That tasks are bound comes to light with events of other CPUs. It is written with the CPU's own next switch, so that
            // no wake-up that counts from a little earlier on comes late.
            let switched = self.switched == Some(cpu);
            let known = c.reported_state.is_some_and(|last| {
                last.same_but_bound(&state) && (!switched || last.bound == state.bound)
            });
            if !known {
                let was_known = c.reported_state.is_some_and(|last| last.known());
                c.reported_state = Some(state);
                out.state(&StateRow {
                    ts_ns: self.since,
                    cpu,
                    group: MACHINE,
                    state,
                });
                if !(was_known && state.known()) {
                    self.touch_reported_groups(cpu);
                }
            }
        }
        if !self.touched_groups.is_empty() {
            self.tell_groups(out);
        }
    }

    #[cold]
    fn tell_spans(&mut self, out: &mut impl Observer) {
        for span in self.clocks.drain_spans() {
            out.span(&span);
        }
        for phase in self.phases.drain(..) {
            out.phase(&phase);
        }
    }

    /// Marks that it became unknown, or known again, whether the CPU runs a group's task.
    #[cold]
    fn touch_reported_groups(&mut self, cpu: u32) {
        let groups = &self.cpus[cpu as usize].groups;
        let reported = (0..).zip(groups).filter(|group| group.1.reported.is_some());
        self.touched_groups
            .extend(reported.map(|group| (cpu, group.0)));
    }

    #[cold]
    fn tell_groups(&mut self, out: &mut impl Observer) {
        // In the order of their numbers, whatever came first.
        self.touched_groups.sort_unstable();
        self.touched_groups.dedup();
        for (cpu, group) in self.touched_groups.drain(..) {
            let c = &mut self.cpus[cpu as usize];
            let on = c.on();
            let Some(counts) = c.groups.get_mut(group as usize) else {
                continue;
            };
            let state = counts.state(on);
            if counts.reported != Some(state) {
                counts.reported = Some(state);
                out.state(&StateRow {
                    ts_ns: self.since,
                    cpu,
                    group,
                    state,
                });
            }
        }
    }

    /// Marks the CPU's running and waiting tasks as unknown from here on.
    pub(super) fn forget(&mut self, now: u64, cpu: u32, why: Unknown, out: &mut impl Observer) {
        let ran = self.cut_short(now, cpu, out);
        let c = &mut self.cpus[cpu as usize];
        // What became of a kick may be lost.
        (c.last_switch, c.kicked) = (None, None);
        let (since, before) = (c.since, c.current);
        c.current = Current::Unknown(why);
        if before != c.current {
            c.since = now;
        }
        if let Current::Unknown(was) = before
            && was != why
        {
            out.unknown(cpu, since, now, was);
        }
        if let Some(pid) = ran {
            let at = self.task(now, pid);
            if self.states.get(at).state == (State::Running { cpu }) {
                self.lose(at);
            }
        }
        while let Some(waiting) = self.cpus[cpu as usize].queue.last() {
            let at = waiting.task;
            self.end_wait(now, at, WaitEnd::Lost, out);
            self.lose(at);
        }
        self.clocks.forget(now, cpu);
        // Ends of scans may be lost, too.
        self.scanning.clear();
        self.eevdf.forget();
        self.touched.push(cpu);
    }

    /// Marks the state of the task, and its stalls, as unknown.
    fn lose(&mut self, at: At) {
        let task = self.states.get(at);
        task.waking = None;
        task.stalls = 0;
        self.set(at, State::Unknown);
    }

    fn pause(&mut self, now: u64, out: &mut impl Observer) {
        for cpu in 0..self.cpus() {
            self.forget(now, cpu, Unknown::Start, out);
            self.cpus[cpu as usize].gap = false;
        }
        // Whatever the tasks did, they may do something else when the next recording begins.
        for at in 0..self.states.len() {
            self.lose(at);
        }
        self.states = TaskTable::default();
    }
}
