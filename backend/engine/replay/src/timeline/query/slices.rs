//! A CPU's slices: one by one where there are few, merged where they are shorter than a bucket.

use numalens_core::EngineError;

use super::items::{Item, Items, ratio};
use super::{KIND_EXACT, KIND_MERGED, Window};
use crate::timeline::builder::TaskSums;
use crate::timeline::index::Leveled;
use crate::timeline::rows::{SliceBucket, SliceBuckets, SliceColumns, SliceRow};

/// Short slices of one bucket that are being merged.
#[derive(Default)]
struct Group {
    bucket: u64,
    first: Option<SliceRow>,
    end: u64,
    busy: u64,
    rt: u64,
    count: u32,
    tasks: TaskSums,
}

impl Group {
    fn add(&mut self, bucket: u64, slice: SliceRow, items: &mut Items) {
        if self.bucket != bucket {
            self.show(items);
            self.bucket = bucket;
        }
        self.first.get_or_insert(slice);
        self.end = slice.end;
        self.busy = self
            .busy
            .saturating_add(slice.end.saturating_sub(slice.start));
        self.rt = self.rt.saturating_add(slice.rt_ns());
        self.count += 1;
        self.tasks
            .add(slice.task, slice.end.saturating_sub(slice.start));
    }

    fn show(&mut self, items: &mut Items) {
        let Some(first) = self.first.take() else {
            return;
        };
        if self.count == 1 {
            items.push(exact(first));
        } else {
            items.push(merged(&SliceBucket {
                start: first.start,
                end: self.end,
                busy: self.busy,
                first: 0,
                count: self.count,
                task: self.tasks.longest(),
                rt: self.rt,
            }));
        }
        self.busy = 0;
        self.rt = 0;
        self.count = 0;
        self.tasks.clear();
    }
}

pub(super) fn cpu(
    series: &Leveled<SliceColumns, SliceBuckets>,
    window: &Window,
    items: &mut Items,
) -> Result<(), EngineError> {
    let mut rows = series.rows.cursor();
    let low = series
        .rows
        .partition(window.from, |slice| slice.end <= window.from)?;
    let high = series
        .rows
        .partition(window.to, |slice| slice.start < window.to)?;
    if high.saturating_sub(low) <= window.few {
        for row in low..high {
            items.push(exact(rows.get(row)?));
        }
        return Ok(());
    }
    let level = window.level.and_then(|level| series.levels.get(level));
    let buckets = level.map(|level| {
        // A bucket may have begun before the window with slices that reach into it.
        let first = level.partition(window.from, |bucket| bucket.end <= window.from)?;
        Ok::<_, EngineError>((level.cursor(), first, level.len()))
    });
    let mut buckets = buckets.transpose()?;
    let width = 1_u64.checked_shl(window.shift).unwrap_or(u64::MAX);
    let mut group = Group::default();
    let mut row = low;
    while row < high {
        let mut until = high;
        if let Some((cursor, next, _)) = buckets.as_mut().filter(|(_, next, len)| next < len) {
            let bucket = cursor.get(*next)?;
            let after = bucket.first.saturating_add(bucket.count);
            if after <= row {
                *next += 1;
                continue;
            }
            if bucket.first <= row {
                // The window may begin among the bucket's slices; the item is shown whole.
                group.show(items);
                items.push(merged(&bucket));
                *next += 1;
                row = after;
                continue;
            }
            until = until.min(bucket.first);
        }
        while row < until {
            let slice = rows.get(row)?;
            if slice.end.saturating_sub(slice.start) < width {
                group.add(window.bucket(slice.start), slice, items);
            } else {
                group.show(items);
                items.push(exact(slice));
            }
            row += 1;
        }
    }
    group.show(items);
    Ok(())
}

fn exact(slice: SliceRow) -> Item {
    Item {
        kind: KIND_EXACT,
        start: slice.start,
        end: slice.end,
        busy: 1.0,
        rt: f32::from(u8::from(slice.rt_ns() > 0)),
        task: slice.task,
        count: 1,
        ..Item::NOTHING
    }
}

fn merged(bucket: &SliceBucket) -> Item {
    let whole = bucket.end.saturating_sub(bucket.start);
    Item {
        kind: KIND_MERGED,
        start: bucket.start,
        end: bucket.end,
        busy: ratio(bucket.busy, whole),
        rt: ratio(bucket.rt.min(bucket.busy), whole),
        task: bucket.task,
        count: bucket.count,
        ..Item::NOTHING
    }
}
