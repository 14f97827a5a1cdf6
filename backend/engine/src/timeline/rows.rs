//! The index's tables: each a row type, its columns in a mapped batch, and the conversions between them.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Int32Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};

/// A table's row type and its columns.
pub(crate) trait Columns: Sized {
    type Row: Copy;
    fn schema() -> SchemaRef;
    /// A batch of rows.
    fn batch<'a>(
        rows: impl Iterator<Item = &'a Self::Row> + Clone,
    ) -> Result<RecordBatch, ArrowError>
    where
        Self::Row: 'a;
    /// The columns of a batch; `None` when it is not of this table.
    fn open(batch: &RecordBatch) -> Option<Self>;
    fn rows(&self) -> usize;
    fn get(&self, row: usize) -> Self::Row;
    /// The time by which the rows of a lane ascend, ns after the origin.
    fn time(row: &Self::Row) -> u64;
}

/// The Arrow type of a number.
trait Cell: ArrowNativeType {
    type Arrow: ArrowPrimitiveType<Native = Self>;
}

impl Cell for u8 {
    type Arrow = UInt8Type;
}
impl Cell for u32 {
    type Arrow = UInt32Type;
}
impl Cell for i32 {
    type Arrow = Int32Type;
}
impl Cell for u64 {
    type Arrow = UInt64Type;
}

fn array<T: Cell>(values: impl Iterator<Item = T>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T::Arrow>::from_iter_values(values))
}

fn column<T: Cell>(batch: &RecordBatch, at: usize) -> Option<ScalarBuffer<T>> {
    let array = batch
        .columns()
        .get(at)?
        .as_any()
        .downcast_ref::<PrimitiveArray<T::Arrow>>()?;
    Some(array.values().clone())
}

macro_rules! table {
    ($(#[$about:meta])* $row:ident, $columns:ident, $time:ident, { $($(#[$doc:meta])* $field:ident: $ty:ty,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $row {
            $($(#[$doc])* pub(crate) $field: $ty,)+
        }

        #[derive(Debug)]
        pub(crate) struct $columns {
            $($field: ScalarBuffer<$ty>,)+
        }

        impl Columns for $columns {
            type Row = $row;

            fn schema() -> SchemaRef {
                Arc::new(Schema::new(vec![
                    $(Field::new(stringify!($field), <$ty as Cell>::Arrow::DATA_TYPE, false),)+
                ]))
            }

            fn batch<'a>(rows: impl Iterator<Item = &'a $row> + Clone) -> Result<RecordBatch, ArrowError> {
                RecordBatch::try_new(Self::schema(), vec![$(array(rows.clone().map(|row| row.$field)),)+])
            }

            fn open(batch: &RecordBatch) -> Option<Self> {
                let mut at = 0..;
                Some(Self { $($field: column(batch, at.next()?)?,)+ })
            }

            fn rows(&self) -> usize {
                self.$time.len()
            }

            #[inline]
            fn get(&self, row: usize) -> $row {
                $row { $($field: self.$field[row],)+ }
            }

            fn time(row: &$row) -> u64 {
                row.$time
            }
        }
    };
}

table! {
    /// A task's stay on a CPU.
    SliceRow, SliceColumns, start, {
        start: u64,
        end: u64,
        task: u32,
        prio: i32,
        /// Place of the end state's letters among the index's states; 255 = not known.
        state: u8,
        /// What the wait before it began with: 0 none, 1 waking, 2 wakeup, 3 preempted.
        wait: u8,
        wait_since: u64,
        waker: i32,
    }
}

table! {
    /// Short slices that start in one bucket of a level.
    SliceBucket, SliceBuckets, start, {
        /// Start of the first slice.
        start: u64,
        /// End of the last slice.
        end: u64,
        /// Time on the CPU.
        busy: u64,
        /// Row of the first slice.
        first: u32,
        /// How many slices, in rows that follow each other.
        count: u32,
        /// The task that ran longest.
        task: u32,
    }
}

table! {
    /// From `time` on, `busy` CPUs are busy and `waiting` tasks wait.
    StepRow, StepColumns, time, {
        time: u64,
        busy: u32,
        waiting: u32,
    }
}

table! {
    /// The steps in one bucket of a level.
    StepBucket, StepBuckets, start, {
        /// Border at which the bucket starts.
        start: u64,
        /// Busy CPUs × ns, over the whole bucket.
        busy: u64,
        /// Waiting tasks × ns, over the whole bucket.
        waiting: u64,
        waiting_max: u32,
        /// Row of the first step in it.
        first: u32,
        /// How many steps, in rows that follow each other.
        count: u32,
        /// What holds at its end.
        last_busy: u32,
        last_waiting: u32,
    }
}

table! {
    /// Nobody can say who ran.
    SpanRow, SpanColumns, start, {
        start: u64,
        end: u64,
        /// 1 when events were lost, 0 when no event has told yet.
        lost: u8,
    }
}

table! {
    /// Where the rows of a lane are: `len` rows from `offset` in batch `batch` of a table's file.
    RunRow, RunColumns, first, {
        /// Place of the table's file in `FILES`.
        table: u8,
        level: u8,
        lane: u32,
        batch: u32,
        offset: u32,
        len: u32,
        /// Time of the first row.
        first: u64,
    }
}
