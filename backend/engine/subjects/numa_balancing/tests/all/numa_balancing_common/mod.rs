//! Attempts made in memory, and facts for the detectors.
#![allow(dead_code, missing_docs, unreachable_pub)]

use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_numa_balancing::findings::{NumaBalancingFacts, detect};
use numalens_replay::numa::{Attempt, TargetFrom, Verdict};
use numalens_subject::findings::Finding;

const S: u64 = 1_000_000_000;

/// An attempt of pid 100 that takes 1 µs.
pub fn attempt(
    start_ns: u64,
    verdict: Verdict,
    src_cpu: i32,
    src_nid: i32,
    dst_cpu: i32,
    dst_nid: i32,
) -> Attempt {
    Attempt {
        start_ns,
        end_ns: start_ns + 1000,
        cpu: src_cpu as u32,
        pid: 100,
        tgid: 100,
        ngid: 0,
        src_cpu,
        src_nid,
        dst_cpu,
        dst_nid,
        partner: None,
        verdict,
        target_nid: dst_nid,
        target_from: TargetFrom::Destination,
        ret: None,
    }
}

/// What a test hands in; the rest is not there.
pub struct Given {
    pub machine: Vec<Node>,
    pub source: Source,
}

impl Given {
    pub fn new() -> Self {
        Self {
            machine: [0, 4]
                .map(|first| Node {
                    nid: first / 4 * 10,
                    cpus: (first..first + 4).collect(),
                })
                .into(),
            source: Source {
                name: "sched_move_numa".to_owned(),
                label: Label::Replayed,
                missing: Vec::new(),
            },
        }
    }

    pub fn facts(&self) -> NumaBalancingFacts<'_> {
        NumaBalancingFacts {
            from_ns: 0,
            to_ns: 100 * S,
            kernel: Some(KernelVersion { major: 6, minor: 1 }),
            nodes: &self.machine,
            attempts: &[],
            attempts_source: &self.source,
            explained: None,
            migrations: None,
            stacked: None,
            per_node: None,
            waste_cpu_ns: None,
            vmstat: None,
            batches: &[],
        }
    }
}

/// Everything that is found, by name.
pub fn find(facts: &NumaBalancingFacts<'_>) -> Vec<Finding> {
    detect(facts)
}
