//! The rows of a table of samples.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, BooleanArray};
use arrow_select::filter::filter_record_batch;
use numalens_bundle::{Error, Open};
use numalens_core::EngineError;
use numalens_core::ipc::IpcFile;

use super::Out;
use super::format::{Format, Writer};
use super::schema::Shape;

/// Writes the rows of a table with `from_ns <= ts < to_ns`, in the order of the inputs, and returns their number. Rows
/// without a place on the reference clock belong only to a window that is open on both sides.
///
/// # Errors
///
/// Fails when there is no such table, it cannot be read, and when `out` does.
pub fn export_samples(
    bundle: &Open,
    table: &str,
    format: Format,
    window: (Option<i64>, Option<i64>),
    out: Out<'_>,
) -> Result<u64, Error> {
    let Some(stored) = bundle.samples.iter().find(|stored| stored.table == table) else {
        return Err(Error::Missing(table.to_owned()));
    };
    let file = IpcFile::open(bundle.files.pieces(&stored.file)?, None)?;
    let shape = Shape::of(std::iter::once(file.schema().as_ref()));
    let mut writer = Writer::new(format, &shape, out)?;
    let mut rows = 0;
    for batch in file.into_batches() {
        let mut batch = batch?;
        if window != (None, None) {
            let times = batch
                .column_by_name("ts_ns")
                .and_then(|times| times.as_primitive_opt::<Int64Type>())
                .ok_or_else(|| EngineError::Damaged(format!("the table {table} has no times")))?;
            let inside = |time: i64| {
                window.0.is_none_or(|from| time >= from) && window.1.is_none_or(|to| time < to)
            };
            let inside: BooleanArray = (0..times.len())
                .map(|row| Some(times.is_valid(row) && inside(times.value(row))))
                .collect();
            batch = filter_record_batch(&batch, &inside)?;
        }
        rows += batch.num_rows() as u64;
        writer.write(&batch)?;
    }
    writer.finish()?;
    Ok(rows)
}
