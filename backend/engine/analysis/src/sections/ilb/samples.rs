//! Samples of `/proc/stat` as rows on the reference clock.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use numalens_bundle::{Error, Open};

use crate::ilb::idle::StatSample;
use crate::sections::data::{at, integers, samples};

/// The placed lines of all CPUs together, by time.
pub(super) fn stat(open: &Open) -> Result<Vec<StatSample>, Error> {
    let mut found = Vec::new();
    samples(open, "stat", |batch| found.extend(rows(batch)))?;
    found.sort_by_key(|sample| sample.t_ns);
    found.dedup_by_key(|sample| sample.t_ns);
    Ok(found)
}

fn rows(batch: &RecordBatch) -> Vec<StatSample> {
    let number = |name: &str, row: usize| -> u64 {
        let Some(array) = batch.column_by_name(name) else {
            return 0;
        };
        if let Some(array) = array.as_primitive_opt::<UInt64Type>() {
            return if array.is_valid(row) {
                array.value(row)
            } else {
                0
            };
        }
        let array = array.as_primitive_opt::<Int64Type>();
        at(array, row).map_or(0, |value| value.max(0) as u64)
    };
    let cpus = batch.column_by_name("cpu");
    let cpus = cpus.and_then(|array| array.as_primitive_opt::<Int32Type>());
    let times = integers(batch, "ts_ns");
    let row = |row: usize| {
        let t_ns = u64::try_from(at(times, row)?).ok()?;
        let cpu = cpus.filter(|cpus| cpus.is_valid(row))?.value(row);
        Some(StatSample {
            t_ns,
            cpu,
            user: number("user", row) + number("nice", row),
            system: number("system", row),
            idle: number("idle", row),
            iowait: number("iowait", row),
            irq: number("irq", row) + number("softirq", row),
            steal: number("steal", row),
        })
        .filter(|sample| sample.cpu < 0)
    };
    (0..batch.num_rows()).filter_map(row).collect()
}
