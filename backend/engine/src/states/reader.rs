//! Reads a window of the log of states. The columns point into the file's bytes.

use std::collections::HashMap;
use std::ops::Range;

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
        mut row: impl FnMut(&StateRow),
    ) -> Result<(), EngineError> {
        match which {
            Which::Machine => each(&self.machine, from, to, &mut row),
            Which::Groups => each(&self.groups, from, to, &mut row),
        }
        Ok(())
    }

    /// [`Self::scan`] of the machine, for loops of which nearly all time goes into what they do with a row: it is built into
    /// the loop.
    #[inline]
    pub(crate) fn scan_machine(&self, from: u64, to: u64, row: impl FnMut(&StateRow)) {
        each(&self.machine, from, to, row);
    }

    /// As [`Self::scan`], with the rows of machine and cgroups in one order of time; of one time the machine's first.
    ///
    /// # Errors
    /// As for [`Self::scan`].
    pub fn scan_all(
        &self,
        from: u64,
        to: u64,
        mut row: impl FnMut(&StateRow),
    ) -> Result<(), EngineError> {
        let mut machine = rows(&self.machine, from, to).peekable();
        for group in rows(&self.groups, from, to) {
            while let Some(told) = machine.next_if(|told| told.ts_ns <= group.ts_ns) {
                row(&told);
            }
            row(&group);
        }
        machine.for_each(|told| row(&told));
        Ok(())
    }
}

/// Where the rows of a window lie.
struct Span {
    /// The states at its begin.
    held: Vec<StateRow>,
    /// Batches with changes in it.
    batches: Range<usize>,
    /// Where the changes begin in the first of them.
    begin: usize,
}

impl Span {
    fn of<C: Stored>(batches: &[C], from: u64, to: u64) -> Self {
        // The last batch that begins by `from`; its first rows say what held then.
        let first = batches
            .partition_point(|batch| batch.rows() == 0 || batch.ts(0) <= from)
            .saturating_sub(1);
        let mut begin = 0;
        let mut known: HashMap<(u32, u32), State> = HashMap::new();
        if let Some(batch) = batches.get(first) {
            while begin < batch.rows() && batch.ts(begin) <= from {
                let told = C::unpack(batch.get(begin));
                known.insert((told.group, told.cpu), told.state);
                begin += 1;
            }
        }
        let mut known: Vec<_> = known.into_iter().collect();
        known.sort_unstable_by_key(|known| known.0);
        let held = known
            .into_iter()
            .map(|((group, cpu), state)| StateRow {
                ts_ns: from,
                cpu,
                group,
                state,
            })
            .collect();
        // A batch's rows ascend, so those until `to` are its first ones.
        let end = batches.partition_point(|batch| batch.rows() == 0 || batch.ts(0) <= to);
        Self {
            held,
            batches: first..end,
            begin,
        }
    }

    /// The wanted rows of a batch, those that repeat others among them.
    fn rows<C: Stored>(&self, number: usize, batch: &C, to: u64) -> Range<usize> {
        let first = number == self.batches.start;
        let begin = if first { self.begin } else { 0 };
        let last = number + 1 == self.batches.end;
        let until = if last { until(batch, to) } else { batch.rows() };
        begin..until.max(begin)
    }
}

/// The states at `from`, then the changes in (`from`, `to`].
fn rows<C: Stored>(batches: &[C], from: u64, to: u64) -> impl Iterator<Item = StateRow> {
    let mut span = Span::of(batches, from, to);
    let held = std::mem::take(&mut span.held).into_iter();
    let changes = span.batches.clone().flat_map(move |number| {
        let batch = &batches[number];
        span.rows(number, batch, to)
            .filter(|&at| !batch.repeated(at))
            .map(|at| C::unpack(batch.get(at)))
    });
    held.chain(changes)
}

/// Calls `told` with each of [`rows`].
fn each<C: Stored>(batches: &[C], from: u64, to: u64, mut told: impl FnMut(&StateRow)) {
    let span = Span::of(batches, from, to);
    span.held.iter().for_each(&mut told);
    for number in span.batches.clone() {
        let batch = &batches[number];
        batch.each(span.rows(number, batch, to), |row| {
            if !C::is_repeated(&row) {
                told(&C::unpack(row));
            }
        });
    }
}

/// How many of a batch's rows are not later than `to`.
fn until<C: Stored>(batch: &C, to: u64) -> usize {
    let (mut low, mut high) = (0, batch.rows());
    while low < high {
        let middle = usize::midpoint(low, high);
        if batch.ts(middle) <= to {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
