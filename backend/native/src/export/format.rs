//! Batches as CSV, as lines of JSON, or as an Arrow stream.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_csv::WriterBuilder;
use arrow_ipc::writer::StreamWriter;
use arrow_json::writer::{LineDelimited, WriterBuilder as JsonBuilder};
use arrow_schema::{DataType, Field, Schema};

use super::Out;
use super::schema::Shape;
use crate::error::Error;

/// The formats of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    NdJson,
    Arrow,
}

impl Format {
    pub(crate) fn of(name: &str) -> Option<Self> {
        match name {
            "csv" => Some(Self::Csv),
            "ndjson" => Some(Self::NdJson),
            "arrow" => Some(Self::Arrow),
            _ => None,
        }
    }
}

/// Collects written bytes and hands them on in pieces; keeps the error that the receiver raised.
struct Pieces<'a> {
    out: Out<'a>,
    held: Vec<u8>,
    failed: Option<Error>,
}

/// Size from which collected bytes are handed on.
const PIECE: usize = 1 << 18;

impl Pieces<'_> {
    fn hand_on(&mut self) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let done = (self.out)(&self.held);
        self.held.clear();
        done.map_err(|error| {
            self.failed = Some(error);
            io::Error::other("the receiver stopped")
        })
    }
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= PIECE {
            self.hand_on()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes batches of one shape.
pub(super) struct Writer<'a> {
    pieces: Pieces<'a>,
    format: Format,
    /// The Arrow stream's state; its bytes are moved on after each batch.
    stream: Option<StreamWriter<Vec<u8>>>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(format: Format, shape: &Shape, out: Out<'a>) -> Result<Self, Error> {
        let mut writer = Self { pieces: Pieces { out, held: Vec::new(), failed: None }, format, stream: None };
        match format {
            Format::Csv => {
                let empty = flat(&RecordBatch::new_empty(Arc::clone(&shape.schema)))?;
                writer.csv(&empty, true)?;
            }
            Format::NdJson => {}
            Format::Arrow => writer.stream = Some(StreamWriter::try_new(Vec::new(), &shape.schema)?),
        }
        Ok(writer)
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        match self.format {
            Format::Csv => self.csv(&flat(batch)?, false),
            Format::NdJson => {
                let mut json =
                    JsonBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(&mut self.pieces);
                let written = json.write(batch).and_then(|()| json.finish());
                self.checked(written)
            }
            Format::Arrow => {
                let Some(stream) = self.stream.as_mut() else { return Ok(()) };
                stream.write(batch)?;
                let bytes = std::mem::take(stream.get_mut());
                let written = self.pieces.write_all(&bytes).map_err(Into::into);
                self.checked(written)
            }
        }
    }

    pub(super) fn finish(mut self) -> Result<(), Error> {
        if let Some(stream) = self.stream.take() {
            let bytes = stream.into_inner()?;
            let written = self.pieces.write_all(&bytes).map_err(Into::into);
            self.checked(written)?;
        }
        let handed = self.pieces.hand_on().map_err(Into::into);
        self.checked(handed)
    }

    fn csv(&mut self, batch: &RecordBatch, header: bool) -> Result<(), Error> {
        let written = WriterBuilder::new().with_header(header).build(&mut self.pieces).write(batch);
        self.checked(written)
    }

    /// What the receiver raised comes before what its refusal made of the writer.
    fn checked(&mut self, written: Result<(), arrow_schema::ArrowError>) -> Result<(), Error> {
        match self.pieces.failed.take() {
            Some(error) => Err(error),
            None => Ok(written?),
        }
    }
}

/// The batch with its lists as text, numbers separated by blanks: CSV has no lists.
fn flat(batch: &RecordBatch) -> Result<RecordBatch, Error> {
    let is_list = |field: &Field| matches!(field.data_type(), DataType::List(_) | DataType::FixedSizeList(..));
    if !batch.schema_ref().fields().iter().any(|field| is_list(field)) {
        return Ok(batch.clone());
    }
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        if is_list(field) {
            fields.push(field.as_ref().clone().with_data_type(DataType::Utf8));
            columns.push(Arc::new(list_text(column)?.finish()));
        } else {
            fields.push(field.as_ref().clone());
            columns.push(Arc::clone(column));
        }
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}

fn list_text(column: &ArrayRef) -> Result<StringBuilder, Error> {
    let mut text = StringBuilder::new();
    let options = FormatOptions::default();
    for row in 0..column.len() {
        if column.is_null(row) {
            text.append_null();
            continue;
        }
        let values = match column.data_type() {
            DataType::FixedSizeList(..) => column.as_fixed_size_list().value(row),
            _ => column.as_list::<i32>().value(row),
        };
        let values = ArrayFormatter::try_new(&values, &options).map(|format| {
            (0..values.len()).map(|at| format.value(at).to_string()).collect::<Vec<_>>().join(" ")
        })?;
        text.append_value(values);
    }
    Ok(text)
}

