//! Writes the log of states, batch by batch.

use std::io::Write;

use arrow_ipc::writer::FileWriter;

use super::rows::{GroupColumns, MachineColumns, Stored};
use super::{State, StateRow};
use crate::EngineError;

/// Changes that go into one batch.
const BATCH_ROWS: usize = 1 << 16;
/// A batch holds at least so many changes for each repeated row, so that repeating stays a small part of the file.
const PER_REPEATED: usize = 4;

/// What was told last of each CPU, by group and then by CPU; groups are numbered without holes.
#[derive(Debug, Default)]
struct Told(Vec<Vec<Option<State>>>);

impl Told {
    #[inline]
    fn set(&mut self, row: &StateRow) {
        let place = self.0.get_mut(row.group as usize);
        match place.and_then(|cpus| cpus.get_mut(row.cpu as usize)) {
            Some(state) => *state = Some(row.state),
            None => self.grow(row),
        }
    }

    #[cold]
    fn grow(&mut self, row: &StateRow) {
        let (group, cpu) = (row.group as usize, row.cpu as usize);
        if group >= self.0.len() {
            self.0.resize_with(group + 1, Vec::new);
        }
        let cpus = &mut self.0[group];
        if cpu >= cpus.len() {
            cpus.resize(cpu + 1, None);
        }
        cpus[cpu] = Some(row.state);
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

/// One file of the log.
struct Log<C: Stored> {
    writer: FileWriter<Box<dyn Write>>,
    rows: Vec<C::Row>,
    /// Rows of the batch that repeat what was told before it.
    repeated: usize,
    told: Told,
    last_ns: u64,
}

impl<C: Stored> Log<C> {
    fn new(out: Box<dyn Write>) -> Result<Self, EngineError> {
        Ok(Self {
            writer: FileWriter::try_new(out, &C::schema())?,
            rows: Vec::new(),
            repeated: 0,
            told: Told::default(),
            last_ns: 0,
        })
    }

    #[inline]
    fn push(&mut self, row: &StateRow) {
        if self.rows.is_empty() {
            self.begin();
        }
        self.last_ns = row.ts_ns;
        self.told.set(row);
        self.rows.push(C::pack(row, false));
    }

    /// Begins a batch with what holds.
    fn begin(&mut self) {
        let repeated = self.told.rows(self.last_ns);
        self.rows.extend(repeated.map(|row| C::pack(&row, true)));
        self.repeated = self.rows.len();
    }

    fn full(&self) -> bool {
        self.rows.len() - self.repeated >= BATCH_ROWS.max(PER_REPEATED * self.repeated)
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        if !self.rows.is_empty() {
            self.writer.write(&C::batch(&[&self.rows])?)?;
            self.rows.clear();
            self.repeated = 0;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), EngineError> {
        self.flush()?;
        self.writer.finish()?;
        self.writer.get_mut().flush()?;
        Ok(())
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
            pub fn new(out: Box<dyn Write>) -> Result<Self, EngineError> {
                Log::new(out).map(Self)
            }

            /// Takes the next change; times never go back. It is kept until [`Self::flush`].
            #[inline]
            pub fn push(&mut self, row: &StateRow) {
                self.0.push(row);
            }

            /// Writes the kept changes when they are enough for a batch.
            ///
            /// # Errors
            /// The file cannot be written.
            #[inline]
            pub fn flush(&mut self) -> Result<(), EngineError> {
                if self.0.full() {
                    self.0.flush()?;
                }
                Ok(())
            }

            /// Ends the file.
            ///
            /// # Errors
            /// The file cannot be written.
            pub fn finish(self) -> Result<(), EngineError> {
                self.0.finish()
            }
        }
    };
}

writer!(MachineWriter);
writer!(GroupsWriter);

impl State {
    /// A count as it is stored: more tasks than the kernel can have on a CPU are as many as can be told.
    #[must_use]
    #[inline]
    pub fn count(tasks: u32) -> u16 {
        u16::try_from(tasks).unwrap_or(u16::MAX)
    }
}
