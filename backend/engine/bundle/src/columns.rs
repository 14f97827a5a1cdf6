//! Tables of samples and events: their batches, and columns by their names.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, Int64Array, RecordBatch, StringArray, UInt32Array};
use numalens_core::ipc::IpcFile;

use crate::bundle::Open;
use crate::error::Error;

/// Takes the batches of a table of samples one after the other; none when there is no such table.
///
/// # Errors
///
/// Fails when the table cannot be read.
pub fn samples(open: &Open, table: &str, mut look: impl FnMut(&RecordBatch)) -> Result<(), Error> {
    let stored = open.samples.iter().find(|stored| stored.table == table);
    if let Some(stored) = stored {
        let file = IpcFile::open(open.files.pieces(&stored.file)?, None)?;
        for batch in file.into_batches() {
            look(&batch?);
        }
    }
    Ok(())
}

/// Takes the batches of the event tables whose system and event are wanted, each with the event's name.
///
/// # Errors
///
/// Fails when a table cannot be read.
pub fn events(
    open: &Open,
    wanted: impl Fn(&str, &str) -> bool,
    mut look: impl FnMut(&str, &RecordBatch),
) -> Result<(), Error> {
    for table in &open.tables {
        if wanted(&table.system, &table.event) {
            let file = IpcFile::open(open.files.pieces(&table.file)?, None)?;
            for batch in file.into_batches() {
                look(&table.event, &batch?);
            }
        }
    }
    Ok(())
}

/// A column of integers.
#[must_use]
pub fn integers<'a>(batch: &'a RecordBatch, name: &str) -> Option<&'a Int64Array> {
    batch.column_by_name(name)?.as_primitive_opt::<Int64Type>()
}

/// The positions of the inputs that the rows of a table of samples come from.
#[must_use]
pub fn inputs(batch: &RecordBatch) -> Option<&UInt32Array> {
    batch
        .column_by_name("input")?
        .as_primitive_opt::<UInt32Type>()
}

/// A column of texts.
#[must_use]
pub fn texts<'a>(batch: &'a RecordBatch, name: &str) -> Option<&'a StringArray> {
    batch.column_by_name(name)?.as_string_opt::<i32>()
}

/// The value of a row, if it has one.
#[must_use]
pub fn at(array: Option<&Int64Array>, row: usize) -> Option<i64> {
    array.and_then(|array| array.is_valid(row).then(|| array.value(row)))
}
