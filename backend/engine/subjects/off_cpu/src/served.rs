//! Interrupts and softirqs of the CPUs over time.

use std::collections::HashMap;

use numalens_bundle::{Error, Open};
use numalens_replay::hardware::{HardwareKind, Level};

use crate::spans::joined;

/// Time in which a CPU served one interrupt or softirq, ns of the reference clock.
#[derive(Debug, Clone, Copy)]
struct Span {
    from_ns: u64,
    to_ns: u64,
    value: u32,
}

/// Interrupt or softirq of a CPU at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Serving {
    /// An interrupt: its place among those of the recording.
    Interrupt(u32),
    /// A softirq, by its vector.
    Softirq(u32),
}

/// Interrupts and softirqs of all CPUs.
#[derive(Debug, Default)]
pub(crate) struct Served {
    interrupts: HashMap<u32, Vec<Span>>,
    softirqs: HashMap<u32, Vec<Span>>,
    handlers: Vec<String>,
    /// Interrupts were recorded.
    pub(crate) has_interrupts: bool,
    /// Softirqs were recorded.
    pub(crate) has_softirqs: bool,
}

impl Served {
    pub(crate) fn of(open: &Open) -> Result<Self, Error> {
        let mut served = Self::default();
        let Some(summary) = &open.hardware else {
            return Ok(served);
        };
        served.handlers = summary.irqs.iter().map(|irq| irq.1.clone()).collect();
        served.has_interrupts = summary.kinds.contains(&HardwareKind::Irq);
        served.has_softirqs = summary.kinds.contains(&HardwareKind::Softirq);
        if !served.has_interrupts && !served.has_softirqs {
            return Ok(served);
        }
        let end = open.index.end_ns().saturating_add(1);
        open.hardware_log()?
            .spans(0, end, |cpu, kind, from_ns, to_ns, level| {
                let spans = match kind {
                    HardwareKind::Irq => &mut served.interrupts,
                    HardwareKind::Softirq => &mut served.softirqs,
                    _ => return,
                };
                if let Level::Value(value) = level {
                    spans.entry(cpu).or_default().push(Span {
                        from_ns,
                        to_ns,
                        value,
                    });
                }
            })?;
        Ok(served)
    }

    /// Name of the handler of an interrupt.
    pub(crate) fn handler(&self, at: u32) -> &str {
        self.handlers
            .get(at as usize)
            .map_or("interrupt", |name| name)
    }

    /// Interrupt or softirq of a CPU at a time: an interrupt has precedence over the softirq that it interrupts.
    pub(crate) fn at(&self, cpu: u32, ts_ns: u64) -> Option<Serving> {
        let find = |spans: &HashMap<u32, Vec<Span>>| {
            let spans = spans.get(&cpu)?;
            let past = spans.partition_point(|span| span.from_ns <= ts_ns);
            let span = spans.get(past.checked_sub(1)?)?;
            (ts_ns <= span.to_ns).then_some(span.value)
        };
        let interrupt = find(&self.interrupts).map(Serving::Interrupt);
        interrupt.or_else(|| find(&self.softirqs).map(Serving::Softirq))
    }

    /// Times of interrupts and softirqs of a CPU in a window, in order and without overlaps.
    pub(crate) fn between(&self, cpu: u32, from_ns: u64, to_ns: u64) -> Vec<(u64, u64)> {
        let mut found: Vec<(u64, u64)> = Vec::new();
        for spans in [&self.interrupts, &self.softirqs] {
            let Some(spans) = spans.get(&cpu) else {
                continue;
            };
            let first = spans.partition_point(|span| span.to_ns <= from_ns);
            let inside = spans[first..].iter();
            let inside = inside.take_while(|span| span.from_ns < to_ns);
            found.extend(inside.map(|span| (span.from_ns.max(from_ns), span.to_ns.min(to_ns))));
        }
        joined(found)
    }
}
