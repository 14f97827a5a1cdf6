//! Decisions of the kernel, counted by outcome and by step of a window.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Stop, Window};

/// Wording of a kind of decision, or of an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DecisionWording")]
pub struct Wording {
    /// Name in reports.
    pub id: Cow<'static, str>,
    /// Label.
    pub title: Cow<'static, str>,
    /// Numbered rule (`docs/algorithms`).
    pub rule: Cow<'static, str>,
    /// Kernel functions.
    pub kernel: Cow<'static, str>,
}

impl Wording {
    /// Wording of fixed texts.
    #[must_use]
    pub const fn new(
        id: &'static str,
        title: &'static str,
        rule: &'static str,
        kernel: &'static str,
    ) -> Self {
        Self {
            id: Cow::Borrowed(id),
            title: Cow::Borrowed(title),
            rule: Cow::Borrowed(rule),
            kernel: Cow::Borrowed(kernel),
        }
    }
}

/// Time and place of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// Time, ns of the reference clock.
    pub ts_ns: u64,
    /// Pid of the task; `None` of a decision about no task.
    pub pid: Option<i32>,
    /// CPU that was chosen or that decided.
    pub cpu: Option<u32>,
}

/// Moment at which a decision had an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DecisionExample")]
pub struct Example {
    /// Time.
    #[serde(serialize_with = "Moment::serialize")]
    #[schemars(with = "Moment")]
    pub t_ns: u64,
    /// Pid of the task; null of a decision about no task.
    pub pid: Option<i32>,
    /// Name of the task.
    pub comm: Option<String>,
    /// CPU that was chosen or that decided.
    pub cpu: Option<u32>,
}

/// An outcome of a kind of decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DecisionOutcome")]
pub struct Outcome {
    #[serde(flatten)]
    #[allow(missing_docs, reason = "the schema has its fields")]
    pub wording: Wording,
    /// Decisions with this outcome.
    pub count: u64,
    /// The same by step of the window.
    pub steps: Vec<u64>,
    /// The first of them.
    pub example: Example,
}

/// Decisions of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DecisionKind")]
pub struct Kind {
    #[serde(flatten)]
    #[allow(missing_docs, reason = "the schema has its fields")]
    pub wording: Wording,
    /// Decisions.
    pub count: u64,
    /// Outcomes, the most frequent first.
    pub outcomes: Vec<Outcome>,
    /// Provenance of the outcomes.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// Steps of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps {
    /// The window.
    pub window: Window,
    /// Number of its steps.
    pub count: usize,
}

/// Returns decisions of a subject.
pub type Decide = fn(&Context, Steps) -> Result<Vec<Kind>, Stop>;

/// Counter of the decisions of a kind, by the outcomes that it distinguishes.
#[derive(Debug)]
pub struct Tally<K> {
    steps: Steps,
    rows: BTreeMap<K, (Vec<u64>, At)>,
}

impl<K: Ord> Tally<K> {
    /// Starts with no decisions.
    #[must_use]
    pub fn new(steps: Steps) -> Self {
        let rows = BTreeMap::new();
        Self { steps, rows }
    }

    /// Counts a decision of the window; decisions come in the order of time.
    pub fn add(&mut self, outcome: K, at: At) {
        let Steps { window, count } = self.steps;
        let length = (window.to_ns - window.from_ns).max(1);
        let since = at.ts_ns.saturating_sub(window.from_ns);
        let step = (u128::from(since) * count as u128 / u128::from(length)) as usize;
        let row = self.rows.entry(outcome);
        let (steps, _) = row.or_insert_with(|| (vec![0; count], at));
        if let Some(step) = steps.get_mut(step.min(count - 1)) {
            *step += 1;
        }
    }

    /// Returns the decisions in words.
    pub fn finish(
        self,
        open: &Context,
        wording: Wording,
        (label, missing): (Label, Vec<String>),
        word: impl Fn(K) -> Wording,
    ) -> Kind {
        let rows = self.rows.into_iter().map(|(outcome, (steps, at))| {
            let comm = at.pid.and_then(|pid| open.index.comm_of(pid));
            Outcome {
                wording: word(outcome),
                count: steps.iter().sum(),
                steps,
                example: Example {
                    t_ns: at.ts_ns,
                    pid: at.pid,
                    comm: comm.map(str::to_owned),
                    cpu: at.cpu,
                },
            }
        });
        let mut outcomes: Vec<Outcome> = rows.collect();
        outcomes.sort_by_key(|outcome| Reverse(outcome.count));
        Kind {
            wording,
            count: outcomes.iter().map(|outcome| outcome.count).sum(),
            outcomes,
            label,
            missing,
        }
    }
}
