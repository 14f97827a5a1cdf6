//! Attempts of `task_numa_migrate`, derived from events: task, target and outcome.
//!
//! The function runs in the task itself, so a task has one attempt at a time and an attempt ends before the task's next one
//! begins. Its first event is the probe on its entry. When a CPU was found and nothing forbids the migration,
//! `sched_move_numa` or `sched_swap_numa` follows, then the migration, by the stopper thread. `sched_stick_numa` follows when
//! it failed. The last event is the probe on its return. Any of them may be missing. Recorded events are facts. Conclusions
//! from the absence of an event (a migration succeeded because no event says it failed) require that no events are lost
//! there.

mod open;
mod target;

use std::collections::{HashMap, VecDeque};

use numalens_core::topology::Node;
use open::{Gap, Open, Traced};
use target::Targets;

use super::{Attempt, Candidate, NumaEvent, StickFormat};
use crate::migrations::{How, Migration};

/// Longest attempt on an idle machine, ns: a gap of lost events within that time may hide its end.
pub const SPAN_NS: u64 = 10_000_000;
/// Longest attempt on any machine, ns: the stopper thread of an emulated CPU was seen to come 280 ms late.
pub const LATEST_NS: u64 = 1_000_000_000;

/// A task's `numa_preferred_nid` by a sample of `/proc/PID/sched`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preferred {
    /// Time of the sample, ns of the reference clock.
    pub ts_ns: u64,
    /// Pid of the task.
    pub pid: i32,
    /// The node; -1 for none.
    pub nid: i32,
}

/// Evidence of the classifier besides the events.
#[derive(Debug, Clone, Copy, Default)]
pub struct Leaning<'a> {
    /// The machine's nodes; empty when not known.
    pub nodes: &'a [Node],
    /// Samples of preferred nodes, ascending in time.
    pub preferred: &'a [Preferred],
    /// True if a probe on the function's return was set.
    pub returns: bool,
}

/// Slot of an attempt until all earlier ones are reported.
enum Slot {
    Open(Box<Open>),
    Done(Box<Attempt>),
}

/// State of a task.
#[derive(Debug, Clone, Copy, Default)]
struct Task {
    /// Number of its open attempt.
    open: Option<u64>,
    /// True if its last attempt was given up before its return was seen.
    late: bool,
}

/// Turns events into attempts. It keeps open attempts, and what is known of tasks that had any; nothing of the past.
pub struct Classifier<'a> {
    leaning: Leaning<'a>,
    nodes: HashMap<i32, i32>,
    tasks: HashMap<i32, Task>,
    targets: Targets<'a>,
    /// Attempts by their beginnings, the first one's number, and how many are open.
    slots: VecDeque<Slot>,
    first: u64,
    open: usize,
    /// Partners of open swaps, and whose.
    partners: HashMap<i32, i32>,
    /// Gaps that an open attempt may meet.
    gaps: VecDeque<Gap>,
    now: u64,
}

impl<'a> Classifier<'a> {
    /// Starts without events.
    #[must_use]
    pub fn new(leaning: Leaning<'a>) -> Self {
        let nodes = leaning.nodes.iter().flat_map(|node| {
            let nid = node.nid as i32;
            node.cpus.iter().map(move |&cpu| (cpu as i32, nid))
        });
        Self {
            leaning,
            nodes: nodes.collect(),
            tasks: HashMap::new(),
            targets: Targets::new(leaning.nodes, leaning.preferred),
            slots: VecDeque::new(),
            first: 0,
            open: 0,
            partners: HashMap::new(),
            gaps: VecDeque::new(),
            now: 0,
        }
    }

    /// Takes the next event, which `cpu` recorded at `now` (ns, never going back), and visits finished attempts.
    pub fn event(
        &mut self,
        now: u64,
        cpu: u32,
        event: &NumaEvent,
        visit: &mut dyn FnMut(&Attempt),
    ) {
        self.pass_time(now, visit);
        match *event {
            NumaEvent::Move(choice) => self.traced(cpu, &choice, Traced::Move),
            NumaEvent::Swap(choice) => self.traced(cpu, &choice, Traced::Swap),
            NumaEvent::Stick(choice, format) => self.stuck(cpu, &choice, format),
            NumaEvent::Entry { pid, nid } => {
                self.close(pid, None);
                self.begin(cpu, pid, Some(nid.unwrap_or(-1)));
            }
            NumaEvent::Return { pid, ret } => self.returned(cpu, pid, ret),
            NumaEvent::Line { line, .. } => self.targets.line(&line),
            NumaEvent::Lost { until_ns } => self.gaps.push_back(Gap {
                cpu,
                since: now,
                until: until_ns,
            }),
            NumaEvent::SkippedVma => {}
        }
        self.tell(visit);
    }

    /// Takes the next migration; of one time, events come before migrations.
    pub fn migration(&mut self, migration: &Migration, visit: &mut dyn FnMut(&Attempt)) {
        if self.open == 0 {
            return;
        }
        self.pass_time(migration.ts_ns.max(self.now), visit);
        let (now, dest) = (self.now, migration.dest_cpu as i32);
        let nid = self.nodes.get(&dest).copied();
        if let Some(open) = self.find(migration.pid) {
            // A task that slept when its turn came is put near its CPU when it wakes (`wake_cpu`).
            let near = migration.how == How::Waking && nid.is_some_and(|nid| nid == open.dst_nid());
            open.went(now, dest, near);
        }
        if let Some(&of) = self.partners.get(&migration.pid)
            && let Some(open) = self.find(of)
        {
            open.partner_went(now, migration.pid, dest);
        }
    }

    /// No more events come.
    pub fn finish(&mut self, visit: &mut dyn FnMut(&Attempt)) {
        for slot in &mut self.slots {
            if let Slot::Open(open) = slot {
                let attempt = open.close(self.now, &self.gaps, None, &mut self.targets);
                *slot = Slot::Done(Box::new(attempt));
            }
        }
        self.open = 0;
        self.tell(visit);
    }

    fn pass_time(&mut self, now: u64, visit: &mut dyn FnMut(&Attempt)) {
        self.now = self.now.max(now);
        self.targets.pass_time(self.now);
        while let Some(Slot::Open(open)) = self.slots.front() {
            if self.now.saturating_sub(open.start_ns) <= LATEST_NS {
                break;
            }
            let pid = open.pid;
            self.close(pid, None);
            self.tasks.entry(pid).or_default().late = self.leaning.returns;
            self.tell(visit);
        }
        let oldest = self.now.saturating_sub(LATEST_NS.saturating_mul(2));
        while self.gaps.front().is_some_and(|gap| gap.until < oldest) {
            self.gaps.pop_front();
        }
    }

    /// Visits the finished attempts that have no open one before them.
    fn tell(&mut self, visit: &mut dyn FnMut(&Attempt)) {
        while let Some(Slot::Done(_)) = self.slots.front() {
            if let Some(Slot::Done(attempt)) = self.slots.pop_front() {
                visit(&attempt);
            }
            self.first += 1;
        }
    }

    fn find(&mut self, pid: i32) -> Option<&mut Open> {
        let number = self.tasks.get(&pid)?.open?;
        match self
            .slots
            .get_mut(number.checked_sub(self.first)? as usize)?
        {
            Slot::Open(open) => Some(open),
            Slot::Done(_) => None,
        }
    }

    /// Begins an attempt of a task that has none open.
    fn begin(&mut self, cpu: u32, pid: i32, entry: Option<i32>) {
        let task = self.tasks.entry(pid).or_default();
        *task = Task {
            open: Some(self.first + self.slots.len() as u64),
            late: false,
        };
        self.open += 1;
        let nid = self.nodes.get(&(cpu as i32)).copied().unwrap_or(-1);
        let known = self.targets.begin(pid);
        let open = Open::new(self.now, (cpu, nid), pid, entry, known);
        self.slots.push_back(Slot::Open(Box::new(open)));
    }

    /// Ends the task's open attempt; `next_cpu` is where its next one found it.
    fn close(&mut self, pid: i32, next_cpu: Option<i32>) {
        let Some(number) = self.tasks.get_mut(&pid).and_then(|task| task.open.take()) else {
            return;
        };
        let Some(at) = number.checked_sub(self.first) else {
            return;
        };
        if let Some(slot) = self.slots.get_mut(at as usize)
            && let Slot::Open(open) = slot
        {
            if let Some(partner) = open.partner()
                && self.partners.get(&partner) == Some(&pid)
            {
                self.partners.remove(&partner);
            }
            let attempt = open.close(self.now, &self.gaps, next_cpu, &mut self.targets);
            *slot = Slot::Done(Box::new(attempt));
            self.open -= 1;
        }
    }

    fn traced(&mut self, cpu: u32, choice: &Candidate, traced: Traced) {
        let pid = choice.pid;
        if self.find(pid).is_none_or(|open| !open.fresh()) {
            self.close(pid, Some(choice.src_cpu));
            self.begin(cpu, pid, None);
        }
        if let Some(open) = self.find(pid) {
            open.chose(choice, traced);
        }
        if let Some(partner) = choice.partner
            && traced == Traced::Swap
        {
            self.partners.insert(partner.pid, pid);
        }
    }

    fn stuck(&mut self, cpu: u32, choice: &Candidate, format: StickFormat) {
        let pid = choice.pid;
        if self
            .find(pid)
            .is_none_or(|open| !open.may_end_with(choice, format))
        {
            self.close(pid, Some(choice.src_cpu));
            self.begin(cpu, pid, None);
        }
        let now = self.now;
        if let Some(open) = self.find(pid) {
            open.stuck(now, choice);
        }
        if !self.leaning.returns {
            self.close(pid, None);
        }
    }

    fn returned(&mut self, cpu: u32, pid: i32, ret: Option<i32>) {
        let now = self.now;
        if self.find(pid).is_none() {
            let task = self.tasks.entry(pid).or_default();
            if std::mem::take(&mut task.late) || ret.is_none() {
                return;
            }
            self.begin(cpu, pid, None);
        }
        if let Some(open) = self.find(pid) {
            open.returned(now, ret);
        }
        self.close(pid, None);
    }
}
