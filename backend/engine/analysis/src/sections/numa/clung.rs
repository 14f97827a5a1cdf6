//! What cling did in a window, for whoever shows it over time.

use numalens_bundle::{Error, Open};
use numalens_core::provenance::Label;

use crate::cling::annotations::Annotation;
use crate::cling::history::Busy;
use crate::sections::numa::cling::{Replayed, Told, is_decision, steps};
use crate::sections::numa::known::Known;
use crate::sections::section::{Window, optional};

/// The groups, and what was decided about their tasks.
pub struct Clung {
    /// The groups.
    pub groups: Vec<Group>,
    /// The decisions, ascending.
    pub decisions: Vec<Annotation>,
}

/// A numa group.
pub struct Group {
    /// Its number.
    pub gid: i32,
    /// The cgroup of its tasks, when they have one in common.
    pub cgroup: Option<String>,
    /// The nodes that it counts.
    pub nodes: Vec<Node>,
    /// How that is known.
    pub label: Label,
    /// What is missing for knowing it better.
    pub missing: Vec<String>,
}

/// A node as the group counts it.
pub struct Node {
    /// Its number.
    pub nid: i32,
    /// From when on which share of the migrations to it failed, percent.
    pub ratios: Vec<(u64, u64)>,
    /// When it was busy for the group.
    pub busy: Vec<Busy>,
}

/// What is known of it; `None` where nothing is.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn clung(open: &Open, window: Window) -> Result<Option<Clung>, Error> {
    let Some(known) = optional(Known::of(open))? else {
        return Ok(None);
    };
    let told = Told::of(&known)?;
    if told.is_empty() {
        return Ok(None);
    }
    let replayed = Replayed::of(&known, &told);
    let label = if replayed.has_cling() {
        Label::Observed
    } else {
        Label::WhatIf
    };
    let groups = replayed.histories().iter().map(|history| {
        let mut busy = history.busy(replayed.degrees());
        busy.retain(|busy| busy.from_ns <= window.to_ns && busy.to_ns >= window.from_ns);
        let nodes = history.nodes.iter().map(|node| Node {
            nid: node.nid,
            ratios: steps(node, window)
                .iter()
                .map(|step| (step.t_ns.max(window.from_ns), step.stat.q))
                .collect(),
            busy: busy
                .iter()
                .filter(|busy| busy.nid == node.nid)
                .copied()
                .collect(),
        });
        Group {
            gid: history.group.gid,
            cgroup: history.group.cgroup.clone(),
            nodes: nodes.collect(),
            label: label.max(history.label),
            missing: history.missing.clone(),
        }
    });
    let groups = groups.collect();
    let mut decisions = replayed.annotations(&told, window);
    decisions.retain(is_decision);
    Ok(Some(Clung { groups, decisions }))
}
