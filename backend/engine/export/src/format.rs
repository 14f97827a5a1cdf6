//! Batches as CSV, as lines of JSON, or as an Arrow stream.

use std::io::{self, Write};

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use numalens_bundle::Error;
use numalens_columns::Cell;
use serde::Serializer;

use super::Out;
use super::schema::Shape;

/// The formats of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a line of names.
    Csv,
    /// One JSON object per line.
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
                let fields = shape.schema.fields().iter();
                let mut line = Vec::new();
                let names = fields.map(|field| Cell::Text(field.name()));
                let written =
                    write_csv(&mut line, names).and_then(|()| writer.pieces.write_all(&line));
                writer.checked(written)?;
            }
            Format::NdJson => {}
            Format::Arrow => {
                writer.stream = Some(StreamWriter::try_new(Vec::new(), &shape.schema)?);
            }
        }
        Ok(writer)
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let pieces = &mut self.pieces;
        let mut line = Vec::new();
        let written = match (self.format, &mut self.stream) {
            (Format::Csv, _) => (0..batch.num_rows()).try_for_each(|row| {
                line.clear();
                write_csv(&mut line, cells(batch, row).map(|(_, cell)| cell))?;
                pieces.write_all(&line)
            }),
            (Format::NdJson, _) => (0..batch.num_rows()).try_for_each(|row| {
                line.clear();
                serde_json::Serializer::new(&mut line).collect_map(cells(batch, row))?;
                line.push(b'\n');
                pieces.write_all(&line)
            }),
            (Format::Arrow, Some(stream)) => {
                stream.write(batch)?;
                pieces.write_all(&std::mem::take(stream.get_mut()))
            }
            (Format::Arrow, None) => Ok(()),
        };
        self.checked(written)
    }

    pub(super) fn finish(mut self) -> Result<(), Error> {
        if let Some(stream) = self.stream.take() {
            let bytes = stream.into_inner()?;
            let written = self.pieces.write_all(&bytes);
            self.checked(written)?;
        }
        let handed = self.pieces.hand_on();
        self.checked(handed)
    }

    /// Errors of the receiver have precedence over those that its refusal caused in the writer.
    fn checked(&mut self, written: io::Result<()>) -> Result<(), Error> {
        match self.pieces.failed.take() {
            Some(error) => Err(error),
            None => Ok(written?),
        }
    }
}

/// Values of a row by the names of their columns.
fn cells(batch: &RecordBatch, row: usize) -> impl Iterator<Item = (&str, Cell<'_>)> {
    let columns = batch.schema_ref().fields().iter().zip(batch.columns());
    columns.map(move |(field, column)| (field.name().as_str(), Cell::of(column, row)))
}

/// Writes a line of CSV. CSV has no lists: they are numbers separated by blanks.
fn write_csv<'a>(out: &mut Vec<u8>, cells: impl Iterator<Item = Cell<'a>>) -> io::Result<()> {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        match cell {
            Cell::Text(text) if text.contains(['"', ',', '\n', '\r']) => {
                write!(out, "\"{}\"", text.replace('"', "\"\""))?;
            }
            Cell::List(list) => {
                for (at, one) in Cell::each(&list).enumerate() {
                    write!(out, "{}{one}", if at == 0 { "" } else { " " })?;
                }
            }
            _ => write!(out, "{cell}")?,
        }
    }
    out.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::UInt64Type;
    use arrow_array::{Array, ArrayRef, FixedSizeListArray, Int32Array, ListArray};
    use arrow_schema::{DataType, Field, Schema};

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
