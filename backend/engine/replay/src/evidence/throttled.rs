//! Times in which a cgroup had used up its `cpu.max`, out of samples of its `cpu.stat`.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};

use crate::run_state::Throttle;

/// The counters of `cpu.stat` that grow while a cgroup is throttled (`cpu_cfs_stat_show`, `kernel/sched/core.c`).
const COUNTERS: [&str; 2] = ["throttled_usec", "nr_throttled"];

/// Collects the samples of the table `cgroup_stat`.
#[derive(Debug, Clone, Default)]
pub struct Throttling {
    /// Time and value of each counter of each cgroup.
    counters: BTreeMap<(String, usize), Vec<(u64, f64)>>,
}

impl Throttling {
    /// Looks at placed samples; rows without a time or a value say nothing.
    pub fn observe(&mut self, batch: &RecordBatch) {
        let text = |name: &str| batch.column_by_name(name)?.as_string_opt::<i32>();
        let times = batch
            .column_by_name("ts_ns")
            .and_then(|array| array.as_primitive_opt::<Int64Type>());
        let values = batch
            .column_by_name("value")
            .and_then(|array| array.as_primitive_opt::<Float64Type>());
        let (Some(times), Some(values)) = (times, values) else {
            return;
        };
        let (Some(cgroups), Some(files), Some(names)) =
            (text("cgroup"), text("file"), text("name"))
        else {
            return;
        };
        for row in 0..batch.num_rows() {
            let counter = COUNTERS.iter().position(|name| names.value(row) == *name);
            let (Some(counter), "cpu.stat") = (counter, files.value(row)) else {
                continue;
            };
            if times.is_null(row) || values.is_null(row) {
                continue;
            }
            let Ok(time) = u64::try_from(times.value(row)) else {
                continue;
            };
            // The root has no `cpu.max`.
            let cgroup = cgroups.value(row);
            if !matches!(cgroup, "" | "/") {
                let key = (cgroup.to_owned(), counter);
                let samples = self.counters.entry(key).or_default();
                samples.push((time, values.value(row)));
            }
        }
    }

    /// The spans between two samples over which a counter grew. When within the span the cgroup was throttled, nobody
    /// knows; spans that touch are one.
    #[must_use]
    pub fn finish(self) -> Vec<Throttle> {
        let mut grown: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
        for ((cgroup, _), mut samples) in self.counters {
            samples.sort_by_key(|sample| sample.0);
            for pair in samples.windows(2) {
                let ((from, before), (to, after)) = (pair[0], pair[1]);
                if after > before && from < to {
                    grown.entry(cgroup.clone()).or_default().push((from, to));
                }
            }
        }
        let mut spans = Vec::new();
        for (path, mut found) in grown {
            found.sort_unstable();
            let mut joined: Vec<(u64, u64)> = Vec::new();
            for (from, to) in found {
                match joined.last_mut() {
                    Some(last) if from <= last.1 => last.1 = last.1.max(to),
                    _ => joined.push((from, to)),
                }
            }
            spans.extend(joined.into_iter().map(|(from_ns, to_ns)| Throttle {
                path: path.clone(),
                from_ns,
                to_ns,
            }));
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Float64Array, Int64Array, StringArray};
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    fn batch(rows: &[(Option<i64>, &str, &str, &str, f64)]) -> RecordBatch {
        let schema = Schema::new(vec![
            Field::new("ts_ns", DataType::Int64, true),
            Field::new("cgroup", DataType::Utf8, false),
            Field::new("file", DataType::Utf8, false),
            Field::new("name", DataType::Utf8, false),
            Field::new("value", DataType::Float64, true),
        ]);
        RecordBatch::try_new(
            Arc::new(schema),
            vec![
                Arc::new(rows.iter().map(|row| row.0).collect::<Int64Array>()),
                Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.1))),
                Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.2))),
                Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.3))),
                Arc::new(rows.iter().map(|row| Some(row.4)).collect::<Float64Array>()),
            ],
        )
        .unwrap()
    }

    #[test]
    fn spans_are_where_counters_grew() {
        let mut throttling = Throttling::default();
        throttling.observe(&batch(&[
            (Some(100), "/a", "cpu.stat", "throttled_usec", 5.0),
            (Some(200), "/a", "cpu.stat", "throttled_usec", 5.0),
            (Some(300), "/a", "cpu.stat", "throttled_usec", 9.0),
            (Some(400), "/a", "cpu.stat", "throttled_usec", 12.0),
            (Some(400), "/a", "cpu.stat", "nr_throttled", 1.0),
            (Some(500), "/a", "cpu.stat", "nr_throttled", 2.0),
            (None, "/a", "cpu.stat", "throttled_usec", 99.0),
            (Some(100), "/b", "cpu.stat", "usage_usec", 1.0),
            (Some(200), "/b", "cpu.stat", "usage_usec", 2.0),
            (Some(100), "/", "cpu.stat", "throttled_usec", 1.0),
            (Some(200), "/", "cpu.stat", "throttled_usec", 2.0),
        ]));
        let spans = throttling.finish();
        let spans: Vec<_> = spans
            .iter()
            .map(|span| (span.path.as_str(), span.from_ns, span.to_ns))
            .collect();
        assert_eq!(spans, [("/a", 200, 500)]);
    }
}
