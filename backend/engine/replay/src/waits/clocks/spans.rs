//! What the clocks tell of as it ends: the log of spans is made of it.

use super::super::{CauseSpan, SpanOf};
use super::{Class, Clocks, HARDWARE_NOISE, INTERRUPT, NEW_IDLE, NUMA_SCAN, SOFTIRQ, STEAL};

/// The spans in which a class runs that no log of states tells.
pub(super) fn served(class: usize) -> Option<SpanOf> {
    match class {
        INTERRUPT => Some(SpanOf::Interrupt),
        SOFTIRQ => Some(SpanOf::Softirq),
        NUMA_SCAN => Some(SpanOf::NumaScan),
        NEW_IDLE => Some(SpanOf::NewIdle),
        STEAL => Some(SpanOf::Steal),
        HARDWARE_NOISE => Some(SpanOf::HardwareNoise),
        _ => None,
    }
}

impl Clocks {
    /// Keeps a span until it is reported.
    pub(crate) fn note(&mut self, of: SpanOf, place: u32, start_ns: u64, end_ns: u64) {
        if start_ns < end_ns {
            self.ended.push(CauseSpan {
                start_ns,
                end_ns,
                of,
                place,
            });
        }
    }

    /// Whether there are spans to be reported.
    #[inline]
    pub(crate) fn has_spans(&self) -> bool {
        !self.ended.is_empty()
    }

    /// The spans that ended since this was called last.
    pub(crate) fn drain_spans(&mut self) -> std::vec::Drain<'_, CauseSpan> {
        self.ended.drain(..)
    }

    /// Whether the CPU serves an interrupt or a softirq, as far as their events tell.
    pub(crate) fn serves(&self, cpu: u32) -> Option<SpanOf> {
        let clock = self.cpus.get(cpu as usize)?;
        match (clock.irqs > 0, clock.softirq) {
            (true, _) => Some(SpanOf::Interrupt),
            (false, true) => Some(SpanOf::Softirq),
            (false, false) => None,
        }
    }

    /// Ends what goes on.
    pub(crate) fn end(&mut self, now: u64) {
        for cpu in 0..self.cpus.len() {
            let clock = &self.cpus[cpu];
            if let Class::Own(class) = clock.class
                && let Some(of) = served(class)
            {
                self.note(of, cpu as u32, clock.serves_since, now);
            }
        }
        if self.pending > 0 {
            self.note(SpanOf::Balancing, 0, self.pending_since, now);
        }
        self.kick_served(now);
    }
}
