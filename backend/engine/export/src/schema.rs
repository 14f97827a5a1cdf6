//! One shape for tables of the same event that come from different kernels or systems.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, new_null_array};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use numalens_bundle::Error;

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
                Some(column) => cast(column, field.data_type())?,
                None => new_null_array(field.data_type(), batch.num_rows()),
            });
        }
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
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
