//! A lane's rows as one series, though they lie in many batches.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use numalens_core::EngineError;
use numalens_core::ipc::Bytes;
use numalens_core::logs::{Batches, Columns};

use super::{Leveled, damaged};
use crate::timeline::rows::RunRow;

/// Rows that lie together: the series' rows from `base` on are the batch's from `offset` on.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    base: u32,
    len: u32,
    batch: u32,
    offset: u32,
    /// Time of the first of them.
    first: u64,
}

/// The rows of one lane (and level), ascending in time. A batch is read when one of its rows is needed.
#[derive(Debug)]
pub(in crate::timeline) struct Series<C> {
    batches: Option<Arc<Batches<C>>>,
    runs: Vec<Run>,
    rows: u32,
}

impl<C> Default for Series<C> {
    fn default() -> Self {
        Self {
            batches: None,
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
            run: Run::default(),
            columns: None,
        }
    }

    /// The rows of a range, which must not go beyond the series' length. Their batches are read at once.
    pub(in crate::timeline) fn range(
        &self,
        rows: Range<u32>,
    ) -> Result<impl Iterator<Item = C::Row>, EngineError> {
        let first = self.runs.partition_point(|run| run.base <= rows.start);
        let runs = self.runs.iter().skip(first.saturating_sub(1));
        let runs = runs.take_while(|run| run.base < rows.end);
        let mut parts = Vec::new();
        for run in runs.filter(|_| !rows.is_empty()) {
            if let Some(batches) = &self.batches {
                let begin = rows.start.max(run.base) - run.base;
                let end = rows.end.min(run.base + run.len) - run.base;
                let part = (run.offset + begin) as usize..(run.offset + end) as usize;
                parts.push((batches.get(run.batch as usize)?, part));
            }
        }
        let parts = parts.into_iter();
        Ok(parts.flat_map(|(batch, rows)| rows.map(|row| batch.get(row))))
    }

    /// Number of rows at the start for which `before` holds. It must hold for no row after the first it fails for, and for no
    /// row of a time after `time`. It must also hold for every row in front of one of a time up to `time`.
    pub(in crate::timeline) fn partition(
        &self,
        time: u64,
        before: impl Fn(&C::Row) -> bool,
    ) -> Result<u32, EngineError> {
        // The directory shows the one run in which it may begin to fail: no other one is read.
        let run = self.runs.partition_point(|run| run.first <= time);
        let Some(run) = run.checked_sub(1).map(|at| self.runs[at]) else {
            return Ok(0);
        };
        let mut rows = self.cursor();
        let (mut low, mut high) = (run.base, run.base + run.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(&rows.get(middle)?) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}

/// Reads rows that are near each other without looking for their batch each time.
#[derive(Debug)]
pub(in crate::timeline) struct Cursor<'a, C> {
    series: &'a Series<C>,
    run: Run,
    columns: Option<&'a C>,
}

impl<C: Columns> Cursor<'_, C> {
    /// The row, which must be below the series' length.
    #[inline]
    pub(in crate::timeline) fn get(&mut self, row: u32) -> Result<C::Row, EngineError> {
        let behind = row.wrapping_sub(self.run.base);
        match self.columns {
            Some(columns) if behind < self.run.len => {
                Ok(columns.get((self.run.offset + behind) as usize))
            }
            _ => self.turn(row),
        }
    }

    /// Goes to the batch of a row.
    #[cold]
    fn turn(&mut self, row: u32) -> Result<C::Row, EngineError> {
        let runs = &self.series.runs;
        let run = runs.partition_point(|run| run.base <= row).checked_sub(1);
        let (Some(run), Some(batches)) = (run.map(|at| runs[at]), &self.series.batches) else {
            return Err(damaged("a lane has no rows"));
        };
        let columns = batches.get(run.batch as usize)?;
        (self.run, self.columns) = (run, Some(columns));
        Ok(columns.get((run.offset + (row - run.base)) as usize))
    }
}

/// The lanes of a table of rows and a table of its levels, which are the tables `numbers` of the directory.
pub(super) fn leveled<R: Columns, B: Columns>(
    rows: &Bytes,
    levels: Option<&Bytes>,
    directory: &[RunRow],
    numbers: [u8; 2],
) -> Result<HashMap<u32, Leveled<R, B>>, EngineError> {
    let rows = Arc::new(Batches::unordered(rows.clone(), "a timeline")?);
    let levels = levels.map(|levels| Batches::unordered(levels.clone(), "a timeline's levels"));
    let levels = levels.transpose()?.map(Arc::new);
    let mut lanes: HashMap<u32, Leveled<R, B>> = HashMap::new();
    // A row is in one lane; else a small file could have as many as it likes.
    let mut left = [
        rows.rows(),
        levels.as_ref().map_or(0, |levels| levels.rows()),
    ];
    for run in directory {
        if let Some(table) = numbers.iter().position(|&number| number == run.table) {
            let rest = left[table].checked_sub(run.len as usize);
            left[table] = rest.ok_or_else(|| damaged("its directory names rows twice"))?;
        }
        if run.table == numbers[0] {
            append(&mut lanes.entry(run.lane).or_default().rows, &rows, run)?;
        } else if let Some(levels) = levels.as_ref().filter(|_| run.table == numbers[1]) {
            let lane = lanes.entry(run.lane).or_default();
            while lane.levels.len() <= usize::from(run.level) {
                lane.levels.push(Series::default());
            }
            append(&mut lane.levels[usize::from(run.level)], levels, run)?;
        }
    }
    Ok(lanes)
}

fn append<C: Columns>(
    series: &mut Series<C>,
    batches: &Arc<Batches<C>>,
    run: &RunRow,
) -> Result<(), EngineError> {
    let batch = batches.extents().get(run.batch as usize);
    let rows = batch.map_or(0, |batch| batch.rows);
    let inside = run
        .offset
        .checked_add(run.len)
        .is_some_and(|end| u64::from(end) <= rows);
    let total = series.rows.checked_add(run.len);
    let (true, true, Some(total)) = (inside, run.len > 0, total) else {
        return Err(damaged("its directory names rows that are not there"));
    };
    series.batches = Some(Arc::clone(batches));
    series.runs.push(Run {
        base: series.rows,
        len: run.len,
        batch: run.batch,
        offset: run.offset,
        first: run.first,
    });
    series.rows = total;
    Ok(())
}
