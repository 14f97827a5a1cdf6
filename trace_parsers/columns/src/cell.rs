use std::fmt;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use serde::{Serialize, Serializer};

/// A value of a column, of one of the types that tables have.
///
/// As text, bytes are in base 16, and a list is `[1, 2]`. In JSON, a list is an array.
#[derive(Debug, Clone)]
pub enum Cell<'a> {
    /// No value, or a type that no table has.
    Null,
    /// A truth value.
    Bool(bool),
    /// A signed integer of any width.
    Int(i64),
    /// An unsigned integer of any width.
    Unsigned(u64),
    /// A floating-point number.
    Float(f64),
    /// A text, or the text that a dictionary has for it.
    Text(&'a str),
    /// Bytes that need not be a text.
    Bytes(&'a [u8]),
    /// The values of a list.
    List(ArrayRef),
}

impl<'a> Cell<'a> {
    /// Value of a row.
    ///
    /// # Panics
    /// Panics when the column has no such row.
    #[must_use]
    pub fn of(column: &'a dyn Array, row: usize) -> Self {
        if column.is_null(row) {
            return Self::Null;
        }
        match column.data_type() {
            DataType::Boolean => Self::Bool(column.as_boolean().value(row)),
            DataType::Int8 => Self::Int(column.as_primitive::<Int8Type>().value(row).into()),
            DataType::Int16 => Self::Int(column.as_primitive::<Int16Type>().value(row).into()),
            DataType::Int32 => Self::Int(column.as_primitive::<Int32Type>().value(row).into()),
            DataType::Int64 => Self::Int(column.as_primitive::<Int64Type>().value(row)),
            DataType::UInt8 => Self::Unsigned(column.as_primitive::<UInt8Type>().value(row).into()),
            DataType::UInt16 => {
                Self::Unsigned(column.as_primitive::<UInt16Type>().value(row).into())
            }
            DataType::UInt32 => {
                Self::Unsigned(column.as_primitive::<UInt32Type>().value(row).into())
            }
            DataType::UInt64 => Self::Unsigned(column.as_primitive::<UInt64Type>().value(row)),
            DataType::Float64 => Self::Float(column.as_primitive::<Float64Type>().value(row)),
            DataType::Utf8 => Self::Text(column.as_string::<i32>().value(row)),
            DataType::Binary => Self::Bytes(column.as_binary::<i32>().value(row)),
            DataType::List(_) => Self::List(column.as_list::<i32>().value(row)),
            DataType::FixedSizeList(..) => Self::List(column.as_fixed_size_list().value(row)),
            DataType::Dictionary(..) => {
                let dictionary = column.as_any_dictionary();
                match Cell::of(dictionary.keys(), row) {
                    Cell::Int(key) => Cell::of(dictionary.values(), key as usize),
                    Cell::Unsigned(key) => Cell::of(dictionary.values(), key as usize),
                    _ => Self::Null,
                }
            }
            _ => Self::Null,
        }
    }

    /// Values of a list.
    pub fn each(list: &dyn Array) -> impl Iterator<Item = Cell<'_>> {
        (0..list.len()).map(|row| Cell::of(list, row))
    }
}

impl fmt::Display for Cell<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Bool(value) => write!(out, "{value}"),
            Self::Int(value) => write!(out, "{value}"),
            Self::Unsigned(value) => write!(out, "{value}"),
            Self::Float(value) => write!(out, "{value:?}"),
            Self::Text(text) => out.write_str(text),
            Self::Bytes(bytes) => bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}")),
            Self::List(list) => {
                out.write_str("[")?;
                for (at, cell) in Cell::each(list).enumerate() {
                    write!(out, "{}{cell}", if at == 0 { "" } else { ", " })?;
                }
                out.write_str("]")
            }
        }
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Unsigned(value) => serializer.serialize_u64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Bytes(_) => serializer.collect_str(self),
            Self::List(list) => serializer.collect_seq(Cell::each(list)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        BinaryArray, BooleanArray, DictionaryArray, FixedSizeListArray, Float64Array, Int8Array,
        ListArray, NullArray, StringArray, UInt64Array,
    };

    use super::*;

    #[test]
    fn values_are_texts() {
        let words: DictionaryArray<Int32Type> =
            [Some("idle"), None, Some("task")].into_iter().collect();
        let list = ListArray::from_iter_primitive::<UInt64Type, _, _>([Some([Some(7), None])]);
        let pair = FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(
            [Some([Some(-1), Some(2)])],
            2,
        );
        let columns: [(ArrayRef, &str); 10] = [
            (Arc::new(BooleanArray::from(vec![true])), "true"),
            (Arc::new(Int8Array::from(vec![-3])), "-3"),
            (
                Arc::new(UInt64Array::from(vec![u64::MAX])),
                "18446744073709551615",
            ),
            (Arc::new(Float64Array::from(vec![1.0])), "1.0"),
            (Arc::new(StringArray::from(vec!["a,b"])), "a,b"),
            (Arc::new(BinaryArray::from(vec![&[0, 255][..]])), "00ff"),
            (Arc::new(list), "[7, ]"),
            (Arc::new(pair), "[-1, 2]"),
            (Arc::new(NullArray::new(1)), ""),
            (Arc::new(words.slice(2, 1)), "task"),
        ];
        for (column, text) in columns {
            assert_eq!(Cell::of(&column, 0).to_string(), text);
        }
        assert!(matches!(Cell::of(&words, 1), Cell::Null));
    }
}
