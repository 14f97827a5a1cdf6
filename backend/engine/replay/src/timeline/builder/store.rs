//! Writes a table's rows lane by lane, in batches of a bounded size.

use numalens_core::logs::{BatchesWriter, Columns};
use numalens_core::{EngineError, Output};

use crate::timeline::rows::RunRow;

/// Rows of all lanes that are held back before a batch is written: few enough to stay in the processor's cache.
const HELD_ROWS: usize = 1 << 13;

/// With many lanes a batch has so many rows a lane on the mean, so that saying where they are stays a small part.
const LANE_ROWS: usize = 64;

/// Destination of a lane's rows of one level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Handle(u32);

#[derive(Debug)]
struct Held<R> {
    lane: u32,
    level: u8,
    rows: Vec<R>,
}

/// A table being written. A batch holds the rows of many lanes, each lane's rows together; `runs` says where.
pub(super) struct Table<C: Columns> {
    number: u8,
    writer: BatchesWriter<C>,
    lanes: Vec<Held<C::Row>>,
    held: usize,
    batches: u32,
}

impl<C: Columns> Table<C> {
    pub(super) fn new(number: u8, out: Output) -> Result<Self, EngineError> {
        Ok(Self {
            number,
            writer: BatchesWriter::new(out)?,
            lanes: Vec::new(),
            held: 0,
            batches: 0,
        })
    }

    pub(super) fn lane(&mut self, lane: u32, level: u8) -> Handle {
        self.lanes.push(Held {
            lane,
            level,
            rows: Vec::new(),
        });
        Handle(self.lanes.len() as u32 - 1)
    }

    /// Appends a row; the rows of a lane and level ascend in time.
    pub(super) fn push(&mut self, to: Handle, row: C::Row) {
        self.lanes[to.0 as usize].rows.push(row);
        self.held += 1;
    }

    /// Returns whether enough rows are held back for a batch.
    pub(super) fn full(&self) -> bool {
        self.held >= self.most()
    }

    fn most(&self) -> usize {
        HELD_ROWS.max(LANE_ROWS * self.lanes.len())
    }

    pub(super) fn flush(&mut self, runs: &mut Vec<RunRow>) -> Result<(), EngineError> {
        if self.held == 0 {
            return Ok(());
        }
        let parts: Vec<&[C::Row]> = self.lanes.iter().map(|held| &*held.rows).collect();
        self.writer.write(&parts)?;
        let kept = 4 * self.most() / self.lanes.len();
        let mut offset = 0;
        for held in &mut self.lanes {
            if let Some(first) = held.rows.first() {
                runs.push(RunRow {
                    table: self.number,
                    level: held.level,
                    lane: held.lane,
                    batch: self.batches,
                    offset,
                    len: held.rows.len() as u32,
                    first: C::time(first),
                });
                offset += held.rows.len() as u32;
            }
            held.rows.clear();
            // Lanes that had a burst do not keep the room for it.
            held.rows.shrink_to(kept);
        }
        self.held = 0;
        self.batches += 1;
        Ok(())
    }

    pub(super) fn finish(mut self, runs: &mut Vec<RunRow>) -> Result<(), EngineError> {
        self.flush(runs)?;
        self.writer.finish()
    }
}
