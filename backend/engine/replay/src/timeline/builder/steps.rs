//! The levels of one step series, built as the steps come.

use std::ops::Range;

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

/// The buckets of neighbouring levels that one step opened: whatever is alike in them is kept once, so that a step's cost
/// does not grow with the number of levels.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// The widest of the levels, plus one. The finest is the one after those that were opened later.
    end: u32,
    /// Time of that step, and what held before it.
    time: u64,
    before: StepRow,
    /// Sums until `before.time`.
    sums: Sums,
    first: u32,
    /// The most that waited after a step in them, as far as known.
    waiting_max: u32,
}

impl Open {
    /// Start of the bucket of width `1 << shift`.
    #[inline]
    fn start(&self, shift: u32) -> u64 {
        self.time >> shift << shift
    }

    /// Number of waiting tasks at the start of that bucket.
    #[inline]
    fn carried(&self, shift: u32) -> u32 {
        if self.start(shift) < self.time {
            self.before.waiting
        } else {
            0
        }
    }
}

#[derive(Debug)]
pub(super) struct StepSeries {
    /// Steps written.
    rows: u32,
    /// State since the last step's time; not written yet, since more may change at that time.
    state: StepRow,
    /// True if `state` differs from the last written one.
    changed: bool,
    /// Last written state.
    written: StepRow,
    /// Sums until `written.time`.
    sums: Sums,
    /// The levels' open buckets, the finest last.
    open: Vec<Open>,
    levels: u32,
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
            open: vec![Open {
                end: u32::from(levels),
                time: 0,
                before: NOTHING,
                sums: Sums::default(),
                first: 0,
                waiting_max: 0,
            }],
            levels: u32::from(levels),
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
        self.close(self.levels, end, buckets);
    }

    fn write(&mut self, steps: &mut Table<StepColumns>, buckets: &mut Table<StepBuckets>) {
        if !self.changed || self.rows == u32::MAX {
            return;
        }
        let step = self.state;
        // The levels in which the step lies in another bucket than the one before it.
        let bits = u64::BITS - (step.time ^ self.written.time).leading_zeros();
        let passed = bits.saturating_sub(self.shift).min(self.levels);
        if passed > 0 {
            self.close(passed, u64::MAX, buckets);
            self.open.push(Open {
                end: passed,
                time: step.time,
                before: self.written,
                sums: self.sums,
                first: self.rows,
                waiting_max: 0,
            });
        }
        if let Some(finest) = self.open.last_mut() {
            finest.waiting_max = finest.waiting_max.max(step.waiting);
        }
        self.sums = self.sums.after(&self.written, step.time);
        self.written = step;
        self.changed = false;
        steps.push(self.own, step);
        self.rows += 1;
    }

    /// Ends the open buckets of the finest `levels`, at their borders or at `end` if that comes first: keeps the dense ones.
    #[inline]
    fn close(&mut self, levels: u32, end: u64, buckets: &mut Table<StepBuckets>) {
        let (mut level, mut waiting_max) = (0, 0);
        while let Some(open) = self.open.last().filter(|_| level < levels) {
            let until = open.end.min(levels);
            waiting_max = open.waiting_max.max(waiting_max);
            if self.rows - open.first >= DENSE {
                self.keep(level..until, waiting_max, end, buckets);
            }
            level = until;
            waiting_max = waiting_max.max(open.carried(self.shift + level - 1));
            if level < open.end {
                break;
            }
            self.open.pop();
        }
        if let Some(open) = self.open.last_mut() {
            open.waiting_max = open.waiting_max.max(waiting_max);
        }
    }

    #[cold]
    fn keep(
        &self,
        levels: Range<u32>,
        waiting_max: u32,
        end: u64,
        buckets: &mut Table<StepBuckets>,
    ) {
        let Some(open) = self.open.last() else {
            return;
        };
        for level in levels {
            let shift = self.shift + level;
            let start = open.start(shift);
            let next = (start >> shift).checked_add(1);
            let border = next.and_then(|next| {
                next.checked_shl(shift)
                    .filter(|border| border >> shift == next)
            });
            let until = border.map_or(end, |border| border.min(end));
            let before = open.sums.after(&open.before, start);
            let sums = self.sums.after(&self.written, until);
            buckets.push(
                self.handles[level as usize],
                StepBucket {
                    start,
                    busy: sums.busy.wrapping_sub(before.busy),
                    waiting: sums.waiting.wrapping_sub(before.waiting),
                    waiting_max: waiting_max.max(open.carried(shift)),
                    first: open.first,
                    count: self.rows - open.first,
                    last_busy: self.written.busy,
                    last_waiting: self.written.waiting,
                },
            );
        }
    }
}
