//! Events, collected by CPU into bundles.

use crate::page::{MOST, Page, Tag};
use crate::table::{EVENT, MOST_HEAD, Rows, THREAD, TIME, Table};
use crate::trace::Trace;
use crate::wire::{nested, number};

const FTRACE_EVENTS: u32 = 1;
/// A bundle is written when it has so many bytes.
const BUNDLE_BYTES: usize = 1 << 16;
/// `sched_waking` and its fields.
const WAKING: Tag = Tag::length(20);
const COMM: Tag = Tag::length(1);
const PID: Tag = Tag::number(2);
const PRIO: Tag = Tag::number(3);
const SUCCESS: Tag = Tag::number(4);
const TARGET_CPU: Tag = Tag::number(5);

/// The events that are not yet in the trace, by CPU.
#[derive(Debug, Default)]
pub struct Bundles {
    waiting: Vec<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    events: Page,
    /// Events before the first of these were lost.
    lost: bool,
}

/// A request to wake a task that is made of its wake-up, since none was recorded: from `sched_waking` alone Perfetto takes it
/// that a task is runnable.
#[derive(Debug, Clone, Copy)]
pub struct Waking<'a> {
    /// Time of the wakeup, ns.
    pub ts_ns: u64,
    /// The CPU that recorded it.
    pub cpu: u32,
    /// Task on that CPU.
    pub thread: i32,
    /// Woken task.
    pub pid: i32,
    /// Name.
    pub comm: &'a [u8],
    /// Priority.
    pub prio: i32,
    /// CPU.
    pub target_cpu: i32,
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
    #[inline]
    pub fn push(&mut self, trace: &mut Trace, rows: &mut Rows, row: usize) {
        let cpu = rows.cpu(row);
        let waiting = self.of(cpu);
        rows.write(row, &mut waiting.events);
        if waiting.events.written().len() >= BUNDLE_BYTES {
            waiting.write(cpu, trace);
        }
    }

    /// Takes an unrecorded request. It has `success` = 0, which no kernel writes into this event.
    pub fn push_waking(&mut self, trace: &mut Trace, made: &Waking<'_>) {
        let waiting = self.of(made.cpu);
        let most = MOST_HEAD + 10 * MOST + made.comm.len();
        waiting.events.write(most, |pen| {
            let event = pen.begin(EVENT);
            pen.number(TIME, made.ts_ns);
            pen.number(THREAD, u64::from(made.thread as u32));
            let own = pen.begin(WAKING);
            pen.bytes(COMM, made.comm);
            pen.number(PID, i64::from(made.pid) as u64);
            pen.number(PRIO, i64::from(made.prio) as u64);
            pen.number(SUCCESS, 0);
            pen.number(TARGET_CPU, i64::from(made.target_cpu) as u64);
            pen.end(own);
            pen.end(event);
        });
        if waiting.events.written().len() >= BUNDLE_BYTES {
            waiting.write(made.cpu, trace);
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

    #[inline]
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
        if self.events.written().is_empty() && !self.lost {
            return;
        }
        let mut head = Vec::with_capacity(8);
        number(&mut head, 1, u64::from(cpu));
        if self.lost {
            number(&mut head, 3, 1);
        }
        trace.long_packet(FTRACE_EVENTS, &head, self.events.written());
        self.events.clear();
        self.lost = false;
    }
}
