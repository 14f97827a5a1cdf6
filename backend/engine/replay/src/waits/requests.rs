//! The log of requests to wake tasks: who requested them, where, and what that CPU was doing.

use numalens_core::EngineError;
use numalens_core::ipc::Bytes;
use numalens_core::logs::{Batches, between, table};
use schemars::JsonSchema;
use serde::Serialize;

use super::SpanOf;
use crate::log::writer;

/// Context of a CPU at a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "WakeContext")]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Context {
    /// Task that made the request.
    Task = 0,
    /// Idle.
    Idle = 1,
    /// Softirq: the interrupted task was not involved.
    Softirq = 2,
    /// Interrupt: the interrupted task was not involved.
    Interrupt = 3,
    /// Unknown: the task, or whatever had interrupted it.
    Unknown = 4,
}

impl Context {
    /// `TRACE_FLAG_HARDIRQ` and `TRACE_FLAG_NMI` (`include/linux/trace_events.h`).
    const HARDIRQ: u8 = 0x08 | 0x40;
    /// `TRACE_FLAG_SOFTIRQ`.
    const SOFTIRQ: u8 = 0x10;

    /// By the event's flags, and by what the events of interrupts and softirqs say of its CPU.
    pub(crate) fn of(waker: i32, flags: Option<u8>, serves: Option<SpanOf>) -> Self {
        match (flags, serves) {
            (Some(flags), _) if flags & Self::HARDIRQ != 0 => Self::Interrupt,
            (Some(flags), _) if flags & Self::SOFTIRQ != 0 => Self::Softirq,
            (Some(_), _) if waker == 0 => Self::Idle,
            (Some(_), _) if waker > 0 => Self::Task,
            (None, Some(SpanOf::Interrupt)) => Self::Interrupt,
            (None, Some(SpanOf::Softirq)) => Self::Softirq,
            _ => Self::Unknown,
        }
    }
}

/// A request to wake a sleeping task (`sched_waking`), or a new task (`sched_wakeup_new`), whose waker is not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Request {
    /// Time, ns of the reference clock.
    pub ts_ns: u64,
    /// Task to wake.
    pub pid: i32,
    /// The requesting CPU.
    pub cpu: u32,
    /// Task on that CPU; -1 when not recorded.
    pub waker_pid: i32,
    /// Context of the CPU.
    pub context: Context,
    /// The CPU that the task was on before it slept; `None` when not known.
    pub prev_cpu: Option<u32>,
    /// CPUs that the task may use, as far as was known.
    pub allowed: WakeAffinity,
    /// True for a new task, whose parent ran on the CPU.
    pub new: bool,
}

/// CPUs that a task may use, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WakeAffinity {
    /// Not recorded.
    #[default]
    Unknown,
    /// Anywhere, as a sample says.
    Any,
    /// On one CPU.
    One {
        /// The CPU.
        cpu: u32,
        /// True for a conclusion.
        inferred: bool,
    },
    /// On the CPUs of a mask.
    Mask {
        /// Number of the mask.
        mask: u32,
        /// True for a conclusion.
        inferred: bool,
    },
}

impl WakeAffinity {
    /// `inferred`: bit 14; one CPU: bit 15.
    const INFERRED: u16 = 1 << 14;
    const ONE: u16 = 1 << 15;

    fn pack(self) -> u16 {
        let bits = |number: u32, inferred| {
            (number as u16 & (Self::INFERRED - 1)) | if inferred { Self::INFERRED } else { 0 }
        };
        match self {
            Self::Unknown => NONE,
            Self::Any => ANY,
            Self::One { cpu, inferred } => bits(cpu, inferred) | Self::ONE,
            Self::Mask { mask, inferred } => bits(mask, inferred),
        }
    }

    fn unpack(bits: u16) -> Self {
        match bits {
            NONE => return Self::Unknown,
            ANY => return Self::Any,
            _ => {}
        }
        let (number, inferred) = (
            u32::from(bits & (Self::INFERRED - 1)),
            bits & Self::INFERRED != 0,
        );
        if bits & Self::ONE != 0 {
            Self::One {
                cpu: number,
                inferred,
            }
        } else {
            Self::Mask {
                mask: number,
                inferred,
            }
        }
    }
}

/// "Not known" in columns of CPUs and masks.
const NONE: u16 = u16::MAX;
/// "All CPUs" in such a column.
const ANY: u16 = NONE - 1;
/// New task, in the column of contexts.
const NEW: u8 = 5;

table! {
    /// A row of `waits/requests.arrow`.
    StoredRequest, RequestColumns, ts_ns, {
        ts_ns: u64,
        pid: i32,
        waker_pid: i32,
        cpu: u16,
        prev_cpu: u16,
        allowed: u16,
        context: u8,
    }
}

impl Request {
    #[inline]
    fn pack(&self) -> StoredRequest {
        StoredRequest {
            ts_ns: self.ts_ns,
            pid: self.pid,
            waker_pid: self.waker_pid,
            cpu: self.cpu as u16,
            prev_cpu: self.prev_cpu.map_or(NONE, |cpu| cpu as u16),
            allowed: self.allowed.pack(),
            context: if self.new { NEW } else { self.context as u8 },
        }
    }
}

impl StoredRequest {
    fn unpack(self) -> Request {
        Request {
            ts_ns: self.ts_ns,
            pid: self.pid,
            cpu: u32::from(self.cpu),
            waker_pid: self.waker_pid,
            context: match self.context {
                0 => Context::Task,
                1 => Context::Idle,
                2 => Context::Softirq,
                3 => Context::Interrupt,
                _ => Context::Unknown,
            },
            prev_cpu: (self.prev_cpu != NONE).then_some(u32::from(self.prev_cpu)),
            allowed: WakeAffinity::unpack(self.allowed),
            new: self.context == NEW,
        }
    }
}

writer! {
    /// Writes `waits/requests.arrow`.
    RequestsWriter, RequestColumns, Request, Request::pack
}

/// The requests, ready to be read.
#[derive(Debug)]
pub struct Requests(Batches<RequestColumns>);

impl Requests {
    /// Opens the file's bytes.
    ///
    /// # Errors
    /// The bytes are not those of requests.
    pub fn open(bytes: impl Into<Bytes>) -> Result<Self, EngineError> {
        Batches::open(bytes, "requests").map(Self)
    }

    /// The requests from `from` to `to` (both ends count) and the new tasks, ascending in time.
    ///
    /// # Errors
    /// They could not be read.
    pub fn with_new(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = Request>, EngineError> {
        Ok(between(&self.0, from, to)?.map(StoredRequest::unpack))
    }

    /// The requests to wake sleeping tasks from `from` to `to` (both ends count), ascending in time.
    ///
    /// # Errors
    /// They could not be read.
    pub fn rows(&self, from: u64, to: u64) -> Result<impl Iterator<Item = Request>, EngineError> {
        Ok(self.with_new(from, to)?.filter(|request| !request.new))
    }

    /// The request to wake a task at a time: the last one, if there are several of that time.
    ///
    /// # Errors
    /// As for [`Self::rows`].
    pub fn at(&self, ts_ns: u64, pid: i32) -> Result<Option<Request>, EngineError> {
        let of_time = self.rows(ts_ns, ts_ns)?;
        Ok(of_time.filter(|request| request.pid == pid).last())
    }
}

#[cfg(test)]
mod tests {
    use super::{Context, SpanOf, WakeAffinity};

    #[test]
    fn where_a_task_may_run_fits_into_its_bits() {
        for inferred in [false, true] {
            for number in [0, 1, 255, (1 << 14) - 3] {
                let cpu = WakeAffinity::One {
                    cpu: number,
                    inferred,
                };
                let mask = WakeAffinity::Mask {
                    mask: number,
                    inferred,
                };
                for allowed in [cpu, mask, WakeAffinity::Unknown, WakeAffinity::Any] {
                    assert_eq!(WakeAffinity::unpack(allowed.pack()), allowed);
                }
            }
        }
    }

    #[test]
    fn flags_say_what_the_cpu_was_doing() {
        for (waker, flags, serves, context) in [
            (7, Some(0), None, Context::Task),
            (7, Some(0x01), Some(SpanOf::Softirq), Context::Task),
            (0, Some(0x01), None, Context::Idle),
            (7, Some(0x09), None, Context::Interrupt),
            (0, Some(0x19), None, Context::Interrupt),
            (7, Some(0x40), None, Context::Interrupt),
            (7, Some(0x11), None, Context::Softirq),
            (-1, Some(0), None, Context::Unknown),
            (7, None, None, Context::Unknown),
            (0, None, None, Context::Unknown),
            (7, None, Some(SpanOf::Interrupt), Context::Interrupt),
            (7, None, Some(SpanOf::Softirq), Context::Softirq),
        ] {
            assert_eq!(
                Context::of(waker, flags, serves),
                context,
                "{waker} {flags:?} {serves:?}"
            );
        }
    }
}
