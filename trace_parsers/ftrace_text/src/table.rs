//! One event table on its way to the sink.

use numalens_columns::{Column, DecodeError, EventSink, TableId, TableSpec, argument_name};

use crate::columns::Rows;
use crate::loose::{Word, infer, words};
use crate::rows::{Common, Front};

/// Rows of an unknown event that are looked at before its columns are settled, and bytes of their details.
const LOOK_ROWS: usize = 1000;
const LOOK_BYTES: usize = 256 << 10;

/// One event type.
pub(crate) struct Table {
    pub(crate) front: Front,
    pub(crate) spec: TableSpec,
    pub(crate) rows: Rows,
    pub(crate) id: Option<TableId>,
    pub(crate) count: u64,
    pub(crate) shape: Shape,
}

/// Origin of a table's columns.
pub(crate) enum Shape {
    /// By the catalogue: event, version, slots that are columns, the text that fitted last; `None` when only the names of the fields did.
    Known {
        event: usize,
        version: usize,
        slots: Vec<usize>,
        last: Option<usize>,
    },
    /// By the first rows; they wait here until there are enough of them.
    Waiting {
        rows: Vec<(Common, usize, usize)>,
        bytes: Vec<u8>,
    },
    /// By the first rows, settled: the columns' names.
    Loose { names: Vec<Vec<u8>> },
}

impl Table {
    /// Takes a row of an event that is not known; true when a batch should be taken.
    pub(crate) fn loose(&mut self, common: &Common, details: &[u8], chain: &[u8]) -> bool {
        match &mut self.shape {
            Shape::Waiting { rows, bytes } => {
                let start = bytes.len();
                bytes.extend_from_slice(details);
                bytes.extend_from_slice(chain);
                rows.push((*common, start + details.len(), bytes.len()));
                rows.len() >= LOOK_ROWS || bytes.len() >= LOOK_BYTES
            }
            Shape::Loose { names } => {
                write_loose(self.front, &mut self.rows, names, common, details, chain)
            }
            Shape::Known { .. } => false,
        }
    }

    /// Writes the rows that wait.
    #[cold]
    pub(crate) fn flush(&mut self, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        if let Shape::Waiting { rows, bytes } = &mut self.shape {
            let (rows, bytes) = (std::mem::take(rows), std::mem::take(bytes));
            if rows.is_empty() {
                return Ok(());
            }
            self.settle(&rows, &bytes);
        }
        if self.rows.is_empty() {
            return Ok(());
        }
        let id = match self.id {
            Some(id) => id,
            None => *self.id.insert(sink.open_table(&self.spec)?),
        };
        let batch = self.rows.take()?;
        Ok(sink.write(id, &batch)?)
    }

    /// Settles the columns by the rows that wait, and writes these rows.
    fn settle(&mut self, waiting: &[(Common, usize, usize)], bytes: &[u8]) {
        let starts = std::iter::once(0).chain(waiting.iter().map(|row| row.2));
        let rows: Vec<(&Common, &[u8], &[u8])> = starts
            .zip(waiting)
            .map(|(start, (common, middle, end))| {
                (common, &bytes[start..*middle], &bytes[*middle..*end])
            })
            .collect();
        let own = infer(rows.iter().map(|row| row.1), self.front.syntax());
        let names = own.iter().map(|column| {
            column
                .ctype
                .rsplit(' ')
                .next()
                .unwrap_or_default()
                .as_bytes()
                .to_vec()
        });
        let names: Vec<Vec<u8>> = names.collect();
        let mut columns = self.front.columns();
        for column in own {
            columns.push(Column {
                name: argument_name(&column.name, &columns),
                ..column
            });
        }
        columns.extend(self.front.columns_behind());
        self.spec.columns = columns;
        self.rows = Rows::new(&self.spec);
        for (common, details, chain) in rows {
            write_loose(self.front, &mut self.rows, &names, common, details, chain);
        }
        self.shape = Shape::Loose { names };
    }
}

/// Writes a row by its words; the last of the names is the text's own.
fn write_loose(
    front: Front,
    rows: &mut Rows,
    names: &[Vec<u8>],
    common: &Common,
    details: &[u8],
    chain: &[u8],
) -> bool {
    let first = front.write(rows, common);
    let own = names.len().saturating_sub(1);
    let mut values: Vec<Option<Word<'_>>> = vec![None; own];
    words(details, front.syntax(), |word| {
        if let Some(at) = names[..own].iter().position(|name| name == word.name) {
            values[at] = Some(word);
        }
    });
    for (at, word) in values.iter().enumerate() {
        if rows.is_text(first + at) {
            rows.text(first + at, word.map_or(b"", |word| word.value));
        } else {
            rows.bits(first + at, word.map_or(0, |word| word.bits()));
        }
    }
    rows.text(first + own, details);
    front.end(rows, first + own + 1, chain)
}
