//! Columns as yes and no.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;

use super::Test;
use super::table::{Step, TableFilter, number_holds, text_holds};

impl TableFilter {
    /// Returns the matching rows of a batch. The batch has at least [`TableFilter::columns`].
    #[must_use]
    pub fn mask(&self, batch: &RecordBatch) -> BooleanBuffer {
        mask(&self.root, batch)
    }
}

fn mask(step: &Step, batch: &RecordBatch) -> BooleanBuffer {
    let rows = batch.num_rows();
    match step {
        Step::Known(true) => BooleanBuffer::new_set(rows),
        Step::Known(false) => BooleanBuffer::new_unset(rows),
        Step::All(steps) => steps
            .iter()
            .fold(BooleanBuffer::new_set(rows), |held, step| {
                &held & &mask(step, batch)
            }),
        Step::Either(steps) => steps
            .iter()
            .fold(BooleanBuffer::new_unset(rows), |held, step| {
                &held | &mask(step, batch)
            }),
        Step::Not(step) => !&mask(step, batch),
        Step::Column(test, name) => batch.column_by_name(name).map_or_else(
            || BooleanBuffer::new_unset(rows),
            |column| of_column(test, column),
        ),
    }
}

/// A value that is not there fits nothing.
fn of_column(test: &Test, column: &dyn Array) -> BooleanBuffer {
    let fits = match column.data_type() {
        DataType::Int8 => numbers::<Int8Type>(test, column),
        DataType::Int16 => numbers::<Int16Type>(test, column),
        DataType::Int32 => numbers::<Int32Type>(test, column),
        DataType::Int64 => numbers::<Int64Type>(test, column),
        DataType::UInt8 => numbers::<UInt8Type>(test, column),
        DataType::UInt16 => numbers::<UInt16Type>(test, column),
        DataType::UInt32 => numbers::<UInt32Type>(test, column),
        DataType::UInt64 => numbers::<UInt64Type>(test, column),
        DataType::Utf8 => {
            let texts = column.as_string::<i32>();
            BooleanBuffer::collect_bool(texts.len(), |row| text_holds(test, texts.value(row)))
        }
        _ => BooleanBuffer::new_unset(column.len()),
    };
    match column.nulls() {
        Some(nulls) => &fits & nulls.inner(),
        None => fits,
    }
}

fn numbers<T: ArrowPrimitiveType>(test: &Test, column: &dyn Array) -> BooleanBuffer
where
    T::Native: Into<i128>,
{
    let values = column.as_primitive::<T>().values();
    BooleanBuffer::collect_bool(values.len(), |row| number_holds(test, values[row].into()))
}
