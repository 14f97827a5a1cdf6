//! Reads a window of the waits. The columns point into the files' bytes.

use arrow_buffer::Buffer;

use super::rows::{CauseColumns, WaitColumns};
use super::{Cause, CauseNs, WaitRow};
use crate::EngineError;
use crate::rows::{Columns, open_all};

/// The waits and their causes, ready to be read.
#[derive(Debug)]
pub struct Waits {
    batches: Vec<(WaitColumns, CauseColumns)>,
}

impl Waits {
    /// Opens the bytes of `waits/waits.arrow` and `waits/causes.arrow`.
    ///
    /// # Errors
    /// The bytes are not those of waits and their causes.
    pub fn open(waits: Buffer, causes: Buffer) -> Result<Self, EngineError> {
        let waits: Vec<WaitColumns> = open_all(waits, "waits")?;
        let causes: Vec<CauseColumns> = open_all(causes, "the waits' causes")?;
        if waits.len() != causes.len() {
            return Err(damaged("its waits and their causes do not belong together"));
        }
        Ok(Self {
            batches: waits.into_iter().zip(causes).collect(),
        })
    }

    /// How many waits there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.batches.iter().map(|batch| batch.0.rows()).sum()
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
    /// The causes do not hold together.
    pub fn scan(
        &self,
        from: u64,
        to: u64,
        mut wait: impl FnMut(&WaitRow, &[CauseNs]),
    ) -> Result<(), EngineError> {
        let ends_before = |batch: &WaitColumns| {
            let rows = batch.rows();
            rows == 0 || batch.end(rows - 1) < from
        };
        let first = self.batches.partition_point(|batch| ends_before(&batch.0));
        let mut row = self.batches.get(first).map_or(0, |(waits, _)| {
            partition(waits.rows(), |row| waits.end(row) < from)
        });
        for (waits, causes) in self.batches.iter().skip(first) {
            let rows = std::mem::take(&mut row)..waits.rows();
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
