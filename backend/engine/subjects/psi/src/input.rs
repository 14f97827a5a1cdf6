//! Inputs of a query.

use numalens_replay::evidence::{Evidence, Instant};

use crate::result::SampleSeries;

/// Options of the caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Another version's rules: "4.20", "5.7", "5.14", "5.17" or "6.4".
    pub rules: Option<String>,
    /// Another HZ.
    pub hz: Option<u32>,
}

/// Inputs of a query. Slices cover the whole recording; the query takes what it needs.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    /// Quality of the replay's facts.
    pub evidence: &'a Evidence,
    /// Options of the caller.
    pub options: &'a Options,
    /// The window, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Node of each CPU by number, -1 when not known.
    pub node_of: &'a [i32],
    /// Number and path of the cgroups.
    pub groups: &'a [(u32, &'a str)],
    /// Moments of aggregation. Reads of a group that has samples are taken from those, which know each file's read.
    pub instants: &'a [Instant],
    /// Printed values.
    pub samples: &'a [SampleSeries],
    /// Events that are lost in the window.
    pub lost_events: u64,
    /// A moment at which a jiffy began, ns, if known.
    pub tick_anchor_ns: Option<u64>,
}

/// Position of a series' file in its group, in sampling order.
pub(super) fn place(series: &SampleSeries, all: &[SampleSeries]) -> usize {
    let files = all.iter().filter(|other| other.cgroup == series.cgroup);
    files
        .filter(|other| other.resource < series.resource)
        .count()
}
