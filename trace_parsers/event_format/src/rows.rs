//! Raw records of one event type, collected as rows and turned into columns a chunk at a time.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, BinaryArray, FixedSizeListArray, ListArray, PrimitiveArray, RecordBatch, StringArray,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use numalens_columns::{Column, ColumnType, TableSpec, argument_name};

use crate::plan::{FieldPlan, Place, plan};
use crate::{Endian, EventFormat};

/// Rows per batch at most.
const MAX_ROWS: usize = 8 * 1024;
/// Raw bytes per batch at most; bounds memory where records are long.
const MAX_BYTES: usize = 1 << 20;

/// Raw records of one event type on their way into columns.
///
/// Appending copies the record's bytes once. [`RowBuffer::take`] then walks the rows once per column, which keeps the
/// work per field down to a load and a store.
#[derive(Debug)]
pub struct RowBuffer {
    spec: TableSpec,
    schema: SchemaRef,
    plans: Vec<FieldPlan>,
    endian: Endian,
    ts: Vec<u64>,
    cpu: Vec<u32>,
    seq: Vec<u64>,
    buffer: Vec<u8>,
    bytes: Vec<u8>,
    ends: Vec<u32>,
    list: Option<ListColumn>,
}

/// A column that does not come from the record: a list of u64 per row, in the recording's byte order.
#[derive(Debug)]
struct ListColumn {
    bytes: Vec<u8>,
    /// End of each row's list, in elements.
    ends: Vec<i32>,
}

impl RowBuffer {
    /// A buffer for one event type. `long_size` is the traced kernel's, in bytes.
    #[must_use]
    pub fn new(system: &str, format: &EventFormat, endian: Endian, long_size: u8) -> Self {
        let plans = plan(system, format, long_size);
        let spec = TableSpec {
            system: system.to_owned(),
            event: format.name.clone(),
            id: format.id,
            print_fmt: format.print_fmt.clone(),
            columns: plans.iter().map(|plan| plan.column.clone()).collect(),
        };
        let schema = spec.schema();
        Self {
            spec,
            schema,
            plans,
            endian,
            ts: Vec::new(),
            cpu: Vec::new(),
            seq: Vec::new(),
            buffer: Vec::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
            list: None,
        }
    }

    /// Adds a last column that holds a list of u64 per row, see [`RowBuffer::push_with_list`].
    #[must_use]
    pub fn with_list(mut self, name: &str, ctype: &str) -> Self {
        self.spec.columns.push(Column {
            name: argument_name(name, &self.spec.columns),
            ty: ColumnType::List(false, 8),
            ctype: ctype.to_owned(),
        });
        self.schema = self.spec.schema();
        self.list = Some(ListColumn {
            bytes: Vec::new(),
            ends: vec![0],
        });
        self
    }

    /// The table's shape.
    #[must_use]
    pub fn spec(&self) -> &TableSpec {
        &self.spec
    }

    /// Appends one record: time in ns, recording CPU, rank, buffer index, raw bytes from `common_type` on.
    /// True when the buffer is full and should be taken.
    #[inline]
    pub fn push(&mut self, ts_ns: u64, cpu: u32, seq: u64, buffer: u8, record: &[u8]) -> bool {
        self.ts.push(ts_ns);
        self.cpu.push(cpu);
        self.seq.push(seq);
        self.buffer.push(buffer);
        self.bytes.extend_from_slice(record);
        self.ends.push(self.bytes.len() as u32);
        self.ends.len() >= MAX_ROWS || self.bytes.len() >= MAX_BYTES
    }

    /// Appends one record as [`RowBuffer::push`] does, and the row's list: u64s in the recording's byte order. Only
    /// for a buffer made [`RowBuffer::with_list`], where every row must come this way.
    #[inline]
    pub fn push_with_list(
        &mut self,
        ts_ns: u64,
        cpu: u32,
        seq: u64,
        buffer: u8,
        record: &[u8],
        list: &[u8],
    ) -> bool {
        let mut full = false;
        if let Some(column) = &mut self.list {
            let whole = list.len() - list.len() % 8;
            column.bytes.extend_from_slice(&list[..whole]);
            column.ends.push((column.bytes.len() / 8) as i32);
            full = column.bytes.len() >= MAX_BYTES;
        }
        self.push(ts_ns, cpu, seq, buffer, record) || full
    }

    /// Returns whether there are no pending rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The rows collected so far as one batch; the buffer is empty afterwards.
    ///
    /// # Errors
    /// Arrow refuses the columns; that would be a defect of this crate.
    pub fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(4 + self.plans.len());
        columns.push(taken::<UInt64Type>(&mut self.ts));
        columns.push(taken::<UInt32Type>(&mut self.cpu));
        columns.push(taken::<UInt64Type>(&mut self.seq));
        columns.push(taken::<UInt8Type>(&mut self.buffer));
        for plan in &self.plans {
            columns.push(self.column(plan)?);
        }
        if let Some(list) = &mut self.list {
            let ends = std::mem::replace(&mut list.ends, vec![0]);
            let bytes = std::mem::take(&mut list.bytes);
            columns.push(list_array(ends, self.integers(&bytes, false, 8))?);
        }
        self.bytes.clear();
        self.ends.clear();
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }

    fn records(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let record = self
                .bytes
                .get(start as usize..end as usize)
                .unwrap_or_default();
            start = end;
            record
        })
    }

    fn column(&self, plan: &FieldPlan) -> Result<ArrayRef, ArrowError> {
        let (endian, place) = (self.endian, plan.place);
        Ok(match plan.column.ty {
            ColumnType::UInt(1) => self.scalars::<UInt8Type>(place, |b, at| endian.u8(b, at)),
            ColumnType::UInt(2) => self.scalars::<UInt16Type>(place, |b, at| endian.u16(b, at)),
            ColumnType::UInt(4) => self.scalars::<UInt32Type>(place, |b, at| endian.u32(b, at)),
            ColumnType::UInt(_) => self.scalars::<UInt64Type>(place, |b, at| endian.u64(b, at)),
            ColumnType::Int(1) => self.scalars::<Int8Type>(place, |b, at| endian.i8(b, at)),
            ColumnType::Int(2) => self.scalars::<Int16Type>(place, |b, at| endian.i16(b, at)),
            ColumnType::Int(4) => self.scalars::<Int32Type>(place, |b, at| endian.i32(b, at)),
            ColumnType::Int(_) => self.scalars::<Int64Type>(place, |b, at| endian.i64(b, at)),
            ColumnType::Text => self.text(place)?,
            ColumnType::Bytes => self.binary(place)?,
            ColumnType::Array(signed, width, count) => self.array(place, signed, width, count)?,
            ColumnType::List(signed, width) => self.list(place, signed, width)?,
        })
    }

    fn scalars<T: ArrowPrimitiveType>(
        &self,
        place: Place,
        read: impl Fn(&[u8], usize) -> T::Native,
    ) -> ArrayRef {
        let (Place::Fixed { offset, .. } | Place::Tail { offset } | Place::Dynamic { offset, .. }) =
            place;
        let values: Vec<T::Native> = self.records().map(|record| read(record, offset)).collect();
        Arc::new(PrimitiveArray::<T>::new(values.into(), None))
    }

    /// The bytes of a field in one record; empty where the record ends before it.
    fn bytes_of<'a>(&self, record: &'a [u8], place: Place) -> &'a [u8] {
        let (start, end) = match place {
            Place::Fixed { offset, len } => (offset, offset + len),
            Place::Tail { offset } => (offset, record.len()),
            Place::Dynamic { offset, base } => {
                let word = self.endian.u32(record, offset) as usize;
                let start = (word & 0xffff) + base;
                (start, start + (word >> 16))
            }
        };
        record
            .get(start.min(record.len())..end.min(record.len()))
            .unwrap_or_default()
    }

    fn text(&self, place: Place) -> Result<ArrayRef, ArrowError> {
        let mut offsets: Vec<i32> = Vec::with_capacity(self.ends.len() + 1);
        let mut values: Vec<u8> = Vec::with_capacity(self.ends.len() * 12);
        offsets.push(0);
        let line = matches!(place, Place::Tail { .. });
        for record in self.records() {
            let bytes = self.bytes_of(record, place);
            if let Some((word, len)) = name(bytes).filter(|_| !line) {
                let end = values.len() + len;
                values.extend_from_slice(&word);
                values.truncate(end);
            } else {
                let mut bytes = until_nul(bytes);
                // A line of trace_marker or trace_printk ends in a newline that is no part of the message.
                if line {
                    bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
                }
                values.extend_from_slice(String::from_utf8_lossy(bytes).as_bytes());
            }
            offsets.push(values.len() as i32);
        }
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        Ok(Arc::new(StringArray::try_new(
            offsets,
            Buffer::from_vec(values),
            None,
        )?))
    }

    fn binary(&self, place: Place) -> Result<ArrayRef, ArrowError> {
        let mut offsets: Vec<i32> = Vec::with_capacity(self.ends.len() + 1);
        let mut values: Vec<u8> = Vec::new();
        offsets.push(0);
        for record in self.records() {
            values.extend_from_slice(self.bytes_of(record, place));
            offsets.push(values.len() as i32);
        }
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        Ok(Arc::new(BinaryArray::try_new(
            offsets,
            Buffer::from_vec(values),
            None,
        )?))
    }

    fn array(
        &self,
        place: Place,
        signed: bool,
        width: u8,
        count: u32,
    ) -> Result<ArrayRef, ArrowError> {
        let wanted = usize::from(width) * count as usize;
        let mut values: Vec<u8> = Vec::with_capacity(self.ends.len() * wanted);
        for record in self.records() {
            let bytes = self.bytes_of(record, place);
            values.extend_from_slice(bytes);
            values.resize(values.len() + wanted.saturating_sub(bytes.len()), 0);
        }
        let items = self.integers(&values, signed, width);
        let field = item_field(&items);
        Ok(Arc::new(FixedSizeListArray::try_new(
            field,
            count as i32,
            items,
            None,
        )?))
    }

    fn list(&self, place: Place, signed: bool, width: u8) -> Result<ArrayRef, ArrowError> {
        let width_bytes = usize::from(width.max(1));
        let mut offsets: Vec<i32> = Vec::with_capacity(self.ends.len() + 1);
        let mut values: Vec<u8> = Vec::new();
        offsets.push(0);
        for record in self.records() {
            let bytes = self.bytes_of(record, place);
            let whole = bytes.len() - bytes.len() % width_bytes;
            values.extend_from_slice(&bytes[..whole]);
            offsets.push((values.len() / width_bytes) as i32);
        }
        list_array(offsets, self.integers(&values, signed, width))
    }

    fn integers(&self, bytes: &[u8], signed: bool, width: u8) -> ArrayRef {
        fn all<T: ArrowPrimitiveType>(
            bytes: &[u8],
            width: usize,
            read: impl Fn(&[u8]) -> T::Native,
        ) -> ArrayRef {
            let values: Vec<T::Native> = bytes.chunks_exact(width).map(read).collect();
            Arc::new(PrimitiveArray::<T>::new(values.into(), None))
        }
        let e = self.endian;
        match (signed, width) {
            (false, 1) => all::<UInt8Type>(bytes, 1, |b| e.u8(b, 0)),
            (false, 2) => all::<UInt16Type>(bytes, 2, |b| e.u16(b, 0)),
            (false, 4) => all::<UInt32Type>(bytes, 4, |b| e.u32(b, 0)),
            (false, _) => all::<UInt64Type>(bytes, 8, |b| e.u64(b, 0)),
            (true, 1) => all::<Int8Type>(bytes, 1, |b| e.i8(b, 0)),
            (true, 2) => all::<Int16Type>(bytes, 2, |b| e.i16(b, 0)),
            (true, 4) => all::<Int32Type>(bytes, 4, |b| e.i32(b, 0)),
            (true, _) => all::<Int64Type>(bytes, 8, |b| e.i64(b, 0)),
        }
    }
}

/// The values as a column, with room for as many again.
fn taken<T: ArrowPrimitiveType>(values: &mut Vec<T::Native>) -> ArrayRef {
    let room = Vec::with_capacity(values.len());
    let values = std::mem::replace(values, room);
    Arc::new(PrimitiveArray::<T>::new(values.into(), None))
}

fn list_array(offsets: Vec<i32>, items: ArrayRef) -> Result<ArrayRef, ArrowError> {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let list = ListArray::try_new(item_field(&items), offsets, items, None)?;
    Ok(Arc::new(list))
}

fn item_field(items: &ArrayRef) -> Arc<Field> {
    let ty: &DataType = items.data_type();
    Arc::new(Field::new("item", ty.clone(), false))
}

/// A text of 16 bytes, and how many of them, all ASCII, come before the first NUL. So long are the names of tasks, which are
/// most of the text there is: they are found and copied as one number.
#[inline]
fn name(bytes: &[u8]) -> Option<([u8; 16], usize)> {
    const ONES: u128 = u128::from_le_bytes([0x01; 16]);
    const HIGHS: u128 = u128::from_le_bytes([0x80; 16]);
    let name = <[u8; 16]>::try_from(bytes).ok()?;
    let word = u128::from_le_bytes(name);
    let zeros = word.wrapping_sub(ONES) & !word & HIGHS;
    let len = zeros.trailing_zeros() / 8;
    let before = 1_u128.checked_shl(8 * len).unwrap_or(0).wrapping_sub(1);
    (word & HIGHS & before == 0).then_some((name, len as usize))
}

/// The bytes before the first NUL.
fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    &bytes[..end]
}

#[cfg(test)]
#[allow(clippy::decimal_bitwise_operands)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use proptest::prelude::*;

    fn format(fields: &str) -> EventFormat {
        EventFormat::parse(format!("name: e\nID: 9\nformat:\n\tfield:unsigned short common_type; offset:0; size:2; signed:0;\n{fields}").as_bytes()).unwrap()
    }

    #[test]
    fn reads_every_kind_of_field_in_both_byte_orders() {
        let format = format(
            "field:int pid; offset:4; size:4; signed:1;\nfield:char comm[16]; offset:8; size:16; signed:0;\n\
             field:__data_loc char[] name; offset:24; size:4; signed:0;\nfield:__rel_loc u32[] list; offset:28; size:4; signed:0;\n\
             field:u16 pair[2]; offset:32; size:4; signed:0;\nfield:char buf[]; offset:36; size:0; signed:0;\n",
        );
        for endian in [Endian::Little, Endian::Big] {
            let put = |bytes: &mut Vec<u8>, value: u32| {
                bytes.extend_from_slice(&if endian == Endian::Little {
                    value.to_le_bytes()
                } else {
                    value.to_be_bytes()
                });
            };
            let put16 = |bytes: &mut Vec<u8>, value: u16| {
                bytes.extend_from_slice(&if endian == Endian::Little {
                    value.to_le_bytes()
                } else {
                    value.to_be_bytes()
                });
            };
            let mut record = vec![0; 4];
            put(&mut record, -7_i32 as u32);
            record.extend_from_slice(b"kworker/0:1\0\0\0\0\0");
            put(&mut record, (3 << 16) | 36);
            put(&mut record, (8 << 16) | 12); // from byte 32
            put16(&mut record, 1);
            put16(&mut record, 65535);
            record.extend_from_slice(b"ab\0\0hi\n\0");
            put(&mut record, 11);
            put(&mut record, 4_000_000_000);
            let mut rows = RowBuffer::new("sched", &format, endian, 8);
            assert!(!rows.push(5, 1, 0, 0, &record));
            let batch = rows.take().unwrap();
            assert_eq!(
                batch
                    .column_by_name("pid")
                    .unwrap()
                    .as_primitive::<Int32Type>()
                    .value(0),
                -7
            );
            assert_eq!(
                batch
                    .column_by_name("comm")
                    .unwrap()
                    .as_string::<i32>()
                    .value(0),
                "kworker/0:1"
            );
            assert_eq!(
                batch
                    .column_by_name("name")
                    .unwrap()
                    .as_string::<i32>()
                    .value(0),
                "ab"
            );
            let list = batch
                .column_by_name("list")
                .unwrap()
                .as_list::<i32>()
                .value(0);
            assert_eq!(
                list.as_primitive::<UInt32Type>().values(),
                &[11, 4_000_000_000]
            );
            let pair = batch
                .column_by_name("pair")
                .unwrap()
                .as_fixed_size_list()
                .value(0);
            assert_eq!(pair.as_primitive::<UInt16Type>().values(), &[1, 65535]);
            assert!(rows.is_empty());
        }
    }

    #[test]
    fn a_marker_line_loses_its_newline_only() {
        let format = format(
            "field:unsigned long ip; offset:8; size:8; signed:0;\nfield:char buf[]; offset:16; size:0; signed:0;\n",
        );
        let mut rows = RowBuffer::new("ftrace", &format, Endian::Little, 8);
        let mut record = vec![0_u8; 16];
        record.extend_from_slice(b"one\ntwo\n\0\0\0\0");
        rows.push(1, 0, 0, 0, &record);
        let batch = rows.take().unwrap();
        assert_eq!(
            batch
                .column_by_name("buf")
                .unwrap()
                .as_string::<i32>()
                .value(0),
            "one\ntwo"
        );
    }

    #[test]
    fn a_stack_is_as_long_as_its_record() {
        let format = format(
            "field:int size; offset:8; size:4; signed:1;\nfield:unsigned long caller[8]; offset:16; size:64; signed:0;\n",
        );
        let mut rows = RowBuffer::new("ftrace", &format, Endian::Little, 8);
        rows.push(1, 0, 0, 0, &[0; 16 + 3 * 8]);
        rows.push(2, 0, 1, 0, &[0; 16 + 12 * 8]);
        let batch = rows.take().unwrap();
        let callers = batch.column_by_name("caller").unwrap().as_list::<i32>();
        assert_eq!((callers.value(0).len(), callers.value(1).len()), (3, 12));
    }

    #[test]
    fn a_list_outside_the_record_is_the_last_column() {
        let format = format("field:int pid; offset:4; size:4; signed:1;\n");
        for (endian, list) in [
            (Endian::Little, 7_u64.to_le_bytes()),
            (Endian::Big, 7_u64.to_be_bytes()),
        ] {
            let mut rows =
                RowBuffer::new("sched", &format, endian, 8).with_list("callchain", "u64 ips[]");
            for round in 0..2 {
                rows.push_with_list(1, 0, 0, 0, &[0; 8], &[list, list].concat());
                rows.push_with_list(2, 0, 1, 0, &[0; 8], &[]);
                let batch = rows.take().unwrap();
                assert_eq!(batch.schema_ref().field(5).name(), "callchain", "{round}");
                let lists = batch.column(5).as_list::<i32>();
                let first = lists.value(0);
                assert_eq!(first.as_primitive::<UInt64Type>().values(), &[7, 7]);
                assert_eq!(lists.value(1).len(), 0);
            }
        }
    }

    proptest! {
        #[test]
        fn any_record_fits_any_format(
            fields in proptest::collection::vec((0_usize..300, 0_usize..40, any::<bool>(), 0_usize..9), 0..12),
            records in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..80), 0..20),
        ) {
            let text: String = fields.iter().enumerate().map(|(i, (offset, size, signed, kind))| {
                let declaration = ["int", "char c[16]", "__data_loc char[]", "__rel_loc u64[]", "u32 a[3]", "char t[]", "struct x", "__data_loc cpumask_t", "u8 b[NAME]"][*kind];
                format!("field:{declaration} f{i}; offset:{offset}; size:{size}; signed:{};\n", u8::from(*signed))
                    .replace("char c[16] f", "char f").replace("char t[] f", "char g")
            }).collect();
            if let Ok(format) = EventFormat::parse(format!("name: e\nID: 1\n{text}").as_bytes()) {
                for endian in [Endian::Little, Endian::Big] {
                    let mut rows = RowBuffer::new("ftrace", &format, endian, 4);
                    for (i, record) in records.iter().enumerate() {
                        rows.push(i as u64, 0, i as u64, 0, record);
                    }
                    prop_assert_eq!(rows.take().unwrap().num_rows(), records.len());
                }
            }
        }

        #[test]
        fn a_name_is_what_is_before_the_first_nul(bytes in any::<[u8; 16]>(), low in any::<bool>()) {
            let bytes = bytes.map(|byte| if low { byte & 0x7f } else { byte });
            let slow = until_nul(&bytes);
            prop_assert_eq!(
                name(&bytes).map(|(all, len)| all[..len].to_vec()),
                slow.is_ascii().then(|| slow.to_vec())
            );
        }
    }
}
