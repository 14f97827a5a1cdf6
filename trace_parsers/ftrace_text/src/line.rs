//! The layout of a text, and the parts of one line.

use crate::flags::{FlagColumn, USUAL};
use crate::stamp::StampForm;

/// Columns before an event's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `comm-pid [(tgid)] [cpu] [flags] stamp: event: ...`
    Bracket,
    /// `comm-pid cpu+flags stamp: event: ...`
    Latency,
    /// `comm pid[/tid] [cpu] stamp: [period] event: ...`
    Perf,
    /// `[time] (+difference) host event: { cpu_id = 1 }, ...`, see [`crate::lttng`].
    Lttng,
    /// `stamp | cpu) [comm-pid |] [flags |] [duration |] function() {`, or `/* event: ... */`.
    Graph,
}

/// The columns of a whole text, found by its header and its first lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) form: Form,
    /// Meaning of the flag letters, from the header; otherwise [`USUAL`].
    pub(crate) flag_columns: Vec<FlagColumn>,
    /// Lines may begin with the name of a tracing instance: `trace-cmd report` of several buffers.
    pub(crate) prefixes: bool,
    /// Events show flags.
    pub(crate) flags: bool,
    pub(crate) tasks: Tasks,
}

/// Information about an event's task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tasks {
    pub(crate) pid: bool,
    /// The thread group.
    pub(crate) tgid: bool,
}

impl Layout {
    pub(crate) fn new(form: Form) -> Self {
        Self {
            form,
            flag_columns: USUAL.to_vec(),
            prefixes: true,
            flags: false,
            tasks: Tasks {
                pid: true,
                tgid: false,
            },
        }
    }
}

/// Columns before an event's details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head<'a> {
    /// Name of the tracing instance; empty for the top level.
    pub(crate) instance: &'a [u8],
    pub(crate) pid: i32,
    /// True if the line has the pid; otherwise it is -1.
    pub(crate) known_pid: bool,
    /// Thread group; -1 where the column does not know it.
    pub(crate) tgid: Option<i32>,
    pub(crate) cpu: u32,
    /// `common_flags` and `common_preempt_count`.
    pub(crate) flags: Option<(u8, u8)>,
    pub(crate) ts_ns: u64,
    pub(crate) form: StampForm,
    /// Number of events that a sample represents (`perf script` only).
    pub(crate) period: Option<u64>,
    /// From the event's name on.
    pub(crate) rest: &'a [u8],
}

/// An event's name and details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named<'a> {
    /// System, if the text has it.
    pub(crate) system: Option<&'a [u8]>,
    pub(crate) event: &'a [u8],
    /// System and event as in the text.
    pub(crate) key: &'a [u8],
    pub(crate) details: &'a [u8],
}
