//! Decisions of the balancers about one task.

use std::collections::HashMap;

use numalens_bundle::Error;
use numalens_core::json::Moment;
use numalens_replay::migrations::How;
use numalens_replay::numa::{Attempt, ClingLine, Verdict};
use numalens_subject::logs::NumaInputs;
use numalens_subject::section::optional;
use numalens_subject::{Context, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

/// Decisions of the balancers about a task in a window.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "TaskDecisions")]
pub(super) struct Decisions {
    /// Attempts to place it on its preferred node.
    attempts: u64,
    /// Attempts that failed.
    failed: u64,
    /// Migrations to another CPU.
    migrations: u64,
    /// Migrations to another node.
    node_changes: u64,
    /// Decisions whether it clings to its node.
    cling: u64,
    /// Decisions that kept it on its node.
    clung: u64,
    /// The decisions, ascending in time; when there are more than the limit, attempts come before cling and cling before migrations.
    listed: Vec<Decision>,
    /// Events that would show more of them.
    missing: Vec<String>,
}

/// A decision about a task.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskDecision")]
struct Decision {
    /// Time, ns of the reference clock.
    #[serde(with = "Moment")]
    at_ns: u64,
    /// Node of the task; -1 when unknown.
    from_nid: i32,
    /// The node in question; -1 when unknown.
    to_nid: i32,
    /// Content.
    #[serde(flatten)]
    what: What,
}

/// Content of a decision.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskDecisionContent")]
#[serde(tag = "by", rename_all = "snake_case")]
enum What {
    /// An attempt of the NUMA balancer.
    Attempt {
        /// End of the attempt.
        verdict: Verdict,
    },
    /// The kernel decided whether the task clings.
    Cling {
        /// The node is busy, so the task may leave.
        busy: bool,
    },
    /// The task got another CPU.
    Migration {
        /// State of the task.
        how: How,
        /// Source CPU.
        from_cpu: u32,
        /// Target CPU.
        to_cpu: u32,
    },
}

impl What {
    fn rank(&self) -> u8 {
        match self {
            Self::Attempt { .. } => 0,
            Self::Cling { .. } => 1,
            Self::Migration { .. } => 2,
        }
    }
}

/// The decisions about a task; at most `limit` of them are listed.
pub(super) fn decided(
    open: &Context,
    pid: i32,
    window: Window,
    limit: usize,
) -> Result<Decisions, Stop> {
    let Some(known) = optional(NumaInputs::of(open))? else {
        return Ok(Decisions::default());
    };
    let mut found = Decisions::default();
    for attempt in known.all_attempts()?.iter() {
        let inside = (window.from_ns..window.to_ns).contains(&attempt.start_ns);
        if inside && (attempt.pid == pid || attempt.partner.is_some_and(|it| it.pid == pid)) {
            found.attempt(attempt);
        }
    }
    found.clings(&known, pid, window)?;
    found.migrate(&known, pid, window)?;
    found.listed.sort_by_key(|one| (one.what.rank(), one.at_ns));
    found.listed.truncate(limit);
    found.listed.sort_by_key(|one| one.at_ns);
    let sources = [known.attempts_source(), known.migrations_source()];
    found.missing = sources.into_iter().flat_map(|it| it.missing).collect();
    found.missing.dedup();
    Ok(found)
}

impl Decisions {
    fn attempt(&mut self, attempt: &Attempt) {
        self.attempts += 1;
        self.failed += u64::from(attempt.verdict.failed() == Some(true));
        let target = [attempt.target_nid, attempt.dst_nid];
        self.listed.push(Decision {
            at_ns: attempt.start_ns,
            from_nid: attempt.src_nid,
            to_nid: target.into_iter().find(|&nid| nid >= 0).unwrap_or(-1),
            what: What::Attempt {
                verdict: attempt.verdict,
            },
        });
    }

    fn clings(&mut self, known: &NumaInputs<'_>, of: i32, window: Window) -> Result<(), Error> {
        for row in known.lines().rows(window.from_ns, window.to_ns)? {
            if let ClingLine::Decision {
                pid,
                snid,
                dnid,
                busy,
                ..
            } = row.line
                && pid == of
            {
                self.cling += 1;
                self.clung += u64::from(!busy);
                self.listed.push(Decision {
                    at_ns: row.ts_ns,
                    from_nid: snid,
                    to_nid: dnid,
                    what: What::Cling { busy },
                });
            }
        }
        Ok(())
    }

    fn migrate(&mut self, known: &NumaInputs<'_>, of: i32, window: Window) -> Result<(), Error> {
        let nodes = known.nodes().iter();
        let nids: HashMap<u32, i32> = nodes
            .flat_map(|node| node.cpus.iter().map(|&cpu| (cpu, node.nid as i32)))
            .collect();
        let nid = |cpu| nids.get(&cpu).copied().unwrap_or(-1);
        for moved in known.migrations(window.from_ns, window.to_ns)? {
            if moved.pid != of {
                continue;
            }
            let (from_nid, to_nid) = (nid(moved.orig_cpu), nid(moved.dest_cpu));
            self.migrations += 1;
            self.node_changes += u64::from(from_nid != to_nid);
            self.listed.push(Decision {
                at_ns: moved.ts_ns,
                from_nid,
                to_nid,
                what: What::Migration {
                    how: moved.how,
                    from_cpu: moved.orig_cpu,
                    to_cpu: moved.dest_cpu,
                },
            });
        }
        Ok(())
    }
}
