//! Times at which the kernel itself is seen to aggregate the machine's pressure: probes and work items in the trace.

use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, StringArray};
use arrow_buffer::ScalarBuffer;
use numalens_core::columns::{i64s, u64s};
use numalens_core::provenance::{Label, Source};

use super::InstantKind;

/// Address of the kernel's image on x86-64: `psi_system`, the machine's group, is a variable there; cgroups' groups are on
/// the heap (`Documentation/arch/x86/x86_64/mm.rst`).
const IMAGE: u64 = 0xffff_ffff_8000_0000;

/// Meaning of an event for an aggregation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mention {
    /// A file was read.
    Show,
    /// The worker ran.
    Work,
    /// The workqueue began a work item, which may be the worker's.
    Item,
}

fn mention(system: &str, event: &str) -> Option<Mention> {
    if system == "workqueue" {
        return (event == "workqueue_execute_start").then_some(Mention::Item);
    }
    if event.starts_with("psi_show") {
        Some(Mention::Show)
    } else if is_worker(event) {
        Some(Mention::Work)
    } else {
        None
    }
}

/// The worker's function, which 4.20 calls `psi_update_work`; compilers may append to static names.
fn is_worker(function: &str) -> bool {
    function.starts_with("psi_avgs_work") || function.starts_with("psi_update_work")
}

/// Collects the moments at which the machine's pressure was aggregated.
#[derive(Debug, Clone, Default)]
pub struct Aggregations {
    shows: Vec<u64>,
    works: Vec<u64>,
    items: Vec<u64>,
}

impl Aggregations {
    /// Returns whether all columns of the event's batches are to be observed, because it shows aggregations.
    #[must_use]
    pub fn reads(system: &str, event: &str) -> bool {
        mention(system, event).is_some()
    }

    /// Looks at a batch of such an event.
    pub fn observe(&mut self, system: &str, event: &str, batch: &RecordBatch) {
        let (Some(mention), Some(times)) = (mention(system, event), u64s(batch, "ts_ns")) else {
            return;
        };
        let Some(address) = address(batch) else {
            return;
        };
        let functions = text(batch, "function");
        let found = match mention {
            Mention::Show => &mut self.shows,
            Mention::Work => &mut self.works,
            Mention::Item => &mut self.items,
        };
        for row in 0..batch.num_rows() {
            let worker = mention != Mention::Item
                || functions.is_some_and(|functions| is_worker(functions.value(row)));
            if worker && address[row] as u64 >= IMAGE {
                found.push(times[row]);
            }
        }
    }

    /// The moments, ascending, and how the worker's are known; `None` when the worker was not seen.
    #[must_use]
    pub fn finish(mut self) -> (Vec<(u64, InstantKind)>, Option<Source>) {
        let source = |name: &str| Source {
            name: name.to_owned(),
            label: Label::Observed,
            missing: Vec::new(),
        };
        let (works, source) = if !self.works.is_empty() {
            (self.works, Some(source("probe on the worker")))
        } else if !self.items.is_empty() {
            (self.items, Some(source("workqueue_execute_start")))
        } else {
            (Vec::new(), None)
        };
        let shows = std::mem::take(&mut self.shows).into_iter();
        let mut moments: Vec<_> = shows.map(|time| (time, InstantKind::Read)).collect();
        moments.extend(works.into_iter().map(|time| (time, InstantKind::Worker)));
        moments.sort_unstable();
        (moments, source)
    }
}

/// The column that identifies the event's group: the group's address, or the address of a part of the group.
fn address(batch: &RecordBatch) -> Option<ScalarBuffer<i64>> {
    ["group", "dwork", "work"]
        .into_iter()
        .find_map(|name| i64s(batch, name))
}

fn text<'a>(batch: &'a RecordBatch, name: &str) -> Option<&'a StringArray> {
    batch.column_by_name(name)?.as_string_opt::<i32>()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, UInt64Array};
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    const SYSTEM: u64 = 0xffff_ffff_83cb_9540;
    const CGROUP: u64 = 0xff40_2f59_43de_0000;

    fn batch(times: &[u64], name: &str, addresses: &[u64], function: Option<&str>) -> RecordBatch {
        let mut fields = vec![
            Field::new("ts_ns", DataType::UInt64, false),
            Field::new(name, DataType::UInt64, false),
        ];
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(UInt64Array::from(times.to_vec())),
            Arc::new(UInt64Array::from(addresses.to_vec())),
        ];
        if let Some(function) = function {
            fields.push(Field::new("function", DataType::Utf8, false));
            columns.push(Arc::new(StringArray::from(vec![function; times.len()])));
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
    }

    #[test]
    fn the_machines_group_is_the_one_in_the_kernels_image() {
        let mut seen = Aggregations::default();
        let shows = batch(&[10, 20, 30], "group", &[SYSTEM, CGROUP, SYSTEM], None);
        seen.observe("nbk", "psi_show", &shows);
        let works = batch(&[25, 26], "dwork", &[SYSTEM + 120, CGROUP + 120], None);
        seen.observe("kprobes", "psi_avgs_work.isra.0", &works);
        let (moments, source) = seen.finish();
        assert_eq!(
            moments,
            [
                (10, InstantKind::Read),
                (25, InstantKind::Worker),
                (30, InstantKind::Read)
            ]
        );
        assert_eq!(source.map(|source| source.label), Some(Label::Observed));
    }

    #[test]
    fn work_items_count_when_their_function_is_named() {
        let mut seen = Aggregations::default();
        for (time, function) in [
            (1, Some("psi_update_work")),
            (2, Some("vmstat_update")),
            (3, None),
        ] {
            let items = batch(&[time], "work", &[SYSTEM], function);
            seen.observe("workqueue", "workqueue_execute_start", &items);
        }
        assert_eq!(seen.finish().0, [(1, InstantKind::Worker)]);
        assert!(!Aggregations::reads("sched", "sched_switch"));
        assert!(!Aggregations::reads("workqueue", "workqueue_queue_work"));
    }
}
