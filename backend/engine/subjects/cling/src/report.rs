//! Cling as the report has it: series, flips and decisions of all groups by time.

use numalens_bundle::Error;
use numalens_core::json::{Moment, OptionalMoment, Unavailable};
use numalens_core::provenance::Label;
use numalens_subject::report::Request;
use numalens_subject::section::Answer;
use schemars::JsonSchema;
use serde::Serialize;

use crate::annotations::{Annotation, Kind, Outcome};
use crate::compare::Table;
use crate::group::DEFAULT_DEGREE;
use crate::history::{Busy, Flip};
use crate::sections::answer::{
    CheckedLines, Cling, GroupNode, GroupStep, KnownBy, Readings, ScanPeriods,
};
use crate::whatif::View;

/// NUMA cling, or the reason for its absence together with the degree.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ReportCling {
    Known(Box<KnownCling>),
    Missing {
        #[serde(flatten)]
        missing: Unavailable,
        /// The degree that was requested, else the kernel's own, percent.
        degree: u32,
    },
}

/// NUMA cling: groups, their counters over time, flips of busy nodes, and decisions.
#[derive(Serialize, JsonSchema)]
pub(crate) struct KnownCling {
    /// At the window's end, percent.
    degree: u32,
    /// Source of the answer.
    known_by: KnownBy,
    /// Period of the timer that halves the counters, ns.
    timer_period_ns: u64,
    /// The groups.
    groups: Vec<ReportGroup>,
    /// Counters of the groups, by time.
    series: Vec<OfGroup<GroupStep>>,
    /// Changes of busy nodes, by time.
    flips: Vec<OfGroup<Flip>>,
    /// Kept and allowed tasks, by time.
    decisions: Vec<Decision>,
    /// Number of further decisions.
    decisions_more: usize,
    /// Other events, by time.
    annotations: Vec<Annotation>,
    /// Number of further annotations.
    annotations_more: usize,
    /// The kernel's lines against the replay.
    checked: Option<CheckedLines>,
    /// By scheduler events alone.
    from_events: Option<Table>,
    /// From events, probes and samples of the groups' files.
    from_everything: Option<Table>,
    /// Agreement of the replay of events with the samples.
    readings: Readings,
    /// Null unless a degree was requested.
    what_if: Option<View>,
}

/// A numa group without its series.
#[derive(Serialize, JsonSchema)]
struct ReportGroup {
    /// Number of the group object.
    number: u32,
    /// Id of the group; 0 without members.
    gid: i32,
    /// Path of its cgroup.
    cgroup: Option<String>,
    /// From when on it is known, ns.
    #[serde(with = "Moment")]
    from_ns: u64,
    /// Until when, ns.
    #[serde(with = "Moment")]
    to_ns: u64,
    /// Time at which it was switched off, ns.
    #[serde(with = "OptionalMoment")]
    disabled_ns: Option<u64>,
    /// The nodes.
    nodes: Vec<GroupNode>,
    /// Busy times of its nodes.
    busy: Vec<Busy>,
    /// Scan periods without cling; null unless the group's faults were sampled.
    scan_periods: Option<ScanPeriods>,
    /// Provenance.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

/// Something of a group.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Of{T}")]
struct OfGroup<T> {
    /// The group's id.
    gid: i32,
    /// Path of its cgroup.
    cgroup: Option<String>,
    #[serde(flatten)]
    of: T,
}

/// Place of the kernel's decision.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DecisionSite {
    /// A wake-up.
    WakeAffine,
    /// A balancer.
    LoadBalance,
    /// A swap by the NUMA balancer.
    NumaSwap,
}

/// Decision.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DecisionVerdict {
    /// The task stays on its node.
    Cling,
    /// Allowed to go.
    Allow,
}

/// A decision.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClingDecision")]
struct Decision {
    /// Time, ns.
    #[serde(with = "Moment")]
    t_ns: u64,
    /// Pid.
    pid: Option<i32>,
    /// Place in the kernel.
    site: DecisionSite,
    /// The node where the task was.
    src_nid: i32,
    /// The node where it was to go.
    dst_nid: i32,
    /// Decision.
    verdict: DecisionVerdict,
    /// The counters behind a decision.
    reason: String,
    /// The kernel's function.
    function: &'static str,
    /// Provenance.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

impl From<Annotation> for Decision {
    fn from(note: Annotation) -> Self {
        let allowed = note.outcome == Outcome::Released;
        let (by, stat) = (note.by, note.by.stat);
        let over = if allowed { "busy" } else { "not busy" };
        Self {
            t_ns: note.t_ns,
            pid: note.pid,
            site: match note.kind {
                Kind::WakeAffine => DecisionSite::WakeAffine,
                Kind::Swap => DecisionSite::NumaSwap,
                _ => DecisionSite::LoadBalance,
            },
            src_nid: note.snid,
            dst_nid: note.dnid,
            verdict: if allowed {
                DecisionVerdict::Allow
            } else {
                DecisionVerdict::Cling
            },
            reason: format!(
                "node {} is {over}: F {}, T {}, ratio {} %, degree {} %, busiest_nid {}",
                by.nid, stat.f, stat.t, stat.q, by.degree, by.busiest_nid
            ),
            function: note.function,
            label: note.label,
            missing: note.missing,
        }
    }
}

impl ReportCling {
    #[allow(clippy::unnecessary_wraps, reason = "other shapes can fail")]
    pub(crate) fn new(cling: Answer<Cling>, request: &Request<'_>) -> Result<Self, Error> {
        let cling = match cling {
            Answer::Content(cling) => cling.section,
            Answer::Unavailable(missing) => {
                let degree = request.options.degree.unwrap_or(DEFAULT_DEGREE);
                return Ok(Self::Missing { missing, degree });
            }
        };
        let (mut series, mut flips) = (Vec::new(), Vec::new());
        let mut groups = Vec::new();
        for group in cling.groups {
            let owner = (group.gid, group.cgroup.as_ref());
            series.extend(group.series.into_iter().map(|step| of_group(owner, step)));
            flips.extend(group.flips.into_iter().map(|flip| of_group(owner, flip)));
            groups.push(ReportGroup {
                number: group.number,
                gid: group.gid,
                cgroup: group.cgroup,
                from_ns: group.from_ns,
                to_ns: group.to_ns,
                disabled_ns: group.disabled_ns,
                nodes: group.nodes,
                busy: group.busy,
                scan_periods: group.scan_periods,
                label: group.label,
                missing: group.missing,
            });
        }
        series.sort_by_key(|step: &OfGroup<GroupStep>| step.of.t_ns);
        flips.sort_by_key(|flip: &OfGroup<Flip>| flip.of.t_ns);
        Ok(Self::Known(Box::new(KnownCling {
            degree: cling.degree,
            known_by: cling.known_by,
            timer_period_ns: cling.timer_period_ns,
            groups,
            series,
            flips,
            decisions: cling.decisions.into_iter().map(Decision::from).collect(),
            decisions_more: cling.decisions_more,
            annotations: cling.annotations,
            annotations_more: cling.annotations_more,
            checked: cling.checked,
            from_events: cling.from_events,
            from_everything: cling.from_everything,
            readings: cling.readings,
            what_if: cling.what_if,
        })))
    }
}

fn of_group<T>((gid, cgroup): (i32, Option<&String>), of: T) -> OfGroup<T> {
    OfGroup {
        gid,
        cgroup: cgroup.cloned(),
        of,
    }
}
