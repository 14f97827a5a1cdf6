//! Interrupts and softirqs of the CPUs over time.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use numalens_bundle::{Error, Open};
use numalens_replay::hardware::{Hardware, HardwareKind, Level};

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

/// Interrupts and softirqs of a part of the recording, by CPU.
#[derive(Debug, Default)]
struct Part {
    interrupts: HashMap<u32, Vec<Span>>,
    softirqs: HashMap<u32, Vec<Span>>,
}

/// Interrupts and softirqs of all CPUs. A part of the log is read when first needed.
#[derive(Debug, Default)]
pub(crate) struct Served<'a> {
    log: Option<&'a Hardware>,
    /// By their begins.
    parts: RefCell<HashMap<u64, Rc<Part>>>,
    handlers: Vec<String>,
    /// Interrupts were recorded.
    pub(crate) has_interrupts: bool,
    /// Softirqs were recorded.
    pub(crate) has_softirqs: bool,
}

impl<'a> Served<'a> {
    pub(crate) fn of(open: &'a Open) -> Result<Self, Error> {
        let mut served = Self::default();
        let Some(summary) = &open.hardware else {
            return Ok(served);
        };
        served.handlers = summary.irqs.iter().map(|irq| irq.1.clone()).collect();
        served.has_interrupts = summary.kinds.contains(&HardwareKind::Irq);
        served.has_softirqs = summary.kinds.contains(&HardwareKind::Softirq);
        if served.has_interrupts || served.has_softirqs {
            served.log = Some(open.hardware_log()?);
        }
        Ok(served)
    }

    /// The part with a moment, and its end.
    fn part(&self, log: &Hardware, ts_ns: u64) -> Result<(Rc<Part>, u64), Error> {
        let (from, to) = log.part(ts_ns);
        if let Some(part) = self.parts.borrow().get(&from) {
            return Ok((Rc::clone(part), to));
        }
        let mut part = Part::default();
        log.spans(from, to, |cpu, kind, from_ns, to_ns, level| {
            let spans = match kind {
                HardwareKind::Irq => &mut part.interrupts,
                HardwareKind::Softirq => &mut part.softirqs,
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
        let part = Rc::new(part);
        self.parts.borrow_mut().insert(from, Rc::clone(&part));
        Ok((part, to))
    }

    /// Name of the handler of an interrupt.
    pub(crate) fn handler(&self, at: u32) -> &str {
        self.handlers
            .get(at as usize)
            .map_or("interrupt", |name| name)
    }

    /// Interrupt or softirq of a CPU at a time: an interrupt has precedence over the softirq that it interrupts.
    pub(crate) fn at(&self, cpu: u32, ts_ns: u64) -> Result<Option<Serving>, Error> {
        let Some(log) = self.log else {
            return Ok(None);
        };
        let (around, _) = self.part(log, ts_ns)?;
        let find = |spans: &HashMap<u32, Vec<Span>>| {
            let spans = spans.get(&cpu)?;
            let begun = spans.partition_point(|span| span.from_ns <= ts_ns);
            let span = spans.get(begun.checked_sub(1)?)?;
            (ts_ns <= span.to_ns).then_some(span.value)
        };
        let interrupt = find(&around.interrupts).map(Serving::Interrupt);
        Ok(interrupt.or_else(|| find(&around.softirqs).map(Serving::Softirq)))
    }

    /// Times of interrupts and softirqs of a CPU in a window, in order and without overlaps.
    pub(crate) fn between(
        &self,
        cpu: u32,
        from_ns: u64,
        to_ns: u64,
    ) -> Result<Vec<(u64, u64)>, Error> {
        let mut found: Vec<(u64, u64)> = Vec::new();
        let mut at = from_ns;
        while let Some(log) = self.log.filter(|_| at < to_ns) {
            let (part, end) = self.part(log, at)?;
            for spans in [&part.interrupts, &part.softirqs] {
                let Some(spans) = spans.get(&cpu) else {
                    continue;
                };
                let first = spans.partition_point(|span| span.to_ns <= from_ns);
                let inside = spans[first..].iter();
                let inside = inside.take_while(|span| span.from_ns < to_ns);
                found.extend(inside.map(|span| (span.from_ns.max(from_ns), span.to_ns.min(to_ns))));
            }
            at = end;
        }
        Ok(joined(found))
    }
}
