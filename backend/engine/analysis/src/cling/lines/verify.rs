//! Comparing, and counting what was compared.

use std::fmt::Debug;

use crate::cling::group::Stat;
use crate::cling::history::History;
use crate::cling::lines::lockfree::Waiting;
use crate::cling::lines::{Check, Checked, Violation};
use crate::cling::samples::Reading;

/// Violations that are told; more are counted only by what was compared and not exact.
const MOST: usize = 10_000;

/// What was compared so far.
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
    /// What comes next was printed here.
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

    /// What must hold for any counters.
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

    /// Compares a reading with the groups of its id.
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
