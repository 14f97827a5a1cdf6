//! `NUMA_NODE_STACKING`: a node had more runnable tasks than CPUs while another one had an idle CPU.

use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_replay::states::StateRow;
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{Evidence, Finding, FindingEntry};
use numalens_subject::window::{CPUS_ALLOWED, SCHED_SWITCH, lowered, times};

use crate::decision::{Counts, NodeCounts, SCHED_CLASS};
use crate::findings as numa_balancing;
use crate::findings::NumaBalancingFacts;

/// Shorter time ranges are left to the load balancer, ns (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const LEAST_NS: u64 = 100_000_000;

/// CPUs are shared in parts of 2^-20.
const PART_BITS: u32 = 20;

/// A time range with stacking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Episode {
    /// Start, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Tasks beyond the node's CPUs that idle CPUs of other nodes could have taken, over its time: CPU-ns. Nodes that were
    /// stacked at once share what was idle.
    pub cpu_ns: u64,
}

/// A node and its time ranges with stacking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackedNode {
    /// The node.
    pub nid: i32,
    /// Number of its CPUs.
    pub weight: u32,
    /// Largest number of tasks that were runnable on it in a time range.
    pub most: u64,
    /// The time ranges of at least 100 ms, by time.
    pub episodes: Vec<Episode>,
}

/// Stacking in a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Stacked {
    /// The nodes with stacking.
    pub nodes: Vec<StackedNode>,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// An open time range.
#[derive(Debug, Clone, Copy)]
struct Open {
    from_ns: u64,
    /// Parts of a CPU-ns.
    parts: u128,
    most: u64,
}

#[derive(Debug, Clone, Default)]
struct Watched {
    open: Option<Open>,
    episodes: Vec<Episode>,
    most: u64,
    /// Parts of CPUs elsewhere that could take its tasks beyond its own CPUs now.
    rate: u64,
}

/// Detects stacking in state rows of the machine: first each CPU's state at the start of the window, then the changes.
#[derive(Debug)]
pub struct StackingWatch {
    counts: NodeCounts,
    nodes: Vec<Watched>,
    /// Idle CPUs of the machine, and those of which nothing is known.
    idle: u64,
    unknown: u64,
    /// True if some node has more tasks than CPUs; as long as none has, rows cost O(1).
    busy: bool,
    /// True if something changed since the nodes were judged.
    stale: bool,
    now_ns: u64,
    to_ns: u64,
    blind: bool,
    missing: Vec<&'static str>,
    source: Source,
}

impl StackingWatch {
    /// A watch of the window; `affinity` is whether it is known where tasks may run.
    #[must_use]
    pub fn new(nodes: &[Node], from_ns: u64, to_ns: u64, affinity: bool, source: Source) -> Self {
        let mut missing = vec![SCHED_CLASS];
        if !affinity {
            missing.push(CPUS_ALLOWED);
        }
        Self {
            counts: NodeCounts::new(nodes),
            nodes: vec![Watched::default(); nodes.len()],
            idle: 0,
            unknown: nodes.iter().map(|node| node.cpus.len() as u64).sum(),
            busy: false,
            stale: false,
            now_ns: from_ns,
            to_ns: to_ns.max(from_ns),
            blind: false,
            missing,
            source,
        }
    }

    /// Adds a row. Rows of cgroups, and of CPUs that are on no node, are left out.
    #[inline]
    pub fn row(&mut self, row: &StateRow) {
        let Some(change) = self.counts.change(row) else {
            return;
        };
        self.advance(row.ts_ns.min(self.to_ns));
        let of = |counts: &NodeCounts| {
            counts
                .nodes()
                .get(change.place)
                .copied()
                .unwrap_or_default()
        };
        let before = of(&self.counts);
        self.counts.apply(&change);
        let after = of(&self.counts);
        self.idle = (self.idle + u64::from(after.idle)).saturating_sub(u64::from(before.idle));
        self.unknown =
            (self.unknown + u64::from(after.unknown)).saturating_sub(u64::from(before.unknown));
        self.stale |= self.busy || after.movable_excess() > 0;
    }

    /// Adds up until `ts_ns`.
    #[inline]
    fn advance(&mut self, ts_ns: u64) {
        let ns = ts_ns.saturating_sub(self.now_ns);
        if ns == 0 {
            return;
        }
        // Only what lasts is judged: several rows may come at one moment.
        if std::mem::take(&mut self.stale) {
            self.judge();
        }
        self.now_ns = ts_ns;
        self.blind |= self.unknown > 0;
        if !self.busy {
            return;
        }
        for node in &mut self.nodes {
            if let Some(open) = &mut node.open {
                open.parts += u128::from(node.rate) * u128::from(ns);
            }
        }
    }

    /// Determines the stacked nodes from `now_ns` on.
    fn judge(&mut self) {
        self.busy = false;
        let now = self.now_ns;
        // What each node could use by itself; two do not lose the same idle CPU, so what is idle is shared in proportion.
        let idle = self.idle;
        let own = |counts: &Counts| {
            let elsewhere = idle.saturating_sub(u64::from(counts.idle));
            counts.movable_excess().min(elsewhere)
        };
        let all: u64 = self.counts.nodes().iter().map(own).sum();
        let shared = all.min(idle) << PART_BITS;
        for (node, counts) in self.nodes.iter_mut().zip(self.counts.nodes()) {
            self.busy |= counts.movable_excess() > 0;
            let own = own(counts);
            if own == 0 {
                node.rate = 0;
                node.close(now);
                continue;
            }
            node.rate = shared.saturating_mul(own) / all.max(1);
            let open = node.open.get_or_insert(Open {
                from_ns: now,
                parts: 0,
                most: 0,
            });
            open.most = open.most.max(counts.nr_running);
        }
    }

    /// Ends the window.
    #[must_use]
    pub fn finish(mut self) -> Stacked {
        self.advance(self.to_ns);
        if self.blind {
            self.missing.push(SCHED_SWITCH);
        }
        let (label, missing) = lowered(&self.source, &self.missing);
        let (to_ns, counts) = (self.to_ns, &self.counts);
        let stacked = self.nodes.into_iter().enumerate();
        Stacked {
            nodes: stacked
                .filter_map(|(place, mut node)| {
                    node.close(to_ns);
                    (!node.episodes.is_empty()).then_some(StackedNode {
                        nid: counts.nid(place)?,
                        weight: counts.nodes().get(place)?.weight,
                        most: node.most,
                        episodes: node.episodes,
                    })
                })
                .collect(),
            label,
            missing,
        }
    }
}

impl Watched {
    fn close(&mut self, now_ns: u64) {
        let Some(open) = self.open.take() else {
            return;
        };
        if now_ns.saturating_sub(open.from_ns) >= LEAST_NS {
            self.most = self.most.max(open.most);
            self.episodes.push(Episode {
                from_ns: open.from_ns,
                to_ns: now_ns,
                cpu_ns: (open.parts >> PART_BITS) as u64,
            });
        }
    }
}

pub(crate) const NUMA_NODE_STACKING: FindingEntry = FindingEntry {
    id: "NUMA_NODE_STACKING",
    title: "Tasks stacked on one node",
    meaning: "Tasks queued on one node while CPUs of another were idle; placement by memory may cause that, and load balancing should end it.",
    kernel: "load_balance",
    threshold: "a node has more runnable tasks than CPUs while another has an idle one, for 100 ms",
    cost: "CPU time of the surplus tasks that idle CPUs could have run",
    evidence: Evidence::NODES,
};

/// One finding for each node.
pub(super) fn stacking(facts: &NumaBalancingFacts<'_>) -> Vec<Finding> {
    let Some(stacked) = facts.stacked else {
        return Vec::new();
    };
    let found = stacked.nodes.iter().filter_map(|node| {
        let first = node.episodes.first()?;
        let sum = |of: fn(&Episode) -> u64| node.episodes.iter().map(of).fold(0, u64::saturating_add);
        let (cpu_ns, time_ns) = (
            sum(|episode| episode.cpu_ns),
            sum(|episode| episode.to_ns - episode.from_ns),
        );
        let places = node
            .episodes
            .iter()
            .map(|one| Occurrence::new(one.from_ns, one.to_ns, one.cpu_ns));
        let finding = Finding {
            label: stacked.label,
            missing: stacked.missing.clone(),
            impact_ms: cpu_ns as f64 / 1e6,
            nodes: vec![node.nid],
            summary: format!(
                "Node {} had up to {} runnable tasks on {} CPUs while other nodes had idle CPUs: {}, {} in all, starting {}. \
                 This lost {:.2} CPU-seconds, unless affinity keeps the tasks there.",
                node.nid,
                node.most,
                node.weight,
                times(node.episodes.len() as u64),
                numa_balancing::time(time_ns),
                numa_balancing::at(facts, first.from_ns),
                cpu_ns as f64 / 1e9,
            ),
            ..NUMA_NODE_STACKING.finding(Label::Observed, facts.from_ns, facts.to_ns)
        };
        Some(finding.at(Occurrences::of(places)))
    });
    found.collect()
}
