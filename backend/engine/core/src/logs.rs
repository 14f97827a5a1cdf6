//! Tables of plain rows: each a row type, its columns in a mapped batch, and the conversions between them.

use std::collections::HashMap;
use std::io::Write;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::OnceLock;

use arrow_array::{ArrayRef, RecordBatch};

use crate::bounds::{self, Bounds};
pub use crate::cells::{Cell, Columns, array, column};
use crate::ipc::{BatchExtent, BatchWriter, Bytes, IpcFile};
use crate::{EngineError, Output};

/// The batches of a file as columns of a table. Each is read when its rows are first needed: the unread parts of a file may
/// be remote.
#[derive(Debug)]
pub struct Batches<C> {
    file: IpcFile<Bytes>,
    extents: Vec<BatchExtent>,
    opened: Vec<OnceLock<C>>,
    what: String,
    ascends: bool,
    bounds: Bounds,
}

impl<C: Columns> Batches<C> {
    /// A log, whose rows ascend in time. `what` names the table in an error.
    ///
    /// # Errors
    /// The bytes cannot be read or written, or are not of this table.
    pub fn open(bytes: impl Into<Bytes>, what: &str) -> Result<Self, EngineError> {
        let log = Self::unordered(bytes, what)?;
        let held = log.extents.iter().filter(|batch| batch.rows > 0);
        if !held.is_sorted_by_key(|batch| batch.last_ns) {
            return Err(log.damaged("has batches that are not in the order of their times"));
        }
        Ok(Self {
            ascends: true,
            ..log
        })
    }

    /// As [`Self::open`], for a table whose rows have no order of their own.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub fn unordered(bytes: impl Into<Bytes>, what: &str) -> Result<Self, EngineError> {
        let bytes = bytes.into();
        let bounds = bytes.bounds();
        let file = IpcFile::open(bytes, None)?;
        let mut batches = Self {
            ascends: false,
            bounds,
            extents: Vec::new(),
            opened: (0..file.batches()).map(|_| OnceLock::new()).collect(),
            what: what.to_owned(),
            file,
        };
        let own = C::schema();
        let fields = batches.file.schema().fields();
        let mut types = own.fields().iter().zip(fields);
        if fields.len() < own.fields().len()
            || !types.all(|(own, found)| own.data_type() == found.data_type())
        {
            return Err(batches.damaged("has other columns"));
        }
        let Some(extents) = batches.file.footer().extents() else {
            return Err(batches.damaged("does not describe its batches"));
        };
        batches.extents = extents.to_vec();
        Ok(batches)
    }

    /// Returns the file's schema metadata.
    #[must_use]
    pub fn metadata(&self) -> HashMap<String, String> {
        self.file.metadata()
    }

    /// Returns the number of batches.
    #[must_use]
    pub fn count(&self) -> usize {
        self.opened.len()
    }

    /// Returns the number of rows of each batch, and its first and last time.
    #[must_use]
    pub fn extents(&self) -> &[BatchExtent] {
        &self.extents
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.extents.iter().map(|batch| batch.rows as usize).sum()
    }

    /// Returns the number of batches at the start for which the predicate holds or that have no rows; it must hold for no
    /// later one.
    pub fn partition(&self, predicate: impl Fn(&BatchExtent) -> bool) -> usize {
        self.extents
            .partition_point(|batch| batch.rows == 0 || predicate(batch))
    }

    /// The batch at a place.
    ///
    /// # Errors
    /// The bytes cannot be read or written, or are not of this table.
    pub fn get(&self, at: usize) -> Result<&C, EngineError> {
        let opened = &self.opened[at];
        if let Some(columns) = opened.get() {
            return Ok(columns);
        }
        let columns = self.checked(at)?;
        Ok(opened.get_or_init(|| columns))
    }

    /// The batches of a range.
    ///
    /// # Errors
    /// The bytes cannot be read or written, or are not of this table.
    pub fn range(&self, range: Range<usize>) -> Result<Vec<&C>, EngineError> {
        range.map(|at| self.get(at)).collect()
    }

    /// All batches.
    ///
    /// # Errors
    /// The bytes cannot be read or written, or are not of this table.
    pub fn into_all(mut self) -> Result<Vec<C>, EngineError> {
        let opened = std::mem::take(&mut self.opened).into_iter().enumerate();
        opened
            .map(|(at, opened)| opened.into_inner().map_or_else(|| self.checked(at), Ok))
            .collect()
    }

    /// A batch whose rows are in their order, and as many as the file says.
    fn checked(&self, at: usize) -> Result<C, EngineError> {
        let (columns, extent) = (self.read(at)?, &self.extents[at]);
        if columns.rows() as u64 != extent.rows {
            return Err(self.damaged("has other rows than it says"));
        }
        let disorder = self.ascends.then(|| bounds::order(&columns, extent));
        match disorder.flatten() {
            Some(why) => Err(self.damaged(&why)),
            None => Ok(columns),
        }
    }

    fn read(&self, at: usize) -> Result<C, EngineError> {
        let batch = self.file.batch(at)?;
        let columns = C::open(&batch).ok_or_else(|| self.damaged("has other columns"))?;
        match bounds::columns(&batch, &C::schema(), self.bounds) {
            Some(why) => Err(self.damaged(&why)),
            None => Ok(columns),
        }
    }

    fn damaged(&self, why: &str) -> EngineError {
        EngineError::Damaged(format!("the table of {} {why}", self.what))
    }
}

/// Writes the batches of a table.
pub struct BatchesWriter<C> {
    writer: BatchWriter<Box<dyn Write + Send>>,
    columns: PhantomData<C>,
}

impl<C: Columns> BatchesWriter<C> {
    /// Begins the file.
    ///
    /// # Errors
    /// The bytes cannot be read or written, or are not of this table.
    pub fn new(out: Output) -> Result<Self, EngineError> {
        Ok(Self {
            writer: BatchWriter::helped(out.file, &C::schema(), &out.helper)?,
            columns: PhantomData,
        })
    }

    /// Writes a batch of the rows of all parts, one part after the other.
    ///
    /// # Errors
    /// The bytes cannot be read or written, or are not of this table.
    pub fn write(&mut self, parts: &[&[C::Row]]) -> Result<(), EngineError> {
        let times = parts.iter().flat_map(|part| part.iter()).map(C::time);
        self.writer.write(&C::batch(parts)?, times)
    }

    /// Writes a batch of rows, which the file's helper makes of them.
    ///
    /// # Errors
    /// The bytes cannot be read or written, or are not of this table.
    pub fn write_rows(&mut self, rows: Vec<C::Row>) -> Result<(), EngineError> {
        self.writer.write_made(move || {
            let extent = BatchExtent::of(rows.iter().map(C::time));
            Ok((C::batch(&[&rows])?, extent))
        })
    }

    /// Writes a batch of these columns, whose rows are of these times.
    ///
    /// # Errors
    /// The bytes cannot be read or written, or are not of this table.
    pub fn write_columns(
        &mut self,
        columns: Vec<ArrayRef>,
        times: &[u64],
    ) -> Result<(), EngineError> {
        let batch = RecordBatch::try_new(C::schema(), columns)?;
        self.writer.write(&batch, times.iter().copied())
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// The bytes cannot be read or written, or are not of this table.
    pub fn finish(self) -> Result<(), EngineError> {
        self.writer.finish()?;
        Ok(())
    }
}

/// The rows of a time in [`from`, `to`] of batches that ascend in time.
///
/// # Errors
/// The bytes cannot be read or written, or are not of this table.
pub fn between<C: Columns>(
    batches: &Batches<C>,
    from: u64,
    to: u64,
) -> Result<Between<'_, C>, EngineError> {
    let first = batches.partition(|batch| batch.last_ns < from);
    let past = batches.partition(|batch| batch.first_ns <= to);
    Ok(Between {
        batches: batches.range(first..past)?.into_iter(),
        batch: None,
        span: (from, to),
        rows: 0..0,
    })
}

/// Calls `visit` with the rows of [`between`].
///
/// # Errors
/// The bytes cannot be read or written, or are not of this table.
#[inline]
pub fn scan<C: Columns>(
    batches: &Batches<C>,
    from: u64,
    to: u64,
    mut visit: impl FnMut(C::Row),
) -> Result<(), EngineError> {
    let mut wanted = between(batches, from, to)?;
    while wanted.next_batch().is_some() {
        if let Some(batch) = wanted.batch {
            batch.each(wanted.rows.clone(), &mut visit);
        }
    }
    Ok(())
}

/// See [`between`]. Within a batch, only rows are read that are wanted.
pub struct Between<'a, C> {
    batches: std::vec::IntoIter<&'a C>,
    batch: Option<&'a C>,
    span: (u64, u64),
    /// Unread rows of `batch`.
    rows: Range<usize>,
}

impl<C: Columns> Between<'_, C> {
    /// Goes to the next batch that may have wanted rows; `None` when there is none.
    fn next_batch(&mut self) -> Option<()> {
        let batch = self.batches.next()?;
        let time = |row: usize| C::time(&batch.get(row));
        let (from, to) = self.span;
        let begin = partition(batch.rows(), |row| time(row) < from);
        let end = partition(batch.rows(), |row| time(row) <= to);
        if end < batch.rows() {
            self.batches = Vec::new().into_iter();
        }
        self.batch = Some(batch);
        // A window may end before it begins.
        self.rows = begin..end.max(begin);
        Some(())
    }

    /// The first row of the next batch that has a wanted one; `None` when there is none.
    #[cold]
    fn turn(&mut self) -> Option<C::Row> {
        loop {
            self.next_batch()?;
            if let (Some(row), Some(batch)) = (self.rows.next(), self.batch) {
                return Some(batch.get(row));
            }
        }
    }
}

impl<C: Columns> Iterator for Between<'_, C> {
    type Item = C::Row;

    #[inline]
    fn next(&mut self) -> Option<C::Row> {
        match (self.rows.next(), self.batch) {
            (Some(row), Some(batch)) => Some(batch.get(row)),
            _ => self.turn(),
        }
    }
}

/// Number of the first rows for which the predicate holds, when it holds for no other one.
fn partition(rows: usize, predicate: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, rows);
    while low < high {
        let middle = low + (high - low) / 2;
        if predicate(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[doc(inline)]
pub use crate::table;

/// A table of plain rows: a struct of a row, one of a batch's columns, and the conversions between them. The row is
/// public after `pub`. A field of `u32 as u16`, or of an enum `as u8`, lies in its column as the second type; `From`
/// converts it back.
#[macro_export]
macro_rules! table {
    (@cell $ty:ty) => { $ty };
    (@cell $ty:ty, $stored:ty) => { $stored };
    (@pack $value:expr) => { $value };
    (@pack $value:expr, $stored:ty) => { $value as $stored };
    (@unpack $cell:expr, $ty:ty) => { $cell };
    (@unpack $cell:expr, $ty:ty, $stored:ty) => { <$ty>::from($cell) };
    ($(#[$about:meta])* pub $row:ident, $($rest:tt)+) => {
        $crate::table! { @all pub, $(#[$about])* $row, $($rest)+ }
    };
    ($(#[$about:meta])* $row:ident, $($rest:tt)+) => {
        $crate::table! { @all pub(crate), $(#[$about])* $row, $($rest)+ }
    };
    (
        @all $vis:vis, $(#[$about:meta])* $row:ident, $columns:ident, $time:ident,
        { $($(#[$doc:meta])* $field:ident: $ty:ty $(as $stored:ty)?,)+ }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis struct $row {
            $($(#[$doc])* $vis $field: $ty,)+
        }

        #[derive(Debug)]
        pub(crate) struct $columns {
            $($field: arrow_buffer::ScalarBuffer<$crate::table!(@cell $ty $(, $stored)?)>,)+
        }

        impl $crate::logs::Columns for $columns {
            type Row = $row;

            fn schema() -> arrow_schema::SchemaRef {
                use arrow_array::types::ArrowPrimitiveType;
                std::sync::Arc::new(arrow_schema::Schema::new(vec![
                    $(arrow_schema::Field::new(
                        stringify!($field),
                        <$crate::table!(@cell $ty $(, $stored)?) as $crate::logs::Cell>::Arrow::DATA_TYPE,
                        false,
                    ),)+
                ]))
            }

            fn batch(parts: &[&[$row]]) -> Result<arrow_array::RecordBatch, arrow_schema::ArrowError> {
                arrow_array::RecordBatch::try_new(
                    Self::schema(),
                    vec![$($crate::logs::array(parts, |row: &$row| {
                        $crate::table!(@pack row.$field $(, $stored)?)
                    })),+],
                )
            }

            fn open(batch: &arrow_array::RecordBatch) -> Option<Self> {
                let mut at = 0..;
                Some(Self {
                    $($field: $crate::logs::column(batch, at.next()?)?,)+
                })
            }

            fn rows(&self) -> usize {
                self.$time.len()
            }

            // What is not needed of a row is then not read.
            #[inline(always)]
            #[allow(clippy::inline_always)]
            fn get(&self, row: usize) -> $row {
                $row { $($field: $crate::table!(@unpack self.$field[row], $ty $(, $stored)?),)+ }
            }

            #[inline]
            fn each(&self, rows: std::ops::Range<usize>, mut visit: impl FnMut($row)) {
                // Columns of one length need no look at it in each row.
                $(let $field = &self.$field[rows.clone()];)+
                for at in 0..rows.len() {
                    visit($row { $($field: $crate::table!(@unpack $field[at], $ty $(, $stored)?),)+ });
                }
            }

            #[inline]
            fn time(row: &$row) -> u64 {
                u64::from(row.$time)
            }
        }
    };
}
