//! On which nodes the memory of groups lies.

use std::collections::{BTreeMap, HashMap};

use numalens_core::provenance::Label;
use numalens_core::topology::Node;

use crate::migrate_on_fault::metrics::MapRow;
use crate::placement::members::Membership;
use crate::placement::result::{GroupMemory, NodeMemory, Whose};

/// What `/proc/PID/numa_maps` counts where it does not tell the size of a page, KiB.
const PAGE_KB: u64 = 4;

/// Resident memory of each group by node, from the last reading of each process until `until_ns`. Groups of `shown` have
/// rows of their own, the others one together. `None` when nothing was read until then.
#[must_use]
pub fn resident(
    maps: &[MapRow],
    nodes: &[Node],
    members: &Membership,
    until_ns: u64,
    shown: &[Whose],
) -> Option<Vec<GroupMemory>> {
    let mut last: HashMap<i32, u64> = HashMap::new();
    for row in maps.iter().filter(|row| row.t_ns <= until_ns) {
        let at = last.entry(row.pid).or_default();
        *at = row.t_ns.max(*at);
    }
    if last.is_empty() {
        return None;
    }
    let mut found: BTreeMap<usize, GroupMemory> = BTreeMap::new();
    let mut order = shown.to_vec();
    let mut row_of = |whose: Whose, later: bool| {
        let whose = match whose {
            Whose::Group(_) if !shown.contains(&whose) => Whose::Others,
            known => known,
        };
        let at = order
            .iter()
            .position(|one| *one == whose)
            .unwrap_or_else(|| {
                order.push(whose);
                order.len() - 1
            });
        let row = found.entry(at).or_insert_with(|| GroupMemory {
            whose,
            processes: 0,
            nodes: nodes
                .iter()
                .map(|node| NodeMemory {
                    nid: node.nid,
                    kb: 0,
                })
                .collect(),
            label: Label::Observed,
        });
        // The pages are read, whose they are may not be.
        if later || whose == Whose::Unknown {
            row.label = Label::Inferred;
        }
        at
    };
    let mut place: HashMap<i32, usize> = HashMap::new();
    let mut pids: Vec<_> = last.iter().collect();
    pids.sort_unstable();
    for (&pid, &t_ns) in pids {
        let told = members.of_process(pid, t_ns);
        place.insert(pid, row_of(told.whose, told.later));
    }
    for at in place.values() {
        if let Some(row) = found.get_mut(at) {
            row.processes += 1;
        }
    }
    for row in maps {
        let (Some(at), Some(nid)) = (place.get(&row.pid), row.nid) else {
            continue;
        };
        if last.get(&row.pid) != Some(&row.t_ns) {
            continue;
        }
        let group = found.get_mut(at);
        if let Some(node) =
            group.and_then(|group| group.nodes.iter_mut().find(|node| node.nid == nid))
        {
            node.kb = node
                .kb
                .saturating_add(row.pages.saturating_mul(row.page_kb.unwrap_or(PAGE_KB)));
        }
    }
    Some(found.into_values().collect())
}
