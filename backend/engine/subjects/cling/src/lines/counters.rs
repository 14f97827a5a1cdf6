//! Lines that are printed under the group's lock: what they show must be what the rules lead to.

use numalens_replay::numa::ClingLine;

use crate::group::Stat;
use crate::history::Cause;
use crate::lines::verify::{LineRow, Replay};
use crate::lines::{Callback, Check, Counted, Live, Ran};
use crate::timer;

/// State of a node in a line under the lock.
#[derive(Debug, Clone, Copy)]
struct Shown {
    nid: i32,
    stat: Stat,
    busiest_nid: i32,
}

impl Replay {
    pub(super) fn attempt(&mut self, row: &LineRow) {
        let ClingLine::MigrateStat {
            gid,
            pid,
            nid,
            failed,
            f,
            t,
            q,
            busiest_nid,
            grp,
        } = row.line
        else {
            return;
        };
        self.attempts.push(Counted {
            t_ns: row.ts_ns,
            pid,
            group: grp,
            gid,
            nid,
            failed,
        });
        if failed {
            self.failed.insert(pid, grp);
        }
        self.live(grp, row.ts_ns);
        let Some(mut live) = self.groups.remove(&grp) else {
            return;
        };
        live.history.renamed(row.ts_ns, gid);
        let before = live.group.clone();
        let mut after = before.clone();
        after.attempt(nid, failed);
        self.settle(&mut live, Some((&after, row.ts_ns)));
        live.group = after;
        (live.before, live.changed_ns) = (before, row.ts_ns);
        let shown = Shown {
            nid,
            stat: Stat { f, t, q },
            busiest_nid,
        };
        let cause = Cause::Attempt { pid, failed };
        let cause = if self.compare(Check::Attempt, grp, &mut live, shown) {
            cause
        } else {
            Cause::Line
        };
        live.history.record(row.ts_ns, &live.group, cause);
        self.groups.insert(grp, live);
    }

    /// Compares the content of a line under the lock; continues from it when it differs.
    fn compare(&mut self, check: Check, grp: u32, live: &mut Live, shown: Shown) -> bool {
        let Shown {
            nid,
            stat,
            busiest_nid,
        } = shown;
        self.tally.invariant(grp, stat);
        if !live.knows(nid) {
            self.tally.adopted(check);
            live.adopt(nid, stat, busiest_nid);
            return true;
        }
        let reason = "an attempt or a timer was not printed, or lines were lost";
        let same = self
            .tally
            .same(check, grp, &(stat, busiest_nid), &live.shows(nid), reason);
        if !same {
            live.adopt(nid, stat, busiest_nid);
        }
        same
    }

    pub(super) fn timer(&mut self, row: &LineRow) {
        let ClingLine::Timer {
            gid,
            nid,
            f,
            t,
            q,
            busiest_nid,
            grp,
        } = row.line
        else {
            return;
        };
        self.live(grp, row.ts_ns);
        let Some(mut live) = self.groups.remove(&grp) else {
            return;
        };
        live.history.renamed(row.ts_ns, gid);
        let open = live
            .callback
            .as_ref()
            .is_some_and(|callback| callback.seen.last().is_some_and(|&last| last < nid));
        if !open {
            let mut after = live.group.clone();
            after.timer();
            self.settle(&mut live, Some((&after, row.ts_ns)));
            live.before = live.group.clone();
            live.callback = Some(Callback::default());
        }
        let mut callback = live.callback.take().unwrap_or_default();
        callback.seen.push(nid);
        live.group.halve(nid, &mut callback.most);
        live.callback = Some(callback);
        live.changed_ns = row.ts_ns;
        let shown = Shown {
            nid,
            stat: Stat { f, t, q },
            busiest_nid,
        };
        self.compare(Check::Timer, grp, &mut live, shown);
        self.groups.insert(grp, live);
    }

    pub(super) fn timer_end(&mut self, row: &LineRow) {
        let ClingLine::TimerEnd {
            gid,
            busiest_nid,
            nr_tasks,
            degree,
            period,
            jiffies,
            grp,
        } = row.line
        else {
            return;
        };
        self.degrees.push(row.ts_ns, degree);
        self.timers.push(Ran {
            t_ns: row.ts_ns,
            group: grp,
            jiffies,
            period,
        });
        self.live(grp, row.ts_ns);
        let Some(live) = self.groups.get_mut(&grp) else {
            return;
        };
        live.history.renamed(row.ts_ns, gid);
        let seen = live.callback.take().unwrap_or_default().seen;
        let nodes: Vec<i32> = live.group.nodes().iter().map(|node| node.0).collect();
        let printed = (seen, busiest_nid, nr_tasks);
        let replayed = (
            nodes,
            live.group.busiest_nid,
            live.members.unwrap_or(nr_tasks),
        );
        let reason = "lines of this timer or of members are missing";
        self.tally
            .same(Check::TimerEnd, grp, &printed, &replayed, reason);
        live.group.busiest_nid = busiest_nid;
        (live.busiest_known, live.changed_ns) = (true, row.ts_ns);
        live.members = Some(nr_tasks);
        if let Some((last, period)) = live.last_timer {
            // It is armed after the jiffies were printed, so it may come later than the wheel says, never sooner.
            let due = timer::wheel_expiry(last, last.saturating_add(period));
            let reason = "the timer came before its time";
            let (on_time, due) = (jiffies >= due, due);
            self.tally
                .same(Check::TimerEnd, grp, &(on_time, due), &(true, due), reason);
        }
        live.last_timer = Some((jiffies, period));
        live.history.record(row.ts_ns, &live.group, Cause::Timer);
    }

    pub(super) fn show(&mut self, row: &LineRow) {
        let ClingLine::Show {
            gid,
            nid,
            f,
            t,
            q,
            busiest_nid,
            nr_tasks,
            grp,
        } = row.line
        else {
            return;
        };
        self.live(grp, row.ts_ns);
        let Some(mut live) = self.groups.remove(&grp) else {
            return;
        };
        live.history.renamed(row.ts_ns, gid);
        let members = live.members.unwrap_or(nr_tasks);
        let reason = "a join or a leave was not printed";
        self.tally
            .same(Check::Members, grp, &nr_tasks, &members, reason);
        let shown = Shown {
            nid,
            stat: Stat { f, t, q },
            busiest_nid,
        };
        let known = live.knows(nid);
        let same = self.compare(Check::Show, grp, &mut live, shown);
        if !same || !known {
            let cause = if known { Cause::Line } else { Cause::Start };
            live.history.record(row.ts_ns, &live.group, cause);
        }
        self.groups.insert(grp, live);
    }
}
