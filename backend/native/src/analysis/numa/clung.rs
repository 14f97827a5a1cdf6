//! What cling did in a window, for whoever shows it over time.

use numalens_engine::cling::annotations::Annotation;
use numalens_engine::cling::history::Busy;
use numalens_engine::evidence::Label;

use super::super::Window;
use super::cling::{Replayed, Told, is_decision, steps};
use super::known::Known;
use crate::bundle::Open;
use crate::error::Error;

/// The groups, and what was decided about their tasks.
pub(crate) struct Clung {
    pub(crate) groups: Vec<Group>,
    pub(crate) decisions: Vec<Annotation>,
}

/// A group.
pub(crate) struct Group {
    pub(crate) gid: i32,
    pub(crate) cgroup: Option<String>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) label: Label,
    pub(crate) missing: Vec<String>,
}

/// A node as the group counts it.
pub(crate) struct Node {
    pub(crate) nid: i32,
    /// From when on which share of the migrations to it failed, percent.
    pub(crate) ratios: Vec<(u64, u64)>,
    /// When it was busy for the group.
    pub(crate) busy: Vec<Busy>,
}

/// What is known of it; `None` where nothing is.
pub(crate) fn clung(open: &Open, window: Window) -> Result<Option<Clung>, Error> {
    let Ok(known) = Known::of(open)? else {
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
