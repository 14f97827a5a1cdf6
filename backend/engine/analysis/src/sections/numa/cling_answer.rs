//! What the section about cling says.

use numalens_core::json::{Moment, OptionalMoment};
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cling::annotations::Annotation;
use crate::cling::compare;
use crate::cling::history::{Busy, Degrees, Flip};
use crate::cling::lines::{Checked, Violation};
use crate::cling::whatif::View;

/// NUMA cling: the groups' counters, busy nodes, decisions, and how exact the replay is.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct Cling {
    /// What tells of it.
    pub(in super::super) known_by: KnownBy,
    /// At the window's end, percent.
    pub(in super::super) degree: u32,
    /// Each change of it: from when on, and its value.
    pub(in super::super) degrees: Degrees,
    /// Period of the timer that halves the counters, ns.
    pub(in super::super) timer_period_ns: u64,
    /// The numa groups.
    pub(in super::super) groups: Vec<Group>,
    /// Whether tasks were kept on their node or allowed off it, by time.
    pub(in super::super) decisions: Vec<Annotation>,
    /// How many more there are.
    pub(in super::super) decisions_more: usize,
    /// What else happened, by time.
    pub(in super::super) annotations: Vec<Annotation>,
    /// How many more there are.
    pub(in super::super) annotations_more: usize,
    /// The kernel's lines against the replay; null without lines of the kernel.
    pub(in super::super) checked: Option<CheckedLines>,
    /// By scheduler events alone; null without lines of the kernel.
    pub(in super::super) from_events: Option<compare::Table>,
    /// By events, probes and readings of the groups' files; null without lines of the kernel.
    pub(in super::super) from_everything: Option<compare::Table>,
    /// How the replay of events came to what was read from the groups' files.
    pub(in super::super) readings: Readings,
    /// Null unless a degree was asked for.
    pub(in super::super) what_if: Option<View>,
}

/// What tells of cling.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "ClingEvidence")]
#[serde(rename_all = "snake_case")]
pub(in super::super) enum KnownBy {
    /// The kernel's own lines.
    Lines,
    /// Readings of its files.
    Readings,
    /// Nothing: a what-if on a kernel without it.
    WhatIf,
}

/// A numa group: its nodes, their counters over time, when a node was busy.
#[derive(Clone, Serialize, JsonSchema)]
pub(in super::super) struct Group {
    /// Number of the group object: as printed, or counted by the replay.
    pub(in super::super) number: u32,
    /// 0 when nobody joined.
    pub(in super::super) gid: i32,
    /// Its cgroup's path, where samples tell.
    pub(in super::super) cgroup: Option<String>,
    /// From when on it is known, ns.
    #[serde(with = "Moment")]
    pub(in super::super) from_ns: u64,
    /// Until when, ns.
    #[serde(with = "Moment")]
    pub(in super::super) to_ns: u64,
    /// When it was switched off, ns.
    #[serde(with = "OptionalMoment")]
    pub(in super::super) disabled_ns: Option<u64>,
    /// The nodes: attempts of the window, counters at its end.
    pub(in super::super) nodes: Vec<GroupNode>,
    /// Ascending, each from its moment on; thinned where there are very many, extremes kept.
    pub(in super::super) series: Vec<GroupStep>,
    /// When its nodes were busy.
    pub(in super::super) busy: Vec<Busy>,
    /// Each change of a busy node.
    pub(in super::super) flips: Vec<Flip>,
    /// How it is known.
    pub(in super::super) label: Label,
    /// What would make it better known.
    pub(in super::super) missing: Vec<String>,
}

/// A node in a group: attempts of the window, and its counters at the window's end.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub(in super::super) struct GroupNode {
    /// The node.
    pub(super) nid: i32,
    /// Attempts to reach it.
    pub(super) attempts: u64,
    /// Of these, those that failed.
    pub(super) failures: u64,
    /// Failures as the kernel weighs them.
    pub(super) failure_scaled: u64,
    /// Attempts as the kernel weighs them.
    pub(super) total_scaled: u64,
    /// Failures of attempts, percent.
    pub(super) ratio_percent: u64,
}

/// A node's counters from a moment on.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub(in super::super) struct GroupStep {
    /// From when on, ns.
    #[serde(with = "Moment")]
    pub(in super::super) t_ns: u64,
    /// The node.
    pub(in super::super) nid: i32,
    /// Failures as the kernel weighs them.
    pub(super) failure_scaled: u64,
    /// Attempts as the kernel weighs them.
    pub(super) total_scaled: u64,
    /// Failures of attempts, percent.
    pub(in super::super) ratio_percent: u64,
    /// The group's busiest node; -1 for none.
    pub(super) busiest_nid: i32,
}

/// What the kernel printed, compared with the replay.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct CheckedLines {
    /// How many lines of each kind were compared.
    pub(super) kinds: Vec<Checked>,
    /// The first of the window.
    pub(super) violations: Vec<Violation>,
    /// Of the whole recording.
    pub(super) violations_all: usize,
}

/// How the replay of events came to what was read from the groups' files.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub(in super::super) struct Readings {
    /// Readings.
    pub(super) all: usize,
    /// Taken over, for nothing was known before.
    pub(super) adopted: usize,
    /// As read.
    pub(super) exactly: usize,
    /// With attempts in another order than their events.
    pub(super) reordered: usize,
    /// With a timer at another moment.
    pub(super) timer_shifted: usize,
    /// Not at all: the replay goes on from what was read.
    pub(super) not: usize,
}
