//! Migrations of tasks and pages made in memory. Times are in half seconds, so that windows of 10 s matter.
#![allow(dead_code, missing_docs, unreachable_pub)]

use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_page_migration::metrics::{Config, MapRow, Metrics, Reasons, Samples, measure};
use numalens_page_migration::vmstat::Vmstat;
use numalens_replay::migrations::{How, Migration};
use numalens_replay::numa::{Attempt, PageBatch};
use proptest::prelude::*;

pub const HALF: u64 = 500_000_000;
pub const SECOND: u64 = 2 * HALF;
/// Recordings end here, half seconds.
pub const END: u64 = 100;
pub const MISPLACED: u8 = 5;

pub fn source() -> Source {
    Source {
        name: "sched_migrate_task".to_owned(),
        label: Label::Replayed,
        missing: Vec::new(),
    }
}

/// So many nodes of two CPUs each; node n has the number 10 n.
pub fn nodes(count: u32) -> Vec<Node> {
    (0..count)
        .map(|at| Node {
            nid: 10 * at,
            cpus: vec![2 * at, 2 * at + 1],
        })
        .collect()
}

pub fn nid(cpu: u32) -> u32 {
    cpu / 2 * 10
}

pub fn moved(ts_ns: u64, pid: i32, orig_cpu: u32, dest_cpu: u32) -> Migration {
    Migration {
        ts_ns,
        cpu: orig_cpu,
        pid,
        task: pid as u32,
        orig_cpu,
        dest_cpu,
        how: How::Waking,
    }
}

pub fn batch(end_ns: u64, pid: i32, cpu: u32, succeeded: u64) -> PageBatch {
    PageBatch {
        start_ns: Some(end_ns.saturating_sub(1000)),
        end_ns,
        cpu,
        pid,
        succeeded,
        failed: 0,
        reason: MISPLACED,
        mode: 0,
        src_nid: -1,
        dst_nid: -1,
    }
}

/// A sample of a process' pages by node.
pub fn maps(t_ns: u64, pid: i32, pages: &[(u32, u64)]) -> Vec<MapRow> {
    let rows = pages.iter().map(|&(nid, pages)| MapRow {
        t_ns,
        pid,
        nid: Some(nid),
        pages,
        page_kb: Some(4),
    });
    rows.collect()
}

/// A recording: migrations of tasks and of pages, each ascending.
#[derive(Debug, Clone, Default)]
pub struct World {
    pub nodes: u32,
    pub moves: Vec<Migration>,
    pub pages: Vec<PageBatch>,
}

/// What is asked of a recording.
pub struct Ask<'a> {
    pub from_ns: u64,
    pub to_ns: u64,
    pub end_ns: u64,
    pub amortisation_ns: u64,
    pub samples: &'a Samples,
    pub attempts: Option<&'a [Attempt]>,
    pub vmstat: &'a [Vmstat],
}

impl World {
    pub fn measure(&self, ask: &Ask<'_>) -> Metrics {
        let nodes = nodes(self.nodes);
        let config = Config {
            nodes: &nodes,
            begin_ns: 0,
            end_ns: ask.end_ns,
            from_ns: ask.from_ns,
            to_ns: ask.to_ns,
            amortisation_ns: ask.amortisation_ns,
            step_ns: None,
            reasons: Reasons::default(),
            tgid: &tgid,
            samples: ask.samples,
            attempts: ask.attempts,
            vmstat: ask.vmstat,
            stays: None,
            nodes_recorded: false,
            moves: source(),
            pages: Some(source()),
        };
        let until = config.rows_until_ns();
        measure(
            config,
            self.moves.iter().copied().filter(|row| row.ts_ns <= until),
            self.pages.iter().copied().filter(|row| row.end_ns <= until),
        )
    }

    /// A window of it, without samples.
    pub fn window(&self, from_ns: u64, to_ns: u64, amortisation_ns: u64) -> Metrics {
        self.measure(&Ask {
            from_ns,
            to_ns,
            end_ns: END * HALF,
            amortisation_ns,
            samples: &Samples::default(),
            attempts: None,
            vmstat: &[],
        })
    }

    /// Moves between nodes.
    pub fn node_moves(&self) -> impl Iterator<Item = &Migration> {
        let moves = self.moves.iter();
        moves.filter(|row| nid(row.orig_cpu) != nid(row.dest_cpu))
    }
}

/// Tasks 1 and 2 are one process, so are 3 and 4, and so on.
#[allow(clippy::unnecessary_wraps)]
pub fn tgid(pid: i32) -> Option<i32> {
    Some((pid + 1) / 2 * 2 - 1)
}

/// Recordings in which every move is seen: tasks 1 to 5 on two or three nodes.
pub fn world() -> impl Strategy<Value = World> {
    let step = (0_u64..END, 1_i32..6, 0_u32..6, prop::option::of(0_u64..50));
    (2_u32..4, prop::collection::vec(step, 0..60)).prop_map(|(nodes, mut steps)| {
        steps.sort_by_key(|(at, ..)| *at);
        let mut world = World {
            nodes,
            ..World::default()
        };
        let mut on = [0, 1, 2, 3, 0, 1];
        for (at, pid, cpu, pages) in steps {
            let here = &mut on[pid as usize];
            if let Some(pages) = pages {
                world.pages.push(batch(at * HALF, pid, *here, pages));
                continue;
            }
            let cpu = cpu % (2 * nodes);
            // One event a moment and task: otherwise a page's order among the moves is not in the logs.
            let last = world.pages.iter().rev().find(|row| row.pid == pid);
            let moves = world.moves.iter().rev().find(|row| row.pid == pid);
            let same = last.is_some_and(|row| row.end_ns == at * HALF)
                || moves.is_some_and(|row| row.ts_ns == at * HALF);
            if cpu != *here && !same {
                world.moves.push(moved(at * HALF, pid, *here, cpu));
                *here = cpu;
            }
        }
        // A page that came at the moment of a move would have come before it.
        let moves = world.moves.clone();
        world.pages.retain(|page| {
            let mut moves = moves.iter();
            !moves.any(|row| row.pid == page.pid && row.ts_ns == page.end_ns)
        });
        world
    })
}

/// A window.
pub fn span() -> impl Strategy<Value = (u64, u64)> {
    (0..=END, 0..=END).prop_map(|(a, b)| (a.min(b) * HALF, a.max(b) * HALF))
}
