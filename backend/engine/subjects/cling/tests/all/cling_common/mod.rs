//! A small kernel: groups, attempts and timers, with everything that it would print.

#![allow(dead_code, clippy::too_many_lines)]

use numalens_cling::events::{Inputs, Lateness};
use numalens_cling::group::{Group, NO_NODE};
use numalens_cling::lines::{Config, Lines, Replay};
use numalens_cling::samples::Reading;
use numalens_cling::timer::Clock;
use numalens_replay::numa::{Attempt, ClingLine, Partner, Site, TargetFrom, Verdict};

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const S: u64 = 1_000_000_000;
pub(crate) const HZ: u32 = 250;
pub(crate) const JIFFY: u64 = 4 * MS;

/// What the kernel does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    /// A task of a group ends an attempt to reach a node.
    Attempt {
        group: usize,
        nid: i32,
        failed: bool,
    },
    /// A group's timer comes.
    Timer { group: usize },
    /// A group's file is read.
    Read { group: usize },
    /// A decision on a wake-up: (from, to).
    Wake { group: usize, snid: i32, dnid: i32 },
    /// A node might be elected.
    Elect { group: usize, nid: i32 },
    /// Memory might move.
    Memory { group: usize, snid: i32, dnid: i32 },
}

/// What it printed.
#[derive(Debug, Default, Clone)]
pub(crate) struct Printed {
    pub(crate) lines: Vec<(u64, u32, ClingLine)>,
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) timers: Vec<u64>,
    pub(crate) readings: Vec<Reading>,
    pub(crate) end_ns: u64,
}

pub(crate) fn gid(group: usize) -> i32 {
    100 + group as i32
}

pub(crate) fn pid(group: usize) -> i32 {
    1000 + group as i32
}

pub(crate) fn path(group: usize) -> String {
    format!("/g{group}")
}

pub(crate) fn attempt(t_ns: u64, group: usize, nid: i32, failed: bool) -> Attempt {
    Attempt {
        start_ns: t_ns,
        end_ns: t_ns,
        cpu: 0,
        pid: pid(group),
        tgid: pid(group),
        ngid: gid(group),
        src_cpu: 0,
        src_nid: 0,
        dst_cpu: if failed { -1 } else { 1 },
        dst_nid: if failed { -1 } else { nid },
        partner: None,
        verdict: if failed {
            Verdict::NoCpu
        } else {
            Verdict::Moved
        },
        target_nid: nid,
        target_from: TargetFrom::Entry,
        ret: Some(if failed { -11 } else { 0 }),
    }
}

pub(crate) fn partner(group: usize) -> Partner {
    Partner {
        pid: pid(group),
        tgid: pid(group),
        ngid: gid(group),
    }
}

/// Runs ops, `step` ns apart, on groups over `nodes` nodes.
pub(crate) fn kernel(groups: usize, nodes: &[i32], ops: &[Op], step: u64, degree: u32) -> Printed {
    let mut out = Printed::default();
    let mut states: Vec<Group> = vec![Group::new(nodes); groups];
    let mut t_ns = S;
    let mut jiffies = 1000;
    let say = |out: &mut Printed, t_ns: u64, line: ClingLine| out.lines.push((t_ns, 0, line));
    for group in 0..groups {
        out.readings.push(Reading {
            t0_ns: t_ns - 10,
            t1_ns: t_ns - 5,
            cgroup: path(group),
            enabled: false,
            gid: 0,
            nr_tasks: 0,
            group: None,
            degree: Some(degree),
            faults: None,
        });
    }
    for group in 0..groups {
        t_ns += 1000;
        let grp = group as u32 + 1;
        let enable = ClingLine::Enable {
            cgroup_id: 10 + group as u64,
            degree,
            scan_period_max_ms: 1000,
            hz: HZ,
            jiffies,
            grp,
        };
        say(&mut out, t_ns, enable);
        let join = ClingLine::Member {
            join: true,
            gid: gid(group),
            pid: pid(group),
            kind: numalens_replay::numa::GroupChange::TaskGroup,
            nr_tasks: 1,
            grp,
        };
        say(&mut out, t_ns + 1, join);
    }
    for &op in ops {
        t_ns += step;
        jiffies += 400;
        match op {
            Op::Attempt { group, nid, failed } => {
                let state = &mut states[group];
                state.attempt(nid, failed);
                let (stat, busiest_nid) = (state.stat(nid), state.busiest_nid);
                out.attempts.push(attempt(t_ns, group, nid, failed));
                let line = ClingLine::MigrateStat {
                    gid: gid(group),
                    pid: pid(group),
                    nid,
                    failed,
                    f: stat.f,
                    t: stat.t,
                    q: stat.q,
                    busiest_nid,
                    grp: group as u32 + 1,
                };
                say(&mut out, t_ns, line);
                if failed {
                    let line = ClingLine::Setnuma {
                        pid: pid(group),
                        old: Some(nid),
                        new: NO_NODE,
                    };
                    say(&mut out, t_ns + 1, line);
                }
            }
            Op::Timer { group } => {
                out.timers.push(t_ns);
                let mut most = 0;
                let grp = group as u32 + 1;
                let state = &mut states[group];
                for &nid in nodes {
                    state.halve(nid, &mut most);
                    let stat = state.stat(nid);
                    let line = ClingLine::Timer {
                        gid: gid(group),
                        nid,
                        f: stat.f,
                        t: stat.t,
                        q: stat.q,
                        busiest_nid: state.busiest_nid,
                        grp,
                    };
                    out.lines.push((t_ns, 0, line));
                }
                let line = ClingLine::TimerEnd {
                    gid: gid(group),
                    busiest_nid: state.busiest_nid,
                    nr_tasks: 1,
                    degree,
                    period: 25,
                    jiffies,
                    grp,
                };
                say(&mut out, t_ns, line);
            }
            Op::Read { group } => {
                let state = &states[group];
                for &nid in nodes {
                    let stat = state.stat(nid);
                    let line = ClingLine::Show {
                        gid: gid(group),
                        nid,
                        f: stat.f,
                        t: stat.t,
                        q: stat.q,
                        busiest_nid: state.busiest_nid,
                        nr_tasks: 1,
                        grp: group as u32 + 1,
                    };
                    out.lines.push((t_ns, 0, line));
                }
                out.readings.push(Reading {
                    t0_ns: t_ns - 10,
                    t1_ns: t_ns + 10,
                    cgroup: path(group),
                    enabled: true,
                    gid: gid(group),
                    nr_tasks: 1,
                    group: Some(state.clone()),
                    degree: Some(degree),
                    faults: None,
                });
            }
            Op::Wake { group, snid, dnid } if snid != dnid => {
                let state = &states[group];
                let stat = state.stat(snid);
                let line = ClingLine::Decision {
                    site: Site::Wake,
                    pid: pid(group),
                    snid,
                    dnid,
                    busy: state.busy(snid, degree),
                    gid: gid(group),
                    f: stat.f,
                    t: stat.t,
                    q: stat.q,
                    busiest_nid: state.busiest_nid,
                    grp: group as u32 + 1,
                };
                say(&mut out, t_ns, line);
            }
            Op::Elect { group, nid } if states[group].pauses(nid, degree) => {
                let stat = states[group].stat(nid);
                let line = ClingLine::PausePrefer {
                    gid: gid(group),
                    pid: pid(group),
                    nid,
                    f: stat.f,
                    t: stat.t,
                    q: stat.q,
                    group_faults: 10,
                    max_faults: 5,
                    grp: group as u32 + 1,
                };
                say(&mut out, t_ns, line);
            }
            Op::Memory { group, snid, dnid } if snid != dnid => {
                if let Some(may) = states[group].memory(snid, dnid, degree) {
                    let line = ClingLine::Memory {
                        gid: gid(group),
                        pid: pid(group),
                        snid,
                        dnid,
                        src_busy: may,
                        grp: group as u32 + 1,
                    };
                    say(&mut out, t_ns, line);
                }
            }
            _ => {}
        }
    }
    out.end_ns = t_ns + step;
    out
}

/// The replay of what it printed.
pub(crate) fn replayed(printed: &Printed, nodes: &[i32]) -> Lines {
    let mut replay = Replay::new(Config::new(nodes.to_vec()));
    for (t_ns, cpu, line) in &printed.lines {
        replay.push(*t_ns, *cpu, line);
    }
    replay.finish(&printed.readings)
}

/// What a replay of its events goes by.
pub(crate) fn events_of<'a>(printed: &'a Printed, nodes: &'a [i32]) -> Inputs<'a> {
    Inputs {
        attempts: &printed.attempts,
        timers: &printed.timers,
        readings: &printed.readings,
        nodes,
        clock: Clock {
            at_ns: 0,
            jiffies: 0,
            hz: HZ,
        },
        jiffies_known: false,
        scan_period_max_ms: 1000,
        from_ns: 0,
        to_ns: printed.end_ns,
        lateness: Lateness::default(),
        missing: &[],
    }
}
