//! What today's numbers conserve.

use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::migrate_on_fault::metrics::Quality;
use crate::migrate_on_fault::modern::{Meter, inferred};

/// From this version on, huge pages migrate on fault through `migrate_pages` too, and its event tells all.
pub const ALL_TRACED: KernelVersion = KernelVersion {
    major: 5,
    minor: 14,
};

/// What a kernel's counter and its events have in common.
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
    /// What it says.
    pub law: &'static str,
    /// The left side: the smaller one, or what events tell.
    pub left: Option<u64>,
    /// The right side: what the counter tells.
    pub right: Option<u64>,
    /// `right - left`.
    pub residual: Option<i64>,
    /// What may be between them: calls of which nobody knows on which side of a sample they are, and one call more.
    pub slack: u64,
    /// Which of both may be larger.
    pub rule: Rule,
    /// Whether it holds; `None` when a side is not known.
    pub holds: Option<bool>,
    /// How good the judgement is.
    #[serde(flatten)]
    pub quality: Quality,
}

impl Meter<'_> {
    pub(super) fn conserved(&self) -> Vec<Conserved> {
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
        let told = self.config.pages.is_some() && self.pair.is_some();
        let holds = counted.filter(|_| told).map(|counted| {
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
            left: told.then_some(between.told),
            right: counted,
            residual: counted
                .filter(|_| told)
                .map(|counted| difference(counted, between.told)),
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
