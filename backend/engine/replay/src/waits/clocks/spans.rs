//! Spans that the clocks report at their end, from which the log of spans is made, and clocks that are set by that log.

use numalens_core::topology::MAX_CPUS;

use super::super::rules::{HARDWARE_NOISE, INTERRUPT, NEW_IDLE, NUMA_SCAN, SOFTIRQ, STEAL};
use super::super::{CauseSpan, SpanOf};
use super::{Class, Clocks, On};
use crate::states::OnCpu;

/// Classes of a CPU that are in no log of states, with their spans.
const SERVED: [(usize, SpanOf); 6] = [
    (INTERRUPT, SpanOf::Interrupt),
    (SOFTIRQ, SpanOf::Softirq),
    (NUMA_SCAN, SpanOf::NumaScan),
    (NEW_IDLE, SpanOf::NewIdle),
    (STEAL, SpanOf::Steal),
    (HARDWARE_NOISE, SpanOf::HardwareNoise),
];

/// Spans in which a class runs that is in no log of states.
pub(super) fn served(class: usize) -> Option<SpanOf> {
    let served = SERVED.iter().find(|served| served.0 == class);
    served.map(|served| served.1)
}

impl Clocks {
    /// Keeps a span until it is reported.
    pub(super) fn note(&mut self, of: SpanOf, place: u32, start_ns: u64, end_ns: u64) {
        if start_ns < end_ns {
            self.ended.push(CauseSpan {
                start_ns,
                end_ns,
                place,
                of,
            });
        }
    }

    /// Returns whether there are spans to report.
    #[inline]
    pub(crate) fn has_spans(&self) -> bool {
        !self.ended.is_empty()
    }

    /// The spans that ended since this was called last.
    pub(crate) fn drain_spans(&mut self) -> std::vec::Drain<'_, CauseSpan> {
        self.ended.drain(..)
    }

    /// Returns whether the CPU serves an interrupt or a softirq, according to their events.
    pub(crate) fn serves(&self, cpu: u32) -> Option<SpanOf> {
        let clock = self.cpus.get(cpu as usize)?;
        match (clock.irqs > 0, clock.softirq) {
            (true, _) => Some(SpanOf::Interrupt),
            (false, true) => Some(SpanOf::Softirq),
            (false, false) => None,
        }
    }

    /// The CPU begins or ends to run tasks of a higher class.
    #[cold]
    pub(super) fn runs_higher(&mut self, now: u64, cpu: u32, begins: bool) {
        let since = std::mem::replace(&mut self.cpus[cpu as usize].higher_since, now);
        if !begins {
            self.note(SpanOf::HigherClass, cpu, since, now);
        }
    }

    /// Ends the open spans.
    pub(crate) fn end(&mut self, now: u64) {
        for cpu in 0..self.cpus.len() as u32 {
            let clock = &self.cpus[cpu as usize];
            let (class, since) = (clock.class, clock.serves_since);
            if clock.on == On::Higher {
                self.runs_higher(now, cpu, false);
            }
            if let Class::Own(class) = class
                && let Some(of) = served(class)
            {
                self.note(of, cpu, since, now);
            }
            self.activate(now, cpu, true);
        }
        if self.pending > 0 {
            self.note(SpanOf::Balancing, 0, self.pending_since, now);
        }
        self.kick_served(now);
    }

    /// Sets the clocks by a row of the log of states. Of one moment, it comes before the spans.
    pub(crate) fn set_on(&mut self, now: u64, cpu: u32, on: OnCpu) {
        if cpu >= MAX_CPUS {
            return;
        }
        self.reach(cpu, now);
        let on = match on {
            OnCpu::Unknown | OnCpu::Lost => On::Unknown,
            OnCpu::Idle => On::Idle,
            OnCpu::Task if self.cpus[cpu as usize].on == On::Higher => On::Higher,
            OnCpu::Task => On::Task,
        };
        self.switched(now, cpu, on);
    }

    /// Sets the clocks by a span that begins or ends.
    pub(crate) fn set_span(&mut self, now: u64, span: &CauseSpan, begins: bool) {
        let cpu = span.place;
        if cpu >= MAX_CPUS {
            return;
        }
        self.reach(cpu, now);
        match span.of {
            SpanOf::Balancing => self.raised(now, cpu, begins),
            SpanOf::KickDropped if begins => self.kick_dropped(now),
            SpanOf::KickDropped => self.kick_served(now),
            SpanOf::Inactive => self.activate(now, cpu, !begins),
            SpanOf::HigherClass if begins => self.switched(now, cpu, On::Higher),
            SpanOf::HigherClass if self.cpus[cpu as usize].on == On::Higher => {
                self.switched(now, cpu, On::Task);
            }
            SpanOf::HigherClass => {}
            of => {
                let served = SERVED.iter().find(|served| served.1 == of);
                if let Some(&(class, _)) = served {
                    self.taken(now, cpu, class, begins);
                }
            }
        }
        self.ended.clear();
    }
}
