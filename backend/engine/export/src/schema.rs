//! One shape for tables of the same event that come from different kernels or systems.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, new_null_array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use numalens_bundle::Error;
use numalens_columns::Cell;
use numalens_core::columns::integers;

/// The columns of an export: `ts_ns`, `cpu`, the event's fields, `buffer`.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) schema: SchemaRef,
}

/// Columns of a table that are not an event's own: in front, at the end, and left out.
const FRONT: [&str; 3] = ["ts_ns", "cpu", super::EVENT_TYPE];
const BACK: &str = "buffer";
const HIDDEN: &str = "seq";

impl Shape {
    /// The columns of all schemas in order of first appearance, each wide enough for all.
    pub(super) fn of<'a>(schemas: impl Iterator<Item = &'a Schema>) -> Self {
        let mut fields: Vec<Field> = Vec::new();
        let mut tables = 0;
        let mut seen: Vec<usize> = Vec::new();
        let mut metadata = None;
        for schema in schemas {
            tables += 1;
            metadata.get_or_insert_with(|| schema.metadata().clone());
            for field in schema
                .fields()
                .iter()
                .filter(|field| field.name() != HIDDEN)
            {
                if let Some(at) = fields.iter().position(|known| known.name() == field.name()) {
                    let ty = common(fields[at].data_type(), field.data_type());
                    fields[at] = fields[at].clone().with_data_type(ty);
                    seen[at] += 1;
                } else {
                    fields.push(field.as_ref().clone());
                    seen.push(1);
                }
            }
        }
        let fields = fields.into_iter().zip(seen).map(|(field, times)| {
            let nullable = field.is_nullable() || times < tables;
            field.with_nullable(nullable)
        });
        let (back, mut fields): (Vec<_>, Vec<_>) = fields.partition(|field| field.name() == BACK);
        fields.sort_by_key(|field| {
            FRONT
                .iter()
                .position(|front| front == field.name())
                .unwrap_or(FRONT.len())
        });
        fields.extend(back);
        Self {
            schema: Arc::new(Schema::new_with_metadata(
                fields,
                metadata.unwrap_or_default(),
            )),
        }
    }

    /// The batch in this shape; columns that it lacks are null.
    pub(super) fn fit(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        for field in self.schema.fields() {
            columns.push(match batch.column_by_name(field.name()) {
                Some(column) if column.data_type() == field.data_type() => Arc::clone(column),
                Some(column) => widened(column, field.data_type()),
                None => new_null_array(field.data_type(), batch.num_rows()),
            });
        }
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}

/// The values of a column in a type that `common` chose for them and others.
fn widened(column: &dyn Array, ty: &DataType) -> ArrayRef {
    let numbers: Option<ArrayRef> = match ty {
        DataType::Int64 => integers::<Int64Type>(column).map(|it| Arc::new(it) as ArrayRef),
        DataType::UInt64 => integers::<UInt64Type>(column).map(|it| Arc::new(it) as ArrayRef),
        _ => None,
    };
    if let Some(numbers) = numbers {
        return numbers;
    }
    if let Some(bytes) = column.as_binary_opt::<i32>() {
        let texts = bytes.iter().map(|it| it.map(String::from_utf8_lossy));
        return Arc::new(texts.collect::<StringArray>());
    }
    let text = |row| {
        let is_there = column.is_valid(row);
        is_there.then(|| Cell::of(column, row).to_string())
    };
    Arc::new((0..column.len()).map(text).collect::<StringArray>())
}

/// A type that holds the values of both.
fn common(a: &DataType, b: &DataType) -> DataType {
    if a == b {
        return a.clone();
    }
    match (a.is_integer(), b.is_integer()) {
        (true, true) => {
            let signed = a.is_signed_integer() || b.is_signed_integer();
            match (signed, [a, b].contains(&&DataType::UInt64)) {
                (true, false) => DataType::Int64,
                (false, _) => DataType::UInt64,
                (true, true) => DataType::Utf8,
            }
        }
        _ => DataType::Utf8,
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{BinaryArray, Int8Array, Int32Array, ListArray, UInt32Array, UInt64Array};

    use super::*;

    fn texts(column: &dyn Array) -> Vec<Option<String>> {
        let found = widened(column, &DataType::Utf8);
        let found = found.as_string::<i32>().iter();
        found.map(|it| it.map(str::to_owned)).collect()
    }

    #[test]
    fn every_value_is_held_by_the_wider_type() {
        let found = widened(
            &UInt32Array::from(vec![Some(u32::MAX), None]),
            &DataType::Int64,
        );
        let wanted: Vec<Option<i64>> = vec![Some(4_294_967_295), None];
        assert_eq!(
            found.as_primitive::<Int64Type>(),
            &wanted.into_iter().collect()
        );
        let found = widened(&UInt64Array::from(vec![u64::MAX]), &DataType::UInt64);
        assert_eq!(found.as_primitive::<UInt64Type>().value(0), u64::MAX);
        let found = widened(&Int8Array::from(vec![-1]), &DataType::Int64);
        assert_eq!(found.as_primitive::<Int64Type>().value(0), -1);
    }

    #[test]
    fn what_has_no_wider_type_is_text() {
        assert_eq!(
            texts(&Int32Array::from(vec![Some(-7), None])),
            [Some("-7".to_owned()), None]
        );
        assert_eq!(
            texts(&BinaryArray::from(vec![Some(b"ab".as_slice()), None])),
            [Some("ab".to_owned()), None]
        );
        let lists =
            ListArray::from_iter_primitive::<Int64Type, _, _>(vec![Some(vec![Some(1), Some(2)])]);
        assert_eq!(texts(&lists), [Some("[1, 2]".to_owned())]);
    }
}
