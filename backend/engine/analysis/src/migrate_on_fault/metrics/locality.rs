//! How local memory was: by hinting faults, and by where processes' pages lay while they ran.

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::migrate_on_fault::metrics::inputs::{Config, Who};
use crate::migrate_on_fault::metrics::result::Quality;
use crate::migrate_on_fault::metrics::samples::Reading;
use crate::migrate_on_fault::vmstat::{self, Vmstat};

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
    /// The local share; `None` when there was nothing to tell it by.
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

/// How local memory was.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Locality {
    /// `numa_hint_faults_local / numa_hint_faults` over the samples of the window; `None` without faults or samples.
    pub faults: Option<f64>,
    /// The same between two samples.
    pub fault_pieces: Vec<Piece>,
    /// How good these are.
    pub faults_quality: Quality,
    /// Share of pages on the node where their process ran, over all processes, by time.
    pub pages: Option<f64>,
    /// By process.
    pub processes: Vec<ProcessLocality>,
    /// How good these are.
    pub pages_quality: Quality,
}

/// The share of local faults between two readings.
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

/// `node` tells where a process' first task was when its `n`th reading was taken.
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
            let told = piece(config, tgid, reading, (from_ns, until), node(tgid, at));
            if let Some((share, weight)) = told {
                own.add(share, weight);
                all.add(share, weight);
            }
            unplaced |= told.is_none();
            pieces.push(Piece {
                from_ns,
                to_ns: until,
                share: told.map(|(share, _)| share),
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
