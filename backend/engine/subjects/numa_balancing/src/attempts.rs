//! Counts a window's attempts and migrations.

use std::collections::HashSet;

use numalens_core::hash::PidMap;
use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_replay::migrations::{How, Migration};
use numalens_replay::numa::{Attempt, StickFormat, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

pub use crate::catalogue::Rows;
pub use crate::mmtests::{Mmtests, OpsEvent, OpsKind};
use numalens_subject::window::lowered;

/// Query.
#[derive(Debug, Clone)]
pub struct Config<'a> {
    /// The machine's nodes.
    pub nodes: &'a [Node],
    /// Begin of the window, ns of the reference clock.
    pub from_ns: u64,
    /// End of the window; both ends belong to it.
    pub to_ns: u64,
    /// The fields of `sched_stick_numa`; `None` when it never came.
    pub stick: Option<StickFormat>,
    /// Source of the migrations.
    pub source: Source,
}

/// A migration that the NUMA balancer is to have made.
#[derive(Debug, Clone, Copy)]
struct Sent {
    from_ns: u64,
    to_ns: u64,
    cpu: i32,
    nid: i32,
    seen: bool,
}

/// Counts. All attempts come first, then all migrations, both in ascending time. Attempts that began up to
/// [`LATEST_NS`](numalens_replay::numa::LATEST_NS) before the window are accepted: their migrations may lie inside.
pub struct Meter<'a, 'n> {
    config: Config<'a>,
    /// The node of each CPU.
    nodes: PidMap<u32>,
    /// Names of tasks by pid, as a recorder prints them.
    names: &'n dyn Fn(i32) -> &'n str,
    ops: Ops,
    mmtests: Mmtests,
    failed: HashSet<i32>,
    sent: PidMap<Vec<Sent>>,
    /// Number of tasks that the NUMA balancer moved across nodes.
    expected: u64,
    /// Of the moves that did not fail, those inside a node; the same of swaps.
    moves_local_ok: u64,
    swaps_local_ok: u64,
    /// Of the swaps that did not fail, those inside a numa group.
    swaps_within_ok: u64,
    /// Attempts that did not fail, of tasks that had failed in the window before.
    retries_ok: u64,
}

impl<'a, 'n> Meter<'a, 'n> {
    /// Starts with all counts at 0. `names` gives a task's name by its pid (`<...>` when not known); only mmtests' rows
    /// need it.
    #[must_use]
    pub fn new(config: &Config<'a>, names: &'n dyn Fn(i32) -> &'n str) -> Self {
        let cpus = config
            .nodes
            .iter()
            .flat_map(|node| node.cpus.iter().map(|&cpu| (cpu as i32, node.nid)));
        Self {
            nodes: cpus.collect(),
            names,
            ops: Ops {
                nodes: config.nodes.iter().map(NodeAttempts::of).collect(),
                ..empty()
            },
            mmtests: Mmtests::new(config.nodes),
            failed: HashSet::new(),
            sent: PidMap::default(),
            expected: 0,
            moves_local_ok: 0,
            swaps_local_ok: 0,
            swaps_within_ok: 0,
            retries_ok: 0,
            config: config.clone(),
        }
    }

    /// Takes the next attempt.
    pub fn attempt(&mut self, attempt: &Attempt) {
        if attempt.start_ns > self.config.to_ns {
            return;
        }
        if matches!(attempt.verdict, Verdict::Moved | Verdict::Swapped) {
            self.send(attempt);
        }
        if attempt.start_ns < self.config.from_ns {
            return;
        }
        self.count(attempt);
        self.count_as_mmtests(attempt);
    }

    fn count(&mut self, attempt: &Attempt) {
        let ops = &mut self.ops;
        ops.attempts += 1;
        let failures = &mut ops.failures;
        match attempt.verdict {
            Verdict::Unknown => ops.unknown += 1,
            Verdict::Moved | Verdict::Swapped => {}
            Verdict::NoCpu => failures.no_cpu += 1,
            Verdict::MoveFailed => failures.move_failed += 1,
            Verdict::MoveRefused => failures.move_refused += 1,
            Verdict::SwapRaced => failures.swap_raced += 1,
            Verdict::SwapRefused => failures.swap_refused += 1,
            Verdict::NoDomain => failures.no_domain += 1,
        }
        let wanted = [attempt.target_nid, attempt.dst_nid];
        if let Some(nid) = wanted.into_iter().find(|&nid| nid >= 0) {
            let node = ops.nodes.iter_mut().find(|node| node.nid as i32 == nid);
            if let Some(node) = node {
                node.attempts += 1;
                node.failed += u64::from(attempt.verdict.failed() == Some(true));
            }
        }
        let crosses = u64::from(attempt.src_nid < 0 || attempt.src_nid != attempt.dst_nid);
        if attempt.traced_move() {
            let ok = u64::from(attempt.verdict != Verdict::MoveFailed);
            ops.moves += 1;
            ops.moves_ok += ok;
            self.moves_local_ok += ok * (1 - crosses);
            self.expected += ok * crosses;
        }
        if attempt.traced_swap() {
            let ok = u64::from(attempt.verdict != Verdict::SwapRaced);
            ops.swaps += 1;
            ops.swaps_ok += ok;
            self.expected += 2 * ok * crosses;
            ops.swaps_local += 1 - crosses;
            self.swaps_local_ok += ok * (1 - crosses);
            let group = attempt.partner.map_or(0, |partner| partner.ngid);
            let within = u64::from(attempt.ngid > 0 && attempt.ngid == group);
            ops.swaps_within_group += within;
            self.swaps_within_ok += ok * within;
        }
        match attempt.verdict.failed() {
            Some(true) => ops.retries += u64::from(!self.failed.insert(attempt.pid)),
            Some(false) => self.retries_ok += u64::from(self.failed.contains(&attempt.pid)),
            None => {}
        }
    }

    fn count_as_mmtests(&mut self, attempt: &Attempt) {
        let comm = (self.names)(attempt.pid);
        let mut event = |kind| {
            self.mmtests.event(&OpsEvent {
                comm,
                pid: attempt.pid,
                kind,
            });
        };
        if attempt.traced_move() {
            event(OpsKind::Move);
        }
        if attempt.traced_swap() {
            event(OpsKind::Swap {
                src_nid: attempt.src_nid,
                dst_nid: attempt.dst_nid,
                src_ngid: attempt.ngid,
                dst_ngid: attempt.partner.map_or(0, |partner| partner.ngid),
            });
        }
        match self.config.stick {
            Some(StickFormat::Ten) if attempt.stuck() => event(OpsKind::Stick {
                dst_cpu: attempt.dst_cpu,
                dst_pid: attempt.partner.map_or(0, |partner| partner.pid),
            }),
            // Only attempts that had found a CPU are reported.
            Some(StickFormat::Seven) if attempt.stuck() && attempt.dst_cpu >= 0 => {
                event(OpsKind::StickSeven);
            }
            _ => {}
        }
    }

    /// Remembers which migrations the attempt makes.
    fn send(&mut self, attempt: &Attempt) {
        let mut send = |pid: i32, cpu: i32, nid: i32| {
            self.sent.entry(pid).or_default().push(Sent {
                from_ns: attempt.start_ns,
                to_ns: attempt.end_ns,
                cpu,
                nid,
                seen: false,
            });
        };
        send(attempt.pid, attempt.dst_cpu, attempt.dst_nid);
        if let Some(partner) = attempt.partner {
            send(partner.pid, attempt.src_cpu, attempt.src_nid);
        }
    }

    /// Takes the next migration.
    pub fn migration(&mut self, migration: &Migration) {
        if !(self.config.from_ns..=self.config.to_ns).contains(&migration.ts_ns) {
            return;
        }
        let (orig_cpu, dest_cpu) = (migration.orig_cpu, migration.dest_cpu);
        self.ops.migrations += 1;
        self.mmtests.event(&OpsEvent {
            comm: "",
            pid: migration.pid,
            kind: OpsKind::Migrate { orig_cpu, dest_cpu },
        });
        let dest = self.nodes.get(&(dest_cpu as i32)).copied();
        if self.nodes.get(&(orig_cpu as i32)).copied() == dest {
            return;
        }
        let crossings = &mut self.ops.crossings;
        crossings.total += 1;
        let dest = dest.map_or(-1, |nid| nid as i32);
        let sent = self.sent.get_mut(&migration.pid).and_then(|all| {
            all.iter_mut().find(|sent| {
                let near = migration.how == How::Waking && sent.nid == dest;
                let then = (sent.from_ns..=sent.to_ns).contains(&migration.ts_ns);
                !sent.seen && then && (sent.cpu == dest_cpu as i32 || near)
            })
        });
        if let Some(sent) = sent {
            sent.seen = true;
            crossings.numa += 1;
            return;
        }
        match migration.how {
            How::Unknown => crossings.unknown += 1,
            How::Waking => crossings.wakeup += 1,
            How::Runnable => crossings.runnable += 1,
            How::Asleep => crossings.asleep += 1,
        }
    }

    /// The table.
    #[must_use]
    pub fn finish(mut self) -> Ops {
        let Crossings { total, numa, .. } = self.ops.crossings;
        let others = total - numa;
        let lb_cross = total.checked_sub(self.expected);
        self.ops.crossings.lb_cross = lb_cross;
        self.ops.crossings.unmatched = others.saturating_sub(lb_cross.unwrap_or(others));
        self.ops.crossings.earlier = lb_cross.unwrap_or(others).saturating_sub(others);
        self.ops.rows = self.product();
        self.ops.mmtests = self.mmtests.rows();
        self.ops.mmtests_warnings = self.mmtests.warnings();
        let mut missing = Vec::new();
        if self.config.stick == Some(StickFormat::Seven) {
            missing.push("sched_stick_numa of Linux 5.7");
        }
        if self.ops.unknown > 0 {
            missing.push("ends of attempts");
        }
        if self.ops.crossings.unknown > 0 {
            missing.push("run_state");
        }
        if self.ops.crossings.lb_cross.is_none() {
            missing.push("migrations of all moves");
        }
        (self.ops.label, self.ops.missing) = lowered(&self.config.source, &missing);
        self.ops
    }
}

impl Meter<'_, '_> {
    /// mmtests' rows as they are meant: a move or swap counts when it succeeded, a task is known by its pid.
    fn product(&self) -> Rows {
        let Ops {
            moves_ok,
            swaps_ok,
            failures,
            retries,
            crossings,
            ..
        } = &self.ops;
        let count = |number: u64| Some(number as i64);
        Rows {
            migrate_failed_no_cpu: count(failures.no_cpu),
            migrate_failed_move_to_idle: count(failures.move_failed + failures.move_refused),
            migrate_failed_swap_task_fail: count(failures.swap_raced + failures.swap_refused),
            task_migrated_swapped: count(*swaps_ok),
            task_migrated_swapped_local_nid: count(self.swaps_local_ok),
            task_migrated_swapped_within_group: count(self.swaps_within_ok),
            task_migrated_idle_cpu: count(*moves_ok),
            task_migrated_idle_cpu_local_nid: count(self.moves_local_ok),
            task_migrate_retry: count(retries + self.retries_ok),
            task_migrate_retry_success: count(self.retries_ok),
            task_migrate_retry_failed: count(*retries),
            load_balance_cross_numa: crossings.lb_cross.map(|count| count as i64),
        }
    }
}

fn empty() -> Ops {
    Ops {
        attempts: 0,
        unknown: 0,
        moves: 0,
        moves_ok: 0,
        swaps: 0,
        swaps_ok: 0,
        swaps_local: 0,
        swaps_within_group: 0,
        failures: Failures::default(),
        nodes: Vec::new(),
        retries: 0,
        migrations: 0,
        crossings: Crossings::default(),
        rows: Rows::default(),
        mmtests: Rows::default(),
        mmtests_warnings: 0,
        label: Label::Replayed,
        missing: Vec::new(),
    }
}

// What comes out.

/// Failed attempts by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "OpsFailures")]
pub struct Failures {
    /// No CPU was found.
    pub no_cpu: u64,
    /// The move was tried and failed.
    pub move_failed: u64,
    /// The move was refused before it was tried: affinity.
    pub move_refused: u64,
    /// The swap was tried, but a task had moved in between.
    pub swap_raced: u64,
    /// The swap was refused before it was tried.
    pub swap_refused: u64,
    /// The task's CPU is in no NUMA domain.
    pub no_domain: u64,
}

impl Failures {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.no_cpu
            + self.move_failed
            + self.move_refused
            + self.swap_raced
            + self.swap_refused
            + self.no_domain
    }
}

/// Node changes of tasks: `numa`, `wakeup`, `runnable`, `asleep` and `unknown` add up to `total`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Crossings {
    /// Tasks that came to a CPU of another node (`sched_migrate_task`).
    pub total: u64,
    /// Of them, those that the NUMA balancer moved or swapped.
    pub numa: u64,
    /// `total`, less one for each move and two for each swap that succeeded across nodes: everything but the NUMA balancer. `None`
    /// where more moves and swaps succeeded than tasks were seen to cross: the two contradict each other.
    pub lb_cross: Option<u64>,
    /// Of the migrations that no move or swap was found for, tasks that a wake-up placed.
    pub wakeup: u64,
    /// Of them, tasks that were runnable or ran: the load balancer, a change of affinity, an exec.
    pub runnable: u64,
    /// Of them, tasks that slept.
    pub asleep: u64,
    /// Of them, tasks whose state at that time is unknown.
    pub unknown: u64,
    /// Number of these that belong to successful moves and swaps, without knowing which.
    pub unmatched: u64,
    /// Number of `numa` that belong to attempts before the window, and are therefore not subtracted from `lb_cross`.
    pub earlier: u64,
}

/// Attempts to reach a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "OpsNode")]
pub struct NodeAttempts {
    /// The node.
    pub nid: u32,
    /// Attempts that began in the window.
    pub attempts: u64,
    /// Of them, those that failed.
    pub failed: u64,
}

impl NodeAttempts {
    fn of(node: &Node) -> Self {
        Self {
            nid: node.nid,
            attempts: 0,
            failed: 0,
        }
    }
}

/// The table for a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ops {
    /// Attempts that began in the window.
    pub attempts: u64,
    /// Of these, those with an unknown outcome.
    pub unknown: u64,
    /// Moves that were tried.
    pub moves: u64,
    /// Of them, those that did not fail.
    pub moves_ok: u64,
    /// Swaps that were tried.
    pub swaps: u64,
    /// Of them, those that did not fail.
    pub swaps_ok: u64,
    /// Of `swaps`, those inside a node.
    pub swaps_local: u64,
    /// Of `swaps`, those inside a numa group.
    pub swaps_within_group: u64,
    /// Failures by reason.
    pub failures: Failures,
    /// Attempts by the node that they were to reach, in the machine's order; attempts without a known target are in none.
    pub nodes: Vec<NodeAttempts>,
    /// Failures of a task that had failed in the window before.
    pub retries: u64,
    /// Tasks that came to another CPU.
    pub migrations: u64,
    /// Tasks that came to another node.
    pub crossings: Crossings,
    /// The same in mmtests' names, as its rows are meant.
    pub rows: Rows,
    /// mmtests' rows of the same window.
    pub mmtests: Rows,
    /// Number of warnings that mmtests' monitor would have printed.
    pub mmtests_warnings: u64,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}
