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
use numalens_bundle::Error;

use super::Out;
use super::schema::Shape;

/// The formats of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a line of names.
    Csv,
    /// A JSON object a line.
    NdJson,
    /// An Arrow IPC stream.
    Arrow,
}

impl Format {
    /// By its name: `csv`, `ndjson`, `arrow`.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
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

/// The size of the pieces that are handed on, all but the last: pieces wait for clients that read slowly.
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
        let taken = bytes.len().min(PIECE - self.held.len());
        self.held.extend_from_slice(&bytes[..taken]);
        if self.held.len() == PIECE {
            self.hand_on()?;
        }
        Ok(taken)
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
        let mut writer = Self {
            pieces: Pieces {
                out,
                held: Vec::new(),
                failed: None,
            },
            format,
            stream: None,
        };
        match format {
            Format::Csv => {
                let empty = flat(&RecordBatch::new_empty(Arc::clone(&shape.schema)))?;
                writer.csv(&empty, true)?;
            }
            Format::NdJson => {}
            Format::Arrow => {
                writer.stream = Some(StreamWriter::try_new(Vec::new(), &shape.schema)?);
            }
        }
        Ok(writer)
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        match self.format {
            Format::Csv => self.csv(&flat(batch)?, false),
            Format::NdJson => {
                let mut json = JsonBuilder::new()
                    .with_explicit_nulls(true)
                    .build::<_, LineDelimited>(&mut self.pieces);
                let written = json.write(batch).and_then(|()| json.finish());
                self.checked(written)
            }
            Format::Arrow => {
                let Some(stream) = self.stream.as_mut() else {
                    return Ok(());
                };
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
        let written = WriterBuilder::new()
            .with_header(header)
            .build(&mut self.pieces)
            .write(batch);
        self.checked(written)
    }

    /// Errors of the receiver have precedence over those that its refusal caused in the writer.
    fn checked(&mut self, written: Result<(), arrow_schema::ArrowError>) -> Result<(), Error> {
        match self.pieces.failed.take() {
            Some(error) => Err(error),
            None => Ok(written?),
        }
    }
}

/// The batch with its lists as text, numbers separated by blanks: CSV has no lists.
fn flat(batch: &RecordBatch) -> Result<RecordBatch, Error> {
    let is_list = |field: &Field| {
        matches!(
            field.data_type(),
            DataType::List(_) | DataType::FixedSizeList(..)
        )
    };
    if !batch
        .schema_ref()
        .fields()
        .iter()
        .any(|field| is_list(field))
    {
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
    Ok(RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns,
    )?)
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
            (0..values.len())
                .map(|at| format.value(at).to_string())
                .collect::<Vec<_>>()
                .join(" ")
        })?;
        text.append_value(values);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use arrow_array::types::UInt64Type;
    use arrow_array::{FixedSizeListArray, Int32Array, ListArray};

    use super::*;

    fn lists() -> RecordBatch {
        let masks = [Some(vec![Some(7), Some(1 << 40)]), Some(vec![]), None];
        let masks = ListArray::from_iter_primitive::<UInt64Type, _, _>(masks);
        let pairs = [
            Some(vec![Some(-1), Some(2)]),
            None,
            Some(vec![Some(0), Some(3)]),
        ];
        let pairs = FixedSizeListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>(
            pairs, 2,
        );
        let fields = vec![
            Field::new("cpu", DataType::Int32, false),
            Field::new("cpumask", masks.data_type().clone(), true),
            Field::new("pair", pairs.data_type().clone(), true),
        ];
        let cpus = Int32Array::from(vec![1, 2, 3]);
        let columns: Vec<ArrayRef> = vec![Arc::new(cpus), Arc::new(masks), Arc::new(pairs)];
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("a batch")
    }

    fn written(format: Format) -> String {
        let batch = lists();
        let shape = Shape {
            schema: batch.schema(),
        };
        let mut bytes = Vec::new();
        let mut out = |piece: &[u8]| {
            bytes.extend_from_slice(piece);
            Ok(())
        };
        let mut writer = Writer::new(format, &shape, &mut out).expect("a writer");
        writer.write(&batch).expect("a batch");
        writer.finish().expect("the end");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn lists_are_text_in_csv() {
        assert_eq!(
            written(Format::Csv),
            "cpu,cpumask,pair\n1,7 1099511627776,-1 2\n2,,\n3,,0 3\n"
        );
    }

    #[test]
    fn lists_are_arrays_in_json() {
        assert_eq!(
            written(Format::NdJson).lines().next(),
            Some(r#"{"cpu":1,"cpumask":[7,1099511627776],"pair":[-1,2]}"#)
        );
    }

    #[test]
    fn a_receiver_that_fails_is_reported() {
        let shape = Shape {
            schema: lists().schema(),
        };
        let mut out = |_: &[u8]| Err(Error::Missing("gone".to_owned()));
        let mut writer = Writer::new(Format::Csv, &shape, &mut out).expect("a writer");
        writer.write(&lists()).expect("few bytes are held back");
        assert!(matches!(writer.finish(), Err(Error::Missing(_))));
    }
}
