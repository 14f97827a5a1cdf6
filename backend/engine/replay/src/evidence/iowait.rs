//! Sleeps that the kernel counted as waiting for IO.

use arrow_array::RecordBatch;
use numalens_core::columns::{i64s, u64s};

/// Collects the intervals of `sched_stat_iowait`. The event stands at the end of the sleep and tells how long it was
/// (`update_stats_enqueue_sleeper`, `kernel/sched/stats.c`); it is there only with `kernel.sched_schedstats=1`.
#[derive(Debug, Clone, Default)]
pub struct IowaitEvidence {
    found: Vec<(i32, u64, u64)>,
}

impl IowaitEvidence {
    /// The columns that are looked at.
    pub const COLUMNS: [&str; 3] = ["ts_ns", "pid", "delay"];

    /// Looks at a batch of `sched_stat_iowait`.
    pub fn observe(&mut self, batch: &RecordBatch) {
        let (Some(times), Some(pids), Some(delays)) = (
            u64s(batch, "ts_ns"),
            i64s(batch, "pid"),
            i64s(batch, "delay"),
        ) else {
            return;
        };
        for (row, &to_ns) in times.iter().enumerate() {
            let from_ns = to_ns.saturating_sub(delays[row].unsigned_abs());
            if from_ns < to_ns {
                self.found.push((pids[row] as i32, from_ns, to_ns));
            }
        }
    }

    /// Pid, from, to.
    #[must_use]
    pub fn finish(self) -> Vec<(i32, u64, u64)> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Int32Array, UInt64Array};
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    #[test]
    fn an_interval_ends_at_its_event() {
        let schema = Schema::new(vec![
            Field::new("ts_ns", DataType::UInt64, false),
            Field::new("pid", DataType::Int32, false),
            Field::new("delay", DataType::UInt64, false),
        ]);
        let batch = RecordBatch::try_new(
            Arc::new(schema),
            vec![
                Arc::new(UInt64Array::from(vec![1_000, 2_000, 3_000])),
                Arc::new(Int32Array::from(vec![5, 6, 5])),
                Arc::new(UInt64Array::from(vec![400, 9_000, 0])),
            ],
        );
        let mut evidence = IowaitEvidence::default();
        evidence.observe(&batch.unwrap());
        assert_eq!(evidence.finish(), [(5, 600, 1_000), (6, 0, 2_000)]);
    }
}
