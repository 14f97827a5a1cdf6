//! Occurrences of a finding.

use numalens_core::json::Moment;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// The worst occurrences of a finding that are kept.
pub const KEPT: usize = 1000;
/// Number of occurrences listed in an answer.
pub const LISTED: usize = 20;

/// One place of a finding.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Occurrence {
    /// Start, ns of the reference clock.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// End, ns.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// Cost, ms.
    pub cost_ms: f64,
    /// Number of tasks that lost time; 0 if it is not about tasks.
    pub tasks: usize,
    /// The tasks that it cost most, the worst first; not all of many.
    pub pids: Vec<i32>,
    /// CPUs it concerns, if it concerns only some, ascending.
    pub cpus: Vec<u32>,
}

impl Occurrence {
    /// An occurrence without particular tasks or CPUs.
    #[must_use]
    pub fn new(from_ns: u64, to_ns: u64, cost_ns: u64) -> Self {
        Self {
            from_ns,
            to_ns,
            cost_ms: cost_ns as f64 / 1e6,
            tasks: 0,
            pids: Vec::new(),
            cpus: Vec::new(),
        }
    }

    /// The same of these tasks.
    #[must_use]
    pub fn of(mut self, pids: impl IntoIterator<Item = i32>) -> Self {
        self.pids = pids.into_iter().collect();
        self.tasks = self.pids.len();
        self
    }

    /// The same on a CPU.
    #[must_use]
    pub fn on(mut self, cpu: u32) -> Self {
        self.cpus = vec![cpu];
        self
    }
}

/// All places of a finding.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Occurrences {
    /// Number of occurrences.
    pub count: u64,
    /// Total cost, ms. Waiting counts for each task, and may exceed the window times its CPUs.
    pub cost_ms: f64,
    /// The 20 that cost most, the worst first.
    #[serde(serialize_with = "listed")]
    #[schemars(with = "Vec<Occurrence>")]
    pub worst: Vec<Occurrence>,
}

impl Occurrences {
    /// Keeps the worst; among equals the earlier comes first.
    #[must_use]
    pub fn of(all: impl IntoIterator<Item = Occurrence>) -> Self {
        let mut worst: Vec<Occurrence> = all.into_iter().collect();
        let count = worst.len() as u64;
        let cost_ms = worst.iter().map(|one| one.cost_ms).sum();
        worst.sort_by(|a, b| {
            b.cost_ms
                .total_cmp(&a.cost_ms)
                .then((a.from_ns, a.to_ns).cmp(&(b.from_ns, b.to_ns)))
        });
        worst.truncate(KEPT);
        Self {
            count,
            cost_ms,
            worst,
        }
    }

    /// Interval of the worst.
    #[must_use]
    pub fn interval(&self) -> Option<(u64, u64)> {
        self.worst.first().map(|one| (one.from_ns, one.to_ns))
    }
}

fn listed<S: Serializer>(worst: &[Occurrence], to: S) -> Result<S::Ok, S::Error> {
    worst[..worst.len().min(LISTED)].serialize(to)
}
