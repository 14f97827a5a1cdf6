//! Writes the log of states, batch by batch.

use numalens_core::logs::BatchesWriter;
use numalens_core::{EngineError, Output};

use super::rows::{GroupColumns, MachineColumns, Stored};
use super::{State, StateRow};

/// Longest delay between the time of a change and its report, ns.
pub const LATEST: u64 = 1_000_000;

/// Changes that go into one batch. Few enough to stay in the processor's cache until they are written.
const BATCH_ROWS: usize = 1 << 14;
/// A batch holds at least so many changes for each repeated row, so that repeating stays a small part of the file.
const PER_REPEATED: usize = 4;

/// Last written state of each CPU, by group and then by CPU; groups are numbered without holes.
#[derive(Debug, Default)]
struct Written(Vec<Vec<Option<State>>>);

impl Written {
    #[inline]
    fn set(&mut self, row: &StateRow) {
        *place(&mut self.0, row.group, row.cpu) = Some(row.state);
    }

    /// Everything, as rows of a time.
    fn rows(&self, ts_ns: u64) -> impl Iterator<Item = StateRow> {
        (0..).zip(&self.0).flat_map(move |(group, cpus)| {
            (0..).zip(cpus).filter_map(move |(cpu, state)| {
                Some(StateRow {
                    ts_ns,
                    cpu,
                    group,
                    state: (*state)?,
                })
            })
        })
    }
}

/// Slot of a CPU of a group, which may be a new one.
#[inline]
fn place<T: Clone + Default>(all: &mut Vec<Vec<T>>, group: u32, cpu: u32) -> &mut T {
    let (group, cpu) = (group as usize, cpu as usize);
    if all.get(group).is_none_or(|cpus| cpu >= cpus.len()) {
        grow(all, group, cpu);
    }
    &mut all[group][cpu]
}

#[cold]
fn grow<T: Clone + Default>(all: &mut Vec<Vec<T>>, group: usize, cpu: usize) {
    if group >= all.len() {
        all.resize_with(group + 1, Vec::new);
    }
    let cpus = &mut all[group];
    if cpu >= cpus.len() {
        cpus.resize(cpu + 1, T::default());
    }
}

/// One file of the log. Some changes are reported a little late; they go to their place among those that are held.
struct Log<C: Stored> {
    writer: BatchesWriter<C>,
    /// Ascending in time.
    rows: Vec<C::Row>,
    /// Rows at the beginning that repeat what was written before.
    repeated: usize,
    written: Written,
    /// Time of the last change by group and CPU: a CPU's changes stay in their order.
    last: Vec<Vec<u64>>,
    newest: u64,
    /// Nothing that is earlier than this can go to its place any more.
    closed: u64,
}

impl<C: Stored> Log<C> {
    fn new(out: Output) -> Result<Self, EngineError> {
        Ok(Self {
            writer: BatchesWriter::new(out)?,
            rows: Vec::new(),
            repeated: 0,
            written: Written::default(),
            last: Vec::new(),
            newest: 0,
            closed: 0,
        })
    }

    #[inline]
    fn push(&mut self, row: &StateRow) {
        let last = place(&mut self.last, row.group, row.cpu);
        let ts_ns = row.ts_ns.max(*last).max(self.closed);
        *last = ts_ns;
        let stored = C::pack(&StateRow { ts_ns, ..*row }, false);
        if ts_ns >= self.newest {
            self.newest = ts_ns;
            self.rows.push(stored);
        } else {
            self.insert(ts_ns, stored);
        }
    }

    /// Puts a late change behind those of its time, which are near the end.
    fn insert(&mut self, ts_ns: u64, stored: C::Row) {
        let later = self.rows[self.repeated..].iter().rev();
        let later = later.take_while(|row| C::time(row) > ts_ns).count();
        self.rows.insert(self.rows.len() - later, stored);
    }

    fn full(&self) -> bool {
        self.rows.len() - self.repeated >= BATCH_ROWS.max(PER_REPEATED * self.repeated)
    }

    /// Writes the changes before which none can come any more, and begins the next batch.
    fn flush(&mut self, tell: impl FnMut(&StateRow)) -> Result<(), EngineError> {
        let due = self.newest.saturating_sub(LATEST);
        let changes = &self.rows[self.repeated..];
        let due = self.repeated + changes.partition_point(|row| C::time(row) <= due);
        // A burst in which all is new is held until it is over.
        if due - self.repeated < changes.len() / 2 {
            return Ok(());
        }
        self.write(due, tell)
    }

    fn write(&mut self, rows: usize, mut tell: impl FnMut(&StateRow)) -> Result<(), EngineError> {
        let Some(last) = rows.checked_sub(1).map(|last| C::time(&self.rows[last])) else {
            return Ok(());
        };
        self.writer.write(&[&self.rows[..rows]])?;
        for row in &self.rows[self.repeated..rows] {
            let row = C::unpack(*row);
            self.written.set(&row);
            tell(&row);
        }
        self.closed = last;
        let repeated = self.written.rows(last).map(|row| C::pack(&row, true));
        self.rows.splice(..rows, repeated);
        self.repeated = self.written.0.iter().flatten().flatten().count();
        Ok(())
    }

    fn finish(mut self, tell: impl FnMut(&StateRow)) -> Result<(), EngineError> {
        if self.rows.len() > self.repeated {
            self.write(self.rows.len(), tell)?;
        }
        self.writer.finish()
    }
}

/// Writes the states of the whole machine: `states/machine.arrow`.
pub struct MachineWriter(Log<MachineColumns>);

/// Writes the states of the cgroups: `states/groups.arrow`.
pub struct GroupsWriter(Log<GroupColumns>);

macro_rules! writer {
    ($name:ident) => {
        impl $name {
            /// Begins the file.
            ///
            /// # Errors
            /// It cannot be written.
            pub fn new(out: Output) -> Result<Self, EngineError> {
                Log::new(out).map(Self)
            }

            /// Takes the next change, which may be reported up to [`LATEST`] after its time. It is kept until [`Self::flush`].
            #[inline]
            pub fn push(&mut self, row: &StateRow) {
                self.0.push(row);
            }

            /// Writes the kept changes when they are enough for a batch, and visits each written one in order.
            ///
            /// # Errors
            /// The file cannot be written.
            #[inline]
            pub fn flush(&mut self, tell: impl FnMut(&StateRow)) -> Result<(), EngineError> {
                if self.0.full() {
                    self.0.flush(tell)?;
                }
                Ok(())
            }

            /// Finishes the file, and visits the remaining changes.
            ///
            /// # Errors
            /// The file cannot be written.
            pub fn finish(self, tell: impl FnMut(&StateRow)) -> Result<(), EngineError> {
                self.0.finish(tell)
            }
        }
    };
}

writer!(MachineWriter);
writer!(GroupsWriter);

impl State {
    /// A count as it is stored; it saturates at the largest number that fits.
    #[must_use]
    #[inline]
    pub fn count(tasks: u32) -> u16 {
        u16::try_from(tasks).unwrap_or(u16::MAX)
    }
}
