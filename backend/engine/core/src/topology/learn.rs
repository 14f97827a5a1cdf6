//! Learns nodes from events that carry a CPU with its node.
//!
//! The kernel's `sched_move_numa`, `sched_stick_numa` and `sched_swap_numa` have `src_cpu` with `src_nid` and `dst_cpu` with
//! `dst_nid`; probes of users follow the same naming. Any event with such pairs of fields is used.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;

use crate::columns::i64s;
use crate::topology::MAX_CPUS;

/// Node numbers from this on are damage: the kernel's `MAX_NUMNODES` ends at 1024.
const MAX_NODES: u32 = 1 << 10;

/// Collects how often each CPU was seen with each node.
#[derive(Debug, Default)]
pub struct Learner {
    seen: BTreeMap<(u32, u32), u64>,
}

/// The names of a CPU column and the node column next to it.
fn pairs(batch: &RecordBatch) -> Vec<(ScalarBuffer<i64>, ScalarBuffer<i64>)> {
    let schema = batch.schema_ref();
    let mut found = Vec::new();
    for field in schema.fields() {
        let Some(prefix) = field.name().strip_suffix("nid") else {
            continue;
        };
        // An event's own field `cpu` is called `arg_cpu`; the column `cpu` is the CPU that recorded the event.
        let cpu = if prefix.is_empty() {
            "arg_cpu".to_owned()
        } else {
            format!("{prefix}cpu")
        };
        if let (Some(cpu), Some(nid)) = (i64s(batch, &cpu), i64s(batch, field.name())) {
            found.push((cpu, nid));
        }
    }
    found
}

impl Learner {
    /// Adds a batch of any event table. Negative numbers mean "none" in the kernel and teach nothing.
    pub fn observe(&mut self, batch: &RecordBatch) {
        for (cpus, nids) in pairs(batch) {
            for row in 0..batch.num_rows() {
                let (Ok(cpu), Ok(nid)) = (u32::try_from(cpus[row]), u32::try_from(nids[row]))
                else {
                    continue;
                };
                if cpu < MAX_CPUS && nid < MAX_NODES {
                    *self.seen.entry((cpu, nid)).or_default() += 1;
                }
            }
        }
    }

    /// Takes in what another one has seen of the same machine.
    pub fn absorb(&mut self, other: &Self) {
        for (&pair, times) in &other.seen {
            *self.seen.entry(pair).or_default() += times;
        }
    }

    /// The node that each CPU was seen with most often, and the CPUs that were seen with several.
    #[must_use]
    pub fn learnt(&self) -> (BTreeMap<u32, u32>, Vec<u32>) {
        let mut best: BTreeMap<u32, (u32, u64)> = BTreeMap::new();
        let mut unsure = Vec::new();
        for (&(cpu, nid), &times) in &self.seen {
            match best.get(&cpu) {
                Some(&(_, most)) => {
                    unsure.push(cpu);
                    if times > most {
                        best.insert(cpu, (nid, times));
                    }
                }
                None => drop(best.insert(cpu, (nid, times))),
            }
        }
        unsure.dedup();
        (
            best.into_iter().map(|(cpu, (nid, _))| (cpu, nid)).collect(),
            unsure,
        )
    }
}
