//! When the timer that halves a group's counters comes (`cling_timer_func`; `docs/algorithms/cling.md`, G3; common.md, K3).

use crate::psi::jiffies;

/// `NUMA_MIGRATE_SCALE`: periods of the timer in one `scan_period_max`.
pub const SCALE: u64 = 10;
/// `sysctl_numa_balancing_scan_period_max` unless set, ms.
pub const SCAN_PERIOD_MAX_MS: u32 = 60_000;

/// `msecs_to_jiffies`: rounded up.
#[must_use]
pub fn msecs_to_jiffies(ms: u32, hz: u32) -> u64 {
    (u64::from(ms) * u64::from(hz)).div_ceil(1000)
}

/// What the timer is set to, jiffies; 0 makes it fire with every tick.
#[must_use]
pub fn period(scan_period_max_ms: u32, hz: u32) -> u64 {
    msecs_to_jiffies(scan_period_max_ms, hz) / SCALE
}

/// The jiffy in which a timer fires that was armed at `now` for `expires` (`calc_wheel_index`, `kernel/time/timer.c`, since
/// 4.8): put off to the next boundary of its level, or the next tick when `expires` is over.
#[must_use]
pub fn wheel_expiry(now: u64, expires: u64) -> u64 {
    if expires < now {
        return now.saturating_add(1);
    }
    // Levels beyond the wheel's end are not told apart; the shift keeps far ones from wrapping.
    if expires >= u64::MAX >> 1 {
        return u64::MAX;
    }
    jiffies::wheel(now, expires)
}

/// Jiffies in which a group's timer fires, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timer {
    next: u64,
    period: u64,
}

impl Timer {
    /// A group was made in jiffy `now`: `add_timer` with `expires` 0 fires with the next tick.
    #[must_use]
    pub fn made(now: u64, period: u64) -> Self {
        Self {
            next: wheel_expiry(now, 0),
            period,
        }
    }

    /// A timer whose next firing is known.
    #[must_use]
    pub fn due(next: u64, period: u64) -> Self {
        Self { next, period }
    }

    /// When it fires next.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// It fires at its time and arms itself again (`mod_timer(jiffies + period)`).
    pub fn fire(&mut self) -> u64 {
        let now = self.next;
        self.next = wheel_expiry(now, now.saturating_add(self.period)).max(now.saturating_add(1));
        now
    }

    /// Goes on to the first firing after `jiffy`. Takes no longer for more of them: on the wheel's boundaries they are equally
    /// far apart.
    pub fn skip(&mut self, jiffy: u64) {
        let mut apart = 0;
        while self.next <= jiffy && self.next < u64::MAX {
            let before = std::mem::replace(&mut apart, 0);
            let now = self.fire();
            apart = self.next - now;
            if apart == before && self.next <= jiffy {
                self.next += (jiffy - self.next) / apart * apart;
            }
        }
    }
}

/// Jiffies between firings once the timer stands on the wheel's boundaries.
#[must_use]
pub fn steady_period(period: u64) -> u64 {
    let mut timer = Timer::made(0, period);
    timer.fire();
    let before = timer.fire();
    timer.next() - before
}

/// Jiffies as moments: those since jiffy `jiffies` began at `at_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// A moment, ns of the reference clock.
    pub at_ns: u64,
    /// The kernel's jiffies then.
    pub jiffies: u64,
    /// Jiffies per second.
    pub hz: u32,
}

impl Clock {
    /// Length of a jiffy, ns.
    #[must_use]
    pub fn jiffy_ns(self) -> u64 {
        (1_000_000_000 / u64::from(self.hz.max(1))).max(1)
    }

    /// The jiffy in which a moment lies.
    #[must_use]
    pub fn jiffy(self, ts_ns: u64) -> u64 {
        let jiffy = self.jiffy_ns();
        if ts_ns >= self.at_ns {
            self.jiffies.saturating_add((ts_ns - self.at_ns) / jiffy)
        } else {
            self.jiffies
                .saturating_sub((self.at_ns - ts_ns).div_ceil(jiffy))
        }
    }

    /// When a jiffy begins, ns.
    #[must_use]
    pub fn at(self, jiffies: u64) -> u64 {
        let jiffy = self.jiffy_ns();
        if jiffies >= self.jiffies {
            self.at_ns
                .saturating_add((jiffies - self.jiffies).saturating_mul(jiffy))
        } else {
            self.at_ns
                .saturating_sub((self.jiffies - jiffies).saturating_mul(jiffy))
        }
    }
}
