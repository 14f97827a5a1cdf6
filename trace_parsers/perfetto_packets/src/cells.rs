//! A batch's columns, some rows at a time as the numbers that are written.

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::DataType;

/// A column of whole numbers.
#[derive(Debug)]
pub(crate) enum Numbers {
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
}

impl Numbers {
    fn of(column: &ArrayRef) -> Option<Self> {
        Some(match column.data_type() {
            DataType::Int8 => Self::I8(column.as_primitive::<Int8Type>().values().clone()),
            DataType::Int16 => Self::I16(column.as_primitive::<Int16Type>().values().clone()),
            DataType::Int32 => Self::I32(column.as_primitive::<Int32Type>().values().clone()),
            DataType::Int64 => Self::I64(column.as_primitive::<Int64Type>().values().clone()),
            DataType::UInt8 => Self::U8(column.as_primitive::<UInt8Type>().values().clone()),
            DataType::UInt16 => Self::U16(column.as_primitive::<UInt16Type>().values().clone()),
            DataType::UInt32 => Self::U32(column.as_primitive::<UInt32Type>().values().clone()),
            DataType::UInt64 => Self::U64(column.as_primitive::<UInt64Type>().values().clone()),
            _ => return None,
        })
    }

    /// Puts the numbers of the rows from `from` on, signed ones as their 64 bits, into each `step`th place of `out`.
    fn put(&self, from: usize, out: &mut [u64], step: usize) {
        fn each<T: Copy>(values: &[T], out: &mut [u64], step: usize, wide: impl Fn(T) -> u64) {
            for (place, &value) in out.iter_mut().step_by(step).zip(values) {
                *place = wide(value);
            }
        }
        match self {
            Self::I8(values) => each(&values[from..], out, step, |value| i64::from(value) as u64),
            Self::I16(values) => each(&values[from..], out, step, |value| i64::from(value) as u64),
            Self::I32(values) => each(&values[from..], out, step, |value| i64::from(value) as u64),
            Self::I64(values) => each(&values[from..], out, step, |value| value as u64),
            Self::U8(values) => each(&values[from..], out, step, u64::from),
            Self::U16(values) => each(&values[from..], out, step, u64::from),
            Self::U32(values) => each(&values[from..], out, step, u64::from),
            Self::U64(values) => each(&values[from..], out, step, |value| value),
        }
    }

    fn text(&self, row: usize) -> String {
        match self {
            Self::I8(values) => values[row].to_string(),
            Self::I16(values) => values[row].to_string(),
            Self::I32(values) => values[row].to_string(),
            Self::I64(values) => values[row].to_string(),
            Self::U8(values) => values[row].to_string(),
            Self::U16(values) => values[row].to_string(),
            Self::U32(values) => values[row].to_string(),
            Self::U64(values) => values[row].to_string(),
        }
    }
}

/// A column of texts: where each begins and the last ends, and all of them.
#[derive(Debug)]
pub(crate) struct Texts {
    offsets: ScalarBuffer<i32>,
    bytes: Buffer,
    /// Bytes of the longest.
    pub(crate) longest: usize,
}

impl Texts {
    fn new(offsets: ScalarBuffer<i32>, bytes: Buffer) -> Self {
        let lengths = offsets.windows(2).map(|pair| pair[1] - pair[0]);
        let longest = lengths.max().unwrap_or(0) as usize;
        Self {
            offsets,
            bytes,
            longest,
        }
    }

    /// Texts as they are, bytes as hexadecimal digits, arrays as `1,2,3`.
    fn of(column: &ArrayRef) -> Self {
        if let Some(texts) = column.as_string_opt::<i32>() {
            return Self::new(texts.offsets().inner().clone(), texts.values().clone());
        }
        let mut text = String::new();
        let mut offsets = vec![0];
        for row in 0..column.len() {
            if let Some(values) = column.as_binary_opt::<i32>() {
                for byte in values.value(row) {
                    let _ = write!(text, "{byte:02x}");
                }
            } else {
                text.push_str(&listed(column, row));
            }
            offsets.push(text.len() as i32);
        }
        Self::new(offsets.into(), Buffer::from_vec(text.into_bytes()))
    }

    #[inline]
    pub(crate) fn text(&self, row: usize) -> &[u8] {
        &self.bytes[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }
}

/// The numbers of an array; nothing for a type that no event has today.
fn listed(column: &ArrayRef, row: usize) -> String {
    let items = if let Some(lists) = column.as_list_opt::<i32>() {
        lists.value(row)
    } else if let Some(lists) = column.as_fixed_size_list_opt() {
        lists.value(row)
    } else {
        return String::new();
    };
    let Some(numbers) = Numbers::of(&items) else {
        return String::new();
    };
    let texts = (0..items.len()).map(|at| numbers.text(at));
    texts.collect::<Vec<_>>().join(",")
}

/// A field of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cell {
    /// The place among a row's numbers.
    Number(usize),
    /// The place among the columns of texts.
    Text(usize),
}

/// The columns that are written.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    numbers: Vec<Numbers>,
    pub(crate) texts: Vec<Texts>,
    /// The numbers of some rows, row by row.
    block: Vec<u64>,
    /// The rows of the block.
    from: usize,
    end: usize,
    rows: usize,
}

impl Cells {
    /// Rows of a block: as many as stay near while other tables' rows are written.
    const BLOCK: usize = 64;

    pub(crate) fn new(rows: usize) -> Self {
        Self {
            rows,
            ..Self::default()
        }
    }

    pub(crate) fn push(&mut self, column: &ArrayRef) -> Cell {
        if let Some(numbers) = Numbers::of(column) {
            self.numbers.push(numbers);
            return Cell::Number(self.numbers.len() - 1);
        }
        self.texts.push(Texts::of(column));
        Cell::Text(self.texts.len() - 1)
    }

    /// Gets the numbers of a row, and of some after it, ready.
    #[inline]
    pub(crate) fn load(&mut self, row: usize) {
        if row < self.from || row >= self.end {
            self.fill(row);
        }
    }

    /// The numbers of a row that was loaded last.
    #[inline]
    pub(crate) fn numbers(&self, row: usize) -> &[u64] {
        let at = (row - self.from) * self.numbers.len();
        &self.block[at..at + self.numbers.len()]
    }

    fn fill(&mut self, row: usize) {
        let step = self.numbers.len();
        self.from = row;
        self.end = (row + Self::BLOCK).min(self.rows);
        self.block.resize((self.end - row) * step, 0);
        for (at, numbers) in self.numbers.iter().enumerate() {
            numbers.put(row, &mut self.block[at..], step);
        }
    }
}
