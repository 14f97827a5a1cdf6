//! Waiting tasks of a CPU, busy CPUs and waiting tasks of a node: exact where they change seldom, else means of buckets.

use numalens_core::EngineError;

use super::items::{Item, Items, ratio};
use super::{KIND_NODE, KIND_WAIT, Window};
use crate::timeline::index::{Cursor, Leveled};
use crate::timeline::rows::{StepBucket, StepBuckets, StepColumns, StepRow};

type Series = Leveled<StepColumns, StepBuckets>;

/// Busy CPUs × ns, waiting tasks × ns and the most waiting tasks between two times.
#[derive(Debug, Clone, Copy)]
struct Sum {
    start: u64,
    end: u64,
    busy: u64,
    waiting: u64,
    waiting_max: u32,
}

const NOTHING: StepRow = StepRow {
    time: 0,
    busy: 0,
    waiting: 0,
};

/// The items of a node of `cpus` CPUs.
pub(super) fn node(
    series: &Series,
    window: &Window,
    end: u64,
    cpus: u32,
    items: &mut Items,
) -> Result<(), EngineError> {
    walk(series, window, end, &mut |sum| {
        if sum.busy > 0 || sum.waiting_max > 0 {
            let ns = sum.end - sum.start;
            items.push(Item {
                kind: KIND_NODE,
                start: sum.start,
                end: sum.end,
                busy: ratio(sum.busy, ns.saturating_mul(u64::from(cpus))),
                wait: ratio(sum.waiting, ns),
                wait_max: sum.waiting_max,
                ..Item::NOTHING
            });
        }
    })
}

/// The waiting tasks of a CPU.
pub(super) fn waiting(
    series: &Series,
    window: &Window,
    end: u64,
    items: &mut Items,
) -> Result<(), EngineError> {
    walk(series, window, end, &mut |sum| {
        if sum.waiting_max > 0 {
            items.push(Item {
                kind: KIND_WAIT,
                start: sum.start,
                end: sum.end,
                wait: ratio(sum.waiting, sum.end - sum.start),
                wait_max: sum.waiting_max,
                ..Item::NOTHING
            });
        }
    })
}

/// Sums for the whole window, one after the other.
fn walk(
    series: &Series,
    window: &Window,
    end: u64,
    show: &mut dyn FnMut(Sum),
) -> Result<(), EngineError> {
    let low = series
        .rows
        .partition(window.from, |step| step.time <= window.from)?;
    let high = series
        .rows
        .partition(window.to, |step| step.time < window.to)?;
    let mut rows = series.rows.cursor();
    if high.saturating_sub(low) <= window.few {
        let mut state = before(&mut rows, low)?;
        for row in low..high {
            let next = rows.get(row)?;
            constant(state, state.time, next.time, show);
            state = next;
        }
        let until = if high < series.rows.len() {
            rows.get(high)?.time
        } else {
            end
        };
        constant(state, state.time, until, show);
        return Ok(());
    }
    buckets(series, window, end, rows, show)
}

/// Sums bucket by bucket; buckets in which nothing changes are put together.
fn buckets(
    series: &Series,
    window: &Window,
    end: u64,
    mut rows: Cursor<'_, StepColumns>,
    show: &mut dyn FnMut(Sum),
) -> Result<(), EngineError> {
    let mut bucket = window.bucket(window.from);
    let past = window.bucket(window.to - 1);
    let start = window.border(bucket);
    let mut row = series.rows.partition(start, |step| step.time < start)?;
    let mut state = before(&mut rows, row)?;
    let dense = window
        .level
        .and_then(|level| series.levels.get(level))
        .map(|level| {
            let first = level.partition(start, |bucket| bucket.start < start)?;
            Ok::<_, EngineError>((level.cursor(), first, level.len()))
        });
    let mut dense = dense.transpose()?;
    while bucket <= past {
        let (from, until) = (window.border(bucket), window.border(bucket + 1).min(end));
        if let Some(sums) = next_dense(&mut dense, from)? {
            show(Sum {
                start: from,
                end: until,
                busy: sums.busy,
                waiting: sums.waiting,
                waiting_max: sums.waiting_max,
            });
            state = StepRow {
                time: from,
                busy: sums.last_busy,
                waiting: sums.last_waiting,
            };
            row = sums.first.saturating_add(sums.count);
            bucket += 1;
            continue;
        }
        let next = if row < series.rows.len() {
            rows.get(row)?.time
        } else {
            u64::MAX
        };
        let changes = if next == u64::MAX {
            past + 1
        } else {
            window.bucket(next).min(past + 1)
        };
        if changes > bucket {
            constant(state, from, window.border(changes).min(end), show);
            bucket = changes;
            continue;
        }
        let mut sum = Sum {
            start: from,
            end: until,
            busy: 0,
            waiting: 0,
            waiting_max: 0,
        };
        let mut since = from;
        loop {
            let next = if row < series.rows.len() {
                rows.get(row)?
            } else {
                NOTHING
            };
            let inside = row < series.rows.len() && next.time < until;
            let to = if inside { next.time } else { until };
            add(&mut sum, state, since, to);
            if !inside {
                break;
            }
            (state, since) = (next, to);
            row += 1;
        }
        show(sum);
        bucket += 1;
    }
    Ok(())
}

/// The kept bucket that starts at `start`, if there is one.
fn next_dense(
    dense: &mut Option<(Cursor<'_, StepBuckets>, u32, u32)>,
    start: u64,
) -> Result<Option<StepBucket>, EngineError> {
    let Some((cursor, next, len)) = dense.as_mut() else {
        return Ok(None);
    };
    while *next < *len {
        let bucket = cursor.get(*next)?;
        if bucket.start > start {
            return Ok(None);
        }
        *next += 1;
        if bucket.start == start {
            return Ok(Some(bucket));
        }
    }
    Ok(None)
}

fn before(rows: &mut Cursor<'_, StepColumns>, row: u32) -> Result<StepRow, EngineError> {
    row.checked_sub(1).map_or(Ok(NOTHING), |row| rows.get(row))
}

fn add(sum: &mut Sum, state: StepRow, from: u64, to: u64) {
    let ns = to.saturating_sub(from);
    if ns > 0 {
        sum.busy = sum
            .busy
            .saturating_add(ns.saturating_mul(u64::from(state.busy)));
        sum.waiting = sum
            .waiting
            .saturating_add(ns.saturating_mul(u64::from(state.waiting)));
        sum.waiting_max = sum.waiting_max.max(state.waiting);
    }
}

fn constant(state: StepRow, from: u64, to: u64, show: &mut dyn FnMut(Sum)) {
    if from < to {
        let mut sum = Sum {
            start: from,
            end: to,
            busy: 0,
            waiting: 0,
            waiting_max: 0,
        };
        add(&mut sum, state, from, to);
        show(sum);
    }
}
