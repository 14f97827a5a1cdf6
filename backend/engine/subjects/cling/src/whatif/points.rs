//! Moments at which cling would have influenced a decision.

use std::collections::{HashMap, HashSet};

use numalens_core::provenance::Label;
use numalens_replay::migrations::{How, Migration};
use numalens_replay::numa::{Attempt, ClingLine, Site as LineSite};

use crate::events::failed;
use crate::group::{NO_NODE, Stat};
use crate::history::History;
use crate::lines::Lines;
use crate::prefs::{PrefFrom, Prefs};
use crate::whatif::{Point, Site};

/// A migration so soon after an attempt's last event is the attempt's own, ns.
const OWN_NS: u64 = 10_000_000;

/// Other events besides attempts.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// Migrations, by time.
    pub migrations: &'a [Migration],
    /// Preferred nodes.
    pub prefs: &'a Prefs,
    /// A CPU's node.
    pub node_of: &'a dyn Fn(u32) -> Option<i32>,
    /// True if all nodes have the same distance (`NUMA_DIRECT`): elsewhere `preferred_group_nid` still elects a paused node
    /// (`docs/algorithms/cling.md`, G11).
    pub direct: bool,
}

impl std::fmt::Debug for Seen<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Seen")
            .field("migrations", &self.migrations.len())
            .field("direct", &self.direct)
            .finish_non_exhaustive()
    }
}

struct Maker<'a> {
    histories: HashMap<u32, &'a History>,
    points: Vec<Point>,
}

impl Maker<'_> {
    fn push(&mut self, mut point: Point) {
        if let Some(history) = self.histories.get(&point.group) {
            point.stat = history.stat_at(point.nid, point.t_ns);
            point.busiest_nid = history.busiest_at(point.t_ns);
            self.points.push(point);
        }
    }
}

fn point(t_ns: u64, site: Site, group: u32, pid: i32) -> Point {
    Point {
        t_ns,
        site,
        group,
        pid,
        snid: NO_NODE,
        dnid: NO_NODE,
        nid: NO_NODE,
        stat: Stat::default(),
        busiest_nid: NO_NODE,
        fits_busy: None,
        label: Label::Inferred,
    }
}

/// Points of a trace without cling, by time.
#[must_use]
pub fn points(
    histories: &[History],
    attempts: &[Attempt],
    seen: &Seen<'_>,
    group_of: &dyn Fn(i32, u64) -> Option<u32>,
) -> Vec<Point> {
    let numbered = histories
        .iter()
        .map(|history| (history.group.number, history));
    let mut maker = Maker {
        histories: numbered.collect(),
        points: Vec::new(),
    };
    of_attempts(&mut maker, attempts, seen, group_of);
    let targets = attempts
        .iter()
        .map(|attempt| (attempt.pid, attempt.start_ns, attempt.target_nid));
    of_elections(&mut maker, seen, &confirmed(targets), group_of);
    of_migrations(&mut maker, attempts, seen, group_of);
    let mut points = maker.points;
    points.sort_by_key(|point| (point.t_ns, point.pid, point.site));
    points
}

/// Swaps that take a task off its preferred node, and attempts that follow a failure without an election between.
fn of_attempts(
    maker: &mut Maker<'_>,
    attempts: &[Attempt],
    seen: &Seen<'_>,
    group_of: &dyn Fn(i32, u64) -> Option<u32>,
) {
    let mut last_failed: HashMap<i32, u64> = HashMap::new();
    for attempt in attempts {
        let swapped = attempt
            .partner
            .filter(|_| failed(attempt) == Some(false) && attempt.dst_nid >= 0);
        if let Some(partner) = swapped {
            let group = group_of(partner.pid, attempt.start_ns);
            let pref = seen.prefs.at(partner.pid, attempt.start_ns);
            let home = pref.is_some_and(|pref| pref.nid == attempt.dst_nid);
            if let (Some(group), true) = (group, home && attempt.src_nid != attempt.dst_nid) {
                maker.push(Point {
                    snid: attempt.dst_nid,
                    dnid: attempt.src_nid,
                    nid: attempt.dst_nid,
                    fits_busy: Some(true),
                    ..point(attempt.start_ns, Site::Swap, group, partner.pid)
                });
            }
        }
        let Some(group) = group_of(attempt.pid, attempt.start_ns) else {
            last_failed.remove(&attempt.pid);
            continue;
        };
        if let Some(before) = last_failed.remove(&attempt.pid) {
            let steps = seen.prefs.of(attempt.pid);
            let printed = |from: PrefFrom| matches!(from, PrefFrom::Setnuma);
            let known = steps.iter().any(|step| printed(step.from));
            let elected = steps.iter().any(|step| {
                printed(step.from)
                    && step.nid >= 0
                    && (before..=attempt.start_ns).contains(&step.t_ns)
            });
            if known && !elected {
                maker.push(Point {
                    snid: attempt.src_nid,
                    dnid: attempt.target_nid,
                    nid: attempt.target_nid,
                    ..point(attempt.start_ns, Site::Retry, group, attempt.pid)
                });
            }
        }
        if failed(attempt) == Some(true) {
            last_failed.insert(attempt.pid, attempt.end_ns);
        }
    }
}

/// Each task's attempts: when, towards which node.
type Targets = HashMap<i32, Vec<(u64, i32)>>;

fn confirmed(attempts: impl Iterator<Item = (i32, u64, i32)>) -> Targets {
    let mut targets = Targets::new();
    for (pid, t_ns, nid) in attempts {
        targets.entry(pid).or_default().push((t_ns, nid));
    }
    targets
}

/// Nodes that tasks came to prefer. `task_numa_migrate` changes the preferred node as well, so only what an attempt then
/// went for counts as elected.
fn of_elections(
    maker: &mut Maker<'_>,
    seen: &Seen<'_>,
    targets: &Targets,
    group_of: &dyn Fn(i32, u64) -> Option<u32>,
) {
    if !seen.direct {
        return;
    }
    for pid in seen.prefs.pids() {
        let mut before = NO_NODE;
        let steps = seen.prefs.of(pid);
        let own = targets.get(&pid).map_or(&[][..], Vec::as_slice);
        for (at, step) in steps.iter().enumerate() {
            let until = steps.get(at + 1).map_or(u64::MAX, |next| next.t_ns);
            let next = own.get(own.partition_point(|target| target.0 < step.t_ns));
            let went = next.is_some_and(|&(t_ns, nid)| t_ns <= until && nid == step.nid);
            let elected = went
                && step.nid >= 0
                && step.nid != before
                && matches!(step.from, PrefFrom::Setnuma | PrefFrom::Target(_));
            let snid = std::mem::replace(&mut before, step.nid);
            let Some(group) = group_of(pid, step.t_ns).filter(|_| elected) else {
                continue;
            };
            maker.push(Point {
                snid,
                dnid: step.nid,
                nid: step.nid,
                fits_busy: Some(false),
                ..point(step.t_ns, Site::Elect, group, pid)
            });
        }
    }
}

/// Wake-ups and balancers that took a task off its preferred node.
fn of_migrations(
    maker: &mut Maker<'_>,
    attempts: &[Attempt],
    seen: &Seen<'_>,
    group_of: &dyn Fn(i32, u64) -> Option<u32>,
) {
    let mut own: HashMap<i32, Vec<(u64, u64)>> = HashMap::new();
    for attempt in attempts {
        let span = (attempt.start_ns, attempt.end_ns.saturating_add(OWN_NS));
        let partner = attempt.partner.map(|partner| partner.pid);
        for pid in [Some(attempt.pid), partner].into_iter().flatten() {
            own.entry(pid).or_default().push(span);
        }
    }
    let pids: HashSet<i32> = seen.prefs.pids().into_iter().collect();
    for migration in seen.migrations {
        let (pid, t_ns) = (migration.pid, migration.ts_ns);
        if !pids.contains(&pid) {
            continue;
        }
        let node = |cpu: u32| (seen.node_of)(cpu);
        let (Some(from), Some(to)) = (node(migration.orig_cpu), node(migration.dest_cpu)) else {
            continue;
        };
        let pref = seen.prefs.at(pid, t_ns).map_or(NO_NODE, |pref| pref.nid);
        let Some(group) = group_of(pid, t_ns).filter(|_| from == pref && to != pref) else {
            continue;
        };
        let site = match migration.how {
            // Only the waker's node can draw it away, and cling looks at that node.
            How::Waking if node(migration.cpu).is_some_and(|waker| waker != from) => {
                Site::WakeAffine
            }
            How::Runnable => {
                let spans = own.get(&pid).map_or(&[][..], Vec::as_slice);
                let last = spans.partition_point(|span| span.0 <= t_ns);
                if spans
                    .get(last.wrapping_sub(1))
                    .is_some_and(|span| t_ns <= span.1)
                {
                    continue;
                }
                Site::LoadBalance
            }
            _ => continue,
        };
        maker.push(Point {
            snid: from,
            dnid: to,
            nid: from,
            fits_busy: Some(true),
            ..point(t_ns, site, group, pid)
        });
    }
}

/// Points of printed decisions: whatever a degree changes in them is a decision that differs.
pub(super) fn of_lines(lines: &Lines) -> Vec<Point> {
    let mut points = Vec::with_capacity(lines.decisions.len());
    for decision in &lines.decisions {
        let made = |site, pid, snid, dnid, nid, stat: Option<Stat>, busy| Point {
            snid,
            dnid,
            nid,
            stat: stat.unwrap_or_else(|| {
                lines
                    .history(decision.group)
                    .map_or_else(Stat::default, |history| history.stat_at(nid, decision.t_ns))
            }),
            busiest_nid: decision.busiest_nid,
            fits_busy: Some(busy),
            label: Label::Observed,
            ..point(decision.t_ns, site, decision.group, pid)
        };
        match decision.line {
            ClingLine::Decision {
                site,
                pid,
                snid,
                dnid,
                busy,
                f,
                t,
                q,
                busiest_nid,
                ..
            } => {
                let site = match site {
                    LineSite::Wake => Site::WakeAffine,
                    LineSite::LoadBalance => Site::LoadBalance,
                    LineSite::Swap => Site::Swap,
                };
                let stat = Some(Stat { f, t, q });
                let mut point = made(site, pid, snid, dnid, snid, stat, busy);
                point.busiest_nid = busiest_nid;
                points.push(point);
            }
            ClingLine::PausePrefer {
                pid, nid, f, t, q, ..
            } => {
                let stat = Some(Stat { f, t, q });
                points.push(made(Site::Elect, pid, NO_NODE, nid, nid, stat, true));
            }
            ClingLine::Memory {
                pid,
                snid,
                dnid,
                src_busy,
                ..
            } if decision.exact => {
                let nid = if src_busy { snid } else { dnid };
                points.push(made(Site::Memory, pid, snid, dnid, nid, None, true));
            }
            _ => {}
        }
    }
    // Nodes that were elected: a lower degree may have paused them.
    let histories: HashMap<u32, &History> = lines
        .histories
        .iter()
        .map(|history| (history.group.number, history))
        .collect();
    let mut maker = Maker { histories, points };
    let members = crate::prefs::Members::of_lines(lines);
    let seen = Seen {
        migrations: &[],
        prefs: &lines.prefs,
        node_of: &|_| None,
        direct: true,
    };
    let targets = lines
        .attempts
        .iter()
        .map(|counted| (counted.pid, counted.t_ns, counted.nid));
    let group_of = |pid: i32, t_ns: u64| members.at(pid, t_ns);
    of_elections(&mut maker, &seen, &confirmed(targets), &group_of);
    let mut points = maker.points;
    points.sort_by_key(|point| (point.t_ns, point.pid, point.site));
    points
}
