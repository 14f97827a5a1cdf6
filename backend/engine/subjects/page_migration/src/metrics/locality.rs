//! Locality of memory: by hinting faults, and by the location of processes' pages while they ran.

use std::collections::HashMap;

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::metrics::samples::{Quality, Reading};
use crate::metrics::{Config, Who};
use crate::vmstat::{self, Vmstat};

/// A share over some time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "LocalityPiece")]
pub struct Piece {
    /// Begin, ns.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// End, ns.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// The local share; `None` without evidence.
    pub share: Option<f64>,
}

/// Locality of one process, by its pages.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProcessLocality {
    /// The process.
    pub tgid: i32,
    /// Share of its pages on the node where it ran, by time.
    pub share: Option<f64>,
    /// The same between two samples.
    pub pieces: Vec<Piece>,
}

/// Locality of memory.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Locality {
    /// `numa_hint_faults_local / numa_hint_faults` over the samples of the window; `None` without faults or samples.
    pub faults: Option<f64>,
    /// The same between two samples.
    pub fault_pieces: Vec<Piece>,
    /// Provenance of these values.
    pub faults_quality: Quality,
    /// Share of pages on the node where their process ran, over all processes, by time.
    pub pages: Option<f64>,
    /// By process.
    pub processes: Vec<ProcessLocality>,
    /// Provenance of these values.
    pub pages_quality: Quality,
}

/// The share of local faults between two samples.
fn faults(old: &Vmstat, new: &Vmstat) -> Option<f64> {
    let all = vmstat::grown(old, new, |reading| reading.numa_hint_faults)?;
    let local = vmstat::grown(old, new, |reading| reading.numa_hint_faults_local)?;
    // The counters are read one after the other, the smaller one later.
    (all != 0).then(|| (local as f64 / all as f64).min(1.0))
}

/// Shares weighted with times.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, share: f64, weight: f64) {
        self.sum += share * weight;
        self.weight += weight;
    }

    fn value(self) -> Option<f64> {
        (self.weight > 0.0).then(|| (self.sum / self.weight).clamp(0.0, 1.0))
    }
}

/// The share of a process' pages that lay on the node where it ran, and how long it ran. Without run times: on the node of
/// its first task, and the time that passed.
fn piece(
    config: &Config<'_>,
    tgid: i32,
    reading: &Reading,
    span: (u64, u64),
    node: Option<u32>,
) -> Option<(f64, f64)> {
    let (from_ns, to_ns) = span;
    let total = reading.total();
    if total == 0 || to_ns <= from_ns {
        return None;
    }
    let share = |nid| reading.on(nid) as f64 / total as f64;
    let Some(stays) = config.stays else {
        return Some((share(node?), (to_ns - from_ns) as f64));
    };
    let mut mean = Mean::default();
    for (nid, ns) in stays.ran(Who::Process(tgid), from_ns, to_ns) {
        mean.add(share(nid), ns as f64);
    }
    Some((mean.value()?, mean.weight))
}

/// `node` returns the node of a process' first task at its `n`th sample.
pub(super) fn locality(config: &Config<'_>, node: impl Fn(i32, usize) -> Option<u32>) -> Locality {
    let pair = vmstat::within(config.vmstat, config.from_ns, config.to_ns);
    let readings = pair.map_or(&[][..], |pair| pair.readings);
    let fault_pieces: Vec<Piece> = readings
        .windows(2)
        .filter_map(|two| match two {
            [old, new] => Some(Piece {
                from_ns: old.t_ns,
                to_ns: new.t_ns,
                share: faults(old, new),
            }),
            _ => None,
        })
        .collect();
    let whole = match (readings.first(), readings.last()) {
        (Some(first), Some(last)) => faults(first, last),
        _ => None,
    };
    let faults_missing = match pair {
        None => vec!["vmstat".to_owned()],
        Some(_) if whole.is_none() => vec!["numa_hint_faults".to_owned()],
        Some(pair) if !pair.inside => vec!["vmstat in the window".to_owned()],
        Some(_) => Vec::new(),
    };
    let mut all = Mean::default();
    let mut unplaced = false;
    let mut processes = Vec::new();
    for tgid in config.samples.processes() {
        let readings = config.samples.maps_of(tgid);
        let mut own = Mean::default();
        let mut pieces = Vec::new();
        for (at, reading) in readings.iter().enumerate() {
            let until = readings
                .get(at + 1)
                .map_or(config.to_ns, |next| next.t_ns)
                .min(config.to_ns);
            let from_ns = reading.t_ns.max(config.from_ns);
            if until <= from_ns {
                continue;
            }
            let known = piece(config, tgid, reading, (from_ns, until), node(tgid, at));
            if let Some((share, weight)) = known {
                own.add(share, weight);
                all.add(share, weight);
            }
            unplaced |= known.is_none();
            pieces.push(Piece {
                from_ns,
                to_ns: until,
                share: known.map(|(share, _)| share),
            });
        }
        if !pieces.is_empty() {
            processes.push(ProcessLocality {
                tgid,
                share: own.value(),
                pieces,
            });
        }
    }
    let mut missing = vec!["numa_maps between samples"];
    if processes.is_empty() {
        missing = vec!["numa_maps"];
    }
    if config.stays.is_none() {
        missing.push("run times");
    }
    if config.samples.page_size_assumed() {
        missing.push("kernelpagesize_kB");
    }
    if unplaced && !processes.is_empty() {
        missing.push("nodes of tasks");
    }
    Locality {
        faults: whole,
        fault_pieces,
        faults_quality: Quality {
            // The share itself is a quotient of two printed counters.
            label: if faults_missing.is_empty() {
                Label::Replayed
            } else {
                Label::Inferred
            },
            missing: faults_missing,
        },
        pages: all.value(),
        processes,
        pages_quality: Quality {
            label: Label::Inferred,
            missing: missing.into_iter().map(str::to_owned).collect(),
        },
    }
}

// When placement was settled: memory is local, and no task has moved to another node for a while.

/// Time without a move to another node, ns (`docs/algorithms/page_migration.md`, M12).
pub const QUIET_NS: u64 = 10_000_000_000;

/// Minimum share of local memory.
pub const LOCAL_SHARE: f64 = 0.9;

/// Time at which a process was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProcessConvergence {
    /// The process.
    pub tgid: i32,
    /// Time, ns after the start of the window; `None` when not in the window.
    pub after_ns: Option<u64>,
}

/// Time at which placement was settled.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Convergence {
    /// The whole machine, by hinting faults and all tasks: ns after the start of the window; `None` when not in the window.
    pub after_ns: Option<u64>,
    /// Processes of which the memory is known.
    pub processes: Vec<ProcessConvergence>,
    /// Provenance.
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

/// The first time from which nothing moves and all known memory is local for [`QUIET_NS`]. `quiet` and `pieces` ascend.
/// Without evidence between two samples nothing was remote, but at least one sample must have a place.
fn settled(quiet: &[(u64, u64)], pieces: &[Piece]) -> Option<u64> {
    let mut local: Vec<(u64, u64, bool)> = Vec::new();
    for piece in pieces {
        if piece.share.is_some_and(|share| share < LOCAL_SHARE) {
            continue;
        }
        let known = piece.share.is_some();
        match local.last_mut() {
            Some((_, until, any)) if *until == piece.from_ns => {
                *until = piece.to_ns;
                *any |= known;
            }
            _ => local.push((piece.from_ns, piece.to_ns, known)),
        }
    }
    let mut spans = local.iter().filter(|(_, _, known)| *known).peekable();
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
