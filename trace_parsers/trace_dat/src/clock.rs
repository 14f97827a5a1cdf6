//! From the ring buffer's stamps to ns of the trace clock, as `trace-cmd report` shows them.

/// One clock correction of a guest against its host (option `TIME_SHIFT`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShiftSample {
    pub(crate) time: i64,
    pub(crate) offset: i64,
    pub(crate) scaling: i64,
    pub(crate) fraction: i64,
}

/// Everything that a file says about its clock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Added to every stamp, ns (options `DATE`, in µs there, and `OFFSET`).
    pub(crate) offset: i64,
    /// Length of a unit of the stamps, ns, where it is longer than 1: that of the clock `uptime`.
    pub(crate) unit_ns: Option<u64>,
    /// Cycles to ns: multiplier and right shift (option `TSC2NSEC`).
    pub(crate) tsc: Option<(u32, u32)>,
    /// Per CPU of the guest, ascending in time.
    pub(crate) shifts: Vec<Vec<ShiftSample>>,
    /// True if corrections are interpolated between samples (bit 0 of `TIME_SHIFT`'s flags).
    pub(crate) interpolate: bool,
}

impl Clock {
    /// Returns whether timestamps are used unchanged.
    pub(crate) fn is_identity(&self) -> bool {
        self.offset == 0
            && self.unit_ns.is_none()
            && self.tsc.is_none()
            && self.shifts.iter().all(Vec::is_empty)
    }

    /// A raw stamp of one CPU in ns. Order: guest shift, cycles to ns, then the fixed offset.
    pub(crate) fn to_ns(&self, raw: u64, cpu: u32) -> u64 {
        let mut ts = match self.shifts.get(cpu as usize) {
            Some(samples) => self.shift(raw, samples),
            None => raw,
        };
        if let Some((mult, shift)) = self.tsc {
            ts = ((u128::from(ts) * u128::from(mult)) >> shift.min(127)) as u64;
        }
        ts.saturating_mul(self.unit_ns.unwrap_or(1))
            .wrapping_add_signed(self.offset)
    }

    fn shift(&self, ts: u64, samples: &[ShiftSample]) -> u64 {
        match samples {
            [] => ts,
            [one] => ts.wrapping_add_signed(one.offset),
            _ => {
                let after = samples.partition_point(|sample| sample.time <= ts as i64);
                let low = after.saturating_sub(1).min(samples.len() - 2);
                self.correct(ts, samples[low], samples[low + 1])
            }
        }
    }

    fn correct(&self, ts: u64, low: ShiftSample, high: ShiftSample) -> u64 {
        let offset = if self.interpolate {
            let span = i128::from(high.time) - i128::from(low.time);
            let way = (i128::from(ts as i64) - i128::from(low.time))
                .saturating_mul(i128::from(high.offset) - i128::from(low.offset));
            if span == 0 {
                low.offset
            } else {
                (i128::from(low.offset) + way.saturating_add(span / 2) / span) as i64
            }
        } else {
            low.offset
        };
        let scaled =
            (u128::from(ts) * u128::from(low.scaling as u64)) >> low.fraction.clamp(0, 127);
        (scaled as u64).wrapping_add_signed(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_added_and_cycles_are_scaled_first() {
        let clock = Clock {
            offset: -5,
            tsc: Some((3, 1)),
            ..Clock::default()
        };
        assert_eq!(clock.to_ns(100, 0), 145);
        assert!(Clock::default().is_identity());
    }

    #[test]
    fn ticks_become_ns() {
        let clock = Clock {
            offset: 5,
            unit_ns: Some(10_000_000),
            ..Clock::default()
        };
        assert_eq!(clock.to_ns(507, 0), 5_070_000_005);
        assert_eq!(clock.to_ns(u64::MAX, 0), 4);
        assert!(!clock.is_identity());
    }

    #[test]
    fn guest_shifts_interpolate_between_their_samples() {
        let sample = |time, offset| ShiftSample {
            time,
            offset,
            scaling: 1,
            fraction: 0,
        };
        let mut clock = Clock {
            shifts: vec![vec![sample(100, 10), sample(200, 30)]],
            interpolate: true,
            ..Clock::default()
        };
        assert_eq!(clock.to_ns(150, 0), 170);
        assert_eq!(
            clock.to_ns(150, 1),
            150,
            "a CPU without samples keeps its stamps"
        );
        clock.interpolate = false;
        assert_eq!(clock.to_ns(150, 0), 160);
        assert_eq!(
            clock.to_ns(5, 0),
            15,
            "before the first sample the first pair serves"
        );
        clock.shifts[0].truncate(1);
        assert_eq!(clock.to_ns(150, 0), 160);
    }

    #[test]
    fn forged_values_do_not_overflow() {
        let sample = |time, offset| ShiftSample {
            time,
            offset,
            scaling: i64::MIN,
            fraction: i64::MAX,
        };
        let clock = Clock {
            offset: i64::MIN,
            unit_ns: Some(u64::MAX),
            tsc: Some((u32::MAX, u32::MAX)),
            shifts: vec![vec![sample(i64::MIN, i64::MAX), sample(i64::MAX, i64::MIN)]],
            interpolate: true,
        };
        for raw in [0, 1, u64::MAX / 2, u64::MAX] {
            let _ = clock.to_ns(raw, 0);
        }
    }
}
