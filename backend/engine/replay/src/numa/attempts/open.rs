//! An open attempt, and its result at the end.

use std::collections::VecDeque;

use super::super::{Attempt, Candidate, StickFormat, Verdict};
use super::SPAN_NS;
use super::target::{PreferredHistory, Targets};

/// `-EAGAIN`.
const EAGAIN: i32 = -11;
/// `-EINVAL`.
const EINVAL: i32 = -22;

/// Events of a CPU are missing between two times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    pub(super) cpu: u32,
    pub(super) since: u64,
    pub(super) until: u64,
}

/// Event that recorded the migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Traced {
    Nothing,
    Move,
    Swap,
}

pub(super) struct Open {
    pub(super) start_ns: u64,
    pub(super) pid: i32,
    /// The preferred node that the probe on the entry printed, -1 when it printed none; `None` without the probe.
    entry: Option<i32>,
    cpu: u32,
    /// The node of `cpu`.
    cpu_nid: i32,
    choice: Option<Candidate>,
    traced: Traced,
    stuck_ns: Option<u64>,
    /// Time at which it came to its CPU.
    came_ns: Option<u64>,
    /// The partner came to this task's CPU.
    partner_came_ns: Option<u64>,
    returned: Option<(u64, Option<i32>)>,
    known: PreferredHistory,
}

impl Open {
    pub(super) fn new(
        start_ns: u64,
        (cpu, cpu_nid): (u32, i32),
        pid: i32,
        entry: Option<i32>,
        known: PreferredHistory,
    ) -> Self {
        Self {
            start_ns,
            pid,
            entry,
            cpu,
            cpu_nid,
            choice: None,
            traced: Traced::Nothing,
            stuck_ns: None,
            came_ns: None,
            partner_came_ns: None,
            returned: None,
            known,
        }
    }

    /// Returns whether only the entry is known.
    pub(super) fn fresh(&self) -> bool {
        self.choice.is_none()
    }

    pub(super) fn dst_nid(&self) -> i32 {
        self.choice.map_or(-1, |choice| choice.dst_nid)
    }

    pub(super) fn partner(&self) -> Option<i32> {
        Some(self.choice?.partner?.pid)
    }

    pub(super) fn chose(&mut self, choice: &Candidate, traced: Traced) {
        self.choice = Some(*choice);
        self.traced = traced;
    }

    /// Returns whether `sched_stick_numa` with this choice ends this attempt, and not another.
    pub(super) fn may_end_with(&self, stick: &Candidate, format: StickFormat) -> bool {
        let Some(choice) = self.choice.filter(|_| self.stuck_ns.is_none()) else {
            return self.fresh();
        };
        let same = choice.dst_cpu == stick.dst_cpu;
        match (self.traced, format) {
            (Traced::Nothing, _) => false,
            // Up to 5.6 a failed swap is recorded with the CPU where the partner was by then.
            (Traced::Swap, StickFormat::Seven) => stick.dst_cpu >= 0,
            (Traced::Move, StickFormat::Seven) => same,
            (Traced::Move, StickFormat::Ten) => same && stick.partner.is_none(),
            (Traced::Swap, StickFormat::Ten) => {
                let partner = |choice: &Candidate| choice.partner.map(|partner| partner.pid);
                same && partner(&choice) == partner(stick)
            }
        }
    }

    pub(super) fn stuck(&mut self, now: u64, stick: &Candidate) {
        self.choice.get_or_insert(*stick);
        self.stuck_ns = Some(now);
    }

    /// The task arrived on a CPU; `near`: it woke on the chosen CPU's node.
    pub(super) fn went(&mut self, now: u64, cpu: i32, near: bool) {
        let moved = self.traced == Traced::Move && near;
        if self.choice.is_some_and(|choice| choice.dst_cpu == cpu) || moved {
            self.came_ns.get_or_insert(now);
        }
    }

    pub(super) fn partner_went(&mut self, now: u64, pid: i32, cpu: i32) {
        let there = |choice: Candidate| {
            choice.src_cpu == cpu && choice.partner.is_some_and(|partner| partner.pid == pid)
        };
        if self.choice.is_some_and(there) {
            self.partner_came_ns.get_or_insert(now);
        }
    }

    pub(super) fn returned(&mut self, now: u64, ret: Option<i32>) {
        self.returned = Some((now, ret));
    }

    /// Returns the finished attempt, as far as known at `now`. `next_cpu` is the CPU of the task's next attempt.
    pub(super) fn close(
        &self,
        now: u64,
        gaps: &VecDeque<Gap>,
        next_cpu: Option<i32>,
        targets: &mut Targets<'_>,
    ) -> Attempt {
        let ret = self.returned.and_then(|(_, ret)| ret);
        let (verdict, end_ns) = self.verdict(now, gaps, ret, next_cpu);
        let choice = self.choice.unwrap_or(Candidate {
            pid: self.pid,
            tgid: 0,
            ngid: -1,
            src_cpu: self.cpu as i32,
            src_nid: self.cpu_nid,
            dst_cpu: -1,
            dst_nid: -1,
            partner: None,
        });
        let (target_nid, target_from) = targets.target(&self.known, self.entry, &choice);
        targets.went(&choice);
        Attempt {
            start_ns: self.start_ns,
            end_ns: self.returned.map_or(end_ns, |(at, _)| at),
            cpu: self.cpu,
            pid: self.pid,
            tgid: choice.tgid,
            ngid: choice.ngid,
            src_cpu: choice.src_cpu,
            src_nid: choice.src_nid,
            dst_cpu: choice.dst_cpu,
            dst_nid: choice.dst_nid,
            partner: choice.partner,
            verdict,
            target_nid,
            target_from,
            ret,
        }
    }

    /// End of the attempt, and the time of its record.
    fn verdict(
        &self,
        now: u64,
        gaps: &VecDeque<Gap>,
        ret: Option<i32>,
        next_cpu: Option<i32>,
    ) -> (Verdict, u64) {
        if let Some(at) = self.stuck_ns {
            return (self.failure(), at);
        }
        if let Some(ret) = ret {
            return (self.by_return(ret, now, gaps), now);
        }
        let came = match self.traced {
            Traced::Nothing => None,
            Traced::Move => self.came_ns,
            Traced::Swap => self
                .came_ns
                .zip(self.partner_came_ns)
                .map(|(a, b)| a.max(b)),
        };
        let dst_cpu = self.choice.map_or(-1, |choice| choice.dst_cpu);
        let found = self.traced == Traced::Move && next_cpu.is_some_and(|cpu| cpu == dst_cpu);
        let end = match came {
            Some(came) => came,
            None if found => now,
            None => return (Verdict::Unknown, self.start_ns),
        };
        if self.meets(gaps, now, end) {
            return (Verdict::Unknown, self.start_ns);
        }
        match self.traced {
            Traced::Swap => (Verdict::Swapped, end),
            _ => (Verdict::Moved, end),
        }
    }

    /// Meaning of `sched_stick_numa` after the events before it.
    fn failure(&self) -> Verdict {
        let choice = self.choice.as_ref();
        match self.traced {
            Traced::Move => Verdict::MoveFailed,
            Traced::Swap => Verdict::SwapRaced,
            Traced::Nothing if choice.is_none_or(|choice| choice.dst_cpu < 0) => Verdict::NoCpu,
            Traced::Nothing if choice.is_some_and(|choice| choice.partner.is_some()) => {
                Verdict::SwapRefused
            }
            Traced::Nothing => Verdict::MoveRefused,
        }
    }

    /// Meaning of the function's return without `sched_stick_numa`.
    fn by_return(&self, ret: i32, now: u64, gaps: &VecDeque<Gap>) -> Verdict {
        match (self.traced, ret) {
            (Traced::Move, 0) => Verdict::Moved,
            (Traced::Swap, 0) => Verdict::Swapped,
            (Traced::Move, _) => Verdict::MoveFailed,
            (Traced::Swap, _) => Verdict::SwapRaced,
            // The events that would show may be lost.
            (Traced::Nothing, _) if self.meets(gaps, now, now) => Verdict::Unknown,
            (Traced::Nothing, EINVAL) => Verdict::NoDomain,
            (Traced::Nothing, EAGAIN) => Verdict::NoCpu,
            (Traced::Nothing, _) => Verdict::Unknown,
        }
    }

    /// Returns whether events are lost where the attempt's end would have been recorded.
    fn meets(&self, gaps: &VecDeque<Gap>, now: u64, end: u64) -> bool {
        let from = self.start_ns;
        let to = end.max(from.saturating_add(SPAN_NS)).min(now);
        let choice = self.choice.as_ref();
        let (src, dst) = choice.map_or((-1, -1), |choice| (choice.src_cpu, choice.dst_cpu));
        gaps.iter().any(|gap| {
            let cpu = gap.cpu as i32;
            (gap.cpu == self.cpu || cpu == src || cpu == dst)
                && gap.since <= to
                && gap.until >= from
        })
    }
}
