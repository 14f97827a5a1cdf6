//! Extents of a file's batches, stored in its footer: a window's batches are known before any is read.

use std::io::Write;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Schema};

use crate::{EngineError, Helper, Lent};

/// Key of the extents in the footer's metadata: rows, first and last time of each batch, as JSON.
const KEY: &str = "numalens.stretches";

/// Number of rows of a batch, and its first and last time (inclusive), ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchExtent {
    /// Number.
    pub rows: u64,
    /// The earliest time; as late as can be without rows.
    pub first_ns: u64,
    /// The latest time; 0 without rows.
    pub last_ns: u64,
}

impl BatchExtent {
    /// The extent of these times, in any order.
    pub fn of(times: impl Iterator<Item = u64>) -> Self {
        let none = Self {
            rows: 0,
            first_ns: u64::MAX,
            last_ns: 0,
        };
        times.fold(none, |held, time| Self {
            rows: held.rows + 1,
            first_ns: held.first_ns.min(time),
            last_ns: held.last_ns.max(time),
        })
    }
}

/// Writes a file whose footer has the extent of each batch.
pub struct BatchWriter<W: Write> {
    file: Lent<Batches<W>>,
    all_ordered: bool,
}

/// A file and the extents of its batches.
struct Batches<W: Write> {
    file: FileWriter<W>,
    extents: Vec<BatchExtent>,
}

impl<W: Write + Send + 'static> BatchWriter<W> {
    /// Begins the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(out: W, schema: &Schema) -> Result<Self, ArrowError> {
        Self::helped(out, schema, &Helper::default())
    }

    /// As [`Self::new`], of a file whose batches a helper writes. An error is then that of the first batch of any of the
    /// helper's files that could not be written.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn helped(out: W, schema: &Schema, helper: &Helper) -> Result<Self, ArrowError> {
        Ok(Self {
            file: Lent::new(
                helper,
                Batches {
                    file: FileWriter::try_new(out, schema)?,
                    extents: Vec::new(),
                },
            ),
            all_ordered: true,
        })
    }

    /// Appends a batch, whose rows are of these times.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(
        &mut self,
        batch: &RecordBatch,
        times: impl Iterator<Item = u64>,
    ) -> Result<(), EngineError> {
        let (batch, extent) = (batch.clone(), BatchExtent::of(times));
        self.write_made(move || Ok((batch, extent)))
    }

    /// Appends a batch that the helper makes.
    pub(crate) fn write_made(
        &mut self,
        make: impl FnOnce() -> Result<(RecordBatch, BatchExtent), ArrowError> + Send + 'static,
    ) -> Result<(), EngineError> {
        self.file.write(move |batches| {
            let (batch, extent) = make()?;
            batches.extents.push(extent);
            Ok(batches.file.write(&batch)?)
        })
    }

    /// Appends a batch whose rows have no times that ascend. A file with such a batch has no stored extents.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_unordered(&mut self, batch: &RecordBatch) -> Result<(), EngineError> {
        self.all_ordered = false;
        self.write(batch, std::iter::empty())
    }

    /// Finishes the file and returns its writer.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<W, EngineError> {
        let Batches { mut file, extents } = self.file.finish()?;
        if self.all_ordered {
            file.write_metadata(KEY, text(&extents)?);
        }
        let mut out = file.into_inner()?;
        out.flush()?;
        Ok(out)
    }
}

fn text(extents: &[BatchExtent]) -> Result<String, ArrowError> {
    let numbers = extents.iter();
    let numbers: Vec<_> = numbers
        .map(|extent| (extent.rows, extent.first_ns, extent.last_ns))
        .collect();
    serde_json::to_string(&numbers).map_err(|error| ArrowError::ExternalError(Box::new(error)))
}

/// The extents of a file's `batches` batches; `None` if its footer lacks them.
pub(super) fn stored(footer: &arrow_ipc::Footer<'_>, batches: usize) -> Option<Vec<BatchExtent>> {
    let mut pairs = footer.custom_metadata()?.into_iter();
    let text = pairs.find(|pair| pair.key() == Some(KEY))?.value()?;
    let numbers: Vec<(u64, u64, u64)> = serde_json::from_str(text).ok()?;
    let extents = numbers.into_iter();
    let extents: Vec<_> = extents
        .map(|(rows, first_ns, last_ns)| BatchExtent {
            rows,
            first_ns,
            last_ns,
        })
        .collect();
    (extents.len() == batches).then_some(extents)
}
