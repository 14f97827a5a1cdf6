//! Today's equivalents of the statistics of 2010 (`docs/algorithms/page_migration.md`, M6), and the invariants of these
//! numbers (M7).

mod equivalents;

use numalens_core::json::Moment;
use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_replay::migrations::Migration;
use numalens_replay::numa::{Attempt, PageBatch, Verdict};
use numalens_subject::window::Places;
use schemars::JsonSchema;
use serde::Serialize;

use crate::metrics::{Quality, Reasons, SYSCALL};
use crate::vmstat::{self, Pair, Vmstat};

pub use self::equivalents::Equivalent;

/// Query. Times are ns of the reference clock.
#[derive(Debug, Clone)]
pub struct Config<'a> {
    /// The machine.
    pub nodes: &'a [Node],
    /// Start and end of the recording.
    pub recording: (u64, u64),
    /// Start and end of the window.
    pub window: (u64, u64),
    /// Samples of `/proc/vmstat`, ascending in time.
    pub vmstat: &'a [Vmstat],
    /// The traced kernel.
    pub kernel: Option<KernelVersion>,
    /// Names of the reasons of page migrations.
    pub reasons: Reasons<'a>,
    /// Source of the migrations of pages; `None` when not recorded.
    pub pages: Option<Source>,
    /// Source of the moves of tasks.
    pub moves: Source,
    /// True if attempts of the NUMA balancer are recorded.
    pub attempts: bool,
    /// Events `sched_skip_vma_numa` in the window, if recorded.
    pub skipped_vmas: Option<u64>,
}

/// Today's equivalents of the table of 2010 in a window.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Modern {
    /// The samples of `/proc/vmstat` that were compared: begin of the first and of the last, ns.
    pub samples_ns: Option<(Moment, Moment)>,
    /// Every statistic of 2010.
    pub equivalents: Vec<Equivalent>,
    /// `numa_hint_faults_local <= numa_hint_faults`, `numa_pages_migrated <= pgmigrate_success`, and pages migrated on
    /// fault by events and by the counter.
    pub conserved: Vec<Conserved>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Between {
    /// Pages of calls that are between two samples for sure.
    sure: u64,
    /// Pages of calls during a sample.
    edge: u64,
    /// Pages whose calls ended between the starts of both samples.
    traced: u64,
    most: u64,
}

/// Adds up the logs of a window. The order between logs does not matter.
#[derive(Debug)]
pub struct Meter<'a> {
    config: Config<'a>,
    places: Places,
    pair: Option<Pair<'a>>,
    between: Between,
    moves: u64,
    numa_moves: u64,
    on_fault: [u64; 2],
    failed: u64,
    by_call: u64,
}

impl<'a> Meter<'a> {
    /// Returns an empty meter.
    #[must_use]
    pub fn new(config: Config<'a>) -> Self {
        let (begin_ns, end_ns) = config.recording;
        let first = config.vmstat.partition_point(|at| at.t_ns < begin_ns);
        let after = config.vmstat.partition_point(|at| at.end_ns <= end_ns);
        let recorded = config.vmstat.get(first..after).unwrap_or_default();
        Self {
            pair: vmstat::within(recorded, config.window.0, config.window.1),
            places: Places::new(config.nodes),
            between: Between::default(),
            moves: 0,
            numa_moves: 0,
            on_fault: [0; 2],
            failed: 0,
            by_call: 0,
            config,
        }
    }

    /// The span of which rows are wanted: the window, and the samples around it where it has none of its own.
    #[must_use]
    pub fn rows(&self) -> (u64, u64) {
        let (from_ns, to_ns) = self.config.window;
        match self.ends() {
            Some((first, last)) => (from_ns.min(first.t_ns), to_ns.max(last.end_ns)),
            None => (from_ns, to_ns),
        }
    }

    fn ends(&self) -> Option<(&'a Vmstat, &'a Vmstat)> {
        let readings = self.pair?.readings;
        Some((readings.first()?, readings.last()?))
    }

    fn inside(&self, t_ns: u64) -> bool {
        let (from, to) = self.config.window;
        let end = self.config.recording.1;
        t_ns >= from && (t_ns < to || (t_ns == to && to >= end))
    }

    /// Adds a task's change of CPU.
    pub fn migration(&mut self, row: &Migration) {
        let nodes = (self.places.nid(row.orig_cpu), self.places.nid(row.dest_cpu));
        if let (Some(from), Some(to)) = nodes
            && from != to
            && self.inside(row.ts_ns)
        {
            self.moves += 1;
        }
    }

    /// Takes in an attempt of the NUMA balancer.
    pub fn attempt(&mut self, row: &Attempt) {
        let tasks = match row.verdict {
            Verdict::Moved => 1,
            Verdict::Swapped => 2,
            _ => 0,
        };
        if self.inside(row.start_ns) && row.src_nid != row.dst_nid {
            self.numa_moves += tasks;
        }
    }

    /// Adds a call that migrated pages.
    pub fn pages(&mut self, batch: &PageBatch) {
        // What shows nodes shows pages again.
        if batch.src_nid >= 0 {
            return;
        }
        let misplaced = self.config.reasons.misplaced(batch.reason);
        if self.inside(batch.end_ns) {
            self.failed = self.failed.saturating_add(batch.failed);
            if misplaced {
                let [succeeded, failed] = &mut self.on_fault;
                *succeeded = succeeded.saturating_add(batch.succeeded);
                *failed = failed.saturating_add(batch.failed);
            } else if self.config.reasons.name(batch.reason) == SYSCALL {
                self.by_call = self.by_call.saturating_add(batch.succeeded);
            }
        }
        let Some((first, last)) = self.ends().filter(|_| misplaced) else {
            return;
        };
        let at = batch.end_ns;
        let between = &mut self.between;
        if at > first.t_ns && at <= last.t_ns {
            between.traced = between.traced.saturating_add(batch.succeeded);
        }
        if at > first.end_ns && at <= last.t_ns {
            between.sure = between.sure.saturating_add(batch.succeeded);
        } else if at >= first.t_ns && at <= last.end_ns {
            between.edge = between.edge.saturating_add(batch.succeeded);
        }
        if at >= first.t_ns && at <= last.end_ns {
            between.most = between.most.max(batch.succeeded);
        }
    }

    /// Returns the totals.
    #[must_use]
    pub fn finish(self) -> Modern {
        Modern {
            samples_ns: (self.ends()).map(|(first, last)| (Moment(first.t_ns), Moment(last.t_ns))),
            equivalents: self.equivalents(),
            conserved: self.conserved(),
        }
    }

    fn grown(&self, of: fn(&Vmstat) -> Option<u64>) -> Option<u64> {
        let (first, last) = self.ends()?;
        vmstat::grown(first, last, of)
    }

    /// Provenance of a counter.
    fn sampled(&self, value: Option<u64>, name: &str) -> Quality {
        match (value, self.pair) {
            (None, _) => inferred(&[name]),
            (Some(_), Some(pair)) if !pair.inside => inferred(&["vmstat in the window"]),
            _ => Quality {
                label: Label::Observed,
                missing: Vec::new(),
            },
        }
    }

    fn of_pages(&self) -> Quality {
        match &self.config.pages {
            Some(source) => of(source),
            None => inferred(&["mm_migrate_pages"]),
        }
    }
}

fn inferred(missing: &[&str]) -> Quality {
    Quality {
        label: Label::Inferred,
        missing: missing.iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn of(source: &Source) -> Quality {
    Quality {
        label: source.label,
        missing: source.missing.clone(),
    }
}

// What today's numbers conserve.

/// From this version on, huge pages also migrate on fault through `migrate_pages`, and its event covers all.
pub const ALL_TRACED: KernelVersion = KernelVersion {
    major: 5,
    minor: 14,
};

/// Relation between a kernel's counter and its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ConservedRule")]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Both count the same pages, but for a call at either end.
    Equal,
    /// Huge pages migrate without an event: the counter is the larger one.
    AtLeast,
}

/// A law of today's numbers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Conserved {
    /// Invariant.
    pub law: &'static str,
    /// Left side: the smaller one, or the value from events.
    pub left: Option<u64>,
    /// Right side: the value of the counter.
    pub right: Option<u64>,
    /// `right - left`.
    pub residual: Option<i64>,
    /// Possible difference: calls whose side of a sample is unknown, and one more call.
    pub slack: u64,
    /// Side that may be larger.
    pub rule: Rule,
    /// True if it holds; `None` when a side is not known.
    pub holds: Option<bool>,
    /// Provenance of the judgement.
    #[serde(flatten)]
    pub quality: Quality,
}

impl Meter<'_> {
    fn conserved(&self) -> Vec<Conserved> {
        let pair = |law, left: Option<u64>, right: Option<u64>| {
            let missing = inferred(&["vmstat"]);
            let both = left.zip(right);
            Conserved {
                law,
                left,
                right,
                residual: both.map(|(left, right)| difference(right, left)),
                slack: 0,
                rule: Rule::AtLeast,
                holds: both.map(|(left, right)| left <= right),
                quality: both.map_or(missing, |_| self.sampled(left, "vmstat")),
            }
        };
        let on_fault = self.grown(|at| at.numa_pages_migrated);
        vec![
            pair(
                "numa_hint_faults_local <= numa_hint_faults",
                self.grown(|at| at.numa_hint_faults_local),
                self.grown(|at| at.numa_hint_faults),
            ),
            pair(
                "numa_pages_migrated <= pgmigrate_success",
                on_fault,
                self.grown(|at| at.pgmigrate_success),
            ),
            self.traced(on_fault),
        ]
    }

    /// Pages migrated on fault, by events and by the counter.
    fn traced(&self, counted: Option<u64>) -> Conserved {
        let between = &self.between;
        let rule = match self.config.kernel {
            Some(version) if version >= ALL_TRACED => Rule::Equal,
            _ => Rule::AtLeast,
        };
        let traced = self.config.pages.is_some() && self.pair.is_some();
        let holds = counted.filter(|_| traced).map(|counted| {
            let most = between.sure.saturating_add(between.edge);
            let enough = counted.saturating_add(between.most) >= between.sure;
            enough && (rule == Rule::AtLeast || counted <= most.saturating_add(between.most))
        });
        let mut quality = self.of_pages();
        quality.label = quality.label.max(Label::Replayed);
        if self.config.kernel.is_none() {
            quality.missing.push("kernel version".to_owned());
        }
        if counted.is_none() {
            quality.missing.push("numa_pages_migrated".to_owned());
        }
        if !quality.missing.is_empty() {
            quality.label = Label::Inferred;
        }
        Conserved {
            law: "pages of mm_migrate_pages(numa_misplaced) == numa_pages_migrated",
            left: traced.then_some(between.traced),
            right: counted,
            residual: counted
                .filter(|_| traced)
                .map(|counted| difference(counted, between.traced)),
            slack: between.edge.saturating_add(between.most),
            rule,
            holds,
            quality,
        }
    }
}

fn difference(a: u64, b: u64) -> i64 {
    let value = i128::from(a) - i128::from(b);
    value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}
