//! Lines of `trace_printk`: their text in a column `buf`, as lines of `trace_marker` have it.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use numalens_columns::{Column, ColumnType, Functions, TableSpec};
use numalens_event_format::Endian;
use numalens_event_format::printk::{Printk, text};

/// The column of the text.
const TEXT: &str = "buf";

/// Inputs for the text of a kind of line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Printed {
    /// `bprint`: a format and packed arguments.
    Arguments,
    /// `bputs`: a format that is the text.
    Whole,
}

/// Inputs for all lines of a recording.
pub(crate) struct Lines {
    pub(crate) formats: Printk,
    pub(crate) functions: Functions,
    pub(crate) endian: Endian,
    pub(crate) long_size: u8,
}

impl Printed {
    /// Returns the conversion of a table, and its new columns.
    pub(crate) fn of(spec: &TableSpec) -> Option<(Self, TableSpec)> {
        if spec.system != "ftrace" {
            return None;
        }
        let at = |name: &str| spec.columns.iter().position(|column| column.name == name);
        let address = |name| {
            at(name).is_some_and(|at| matches!(spec.columns[at].ty, ColumnType::UInt(4 | 8)))
        };
        let mut changed = spec.clone();
        match spec.event.as_str() {
            "bprint" if address("fmt") => {
                let column = changed.columns.get_mut(at(TEXT)?)?;
                if column.ty != ColumnType::List(false, 4) {
                    return None;
                }
                column.ty = ColumnType::Text;
                Some((Self::Arguments, changed))
            }
            "bputs" if address("str") && at(TEXT).is_none() => {
                changed.columns.push(Column {
                    name: TEXT.to_owned(),
                    ty: ColumnType::Text,
                    ctype: "char buf[]".to_owned(),
                });
                Some((Self::Whole, changed))
            }
            _ => None,
        }
    }

    /// The batch with its texts.
    pub(crate) fn apply(
        self,
        spec: &TableSpec,
        batch: &RecordBatch,
        lines: &Lines,
    ) -> Result<RecordBatch, ArrowError> {
        let schema = spec.schema();
        let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
        let address = |name: &str| -> Vec<u64> {
            let Some(column) = batch.column_by_name(name) else {
                return Vec::new();
            };
            if let Some(long) = column.as_primitive_opt::<UInt64Type>() {
                return long.values().to_vec();
            }
            let short = column.as_primitive_opt::<UInt32Type>();
            short.map_or_else(Vec::new, |short| {
                short.values().iter().map(|&at| u64::from(at)).collect()
            })
        };
        let at = schema.index_of(TEXT)?;
        match self {
            Self::Arguments => {
                let arguments = batch.column(at).as_list::<i32>();
                let texts = address("fmt").into_iter().enumerate().map(|(row, format)| {
                    let words = arguments.value(row);
                    let words = words.as_primitive::<UInt32Type>().values();
                    // As they were in the record: they are no numbers, but whatever the format says.
                    let bytes: Vec<u8> = words
                        .iter()
                        .flat_map(|word| match lines.endian {
                            Endian::Little => word.to_le_bytes(),
                            Endian::Big => word.to_be_bytes(),
                        })
                        .collect();
                    lines.text(format, &bytes)
                });
                columns[at] = Arc::new(StringArray::from_iter_values(texts));
            }
            Self::Whole => {
                let texts = address("str").into_iter();
                let texts = texts.map(|format| lines.whole(format));
                columns.push(Arc::new(StringArray::from_iter_values(texts)));
            }
        }
        RecordBatch::try_new(schema, columns)
    }
}

impl Lines {
    fn text(&self, format: u64, arguments: &[u8]) -> String {
        let Some(known) = self.formats.format(format) else {
            return unknown(format);
        };
        let mut function = |address, inside| self.functions.name(address, inside);
        text(known, arguments, self.endian, self.long_size, &mut function)
    }

    fn whole(&self, format: u64) -> String {
        let Some(known) = self.formats.format(format) else {
            return unknown(format);
        };
        let known = known.strip_suffix(b"\n").unwrap_or(known);
        String::from_utf8_lossy(known).into_owned()
    }
}

/// The recorder lists formats when it ends; those of a module that is gone by then are not there.
fn unknown(format: u64) -> String {
    format!("[the recording has no format {format:#x}]")
}
