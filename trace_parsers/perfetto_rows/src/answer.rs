//! The answer to any query: its columns and what they hold, and its rows up to a limit.

use numalens_columns::InputError;

use crate::result::{Cell, CellsBatch, QueryResult, broken, check_width};

/// Type of a column's values; nulls do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// There are none.
    Empty,
    /// Whole numbers.
    Integer,
    /// Floating-point numbers.
    Real,
    /// Texts.
    Text,
    /// Bytes.
    Blob,
    /// More than one of these.
    Mixed,
}

impl Kind {
    /// The kind's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Integer => "integer",
            Self::Real => "real",
            Self::Text => "text",
            Self::Blob => "blob",
            Self::Mixed => "mixed",
        }
    }

    fn of(cell: Cell<'_>) -> Self {
        match cell {
            Cell::Null => Self::Empty,
            Cell::Number(_) => Self::Integer,
            Cell::Real(_) => Self::Real,
            Cell::Text(_) => Self::Text,
            Cell::Blob(_) => Self::Blob,
        }
    }

    /// The kind of a column that has values of both.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (kind, Self::Empty) | (Self::Empty, kind) => kind,
            (a, b) if a == b => a,
            _ => Self::Mixed,
        }
    }
}

/// Takes an answer part by part and keeps its first rows.
#[derive(Debug)]
pub struct Answer {
    columns: Vec<(String, Kind)>,
    /// Batches, and how many of their rows count.
    batches: Vec<(CellsBatch, usize)>,
    rows: usize,
    bytes: usize,
    max_rows: usize,
    max_bytes: usize,
    truncated: bool,
}

impl Answer {
    /// An answer of at most `max_rows` rows, in batches of at most `max_bytes` encoded bytes together; the first batch is
    /// kept whatever its length.
    #[must_use]
    pub fn new(max_rows: usize, max_bytes: usize) -> Self {
        Self {
            columns: Vec::new(),
            batches: Vec::new(),
            rows: 0,
            bytes: 0,
            max_rows,
            max_bytes,
            truncated: false,
        }
    }

    /// Takes the next part. False when there are more rows than are kept, so that no further part is of use.
    ///
    /// # Errors
    ///
    /// Bytes that are not part of an answer.
    pub fn take(&mut self, part: &[u8]) -> Result<bool, InputError> {
        let result = QueryResult::of(part)?;
        if !result.column_names.is_empty() {
            if !self.columns.is_empty() {
                return Err(broken("the names of the columns once", "them again"));
            }
            check_width(result.column_names.len())?;
            let name = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
            self.columns = result
                .column_names
                .iter()
                .map(|bytes| (name(bytes), Kind::Empty))
                .collect();
        }
        for batch in &result.batch {
            if self.truncated {
                break;
            }
            self.keep(batch)?;
        }
        Ok(!self.truncated)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), InputError> {
        let width = self.columns.len();
        if width == 0 {
            // What is no query has an empty batch and no columns.
            return match CellsBatch::of(bytes, 1)?.len() {
                0 => Ok(()),
                cells => Err(broken("names of columns", format!("{cells} cells"))),
            };
        }
        let batch = CellsBatch::of(bytes, width)?;
        let there = batch.len() / width;
        let kept = there.min(self.max_rows - self.rows);
        if self.rows > 0 && there > 0 && bytes.len() > self.max_bytes.saturating_sub(self.bytes) {
            self.truncated = true;
            return Ok(());
        }
        let columns = &mut self.columns;
        batch.rows(width, kept, |row| {
            for ((_, kind), &cell) in columns.iter_mut().zip(row) {
                *kind = kind.and(Kind::of(cell));
            }
            Ok::<_, InputError>(())
        })?;
        self.truncated = kept < there;
        self.rows += kept;
        self.bytes += bytes.len();
        if kept > 0 {
            self.batches.push((batch, kept));
        }
        Ok(())
    }

    /// Names of the columns in order, and the kind of the values that are kept.
    #[must_use]
    pub fn columns(&self) -> &[(String, Kind)] {
        &self.columns
    }

    /// Number of kept rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns whether there were more rows.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// Gives each row that is kept, in order.
    ///
    /// # Errors
    ///
    /// What `on_row` returns.
    pub fn each<E: From<InputError>>(
        &self,
        mut on_row: impl FnMut(&[Cell<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        for (batch, kept) in &self.batches {
            batch.rows(self.columns.len(), *kept, &mut on_row)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;

    /// A part of an answer: names of columns, and batches of kinds and numbers.
    fn part(names: &[&str], batches: &[(&[u8], &[i64])]) -> Vec<u8> {
        QueryResult {
            column_names: names.iter().map(|name| name.as_bytes().to_vec()).collect(),
            batch: batches
                .iter()
                .map(|(cells, numbers)| {
                    CellsBatch {
                        cells: cells.to_vec(),
                        varint_cells: numbers.to_vec(),
                        ..CellsBatch::default()
                    }
                    .encode_to_vec()
                })
                .collect(),
            ..QueryResult::default()
        }
        .encode_to_vec()
    }

    fn rows(answer: &Answer) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        answer
            .each(|row| {
                found.push(row.iter().map(|cell| format!("{cell:?}")).collect());
                Ok::<_, InputError>(())
            })
            .expect("rows that were taken");
        found
    }

    #[test]
    fn rows_come_from_all_parts() {
        let mut answer = Answer::new(10, 1000);
        assert!(
            answer
                .take(&part(&["a", "b"], &[(&[2, 1], &[7])]))
                .expect("a part")
        );
        assert!(
            answer
                .take(&part(&[], &[(&[2, 2], &[i64::MIN, i64::MAX])]))
                .expect("another")
        );
        assert_eq!(answer.rows(), 2);
        assert!(!answer.truncated());
        let kinds = [
            ("a".to_owned(), Kind::Integer),
            ("b".to_owned(), Kind::Integer),
        ];
        assert_eq!(answer.columns(), kinds);
        assert_eq!(
            rows(&answer),
            [
                vec!["Number(7)".to_owned(), "Null".to_owned()],
                vec![
                    format!("Number({})", i64::MIN),
                    format!("Number({})", i64::MAX)
                ],
            ]
        );
    }

    #[test]
    fn rows_beyond_the_limit_are_counted_and_not_kept() {
        let mut answer = Answer::new(2, 1000);
        assert!(
            !answer
                .take(&part(&["a"], &[(&[2, 2, 2], &[1, 2, 3])]))
                .expect("a part")
        );
        assert_eq!((answer.rows(), answer.truncated()), (2, true));
        assert_eq!(rows(&answer), [["Number(1)"], ["Number(2)"]]);
        // A limit that is met exactly cuts nothing, until one more row comes.
        let mut answer = Answer::new(3, 1000);
        assert!(
            answer
                .take(&part(&["a"], &[(&[2, 2, 2], &[1, 2, 3])]))
                .expect("a part")
        );
        assert!(
            answer
                .take(&part(&[], &[(&[], &[])]))
                .expect("an empty one")
        );
        assert!(!answer.take(&part(&[], &[(&[1], &[])])).expect("one more"));
        assert_eq!((answer.rows(), answer.truncated()), (3, true));
        // A kind that only a row beyond the limit has is none of the answer's.
        assert_eq!(answer.columns()[0].1, Kind::Integer);
    }

    #[test]
    fn bytes_beyond_the_limit_are_not_kept_but_the_first_batch_is() {
        let wide = [2; 40];
        let mut answer = Answer::new(1000, 10);
        assert!(
            answer
                .take(&part(&["a"], &[(&wide, &[1; 40])]))
                .expect("a part")
        );
        assert!(!answer.take(&part(&[], &[(&[2], &[1])])).expect("another"));
        assert_eq!((answer.rows(), answer.truncated()), (40, true));
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let refused: [&[Vec<u8>]; 5] = [
            &[b"\xff".to_vec()],
            &[part(&[], &[(&[2], &[1])])],
            &[part(&["a", "b"], &[(&[2], &[1])])],
            &[part(&["a"], &[(&[2], &[])])],
            &[part(&["a"], &[]), part(&["a"], &[])],
        ];
        for parts in refused {
            let mut answer = Answer::new(10, 1000);
            let taken: Result<Vec<bool>, _> = parts.iter().map(|part| answer.take(part)).collect();
            assert!(taken.is_err(), "{parts:?}");
        }
    }

    #[test]
    fn a_statement_that_is_no_query_has_no_rows() {
        let mut answer = Answer::new(10, 1000);
        assert!(answer.take(&part(&[], &[(&[], &[])])).expect("a part"));
        assert_eq!((answer.rows(), answer.columns().len()), (0, 0));
    }

    #[test]
    fn kinds_of_all_rows_make_the_column_s() {
        let cases: [(&[u8], &[i64], Kind); 3] = [
            (&[1, 1], &[], Kind::Empty),
            (&[1, 2], &[5], Kind::Integer),
            (&[2, 2], &[5, 6], Kind::Integer),
        ];
        for (cells, numbers, kind) in cases {
            let mut answer = Answer::new(10, 1000);
            answer
                .take(&part(&["a"], &[(cells, numbers)]))
                .expect("a part");
            assert_eq!(answer.columns()[0].1, kind);
        }
        assert_eq!(Kind::Integer.and(Kind::Text), Kind::Mixed);
        assert_eq!(Kind::Mixed.and(Kind::Empty), Kind::Mixed);
        assert_eq!(Kind::Empty.and(Kind::Blob), Kind::Blob);
    }
}
