//! The logs of attempts and of the cling kernel's lines.

use numalens_core::ipc::Bytes;
use numalens_core::logs::{Batches, between, scan};
use numalens_core::{EngineError, Output};

use super::stored::{AttemptColumns, StoredAttempt};
use super::stored_line::{LineColumns, StoredLine};
use super::{Attempt, ClingLine};
use crate::log::Log;

/// The log of attempts, by their beginnings.
pub const ATTEMPTS_FILE: &str = "numa/attempts.arrow";
/// The log of the cling kernel's lines.
pub const LINES_FILE: &str = "numa/lines.arrow";

/// Rows that go into one batch: as many as stay in a CPU's cache until they are columns.
const BATCH_ROWS: usize = 1 << 12;

/// A line of the cling kernel, and when and where it was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRow {
    /// ns of the reference clock; ascends from row to row.
    pub ts_ns: u64,
    /// The CPU that printed it.
    pub cpu: u32,
    /// Task on that CPU; -1 when not recorded.
    pub current: i32,
    /// Content of the line.
    pub line: ClingLine,
}

macro_rules! log {
    ($(#[$about:meta])* $reader:ident, $(#[$writing:meta])* $writer:ident, $columns:ty, $row:ty, $what:literal, $pack:expr, $unpack:expr) => {
        $(#[$about])*
        #[derive(Debug)]
        pub struct $reader(Batches<$columns>);

        impl $reader {
            /// Opens the file's bytes.
            ///
            /// # Errors
            /// They are not those of this log.
            pub fn open(bytes: impl Into<Bytes>) -> Result<Self, EngineError> {
                Batches::open(bytes, $what).map(Self)
            }

            /// Number of lines.
            #[must_use]
            pub fn len(&self) -> usize {
                self.0.rows()
            }

            /// Returns whether there are no lines.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The rows of a time in [`from`, `to`], in ascending time.
            ///
            /// # Errors
            /// They could not be read.
            pub fn rows(
                &self,
                from: u64,
                to: u64,
            ) -> Result<impl Iterator<Item = $row>, EngineError> {
                Ok(between(&self.0, from, to)?.filter_map($unpack))
            }

            /// Calls `row` with each of [`Self::rows`].
            ///
            /// # Errors
            /// As for [`Self::rows`].
            pub fn scan(
                &self,
                from: u64,
                to: u64,
                mut row: impl FnMut(&$row),
            ) -> Result<(), EngineError> {
                let unpack = $unpack;
                scan(&self.0, from, to, |stored| {
                    if let Some(unpacked) = unpack(stored) {
                        row(&unpacked);
                    }
                })
            }
        }

        $(#[$writing])*
        pub struct $writer(Log<$columns, BATCH_ROWS>);

        impl $writer {
            /// Begins the file.
            ///
            /// # Errors
            /// It cannot be written.
            pub fn new(out: Output) -> Result<Self, EngineError> {
                Log::new(out).map(Self)
            }

            /// Takes the next row; times ascend.
            ///
            /// # Errors
            /// The file cannot be written.
            #[inline]
            pub fn push(&mut self, row: &$row) -> Result<(), EngineError> {
                self.0.add($pack(row))
            }

            /// Finishes the file.
            ///
            /// # Errors
            /// It cannot be written.
            pub fn finish(self) -> Result<(), EngineError> {
                self.0.finish()
            }
        }
    };
}

log! {
    /// The attempts by their beginnings.
    Attempts,
    /// Writes the attempts.
    AttemptsWriter, AttemptColumns, Attempt, "attempts",
    StoredAttempt::pack, |stored: StoredAttempt| Some(stored.unpack())
}

log! {
    /// The cling kernel's lines.
    Lines,
    /// Writes the cling kernel's lines.
    LinesWriter, LineColumns, LineRow, "cling's lines",
    |row: &LineRow| StoredLine::pack(row.ts_ns, row.cpu, row.current, &row.line),
    |stored: StoredLine| Some(LineRow {
        ts_ns: stored.ts_ns,
        cpu: stored.cpu,
        current: stored.current,
        line: stored.unpack()?,
    })
}
