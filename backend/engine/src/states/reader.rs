//! Reads a window of the log of states. The columns point into the file's bytes.

use std::collections::HashMap;

use arrow_buffer::Buffer;

use super::rows::{GroupColumns, MachineColumns, Stored};
use super::{State, StateRow};
use crate::EngineError;
use crate::rows::open_all;

/// A file of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Which {
    /// The whole machine.
    Machine,
    /// The cgroups.
    Groups,
}

/// The log of states, ready to be read.
#[derive(Debug)]
pub struct States {
    machine: Vec<MachineColumns>,
    groups: Vec<GroupColumns>,
}

impl States {
    /// Opens the bytes of `states/machine.arrow` and, when there are cgroups, of `states/groups.arrow`.
    ///
    /// # Errors
    /// The bytes are not those of a log of states.
    pub fn open(machine: Buffer, groups: Option<Buffer>) -> Result<Self, EngineError> {
        let groups = groups.map(|bytes| open_all(bytes, "the cgroups' states"));
        Ok(Self {
            machine: open_all(machine, "states")?,
            groups: groups.transpose()?.unwrap_or_default(),
        })
    }

    /// Whether the states of cgroups are known.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Calls `row` with the state of every CPU (of every group) at `from` (`ts_ns` = `from`), in the order of groups
    /// and CPUs, then with each change in (`from`, `to`], in ascending time. CPUs that were not told of by `from` come
    /// with their first change.
    ///
    /// # Errors
    /// None at present; rows that do not hold together are found when the log is opened.
    pub fn scan(
        &self,
        which: Which,
        from: u64,
        to: u64,
        row: impl FnMut(&StateRow),
    ) -> Result<(), EngineError> {
        match which {
            Which::Machine => scan(&self.machine, from, to, row),
            Which::Groups => scan(&self.groups, from, to, row),
        }
        Ok(())
    }
}

fn scan<C: Stored>(batches: &[C], from: u64, to: u64, mut row: impl FnMut(&StateRow)) {
    // The last batch that begins by `from`; its first rows say what held then.
    let first = batches
        .partition_point(|batch| batch.rows() == 0 || batch.ts(0) <= from)
        .saturating_sub(1);
    let mut at = 0;
    if let Some(batch) = batches.get(first) {
        let mut known: HashMap<(u32, u32), State> = HashMap::new();
        while at < batch.rows() && batch.ts(at) <= from {
            let told = C::unpack(batch.get(at));
            known.insert((told.group, told.cpu), told.state);
            at += 1;
        }
        let mut known: Vec<_> = known.into_iter().collect();
        known.sort_unstable_by_key(|known| known.0);
        for ((group, cpu), state) in known {
            row(&StateRow {
                ts_ns: from,
                cpu,
                group,
                state,
            });
        }
    }
    for batch in batches.iter().skip(first) {
        if batch.rows() > 0 && batch.ts(0) > to {
            return;
        }
        for at in std::mem::take(&mut at)..batch.rows() {
            if batch.ts(at) > to {
                return;
            }
            if !batch.repeated(at) {
                row(&C::unpack(batch.get(at)));
            }
        }
    }
}
