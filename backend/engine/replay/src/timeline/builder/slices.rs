//! The levels of one CPU's slices, built as the slices come.

use super::store::{Handle, Table};
use super::sums::TaskSums;
use crate::timeline::DENSE;
use crate::timeline::rows::{SliceBucket, SliceBuckets, SliceColumns, SliceRow};

/// The bucket of a level that is being filled.
#[derive(Debug, Default)]
struct Open {
    /// Number of the bucket: time divided by the level's width.
    number: u64,
    bucket: Option<SliceBucket>,
    tasks: TaskSums,
}

#[derive(Debug)]
pub(super) struct SliceSeries {
    rows: u32,
    own: Handle,
    levels: Vec<Open>,
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
        for level in 0..self.levels.len() {
            let number = slice.start >> (self.shift + level as u32);
            if self.levels[level].number == number {
                break;
            }
            self.close(level, buckets);
            self.levels[level].number = number;
        }
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
            };
            open.bucket = Some(open.bucket.map_or(one, |bucket| joined(bucket, one)));
            open.tasks.add(slice.task, ns);
        }
        slices.push(self.own, slice);
        self.rows += 1;
    }

    pub(super) fn finish(&mut self, buckets: &mut Table<SliceBuckets>) {
        for level in 0..self.levels.len() {
            self.close(level, buckets);
        }
    }

    /// Ends the open bucket of a level: keeps it when it is dense and adds it to the level above.
    fn close(&mut self, level: usize, buckets: &mut Table<SliceBuckets>) {
        let Some((open, above)) = self.levels[level..].split_first_mut() else {
            return;
        };
        let Some(mut bucket) = open.bucket.take() else {
            return;
        };
        if bucket.count >= DENSE {
            bucket.task = open.tasks.longest();
            buckets.push(self.handles[level], bucket);
        }
        match above.first_mut() {
            Some(above) => {
                above.bucket = Some(above.bucket.map_or(bucket, |sum| joined(sum, bucket)));
                above.tasks.absorb(&mut open.tasks);
            }
            None => open.tasks.clear(),
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
    }
}
