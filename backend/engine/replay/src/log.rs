//! Writes a table of rows that come in the order of their times.

use std::mem;

use numalens_core::logs::{BatchesWriter, Columns};
use numalens_core::{EngineError, Output};

/// A table that is being written, `ROWS` at a time.
pub(crate) struct Log<C: Columns, const ROWS: usize = { 1 << 14 }> {
    writer: BatchesWriter<C>,
    held: Vec<C::Row>,
}

impl<C: Columns, const ROWS: usize> Log<C, ROWS> {
    pub(crate) fn new(out: Output) -> Result<Self, EngineError> {
        Ok(Self {
            writer: BatchesWriter::new(out)?,
            held: Vec::new(),
        })
    }

    #[inline]
    pub(crate) fn push(&mut self, row: C::Row) {
        self.held.push(row);
    }

    /// Writes the kept rows when they are enough for a batch.
    #[inline]
    pub(crate) fn flush(&mut self) -> Result<(), EngineError> {
        if self.held.len() >= ROWS {
            self.write()?;
        }
        Ok(())
    }

    /// Takes a row, and writes the kept ones when they are enough for a batch.
    #[inline]
    pub(crate) fn add(&mut self, row: C::Row) -> Result<(), EngineError> {
        self.push(row);
        self.flush()
    }

    #[cold]
    fn write(&mut self) -> Result<(), EngineError> {
        if !self.held.is_empty() {
            let next = Vec::with_capacity(self.held.len());
            self.writer.write_rows(mem::replace(&mut self.held, next))?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<(), EngineError> {
        self.write()?;
        self.writer.finish()
    }
}

/// The writer of a table: a log and what its rows are made of.
macro_rules! writer {
    ($(#[$about:meta])* $name:ident, $columns:ty, $row:ty, $pack:expr) => {
        $(#[$about])*
        pub struct $name($crate::log::Log<$columns>);

        impl $name {
            /// Begins the file.
            ///
            /// # Errors
            /// It cannot be written.
            pub fn new(out: numalens_core::Output) -> Result<Self, numalens_core::EngineError> {
                $crate::log::Log::new(out).map(Self)
            }

            /// Takes the next row. It is kept until [`Self::flush`].
            #[inline]
            pub fn push(&mut self, row: &$row) {
                let pack = $pack;
                self.0.push(pack(row));
            }

            /// Writes the kept rows when they are enough for a batch.
            ///
            /// # Errors
            /// The file cannot be written.
            #[inline]
            pub fn flush(&mut self) -> Result<(), numalens_core::EngineError> {
                self.0.flush()
            }

            /// Finishes the file.
            ///
            /// # Errors
            /// The file cannot be written.
            pub fn finish(self) -> Result<(), numalens_core::EngineError> {
                self.0.finish()
            }
        }
    };
}

pub(crate) use writer;
