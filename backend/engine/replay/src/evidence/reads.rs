//! Times at which samplers read the pressure files: each read makes the kernel aggregate.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, Int64Array, RecordBatch};

/// The place of one row of the table `psi` in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sampled {
    ts_ns: u64,
    /// Duration of the reads of one instant; `None` when only their start is known.
    took_ns: Option<u64>,
    /// Place of its cgroup in the list of cgroups.
    cgroup: usize,
    /// Place of the row among those of its instant and its input.
    nth: u64,
}

/// Collects when pressure was read.
///
/// One timestamp covers the reads of several files: `cpu`, `memory` and `io` of the machine, often of cgroups as well. Every
/// read aggregates all resources of its group (`psi_show`, `kernel/sched/psi.c`), so each is an instant of its own. If the
/// end of the reads is known, the files are placed at halves of the remaining time (0.5, 0.75, 0.875). Probes of `psi_show`
/// saw them there for a sampler that takes its timestamp, writes it to the trace and then reads. Files with only a timestamp
/// come after those of the same timestamp with a known end, each taking as long as one of those. Without such files, they are
/// at the timestamp.
#[derive(Debug, Clone, Default)]
pub struct Reads {
    cgroups: BTreeMap<String, usize>,
    rows: Vec<Sampled>,
}

/// A read of a pressure file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadAt {
    /// Time, ns of the reference clock.
    pub ts_ns: u64,
    /// Path of the cgroup; `/` is the machine, whose pressure the root cgroup shows.
    pub cgroup: String,
}

/// Time at which the file `nth` (from 0) was read, when the reads began at `from` and took `took` ns together: at halves of
/// the remaining time.
#[must_use]
pub fn read_time(from: u64, took: u64, nth: u64) -> u64 {
    let left = took.checked_shr(nth as u32 + 1).unwrap_or(0);
    from.saturating_add(took - left)
}

impl Reads {
    /// Looks at placed samples of the table `psi`; rows without a time say nothing. An input's rows come in its order.
    pub fn observe(&mut self, batch: &RecordBatch) {
        let numbers = |name: &str| {
            batch
                .column_by_name(name)
                .and_then(|array| array.as_primitive_opt::<Int64Type>())
        };
        let cgroups = batch
            .column_by_name("cgroup")
            .and_then(|array| array.as_string_opt::<i32>());
        let (Some(times), Some(cgroups)) = (numbers("ts_ns"), cgroups) else {
            return;
        };
        let (mono, end) = (numbers("mono_ns"), numbers("end_mono_ns"));
        let at = |array: Option<&Int64Array>, row: usize| {
            array.and_then(|array| array.is_valid(row).then(|| array.value(row)))
        };
        for row in (0..batch.num_rows()).filter(|&row| times.is_valid(row)) {
            let Ok(ts_ns) = u64::try_from(times.value(row)) else {
                continue;
            };
            let took = at(end, row).zip(at(mono, row));
            let took_ns = took.and_then(|(end, mono)| u64::try_from(end.checked_sub(mono)?).ok());
            let cgroup = match cgroups.value(row) {
                "" => "/",
                path => path,
            };
            let cgroup = if let Some(&known) = self.cgroups.get(cgroup) {
                known
            } else {
                let number = self.cgroups.len();
                self.cgroups.insert(cgroup.to_owned(), number);
                number
            };
            let nth = match self.rows.last() {
                Some(last) if (last.ts_ns, last.took_ns) == (ts_ns, took_ns) => last.nth + 1,
                _ => 0,
            };
            self.rows.push(Sampled {
                ts_ns,
                took_ns,
                cgroup,
                nth,
            });
        }
    }

    /// Time of each row's read, in the order of the rows; rows without a time have none here.
    #[must_use]
    pub fn times(&self) -> Vec<u64> {
        let mut known: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for row in &self.rows {
            if let Some(took) = row.took_ns {
                let (longest, files) = known.entry(row.ts_ns).or_default();
                *longest = (*longest).max(took);
                *files = (*files).max(row.nth + 1);
            }
        }
        let mut times = vec![0; self.rows.len()];
        // From behind: how many files a stamp without an end stands for, and when the next one is, is known from later rows.
        let (mut files, mut next) = (0, u64::MAX);
        let mut after: Option<u64> = None;
        for (at, row) in self.rows.iter().enumerate().rev() {
            let machine = known.get(&row.ts_ns).copied();
            times[at] = match (row.took_ns, machine) {
                (Some(took), _) => read_time(row.ts_ns, took, row.nth),
                (None, Some((took, of))) => {
                    if after != Some(row.ts_ns) {
                        next = after.filter(|&after| after > row.ts_ns).unwrap_or(u64::MAX);
                        (files, after) = (row.nth + 1, Some(row.ts_ns));
                    }
                    let end = row.ts_ns.saturating_add(took);
                    let room = next.saturating_sub(end) / (files + 1);
                    let each = (took / of.max(1)).min(room);
                    end.saturating_add(each.saturating_mul(row.nth + 1))
                }
                _ => row.ts_ns,
            };
        }
        times
    }

    /// The reads, ascending by time, each once.
    #[must_use]
    pub fn finish(self) -> Vec<ReadAt> {
        let times = self.times();
        let mut names = vec![String::new(); self.cgroups.len()];
        for (name, number) in self.cgroups {
            names[number] = name;
        }
        let rows = self.rows.iter().zip(times);
        let mut reads: Vec<ReadAt> = rows
            .map(|(row, ts_ns)| ReadAt {
                ts_ns,
                cgroup: names[row.cgroup].clone(),
            })
            .collect();
        reads.sort_unstable();
        reads.dedup();
        reads
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::StringArray;
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    type Row = (Option<i64>, Option<i64>, Option<i64>, &'static str);

    fn batch(rows: &[Row]) -> RecordBatch {
        let number = |name| Field::new(name, DataType::Int64, true);
        let schema = Schema::new(vec![
            number("ts_ns"),
            number("mono_ns"),
            number("end_mono_ns"),
            Field::new("cgroup", DataType::Utf8, false),
        ]);
        let columns: [fn(&Row) -> Option<i64>; 3] = [|row| row.0, |row| row.1, |row| row.2];
        let mut arrays: Vec<arrow_array::ArrayRef> = Vec::new();
        for column in columns {
            arrays.push(Arc::new(rows.iter().map(column).collect::<Int64Array>()));
        }
        arrays.push(Arc::new(StringArray::from_iter_values(
            rows.iter().map(|row| row.3),
        )));
        RecordBatch::try_new(Arc::new(schema), arrays).unwrap()
    }

    #[test]
    fn files_without_an_end_are_read_before_the_next_stamp() {
        let mut reads = Reads::default();
        reads.observe(&batch(&[
            (Some(1_000), Some(1_000), Some(1_600), ""),
            (Some(2_000), Some(2_000), Some(2_100), ""),
        ]));
        let alone = |ts| (Some(ts), None, None, "/a");
        reads.observe(&batch(&[
            alone(1_000),
            alone(1_000),
            alone(1_000),
            alone(2_000),
        ]));
        assert_eq!(reads.times(), [1_300, 2_050, 1_700, 1_800, 1_900, 2_200]);
    }

    #[test]
    fn files_are_read_one_after_the_other() {
        let mut reads = Reads::default();
        let whole = (Some(1_000), Some(5_000), Some(5_600), "");
        reads.observe(&batch(&[whole, whole, whole]));
        reads.observe(&batch(&[
            (Some(1_000), Some(5_000), None, "/"),
            (Some(1_000), Some(5_000), None, "/a"),
            (Some(9_000), None, None, "/a"),
            (None, Some(5_000), None, "/a"),
        ]));
        let found: Vec<_> = reads
            .finish()
            .into_iter()
            .map(|read| (read.ts_ns, read.cgroup))
            .collect();
        let expected = [
            (1_300, "/"),
            (1_450, "/"),
            (1_525, "/"),
            (1_800, "/"),
            (2_000, "/a"),
            (9_000, "/a"),
        ];
        assert_eq!(
            found,
            expected.map(|(time, cgroup)| (time, cgroup.to_owned()))
        );
    }
}
