//! Conversion of each field of a format into a column.

use numalens_columns::{Column, ColumnType, argument_name};

use crate::{ArrayLength, EventFormat, FieldFormat, Storage};

/// Position of a column's bytes in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// At a fixed offset, `len` bytes.
    Fixed { offset: usize, len: usize },
    /// From a fixed offset to the record's end.
    Tail { offset: usize },
    /// Through a location word at `offset`; `base` is added to the offset that it holds.
    Dynamic { offset: usize, base: usize },
}

#[derive(Debug, Clone)]
pub(crate) struct FieldPlan {
    pub(crate) place: Place,
    pub(crate) column: Column,
}

/// Plans the columns of an event; `common_type` is left out, it is the table's own number.
pub(crate) fn plan(system: &str, format: &EventFormat, long_size: u8) -> Vec<FieldPlan> {
    let mut plans: Vec<FieldPlan> = Vec::new();
    let last = format.fields.len().saturating_sub(1);
    for (index, field) in format.fields.iter().enumerate() {
        if field.name == "common_type" {
            continue;
        }
        // ftrace's own stack entries declare a fixed caller[8] but are as long as the stack was deep.
        let open_end =
            system == "ftrace" && index == last && matches!(field.array, ArrayLength::Fixed(_));
        let (place, ty) = place_and_type(field, long_size, open_end);
        let taken: Vec<Column> = plans.iter().map(|plan| plan.column.clone()).collect();
        let name = argument_name(&field.name, &taken);
        plans.push(FieldPlan {
            place,
            column: Column {
                name,
                ty,
                ctype: field.declaration.clone(),
            },
        });
    }
    plans
}

fn place_and_type(field: &FieldFormat, long_size: u8, open_end: bool) -> (Place, ColumnType) {
    let element = element_width(&field.element, long_size);
    let sequence = |text: bool| match element {
        _ if text => ColumnType::Text,
        Some(width) => ColumnType::List(field.signed, width),
        None => ColumnType::Bytes,
    };
    let text = is_text(&field.element);
    match field.storage {
        Storage::DataLoc => (
            Place::Dynamic {
                offset: field.offset,
                base: 0,
            },
            sequence(text),
        ),
        Storage::RelLoc => (
            Place::Dynamic {
                offset: field.offset,
                base: field.end(),
            },
            sequence(text),
        ),
        Storage::Inline => {
            let fixed = Place::Fixed {
                offset: field.offset,
                len: field.size,
            };
            match field.array {
                ArrayLength::Open => (
                    Place::Tail {
                        offset: field.offset,
                    },
                    sequence(text),
                ),
                ArrayLength::Fixed(_) if field.size == 0 => (
                    Place::Tail {
                        offset: field.offset,
                    },
                    sequence(text),
                ),
                ArrayLength::Fixed(_) if open_end && !text => (
                    Place::Tail {
                        offset: field.offset,
                    },
                    sequence(false),
                ),
                ArrayLength::Fixed(_) if text => (fixed, ColumnType::Text),
                ArrayLength::Fixed(count) => {
                    let by_count =
                        count.filter(|&n| n > 0 && field.size.is_multiple_of(n as usize));
                    let width = by_count
                        .map_or(element.map(usize::from), |n| Some(field.size / n as usize));
                    match width {
                        Some(width @ (1 | 2 | 4 | 8)) if field.size.is_multiple_of(width) => {
                            let count = (field.size / width) as u32;
                            (fixed, ColumnType::Array(field.signed, width as u8, count))
                        }
                        _ => (fixed, ColumnType::Bytes),
                    }
                }
                ArrayLength::Scalar => match field.size {
                    width @ (1 | 2 | 4 | 8) if field.signed => {
                        (fixed, ColumnType::Int(width as u8))
                    }
                    width @ (1 | 2 | 4 | 8) => (fixed, ColumnType::UInt(width as u8)),
                    _ => (fixed, ColumnType::Bytes),
                },
            }
        }
    }
}

/// `char` and its qualified forms hold text; `u8` and `unsigned char` hold bytes.
fn is_text(element: &str) -> bool {
    let words: Vec<&str> = element
        .split_whitespace()
        .filter(|word| !matches!(*word, "const" | "volatile"))
        .collect();
    words == ["char"]
}

/// Width of an integer type by its C name, bytes; `None` for other types.
fn element_width(element: &str, long_size: u8) -> Option<u8> {
    let words: Vec<&str> = element
        .split_whitespace()
        .filter(|word| !matches!(*word, "const" | "volatile" | "unsigned" | "signed"))
        .collect();
    if element.contains('*') {
        return Some(long_size);
    }
    Some(match words.as_slice() {
        ["char" | "u8" | "__u8" | "s8" | "__s8" | "bool" | "uint8_t" | "int8_t"] => 1,
        ["short", ..]
        | ["u16" | "__u16" | "s16" | "__s16" | "__le16" | "__be16" | "uint16_t" | "int16_t"] => 2,
        []
        | [
            "int" | "u32" | "__u32" | "s32" | "__s32" | "__le32" | "__be32" | "uint32_t"
            | "int32_t" | "pid_t" | "dev_t" | "gfp_t",
        ] => 4,
        [
            "u64" | "__u64" | "s64" | "__s64" | "__le64" | "__be64" | "uint64_t" | "int64_t"
            | "loff_t" | "sector_t",
        ]
        | ["long", "long", ..] => 8,
        ["long", ..]
        | ["size_t" | "ssize_t" | "uintptr_t" | "cpumask_t" | "dynamic_cpumask" | "nodemask_t"] => {
            long_size
        }
        _ => return None,
    })
}
