//! When placement was settled: memory is local, and no task has moved to another node for a while.

use std::collections::HashMap;

use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::migrate_on_fault::metrics::inputs::Config;
use crate::migrate_on_fault::metrics::locality::{Locality, Piece};
use crate::migrate_on_fault::metrics::result::Quality;

/// So long must no task move to another node, ns (`docs/algorithms/page_migration.md`, M12).
pub const QUIET_NS: u64 = 10_000_000_000;

/// So much of memory must be local.
pub const LOCAL_SHARE: f64 = 0.9;

/// When a process was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProcessConvergence {
    /// The process.
    pub tgid: i32,
    /// When, ns after the window's begin; `None` when not in the window.
    pub after_ns: Option<u64>,
}

/// When placement was settled.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Convergence {
    /// The whole machine, by hinting faults and all tasks: ns after the window's begin; `None` when not in the window.
    pub after_ns: Option<u64>,
    /// Processes of which the memory is known.
    pub processes: Vec<ProcessConvergence>,
    /// How good it is.
    #[serde(flatten)]
    pub quality: Quality,
}

/// Spans without moves between nodes, of at least [`QUIET_NS`].
#[derive(Debug, Clone)]
struct Quiet {
    last_ns: u64,
    spans: Vec<(u64, u64)>,
}

impl Quiet {
    fn new(from_ns: u64) -> Self {
        Self {
            last_ns: from_ns,
            spans: Vec::new(),
        }
    }

    fn moved(&mut self, t_ns: u64) {
        if t_ns.saturating_sub(self.last_ns) >= QUIET_NS {
            self.spans.push((self.last_ns, t_ns));
        }
        self.last_ns = t_ns.max(self.last_ns);
    }
}

/// Follows the moves of the machine's tasks and of processes.
#[derive(Debug, Clone)]
pub(super) struct Tracker {
    machine: Quiet,
    processes: HashMap<i32, Quiet>,
}

impl Tracker {
    pub(super) fn new(config: &Config<'_>) -> Self {
        let processes = config.samples.processes().into_iter();
        Self {
            machine: Quiet::new(config.from_ns),
            processes: processes
                .map(|tgid| (tgid, Quiet::new(config.from_ns)))
                .collect(),
        }
    }

    /// A task of a process moved to another node in the window.
    pub(super) fn moved(&mut self, tgid: i32, t_ns: u64) {
        self.machine.moved(t_ns);
        if let Some(process) = self.processes.get_mut(&tgid) {
            process.moved(t_ns);
        }
    }

    pub(super) fn finish(mut self, config: &Config<'_>, locality: &Locality) -> Convergence {
        let after = |quiet: &mut Quiet, pieces: &[Piece]| {
            quiet.moved(config.to_ns);
            settled(&quiet.spans, pieces).map(|at| at.saturating_sub(config.from_ns))
        };
        let after_ns = after(&mut self.machine, &locality.fault_pieces);
        let processes = locality.processes.iter().filter_map(|process| {
            let quiet = self.processes.get_mut(&process.tgid)?;
            Some(ProcessConvergence {
                tgid: process.tgid,
                after_ns: after(quiet, &process.pieces),
            })
        });
        let processes = processes.collect();
        let mut missing = locality.faults_quality.missing.clone();
        missing.push("locality between samples".to_owned());
        Convergence {
            after_ns,
            processes,
            quality: Quality {
                label: Label::Inferred,
                missing,
            },
        }
    }
}

/// The first moment from which nothing moves and all that is told is local for [`QUIET_NS`]. `quiet` and `pieces` ascend.
/// Where there was nothing to tell by between two samples, nothing was remote; but some sample must have told something.
fn settled(quiet: &[(u64, u64)], pieces: &[Piece]) -> Option<u64> {
    let mut local: Vec<(u64, u64, bool)> = Vec::new();
    for piece in pieces {
        if piece.share.is_some_and(|share| share < LOCAL_SHARE) {
            continue;
        }
        let told = piece.share.is_some();
        match local.last_mut() {
            Some((_, until, any)) if *until == piece.from_ns => {
                *until = piece.to_ns;
                *any |= told;
            }
            _ => local.push((piece.from_ns, piece.to_ns, told)),
        }
    }
    let mut spans = local.iter().filter(|(_, _, told)| *told).peekable();
    for &(from_ns, to_ns) in quiet {
        while let Some(&&(begin, end, _)) = spans.peek() {
            let at = begin.max(from_ns);
            if end.min(to_ns).saturating_sub(at) >= QUIET_NS {
                return Some(at);
            }
            // The rest of the local span may fit the next quiet one.
            if end > to_ns {
                break;
            }
            spans.next();
        }
    }
    None
}
