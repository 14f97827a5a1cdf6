//! The encoded answer to a query.

use numalens_columns::InputError;
use prost::Message;

/// Longest part of an answer that is looked at, bytes. The trace processor sends parts of some 100 KB.
const MAX_PART: usize = 32 << 20;
/// Most columns of an answer.
const MAX_COLUMNS: usize = 512;

/// `QueryResult`, the fields that are needed.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct QueryResult {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(crate) column_names: Vec<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) error: Option<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(crate) batch: Vec<Vec<u8>>,
}

impl QueryResult {
    /// Decodes a part of an answer; an error inside is returned as one.
    pub(crate) fn of(part: &[u8]) -> Result<Self, InputError> {
        const WHAT: &str = "an answer of the trace processor";
        if part.len() > MAX_PART {
            return Err(broken(
                format!("{WHAT} of at most {MAX_PART} bytes"),
                format!("{} bytes", part.len()),
            ));
        }
        let result = Self::decode(part).map_err(|error| undecoded(WHAT, &error))?;
        match result.error.as_ref().filter(|error| !error.is_empty()) {
            None => Ok(result),
            Some(error) => {
                let text = String::from_utf8_lossy(error);
                let last = text.lines().last().unwrap_or_default().trim().to_owned();
                Err(broken("rows", format!("the error {last:?}")))
            }
        }
    }
}

/// `QueryResult.CellsBatch`: the kinds of the cells in order, and the values by kind.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CellsBatch {
    /// A packed list of an enumeration whose values all take one byte.
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) cells: Vec<u8>,
    #[prost(int64, repeated, tag = "2")]
    pub(crate) varint_cells: Vec<i64>,
    #[prost(double, repeated, tag = "3")]
    pub(crate) float64_cells: Vec<f64>,
    #[prost(bytes = "vec", repeated, tag = "4")]
    pub(crate) blob_cells: Vec<Vec<u8>>,
    /// Texts, each with a NUL after it.
    #[prost(bytes = "vec", tag = "5")]
    pub(crate) string_cells: Vec<u8>,
}

impl CellsBatch {
    /// Decodes a batch of rows of `width` cells.
    pub(crate) fn of(bytes: &[u8], width: usize) -> Result<Self, InputError> {
        let batch = Self::decode(bytes).map_err(|error| undecoded("a batch of cells", &error))?;
        if batch.cells.len() % width == 0 {
            Ok(batch)
        } else {
            Err(broken(
                format!("rows of {width} cells"),
                format!("{} cells", batch.cells.len()),
            ))
        }
    }

    /// Returns the number of cells.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Gives the first `most` rows of `width` cells, and checks that all values belong to cells when these are all.
    pub(crate) fn rows<E: From<InputError>>(
        &self,
        width: usize,
        most: usize,
        mut on_row: impl FnMut(&[Cell<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut values = Values::new(self);
        let mut row = Vec::with_capacity(width);
        for kinds in self.cells.chunks_exact(width).take(most) {
            row.clear();
            for &kind in kinds {
                row.push(values.next(kind)?);
            }
            on_row(&row)?;
        }
        if most.saturating_mul(width) >= self.cells.len() {
            values.finish()?;
        }
        Ok(())
    }
}

/// One cell of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'b> {
    /// There is nothing.
    Null,
    /// A whole number.
    Number(i64),
    /// A floating-point number.
    Real(f64),
    /// A text, which need not be UTF-8.
    Text(&'b [u8]),
    /// Bytes.
    Blob(&'b [u8]),
}

impl Cell<'_> {
    /// Returns the type of the cell, for error messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Number(_) => "a number",
            Self::Real(_) => "a fraction",
            Self::Text(_) => "a text",
            Self::Blob(_) => "bytes",
        }
    }
}

/// An answer's error: there is no place in the recording that it belongs to.
pub(crate) fn broken(expected: impl Into<String>, found: impl Into<String>) -> InputError {
    InputError::at_byte(0, expected, found)
}

fn undecoded(expected: &str, error: &prost::DecodeError) -> InputError {
    broken(expected, format!("other bytes ({error})"))
}

/// Decodes a part of an answer and gives its rows of `width` cells to `on_row`.
///
/// Rows never reach over a batch's end. `width` is that of the table; the names of the columns, which the first part
/// has, must be as many.
pub(crate) fn rows<E: From<InputError>>(
    part: &[u8],
    width: usize,
    mut on_row: impl FnMut(&[Cell<'_>]) -> Result<(), E>,
) -> Result<(), E> {
    check_width(width)?;
    let result = QueryResult::of(part)?;
    let names = result.column_names.len();
    if names != 0 && names != width {
        return Err(broken(format!("an answer of {width} columns"), names.to_string()).into());
    }
    for batch in &result.batch {
        CellsBatch::of(batch, width)?.rows(width, usize::MAX, &mut on_row)?;
    }
    Ok(())
}

/// An answer has some columns, and not too many.
pub(crate) fn check_width(width: usize) -> Result<(), InputError> {
    if width == 0 || width > MAX_COLUMNS {
        return Err(broken(
            format!("a table of 1 to {MAX_COLUMNS} columns"),
            format!("{width}"),
        ));
    }
    Ok(())
}

/// Hands out a batch's values one by one.
struct Values<'b> {
    numbers: std::slice::Iter<'b, i64>,
    reals: std::slice::Iter<'b, f64>,
    blobs: std::slice::Iter<'b, Vec<u8>>,
    texts: &'b [u8],
}

impl<'b> Values<'b> {
    fn new(batch: &'b CellsBatch) -> Self {
        Self {
            numbers: batch.varint_cells.iter(),
            reals: batch.float64_cells.iter(),
            blobs: batch.blob_cells.iter(),
            texts: &batch.string_cells,
        }
    }

    fn next(&mut self, kind: u8) -> Result<Cell<'b>, InputError> {
        let cell = match kind {
            1 => Some(Cell::Null),
            2 => self.numbers.next().copied().map(Cell::Number),
            3 => self.reals.next().copied().map(Cell::Real),
            4 => self.text().map(Cell::Text),
            5 => self.blobs.next().map(|blob| Cell::Blob(blob)),
            _ => return Err(broken("a cell of kind 1 to 5", kind.to_string())),
        };
        cell.ok_or_else(|| broken(format!("a value for each cell of kind {kind}"), "too few"))
    }

    fn text(&mut self) -> Option<&'b [u8]> {
        let end = self.texts.iter().position(|&byte| byte == 0)?;
        let (text, rest) = self.texts.split_at(end);
        self.texts = &rest[1..];
        Some(text)
    }

    /// All values belong to cells.
    fn finish(&self) -> Result<(), InputError> {
        let left = self.numbers.len() + self.reals.len() + self.blobs.len() + self.texts.len();
        if left == 0 {
            Ok(())
        } else {
            Err(broken("a cell for each value", "values without a cell"))
        }
    }
}
