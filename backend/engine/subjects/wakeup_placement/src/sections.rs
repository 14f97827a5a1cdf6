//! The section `wakeup_placement`: reasons and missed idle CPUs of a window.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use numalens_bundle::{Error, Open};
use numalens_core::json::Moment;
use numalens_core::provenance::{Label, Source};
use numalens_replay::evidence::Evidence;
use numalens_subject::findings::Finding;
use numalens_subject::report::{as_is, usual};
use numalens_subject::section::replay;
use numalens_subject::window::is_own;
use numalens_subject::{Context, Shared, Stop, Window, optional, subject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalogue::{MissedBy, PlacementReason, WhatIf};
use crate::findings::{self, MissedIdle, PlacementFacts, detect};
use crate::model::Reasons;
use crate::replay::{Decision, Missed, Replay};

/// Reason for having no answer without requests.
pub(crate) const NO_WAKERS: &str =
    "sched_waking was not recorded: without it, the CPUs of wakers are not known";

/// Most wakeups that are listed.
const MOST: usize = 100;

/// Options of the section.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlacementOptions {
    /// Lists only the decisions about this task.
    pub pid: Option<i32>,
}

/// Counts of a reason as the only possible one, and as one of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlacementReasonRow")]
pub struct ReasonRow {
    /// Reason of the placement.
    pub reason: PlacementReason,
    /// Placements with this reason only.
    pub certain: u64,
    /// Placements with this and other possible reasons.
    pub possible: u64,
}

/// Wakeups that missed an idle CPU by one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "MissedIdleRow")]
pub struct MissedRow {
    /// Rule that missed the idle CPU.
    pub by: MissedBy,
    /// Wakeups and forks.
    pub wakeups: u64,
    /// Waits that followed, as far as they lie in the window, task-ns.
    pub wait_ns: u64,
    /// Longest of these waits, ns.
    pub longest_ns: u64,
}

/// The same wakeups under other rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlacementWhatIfRow")]
pub struct WhatIfRow {
    /// The other rules.
    pub rules: WhatIf,
    /// Wakeups that would have gone to another CPU.
    pub differ: u64,
    /// Wakeups that may have gone to another CPU: what decides is not recorded.
    pub uncertain: u64,
    /// Reasons that would have led them elsewhere.
    pub reasons: Vec<ReasonRow>,
    /// Always what-if.
    pub label: Label,
}

/// One wakeup or fork.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlacementRow {
    /// Time of the request.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// Pid of the task.
    pub pid: i32,
    /// Name of the task.
    pub comm: String,
    /// True for a new task.
    pub fork: bool,
    /// CPU of the waker; null for a new task.
    pub waker_cpu: Option<u32>,
    /// CPU where the task was before; null for a new task.
    pub prev_cpu: Option<u32>,
    /// CPU where the task was placed.
    pub cpu: u32,
    /// Possible reasons; empty where no rule gives the CPU.
    pub reasons: Vec<PlacementReason>,
    /// Rule that missed an idle CPU; null if none did.
    pub missed_by: Option<MissedBy>,
    /// Nearest idle CPU that was missed.
    pub idle_cpu: Option<u32>,
    /// Wait that followed, as far as it lies in the window, ns.
    pub wait_ns: u64,
    /// Provenance of the reason.
    pub label: Label,
}

/// Reasons of placements and missed idle CPUs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WakeupPlacement {
    /// Wakeups of sleeping tasks in the window.
    pub wakeups: u64,
    /// New tasks.
    pub forks: u64,
    /// Wakeups of tasks whose previous CPU is not known, which are not explained.
    pub unknown: u64,
    /// Placements for which only one reason is possible.
    pub certain: u64,
    /// Placements on CPUs that no rule gives.
    pub unexplained: u64,
    /// Reasons that occur, in the order of the catalogue.
    pub reasons: Vec<ReasonRow>,
    /// Missed idle CPUs by rule, as far as there are any.
    pub missed: Vec<MissedRow>,
    /// Other rules under which wakeups may have gone elsewhere.
    pub what_ifs: Vec<WhatIfRow>,
    /// Wakeups that missed an idle CPU, the longest wait first; with `pid`, all of that task by time. At most 100.
    pub listed: Vec<PlacementRow>,
    /// Provenance of the reasons.
    pub label: Label,
    /// Missing inputs.
    pub missing: Vec<String>,
}

/// Returns the reasons of placements and the missed idle CPUs of a window; what a finding needs of these goes to `missed`.
///
/// # Errors
/// A log cannot be read.
pub fn wakeup_placement(
    open: &Open,
    evidence: &Evidence,
    window: (u64, u64),
    options: PlacementOptions,
    missed: &mut MissedIdle,
) -> Result<WakeupPlacement, Error> {
    let replay = Replay::new(open, evidence)?.with_what_ifs()?;
    let mut sums = Sums::new(open, window, options.pid);
    let llcs_known = replay.machine().llcs_known;
    let unknown = replay.run(window, |decision, _| {
        sums.add(decision);
        missed.add(decision, window.1);
    })?;
    missed.keep_costliest();
    let source = evidence.run_state_in(window.0, window.1);
    Ok(sums.finish(evidence, source, unknown, llcs_known))
}

/// The placements of a window while they are read.
struct Sums<'a> {
    open: &'a Open,
    to_ns: u64,
    pid: Option<i32>,
    found: WakeupPlacement,
    affinity_unknown: bool,
    reasons: Counts,
    missed: HashMap<MissedBy, MissedRow>,
    what_ifs: BTreeMap<WhatIf, (u64, u64, Counts)>,
    listed: Vec<Decision>,
}

/// Counts of reasons as the only possible one, and as one of several.
#[derive(Debug, Default)]
struct Counts {
    certain: [u64; PlacementReason::ALL.len()],
    possible: [u64; PlacementReason::ALL.len()],
}

impl Counts {
    fn add(&mut self, reasons: Reasons) {
        if let Some(reason) = reasons.only() {
            self.certain[reason as usize] += 1;
        } else {
            for reason in reasons.iter() {
                self.possible[reason as usize] += 1;
            }
        }
    }

    fn rows(&self) -> Vec<ReasonRow> {
        let rows = PlacementReason::ALL.map(|reason| ReasonRow {
            reason,
            certain: self.certain[reason as usize],
            possible: self.possible[reason as usize],
        });
        let occurs = |row: &ReasonRow| row.certain + row.possible > 0;
        rows.into_iter().filter(occurs).collect()
    }
}

impl<'a> Sums<'a> {
    fn new(open: &'a Open, window: (u64, u64), pid: Option<i32>) -> Self {
        Self {
            open,
            to_ns: window.1,
            pid,
            found: WakeupPlacement {
                wakeups: 0,
                forks: 0,
                unknown: 0,
                certain: 0,
                unexplained: 0,
                reasons: Vec::new(),
                missed: Vec::new(),
                what_ifs: Vec::new(),
                listed: Vec::new(),
                label: Label::Replayed,
                missing: Vec::new(),
            },
            affinity_unknown: false,
            reasons: Counts::default(),
            missed: HashMap::new(),
            what_ifs: BTreeMap::new(),
            listed: Vec::new(),
        }
    }

    fn add(&mut self, decision: &Decision) {
        if decision.fork {
            self.found.forks += 1;
        } else {
            self.found.wakeups += 1;
        }
        self.affinity_unknown |= !decision.affinity_observed;
        self.found.unexplained += u64::from(decision.reasons.is_empty());
        self.found.certain += u64::from(decision.reasons.only().is_some());
        self.reasons.add(decision.reasons);
        for other in decision.others.iter().flatten() {
            let (differ, uncertain, reasons) = self.what_ifs.entry(other.rules).or_default();
            *differ += u64::from(other.differs);
            *uncertain += u64::from(!other.differs);
            reasons.add(other.reasons);
        }
        let wait_ns = decision.wait_ns(self.to_ns);
        if let Some(Missed { by, .. }) = decision.missed {
            let row = self.missed.entry(by).or_insert(MissedRow {
                by,
                wakeups: 0,
                wait_ns: 0,
                longest_ns: 0,
            });
            row.wakeups += 1;
            row.wait_ns = row.wait_ns.saturating_add(wait_ns);
            row.longest_ns = row.longest_ns.max(wait_ns);
        }
        match self.pid {
            Some(pid) if pid == decision.pid && self.listed.len() < MOST => {
                self.listed.push(*decision);
            }
            None if decision.missed.is_some() => {
                self.listed.push(*decision);
                if self.listed.len() >= 2 * MOST {
                    self.keep_longest();
                }
            }
            _ => {}
        }
    }

    fn keep_longest(&mut self) {
        let to_ns = self.to_ns;
        self.listed
            .sort_by_key(|one| (Reverse(one.wait_ns(to_ns)), one.ts_ns, one.pid));
        self.listed.truncate(MOST);
    }

    fn finish(
        mut self,
        evidence: &Evidence,
        source: Source,
        unknown: u64,
        llcs_known: bool,
    ) -> WakeupPlacement {
        if self.pid.is_none() {
            self.keep_longest();
        }
        let mut found = self.found;
        found.unknown = unknown;
        found.reasons = self.reasons.rows();
        let what_ifs = self.what_ifs.into_iter();
        let what_ifs = what_ifs.map(|(rules, (differ, uncertain, reasons))| WhatIfRow {
            rules,
            differ,
            uncertain,
            reasons: reasons.rows(),
            label: Label::WhatIf,
        });
        found.what_ifs = what_ifs.collect();
        let missed = MissedBy::ALL.iter();
        found.missed = missed.filter_map(|by| self.missed.remove(by)).collect();
        let open = self.open;
        let listed = self.listed.iter();
        found.listed = listed
            .map(|decision| row(open, decision, self.to_ns))
            .collect();
        found.missing = source.missing;
        let lacks = [
            (evidence.kernel.is_none(), "the kernel's version"),
            (self.affinity_unknown, "cpus_allowed"),
            (!llcs_known, "which CPUs share a last-level cache"),
            (
                found.reasons.iter().any(|row| row.possible > 0),
                "loads, WF_SYNC and the depth of searches",
            ),
        ];
        let lacks = lacks.iter().filter(|lack| lack.0);
        found.missing.extend(lacks.map(|lack| lack.1.to_owned()));
        found.label = source.label.max(Label::Replayed);
        if !found.missing.is_empty() {
            found.label = found.label.max(Label::Inferred);
        }
        found
    }
}

fn row(open: &Open, decision: &Decision, to_ns: u64) -> PlacementRow {
    PlacementRow {
        t_ns: decision.ts_ns,
        pid: decision.pid,
        comm: open
            .index
            .task(decision.task)
            .map_or_else(String::new, |task| task.1.to_owned()),
        fork: decision.fork,
        waker_cpu: decision.waker_cpu,
        prev_cpu: decision.prev_cpu,
        cpu: decision.cpu,
        reasons: decision.reasons.iter().collect(),
        missed_by: decision.missed.map(|missed| missed.by),
        idle_cpu: decision.missed.map(|missed| missed.cpu),
        wait_ns: decision.wait_ns(to_ns),
        label: decision.label(),
    }
}

fn placements(
    open: &Context,
    window: Window,
    options: PlacementOptions,
) -> Result<WakeupPlacement, Stop> {
    read(open, window, options, &mut MissedIdle::default())
}

fn read(
    open: &Context,
    window: Window,
    options: PlacementOptions,
    missed: &mut MissedIdle,
) -> Result<WakeupPlacement, Stop> {
    let (_, evidence) = replay(open)?;
    if !open.requests {
        return Err(Stop::unavailable(NO_WAKERS));
    }
    let window = (window.from_ns, window.to_ns);
    Ok(wakeup_placement(open, evidence, window, options, missed)?)
}

impl Shared for MissedIdle {
    fn heap_bytes(&self) -> usize {
        size_of_val(self.costliest.as_slice()) + self.tasks.len() * size_of::<(i32, u64)>()
    }
}

/// Returns the findings about missed idle CPUs of a window in which tasks waited `waiting_ns` in all.
///
/// # Errors
/// A log cannot be read.
pub fn found(open: &Context, window: Window, waiting_ns: u64) -> Result<Vec<Finding>, Stop> {
    let missed = optional(open.shared(window, || {
        let mut missed = MissedIdle::default();
        read(open, window, PlacementOptions::default(), &mut missed)?;
        Ok::<_, Stop>(missed)
    }))?;
    let Some(missed) = missed else {
        return Ok(Vec::new());
    };
    let name = |pid: i32| open.index.comm_of(pid).unwrap_or("").to_owned();
    let tasks = missed.tasks.iter();
    let mut tasks: Vec<(i32, String, u64)> = tasks
        .map(|(&pid, &ns)| (pid, name(pid), ns))
        .filter(|task| task.2 > 0 && !is_own(&task.1))
        .collect();
    tasks.sort_by_key(|task| (Reverse(task.2), task.0));
    Ok(detect(&PlacementFacts {
        from_ns: window.from_ns,
        to_ns: window.to_ns,
        missed: &missed,
        tasks: &tasks,
        waiting_ns,
    }))
}

subject! {
    kinds: findings::KINDS;
    "wakeup_placement", placements, false, Some(
        "Why wakeups and forks placed tasks on their CPUs: possible reasons, and idle CPUs that they missed."
    ), report(usual, as_is);
}
