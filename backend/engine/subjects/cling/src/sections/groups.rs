//! Samples of `cpu.numa_group`.

use std::sync::Arc;

use arrow_array::BooleanArray;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt64Type};
use numalens_bundle::Error;
use numalens_subject::Context;
use numalens_subject::logs::{cell, column, pid, times};
use numalens_subject::section::{at, integers, samples, texts};

use crate::group::Stat;
use crate::samples::{Reading, SampleRow, readings};

/// The samples of `cpu.numa_group`.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn groups(open: &Context) -> Result<Arc<Vec<Reading>>, Error> {
    open.shared("numa_group", || read_groups(open))
}

fn read_groups(open: &Context) -> Result<Vec<Reading>, Error> {
    let mut found = Vec::new();
    samples(open, "numa_group", |batch| {
        let (Some(cgroups), enabled) = (texts(batch, "cgroup"), batch.column_by_name("enabled"))
        else {
            return;
        };
        let enabled: Option<&BooleanArray> = enabled.and_then(|array| array.as_boolean_opt());
        let [gid, nr_tasks, busiest, degree] =
            ["gid", "nr_tasks", "busiest_nid", "degree"].map(|name| integers(batch, name));
        let nids = column::<Int32Type>(batch, "nid");
        let [f, t, q, private, shared] = [
            "failure_scaled",
            "total_scaled",
            "ratio_percent",
            "mem_private",
            "mem_shared",
        ]
        .map(|name| column::<UInt64Type>(batch, name));
        for (row, time) in times(batch).into_iter().enumerate() {
            let Some((t0_ns, t1_ns)) = time else {
                continue;
            };
            let faults = cell(private, row).zip(cell(shared, row));
            let stat = cell(f, row).zip(cell(t, row)).zip(cell(q, row));
            found.push(SampleRow {
                t0_ns,
                t1_ns,
                cgroup: cgroups.value(row).to_owned(),
                enabled: enabled.is_some_and(|enabled| enabled.value(row)),
                gid: pid(at(gid, row)).unwrap_or(0),
                nr_tasks: pid(at(nr_tasks, row)).unwrap_or(0),
                busiest_nid: pid(at(busiest, row)),
                nid: cell(nids, row).unwrap_or(-1),
                stat: stat.map(|((f, t), q)| Stat { f, t, q }),
                degree: at(degree, row).and_then(|degree| u32::try_from(degree).ok()),
                faults,
            });
        }
    })?;
    found.sort_by_key(|row| row.t0_ns);
    Ok(readings(found))
}
