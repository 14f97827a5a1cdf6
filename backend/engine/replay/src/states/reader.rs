//! Reads a window of the log of states. The columns point into the file's bytes.

use std::collections::HashMap;
use std::ops::Range;

use numalens_core::EngineError;
use numalens_core::ipc::Bytes;
use numalens_core::logs::Batches;

use super::rows::{GroupColumns, MachineColumns, Stored};
use super::{MACHINE, State, StateRow};

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
    machine: Batches<MachineColumns>,
    groups: Option<Batches<GroupColumns>>,
}

impl States {
    /// Opens the bytes of `states/machine.arrow` and, when there are cgroups, of `states/groups.arrow`.
    ///
    /// # Errors
    /// The bytes are not those of a log of states.
    pub fn open<B: Into<Bytes>>(machine: B, groups: Option<B>) -> Result<Self, EngineError> {
        let groups = groups.map(|bytes| Batches::open(bytes, "the cgroups' states"));
        Ok(Self {
            machine: Batches::open(machine, "states")?,
            groups: groups.transpose()?,
        })
    }

    /// Returns whether the states of cgroups are known.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        self.groups
            .as_ref()
            .is_some_and(|groups| groups.count() > 0)
    }

    /// Calls `row` with the state of every CPU (of every group) at `from` (`ts_ns` = `from`), in the order of groups
    /// and CPUs, then with each change in (`from`, `to`], in ascending time. CPUs that were not known by `from` come
    /// with their first change.
    ///
    /// # Errors
    /// They could not be read.
    pub fn scan(
        &self,
        which: Which,
        from: u64,
        to: u64,
        mut row: impl FnMut(&StateRow),
    ) -> Result<(), EngineError> {
        match which {
            Which::Machine => each(&self.machine, from, to, &mut row),
            Which::Groups => match &self.groups {
                Some(groups) => each(groups, from, to, &mut row),
                None => Ok(()),
            },
        }
    }

    /// [`Self::scan`] of the machine, inlined for loops that spend nearly all their time on the work for a row.
    ///
    /// # Errors
    /// The log cannot be read.
    #[inline]
    pub fn scan_machine(
        &self,
        from: u64,
        to: u64,
        row: impl FnMut(&StateRow),
    ) -> Result<(), EngineError> {
        each(&self.machine, from, to, row)
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
        let Some(groups) = &self.groups else {
            return each(&self.machine, from, to, row);
        };
        let mut machine = rows(&self.machine, from, to)?.peekable();
        for group in rows(groups, from, to)? {
            while let Some(change) = machine.next_if(|change| change.ts_ns <= group.ts_ns) {
                row(&change);
            }
            row(&group);
        }
        machine.for_each(|change| row(&change));
        Ok(())
    }
}

/// The states at a time.
#[derive(Default)]
struct CurrentStates {
    /// States of the machine, by CPU.
    machine: Vec<Option<State>>,
    /// States of cgroups, by cgroup and CPU.
    groups: HashMap<(u32, u32), State>,
}

impl CurrentStates {
    #[inline]
    fn set(&mut self, row: &StateRow) {
        if row.group != MACHINE {
            self.groups.insert((row.group, row.cpu), row.state);
            return;
        }
        let at = row.cpu as usize;
        if at >= self.machine.len() {
            self.machine.resize(at + 1, None);
        }
        self.machine[at] = Some(row.state);
    }

    /// All, as rows of a time in the order of groups and CPUs.
    fn rows(self, ts_ns: u64) -> Vec<StateRow> {
        let mut groups: Vec<_> = self.groups.into_iter().collect();
        groups.sort_unstable_by_key(|known| known.0);
        let machine = (0..).zip(self.machine);
        let machine = machine.filter_map(|(cpu, state)| Some(((MACHINE, cpu), state?)));
        let all = machine.chain(groups);
        all.map(|((group, cpu), state)| StateRow {
            ts_ns,
            cpu,
            group,
            state,
        })
        .collect()
    }
}

/// Position of a window's rows.
struct Span<'a, C> {
    /// States at the start of the window.
    held: Vec<StateRow>,
    /// Batches with changes in it.
    batches: Vec<&'a C>,
    /// Start of the changes in the first of them.
    begin: usize,
}

impl<'a, C: Stored> Span<'a, C> {
    fn of(batches: &'a Batches<C>, from: u64, to: u64) -> Result<Self, EngineError> {
        // The last batch that begins by `from`; its first rows say what held then. A batch's rows ascend, so those until `to`
        // are its first ones.
        let first = batches.partition(|batch| batch.first_ns <= from);
        let first = first.saturating_sub(1);
        let past = batches.partition(|batch| batch.first_ns <= to);
        let mut needed = batches.range(first..past.max(first + 1).min(batches.count()))?;
        let mut begin = 0;
        let mut known = CurrentStates::default();
        if let Some(batch) = needed.first() {
            while begin < batch.rows() && batch.ts(begin) <= from {
                known.set(&C::unpack(batch.get(begin)));
                begin += 1;
            }
        }
        needed.truncate(past.saturating_sub(first));
        let held = known.rows(from);
        Ok(Self {
            held,
            batches: needed,
            begin,
        })
    }

    /// The wanted rows of a batch, those that repeat others among them.
    fn rows(&self, number: usize, batch: &C, to: u64) -> Range<usize> {
        let begin = if number == 0 { self.begin } else { 0 };
        let last = number + 1 == self.batches.len();
        let until = if last { until(batch, to) } else { batch.rows() };
        begin..until.max(begin)
    }
}

/// The states at `from`, then the changes in (`from`, `to`].
fn rows<C: Stored>(
    batches: &Batches<C>,
    from: u64,
    to: u64,
) -> Result<impl Iterator<Item = StateRow>, EngineError> {
    let mut span = Span::of(batches, from, to)?;
    let held = std::mem::take(&mut span.held).into_iter();
    let numbers = 0..span.batches.len();
    let changes = numbers.flat_map(move |number| {
        let batch = span.batches[number];
        span.rows(number, batch, to)
            .filter(|&at| !batch.repeated(at))
            .map(|at| C::unpack(batch.get(at)))
    });
    Ok(held.chain(changes))
}

/// Calls `visit` with each of [`rows`].
fn each<C: Stored>(
    batches: &Batches<C>,
    from: u64,
    to: u64,
    mut visit: impl FnMut(&StateRow),
) -> Result<(), EngineError> {
    let span = Span::of(batches, from, to)?;
    span.held.iter().for_each(&mut visit);
    for (number, batch) in span.batches.iter().enumerate() {
        batch.each(span.rows(number, batch, to), |row| {
            if !C::is_repeated(&row) {
                visit(&C::unpack(row));
            }
        });
    }
    Ok(())
}

/// Number of a batch's rows that are not later than `to`.
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
