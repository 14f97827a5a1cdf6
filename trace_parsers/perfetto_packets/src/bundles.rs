//! Events, collected by CPU into bundles.

use crate::table::{Rows, Table};
use crate::trace::Trace;
use crate::wire::{nested, number};

const FTRACE_EVENTS: u32 = 1;
const EVENT: u32 = 2;
/// A bundle is written when it has so many bytes.
const BUNDLE_BYTES: usize = 1 << 16;

/// The events that are not yet in the trace, by CPU.
#[derive(Debug, Default)]
pub struct Bundles {
    waiting: Vec<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    events: Vec<u8>,
    /// Events before the first of these were lost.
    lost: bool,
}

impl Bundles {
    /// Without events.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Describes an event type that Perfetto has no message for, before the first of its events.
    pub fn describe(trace: &mut Trace, table: &Table) {
        let Some(description) = table.description() else {
            return;
        };
        trace.packet(|out| {
            nested(out, FTRACE_EVENTS, |out| {
                number(out, 1, 0);
                out.extend_from_slice(&description);
            });
        });
    }

    /// Takes one row. The rows of a CPU should come in ascending time; Perfetto sorts what does not.
    pub fn push(&mut self, trace: &mut Trace, rows: &Rows, row: usize) {
        let cpu = rows.cpu(row);
        let waiting = self.of(cpu);
        nested(&mut waiting.events, EVENT, |out| rows.write(row, out));
        if waiting.events.len() >= BUNDLE_BYTES {
            waiting.write(cpu, trace);
        }
    }

    /// Events of `cpu` were lost before those that come next.
    pub fn lost(&mut self, trace: &mut Trace, cpu: u32) {
        let waiting = self.of(cpu);
        waiting.write(cpu, trace);
        waiting.lost = true;
    }

    /// Writes what is waiting.
    pub fn finish(mut self, trace: &mut Trace) {
        for (cpu, waiting) in self.waiting.iter_mut().enumerate() {
            waiting.write(cpu as u32, trace);
        }
    }

    fn of(&mut self, cpu: u32) -> &mut Waiting {
        let cpu = cpu as usize;
        if self.waiting.len() <= cpu {
            self.waiting.resize_with(cpu + 1, Waiting::default);
        }
        &mut self.waiting[cpu]
    }
}

impl Waiting {
    fn write(&mut self, cpu: u32, trace: &mut Trace) {
        if self.events.is_empty() && !self.lost {
            return;
        }
        trace.packet(|out| {
            nested(out, FTRACE_EVENTS, |out| {
                number(out, 1, u64::from(cpu));
                if self.lost {
                    number(out, 3, 1);
                }
                out.extend_from_slice(&self.events);
            });
        });
        self.events.clear();
        self.lost = false;
    }
}
