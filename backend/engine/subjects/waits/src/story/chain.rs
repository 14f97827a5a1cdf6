//! The task's waker, the waker's waker, and so on.

use numalens_core::EngineError;
use numalens_core::provenance::Label;
use numalens_replay::timeline::{Index, Slice};
use numalens_replay::waits::{Context, Request, Requests, WaitFrom, WaitRow};
use numalens_subject::window::{COMMON_FLAGS, LOST_EVENTS, Places, SCHED_SWITCH};

use crate::story::{Hop, Stop};

/// Wake-ups that are reported.
pub(super) const HOPS: usize = 8;
/// Stays on CPUs, each but the first after a preemption, that are looked through for a waker's own wake-up.
const STAYS: usize = 256;

/// The sleep that a wake-up ended.
#[derive(Debug, Clone, Default)]
pub(super) struct Sleep {
    pub(super) since_ns: Option<u64>,
    pub(super) state: Option<String>,
}

/// The chain, and why it ends.
pub(super) struct Chain {
    pub(super) sleep: Sleep,
    pub(super) hops: Vec<Hop>,
    pub(super) stop: Stop,
}

/// Sources of the chain.
pub(super) struct Read<'a> {
    pub(super) index: &'a Index,
    pub(super) requests: &'a Requests,
    pub(super) places: &'a Places,
    /// Times with missing events of any CPU.
    pub(super) lost: Vec<(u64, u64)>,
}

fn ns(text: &str) -> u64 {
    text.parse().unwrap_or(0)
}

/// Wakeup of a task that ran at a time, and the time after it.
struct Awake {
    woken_ns: Option<u64>,
    ran_ns: Option<u64>,
    preempted_ns: u64,
    sleep: Sleep,
}

impl Read<'_> {
    /// The chain of a wait, from its own wake-up on.
    pub(super) fn chain(&self, wait: &WaitRow, pid: i32) -> Result<Chain, EngineError> {
        let mut chain = Chain {
            sleep: Sleep::default(),
            hops: Vec::new(),
            stop: Stop::NotRecorded,
        };
        if wait.from == WaitFrom::Preempted {
            chain.stop = Stop::Preempted;
            return Ok(chain);
        }
        chain.sleep = self.sleep(pid, wait.start_ns)?;
        let (mut sleeper, mut requested_ns) = (pid, wait.start_ns);
        let mut since = chain.sleep.since_ns;
        loop {
            if chain.hops.len() == HOPS {
                chain.stop = Stop::Limit;
                return Ok(chain);
            }
            let Some(request) = self.requests.at(requested_ns, sleeper)? else {
                chain.stop = self.nothing(since.unwrap_or(requested_ns), requested_ns);
                return Ok(chain);
            };
            let (hop, stop) = self.hop(&request, since)?;
            let next = (hop.pid, hop.woken_ns, hop.slept_ns);
            chain.hops.push(hop);
            match (stop, next) {
                (None, (Some(pid), Some(woken), slept)) => {
                    (sleeper, requested_ns, since) = (pid, woken, slept);
                }
                (stop, _) => {
                    chain.stop = stop.unwrap_or(Stop::NotRecorded);
                    return Ok(chain);
                }
            }
        }
    }

    /// Reason for which a time is unknown.
    fn nothing(&self, from: u64, to: u64) -> Stop {
        if self.is_lost(from, to) {
            Stop::LostEvents
        } else {
            Stop::NotRecorded
        }
    }

    fn is_lost(&self, from: u64, to: u64) -> bool {
        self.lost
            .iter()
            .any(|&(begin, end)| begin <= to && end >= from)
    }

    /// The sleep that ended at a time: it began when the task left its CPU last.
    fn sleep(&self, pid: i32, woken: u64) -> Result<Sleep, EngineError> {
        let before = self.index.next_slice(pid, woken, false)?;
        let slept = before
            .filter(|slice| slice.end_known && ns(&slice.end_ns) <= woken)
            .map_or_else(Sleep::default, |slice| Sleep {
                since_ns: Some(ns(&slice.end_ns)),
                state: slice.end_state,
            });
        Ok(slept)
    }

    /// One wake-up, and why the chain ends with it if it does. `since` is when the sleep that it ended began.
    fn hop(
        &self,
        request: &Request,
        since: Option<u64>,
    ) -> Result<(Hop, Option<Stop>), EngineError> {
        let pid = (request.waker_pid >= 0).then_some(request.waker_pid);
        let mut hop = Hop {
            t_ns: request.ts_ns,
            pid,
            comm: None,
            cpu: request.cpu,
            nid: self.places.nid(request.cpu),
            context: request.context,
            slept_ns: None,
            slept_in: None,
            woken_ns: None,
            ran_ns: None,
            wait_ns: None,
            preempted_ns: 0,
            label: Label::Observed,
            missing: Vec::new(),
        };
        if request.context == Context::Unknown {
            lower(&mut hop, COMMON_FLAGS);
        }
        if pid == Some(0) {
            hop.comm = Some(format!("swapper/{}", request.cpu));
        }
        let ran = self.index.slice_at(request.cpu, request.ts_ns)?;
        // At the very moment of a switch two tasks are on the CPU.
        let mut ran = ran.filter(|slice| Some(slice.pid) == pid);
        if let (None, Some(before)) = (&ran, request.ts_ns.checked_sub(1)) {
            ran = self.index.slice_at(request.cpu, before)?;
            ran = ran.filter(|slice| Some(slice.pid) == pid);
        }
        hop.comm = hop
            .comm
            .or_else(|| ran.as_ref().map(|slice| slice.comm.clone()));
        match request.context {
            Context::Interrupt => return Ok((hop, Some(Stop::Interrupt))),
            Context::Softirq => return Ok((hop, Some(Stop::Softirq))),
            Context::Idle => return Ok((hop, Some(Stop::Idle))),
            Context::Unknown if pid.is_none_or(|pid| pid == 0) => {
                return Ok((hop, Some(Stop::NotRecorded)));
            }
            Context::Task | Context::Unknown => {}
        }
        let Some(ran) = ran else {
            lower(&mut hop, SCHED_SWITCH);
            let stop = self.nothing(request.ts_ns, request.ts_ns);
            return Ok((hop, Some(stop)));
        };
        let awake = self.awake(ran, since)?;
        hop.label = hop.label.max(Label::Replayed);
        hop.woken_ns = awake.woken_ns;
        hop.ran_ns = awake.ran_ns;
        hop.wait_ns = awake
            .ran_ns
            .zip(awake.woken_ns)
            .map(|(ran, woken)| ran - woken);
        hop.preempted_ns = awake.preempted_ns;
        hop.slept_ns = awake.sleep.since_ns;
        hop.slept_in = awake.sleep.state;
        let from = awake.woken_ns.or(awake.ran_ns).unwrap_or(request.ts_ns);
        if self.is_lost(from, request.ts_ns) {
            lower(&mut hop, LOST_EVENTS);
        }
        let stop = match (awake.woken_ns, since) {
            // Awake before the other went to sleep: what it waited for is no part of that sleep.
            (Some(woken), Some(since)) if woken <= since => Some(Stop::RanAlready),
            (None, Some(since)) if awake.ran_ns.is_some_and(|ran| ran <= since) => {
                Some(Stop::RanAlready)
            }
            (None, _) => Some(self.nothing(from, request.ts_ns)),
            (Some(_), _) => None,
        };
        Ok((hop, stop))
    }

    /// Goes back from a stay to the wake-up that it goes back to, but not beyond `since`.
    fn awake(&self, last: Slice, since: Option<u64>) -> Result<Awake, EngineError> {
        let pid = last.pid;
        let mut awake = Awake {
            woken_ns: None,
            ran_ns: None,
            preempted_ns: 0,
            sleep: Sleep::default(),
        };
        let mut stay = last;
        for _ in 0..STAYS {
            let start = ns(&stay.start_ns);
            let wait = stay.wait_ns.as_deref().map_or(0, ns);
            awake.ran_ns = Some(start);
            match stay.wait_from {
                Some("waking") => {
                    let woken = start - wait.min(start);
                    awake.woken_ns = Some(woken);
                    awake.sleep = self.sleep(pid, woken)?;
                    return Ok(awake);
                }
                Some("preempted") if since.is_none_or(|since| start > since) => {
                    awake.preempted_ns += wait;
                    match self.index.next_slice(pid, start, false)? {
                        Some(before) => stay = before,
                        None => return Ok(awake),
                    }
                }
                _ => return Ok(awake),
            }
        }
        Ok(awake)
    }
}

fn lower(hop: &mut Hop, missing: &str) {
    hop.label = hop.label.max(Label::Inferred);
    hop.missing.push(missing.to_owned());
}
