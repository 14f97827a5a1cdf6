//! Writes the waits and their causes, batch by batch.

use std::mem;

use numalens_core::logs::BatchesWriter;
use numalens_core::{EngineError, Output};

use super::rows::{CauseColumns, StoredCause, StoredWait, WaitColumns};
use super::{CauseNs, WaitRow};

/// Waits that go into one batch; their place in it fits 16 bits.
const BATCH_ROWS: usize = 1 << 14;

/// Writes `waits/waits.arrow` and `waits/causes.arrow`.
pub struct WaitsWriter {
    waits: BatchesWriter<WaitColumns>,
    causes: BatchesWriter<CauseColumns>,
    held: Vec<StoredWait>,
    held_causes: Vec<StoredCause>,
    failed: Option<EngineError>,
}

impl WaitsWriter {
    /// Begins the files.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn new(waits: Output, causes: Output) -> Result<Self, EngineError> {
        Ok(Self {
            waits: BatchesWriter::new(waits)?,
            causes: BatchesWriter::new(causes)?,
            held: Vec::new(),
            held_causes: Vec::new(),
            failed: None,
        })
    }

    /// Takes the next wait by its end, with its causes.
    #[inline]
    pub fn push(&mut self, wait: &WaitRow, causes: &[CauseNs]) {
        if self.held.len() >= BATCH_ROWS {
            // Reported at the next flush: an observer of the replay cannot report it.
            self.failed = self.failed.take().or(self.write().err());
        }
        let row = self.held.len() as u16;
        self.held.push(StoredWait::pack(wait));
        self.held_causes
            .extend(causes.iter().map(|cause| StoredCause {
                wait: row,
                cause: cause.cause as u8,
                ns: cause.ns,
            }));
    }

    /// Writes the kept waits when they are enough for a batch.
    ///
    /// # Errors
    /// The files cannot be written.
    #[inline]
    pub fn flush(&mut self) -> Result<(), EngineError> {
        if self.held.len() >= BATCH_ROWS {
            self.write()?;
        }
        self.failed.take().map_or(Ok(()), Err)
    }

    fn write(&mut self) -> Result<(), EngineError> {
        if !self.held.is_empty() {
            let (waits, causes) = (self.held.len(), self.held_causes.len());
            let held = mem::replace(&mut self.held, Vec::with_capacity(waits));
            self.waits.write_rows(held)?;
            let held = mem::replace(&mut self.held_causes, Vec::with_capacity(causes));
            self.causes.write_rows(held)?;
        }
        Ok(())
    }

    /// Finishes the files.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn finish(mut self) -> Result<(), EngineError> {
        self.flush()?;
        self.write()?;
        self.waits.finish()?;
        self.causes.finish()
    }
}
