//! One event table: its batches, one after the other, as events.

use std::collections::VecDeque;

use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, StringArray};
use arrow_buffer::ScalarBuffer;
use arrow_schema::ArrowError;

use super::{EndStates, Event, Ints, LostMark, Switched, u8s, u32s, u64s};
use crate::EngineError;

/// The batches of one table, in order.
pub type Batches<'a> = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + 'a>;

/// The events that the replay of run states needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SchedKind {
    /// `sched_switch`.
    Switch,
    /// `sched_waking`.
    Waking,
    /// `sched_wakeup`.
    Wakeup,
    /// `sched_wakeup_new`.
    WakeupNew,
    /// `sched_migrate_task`.
    Migrate,
    /// `sched_process_free`.
    Free,
}

impl SchedKind {
    /// The kind of an event type; `None` when the replay does not need it.
    #[must_use]
    pub fn of(system: &str, event: &str) -> Option<Self> {
        if system != "sched" {
            return None;
        }
        Some(match event {
            "sched_switch" => Self::Switch,
            "sched_waking" => Self::Waking,
            "sched_wakeup" => Self::Wakeup,
            "sched_wakeup_new" => Self::WakeupNew,
            "sched_migrate_task" => Self::Migrate,
            "sched_process_free" => Self::Free,
            _ => return None,
        })
    }
}

/// A table of scheduler events, or the marks of lost events, read in order.
pub struct EventTable<'a> {
    input: u32,
    rows: Rows<'a>,
}

enum Rows<'a> {
    Events(Box<Events<'a>>),
    /// Time and CPU of gaps that begin there.
    Lost(VecDeque<(u64, u32)>),
    /// Times at which a recording ended with nothing going on.
    Pauses(VecDeque<u64>),
}

struct Events<'a> {
    kind: SchedKind,
    /// Only events of this tracing instance count: the others saw the same switches again.
    buffer: u8,
    batches: Batches<'a>,
    states: EndStates,
    batch: Option<Batch>,
    at: usize,
}

/// The columns of one batch.
struct Batch {
    rows: usize,
    ts: ScalarBuffer<u64>,
    seq: ScalarBuffer<u64>,
    cpu: ScalarBuffer<u32>,
    buffer: ScalarBuffer<u8>,
    fields: Fields,
}

enum Fields {
    Switch {
        prev: Box<Side>,
        state: Ints,
        next: Box<Side>,
    },
    Wake {
        pid: Ints,
        target_cpu: Option<Ints>,
        success: Option<Ints>,
        waker: Option<Ints>,
    },
    Migrate {
        pid: Ints,
        dest_cpu: Ints,
    },
    Free {
        pid: Ints,
    },
    /// A field that the replay cannot do without is missing: the table says nothing.
    Useless,
}

struct Side {
    pid: Ints,
    comm: Option<StringArray>,
    prio: Option<Ints>,
}

impl Side {
    fn find(batch: &RecordBatch, side: &str) -> Option<Self> {
        Some(Self {
            pid: Ints::find(batch, &format!("{side}_pid"))?,
            comm: batch
                .column_by_name(&format!("{side}_comm"))
                .and_then(|array| array.as_string_opt::<i32>())
                .cloned(),
            prio: Ints::find(batch, &format!("{side}_prio")),
        })
    }

    fn get(&self, row: usize) -> Switched<'_> {
        Switched {
            pid: self.pid.get(row) as i32,
            comm: self.comm.as_ref().map_or("", |comm| comm.value(row)),
            prio: self.prio.as_ref().map_or(0, |prio| prio.get(row) as i32),
        }
    }
}

impl Fields {
    fn find(kind: SchedKind, batch: &RecordBatch) -> Self {
        let found = match kind {
            SchedKind::Switch => Side::find(batch, "prev")
                .zip(Side::find(batch, "next"))
                .zip(Ints::find(batch, "prev_state"))
                .map(|((prev, next), state)| Self::Switch {
                    prev: Box::new(prev),
                    state,
                    next: Box::new(next),
                }),
            SchedKind::Waking | SchedKind::Wakeup | SchedKind::WakeupNew => {
                Ints::find(batch, "pid").map(|pid| Self::Wake {
                    pid,
                    target_cpu: Ints::find(batch, "target_cpu"),
                    success: Ints::find(batch, "success"),
                    waker: Ints::find(batch, "common_pid"),
                })
            }
            SchedKind::Migrate => Ints::find(batch, "pid")
                .zip(Ints::find(batch, "dest_cpu"))
                .map(|(pid, dest_cpu)| Self::Migrate { pid, dest_cpu }),
            SchedKind::Free => Ints::find(batch, "pid").map(|pid| Self::Free { pid }),
        };
        found.unwrap_or(Self::Useless)
    }
}

/// A time, and the rank of the event among those of its input.
pub(super) type Key = (u64, u32, u64);

impl<'a> EventTable<'a> {
    /// A table of `input` whose rows of the tracing instance `buffer` are read. `print_fmt` is the event's.
    #[must_use]
    pub fn events(
        input: u32,
        kind: SchedKind,
        buffer: u8,
        print_fmt: &str,
        batches: Batches<'a>,
    ) -> Self {
        let states = EndStates::from_print_fmt(print_fmt);
        Self {
            input,
            rows: Rows::Events(Box::new(Events {
                kind,
                buffer,
                batches,
                states,
                batch: None,
                at: 0,
            })),
        }
    }

    /// The marks of lost events of `input`; each stands where its gap begins.
    #[must_use]
    pub fn lost(input: u32, mut marks: Vec<LostMark>) -> Self {
        // The gap begins after its last event, so the mark comes after all events of that time.
        marks.sort_by_key(|mark| mark.since_ns);
        Self {
            input,
            rows: Rows::Lost(
                marks
                    .into_iter()
                    .map(|mark| (mark.since_ns, mark.cpu))
                    .collect(),
            ),
        }
    }

    /// Times at which one recording had ended and the next had not begun: nothing is known in between.
    #[must_use]
    pub fn pauses(mut times: Vec<u64>) -> Self {
        times.sort_unstable();
        // After everything else of its time.
        Self {
            input: u32::MAX,
            rows: Rows::Pauses(times.into()),
        }
    }

    /// Goes to the next row (the first one at the first call) and gives its place in the order.
    pub(super) fn advance(&mut self) -> Result<Option<Key>, EngineError> {
        match &mut self.rows {
            Rows::Lost(marks) => Ok(marks.front().map(|mark| (mark.0, self.input, u64::MAX))),
            Rows::Pauses(times) => Ok(times.front().map(|&time| (time, self.input, u64::MAX))),
            Rows::Events(events) => Ok(events.advance()?.map(|(ts, seq)| (ts, self.input, seq))),
        }
    }

    /// Leaves the row that was given last.
    pub(super) fn consume(&mut self) {
        match &mut self.rows {
            Rows::Lost(marks) => drop(marks.pop_front()),
            Rows::Pauses(times) => drop(times.pop_front()),
            Rows::Events(events) => events.at += 1,
        }
    }

    /// CPU and event of the row that [`EventTable::advance`] went to; `None` only when it found none.
    pub(super) fn event(&mut self) -> Option<(u32, Event<'_>)> {
        match &mut self.rows {
            Rows::Lost(marks) => marks.front().map(|mark| (mark.1, Event::Lost)),
            Rows::Pauses(times) => times.front().map(|_| (0, Event::Pause)),
            Rows::Events(events) => events.event(),
        }
    }
}

impl Events<'_> {
    /// Goes to the next row that says something and gives its time and rank.
    fn advance(&mut self) -> Result<Option<(u64, u64)>, EngineError> {
        loop {
            if let Some(batch) = &self.batch {
                while self.at < batch.rows {
                    if batch.buffer[self.at] == self.buffer && batch.says(self.at) {
                        return Ok(Some((batch.ts[self.at], batch.seq[self.at])));
                    }
                    self.at += 1;
                }
            }
            // The old batch goes before the next one is read.
            self.batch = None;
            self.at = 0;
            let Some(next) = self.batches.next().transpose()? else {
                return Ok(None);
            };
            self.batch = Batch::find(self.kind, &next);
        }
    }

    fn event(&mut self) -> Option<(u32, Event<'_>)> {
        let (batch, row) = (self.batch.as_ref()?, self.at);
        let cpu = batch.cpu[row];
        let event = match &batch.fields {
            Fields::Switch { prev, state, next } => Event::Switch {
                prev: prev.get(row),
                state: self.states.get(state.get(row)),
                next: next.get(row),
            },
            Fields::Wake {
                pid,
                target_cpu,
                waker,
                ..
            } => {
                let pid = pid.get(row) as i32;
                let target_cpu = target_cpu
                    .as_ref()
                    .map_or(cpu, |target| target.get(row) as u32);
                if self.kind == SchedKind::Waking {
                    let waker = waker.as_ref().map_or(-1, |waker| waker.get(row) as i32);
                    Event::Waking {
                        pid,
                        target_cpu,
                        waker,
                    }
                } else {
                    Event::Wakeup { pid, target_cpu }
                }
            }
            Fields::Migrate { pid, dest_cpu } => Event::Migrate {
                pid: pid.get(row) as i32,
                dest_cpu: dest_cpu.get(row) as u32,
            },
            Fields::Free { pid } => Event::Free {
                pid: pid.get(row) as i32,
            },
            Fields::Useless => return None,
        };
        Some((cpu, event))
    }
}

impl Batch {
    /// `None` when the batch lacks the four common columns.
    fn find(kind: SchedKind, batch: &RecordBatch) -> Option<Self> {
        Some(Self {
            rows: batch.num_rows(),
            ts: u64s(batch, "ts_ns")?,
            seq: u64s(batch, "seq")?,
            cpu: u32s(batch, "cpu")?,
            buffer: u8s(batch, "buffer")?,
            fields: Fields::find(kind, batch),
        })
    }

    /// Whether the row tells anything: before Linux 4.3 a wake-up could be recorded that woke nobody (`success=0`).
    fn says(&self, row: usize) -> bool {
        match &self.fields {
            Fields::Wake {
                success: Some(success),
                ..
            } => success.get(row) != 0,
            Fields::Useless => false,
            _ => true,
        }
    }
}
