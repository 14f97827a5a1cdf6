//! A lane's rows as one series, though they lie in many batches.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_buffer::Buffer;

use super::{Leveled, damaged, files};
use crate::EngineError;
use crate::rows::Columns;
use crate::timeline::rows::RunRow;

/// Rows that lie together: the series' rows from `base` on are the batch's from `offset` on.
#[derive(Debug, Clone, Copy)]
struct Run {
    base: u32,
    len: u32,
    batch: u32,
    offset: u32,
}

/// The rows of one lane (and level), ascending in time.
#[derive(Debug)]
pub(in crate::timeline) struct Series<C> {
    batches: Arc<Vec<C>>,
    runs: Vec<Run>,
    rows: u32,
}

impl<C> Default for Series<C> {
    fn default() -> Self {
        Self {
            batches: Arc::new(Vec::new()),
            runs: Vec::new(),
            rows: 0,
        }
    }
}

impl<C: Columns> Series<C> {
    pub(in crate::timeline) fn len(&self) -> u32 {
        self.rows
    }

    pub(in crate::timeline) fn cursor(&self) -> Cursor<'_, C> {
        Cursor {
            series: self,
            run: 0,
        }
    }

    /// The number of rows at the beginning for which `before` holds; it must hold for none after the first it fails for.
    pub(in crate::timeline) fn partition(&self, before: impl Fn(&C::Row) -> bool) -> u32 {
        let run = self
            .runs
            .partition_point(|run| before(&self.get(*run, run.base)));
        let Some(run) = run.checked_sub(1).map(|at| self.runs[at]) else {
            return 0;
        };
        let (mut low, mut high) = (run.base + 1, run.base + run.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(&self.get(run, middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    #[inline]
    fn get(&self, run: Run, row: u32) -> C::Row {
        self.batches[run.batch as usize].get((run.offset + (row - run.base)) as usize)
    }
}

/// Reads rows that are near each other without looking for their batch each time.
#[derive(Debug)]
pub(in crate::timeline) struct Cursor<'a, C> {
    series: &'a Series<C>,
    run: usize,
}

impl<C: Columns> Cursor<'_, C> {
    /// The row, which must be below the series' length.
    #[inline]
    pub(in crate::timeline) fn get(&mut self, row: u32) -> C::Row {
        let run = self.series.runs[self.run];
        if row.wrapping_sub(run.base) < run.len {
            return self.series.get(run, row);
        }
        self.run = self
            .series
            .runs
            .partition_point(|run| run.base <= row)
            .saturating_sub(1);
        self.series.get(self.series.runs[self.run], row)
    }
}

/// The lanes of a table of rows and a table of its levels, which are the tables `numbers` of the directory.
pub(super) fn leveled<R: Columns, B: Columns>(
    rows: &Buffer,
    levels: &Buffer,
    directory: &[RunRow],
    numbers: [u8; 2],
) -> Result<HashMap<u32, Leveled<R, B>>, EngineError> {
    let rows = Arc::new(files::open::<R>(rows)?.0);
    let levels = if numbers[1] == u8::MAX {
        Arc::default()
    } else {
        Arc::new(files::open::<B>(levels)?.0)
    };
    let mut lanes: HashMap<u32, Leveled<R, B>> = HashMap::new();
    for run in directory {
        if run.table == numbers[0] {
            append(&mut lanes.entry(run.lane).or_default().rows, &rows, run)?;
        } else if run.table == numbers[1] {
            let lane = lanes.entry(run.lane).or_default();
            while lane.levels.len() <= usize::from(run.level) {
                lane.levels.push(Series::default());
            }
            append(&mut lane.levels[usize::from(run.level)], &levels, run)?;
        }
    }
    Ok(lanes)
}

fn append<C: Columns>(
    series: &mut Series<C>,
    batches: &Arc<Vec<C>>,
    run: &RunRow,
) -> Result<(), EngineError> {
    let rows = batches.get(run.batch as usize).map_or(0, Columns::rows);
    let inside = run
        .offset
        .checked_add(run.len)
        .is_some_and(|end| end as usize <= rows);
    let total = series.rows.checked_add(run.len);
    let (true, true, Some(total)) = (inside, run.len > 0, total) else {
        return Err(damaged("its directory names rows that are not there"));
    };
    series.batches = Arc::clone(batches);
    series.runs.push(Run {
        base: series.rows,
        len: run.len,
        batch: run.batch,
        offset: run.offset,
    });
    series.rows = total;
    Ok(())
}
