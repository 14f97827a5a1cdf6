//! Evidence that the events of a recording provide.

use std::collections::BTreeMap;

use numalens_core::provenance::{Label, Source};

use super::iowait::Requests;
use super::kinds::Missed;

/// The events that recordings have, by system and name.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    rows: BTreeMap<(String, String), u64>,
    lost: bool,
    some_tasks: bool,
}

/// Missing evidence if only the tasks of one process were recorded.
pub const OTHER_TASKS: &str = "events of other tasks";
/// Missing evidence if the recording lost events.
pub const LOST_EVENTS: &str = "lost events";
/// Missing evidence if a CPU on which tasks may have run has no events.
pub const SILENT_CPUS: &str = "events of some CPUs";

/// Missing evidence if too many switches are missing.
pub(super) const UNRECORDED_SWITCHES: &str = "switches that are not recorded";
/// Missing evidence if too many wakeups are missing.
pub(super) const UNRECORDED_WAKEUPS: &str = "wakeups that are not recorded";
/// Missing evidence if new tasks have no wakeup.
pub const WAKEUP_NEW: &str = "sched_wakeup_new";
/// Missing evidence if tasks changed CPUs unseen.
pub const MIGRATE_TASK: &str = "sched_migrate_task";

/// Start or end of a memory stall of the task on the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// The stall begins; stalls nest.
    Enter,
    /// End of the stall.
    Leave,
}

/// Events that show memory stalls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stalls {
    /// Quality of these events.
    pub source: Source,
    /// System, name, and what it marks.
    pub events: Vec<(String, String, Edge)>,
}

/// Source of I/O waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IowaitFrom {
    /// `sched_stat_iowait` gives each interval.
    Stat,
    /// `sched_blocked_reason` says it of each sleep in state D.
    Reason,
    /// A task that sleeps in state D while a request of its own is under way waits for it.
    Requests,
}

/// Statistics of the replay of the events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fared {
    /// Events that the replay missed.
    pub missed: Missed,
    /// Migrations that are missing.
    pub missed_migrations: u64,
    /// A CPU on which tasks may have run has no events.
    pub silent: bool,
    /// Time of all CPUs, ns.
    pub cpu_ns: u64,
}

/// Events inside each pair of the kernel's own `psi_memstall_enter` and `psi_memstall_leave`, so together they are a lower
/// bound. `kswapd` is left out because its two events are not pairs: it may be woken several times before it sleeps.
const RECLAIM: [(&str, &str); 3] = [
    (
        "mm_vmscan_direct_reclaim_begin",
        "mm_vmscan_direct_reclaim_end",
    ),
    (
        "mm_vmscan_memcg_reclaim_begin",
        "mm_vmscan_memcg_reclaim_end",
    ),
    ("mm_compaction_begin", "mm_compaction_end"),
];

impl Seen {
    /// There are `rows` events of this type.
    pub fn event(&mut self, system: &str, event: &str, rows: u64) {
        let key = (system.to_owned(), event.to_owned());
        *self.rows.entry(key).or_default() += rows;
    }

    /// Events are missing.
    pub fn lost(&mut self) {
        self.lost = true;
    }

    /// The events are those of some tasks alone.
    pub fn some_tasks(&mut self) {
        self.some_tasks = true;
    }

    fn has(&self, event: &str) -> bool {
        self.rows
            .iter()
            .any(|((_, name), rows)| name == event && *rows > 0)
    }

    /// Names of these events that are there.
    fn found(&self, events: &[&str]) -> String {
        let found: Vec<&str> = events
            .iter()
            .copied()
            .filter(|event| self.has(event))
            .collect();
        found.join(", ")
    }

    /// Returns the quality of the run states. The set of recorded events says less than the replay: an event that never
    /// happened has no rows either.
    #[must_use]
    pub fn run_state(&self, fared: Fared) -> Source {
        let name = self.found(&[
            "sched_switch",
            "sched_wakeup",
            WAKEUP_NEW,
            "sched_waking",
            MIGRATE_TASK,
        ]);
        let mut missing = Vec::new();
        let mut lacks = |condition: bool, what: &str| {
            if condition {
                missing.push(what.to_owned());
            }
        };
        lacks(!self.has("sched_switch"), "sched_switch");
        lacks(!self.has("sched_wakeup"), "sched_wakeup");
        let born = self.has("sched_process_fork") && !self.has(WAKEUP_NEW);
        lacks(born, WAKEUP_NEW);
        let moved = fared.missed_migrations > 0 && !self.has(MIGRATE_TASK);
        lacks(moved, MIGRATE_TASK);
        lacks(self.lost, LOST_EVENTS);
        lacks(self.some_tasks, OTHER_TASKS);
        lacks(fared.silent, SILENT_CPUS);
        lacks(
            fared.missed.lacks_switches(fared.cpu_ns),
            UNRECORDED_SWITCHES,
        );
        lacks(fared.missed.lacks_wakeups(), UNRECORDED_WAKEUPS);
        let label = if missing.is_empty() {
            Label::Replayed
        } else {
            Label::Inferred
        };
        Source {
            name,
            label,
            missing,
        }
    }

    /// Returns the source of I/O waits. State D alone is not one: locks and the freezer also use it.
    #[must_use]
    pub fn iowait(&self) -> Option<(IowaitFrom, Source)> {
        let source = |name: &str, label: Label, missing: Vec<String>| Source {
            name: name.to_owned(),
            label: if self.lost { Label::Inferred } else { label },
            missing: [missing, self.lost_events()].concat(),
        };
        let schedstats = || vec!["sched_stat_iowait (kernel.sched_schedstats=1)".to_owned()];
        if self.has("sched_stat_iowait") {
            let stat = source("sched_stat_iowait", Label::Replayed, Vec::new());
            return Some((IowaitFrom::Stat, stat));
        }
        if self.has("sched_blocked_reason") {
            let reason = source("sched_blocked_reason", Label::Replayed, Vec::new());
            return Some((IowaitFrom::Reason, reason));
        }
        // Without a wait for I/O there is no event although statistics are on: their other events show that.
        if ["sched_stat_sleep", "sched_stat_blocked"]
            .iter()
            .any(|event| self.has(event))
        {
            let missing = vec!["sched_stat_iowait".to_owned()];
            let none = source(
                "sched_stat_iowait (none happened)",
                Label::Inferred,
                missing,
            );
            return Some((IowaitFrom::Stat, none));
        }
        (self.has("sched_switch") && Requests::known(|event| self.has(event))).then(|| {
            let name = "sleeps in state D during a block request of the same task";
            (
                IowaitFrom::Requests,
                source(name, Label::Inferred, schedstats()),
            )
        })
    }

    /// Returns the source of memory stalls: probes on the kernel's own functions, otherwise reclaim and compaction.
    #[must_use]
    pub fn stalls(&self) -> Option<Stalls> {
        // Function names: static ones may be inlined or have something appended, these two are not static.
        let probes: Vec<(String, String, Edge)> = self
            .events(|event| {
                if event.starts_with("psi_memstall_enter") {
                    Some(Edge::Enter)
                } else if event.starts_with("psi_memstall_leave") {
                    Some(Edge::Leave)
                } else {
                    None
                }
            })
            .collect();
        let both = [Edge::Enter, Edge::Leave]
            .iter()
            .all(|edge| probes.iter().any(|probe| probe.2 == *edge));
        if both {
            let source = Source {
                name: "psi_memstall_enter, psi_memstall_leave".to_owned(),
                label: if self.lost {
                    Label::Inferred
                } else {
                    Label::Replayed
                },
                missing: self.lost_events(),
            };
            return Some(Stalls {
                source,
                events: probes,
            });
        }
        let pairs: Vec<&(&str, &str)> = RECLAIM
            .iter()
            .filter(|(begin, end)| self.has(begin) && self.has(end))
            .collect();
        let events: Vec<(String, String, Edge)> = self
            .events(|event| {
                if pairs.iter().any(|pair| pair.0 == event) {
                    Some(Edge::Enter)
                } else if pairs.iter().any(|pair| pair.1 == event) {
                    Some(Edge::Leave)
                } else {
                    None
                }
            })
            .collect();
        let names: Vec<&str> = pairs.iter().flat_map(|pair| [pair.0, pair.1]).collect();
        (!events.is_empty()).then(|| Stalls {
            source: Source {
                name: format!("{} (lower bound)", names.join(", ")),
                label: Label::Inferred,
                missing: vec![
                    "psi_memstall_enter, psi_memstall_leave (kprobes or function events)"
                        .to_owned(),
                ],
            },
            events,
        })
    }

    /// Interrupt time, which the kernel measures itself only with `CONFIG_IRQ_TIME_ACCOUNTING`.
    #[must_use]
    pub fn irq(&self) -> Option<Source> {
        let name = self.found(&["irq_handler_entry", "softirq_entry"]);
        (!name.is_empty()).then(|| Source {
            name,
            label: Label::Inferred,
            missing: vec!["CONFIG_IRQ_TIME_ACCOUNTING's own count".to_owned()],
        })
    }

    /// Returns whether moves between cgroups are recorded.
    #[must_use]
    pub fn moves(&self) -> bool {
        self.has("cgroup_attach_task")
    }

    /// Returns the source of the tasks' cgroups; `sampled` is true if there are samples.
    #[must_use]
    pub fn cgroups(&self, sampled: bool) -> Option<Source> {
        const SAMPLES: &str = "samples of cgroup membership";
        let attached = self.moves();
        let (name, label, missing) = match (sampled, attached) {
            (true, true) => (
                format!("{SAMPLES}, cgroup_attach_task"),
                Label::Replayed,
                None,
            ),
            (true, false) => (
                SAMPLES.to_owned(),
                Label::Inferred,
                Some("cgroup_attach_task"),
            ),
            (false, true) => (
                "cgroup_attach_task".to_owned(),
                Label::Inferred,
                Some("/proc/*/cgroup at the start"),
            ),
            (false, false) => return None,
        };
        Some(Source {
            name,
            label,
            missing: missing.map(str::to_owned).into_iter().collect(),
        })
    }

    fn lost_events(&self) -> Vec<String> {
        self.lost
            .then(|| LOST_EVENTS.to_owned())
            .into_iter()
            .collect()
    }

    fn events<'a>(
        &'a self,
        edge: impl Fn(&str) -> Option<Edge> + 'a,
    ) -> impl Iterator<Item = (String, String, Edge)> + 'a {
        let there = self.rows.iter().filter(|(_, rows)| **rows > 0);
        there.filter_map(move |((system, event), _)| {
            edge(event).map(|edge| (system.clone(), event.clone(), edge))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(events: &[&str]) -> Seen {
        let mut seen = Seen::default();
        for event in events {
            seen.event("any", event, 1);
        }
        seen
    }

    #[test]
    fn the_kernels_own_functions_come_before_reclaim() {
        let reclaim = [
            "mm_vmscan_direct_reclaim_begin",
            "mm_vmscan_direct_reclaim_end",
            "mm_compaction_begin",
        ];
        let lower = seen(&reclaim).stalls().unwrap();
        assert_eq!(lower.source.label, Label::Inferred);
        assert_eq!(
            lower.events.len(),
            2,
            "a start without an end is not a pair"
        );
        let mut both = seen(&reclaim);
        both.event("nbk", "psi_memstall_enter", 3);
        assert_eq!(both.stalls().unwrap().source.label, Label::Inferred);
        both.event("nbk", "psi_memstall_leave", 3);
        let exact = both.stalls().unwrap();
        assert_eq!(exact.source.label, Label::Replayed);
        assert_eq!(exact.events.len(), 2);
        assert_eq!(exact.events[0].2, Edge::Enter);
        both.lost();
        assert_eq!(both.stalls().unwrap().source.missing, ["lost events"]);
        assert!(seen(&["sched_switch"]).stalls().is_none());
    }

    #[test]
    fn io_waits_need_evidence() {
        let from = |events: &[&str]| seen(events).iowait().map(|(from, _)| from);
        assert_eq!(from(&["sched_stat_iowait"]), Some(IowaitFrom::Stat));
        assert_eq!(from(&["sched_stat_sleep"]), Some(IowaitFrom::Stat));
        assert_eq!(from(&["sched_blocked_reason"]), Some(IowaitFrom::Reason));
        let requests = ["sched_switch", "block_rq_issue", "block_rq_complete"];
        assert_eq!(from(&requests), Some(IowaitFrom::Requests));
        assert_eq!(from(&requests[..2]), None);
        assert_eq!(from(&["sched_switch"]), None);
    }

    #[test]
    fn run_state_is_as_good_as_the_replay_went() {
        let whole = seen(&["sched_switch", "sched_wakeup"]);
        let well = Fared {
            cpu_ns: 1_000_000,
            ..Fared::default()
        };
        assert_eq!(whole.run_state(well).label, Label::Replayed);
        let missed = |missed: Missed| Fared { missed, ..well };
        let badly = missed(Missed {
            gap_ns: 20_000,
            ..Missed::default()
        });
        assert_eq!(whole.run_state(badly).label, Label::Inferred);
        let moved = Fared {
            missed_migrations: 1,
            ..well
        };
        assert_eq!(whole.run_state(moved).missing, ["sched_migrate_task"]);
        let silent = Fared {
            silent: true,
            ..well
        };
        assert_eq!(whole.run_state(silent).missing, [SILENT_CPUS]);
        // Where other events date the switches that are missing, the replay is as good as with them.
        let loosely = |loose: u64| {
            let fared = missed(Missed {
                switches: 1_000,
                loose,
                ..Missed::default()
            });
            whole.run_state(fared).label
        };
        assert_eq!(loosely(10), Label::Replayed);
        assert_eq!(loosely(11), Label::Inferred);
        let none = seen(&[]).run_state(well);
        assert_eq!(none.missing, ["sched_switch", "sched_wakeup"]);
    }

    #[test]
    fn cgroups_need_samples_and_moves() {
        assert_eq!(seen(&[]).cgroups(false), None);
        let label = |events: &[&str], sampled| seen(events).cgroups(sampled).map(|s| s.label);
        assert_eq!(label(&["cgroup_attach_task"], true), Some(Label::Replayed));
        assert_eq!(label(&[], true), Some(Label::Inferred));
        assert_eq!(label(&["cgroup_attach_task"], false), Some(Label::Inferred));
    }
}
