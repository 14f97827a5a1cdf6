//! The causes of one wait in order of time, by the clocks and [rules](super::rules) of the replay.
//!
//! The replay reads its clocks where a phase of a wait begins and ends. Here the logs set the clocks, and the rules are applied whenever
//! a clock changes. The segments therefore add up exactly to the causes that the replay wrote.

use numalens_core::EngineError;
use numalens_core::topology::Node;

use super::rules::{CauseTotals, hold};
use super::{Cause, CauseNs, CauseSpan, CauseSpans, Clocks, Phase, Phases, ScopeId, WaitRow};
use crate::states::{StateRow, States, Which};

/// Part of a wait that has one cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Begin, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns; the next one begins there.
    pub to_ns: u64,
    /// The cause.
    pub cause: Cause,
}

/// The logs that segments are read from.
#[derive(Debug, Clone, Copy)]
pub struct SegmentLogs<'a> {
    /// The machine.
    pub nodes: &'a [Node],
    /// Idle CPUs over time.
    pub states: &'a States,
    /// Further activity of the CPUs, and balancing.
    pub spans: &'a CauseSpans,
    /// Known facts about the waiting tasks.
    pub phases: &'a Phases,
}

/// The clocks on their way through a wait.
struct Walk<'a> {
    clocks: Clocks,
    end: u64,
    /// Until when there are segments.
    at: u64,
    /// The phases that are not over.
    phases: &'a [Phase],
    /// The scope of the first of them, when it has begun.
    scope: Option<ScopeId>,
    logs: SegmentLogs<'a>,
    spent: CauseTotals,
    segments: Vec<Segment>,
}

impl<'a> SegmentLogs<'a> {
    /// Returns the segments of a wait in order of time, from its start to its end without gaps; adjoining ones have different
    /// causes. `causes` and `phases` are those of the wait. The segments add up to the causes.
    ///
    /// # Errors
    /// The logs could not be read.
    pub fn segments(
        &self,
        wait: &WaitRow,
        causes: &[CauseNs],
        phases: &'a [Phase],
    ) -> Result<Vec<Segment>, EngineError> {
        let (start, end) = (wait.start_ns, wait.end_ns);
        let mut clocks = Clocks::new(start, self.nodes, true);
        for phase in phases {
            clocks.reach(phase.cpu, start);
        }
        let mut changes: Vec<(u64, bool, CauseSpan)> = Vec::new();
        for span in self.spans.over(start, end)? {
            changes.push((span.start_ns.max(start), true, span));
            changes.push((span.end_ns, false, span));
        }
        // Of one moment, what ends comes before what begins.
        changes.sort_by_key(|&(ts, begins, _)| (ts, begins));
        let mut changes = changes.into_iter().peekable();
        let mut walk = Walk {
            clocks,
            end,
            at: start,
            phases,
            scope: None,
            logs: *self,
            spent: [0; Cause::COUNT],
            segments: Vec::new(),
        };
        let set_span = |walk: &mut Walk<'_>, (ts, begins, span): (u64, bool, CauseSpan)| {
            walk.until(ts);
            walk.clocks.set_span(ts, &span, begins);
        };
        self.states
            .scan(Which::Machine, start, end, |row: &StateRow| {
                while let Some(change) = changes.next_if(|change| change.0 < row.ts_ns) {
                    set_span(&mut walk, change);
                }
                walk.until(row.ts_ns);
                walk.clocks.set_on(row.ts_ns, row.cpu, row.state.on);
            })?;
        for change in changes {
            set_span(&mut walk, change);
        }
        walk.until(end);
        Ok(walk.finish(causes))
    }
}

impl Walk<'_> {
    /// Lets time pass in which nothing changes but the phase.
    fn until(&mut self, ts: u64) {
        let to = ts.min(self.end);
        while self.at < to {
            let Some(&phase) = self
                .phases
                .first()
                .filter(|phase| phase.start_ns <= self.at)
            else {
                // It is on no queue yet.
                let queued = self.phases.first().map_or(self.end, |phase| phase.start_ns);
                self.pass(to.min(queued), Cause::WakeUp);
                continue;
            };
            let to = to.min(phase.end_ns);
            let scope = self.scope.unwrap_or_else(|| self.scope_of(&phase));
            self.scope = Some(scope);
            let cause = phase.waiter.cause(self.clocks.class(phase.cpu, scope));
            self.spent[cause as usize] += to - self.at;
            let long = phase.waiter.cap_idle(&mut self.spent);
            self.pass(to - long, cause);
            self.pass(to, phase.waiter.beyond_idle_exit());
            if to == phase.end_ns {
                (self.phases, self.scope) = (&self.phases[1..], None);
            }
        }
    }

    fn scope_of(&mut self, phase: &Phase) -> ScopeId {
        let mask = phase.mask.map(|mask| self.logs.phases.mask(mask));
        let mask = mask.and_then(|mask| self.clocks.mask(&mask));
        self.clocks.scope(self.at, phase.cpu, mask)
    }

    /// Lets time pass for one cause.
    fn pass(&mut self, to: u64, cause: Cause) {
        if self.at < to {
            self.segments.push(Segment {
                from_ns: self.at,
                to_ns: to,
                cause,
            });
            self.at = to;
        }
    }

    /// Applies what is decided for a wait as a whole: the time that a BPF scheduler answers for.
    fn finish(self, causes: &[CauseNs]) -> Vec<Segment> {
        let Self {
            mut spent,
            mut segments,
            ..
        } = self;
        let total = |cause| {
            let mut totals = causes.iter();
            totals
                .find(|total| total.cause == cause)
                .map_or(0, |total| total.ns)
        };
        let stalled = total(Cause::ScxStalled);
        let had = stalled + total(Cause::ScxQueued);
        if had > 0 {
            hold(&mut spent, had, stalled, |from, to, ns| {
                give(&mut segments, from, to, ns);
            });
        }
        segments.dedup_by(|next, last| {
            let same = next.cause == last.cause;
            if same {
                last.to_ns = next.to_ns;
            }
            same
        });
        segments
    }
}

/// Gives the first `ns` of one cause to another.
fn give(segments: &mut Vec<Segment>, from: Cause, to: Cause, mut ns: u64) {
    let mut at = 0;
    while ns > 0 && at < segments.len() {
        let segment = segments[at];
        if segment.cause == from {
            let middle = segment.to_ns.min(segment.from_ns + ns);
            ns -= middle - segment.from_ns;
            segments[at] = Segment {
                to_ns: middle,
                cause: to,
                ..segment
            };
            if middle < segment.to_ns {
                let rest = Segment {
                    from_ns: middle,
                    ..segment
                };
                segments.insert(at + 1, rest);
            }
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_given_from_its_begin_on() {
        let segment = |from_ns, to_ns, cause| Segment {
            from_ns,
            to_ns,
            cause,
        };
        let mut segments = vec![
            segment(0, 4, Cause::IdleSameNode),
            segment(4, 6, Cause::Busy),
            segment(6, 9, Cause::IdleSameNode),
        ];
        give(&mut segments, Cause::IdleSameNode, Cause::ScxQueued, 5);
        assert_eq!(
            segments,
            [
                segment(0, 4, Cause::ScxQueued),
                segment(4, 6, Cause::Busy),
                segment(6, 7, Cause::ScxQueued),
                segment(7, 9, Cause::IdleSameNode),
            ]
        );
    }
}
