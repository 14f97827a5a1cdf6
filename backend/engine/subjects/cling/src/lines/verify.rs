//! The replay: one line after the other.

use std::collections::BTreeMap;
use std::fmt::Debug;

use numalens_core::hash::PidMap;
use numalens_replay::numa::{ClingLine, GroupChange};

use crate::group::{NO_NODE, Stat};
use crate::history::{Cause, Degrees, History};
use crate::lines::waiting::{self, Fits, Waiting};
use crate::lines::{
    Check, Checked, Counted, Lines, Live, MemberStep, PrintedDecision, Ran, Violation,
};
use crate::prefs::Prefs;
use crate::samples::Reading;

/// Inputs of the verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Online nodes, ascending.
    pub nodes: Vec<i32>,
    /// Maximum distance between a change and a line read without the lock, ns.
    pub near_ns: u64,
    /// Limit of replayed groups; lines of further groups are ignored. A machine has as many as it has cgroups.
    pub most_groups: usize,
}

impl Config {
    /// With these nodes.
    #[must_use]
    pub fn new(nodes: Vec<i32>) -> Self {
        Self {
            nodes,
            near_ns: 4_000_000,
            most_groups: 1 << 16,
        }
    }
}

/// Takes lines in.
#[derive(Debug)]
pub struct Replay {
    config: Config,
    pub(super) groups: BTreeMap<u32, Live>,
    /// Task whose failed attempt was counted last, with its time: it will have no preferred node next.
    pub(super) failed: PidMap<u32>,
    prefs: Prefs,
    pub(super) degrees: Degrees,
    pub(super) tally: Tally,
    pub(super) attempts: Vec<Counted>,
    pub(super) timers: Vec<Ran>,
    members: Vec<MemberStep>,
    decisions: Vec<PrintedDecision>,
    jiffies: Option<(u64, u64, u32)>,
    last_ns: u64,
}

/// A line, where and when it was printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineRow {
    pub(super) ts_ns: u64,
    pub(super) cpu: u32,
    pub(super) line: ClingLine,
}

impl Replay {
    /// Starts without lines.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config,
            groups: BTreeMap::new(),
            failed: PidMap::default(),
            prefs: Prefs::default(),
            degrees: Degrees::default(),
            tally: Tally::default(),
            attempts: Vec::new(),
            timers: Vec::new(),
            members: Vec::new(),
            decisions: Vec::new(),
            jiffies: None,
            last_ns: 0,
        }
    }

    /// The next line, printed on `cpu` at `ts_ns` (ns of the reference clock, never before the last line's).
    pub fn push(&mut self, ts_ns: u64, cpu: u32, line: &ClingLine) {
        let row = &LineRow {
            ts_ns,
            cpu,
            line: *line,
        };
        self.last_ns = self.last_ns.max(row.ts_ns);
        self.tally.at(row.ts_ns, row.cpu);
        match row.line {
            ClingLine::Enable {
                cgroup_id,
                degree,
                hz,
                jiffies,
                grp,
                ..
            } => {
                self.degrees.push(row.ts_ns, degree);
                self.jiffies.get_or_insert((row.ts_ns, jiffies, hz));
                if self.groups.len() < self.config.most_groups {
                    let mut made = Live::new(grp, &self.config.nodes, row.ts_ns, true);
                    made.history.group.cgroup_id = Some(cgroup_id);
                    made.history.record(row.ts_ns, &made.group, Cause::Start);
                    self.groups.insert(grp, made);
                }
            }
            ClingLine::Disable { cgroup_id, grp, .. } => {
                if let Some(live) = self.live(grp, row.ts_ns) {
                    live.history.disabled_ns = Some(row.ts_ns);
                    live.history.group.cgroup_id = Some(cgroup_id);
                }
            }
            ClingLine::Member { .. } => self.member(row),
            ClingLine::MigrateStat { .. } => self.attempt(row),
            ClingLine::Timer { .. } => self.timer(row),
            ClingLine::TimerEnd { .. } => self.timer_end(row),
            ClingLine::Show { .. } => self.show(row),
            ClingLine::Decision { grp, .. }
            | ClingLine::PausePrefer { grp, .. }
            | ClingLine::Memory { grp, .. } => self.lockfree(row, grp),
            ClingLine::Setnuma { pid, old, new } => {
                self.prefs.setnuma(pid, row.ts_ns, old, new);
                if let Some(grp) = self.failed.remove(&pid) {
                    let reason = "a failed attempt of a member resets its preferred node";
                    self.tally.same(Check::Reset, grp, &new, &NO_NODE, reason);
                }
            }
            ClingLine::TimerRan => {}
        }
    }

    pub(super) fn live(&mut self, grp: u32, ts_ns: u64) -> Option<&mut Live> {
        // Number 0 is any group that faults formed: cling leaves them alone.
        if grp == 0 {
            return None;
        }
        if !self.groups.contains_key(&grp) && self.groups.len() < self.config.most_groups {
            let live = Live::new(grp, &self.config.nodes, ts_ns, false);
            self.groups.insert(grp, live);
        }
        self.groups.get_mut(&grp)
    }

    fn member(&mut self, row: &LineRow) {
        let ClingLine::Member {
            join,
            gid,
            pid,
            kind,
            nr_tasks,
            grp,
        } = row.line
        else {
            return;
        };
        self.members.push(MemberStep {
            t_ns: row.ts_ns,
            pid,
            group: grp,
            joined: join,
        });
        if matches!(kind, GroupChange::Exit) {
            self.failed.remove(&pid);
        }
        self.live(grp, row.ts_ns);
        let Some(live) = self.groups.get_mut(&grp) else {
            return;
        };
        live.history.renamed(row.ts_ns, gid);
        let expected = live.members.map(|before| {
            if join {
                before.saturating_add(1)
            } else {
                before.saturating_sub(1)
            }
        });
        live.members = Some(nr_tasks);
        match expected {
            Some(expected) => {
                let reason = "a join or a leave was not printed";
                self.tally
                    .same(Check::Members, grp, &nr_tasks, &expected, reason);
            }
            None => self.tally.adopted(Check::Members),
        }
    }

    fn lockfree(&mut self, row: &LineRow, grp: u32) {
        self.live(grp, row.ts_ns);
        let (Some(live), Some(check)) = (self.groups.get_mut(&grp), waiting::check(&row.line))
        else {
            return;
        };
        let nodes = waiting::nodes(&row.line);
        let known = nodes.iter().all(|&nid| live.knows(nid));
        let near_ns = self.config.near_ns;
        let fits = waiting::now(&row.line, live, row.ts_ns, near_ns, &self.degrees);
        self.decisions.push(PrintedDecision {
            t_ns: row.ts_ns,
            group: grp,
            line: row.line,
            exact: known && fits == Fits::Exactly,
            busiest_nid: live.group.busiest_nid,
            degree: self.degrees.at(row.ts_ns),
        });
        if !known {
            self.tally.adopted(check);
            return;
        }
        if fits == Fits::Not {
            live.waiting.push(Waiting {
                ts_ns: row.ts_ns,
                cpu: row.cpu,
                line: row.line,
                replayed: live.shows(nodes[0]),
            });
        } else {
            self.tally.fits(check, fits == Fits::Exactly);
        }
    }

    /// Compares waiting lines with what the group is to be next.
    pub(super) fn settle(&mut self, live: &mut Live, next: Option<(&crate::group::Group, u64)>) {
        for waiting in std::mem::take(&mut live.waiting) {
            let near = self.config.near_ns;
            let Some(check) = waiting::check(&waiting.line) else {
                continue;
            };
            if waiting::later(&waiting, live, next, near, &self.degrees) == Fits::Nearly {
                self.tally.fits(check, false);
            } else {
                self.tally
                    .differs(check, live.history.group.number, &waiting);
            }
        }
    }

    /// Returns the result, also compared with samples of the cgroups' files.
    #[must_use]
    pub fn finish(mut self, readings: &[Reading]) -> Lines {
        for (_, mut live) in std::mem::take(&mut self.groups) {
            self.settle(&mut live, None);
            live.history.to_ns = self.last_ns.max(live.history.to_ns);
            live.history.label = numalens_core::provenance::Label::Replayed;
            self.groups.insert(live.history.group.number, live);
        }
        let mut histories: Vec<_> = self.groups.into_values().map(|live| live.history).collect();
        for reading in readings {
            if let Some(degree) = reading.degree
                && self.degrees.steps().is_empty()
            {
                self.degrees.push(reading.t0_ns, degree);
            }
            self.tally.reading(reading, &mut histories);
        }
        let (checked, violations) = self.tally.finish();
        Lines {
            histories,
            degrees: self.degrees,
            attempts: self.attempts,
            timers: self.timers,
            members: self.members,
            prefs: self.prefs,
            decisions: self.decisions,
            checked,
            violations,
            jiffies: self.jiffies,
        }
    }
}

// Comparing, and counting what was compared.

/// Violations that are reported; more are counted only by what was compared and not exact.
const MOST: usize = 10_000;

/// Comparisons so far.
#[derive(Debug)]
pub(super) struct Tally {
    counts: [Checked; Check::ALL.len()],
    violations: Vec<Violation>,
    t_ns: u64,
    cpu: u32,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            counts: Check::ALL.map(|check| Checked {
                check,
                compared: 0,
                exact: 0,
                near: 0,
                adopted: 0,
            }),
            violations: Vec::new(),
            t_ns: 0,
            cpu: 0,
        }
    }
}

impl Tally {
    /// Sets time and CPU of the following lines.
    pub(super) fn at(&mut self, t_ns: u64, cpu: u32) {
        (self.t_ns, self.cpu) = (t_ns, cpu);
    }

    fn count(&mut self, check: Check) -> Option<&mut Checked> {
        self.counts.get_mut(check as usize)
    }

    pub(super) fn adopted(&mut self, check: Check) {
        if let Some(row) = self.count(check) {
            row.adopted += 1;
        }
    }

    pub(super) fn fits(&mut self, check: Check, exactly: bool) {
        if let Some(row) = self.count(check) {
            row.compared += 1;
            if exactly {
                row.exact += 1;
            } else {
                row.near += 1;
            }
        }
    }

    /// Compares; whether both are the same.
    pub(super) fn same<T: PartialEq + Debug>(
        &mut self,
        check: Check,
        group: u32,
        printed: &T,
        replayed: &T,
        reason: &'static str,
    ) -> bool {
        let same = printed == replayed;
        if same {
            self.fits(check, true);
        } else {
            let texts = (format!("{printed:?}"), format!("{replayed:?}"));
            self.violation(check, group, (self.t_ns, self.cpu), texts, reason);
        }
        same
    }

    fn violation(
        &mut self,
        check: Check,
        group: u32,
        (t_ns, cpu): (u64, u32),
        (printed, replayed): (String, String),
        reason: &'static str,
    ) {
        if let Some(row) = self.count(check) {
            row.compared += 1;
        }
        if self.violations.len() < MOST {
            self.violations.push(Violation {
                t_ns,
                cpu,
                group,
                check,
                printed,
                replayed,
                reason,
            });
        }
    }

    /// Checks the invariants of counters.
    pub(super) fn invariant(&mut self, group: u32, stat: Stat) {
        let lawful = Stat {
            f: stat.f.min(stat.t),
            t: stat.t,
            q: Stat::ratio(stat.f, stat.t),
        };
        let reason = "no kernel prints this: F <= T and Q = F * 100 / (T + 1)";
        self.same(Check::Invariant, group, &stat, &lawful, reason);
    }

    /// A line read without the lock fits nothing near it.
    pub(super) fn differs(&mut self, check: Check, group: u32, waiting: &Waiting) {
        let texts = (
            format!("{:?}", waiting.line),
            format!("{:?}", waiting.replayed),
        );
        let place = (waiting.ts_ns, waiting.cpu);
        let reason = "it was read without the lock, or the degree was changed";
        self.violation(check, group, place, texts, reason);
    }

    /// Compares a sample with the groups of its id.
    pub(super) fn reading(&mut self, reading: &Reading, histories: &mut [History]) {
        let Some(shown) = &reading.group else {
            return;
        };
        self.at(reading.t0_ns, 0);
        let mut moments = Vec::new();
        let mut near: Option<(u32, String)> = None;
        for history in histories.iter_mut() {
            let path = history.group.cgroup.as_ref();
            let alive = history.from_ns <= reading.t1_ns && reading.t0_ns <= history.to_ns;
            if !alive || path.is_some_and(|path| *path != reading.cgroup) {
                continue;
            }
            moments.clear();
            moments.push(reading.t0_ns.max(history.from_ns));
            moments.extend(history.changes(reading.t0_ns, reading.t1_ns));
            let named = moments
                .iter()
                .copied()
                .chain([reading.t1_ns])
                .any(|t_ns| history.gid_at(t_ns) == reading.gid);
            if !named {
                continue;
            }
            if moments.iter().any(|&t_ns| history.at(t_ns) == *shown) {
                if reading.gid != 0 {
                    history.group.cgroup = Some(reading.cgroup.clone());
                }
                self.fits(Check::Sample, true);
                return;
            }
            near = Some((
                history.group.number,
                format!("{:?}", history.at(reading.t0_ns)),
            ));
        }
        let Some((group, replayed)) = near else {
            self.adopted(Check::Sample);
            return;
        };
        let texts = (format!("{shown:?}"), replayed);
        let reason = "an attempt or a timer was not printed, or lines were lost";
        let place = (self.t_ns, self.cpu);
        self.violation(Check::Sample, group, place, texts, reason);
    }

    pub(super) fn finish(mut self) -> (Vec<Checked>, Vec<Violation>) {
        self.violations.sort_by_key(|violation| violation.t_ns);
        (self.counts.to_vec(), self.violations)
    }
}
