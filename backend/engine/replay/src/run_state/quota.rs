//! The CPU bandwidth of cgroups (`cpu.max`), replayed.
//!
//! As in `kernel/sched/fair.c` (6.1 to 7.2): a period timer fills the cgroup's pool with its quota
//! (`do_sched_cfs_period_timer`). Each CPU where its tasks run takes slices of 5 ms from the pool
//! (`sched_cfs_bandwidth_slice`, `__assign_cfs_rq_runtime`). Its tasks are throttled there when the slice is used up and the
//! pool is empty (`throttle_cfs_rq`), until the timer fills it again. A CPU that its last task leaves returns all but 1 ms
//! (`__return_cfs_rq_runtime`).
//!
//! Conclusions are drawn only if the kernel's own counters (`cpu.stat`) say that the cgroup was throttled. The time of the
//! timer is not recorded: the first throttled task that runs again shows it. If other tasks use the CPUs in between, tasks of
//! the cgroup that run again after long silences show it, when two silences end a whole number of periods from each other.

use std::collections::BTreeMap;

/// `sched_cfs_bandwidth_slice`, ns.
const SLICE_NS: i64 = 5_000_000;
/// Time that a CPU keeps when its last task leaves (`min_cfs_rq_runtime`), ns.
pub(super) const KEPT_NS: i64 = 1_000_000;
/// Maximum error of a CPU's remaining slice, which is charged at ticks, ns.
pub(super) const TICK_NS: i64 = 2_000_000;

/// A cgroup whose tasks wait and of which none runs for this part of a period is throttled.
pub(super) const SILENT: u64 = 10;
/// A task that runs again this long after the timer, ns, and this many times in a row, shows that the timer fires later.
const LATE_NS: u64 = 10_000_000;
const LATE_TIMES: u8 = 4;
/// While the time of the timer is unknown: a silence of this fraction of a period, during which a task of the cgroup waits,
/// may be caused by throttling. It then ends with the timer, with an error of at most this many ns.
const LONG_SILENT: u64 = 4;
const JITTER_NS: u64 = 2_000_000;
/// Number of periods without throttling after which the found timer is doubted.
const DOUBT: u64 = 8;

/// The shortest and the longest period that the kernel takes (`min_cfs_quota_period`, `max_cfs_quota_period`), ns.
const PERIOD_NS: [u64; 2] = [1_000_000, 1_000_000_000];
/// Periods that are followed one by one, and quotas that a CPU may owe.
const PERIODS: u64 = 64;
const DEBT: i64 = 16;

/// The cgroup on a CPU.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Local {
    /// Remaining slice, ns.
    pub(super) left: i64,
    /// Number of its running tasks there; 1 at most, except with missing switches.
    pub(super) running: u32,
    /// Until when what it ran was charged, ns.
    pub(super) since: u64,
    /// True if it is throttled here.
    pub(super) out: bool,
}

/// A cgroup with a quota.
#[derive(Debug)]
pub(super) struct Quota {
    /// CPU time in each period, ns.
    pub(super) limit: i64,
    pub(super) period: u64,
    pub(super) pool: i64,
    pub(super) cpus: BTreeMap<u32, Local>,
    /// Time at which the pool is filled next.
    pub(super) next: u64,
    /// True if that is known from a task that ran again.
    pub(super) in_phase: bool,
    /// Number of its running tasks, on all CPUs, and the time at which the last one of them left.
    pub(super) running: u32,
    pub(super) left: u64,
    /// Number of consecutive times that tasks ran again only this long after the pool was filled, ns.
    pub(super) late: (u8, u64),
    /// End of the last long silence, while the timer is not known.
    pub(super) silence: Option<u64>,
    /// Time at which it was last throttled anywhere.
    pub(super) throttled: u64,
}

impl Quota {
    pub(super) fn new(now: u64, quota: u64, period: u64) -> Self {
        let quota = i64::try_from(quota).unwrap_or(i64::MAX).min(i64::MAX / 4);
        let period = period.clamp(PERIOD_NS[0], PERIOD_NS[1]);
        Self {
            limit: quota,
            period,
            pool: quota,
            cpus: BTreeMap::new(),
            next: now.saturating_add(period),
            in_phase: false,
            running: 0,
            left: now,
            late: (0, u64::MAX),
            silence: None,
            throttled: now,
        }
    }

    pub(super) fn local(&mut self, now: u64, cpu: u32) -> &mut Local {
        self.cpus.entry(cpu).or_insert(Local {
            since: now,
            ..Local::default()
        })
    }

    /// Charges what ran until `now`; the pool is filled when its time has come.
    pub(super) fn charge(&mut self, now: u64) {
        if let Some(late) = now.checked_sub(self.next)
            && late > PERIODS * self.period
        {
            // Nothing was recorded for long: what it owed is paid.
            self.next += late / self.period * self.period;
            for local in self.cpus.values_mut() {
                (local.since, local.left) = (self.next, 0);
            }
        }
        while self.next <= now {
            let at = self.next;
            self.charge_until(at);
            self.fill(at);
        }
        self.charge_until(now);
    }

    pub(super) fn charge_until(&mut self, now: u64) {
        for local in self.cpus.values_mut() {
            let ran = now.saturating_sub(local.since);
            local.since = local.since.max(now);
            if local.running == 0 {
                continue;
            }
            let most = self.limit.saturating_mul(DEBT);
            local.left = local.left.saturating_sub_unsigned(ran).max(-most);
            if local.left <= 0 {
                let taken = (SLICE_NS - local.left).min(self.pool);
                self.pool -= taken;
                local.left += taken;
            }
        }
    }

    /// The period timer fires.
    pub(super) fn fill(&mut self, now: u64) {
        self.pool = self.limit;
        let passed = now.saturating_sub(self.next) / self.period + 1;
        self.next = self.next.saturating_add(passed.saturating_mul(self.period));
        for local in self.cpus.values_mut() {
            // What a CPU overran is taken from the new quota (`distribute_cfs_runtime`).
            if local.out && local.left < 0 {
                let owed = (-local.left).min(self.pool);
                self.pool -= owed;
                local.left += owed;
            }
        }
    }
}

impl Quota {
    /// Handles a task that runs after a while without any: the timer has fired, just now or a little earlier.
    pub(super) fn ran_again(&mut self, now: u64) {
        let since = now.saturating_sub(self.next.saturating_sub(self.period));
        if !self.in_phase || since >= self.period / 2 {
            (self.next, self.in_phase, self.late) = (now, true, (0, u64::MAX));
        } else if since > LATE_NS {
            let (times, least) = self.late;
            self.late = (times + 1, least.min(since));
            if self.late.0 >= LATE_TIMES {
                self.next += self.late.1;
                self.late = (0, u64::MAX);
            }
        } else {
            self.late = (0, u64::MAX);
        }
        self.charge(now);
    }
}

impl Quota {
    /// Handles a task that has waited since `queued` and runs alone. Returns whether this shows the timer: while its time is
    /// unknown, only the second occurrence does.
    pub(super) fn ends_silence(&mut self, now: u64, queued: u64) -> bool {
        let doubted = now.saturating_sub(self.throttled) > DOUBT * self.period;
        let least = self.period / LONG_SILENT;
        let silent = self.running <= 1 && now.saturating_sub(self.left.max(queued)) >= least;
        if !silent || self.in_phase && !doubted {
            return silent;
        }
        let Some(before) = self.silence.replace(now) else {
            return false;
        };
        let passed = now.saturating_sub(before);
        let off = passed % self.period;
        let off = off.min(self.period - off);
        let found = passed > JITTER_NS && passed <= DOUBT * self.period && off <= JITTER_NS;
        if found {
            (self.silence, self.in_phase, self.throttled) = (None, false, now);
        }
        found
    }
}

/// The quotas of cgroups.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    pub(super) by_group: BTreeMap<u32, Quota>,
}

impl Quotas {
    pub(super) fn is_empty(&self) -> bool {
        self.by_group.is_empty()
    }
}
