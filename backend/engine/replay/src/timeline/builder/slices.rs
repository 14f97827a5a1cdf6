//! The levels of one CPU's slices, built as the slices come.

use super::store::{Handle, Table};
use super::sums::TaskSums;
use crate::timeline::DENSE;
use crate::timeline::rows::{SliceBucket, SliceBuckets, SliceColumns, SliceRow};

/// The bucket of a level that is being filled.
#[derive(Debug, Default)]
struct Open {
    bucket: Option<SliceBucket>,
    tasks: TaskSums,
}

#[derive(Debug)]
pub(super) struct SliceSeries {
    rows: u32,
    own: Handle,
    levels: Vec<Open>,
    /// A bit for each level with a bucket.
    filled: u64,
    /// Start of the latest slice: it lies in the open bucket of each level.
    latest: u64,
    handles: Vec<Handle>,
    /// The finest level's width is `1 << shift`; each further level's is twice as wide.
    shift: u32,
}

impl SliceSeries {
    pub(super) fn new(
        cpu: u32,
        shift: u32,
        levels: u8,
        slices: &mut Table<SliceColumns>,
        buckets: &mut Table<SliceBuckets>,
    ) -> Self {
        Self {
            rows: 0,
            own: slices.lane(cpu, 0),
            levels: (0..levels).map(|_| Open::default()).collect(),
            filled: 0,
            latest: 0,
            handles: (0..levels).map(|level| buckets.lane(cpu, level)).collect(),
            shift,
        }
    }

    /// Takes the next slice, which starts where the one before ended or later.
    pub(super) fn push(
        &mut self,
        slice: SliceRow,
        slices: &mut Table<SliceColumns>,
        buckets: &mut Table<SliceBuckets>,
    ) {
        if self.rows == u32::MAX {
            return;
        }
        let bits = u64::BITS - (slice.start ^ self.latest).leading_zeros();
        self.latest = slice.start;
        self.close(bits.saturating_sub(self.shift), buckets);
        let ns = slice.end - slice.start;
        // The finest level at which the slice is short: its width is the first power of two above `ns`.
        let level = (u64::BITS - ns.leading_zeros()).saturating_sub(self.shift) as usize;
        if let Some(open) = self.levels.get_mut(level) {
            let one = SliceBucket {
                start: slice.start,
                end: slice.end,
                busy: ns,
                first: self.rows,
                count: 1,
                task: slice.task,
                rt: slice.rt_ns(),
            };
            open.bucket = Some(open.bucket.map_or(one, |bucket| joined(bucket, one)));
            open.tasks.add(slice.task, ns);
            self.filled |= 1 << level;
        }
        slices.push(self.own, slice);
        self.rows += 1;
    }

    pub(super) fn finish(&mut self, buckets: &mut Table<SliceBuckets>) {
        self.close(u64::BITS, buckets);
    }

    /// Ends the open buckets of the finest `levels`: keeps the dense ones and adds each to the level above.
    fn close(&mut self, levels: u32, buckets: &mut Table<SliceBuckets>) {
        let finest = u64::MAX.checked_shr(u64::BITS - levels).unwrap_or(0);
        while self.filled & finest != 0 {
            let level = self.filled.trailing_zeros() as usize;
            self.filled &= self.filled - 1;
            let Some((open, above)) = self.levels[level..].split_first_mut() else {
                return;
            };
            let Some(mut bucket) = open.bucket.take() else {
                continue;
            };
            if bucket.count >= DENSE {
                bucket.task = open.tasks.longest();
                buckets.push(self.handles[level], bucket);
            }
            match above.first_mut() {
                Some(above) => {
                    above.bucket = Some(above.bucket.map_or(bucket, |sum| joined(sum, bucket)));
                    above.tasks.absorb(&mut open.tasks);
                    self.filled |= 1 << (level + 1);
                }
                None => open.tasks.clear(),
            }
        }
    }
}

fn joined(a: SliceBucket, b: SliceBucket) -> SliceBucket {
    SliceBucket {
        start: a.start.min(b.start),
        end: a.end.max(b.end),
        busy: a.busy.saturating_add(b.busy),
        first: a.first.min(b.first),
        count: a.count + b.count,
        task: a.task,
        rt: a.rt.saturating_add(b.rt),
    }
}
