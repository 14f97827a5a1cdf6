//! Decisions of wakeups and forks in a window, from the logs of the replay of run states.

use std::collections::HashMap;

use numalens_bundle::{Error, Open, Parts};
use numalens_cling::prefs::Prefs;
use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_core::{CpuSet, EngineError};
use numalens_replay::evidence::Evidence;
use numalens_replay::numa::{ClingLine, Site};
use numalens_replay::run_state::home;
use numalens_replay::waits::{Cause, CauseNs, Order, Request, WaitFrom, WaitRow, WakeAffinity};

use crate::catalogue::{MissedBy, PlacementReason};
use crate::lanes::{Lanes, Span, Status};
use crate::machine::Machine;
use crate::model::{self, Affinity, Class, Other, Probed, Reasons, Recent, Rules, Scene};
use crate::tracepoints::Calls;

/// A part of a window in which so many waits are looked at together, at most if they are spread evenly.
const AT_ONCE: usize = 1 << 17;
/// The kernel changes a CPU's state so long before the event that shows it, at most, ns.
const EARLIER_NS: u64 = 10_000;
/// Priorities below are those of real-time, deadline and stop tasks (`MAX_RT_PRIO`).
const MAX_RT_PRIO: i32 = 100;

/// Placement of a task by a wakeup or fork, with the possible reasons.
#[derive(Debug, Clone, Copy)]
pub struct Decision {
    /// Time of the request, or of the wakeup of a new task, ns of the reference clock.
    pub ts_ns: u64,
    /// Pid of the task.
    pub pid: i32,
    /// Number of the task.
    pub task: TaskId,
    /// True for a new task.
    pub fork: bool,
    /// CPU of the waker; `None` for a new task.
    pub waker_cpu: Option<u32>,
    /// Pid of the task on it; -1 when not known.
    pub waker_pid: i32,
    /// CPU where the task was before; `None` for a new task, or when not known.
    pub prev_cpu: Option<u32>,
    /// CPU where the task was placed.
    pub cpu: u32,
    /// Reasons that are possible; none where no rule gives the CPU.
    pub reasons: Reasons,
    /// True if something recorded says where the task may run.
    pub affinity_observed: bool,
    /// Idle CPU that it missed.
    pub missed: Option<Missed>,
    /// End of the wait that followed, ns.
    pub ran_ns: u64,
    /// Part of that wait while the task was cache hot, ns.
    pub hot_ns: u64,
    /// Possible effects of another kernel version, and of NUMA cling on or off; only on request.
    pub others: [Option<Other>; 2],
}

impl Decision {
    /// Length of the wait that followed, up to a time, ns.
    #[must_use]
    pub fn wait_ns(&self, to_ns: u64) -> u64 {
        self.ran_ns.min(to_ns).saturating_sub(self.ts_ns)
    }

    /// Returns how the reason is known.
    #[must_use]
    pub fn label(&self) -> Label {
        // That a CPU was idle and took the task holds whatever the affinity is.
        let idle = [PlacementReason::PreviousIdle, PlacementReason::WakerIdle];
        match self.reasons.only() {
            Some(reason) if self.affinity_observed || idle.contains(&reason) => Label::Replayed,
            _ => Label::Inferred,
        }
    }
}

/// An idle CPU that a decision missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missed {
    /// Rule that missed it.
    pub by: MissedBy,
    /// Nearest idle CPU.
    pub cpu: u32,
    /// True if something recorded shows that the task may run there: its affinity, or that it was there before.
    pub proven: bool,
}

/// A wait that began with a wakeup or a fork.
#[derive(Debug, Clone, Copy)]
struct Woken {
    wait: WaitRow,
    pid: i32,
    /// Time when the task came to the queue, ns.
    queued_ns: u64,
    hot_ns: u64,
}

impl Woken {
    /// Time of the decision, as far as it concerns a CPU.
    fn span(&self, cpu: u32, decided: u64) -> Span {
        // The event of a new task comes behind its placement.
        let before = if self.wait.from == WaitFrom::New {
            EARLIER_NS
        } else {
            0
        };
        Span {
            from: self.wait.start_ns.saturating_sub(before),
            to: decided + EARLIER_NS,
            // The task itself makes its CPU busy, from the middle between request and wakeup on at the latest (K5).
            own_from: if cpu == self.wait.from_cpu {
                u64::midpoint(self.wait.start_ns, self.queued_ns)
            } else {
                u64::MAX
            },
        }
    }
}

/// Reader of decisions.
pub struct Replay<'a> {
    open: &'a Open,
    parts: &'a Parts,
    machine: Machine,
    rules: Rules,
    calls: Calls,
    /// Times in which BPF schedulers were loaded.
    ext: Vec<(u64, u64)>,
    recent: HashMap<i32, Recent>,
    /// The task that each task woke last, and the number of changes (`wakee_flips`, without its decay), by pid.
    flips: HashMap<i32, (i32, u32)>,
    /// CPUs to which wakeups brought tasks, by pid.
    seen: HashMap<i32, CpuSet>,
    what_if: Option<WhatIfs>,
}

/// Inputs of what-ifs.
struct WhatIfs {
    /// The kernel printed decisions of NUMA cling.
    clings: bool,
    prefs: Prefs,
}

impl<'a> Replay<'a> {
    /// Prepares to read the decisions of a bundle.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn new(open: &'a Open, evidence: &Evidence) -> Result<Self, Error> {
        let loaded = evidence.sched_ext.iter().flat_map(|ext| &ext.loaded);
        Ok(Self {
            open,
            parts: open.parts()?,
            machine: Machine::new(open.index.nodes(), &open.sharing),
            rules: Rules::of(evidence.kernel),
            calls: Calls::read(open)?,
            ext: loaded
                .map(|one| (one.from_ns, one.to_ns.unwrap_or(u64::MAX)))
                .collect(),
            recent: HashMap::new(),
            flips: HashMap::new(),
            seen: HashMap::new(),
            what_if: None,
        })
    }

    /// Asks for what other rules may have changed.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn with_what_ifs(mut self) -> Result<Self, Error> {
        let logs = self.open.numa_logs()?;
        let (from, to) = (self.open.index.origin_ns(), self.open.index.end_ns());
        let attempts: Vec<_> = logs.attempts.rows(from, to)?.collect();
        let mut prefs = Prefs::default();
        prefs.attempts(&attempts, |_| false);
        self.what_if = Some(WhatIfs {
            clings: !self.kept(from, to)?.is_empty(),
            prefs,
        });
        Ok(self)
    }

    /// Returns cores, caches and nodes.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Calls `each` with the decisions of a window in the order of time, and with the state of each CPU at that time. Returns how many wakeups are
    /// left out because the task's previous CPU is not known.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn run(
        mut self,
        (from, to): (u64, u64),
        mut each: impl FnMut(&Decision, &dyn Fn(u32) -> Status),
    ) -> Result<u64, Error> {
        let mut unknown = 0;
        let steps = (self.parts.waits.len() / AT_ONCE + 1) as u64;
        let step = (to - from) / steps + 1;
        let mut begin = from;
        while begin < to {
            let end = to.min(begin + step);
            unknown += self.part((begin, end), end == to, &mut each)?;
            begin = end;
        }
        Ok(unknown)
    }

    /// The decisions of a part of the window.
    fn part(
        &mut self,
        (from, to): (u64, u64),
        last: bool,
        each: &mut impl FnMut(&Decision, &dyn Fn(u32) -> Status),
    ) -> Result<u64, Error> {
        let mut unknown = 0;
        let woken = self.woken((from, to), last)?;
        let until = woken.iter().map(|one| one.queued_ns).max().unwrap_or(to);
        let lanes = Lanes::read(&self.parts.states, from, until.max(to) + EARLIER_NS)?;
        let requests = self.parts.requests(self.open)?.with_new(from, to)?;
        let requests: HashMap<(u64, i32), Request> =
            requests.map(|one| ((one.ts_ns, one.pid), one)).collect();
        let moved = self.moved(from, until)?;
        let kept = self.kept(from, until)?;
        let mut on_their_way: Vec<(u64, u32)> = Vec::new();
        for (place, one) in woken.iter().enumerate() {
            let request = requests.get(&(one.wait.start_ns, one.pid));
            let moved = next(&moved, one.pid, one.wait.start_ns);
            let decided = moved.map_or(one.queued_ns, |moved| moved.min(one.queued_ns));
            let clings = next(&kept, one.pid, one.wait.start_ns);
            let clings = clings.is_some_and(|ts_ns| ts_ns <= decided);
            on_their_way.retain(|&(queued_ns, _)| queued_ns >= one.wait.start_ns);
            // Others that are being placed in the meantime may or may not count there.
            let later = woken[place + 1..].iter();
            let later = later.take_while(|other| other.wait.start_ns < decided);
            let others = later.map(|other| other.wait.from_cpu);
            let awaited: Vec<u32> = others.chain(on_their_way.iter().map(|one| one.1)).collect();
            on_their_way.push((one.queued_ns, one.wait.from_cpu));
            let status = |cpu| {
                let mut status = lanes.status(cpu, &one.span(cpu, decided));
                status.may_be_busy |= awaited.contains(&cpu);
                status
            };
            match self.decide(one, request, clings, &status)? {
                Some(decision) => each(&decision, &status),
                None => unknown += 1,
            }
        }
        Ok(unknown)
    }

    /// The waits of a part of the window that began with a wakeup or a fork, by start.
    fn woken(&self, (from, to): (u64, u64), last: bool) -> Result<Vec<Woken>, EngineError> {
        let mut woken = Vec::new();
        let pid = |task| self.open.index.task(task).map_or(-1, |task| task.0);
        self.parts
            .waits
            .over(from, to, Order::Forwards, |wait, causes| {
                let begins = matches!(wait.from, WaitFrom::Waking | WaitFrom::New);
                let inside =
                    wait.start_ns >= from && (wait.start_ns < to || last && wait.start_ns == to);
                if begins && inside {
                    let ns = |cause| sum(causes, cause);
                    woken.push(Woken {
                        wait: *wait,
                        pid: pid(wait.task),
                        queued_ns: wait.start_ns + ns(Cause::WakeUp),
                        hot_ns: ns(Cause::MigrationCost),
                    });
                }
            })?;
        woken.sort_by_key(|one| (one.wait.start_ns, one.pid));
        Ok(woken)
    }

    /// Times of migrations, by pid.
    fn moved(&self, from: u64, to: u64) -> Result<HashMap<i32, Vec<u64>>, Error> {
        let mut moved: HashMap<i32, Vec<u64>> = HashMap::new();
        for one in self.open.numa_logs()?.migrations.rows(from, to)? {
            moved.entry(one.pid).or_default().push(one.ts_ns);
        }
        Ok(moved)
    }

    /// Times when the kernel printed that a task clings to its node at a wakeup, by pid.
    fn kept(&self, from: u64, to: u64) -> Result<HashMap<i32, Vec<u64>>, Error> {
        let mut kept: HashMap<i32, Vec<u64>> = HashMap::new();
        self.open.numa_logs()?.lines.scan(from, to, |row| {
            if let ClingLine::Decision {
                site: Site::Wake,
                pid,
                busy: false,
                ..
            } = row.line
            {
                kept.entry(pid).or_default().push(row.ts_ns);
            }
        })?;
        Ok(kept)
    }

    fn affinity(&self, allowed: WakeAffinity) -> Result<Affinity, Error> {
        let (cpus, inferred) = match allowed {
            WakeAffinity::Unknown => (None, true),
            WakeAffinity::Any => (None, false),
            WakeAffinity::One { cpu, inferred } => (Some([cpu].into_iter().collect()), inferred),
            WakeAffinity::Mask { mask, inferred } => {
                let phases = self.parts.segment_logs(self.open)?.phases;
                (Some(phases.mask(mask)), inferred)
            }
        };
        Ok(Affinity {
            cpus,
            observed: !inferred,
        })
    }

    fn class(&self, wait: &WaitRow) -> Class {
        let at = wait.start_ns;
        if self.ext.iter().any(|&(from, to)| from <= at && at < to) {
            Class::Ext
        } else if (i32::MIN..MAX_RT_PRIO).contains(&wait.prio) && wait.prio != -1 {
            Class::Higher
        } else {
            Class::Fair
        }
    }

    fn decide(
        &mut self,
        one: &Woken,
        request: Option<&Request>,
        clings: bool,
        status: &dyn Fn(u32) -> Status,
    ) -> Result<Option<Decision>, Error> {
        let wait = &one.wait;
        let fork = wait.from == WaitFrom::New;
        let allowed = request.map_or(WakeAffinity::Unknown, |request| request.allowed);
        let mut affinity = self.affinity(allowed)?;
        let name = self.open.index.task(wait.task).map_or("", |task| task.1);
        if fork && affinity.only().is_some() && home(name.as_bytes()) == affinity.only() {
            // Kernel threads are bound only after their fork (`kthread_bind`).
            (affinity.cpus, affinity.observed) = (None, false);
        }
        let class = self.class(wait);
        let (from, to) = (wait.start_ns, one.queued_ns);
        let call = self.calls.between(one.pid, from, to).filter(|_| !fork);
        let prev_cpu = call.and_then(|call| call.prev);
        let prev_cpu = prev_cpu.or_else(|| request?.prev_cpu);
        let scene = Scene {
            machine: &self.machine,
            rules: self.rules,
            status,
        };
        let mut others = [None; 2];
        let reasons = if fork {
            model::fork(&scene, class, &affinity, wait.from_cpu)
        } else {
            let (Some(request), Some(prev)) = (request, prev_cpu) else {
                return Ok(None);
            };
            let waker = self.open.index.comm_of(request.waker_pid);
            let bound = waker.and_then(|comm| home(comm.as_bytes()));
            let flips = self.flips.entry(request.waker_pid).or_default();
            if flips.0 != one.pid {
                *flips = (one.pid, flips.1 + 1);
            }
            let flipped = self.flips.get(&one.pid).map_or(0, |flips| flips.1);
            let recent = self.recent.entry(one.pid).or_default();
            let wakeup = model::Wakeup {
                this: request.cpu,
                context: request.context,
                by_bound_kthread: bound == Some(request.cpu),
                prev,
                affinity: &affinity,
                class,
                probed: self
                    .calls
                    .probed
                    .then(|| call.map_or(Probed::Nothing, Probed::Selected)),
                wakes: flipped,
                clings,
                recent,
                to: wait.from_cpu,
            };
            let reasons = model::wakeup(&scene, &wakeup);
            if let Some(what_if) = &self.what_if {
                let prefers = || {
                    let preferred = what_if.prefs.at(one.pid, wait.start_ns)?;
                    let nid = self.machine.node(prev)?;
                    (preferred.nid == nid as i32).then_some(())
                };
                let cling = if what_if.clings {
                    model::without_cling(&scene, &wakeup, reasons)
                } else {
                    prefers().and_then(|()| model::with_cling(&scene, &wakeup))
                };
                others = [model::other_version(&scene, &wakeup, reasons), cling];
            }
            recent.woken(prev, reasons);
            reasons
        };
        let missed = model::missed(
            &scene,
            &affinity,
            reasons,
            request.map(|request| request.cpu),
            wait.from_cpu,
        );
        let seen = self.seen.entry(one.pid).or_default();
        let missed = missed.map(|(by, cpu)| Missed {
            by,
            cpu,
            proven: affinity.observed || seen.contains(cpu),
        });
        seen.insert(wait.from_cpu);
        Ok(Some(Decision {
            ts_ns: wait.start_ns,
            pid: one.pid,
            task: wait.task,
            fork,
            waker_cpu: request.filter(|_| !fork).map(|request| request.cpu),
            waker_pid: request.map_or(-1, |request| request.waker_pid),
            prev_cpu,
            cpu: wait.from_cpu,
            reasons,
            affinity_observed: affinity.observed,
            missed,
            ran_ns: wait.end_ns,
            hot_ns: one.hot_ns,
            others,
        }))
    }
}

/// The first time of a pid's at or after another.
fn next(times: &HashMap<i32, Vec<u64>>, pid: i32, from: u64) -> Option<u64> {
    let times = times.get(&pid)?;
    let at = times.partition_point(|&ts_ns| ts_ns < from);
    times.get(at).copied()
}

fn sum(causes: &[CauseNs], cause: Cause) -> u64 {
    let own = causes.iter().filter(|one| one.cause == cause);
    own.map(|one| one.ns).sum()
}
