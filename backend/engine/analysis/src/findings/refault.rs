//! `IO_VS_MEM_REFAULT`: I/O that is full while memory is full is reading back what was just thrown out.

use numalens_core::provenance::Label;
use numalens_replay::states::MACHINE;

use crate::findings::{Facts, Finding, words};

/// Share of I/O FULL that must overlap memory FULL, percent (`docs/algorithms/psi.md`, P14).
const OVERLAP_PERCENT: u64 = 50;
/// Overlap below which it is not worth a word, ns.
const LEAST_NS: u64 = 10_000_000;

pub(super) fn detect(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pressure) = &facts.pressure else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for group in &pressure.watched.groups {
        let (io, both) = (group.io_full_ns, group.both_full_ns);
        if both < LEAST_NS || both * 100 < OVERLAP_PERCENT * io {
            continue;
        }
        let path = pressure
            .groups
            .iter()
            .find(|(number, _)| *number == group.group)
            .map(|group| group.1);
        let resources = match path {
            _ if group.group == MACHINE => Some(&pressure.psi.system),
            Some(path) => pressure.psi.cgroups.value().and_then(|all| all.get(path)),
            None => None,
        };
        let Some(resources) = resources else { continue };
        let (label, mut missing) = words::label(&resources.memory);
        let (other, more) = words::label(&resources.io);
        missing.extend(more);
        missing.sort();
        missing.dedup();
        let who = path.map_or("the machine".to_owned(), |path| format!("cgroup {path}"));
        found.push(Finding {
            // That the I/O is refaults is a conclusion, whatever the times are.
            label: label.max(other).max(Label::Inferred),
            missing,
            impact_ms: both as f64 / 1e6,
            cgroup: path.map(str::to_owned),
            summary: format!(
                "Of {} in which {who} did nothing but wait for I/O, {} ({:.0} %) were memory stalls as well: pages that were \
                 thrown out are read back (thrashing).",
                words::time(io),
                words::time(both),
                both as f64 / io.max(1) as f64 * 100.0,
            ),
            ..words::finding("IO_VS_MEM_REFAULT", facts)
        });
    }
    found
}
