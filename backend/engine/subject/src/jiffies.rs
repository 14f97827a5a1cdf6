//! The kernel's integer time: jiffies, the timer wheel, the length of a period.

/// A second.
const NS: u64 = 1_000_000_000;

/// Full jiffies in `ns` (`nsecs_to_jiffies`): rounded down.
#[must_use]
pub fn from_ns(ns: u64, hz: u32) -> u64 {
    let hz = u64::from(hz.max(1));
    if NS.is_multiple_of(hz) {
        return ns / (NS / hz);
    }
    // 300 Hz: nine jiffies are a whole number of ns.
    let divisor = (9 * NS + hz / 2) / hz;
    (u128::from(ns) * 9 / u128::from(divisor)) as u64
}

/// Length of `jiffies`, ns (`jiffies_to_nsecs`, which counts whole µs).
#[must_use]
pub fn to_ns(jiffies: u64, hz: u32) -> u64 {
    jiffies * 1_000_000 / u64::from(hz.max(1)) * 1000
}

/// `PSI_FREQ`: jiffies between updates of the averages.
#[must_use]
pub fn period_jiffies(hz: u32) -> u64 {
    2 * u64::from(hz) + 1
}

/// `psi_period`: the same, ns.
#[must_use]
pub fn period(hz: u32) -> u64 {
    to_ns(period_jiffies(hz), hz)
}

/// Firing time of a timer of the wheel, jiffies: armed at `now` for `expires`, it is delayed to the next boundary of its
/// level (`calc_wheel_index` and `calc_index`, `kernel/time/timer.c`, since 4.8).
#[must_use]
pub fn wheel(now: u64, expires: u64) -> u64 {
    let delta = expires.saturating_sub(now);
    let mut shift = 0;
    while shift < 24 && delta >= 63 << shift {
        shift += 3;
    }
    ((expires >> shift) + 1) << shift
}

/// Jiffies as moments: where one begins, and how long each is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticks {
    /// A moment at which a jiffy began, ns.
    pub anchor_ns: u64,
    /// Jiffies per second.
    pub hz: u32,
}

impl Ticks {
    /// Length of a jiffy, ns.
    #[must_use]
    pub fn jiffy(self) -> u64 {
        (NS / u64::from(self.hz.max(1))).max(1)
    }

    /// The first tick in (since, ts].
    #[must_use]
    pub fn first_in(self, since: u64, ts: u64) -> Option<u64> {
        let tick = self.at(self.number(since) + 1);
        (tick <= ts).then_some(tick)
    }

    /// The last tick in (since, ts].
    #[must_use]
    pub fn last_in(self, since: u64, ts: u64) -> Option<u64> {
        let tick = self.at(self.number(ts));
        (tick > since).then_some(tick)
    }

    /// Number of the jiffy that `ts` lies in, counted from the first tick after 0.
    #[must_use]
    pub fn number(self, ts: u64) -> u64 {
        ts.saturating_add(self.jiffy() - self.anchor_ns % self.jiffy()) / self.jiffy()
    }

    /// Returns the start of that jiffy, ns.
    #[must_use]
    pub fn at(self, number: u64) -> u64 {
        let ns = number.saturating_mul(self.jiffy());
        ns.saturating_add(self.anchor_ns % self.jiffy())
            .saturating_sub(self.jiffy())
    }
}
