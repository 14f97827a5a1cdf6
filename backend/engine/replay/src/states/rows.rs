//! The log's rows as they lie in its files.

use numalens_core::logs::{Columns, table};

use super::{MACHINE, OnCpu, State, StateRow};

table! {
    /// A row of the machine's file.
    MachineRow, MachineColumns, ts_ns, {
        ts_ns: u64,
        cpu: u16,
        /// Task on the CPU, and the marks below.
        flags: u8,
        running: u16,
        iowait: u16,
        memstall: u16,
        memstall_running: u16,
        bound: u16,
    }
}

table! {
    /// A row of the cgroups' file.
    GroupRow, GroupColumns, ts_ns, {
        ts_ns: u64,
        group: u32,
        cpu: u16,
        /// Task on the CPU, and the marks below.
        flags: u8,
        running: u16,
        iowait: u16,
        memstall: u16,
        memstall_running: u16,
        bound: u16,
    }
}

/// Bits of the flags that hold [`OnCpu`].
const ON: u8 = 3;
/// The task on the CPU is in a memory stall.
const STALLED: u8 = 1 << 2;
/// The row repeats what was written before, at the beginning of a batch.
const REPEATED: u8 = 1 << 3;

/// The columns of one of the log's files.
pub(super) trait Stored: Columns {
    fn pack(row: &StateRow, repeated: bool) -> Self::Row;
    fn unpack(row: Self::Row) -> StateRow;
    fn repeated(&self, row: usize) -> bool;
    fn is_repeated(row: &Self::Row) -> bool;
    fn ts(&self, row: usize) -> u64;
}

fn flags(state: &State, repeated: bool) -> u8 {
    let mut flags = state.on as u8;
    if state.stalled_on_cpu {
        flags |= STALLED;
    }
    if repeated {
        flags |= REPEATED;
    }
    flags
}

fn on(flags: u8) -> OnCpu {
    match flags & ON {
        0 => OnCpu::Unknown,
        1 => OnCpu::Lost,
        2 => OnCpu::Idle,
        _ => OnCpu::Task,
    }
}

macro_rules! stored {
    ($columns:ident, $row:ident, $unpacked:ident => $group:expr, { $($field:ident)? }) => {
        impl Stored for $columns {
            #[inline]
            fn pack(row: &StateRow, repeated: bool) -> $row {
                let state = &row.state;
                $row {
                    ts_ns: row.ts_ns,
                    $($field: row.$field,)?
                    cpu: row.cpu as u16,
                    flags: flags(state, repeated),
                    running: state.running,
                    iowait: state.iowait,
                    memstall: state.memstall,
                    memstall_running: state.memstall_running,
                    bound: state.bound,
                }
            }

            #[inline]
            fn unpack($unpacked: $row) -> StateRow {
                StateRow {
                    ts_ns: $unpacked.ts_ns,
                    cpu: u32::from($unpacked.cpu),
                    group: $group,
                    state: State {
                        on: on($unpacked.flags),
                        stalled_on_cpu: $unpacked.flags & STALLED != 0,
                        running: $unpacked.running,
                        iowait: $unpacked.iowait,
                        memstall: $unpacked.memstall,
                        memstall_running: $unpacked.memstall_running,
                        bound: $unpacked.bound,
                    },
                }
            }

            #[inline]
            fn repeated(&self, row: usize) -> bool {
                self.flags[row] & REPEATED != 0
            }

            #[inline]
            fn is_repeated(row: &$row) -> bool {
                row.flags & REPEATED != 0
            }

            #[inline]
            fn ts(&self, row: usize) -> u64 {
                self.ts_ns[row]
            }
        }
    };
}

stored!(MachineColumns, MachineRow, row => MACHINE, {});
stored!(GroupColumns, GroupRow, row => row.group, { group });
