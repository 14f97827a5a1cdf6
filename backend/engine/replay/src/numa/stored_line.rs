//! The cling kernel's lines as they lie in their file: every number in the column that fits it best.

use numalens_core::logs::table;

use super::{ClingLine, GroupChange, Site};

table! {
    /// A row of `numa/lines.arrow`.
    StoredLine, LineColumns, ts_ns, {
        ts_ns: u64,
        f: u64,
        t: u64,
        q: u64,
        a: u64,
        b: u64,
        cpu: u32,
        grp: u32,
        current: i32,
        gid: i32,
        pid: i32,
        nid: i32,
        dnid: i32,
        busiest_nid: i32,
        nr_tasks: i32,
        /// Kind of line.
        line: u8,
        /// Word in the line.
        word: u8,
    }
}

const NONE: StoredLine = StoredLine {
    ts_ns: 0,
    f: 0,
    t: 0,
    q: 0,
    a: 0,
    b: 0,
    cpu: 0,
    grp: 0,
    current: -1,
    gid: 0,
    pid: 0,
    nid: 0,
    dnid: 0,
    busiest_nid: 0,
    nr_tasks: 0,
    line: 0,
    word: 0,
};

const ENABLE: u8 = 0;
const DISABLE: u8 = 1;
const MEMBER: u8 = 2;
const MIGRATE_STAT: u8 = 3;
const TIMER: u8 = 4;
const TIMER_END: u8 = 5;
const DECISION: u8 = 6;
const PAUSE_PREFER: u8 = 7;
const MEMORY: u8 = 8;
const SHOW: u8 = 9;
const SETNUMA: u8 = 10;
const TIMER_RAN: u8 = 11;
/// In the word of a member's line: it joins.
const JOINS: u8 = 0x80;

impl StoredLine {
    pub(super) fn pack(ts_ns: u64, cpu: u32, current: i32, line: &ClingLine) -> Self {
        Self {
            ts_ns,
            cpu,
            current,
            ..fields(line)
        }
    }

    /// `None` when there is no such line.
    pub(super) fn unpack(&self) -> Option<ClingLine> {
        let Self { gid, pid, grp, .. } = *self;
        let Self { f, t, q, .. } = *self;
        let (nid, nr_tasks) = (self.nid, self.nr_tasks);
        let word = self.word != 0;
        Some(match self.line {
            ENABLE => ClingLine::Enable {
                cgroup_id: self.a,
                degree: f as u32,
                scan_period_max_ms: t as u32,
                hz: q as u32,
                jiffies: self.b,
                grp,
            },
            DISABLE => ClingLine::Disable {
                gid,
                nr_tasks,
                cgroup_id: self.a,
                grp,
            },
            MEMBER => ClingLine::Member {
                join: self.word & JOINS != 0,
                gid,
                pid,
                kind: join(self.word & !JOINS)?,
                nr_tasks,
                grp,
            },
            MEMORY => ClingLine::Memory {
                gid,
                pid,
                snid: nid,
                dnid: self.dnid,
                src_busy: word,
                grp,
            },
            SETNUMA => ClingLine::Setnuma {
                pid,
                old: word.then_some(self.dnid),
                new: nid,
            },
            TIMER_RAN => ClingLine::TimerRan,
            _ => return self.unpack_counters(),
        })
    }

    /// Of the lines with a group's counters.
    fn unpack_counters(&self) -> Option<ClingLine> {
        let Self { gid, pid, grp, .. } = *self;
        let Self { f, t, q, .. } = *self;
        let (nid, busiest_nid, nr_tasks) = (self.nid, self.busiest_nid, self.nr_tasks);
        Some(match self.line {
            MIGRATE_STAT => ClingLine::MigrateStat {
                gid,
                pid,
                nid,
                failed: self.word != 0,
                f,
                t,
                q,
                busiest_nid,
                grp,
            },
            TIMER => ClingLine::Timer {
                gid,
                nid,
                f,
                t,
                q,
                busiest_nid,
                grp,
            },
            TIMER_END => ClingLine::TimerEnd {
                gid,
                busiest_nid,
                nr_tasks,
                degree: f as u32,
                period: self.a,
                jiffies: self.b,
                grp,
            },
            DECISION => ClingLine::Decision {
                site: site((self.word >> 1) & 3)?,
                pid,
                snid: nid,
                dnid: self.dnid,
                busy: self.word & 1 != 0,
                gid,
                f,
                t,
                q,
                busiest_nid,
                grp,
            },
            PAUSE_PREFER => ClingLine::PausePrefer {
                gid,
                pid,
                nid,
                f,
                t,
                q,
                group_faults: self.a,
                max_faults: self.b,
                grp,
            },
            SHOW => ClingLine::Show {
                gid,
                nid,
                f,
                t,
                q,
                busiest_nid,
                nr_tasks,
                grp,
            },
            _ => return None,
        })
    }
}

fn fields(line: &ClingLine) -> StoredLine {
    match *line {
        ClingLine::Enable {
            cgroup_id,
            degree,
            scan_period_max_ms,
            hz,
            jiffies,
            grp,
        } => StoredLine {
            line: ENABLE,
            a: cgroup_id,
            f: u64::from(degree),
            t: u64::from(scan_period_max_ms),
            q: u64::from(hz),
            b: jiffies,
            grp,
            ..NONE
        },
        ClingLine::Disable {
            gid,
            nr_tasks,
            cgroup_id,
            grp,
        } => StoredLine {
            line: DISABLE,
            gid,
            nr_tasks,
            a: cgroup_id,
            grp,
            ..NONE
        },
        ClingLine::Member {
            join,
            gid,
            pid,
            kind,
            nr_tasks,
            grp,
        } => StoredLine {
            line: MEMBER,
            word: kind as u8 | if join { JOINS } else { 0 },
            gid,
            pid,
            nr_tasks,
            grp,
            ..NONE
        },
        ClingLine::Setnuma { pid, old, new } => StoredLine {
            line: SETNUMA,
            pid,
            word: u8::from(old.is_some()),
            dnid: old.unwrap_or(-1),
            nid: new,
            ..NONE
        },
        ClingLine::TimerRan => StoredLine {
            line: TIMER_RAN,
            ..NONE
        },
        ClingLine::Memory {
            gid,
            pid,
            snid,
            dnid,
            src_busy,
            grp,
        } => StoredLine {
            line: MEMORY,
            gid,
            pid,
            nid: snid,
            dnid,
            word: u8::from(src_busy),
            grp,
            ..NONE
        },
        _ => counters(line),
    }
}

/// Of the lines with a group's counters.
fn counters(line: &ClingLine) -> StoredLine {
    match *line {
        ClingLine::MigrateStat {
            gid,
            pid,
            nid,
            failed,
            f,
            t,
            q,
            busiest_nid,
            grp,
        } => StoredLine {
            line: MIGRATE_STAT,
            pid,
            word: u8::from(failed),
            ..counted(gid, nid, (f, t, q), busiest_nid, grp)
        },
        ClingLine::Timer {
            gid,
            nid,
            f,
            t,
            q,
            busiest_nid,
            grp,
        } => StoredLine {
            line: TIMER,
            ..counted(gid, nid, (f, t, q), busiest_nid, grp)
        },
        ClingLine::TimerEnd {
            gid,
            busiest_nid,
            nr_tasks,
            degree,
            period,
            jiffies,
            grp,
        } => StoredLine {
            line: TIMER_END,
            nr_tasks,
            a: period,
            b: jiffies,
            ..counted(gid, 0, (u64::from(degree), 0, 0), busiest_nid, grp)
        },
        ClingLine::Decision {
            site,
            pid,
            snid,
            dnid,
            busy,
            gid,
            f,
            t,
            q,
            busiest_nid,
            grp,
        } => StoredLine {
            line: DECISION,
            pid,
            dnid,
            word: u8::from(busy) | (site as u8) << 1,
            ..counted(gid, snid, (f, t, q), busiest_nid, grp)
        },
        ClingLine::PausePrefer {
            gid,
            pid,
            nid,
            f,
            t,
            q,
            group_faults,
            max_faults,
            grp,
        } => StoredLine {
            line: PAUSE_PREFER,
            pid,
            a: group_faults,
            b: max_faults,
            ..counted(gid, nid, (f, t, q), 0, grp)
        },
        ClingLine::Show {
            gid,
            nid,
            f,
            t,
            q,
            busiest_nid,
            nr_tasks,
            grp,
        } => StoredLine {
            line: SHOW,
            nr_tasks,
            ..counted(gid, nid, (f, t, q), busiest_nid, grp)
        },
        _ => NONE,
    }
}

fn counted(
    gid: i32,
    nid: i32,
    (f, t, q): (u64, u64, u64),
    busiest_nid: i32,
    grp: u32,
) -> StoredLine {
    StoredLine {
        f,
        t,
        q,
        grp,
        gid,
        nid,
        busiest_nid,
        ..NONE
    }
}

fn site(number: u8) -> Option<Site> {
    [Site::Wake, Site::LoadBalance, Site::Swap]
        .get(usize::from(number))
        .copied()
}

fn join(number: u8) -> Option<GroupChange> {
    let all = [
        GroupChange::TaskGroup,
        GroupChange::Switch,
        GroupChange::Classic,
        GroupChange::Evacuate,
        GroupChange::Exit,
        GroupChange::Exec,
    ];
    all.get(usize::from(number)).copied()
}
