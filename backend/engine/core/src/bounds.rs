//! Checks of a log's rows. The files of a bundle are untrusted: they may come from a bucket or an export. This is the one
//! place that checks rows, when a batch is read; later code may index by their numbers and subtract their times.

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use crate::cells::{Cell, Columns, column};
use crate::ipc::extent::BatchExtent;
use crate::tasks::NO_TASK;

/// Times come before this, ns: 146 years, so that sums of them, and of a few of them, fit into 64 bits.
pub const LATEST_NS: u64 = 1 << 62;

/// Number of items in a bundle to which rows refer by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Rows of the table of tasks.
    pub tasks: u32,
    /// Cgroups, the root among them.
    pub groups: u32,
}

impl Default for Bounds {
    /// As many as can be numbered.
    fn default() -> Self {
        Self {
            tasks: u32::MAX,
            groups: u32::MAX,
        }
    }
}

/// Returns the error in the columns of a batch, whose names are those of `schema`; `None` if they are consistent.
pub(crate) fn columns(batch: &RecordBatch, schema: &Schema, bounds: Bounds) -> Option<String> {
    let at = |name: &str| schema.index_of(name).ok();
    for (at, field) in schema.fields().iter().enumerate() {
        let name = field.name().as_str();
        let known = match name {
            "task" => all(batch, at, |task: u32| {
                task < bounds.tasks || task == NO_TASK
            }),
            "group" => all(batch, at, |group: u32| group < bounds.groups),
            "start" | "end" | "time" | "first" | "ts_ns" | "start_ns" | "end_ns" | "first_ns" => {
                all(batch, at, |time: u64| time < LATEST_NS)
            }
            _ => true,
        };
        if !known {
            return Some(format!("has a {name} that cannot be"));
        }
    }
    for (start, end) in [("start", "end"), ("start_ns", "end_ns")] {
        let edges = at(start)
            .zip(at(end))
            .and_then(|(start, end)| column::<u64>(batch, start).zip(column::<u64>(batch, end)));
        if let Some((starts, ends)) = edges
            && starts.iter().zip(&*ends).any(|(start, end)| start > end)
        {
            return Some("has a row that ends before it begins".to_owned());
        }
    }
    None
}

/// Returns whether the condition holds for all values of a column; also when it has another type.
fn all<T: Cell>(batch: &RecordBatch, at: usize, is: impl Fn(T) -> bool) -> bool {
    // Without a branch for each value, of which nearly always all are looked at.
    column::<T>(batch, at).is_none_or(|values| {
        values
            .iter()
            .fold(true, |so_far, &value| so_far & is(value))
    })
}

/// Returns the error in the times of ascending rows; `None` if they ascend within the extent of the file.
pub(crate) fn order<C: Columns>(columns: &C, extent: &BatchExtent) -> Option<String> {
    let (mut last, mut ascends) = (extent.first_ns, true);
    columns.each(0..columns.rows(), |row| {
        let time = C::time(&row);
        ascends &= last <= time;
        last = time;
    });
    let within = columns.rows() == 0 || last <= extent.last_ns;
    (!ascends || !within).then(|| "has rows that are not in the order of their times".to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use arrow_buffer::Buffer;

    use super::*;
    use crate::Output;
    use crate::ipc::Bytes;
    use crate::logs::{Batches, BatchesWriter, table};

    table! {
        /// A row as logs have them.
        Kept, KeptColumns, end_ns, {
            start_ns: u64,
            end_ns: u64,
            task: u32,
            group: u32,
        }
    }

    const ROW: Kept = Kept {
        start_ns: 5,
        end_ns: 7,
        task: 2,
        group: 0,
    };

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// A log of these batches; three tasks and a cgroup are known.
    fn log(batches: &[&[Kept]]) -> Bytes {
        let out = Shared::default();
        let mut writer = BatchesWriter::<KeptColumns>::new(Output::new(out.clone())).unwrap();
        for rows in batches {
            writer.write(&[rows]).unwrap();
        }
        writer.finish().unwrap();
        let bytes = Bytes::from(Buffer::from_vec(std::mem::take(
            &mut *out.0.lock().unwrap(),
        )));
        bytes.within(Bounds {
            tasks: 3,
            groups: 1,
        })
    }

    /// Returns the error, or an empty text.
    fn problem(batches: &[&[Kept]]) -> String {
        let all = Batches::<KeptColumns>::open(log(batches), "rows");
        all.and_then(Batches::into_all)
            .map_or_else(|error| error.to_string(), |_| "nothing".to_owned())
    }

    #[test]
    fn rows_name_what_there_is() {
        let nobody = Kept {
            task: NO_TASK,
            ..ROW
        };
        assert_eq!(problem(&[&[ROW, nobody], &[], &[ROW]]), "nothing");
        for (row, name) in [
            (Kept { task: 3, ..ROW }, "task"),
            (Kept { group: 1, ..ROW }, "group"),
            (
                Kept {
                    end_ns: LATEST_NS,
                    ..ROW
                },
                "end_ns",
            ),
        ] {
            let expected =
                format!("This bundle is damaged: the table of rows has a {name} that cannot be");
            assert_eq!(problem(&[&[ROW], &[row]]), expected);
        }
    }

    #[test]
    fn rows_end_after_they_begin_and_in_their_order() {
        let backwards = Kept { start_ns: 8, ..ROW };
        assert!(problem(&[&[backwards]]).ends_with("ends before it begins"));
        let later = Kept { end_ns: 9, ..ROW };
        assert_eq!(problem(&[&[ROW, later], &[later]]), "nothing");
        assert!(problem(&[&[later, ROW]]).ends_with("in the order of their times"));
        assert!(problem(&[&[later], &[ROW]]).ends_with("in the order of their times"));
        let lanes = Batches::<KeptColumns>::unordered(log(&[&[later, ROW]]), "rows");
        assert_eq!(lanes.unwrap().into_all().unwrap().len(), 1);
    }
}
