//! Sleeps that waited for I/O.

use std::collections::{BTreeMap, HashMap};

use arrow_array::RecordBatch;
use numalens_core::columns::{i64s, u64s};

/// Collects the intervals of `sched_stat_iowait`. The event comes at the end of the sleep and has its length
/// (`update_stats_enqueue_sleeper`, `kernel/sched/stats.c`); it exists only with `kernel.sched_schedstats=1`.
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

/// Collects `sched_blocked_reason`, which each sleep in state D has at its end (`enqueue_sleeper` in `kernel/sched/fair.c` before
/// 5.16, `try_to_wake_up` in Android's kernels): whether it was an I/O wait.
#[derive(Debug, Clone, Default)]
pub struct Reasons {
    /// Pid, when, and whether it was.
    found: Vec<(i32, u64, bool)>,
}

impl Reasons {
    /// Looks at a batch of the event.
    pub fn observe(&mut self, batch: &RecordBatch) {
        let flag = i64s(batch, "iowait").or_else(|| i64s(batch, "io_wait"));
        let (Some(times), Some(pids), Some(flag)) =
            (u64s(batch, "ts_ns"), i64s(batch, "pid"), flag)
        else {
            return;
        };
        for (row, &ts_ns) in times.iter().enumerate() {
            self.found.push((pids[row] as i32, ts_ns, flag[row] != 0));
        }
    }

    /// Pid, from and to of the times between two events of a task whose second one says so: its sleep in D began there.
    #[must_use]
    pub fn finish(mut self) -> Vec<(i32, u64, u64)> {
        self.found.sort_unstable();
        self.found.dedup();
        let mut before: Option<(i32, u64)> = None;
        let mut waits = Vec::new();
        for (pid, to_ns, iowait) in self.found {
            let from_ns = before.filter(|last| last.0 == pid).map_or(0, |last| last.1);
            before = Some((pid, to_ns));
            if iowait {
                waits.push((pid, from_ns, to_ns));
            }
        }
        waits
    }
}

/// Collects block requests with the task that issued each: a request was in flight between its two events, if both are
/// recorded.
#[derive(Debug, Clone, Default)]
pub struct Requests {
    /// Pid and time by device and first sector.
    begun: HashMap<(i64, i64), Vec<(u64, i32)>>,
    /// Device, first sector, when.
    completed: Vec<(i64, i64, u64)>,
}

impl Requests {
    /// Events in the context of the task that makes a request.
    const BEGINS: [&str; 3] = ["block_bio_queue", "block_rq_insert", "block_rq_issue"];
    const ENDS: &str = "block_rq_complete";

    /// Returns whether the recorded events show requests.
    pub(super) fn known(has: impl Fn(&str) -> bool) -> bool {
        has(Self::ENDS) && Self::BEGINS.iter().any(|event| has(event))
    }

    /// Returns whether an event shows requests.
    #[must_use]
    pub fn reads(event: &str) -> bool {
        event == Self::ENDS || Self::BEGINS.contains(&event)
    }

    /// Looks at a batch of such an event.
    pub fn observe(&mut self, event: &str, batch: &RecordBatch) {
        let (Some(times), Some(devices), Some(sectors)) = (
            u64s(batch, "ts_ns"),
            i64s(batch, "dev"),
            i64s(batch, "sector"),
        ) else {
            return;
        };
        let mut pids = ["common_pid", "tid"].iter();
        let pids = pids.find_map(|name| i64s(batch, name));
        for (row, &ts_ns) in times.iter().enumerate() {
            let at = (devices[row], sectors[row]);
            if event == Self::ENDS {
                self.completed.push((at.0, at.1, ts_ns));
            } else if let Some(pids) = &pids {
                let begun = self.begun.entry(at).or_default();
                begun.push((ts_ns, pids[row] as i32));
            }
        }
    }

    /// Pid, from and to of the requests whose begin and end are known, and the device that had nine tenths of their time, as
    /// major and minor number.
    #[must_use]
    pub fn finish(mut self) -> (Vec<(i32, u64, u64)>, Option<String>) {
        /// The kernel's `MINORBITS`.
        const MINOR_BITS: u32 = 20;
        for begun in self.begun.values_mut() {
            begun.sort_unstable();
        }
        self.completed.sort_unstable();
        let mut waits = Vec::new();
        let mut before: Option<(i64, i64, u64)> = None;
        let mut devices: BTreeMap<i64, u64> = BTreeMap::new();
        for (device, sector, to_ns) in self.completed {
            let since = before.filter(|last| (last.0, last.1) == (device, sector));
            let since = since.map_or(0, |last| last.2);
            before = Some((device, sector, to_ns));
            let begun = self.begun.get(&(device, sector));
            let begun = begun.into_iter().flatten();
            let own = begun.filter(|one| (since..to_ns).contains(&one.0) && one.1 > 0);
            for &(from_ns, pid) in own {
                let ns = devices.entry(device).or_default();
                *ns = ns.saturating_add(to_ns - from_ns);
                waits.push((pid, from_ns, to_ns));
            }
        }
        let all = devices.values().copied().fold(0, u64::saturating_add);
        let most = devices.into_iter().max_by_key(|one| one.1);
        let most = most.filter(|one| one.1 > all / 10 * 9);
        let device = most.map(|(device, _)| {
            let minor = device & ((1 << MINOR_BITS) - 1);
            format!("{}:{minor}", device >> MINOR_BITS)
        });
        (waits, device)
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

    fn batch(columns: &[(&str, Vec<u64>)]) -> RecordBatch {
        let fields: Vec<_> = columns
            .iter()
            .map(|(name, _)| Field::new(*name, DataType::UInt64, false))
            .collect();
        let arrays = columns
            .iter()
            .map(|(_, values)| Arc::new(UInt64Array::from(values.clone())) as _);
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays.collect()).unwrap()
    }

    #[test]
    fn a_reason_is_that_of_the_sleep_before_it() {
        let mut reasons = Reasons::default();
        reasons.observe(&batch(&[
            ("ts_ns", vec![100, 200, 300, 150]),
            ("pid", vec![5, 5, 5, 6]),
            ("io_wait", vec![1, 0, 1, 0]),
        ]));
        assert_eq!(reasons.finish(), [(5, 0, 100), (5, 200, 300)]);
    }

    #[test]
    fn a_request_is_that_of_the_task_that_made_it() {
        let mut requests = Requests::default();
        let made = |times: Vec<u64>, pids: Vec<u64>, sectors: Vec<u64>| {
            let devices = vec![8 << 20 | 1; times.len()];
            batch(&[
                ("ts_ns", times),
                ("common_pid", pids),
                ("dev", devices),
                ("sector", sectors),
            ])
        };
        // Two requests for one sector, one after the other; one of another sector that never ends; one of the idle task.
        let issued = made(vec![10, 50, 20, 60], vec![5, 6, 7, 0], vec![64, 64, 72, 64]);
        requests.observe("block_rq_issue", &issued);
        requests.observe(
            "block_rq_complete",
            &made(vec![40, 90], vec![0, 0], vec![64, 64]),
        );
        let mut both = requests.clone();
        let (waits, device) = requests.finish();
        assert_eq!(waits, [(5, 10, 40), (6, 50, 90)]);
        assert_eq!(device.as_deref(), Some("8:1"));
        // Another device has a part of the time: none is named.
        let other = |time: u64| {
            batch(&[
                ("ts_ns", vec![time]),
                ("common_pid", vec![5]),
                ("dev", vec![9 << 20]),
                ("sector", vec![1]),
            ])
        };
        both.observe("block_rq_issue", &other(10));
        both.observe("block_rq_complete", &other(50));
        assert_eq!(both.finish().1, None);
    }
}
