//! NUMA cling: output and decisions of a kernel with it, conclusions from scheduler events alone, and a what-if for a kernel
//! without it.

pub mod answer;
pub mod cgroups;
pub mod groups;

use std::collections::HashMap;
use std::sync::Arc;

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_machine::sections::utilisation::busy;
use numalens_replay::migrations::Migration;
use numalens_replay::numa::{Attempt, ClingLine, TargetFrom};
use numalens_replay::waits::{Order, WaitPart};
use numalens_subject::findings::Finding;
use numalens_subject::logs::NumaInputs;
use numalens_subject::waits::Sort;
use numalens_subject::{Context, Shared, Stop, Window, section, subject};

use crate::annotations::{self, Annotation, Kind};
use crate::compare;
use crate::events::{Events, Grouping, Inputs, Lateness, replay, replay_as};
use crate::findings::{ClingFacts, Share, Tables, Wait, detect};
use crate::history::{Cause, Degrees, History, NodeHistory, Step};
use crate::lines::{self, Lines, Violation};
use crate::options::{self, Grouped};
use crate::prefs::{Members, Prefs};
use crate::report::ReportCling;
use crate::samples::Reading;
use crate::sections::answer::{
    CheckedLines, Cling, Group, GroupNode, GroupStep, KnownBy, Readings, ScanPeriods,
};
use crate::sections::cgroups::Cgroups;
use crate::timer::{
    Clock, SCAN_PERIOD_MAX_MS, period, scan_period_max_ms as scan_period_max_of, steady_period,
    timer_ns,
};
use crate::whatif::{Seen, WhatIf};

/// Step of how busy nodes were, unless the window is too long for that, ns.
const BUSY_STEP_NS: u64 = 1_000_000_000;
const MOST_STEPS: u64 = 1 << 14;

pub(super) fn cling(
    open: &Context,
    window: Window,
    options: options::Cling,
) -> Result<Cling, Stop> {
    let known = NumaInputs::of(open)?;
    let replayed = Replayed::of(&known, options.groups)?;
    let records = &replayed.records;
    if records.is_empty() {
        return Err(Stop::unavailable(
            "no NUMA balancing attempts, and no lines or samples of a kernel with cling: record sched_move_numa, sched_swap_numa and sched_stick_numa, and sample cpu.numa_group where the kernel has it",
        ));
    }
    let Window { from_ns, to_ns } = window;
    let what_if = options.degree.map(|degree| {
        let what_if = replayed.what_if(&known)?;
        Ok::<_, Error>(what_if.at(degree))
    });
    let (mut decisions, mut annotations): (Vec<_>, Vec<_>) = replayed
        .annotations(&known, window)?
        .into_iter()
        .partition(is_decision);
    let more = |all: usize, most: usize| all.saturating_sub(most);
    let decisions_more = more(decisions.len(), options.decisions);
    let annotations_more = more(annotations.len(), options.limit);
    decisions.truncate(options.decisions);
    annotations.truncate(options.limit);
    let recorded = replayed.degrees();
    let requested = options.degree.map(Degrees::constant);
    let degrees = requested.as_ref().unwrap_or(recorded);
    let same = |t_ns: u64| degrees.at(t_ns) == recorded.at(t_ns);
    let changes = recorded.steps().iter().map(|step| step.0);
    let as_recorded = same(from_ns) && changes.filter(|&t_ns| t_ns <= to_ns).all(same);
    let label = if replayed.has_cling && as_recorded {
        Label::Observed
    } else {
        Label::WhatIf
    };
    let groups = replayed.histories().iter();
    let readings = &records.readings;
    let groups = groups.map(|history| Group {
        scan_periods: ScanPeriods::of(readings, history.group.gid, window),
        ..group(history, degrees, label, window, options.points)
    });
    Ok(Cling {
        known_by: replayed.known_by(),
        degree: degrees.at(to_ns),
        degrees: degrees.clone(),
        timer_period_ns: steady_period(period(records.scan_period_max_ms, records.clock.hz))
            .saturating_mul(records.clock.jiffy_ns()),
        groups: groups.collect(),
        decisions,
        decisions_more,
        annotations,
        annotations_more,
        checked: (replayed.lines.as_ref()).map(|lines| checked(lines, window, options.limit)),
        from_events: replayed.printed(&known, false)?,
        from_everything: replayed.printed(&known, true)?,
        readings: Readings::of(&replayed.events),
        what_if: what_if.transpose()?,
    })
}

fn checked(lines: &Lines, window: Window, most: usize) -> CheckedLines {
    let inside = |found: &&Violation| (window.from_ns..=window.to_ns).contains(&found.t_ns);
    CheckedLines {
        kinds: lines.checked.clone(),
        violations: lines
            .violations
            .iter()
            .filter(inside)
            .take(most)
            .cloned()
            .collect(),
        violations_all: lines.violations.len(),
    }
}

/// Returns whether an annotation is a decision about a task's node change.
pub(super) fn is_decision(note: &Annotation) -> bool {
    matches!(note.kind, Kind::WakeAffine | Kind::LoadBalance | Kind::Swap)
}

/// Inputs of the replays, from the start of the recording.
pub(super) struct ClingRecords {
    attempts: Arc<Vec<Attempt>>,
    readings: Arc<Vec<Reading>>,
    /// Callbacks of the timer, ns.
    timers: Vec<u64>,
    lines: Vec<(u64, u32, ClingLine)>,
    migrations: Vec<Migration>,
    nids: Vec<i32>,
    node_of: HashMap<u32, i32>,
    clock: Clock,
    jiffies_known: bool,
    scan_period_max_ms: u32,
    lost: Vec<(u64, u64)>,
    missing: Vec<String>,
    from_ns: u64,
    to_ns: u64,
    /// Given when each cgroup is to be a group, whatever the kernel did.
    cgroups: Option<Cgroups>,
}

impl ClingRecords {
    fn read(known: &NumaInputs<'_>, grouped: Grouped) -> Result<Self, Error> {
        let (from_ns, to_ns) = (known.open.index.origin_ns(), known.open.index.end_ns());
        let mut lines = Vec::new();
        let mut timers = Vec::new();
        let (mut scan_period_max_ms, mut jiffies) = (None, None);
        known.lines().scan(from_ns, to_ns, |row| {
            match row.line {
                ClingLine::TimerRan => timers.push(row.ts_ns),
                ClingLine::Enable {
                    scan_period_max_ms: printed,
                    hz,
                    jiffies: now,
                    ..
                } => {
                    scan_period_max_ms.get_or_insert(printed);
                    jiffies.get_or_insert(Clock {
                        at_ns: row.ts_ns,
                        jiffies: now,
                        hz,
                    });
                }
                _ => {}
            }
            lines.push((row.ts_ns, row.cpu, row.line));
        })?;
        let attempts = known.all_attempts()?;
        let readings = groups::groups(known.open)?;
        let mut missing = Vec::new();
        let hz = jiffies.map_or(known.evidence.hz, |clock| clock.hz);
        let paced = || {
            let pace = timer_ns(&readings, &attempts);
            pace.and_then(|pace| scan_period_max_of(pace, hz))
        };
        let set = scan_period_max_ms.or_else(paced);
        if scan_period_max_ms.is_none() {
            missing.push("scan_period_max_ms".to_owned());
        }
        if jiffies.is_none() && known.evidence.hz_source.label == Label::Inferred {
            missing.push("CONFIG_HZ".to_owned());
        }
        let nodes = known.nodes();
        let cpus = nodes
            .iter()
            .flat_map(|node| node.cpus.iter().map(|&cpu| (cpu, node.nid as i32)));
        Ok(Self {
            attempts,
            timers,
            lines,
            migrations: known.migrations(from_ns, to_ns)?.collect(),
            nids: known.nids(),
            node_of: cpus.collect(),
            jiffies_known: jiffies.is_some(),
            clock: jiffies.unwrap_or(Clock {
                at_ns: from_ns,
                jiffies: 0,
                hz: known.evidence.hz,
            }),
            scan_period_max_ms: set.unwrap_or(SCAN_PERIOD_MAX_MS),
            readings,
            lost: known.open.index.lost_spans(),
            missing,
            from_ns,
            to_ns,
            cgroups: match grouped {
                Grouped::Recorded => None,
                Grouped::Cgroup => Some(Cgroups::of(known)?),
            },
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.attempts.is_empty() && self.lines.is_empty() && self.readings.is_empty()
    }

    /// Returns whether a probe shows the timer, preferred nodes or outcomes of attempts.
    fn has_readings(&self) -> bool {
        self.readings.iter().any(|reading| reading.enabled)
    }

    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            attempts: &self.attempts,
            timers: &self.timers,
            readings: &self.readings,
            nodes: &self.nids,
            clock: self.clock,
            jiffies_known: self.jiffies_known,
            scan_period_max_ms: self.scan_period_max_ms,
            from_ns: self.from_ns,
            to_ns: self.to_ns,
            lateness: Lateness::default(),
            missing: &self.missing,
        }
    }

    fn node(&self, cpu: u32) -> Option<i32> {
        self.node_of.get(&cpu).copied()
    }
}

/// Results: output of the kernel, if any, and the replay from events alone.
pub struct Replayed {
    grouped: Grouped,
    records: ClingRecords,
    lines: Option<Lines>,
    events: Events,
    prefs: Prefs,
    /// True if the kernel has cling.
    has_cling: bool,
}

impl Shared for Replayed {
    fn heap_bytes(&self) -> usize {
        let records = self.records.lines.heap_bytes() + self.records.migrations.heap_bytes();
        let events = histories_bytes(&self.events.histories)
            + self.events.applied.heap_bytes()
            + self.events.timers.heap_bytes()
            + self.events.residuals.heap_bytes();
        let lines = self.lines.as_ref().map_or(0, |lines| {
            histories_bytes(&lines.histories)
                + lines.attempts.heap_bytes()
                + lines.timers.heap_bytes()
                + lines.members.heap_bytes()
                + lines.decisions.heap_bytes()
                + lines.violations.heap_bytes()
        });
        // A preferred node has a step for each of its attempts at most.
        records + events + lines + size_of_val(self.records.attempts.as_slice())
    }
}

impl Shared for WhatIf {
    fn heap_bytes(&self) -> usize {
        histories_bytes(&self.histories) + self.points.heap_bytes()
    }
}

fn histories_bytes(histories: &[History]) -> usize {
    let nodes = histories.iter().flat_map(|history| &history.nodes);
    let steps: usize = nodes.map(|node| node.steps.heap_bytes()).sum();
    let busiest = histories.iter().map(|history| history.busiest.heap_bytes());
    size_of_val(histories) + steps + busiest.sum::<usize>()
}

/// Share of the printed lines that a replay of events reproduces.
struct Printed(compare::Table);

impl Shared for Printed {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Replayed {
    /// The replay of a bundle.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn of(known: &NumaInputs<'_>, grouped: Grouped) -> Result<Arc<Self>, Error> {
        known.open.shared(grouped, || {
            let records = ClingRecords::read(known, grouped)?;
            Ok(Self::replay(known, grouped, records))
        })
    }

    fn replay(known: &NumaInputs<'_>, grouped: Grouped, records: ClingRecords) -> Self {
        // A kernel with cling of which no cgroup has a group only shows who prefers what.
        let printed = records.lines.iter().any(|(_, _, line)| {
            matches!(
                line,
                ClingLine::Enable { .. }
                    | ClingLine::MigrateStat { .. }
                    | ClingLine::Timer { .. }
                    | ClingLine::Show { .. }
            )
        });
        let recorded = records.cgroups.is_none();
        let lines = (recorded && printed && known.sources().cling_lines).then(|| {
            let mut replay = lines::Replay::new(lines::Config::new(records.nids.clone()));
            for (ts_ns, cpu, line) in &records.lines {
                replay.push(*ts_ns, *cpu, line);
            }
            replay.finish(&records.readings)
        });
        let has_cling = lines.is_some() || (recorded && records.has_readings());
        let mut prefs = Prefs::default();
        for (ts_ns, _, line) in &records.lines {
            if let ClingLine::Setnuma { pid, old, new } = *line {
                prefs.setnuma(pid, *ts_ns, old, new);
            }
        }
        prefs.attempts(&*records.attempts, |_| has_cling);
        Self {
            events: match &records.cgroups {
                Some(cgroups) => replay_as(&records.inputs(), &cgroups.grouping()),
                None => replay(&records.inputs()),
            },
            lines,
            prefs,
            has_cling,
            grouped,
            records,
        }
    }

    /// Returns the inputs of the replays.
    pub(super) fn records(&self) -> &ClingRecords {
        &self.records
    }

    pub(super) fn has_cling(&self) -> bool {
        self.has_cling
    }

    fn known_by(&self) -> KnownBy {
        if self.lines.is_some() {
            KnownBy::Lines
        } else if self.has_cling {
            KnownBy::Readings
        } else {
            KnownBy::WhatIf
        }
    }

    pub(super) fn histories(&self) -> &[History] {
        match &self.lines {
            Some(lines) => &lines.histories,
            None => &self.events.histories,
        }
    }

    pub(super) fn degrees(&self) -> &Degrees {
        match &self.lines {
            Some(lines) => &lines.degrees,
            None => &self.events.degrees,
        }
    }

    fn what_if(&self, known: &NumaInputs<'_>) -> Result<Arc<WhatIf>, Error> {
        known
            .open
            .shared(self.grouped, || Ok(self.replay_what_if()))
    }

    fn replay_what_if(&self) -> WhatIf {
        let records = &self.records;
        if let Some(lines) = &self.lines {
            return WhatIf::of_lines(lines);
        }
        let node_of = |cpu: u32| records.node(cpu);
        let seen = Seen {
            migrations: &records.migrations,
            prefs: &self.prefs,
            node_of: &node_of,
            // Of more nodes the distances are not known here.
            direct: records.nids.len() <= 2,
        };
        let grouping = match &records.cgroups {
            Some(cgroups) => cgroups.grouping(),
            None if self.has_cling => Grouping::Readings,
            None => Grouping::Ngid,
        };
        WhatIf::of_events(&records.inputs(), &grouping, &seen)
    }

    /// Share of the printed lines that a replay reproduces from scheduler events alone, or also with probes and samples;
    /// `None` without lines.
    fn printed(
        &self,
        known: &NumaInputs<'_>,
        everything: bool,
    ) -> Result<Option<compare::Table>, Error> {
        let Some(lines) = &self.lines else {
            return Ok(None);
        };
        let compared = || Ok::<_, Error>(Printed(self.compare(lines, everything)));
        let printed = known.open.shared((self.grouped, everything), compared)?;
        Ok(Some(printed.0.clone()))
    }

    fn compare(&self, lines: &Lines, everything: bool) -> compare::Table {
        let whole = self.records.inputs();
        let compare = |events: &Events, attempts: &[Attempt]| {
            compare::compare(&compare::Inputs {
                lines,
                events,
                attempts,
                lost: &self.records.lost,
                jiffy_ns: whole.clock.jiffy_ns(),
                late_ns: Lateness::default().moved_ns,
            })
        };
        if everything {
            return compare(&self.events, whole.attempts);
        }
        let plain: Vec<Attempt> = whole.attempts.iter().map(unprobed).collect();
        let events = replay(&Inputs {
            attempts: &plain,
            timers: &[],
            readings: &[],
            ..whole
        });
        compare(&events, &plain)
    }

    pub(super) fn annotations(
        &self,
        known: &NumaInputs<'_>,
        window: Window,
    ) -> Result<Vec<Annotation>, Error> {
        let Window { from_ns, to_ns } = window;
        if let Some(lines) = &self.lines {
            return Ok(annotations::of_lines(lines, from_ns, to_ns));
        }
        let what_if = self.what_if(known)?;
        let degree = self.degrees().at(from_ns);
        Ok(annotations::of_whatif(&what_if, degree, from_ns, to_ns))
    }

    fn members(&self) -> Members {
        match &self.lines {
            Some(lines) => Members::of_lines(lines),
            None => Members::of_events(&self.events, &self.records.attempts),
        }
    }

    /// Returns the findings; only if the kernel has cling, as a missing feature has no problems.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn findings(&self, known: &NumaInputs<'_>, window: Window) -> Result<Vec<Finding>, Error> {
        if !self.has_cling {
            return Ok(Vec::new());
        }
        let Window { from_ns, to_ns } = window;
        let (records, members) = (&self.records, self.members());
        let group_of = |pid: i32, t_ns: u64| members.at(pid, t_ns);
        let node_of = |cpu: u32| records.node(cpu);
        let mut tables = Tables::default();
        known
            .parts
            .waits
            .over(from_ns, to_ns, Order::Forwards, |wait, causes| {
                let Some((pid, _)) = known.open.index.task(wait.task) else {
                    return;
                };
                if Sort::of(&WaitPart::inside(wait, (from_ns, to_ns), causes)) == Sort::WokenUp {
                    tables.woken(pid);
                }
                if let (Some(group), Some(nid)) = (group_of(pid, wait.start_ns), node_of(wait.cpu))
                {
                    tables.wait(Wait {
                        from_ns: wait.start_ns,
                        to_ns: wait.end_ns,
                        group,
                        nid,
                    });
                }
            })?;
        let step_ns = BUSY_STEP_NS.max((to_ns - from_ns).div_ceil(MOST_STEPS));
        let logs = (known.parts, known.evidence);
        let used = busy(known.open, logs, window, Some(step_ns))?;
        let steps = used.nodes.iter().map(|node| node.between.len()).max();
        for at in 0..steps.unwrap_or(0) {
            let from = from_ns + at as u64 * step_ns;
            for node in &used.nodes {
                if let Some(&(least, most)) = node.between.get(at) {
                    tables.share(Share {
                        from_ns: from,
                        to_ns: (from + step_ns).min(to_ns),
                        nid: node.nid as i32,
                        busy: (least as f64 / 100.0, most as f64 / 100.0),
                    });
                }
            }
        }
        let timer = period(records.scan_period_max_ms, records.clock.hz);
        let facts = ClingFacts {
            from_ns,
            to_ns,
            histories: self.histories(),
            degrees: self.degrees(),
            period_ns: timer.saturating_mul(records.clock.jiffy_ns()),
            scan_ns: u64::from(records.scan_period_max_ms) * 1_000_000,
            migrations: &records.migrations,
            prefs: &self.prefs,
            group_of: &group_of,
            node_of: &node_of,
            costs: &tables,
        };
        Ok(detect(&facts))
    }
}

/// Returns the counters of a node at the start of the window, and each change inside.
pub(super) fn steps(node: &NodeHistory, window: Window) -> &[Step] {
    let after = node
        .steps
        .partition_point(|step| step.t_ns <= window.from_ns);
    let end = node.steps.partition_point(|step| step.t_ns <= window.to_ns);
    &node.steps[after.saturating_sub(1).min(end)..end]
}

/// A group in the window: its nodes at the end, its counters at the start of the window and at each change, and the busy
/// times of its nodes.
fn group(
    history: &History,
    degrees: &Degrees,
    label: Label,
    window: Window,
    points: Option<usize>,
) -> Group {
    let Window { from_ns, to_ns } = window;
    let mut series: Vec<GroupStep> = Vec::new();
    let mut nodes = Vec::new();
    for node in &history.nodes {
        let after = node.steps.partition_point(|step| step.t_ns <= from_ns);
        let end = node.steps.partition_point(|step| step.t_ns <= to_ns);
        let steps = steps(node, window);
        series.extend(steps.iter().map(|step| {
            let t_ns = step.t_ns.max(from_ns);
            GroupStep {
                t_ns,
                nid: node.nid,
                failure_scaled: step.stat.f,
                total_scaled: step.stat.t,
                ratio_percent: step.stat.q,
                busiest_nid: history.busiest_at(t_ns),
            }
        }));
        let (mut attempts, mut failures) = (0_u64, 0_u64);
        for step in node.steps.iter().take(end).skip(after) {
            if let Cause::Attempt { failed, .. } = step.cause {
                attempts += 1;
                failures += u64::from(failed);
            }
        }
        let last = steps.last().map(|step| step.stat).unwrap_or_default();
        nodes.push(GroupNode {
            nid: node.nid,
            attempts,
            failures,
            failure_scaled: last.f,
            total_scaled: last.t,
            ratio_percent: last.q,
        });
    }
    series.sort_by_key(|step| (step.t_ns, step.nid));
    section::extremes(
        &mut series,
        points,
        |step| step.nid,
        |step| step.ratio_percent,
    );
    let mut busy = history.busy(degrees);
    busy.retain(|busy| busy.from_ns <= to_ns && busy.to_ns >= from_ns);
    let mut flips = history.flips(degrees);
    flips.retain(|flip| (from_ns..=to_ns).contains(&flip.t_ns));
    Group {
        number: history.group.number,
        gid: history.group.gid,
        cgroup: history.group.cgroup.clone(),
        from_ns: history.from_ns,
        to_ns: history.to_ns,
        disabled_ns: history.disabled_ns,
        nodes,
        series,
        busy,
        flips,
        scan_periods: None,
        label: label.max(history.label),
        missing: history.missing.clone(),
    }
}

/// The attempt as it is without probes.
fn unprobed(attempt: &Attempt) -> Attempt {
    let mut plain = *attempt;
    plain.ret = None;
    if matches!(plain.target_from, TargetFrom::Setnuma | TargetFrom::Entry) {
        (plain.target_nid, plain.target_from) = if plain.dst_nid >= 0 {
            (plain.dst_nid, TargetFrom::Destination)
        } else {
            (-1, TargetFrom::Unknown)
        };
    }
    plain
}

subject! {
    kinds: crate::findings::KINDS, metrics: answer::metrics;
    "cling", cling, false, Some(
        "NUMA cling: failures of migrations by group and node, busy nodes, decisions, and the accuracy of the replay.\n\nWith a degree, the answer is a what-if, exact up to the first decision that differs."
    ), report(|it| options::Cling {
        degree: it.degree,
        ..options::Cling::default()
    }, ReportCling::new);
}
