//! A group while its lines are replayed.

use std::collections::BTreeSet;

use numalens_core::provenance::Label;

use crate::cling::group::{Group, Stat};
use crate::cling::history::{GroupId, History};
use crate::cling::lines::lockfree::Waiting;

/// A timer's callback that is being printed.
#[derive(Debug, Default)]
pub(super) struct Callback {
    /// The most failures so far.
    pub(super) most: u64,
    /// The nodes that were printed, ascending.
    pub(super) seen: Vec<i32>,
}

/// A group.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) group: Group,
    /// What it was before its last change, and when that change was printed.
    pub(super) before: Group,
    pub(super) changed_ns: u64,
    /// Nodes of which the counters are known.
    pub(super) known: BTreeSet<i32>,
    /// Whether `busiest_nid` is known.
    pub(super) busiest_known: bool,
    pub(super) callback: Option<Callback>,
    pub(super) history: History,
    pub(super) members: Option<i32>,
    /// Jiffies and period of the last timer.
    pub(super) last_timer: Option<(u64, u64)>,
    pub(super) waiting: Vec<Waiting>,
}

impl Live {
    /// `made`: its begin was printed, so everything is known.
    pub(super) fn new(number: u32, nodes: &[i32], t_ns: u64, made: bool) -> Self {
        let group = Group::new(nodes);
        let id = GroupId {
            number,
            gid: 0,
            cgroup_id: None,
            cgroup: None,
        };
        let known = if made { nodes } else { &[] };
        Self {
            before: group.clone(),
            group,
            changed_ns: t_ns,
            known: known.iter().copied().collect(),
            busiest_known: made,
            callback: None,
            history: History::new(id, t_ns, Label::Replayed),
            members: made.then_some(0),
            last_timer: None,
            waiting: Vec::new(),
        }
    }

    /// Whether everything printed about a node can be compared.
    pub(super) fn knows(&self, nid: i32) -> bool {
        self.busiest_known && self.known.contains(&nid)
    }

    /// Goes on from what was printed.
    pub(super) fn adopt(&mut self, nid: i32, stat: Stat, busiest_nid: i32) {
        self.group.set(nid, stat);
        self.group.busiest_nid = busiest_nid;
        self.known.insert(nid);
        self.busiest_known = true;
    }

    /// Whether everything is 0 that this node shows, and its busiest.
    pub(super) fn shows(&self, nid: i32) -> (Stat, i32) {
        (self.group.stat(nid), self.group.busiest_nid)
    }
}
