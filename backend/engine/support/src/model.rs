//! What the log of states and the waits must agree with, computed the slow and simple way: after every event all tasks are
//! looked at anew, and every interval between two events is looked at for every task that waits.

use std::collections::{BTreeMap, BTreeSet};

use numalens_core::topology::Node;
use numalens_replay::evidence::CpuSpan;
use numalens_replay::run_state::{SchedExtInputs, Starved, Switches};
use numalens_replay::states::{OnCpu, State, StateRow};
use numalens_replay::waits::{
    Cause, CauseNs, IDLE_EXIT_NS, MIGRATION_COST_NS, WaitEnd, WaitFrom, WaitRow,
};

use crate::rows::{Ev, What, comm};

/// Inputs from sources other than the events.
#[derive(Debug, Clone, Default)]
pub struct Outside {
    /// Pid, from, to; `None` = every blocked sleep.
    pub iowaits: Option<Vec<(i32, u64, u64)>>,
    pub members: Vec<(i32, &'static str, u64)>,
    /// CPU, from, pid.
    pub firsts: Vec<(u32, u64, i32)>,
    pub throttled: Vec<(&'static str, u64, u64)>,
    /// Tasks and the CPUs that they may use.
    pub allowed: Vec<(i32, Vec<u32>)>,
    /// Tasks, from when on they had other CPUs, when that was sampled, and which, if anything tells; the model leaves it out.
    pub changed: Vec<(i32, u64, u64, Option<Vec<u32>>)>,
    /// Tasks that the NUMA balancer looked at; the model leaves them out.
    pub numa_balanced: Vec<i32>,
    /// Cgroups with their quota and period, ns; the model leaves them out.
    pub quotas: Vec<(&'static str, u64, u64)>,
    /// Tasks that were sampled as runnable; the model leaves them out.
    pub starved: Vec<Starved>,
    /// What BPF schedulers had; the model leaves them out.
    pub sched_ext: SchedExtInputs,
    /// When CPUs were offline; the model leaves it out.
    pub offline: Vec<CpuSpan>,
    /// When no task could come to them; the model leaves it out.
    pub inactive: Vec<CpuSpan>,
    /// Whether switches are missing; the model leaves it out.
    pub switches: Switches,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Unknown,
    Sleep(u32),
    Wait(u32),
    Run(u32),
}

#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools)]
struct Task {
    does: Does,
    path: String,
    stalls: u32,
    iowait: bool,
    /// Concluded from its name, or given: the CPUs that it may use.
    allowed: Option<Vec<u32>>,
    named: bool,
    /// It could run and left its CPU idle.
    out: bool,
    /// CPUs to which a switch was seen.
    seen: BTreeSet<u32>,
    /// Its priority; -1 until a switch to it was seen.
    prio: i32,
    slept: u64,
    waking: Option<(u64, i32)>,
    queued: (u64, WaitFrom, u32),
    /// What began its wait, before any gap.
    first: WaitFrom,
    /// Until when it is cache hot.
    cools: u64,
    spent: BTreeMap<Cause, u64>,
    /// True if nothing was known of a CPU that it may use, since it came to its queue.
    unseen: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Unknown,
    Lost,
    Pid(i32),
}

#[derive(Debug, Clone)]
enum Due {
    Member(i32, String),
    Throttle(String, bool),
    First(u32, i32),
    Iowait(i32, u64),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub machine: Vec<StateRow>,
    /// By path instead of number; groups in any order within a time.
    pub groups: Vec<(String, StateRow)>,
    /// With the cgroup's path instead of its number, the pid instead of the task's.
    pub waits: Vec<(String, WaitRow, Vec<CauseNs>)>,
}

impl Answer {
    /// The waits by their ends: of one time they come in any order.
    pub fn sort_waits(&mut self) {
        let key = |row: &WaitRow| (row.end_ns, row.start_ns, row.task, row.cpu);
        self.waits.sort_by_key(|wait| key(&wait.1));
    }
}

pub struct Model<'a> {
    cpus: u32,
    nodes: &'a [Node],
    outside: &'a Outside,
    now: u64,
    tasks: BTreeMap<i32, Task>,
    who: Vec<Who>,
    last: BTreeMap<u32, (u64, i32, i32)>,
    irqs: Vec<u32>,
    softirq: Vec<bool>,
    /// Tasks that scan, and CPUs whose task does.
    scanning: BTreeSet<i32>,
    scans: BTreeSet<u32>,
    raised: BTreeSet<u32>,
    balancing: BTreeSet<u32>,
    throttled: Vec<String>,
    paths: BTreeSet<String>,
    gone: BTreeMap<i32, u64>,
    /// Pids that are other tasks by now than those of which something was given.
    others: BTreeSet<i32>,
    /// Pids that have their parents' CPUs.
    inherited: BTreeMap<i32, Vec<u32>>,
    /// CPUs of which events are lost, and none came since.
    gaps: BTreeSet<u32>,
    /// There were any.
    lost: bool,
    /// The CPU whose switch is the event at hand.
    switched: Option<u32>,
    dues: Vec<(u64, u32, Due)>,
    recorded: BTreeMap<(String, u32), State>,
    answer: Answer,
}

/// A path as the engine names it, `/` for the root.
fn plain(path: &str) -> String {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    format!("/{}", names.join("/"))
}

fn inside(path: &str, above: &str) -> bool {
    above != "/" && (path == above || path.starts_with(&format!("{above}/")))
}

pub fn model(events: &[Ev], cpus: u32, nodes: &[Node], outside: &Outside, end: u64) -> Answer {
    let origin = events.first().map_or(0, |event| event.ts);
    let mut model = Model {
        cpus,
        nodes,
        outside,
        now: origin,
        tasks: BTreeMap::new(),
        who: vec![Who::Unknown; cpus as usize],
        last: BTreeMap::new(),
        irqs: vec![0; cpus as usize],
        softirq: vec![false; cpus as usize],
        scanning: BTreeSet::new(),
        scans: BTreeSet::new(),
        raised: BTreeSet::new(),
        balancing: BTreeSet::new(),
        throttled: Vec::new(),
        paths: BTreeSet::new(),
        gone: BTreeMap::new(),
        others: BTreeSet::new(),
        inherited: BTreeMap::new(),
        gaps: BTreeSet::new(),
        lost: false,
        switched: None,
        dues: Vec::new(),
        recorded: BTreeMap::new(),
        answer: Answer::default(),
    };
    for (pid, path, from) in &outside.members {
        model.dues.push((*from, 0, Due::Member(*pid, plain(path))));
    }
    for (path, from, to) in outside.throttled.iter().filter(|span| span.1 < span.2) {
        model
            .dues
            .push((*from, 0, Due::Throttle(plain(path), true)));
        model.dues.push((*to, 0, Due::Throttle(plain(path), false)));
    }
    for (cpu, from, pid) in &outside.firsts {
        model.dues.push((*from, 0, Due::First(*cpu, *pid)));
    }
    model.until(origin, true);
    model.tell();
    for event in events {
        model.until(event.ts, false);
        model.event(event);
        model.tell();
        model.switched = None;
    }
    model.until(end, false);
    for pid in model.tasks.keys().copied().collect::<Vec<_>>() {
        if !model.is_lost(model.tasks[&pid].does) {
            model.stops(pid, WaitEnd::Recording);
        }
    }
    model.answer.sort_waits();
    model.answer
}

impl Task {
    /// It runs on the CPU. One that is named for the first CPU where it is seen is bound to it, until it is seen elsewhere.
    fn runs_on(&mut self, name: &str, cpu: u32) {
        let new = self.seen.insert(cpu);
        if !self.named
            && self
                .allowed
                .as_ref()
                .is_some_and(|mask| !mask.contains(&cpu))
        {
            self.allowed = None;
            return;
        }
        if !new {
            return;
        }
        let named = name.starts_with(&format!("kworker/{cpu}:"));
        if named && self.seen.len() == 1 && self.allowed.is_none() {
            (self.allowed, self.named) = (Some(vec![cpu]), true);
        } else if self.named {
            (self.allowed, self.named) = (None, false);
        }
    }
}

impl Model<'_> {
    /// Lets time pass and does what is due. At the beginning nothing is recorded in between.
    fn until(&mut self, time: u64, silent: bool) {
        loop {
            // The sort keeps the order of what is due at one time; iowaits come last.
            self.dues.sort_by_key(|due| (due.0, due.1));
            if self.dues.first().is_none_or(|due| due.0 > time) {
                break;
            }
            let (ns, _, due) = self.dues.remove(0);
            self.pass(ns.max(self.now));
            self.due(due);
            if !silent {
                self.tell();
            }
        }
        self.pass(time);
    }

    fn pass(&mut self, time: u64) {
        let ns = time - self.now;
        let pids: Vec<i32> = self.tasks.keys().copied().collect();
        for pid in pids {
            let cause = self.cause(pid);
            let unseen = ns > 0 && self.may_have_run(pid);
            let task = self.tasks.get_mut(&pid).unwrap();
            task.unseen |= unseen;
            if let Some(cause) = cause.filter(|_| ns > 0) {
                let elsewhere = [
                    Cause::PendingBalance,
                    Cause::IdleSameNode,
                    Cause::IdleOtherNode,
                ];
                let hot = task.cools.saturating_sub(self.now).min(ns);
                let hot = if elsewhere.contains(&cause) { hot } else { 0 };
                *task.spent.entry(Cause::MigrationCost).or_default() += hot;
                *task.spent.entry(cause).or_default() += ns - hot;
            }
        }
        self.now = time;
    }

    fn given(&self, pid: i32) -> Option<Vec<u32>> {
        if let Some(cpus) = self.inherited.get(&pid) {
            return Some(cpus.clone());
        }
        let mut given = self
            .outside
            .allowed
            .iter()
            .filter(|given| given.0 == pid && !self.others.contains(&pid));
        let cpus: BTreeSet<u32> = given.next_back()?.1.iter().copied().collect();
        let some = pid != 0 && (0..self.cpus).any(|cpu| !cpus.contains(&cpu));
        some.then(|| cpus.into_iter().collect())
    }

    /// Whether no idle CPU would do for a task that waits on `cpu`.
    fn has_no_idle(&self, task: &Task, cpu: u32) -> bool {
        let Some(mask) = &task.allowed else {
            return false;
        };
        if let [one] = mask[..] {
            return one == cpu;
        }
        mask.iter()
            .all(|cpu| self.who.get(*cpu as usize) != Some(&Who::Pid(0)))
    }

    /// Whether nothing is known of a CPU of a mask; of tasks that are bound to one CPU or to none, the mask is left out.
    fn any_unseen(&self, mask: Option<&Vec<u32>>) -> bool {
        let unseen = |cpu: &u32| !matches!(self.who.get(*cpu as usize), Some(Who::Pid(_)));
        match mask {
            Some(mask) => mask.iter().any(unseen),
            None => (0..self.cpus).any(|cpu| unseen(&cpu)),
        }
    }

    /// Whether a waiting task may run on a CPU of which nothing is known.
    fn may_have_run(&self, pid: i32) -> bool {
        let allowed = self.tasks[&pid].allowed.as_ref();
        self.any_unseen(allowed.filter(|mask| mask.len() > 1))
    }

    /// What the task's wait consists of at this moment.
    fn cause(&self, pid: i32) -> Option<Cause> {
        let task = &self.tasks[&pid];
        let cpu = match task.does {
            Does::Wait(cpu) => cpu,
            Does::Sleep(_) | Does::Unknown if task.waking.is_some() => return Some(Cause::WakeUp),
            _ => return None,
        };
        let at = cpu as usize;
        let node = |cpu: u32| self.nodes.iter().position(|node| node.cpus.contains(&cpu));
        let mask = task.allowed.as_ref().filter(|mask| mask.len() > 1);
        let idle = |same: bool| {
            (0..self.cpus).any(|other| {
                self.who[other as usize] == Who::Pid(0)
                    && (node(other) == node(cpu)) == same
                    && mask.is_none_or(|mask| mask.contains(&other))
            })
        };
        let any_idle = (0..self.cpus).any(|other| self.who[other as usize] == Who::Pid(0));
        let pinned = if task.named {
            Cause::ProbablyPinned
        } else {
            Cause::Pinned
        };
        let pending = !self.raised.is_empty() || !self.balancing.is_empty();
        Some(match self.who[at] {
            Who::Unknown | Who::Lost => Cause::Unknown,
            _ if task.out => Cause::Throttled,
            Who::Pid(0) if self.throttled.iter().any(|path| inside(&task.path, path)) => {
                Cause::Throttled
            }
            Who::Pid(0) => Cause::IdleExit,
            Who::Pid(_) if self.irqs[at] > 0 => Cause::Interrupt,
            Who::Pid(_) if self.softirq[at] => Cause::Softirq,
            Who::Pid(_) if self.scans.contains(&cpu) => Cause::NumaScan,
            Who::Pid(_) if !any_idle && self.any_unseen(None) => Cause::Unknown,
            Who::Pid(_) if !any_idle => Cause::Busy,
            Who::Pid(_)
                if self.has_no_idle(task, cpu)
                    && mask.is_some_and(|mask| self.any_unseen(Some(mask))) =>
            {
                Cause::Unknown
            }
            Who::Pid(_) if self.has_no_idle(task, cpu) => pinned,
            Who::Pid(_) if pending => Cause::PendingBalance,
            Who::Pid(_) if idle(true) => Cause::IdleSameNode,
            Who::Pid(_) => Cause::IdleOtherNode,
        })
    }

    fn task(&mut self, pid: i32) -> &mut Task {
        let now = self.now;
        let gone = self.gone.get(&pid).copied();
        let seen = self.outside.members.iter();
        let mut seen: Vec<_> = seen
            .filter(|member| member.0 == pid && gone.is_none_or(|gone| member.2 > gone))
            .collect();
        seen.sort_by_key(|member| member.2);
        let path = seen
            .iter()
            .rev()
            .find(|member| member.2 <= now)
            .or(seen.first());
        let path = path.map_or("/".to_owned(), |member| plain(member.1));
        let allowed = self.given(pid);
        self.tasks.entry(pid).or_insert(Task {
            does: Does::Unknown,
            path,
            stalls: 0,
            iowait: false,
            allowed,
            named: false,
            out: false,
            seen: BTreeSet::new(),
            prio: -1,
            slept: 0,
            waking: None,
            queued: (0, WaitFrom::Wakeup, 0),
            first: WaitFrom::Wakeup,
            cools: 0,
            spent: BTreeMap::new(),
            unseen: false,
        })
    }

    fn due(&mut self, due: Due) {
        match due {
            Due::Member(0, _) => {}
            Due::Member(pid, path) => self.task(pid).path = path,
            Due::Throttle(path, true) => self.throttled.push(path),
            Due::Throttle(path, false) => {
                let at = self
                    .throttled
                    .iter()
                    .position(|other| *other == path)
                    .unwrap();
                self.throttled.remove(at);
            }
            Due::First(cpu, pid) => {
                let unknown = self.who[cpu as usize] == Who::Unknown;
                if !unknown || (pid != 0 && self.task(pid).does != Does::Unknown) {
                    return;
                }
                self.who[cpu as usize] = Who::Pid(pid);
                (self.irqs[cpu as usize], self.softirq[cpu as usize]) = (0, false);
                self.balancing.remove(&cpu);
                if pid != 0 {
                    self.comes(pid, cpu);
                }
            }
            Due::Iowait(pid, slept) => {
                let task = self.task(pid);
                if matches!(task.does, Does::Sleep(_)) && task.slept == slept {
                    task.iowait = true;
                }
            }
        }
    }

    fn comes(&mut self, pid: i32, cpu: u32) {
        let name = comm(pid);
        let task = self.task(pid);
        task.runs_on(&name, cpu);
        task.does = Does::Run(cpu);
        task.iowait = false;
        task.waking = None;
        task.spent.clear();
    }

    fn waits(&mut self, pid: i32, cpu: u32, from: WaitFrom) {
        let now = self.now;
        let task = self.task(pid);
        task.does = Does::Wait(cpu);
        task.unseen = false;
        task.queued = (now, from, cpu);
        task.first = from;
        (task.iowait, task.out) = (false, false);
        let ran = match from {
            WaitFrom::Preempted => now,
            WaitFrom::Wakeup => task.slept,
            _ => 0,
        };
        task.cools = if ran > 0 { ran + MIGRATION_COST_NS } else { 0 };
        if from == WaitFrom::Preempted || task.waking.is_none() {
            task.spent.clear();
        }
    }

    fn unknown(&mut self, pid: i32) {
        let task = self.task(pid);
        task.does = Does::Unknown;
        task.iowait = false;
        task.spent.clear();
    }

    fn wakes(&mut self, pid: i32, target: i32, from: WaitFrom) {
        if pid == 0 || target < 0 || target as u32 >= self.cpus {
            return;
        }
        match self.task(pid).does {
            Does::Run(_) => {}
            Does::Wait(_) => self.moves(pid, target as u32),
            _ => self.waits(pid, target as u32, from),
        }
        let name = comm(pid);
        let task = self.task(pid);
        if let Does::Wait(cpu) = task.does
            && task.seen.is_empty()
            && name.starts_with(&format!("kworker/{cpu}:"))
        {
            task.runs_on(&name, cpu);
        }
    }

    fn event(&mut self, event: &Ev) {
        let (now, cpu) = (self.now, event.cpu);
        let at = cpu as usize;
        if !matches!(event.what, What::Pause) && self.gaps.remove(&cpu) {
            self.split();
        }
        match event.what {
            What::Switch { prev, state, next } => {
                if self.last.insert(cpu, (now, prev, next)) == Some((now, prev, next)) {
                    return;
                }
                self.switched = Some(cpu);
                if let Who::Pid(thought) = self.who[at]
                    && thought != prev
                    && thought != 0
                    && self.task(thought).does == Does::Run(cpu)
                {
                    self.unknown(thought);
                }
                if prev != 0 {
                    let task = self.task(prev);
                    (task.waking, task.prio) = (None, 120);
                    let elsewhere = matches!(task.does, Does::Run(other) if other != cpu);
                    if !elsewhere && state & 0xff != 0 {
                        task.does = Does::Sleep(cpu);
                        (task.slept, task.iowait) = (now, false);
                        task.spent.clear();
                        self.sleeps(prev);
                    } else if !elsewhere {
                        self.waits(prev, cpu, WaitFrom::Preempted);
                        self.task(prev).out = next == 0;
                    }
                }
                if next != 0 {
                    self.ends(next, cpu);
                    self.comes(next, cpu);
                }
                self.who[at] = Who::Pid(next);
                (self.irqs[at], self.softirq[at]) = (0, false);
                if state & 0xff != 0 {
                    self.scanning.remove(&prev);
                }
                self.scans.remove(&cpu);
                if self.scanning.contains(&next) {
                    self.scans.insert(cpu);
                }
                self.balancing.remove(&cpu);
            }
            What::Waking { pid, .. } if pid != 0 => {
                let lost = self.lost;
                let task = self.task(pid);
                if let Does::Wait(cpu) = task.does
                    && lost
                    && task.first != WaitFrom::Preempted
                {
                    (task.does, task.iowait) = (Does::Sleep(cpu), false);
                    (task.waking, task.spent) = (None, BTreeMap::new());
                }
                if matches!(task.does, Does::Unknown | Does::Sleep(_)) {
                    task.waking = Some((now, 77));
                    task.spent.clear();
                }
            }
            What::Wakeup { pid, target } => self.wakes(pid, target, WaitFrom::Wakeup),
            What::WakeupNew { pid, target } => self.wakes(pid, target, WaitFrom::New),
            What::Migrate { pid, dest } if pid != 0 && (dest as u32) < self.cpus => {
                if let Does::Wait(_) = self.task(pid).does {
                    self.moves(pid, dest as u32);
                }
            }
            What::Free { pid } if pid != 0 => {
                self.scanning.remove(&pid);
                self.stops(pid, WaitEnd::Gone);
                let task = self.task(pid);
                task.waking = None;
                if !matches!(task.does, Does::Run(_)) {
                    self.tasks.remove(&pid);
                    self.gone.insert(pid, now);
                    self.others.insert(pid);
                    self.inherited.remove(&pid);
                }
            }
            What::Fork { parent, child } if child != 0 => {
                let parent = self.task(parent);
                let path = parent.path.clone();
                let inherited = parent.allowed.clone().filter(|_| !parent.named);
                if !matches!(self.task(child).does, Does::Run(_)) {
                    self.stops(child, WaitEnd::Gone);
                    self.unknown(child);
                    let task = self.task(child);
                    (task.stalls, task.allowed, task.waking) = (0, inherited, None);
                    task.named = false;
                    task.seen.clear();
                    let inherited = task.allowed.clone();
                    self.others.insert(child);
                    self.inherited.remove(&child);
                    self.inherited.extend(inherited.map(|cpus| (child, cpus)));
                }
                self.task(child).path = path;
            }
            What::Exit { pid } if pid != 0 => self.task(pid).stalls = 0,
            What::Attach { pid, path } if pid != 0 => self.task(pid).path = plain(path),
            What::Stall { pid, enter } if pid != 0 => {
                let task = self.task(pid);
                task.stalls = if enter {
                    task.stalls + 1
                } else {
                    task.stalls.saturating_sub(1)
                };
            }
            What::Irq {
                softirq: false,
                enter,
                ..
            } => {
                self.irqs[at] = if enter {
                    self.irqs[at] + 1
                } else {
                    self.irqs[at].saturating_sub(1)
                };
            }
            What::Irq {
                softirq: true,
                vec,
                enter,
            } => {
                self.softirq[at] = enter;
                self.balancing.remove(&cpu);
                if enter && vec == 7 {
                    self.balancing.insert(cpu);
                    self.raised.remove(&cpu);
                }
            }
            What::Scan { pid, enter } => {
                self.scanning.remove(&pid);
                if enter {
                    self.scanning.insert(pid);
                }
                if pid != 0 && self.who[at] == Who::Pid(pid) {
                    self.scans.remove(&cpu);
                    self.scans.extend(enter.then_some(cpu));
                }
            }
            What::Raise { vec: 7 } => {
                self.raised.insert(cpu);
            }
            What::Lost => {
                self.lost = true;
                self.forget(cpu, Who::Lost);
                self.split();
                self.gaps.insert(cpu);
            }
            What::Pause => {
                self.gaps.clear();
                for cpu in 0..self.cpus {
                    self.forget(cpu, Who::Unknown);
                }
                self.tasks.clear();
            }
            _ => {}
        }
    }

    fn sleeps(&mut self, pid: i32) {
        let now = self.now;
        let intervals = self.outside.iowaits.iter().flatten();
        let mine = intervals.filter(|wait| wait.0 == pid && wait.2 > now);
        let from = mine.map(|wait| wait.1.max(now)).min();
        match from {
            Some(from) if from == now => self.task(pid).iowait = true,
            Some(from) => self.dues.push((from, 1, Due::Iowait(pid, now))),
            None => {}
        }
    }

    /// The wait that ends with this switch-in, if any.
    fn ends(&mut self, pid: i32, cpu: u32) {
        let task = self.task(pid);
        task.runs_on(&comm(pid), cpu);
        task.prio = 120;
        let does = task.does;
        if matches!(does, Does::Wait(on) if on == cpu) || !self.is_lost(does) {
            self.wait(pid, cpu, WaitEnd::Ran);
        }
    }

    /// A waiting task comes to another queue; where nothing is known of the old one, its wait begins anew.
    fn moves(&mut self, pid: i32, dest: u32) {
        let now = self.now;
        let does = self.task(pid).does;
        let lost = does != Does::Wait(dest) && self.is_lost(does);
        if let Does::Wait(cpu) = does
            && cpu != dest
        {
            self.settle(pid, cpu);
        }
        let task = self.task(pid);
        task.does = Does::Wait(dest);
        if lost {
            task.waking = None;
            (task.queued.0, task.queued.1) = (now, WaitFrom::Resumed);
            task.cools = 0;
            task.spent.clear();
        }
    }

    /// Whether a task is on the queue of a CPU of which nothing is known.
    fn is_lost(&self, does: Does) -> bool {
        matches!(does, Does::Wait(cpu) if !matches!(self.who[cpu as usize], Who::Pid(_)))
    }

    /// The wait that ends though its task does not run, if any.
    fn stops(&mut self, pid: i32, end: WaitEnd) {
        if let Does::Wait(cpu) | Does::Sleep(cpu) = self.task(pid).does {
            self.wait(pid, cpu, end);
        }
    }

    /// All waits are split: their tasks may have run where nobody saw it.
    fn split(&mut self) {
        let (now, pids) = (self.now, self.tasks.keys().copied().collect::<Vec<_>>());
        for pid in pids {
            if !self.is_lost(self.tasks[&pid].does) {
                self.stops(pid, WaitEnd::Lost);
            }
            let task = self.task(pid);
            task.waking = None;
            task.spent.clear();
            task.unseen = false;
            if matches!(task.does, Does::Wait(_)) {
                (task.queued.0, task.queued.1) = (now, WaitFrom::Resumed);
                task.cools = 0;
            }
        }
    }

    /// Leaving idle takes no longer than [`IDLE_EXIT_NS`]: the task has waited on `cpu` for another reason, or ran unseen.
    fn settle(&mut self, pid: i32, cpu: u32) {
        let unseen = self.may_have_run(pid);
        let task = self.task(pid);
        let bound = task.allowed.as_deref() == Some(&[cpu]);
        let unseen = std::mem::take(&mut task.unseen) || unseen;
        let idle = task.spent.entry(Cause::IdleExit).or_default();
        let long = idle.saturating_sub(IDLE_EXIT_NS);
        *idle -= long;
        let beyond = if unseen && !bound {
            Cause::Unknown
        } else {
            Cause::IdleUnexplained
        };
        *task.spent.entry(beyond).or_default() += long;
    }

    fn wait(&mut self, pid: i32, cpu: u32, end: WaitEnd) {
        let now = self.now;
        let task = self.task(pid);
        let queued = matches!(task.does, Does::Wait(_)).then_some(task.queued);
        let (start_ns, from, waker_pid) = match (task.waking, queued) {
            (Some((since, waker)), _) => (since, WaitFrom::Waking, waker),
            (None, Some((since, from, _))) => (since, from, -1),
            _ => return,
        };
        if from == WaitFrom::Resumed && start_ns == now {
            return;
        }
        self.settle(pid, cpu);
        let task = self.task(pid);
        let causes = task.spent.clone().into_iter().filter(|cause| cause.1 > 0);
        let row = WaitRow {
            start_ns,
            end_ns: now,
            task: pid as u32,
            prio: task.prio,
            cpu,
            from_cpu: queued.map_or(cpu, |queued| queued.2),
            from,
            end,
            waker_pid,
            group: 0,
        };
        let path = task.path.clone();
        let causes = causes.map(|(cause, ns)| CauseNs { cause, ns }).collect();
        self.answer.waits.push((path, row, causes));
    }

    fn forget(&mut self, cpu: u32, why: Who) {
        let at = cpu as usize;
        let before = std::mem::replace(&mut self.who[at], why);
        self.last.remove(&cpu);
        let queued = self
            .tasks
            .iter()
            .filter(|task| task.1.does == Does::Wait(cpu));
        for pid in queued.map(|task| *task.0).collect::<Vec<_>>() {
            self.stops(pid, WaitEnd::Lost);
        }
        for (&pid, task) in &mut self.tasks {
            let ran = task.does == Does::Run(cpu) && before == Who::Pid(pid);
            if ran || task.does == Does::Wait(cpu) {
                task.does = Does::Unknown;
                (task.waking, task.stalls, task.iowait) = (None, 0, false);
                task.spent.clear();
            }
        }
        (self.irqs[at], self.softirq[at]) = (0, false);
        self.scanning.clear();
        self.scans.remove(&cpu);
        self.balancing.remove(&cpu);
        self.raised.remove(&cpu);
    }

    /// The state of a CPU for the tasks of a cgroup; all tasks for the root.
    fn state(&self, path: &str, cpu: u32) -> State {
        let who = self.who[cpu as usize];
        let mut state = State::default();
        let mut on_cpu = false;
        for (&pid, task) in &self.tasks {
            if path != "/" && !inside(&task.path, path) {
                continue;
            }
            let stalled = task.stalls > 0;
            match task.does {
                Does::Wait(at) if at == cpu => {
                    state.running += 1;
                    state.bound += u16::from(self.has_no_idle(task, cpu));
                    state.memstall += u16::from(stalled);
                    state.memstall_running += u16::from(stalled);
                }
                Does::Run(at) if at == cpu => {
                    on_cpu = true;
                    state.running += u16::from(path != "/");
                    state.memstall += u16::from(stalled);
                    state.memstall_running += u16::from(stalled);
                    state.stalled_on_cpu = stalled && matches!(who, Who::Pid(_));
                }
                Does::Sleep(at) if at == cpu => {
                    state.iowait += u16::from(task.iowait);
                    state.memstall += u16::from(stalled);
                }
                _ => {}
            }
            let _ = pid;
        }
        let busy = if path == "/" {
            !matches!(who, Who::Pid(0))
        } else {
            on_cpu
        };
        state.on = match who {
            Who::Unknown => OnCpu::Unknown,
            Who::Lost => OnCpu::Lost,
            Who::Pid(_) if busy => OnCpu::Task,
            Who::Pid(_) => OnCpu::Idle,
        };
        if path == "/" {
            state.running += u16::from(state.on == OnCpu::Task);
        }
        state
    }

    fn tell(&mut self) {
        for task in self.tasks.values() {
            let names: Vec<&str> = task
                .path
                .split('/')
                .filter(|name| !name.is_empty())
                .collect();
            for depth in 1..=names.len() {
                self.paths.insert(format!("/{}", names[..depth].join("/")));
            }
        }
        let mut paths: Vec<String> = self.paths.iter().cloned().collect();
        paths.push("/".to_owned());
        for path in paths {
            for cpu in 0..self.cpus {
                let state = self.state(&path, cpu);
                let counts = State {
                    on: OnCpu::Unknown,
                    ..state
                };
                let key = (path.clone(), cpu);
                let met =
                    path == "/" || self.recorded.contains_key(&key) || counts != State::default();
                // A task's binding is reported with the CPU's next switch, or when something else changes.
                let bound_only = path == "/"
                    && self.switched != Some(cpu)
                    && self.recorded.get(&key).is_some_and(|last| {
                        let bound = state.bound;
                        State { bound, ..*last } == state
                    });
                if met && !bound_only && self.recorded.get(&key) != Some(&state) {
                    self.recorded.insert(key, state);
                    let row = StateRow {
                        ts_ns: self.now,
                        cpu,
                        group: 0,
                        state,
                    };
                    if path == "/" {
                        self.answer.machine.push(row);
                    } else {
                        self.answer.groups.push((path.clone(), row));
                    }
                }
            }
        }
    }
}
