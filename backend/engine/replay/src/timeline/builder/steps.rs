//! The levels of one step series, built as the steps come.

use super::store::{Handle, Table};
use crate::timeline::DENSE;
use crate::timeline::rows::{StepBucket, StepBuckets, StepColumns, StepRow};

/// Sums of number × ns since the origin. They wrap: what counts is the difference over a bucket, which does not.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    busy: u64,
    waiting: u64,
}

impl Sums {
    #[inline]
    fn after(self, state: &StepRow, until: u64) -> Self {
        let ns = until.saturating_sub(state.time);
        Self {
            busy: self
                .busy
                .wrapping_add(ns.wrapping_mul(u64::from(state.busy))),
            waiting: self
                .waiting
                .wrapping_add(ns.wrapping_mul(u64::from(state.waiting))),
        }
    }
}

/// The bucket of a level that is being filled.
#[derive(Debug, Default, Clone, Copy)]
struct Open {
    /// Number of the bucket: time divided by the level's width.
    number: u64,
    /// Sums at the bucket's start.
    before: Sums,
    first: u32,
    waiting_max: u32,
}

#[derive(Debug)]
pub(super) struct StepSeries {
    /// Steps written.
    rows: u32,
    /// What holds since the last step's time; not written yet, since more may change at that time.
    state: StepRow,
    /// Whether `state` differs from what was written last.
    changed: bool,
    /// What was written last.
    written: StepRow,
    /// Sums until `written.time`.
    sums: Sums,
    levels: Vec<Open>,
    own: Handle,
    handles: Vec<Handle>,
    shift: u32,
}

const NOTHING: StepRow = StepRow {
    time: 0,
    busy: 0,
    waiting: 0,
};

impl StepSeries {
    pub(super) fn new(
        lane: u32,
        shift: u32,
        levels: u8,
        steps: &mut Table<StepColumns>,
        buckets: &mut Table<StepBuckets>,
    ) -> Self {
        Self {
            rows: 0,
            state: NOTHING,
            changed: false,
            written: NOTHING,
            sums: Sums::default(),
            levels: vec![Open::default(); usize::from(levels)],
            own: steps.lane(lane, 0),
            handles: (0..levels).map(|level| buckets.lane(lane, level)).collect(),
            shift,
        }
    }

    /// From `time` on, which never goes back, the numbers are these.
    pub(super) fn set(
        &mut self,
        time: u64,
        busy: u32,
        waiting: u32,
        steps: &mut Table<StepColumns>,
        buckets: &mut Table<StepBuckets>,
    ) {
        if time > self.state.time {
            self.write(steps, buckets);
        }
        self.state = StepRow {
            time,
            busy,
            waiting,
        };
        self.changed = (busy, waiting) != (self.written.busy, self.written.waiting);
    }

    /// Ends the series at `end`.
    pub(super) fn finish(
        &mut self,
        end: u64,
        steps: &mut Table<StepColumns>,
        buckets: &mut Table<StepBuckets>,
    ) {
        if self.state.time < end {
            self.write(steps, buckets);
        }
        for level in 0..self.levels.len() {
            self.close(level, end, buckets);
        }
    }

    fn write(&mut self, steps: &mut Table<StepColumns>, buckets: &mut Table<StepBuckets>) {
        if !self.changed || self.rows == u32::MAX {
            return;
        }
        let step = self.state;
        for level in 0..self.levels.len() {
            let shift = self.shift + level as u32;
            let number = step.time >> shift;
            if self.levels[level].number == number {
                break;
            }
            self.close(level, u64::MAX, buckets);
            let start = number << shift;
            let carried = if start < step.time {
                self.written.waiting
            } else {
                0
            };
            self.levels[level] = Open {
                number,
                before: self.sums.after(&self.written, start),
                first: self.rows,
                waiting_max: carried,
            };
        }
        if let Some(finest) = self.levels.first_mut() {
            finest.waiting_max = finest.waiting_max.max(step.waiting);
        }
        self.sums = self.sums.after(&self.written, step.time);
        self.written = step;
        self.changed = false;
        steps.push(self.own, step);
        self.rows += 1;
    }

    /// Ends the open bucket of a level, at its border or at `end` if that comes first: keeps it when it is dense.
    #[inline]
    fn close(&mut self, level: usize, end: u64, buckets: &mut Table<StepBuckets>) {
        let Open {
            waiting_max, first, ..
        } = self.levels[level];
        if let Some(above) = self.levels.get_mut(level + 1) {
            above.waiting_max = above.waiting_max.max(waiting_max);
        }
        if self.rows - first >= DENSE {
            self.keep(level, end, buckets);
        }
    }

    #[cold]
    fn keep(&mut self, level: usize, end: u64, buckets: &mut Table<StepBuckets>) {
        let open = self.levels[level];
        let count = self.rows - open.first;
        let shift = self.shift + level as u32;
        let next = open.number.checked_add(1);
        let border = next.and_then(|next| {
            next.checked_shl(shift)
                .filter(|border| border >> shift == next)
        });
        let until = border.map_or(end, |border| border.min(end));
        let sums = self.sums.after(&self.written, until);
        buckets.push(
            self.handles[level],
            StepBucket {
                start: open.number << shift,
                busy: sums.busy.wrapping_sub(open.before.busy),
                waiting: sums.waiting.wrapping_sub(open.before.waiting),
                waiting_max: open.waiting_max,
                first: open.first,
                count,
                last_busy: self.written.busy,
                last_waiting: self.written.waiting,
            },
        );
    }
}
