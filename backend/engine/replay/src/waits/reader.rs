//! Reads a window of the waits. The columns point into the files' bytes.

use numalens_core::EngineError;
use numalens_core::ipc::Bytes;
use numalens_core::logs::{Batches, Columns};

use super::rows::{CauseColumns, WaitColumns};
use super::{Cause, CauseNs, WaitRow};

/// The waits and their causes, ready to be read.
#[derive(Debug)]
pub struct Waits {
    waits: Batches<WaitColumns>,
    /// Its batches are those of the waits.
    causes: Batches<CauseColumns>,
}

impl Waits {
    /// Opens the bytes of `waits/waits.arrow` and `waits/causes.arrow`.
    ///
    /// # Errors
    /// The bytes are not those of waits and their causes.
    pub fn open(waits: impl Into<Bytes>, causes: impl Into<Bytes>) -> Result<Self, EngineError> {
        let waits = Batches::open(waits, "waits")?;
        let causes = Batches::open(causes, "the waits' causes")?;
        if waits.count() != causes.count() {
            return Err(damaged("its waits and their causes do not belong together"));
        }
        Ok(Self { waits, causes })
    }

    /// How many waits there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waits.rows()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `wait` with each wait that begins at `from` or later and ends by `to`, in the order of their ends, and with
    /// its causes in the order of their numbers.
    ///
    /// # Errors
    /// They could not be read, or the causes do not hold together.
    pub fn scan(
        &self,
        from: u64,
        to: u64,
        mut wait: impl FnMut(&WaitRow, &[CauseNs]),
    ) -> Result<(), EngineError> {
        let first = self.waits.partition(|batch| batch.last_ns < from);
        let past = self.waits.partition(|batch| batch.first_ns <= to);
        let batches = self.waits.range(first..past)?.into_iter();
        let causes = self.causes.range(first..past)?;
        let mut begin = true;
        for (waits, causes) in batches.zip(causes) {
            let row = if std::mem::take(&mut begin) {
                partition(waits.rows(), |row| waits.end(row) < from)
            } else {
                0
            };
            let rows = row..waits.rows();
            let mut cause = causes.first_of(rows.start);
            for row in rows {
                if waits.end(row) > to {
                    return Ok(());
                }
                let (of_wait, next) = gather(causes, row, cause)?;
                cause = next;
                if waits.start(row) >= from {
                    wait(&waits.get(row).unpack(), of_wait.as_slice());
                }
            }
        }
        Ok(())
    }
}

/// The causes of one wait.
struct Gathered {
    causes: [CauseNs; Cause::COUNT],
    len: usize,
}

impl Gathered {
    fn as_slice(&self) -> &[CauseNs] {
        &self.causes[..self.len]
    }
}

/// The causes of a wait, whose rows begin at `at`, and where the next wait's begin.
#[inline]
fn gather(
    causes: &CauseColumns,
    wait: usize,
    mut at: usize,
) -> Result<(Gathered, usize), EngineError> {
    const NONE: CauseNs = CauseNs {
        cause: Cause::Busy,
        ns: 0,
    };
    let mut gathered = Gathered {
        causes: [NONE; Cause::COUNT],
        len: 0,
    };
    while at < causes.rows() {
        let (of, cause) = causes
            .unpack(at)
            .ok_or_else(|| damaged("a wait has a cause that does not exist"))?;
        if of > wait {
            break;
        }
        let place = gathered
            .causes
            .get_mut(gathered.len)
            .filter(|_| of == wait)
            .ok_or_else(|| damaged("the causes of its waits are not in order"))?;
        *place = cause;
        gathered.len += 1;
        at += 1;
    }
    Ok((gathered, at))
}

/// The number of rows at the beginning for which `before` holds.
fn partition(rows: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, rows);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn damaged(why: &str) -> EngineError {
    EngineError::Damaged(why.to_owned())
}
