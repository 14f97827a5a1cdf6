//! The rows that a query of the trace processor gives, as JSON for the page and as files.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, NullArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use numalens_bundle::Error;
use numalens_columns::InputError;
use numalens_perfetto_rows::{Answer, Cell, Kind};

use crate::{Format, Out, write_batches};

/// The error of an answer that cannot be read.
#[must_use]
pub fn unreadable(error: InputError) -> Error {
    Error::input("the trace processor's answer", error)
}

/// Error that stops a walk over the rows.
struct Stopped(Error);

impl From<InputError> for Stopped {
    fn from(error: InputError) -> Self {
        Self(unreadable(error))
    }
}

/// Calls `visit` with each row.
fn each(
    answer: &Answer,
    mut visit: impl FnMut(&[Cell<'_>]) -> Result<(), Error>,
) -> Result<(), Error> {
    let walked = answer.each(|row| visit(row).map_err(Stopped));
    walked.map_err(|Stopped(error)| error)
}

/// Rows of a batch of an exported file.
const BATCH_ROWS: usize = 1 << 15;

/// The rows as a JSON list of lists: whole numbers as text, so that a browser keeps all 64 bits.
///
/// # Errors
///
/// Fails when the answer cannot be read.
pub fn json(answer: &Answer) -> Result<Vec<u8>, Error> {
    let kinds: Vec<Kind> = answer.columns().iter().map(|(_, kind)| *kind).collect();
    let mut out = vec![b'['];
    each(answer, |row| {
        out.extend_from_slice(if out.len() > 1 { b",[" } else { b"[" });
        for (at, (cell, kind)) in row.iter().zip(&kinds).enumerate() {
            if at > 0 {
                out.push(b',');
            }
            match (cell, kind) {
                (Cell::Null, _) => out.extend_from_slice(b"null"),
                (Cell::Real(real), Kind::Real) if real.is_finite() => put(&mut out, real)?,
                (cell, _) => put(&mut out, &text(*cell))?,
            }
        }
        out.push(b']');
        Ok(())
    })?;
    out.push(b']');
    Ok(out)
}

/// Writes the rows as a file and returns their number.
///
/// # Errors
///
/// Fails when the answer cannot be read, and when `out` does.
pub fn write(answer: &Answer, format: Format, out: Out<'_>) -> Result<u64, Error> {
    let schema = Arc::new(Schema::new(
        answer
            .columns()
            .iter()
            .map(|(name, kind)| Field::new(name, ty(*kind), true))
            .collect::<Vec<_>>(),
    ));
    write_batches(format, &schema, out, |hand_on| {
        let mut batch = Batch::new(&schema);
        each(answer, |row| {
            batch.push(row);
            if batch.rows == BATCH_ROWS {
                let full = std::mem::replace(&mut batch, Batch::new(&schema));
                hand_on(&full.finish()?)?;
            }
            Ok(())
        })?;
        if batch.rows > 0 {
            hand_on(&batch.finish()?)?;
        }
        Ok(())
    })?;
    Ok(answer.rows() as u64)
}

fn put(out: &mut Vec<u8>, value: &impl serde::Serialize) -> Result<(), Error> {
    serde_json::to_writer(out, value).map_err(|error| Error::Bundle(error.to_string()))
}

/// A cell as text; a null as an empty one.
fn text(cell: Cell<'_>) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Number(number) => number.to_string(),
        Cell::Real(real) if real.is_nan() => "nan".to_owned(),
        Cell::Real(real) if real.is_infinite() => {
            if real > 0.0 { "inf" } else { "-inf" }.to_owned()
        }
        // As JSON has it, so that 2.0 does not become 2.
        Cell::Real(real) => serde_json::to_string(&real).unwrap_or_default(),
        Cell::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Cell::Blob(bytes) => hex(bytes),
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

fn ty(kind: Kind) -> DataType {
    match kind {
        Kind::Empty => DataType::Null,
        Kind::Integer => DataType::Int64,
        Kind::Real => DataType::Float64,
        Kind::Text | Kind::Mixed => DataType::Utf8,
        Kind::Blob => DataType::Binary,
    }
}

/// A column in the making.
enum Column {
    Empty,
    Integer(Int64Builder),
    Real(Float64Builder),
    Text(StringBuilder),
    Blob(BinaryBuilder),
}

/// Rows in the making.
struct Batch {
    schema: SchemaRef,
    columns: Vec<Column>,
    rows: usize,
}

impl Batch {
    fn new(schema: &SchemaRef) -> Self {
        let column = |field: &Arc<Field>| match field.data_type() {
            DataType::Int64 => Column::Integer(Int64Builder::new()),
            DataType::Float64 => Column::Real(Float64Builder::new()),
            DataType::Utf8 => Column::Text(StringBuilder::new()),
            DataType::Binary => Column::Blob(BinaryBuilder::new()),
            _ => Column::Empty,
        };
        Self {
            schema: Arc::clone(schema),
            columns: schema.fields().iter().map(column).collect(),
            rows: 0,
        }
    }

    fn push(&mut self, row: &[Cell<'_>]) {
        for (column, &cell) in self.columns.iter_mut().zip(row) {
            match (column, cell) {
                (Column::Empty, _) => {}
                (Column::Integer(values), Cell::Number(number)) => values.append_value(number),
                (Column::Integer(values), _) => values.append_null(),
                (Column::Real(values), Cell::Real(real)) => values.append_value(real),
                (Column::Real(values), _) => values.append_null(),
                (Column::Text(values), Cell::Null) => values.append_null(),
                (Column::Text(values), cell) => values.append_value(text(cell)),
                (Column::Blob(values), Cell::Blob(bytes)) => values.append_value(bytes),
                (Column::Blob(values), _) => values.append_null(),
            }
        }
        self.rows += 1;
    }

    fn finish(self) -> Result<RecordBatch, Error> {
        let rows = self.rows;
        let array = |column| -> ArrayRef {
            match column {
                Column::Empty => Arc::new(NullArray::new(rows)),
                Column::Integer(mut values) => Arc::new(values.finish()),
                Column::Real(mut values) => Arc::new(values.finish()),
                Column::Text(mut values) => Arc::new(values.finish()),
                Column::Blob(mut values) => Arc::new(values.finish()),
            }
        };
        let columns = self.columns.into_iter().map(array).collect();
        // A statement that is no query has rows of no columns: their number must be said.
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(
            self.schema,
            columns,
            &options,
        )?)
    }
}
