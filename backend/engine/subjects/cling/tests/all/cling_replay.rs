//! Replays of cling from events, what-if, annotations: what real kernels do (`docs/algorithms/cling.md`, G7-G13), case by case.

#![allow(clippy::unwrap_used)]

use numalens_cling::annotations::{self, Kind, Outcome};
use numalens_cling::compare::{self, Reason, Table, compare};
use numalens_cling::events::{self, Events, Fate, Grouping, Inputs, Reached};
use numalens_cling::group::{Group, Stat};
use numalens_cling::history::Degrees;
use numalens_cling::lines::{Check, Config, Lines, Replay};
use numalens_cling::prefs::{Members, Prefs};
use numalens_cling::samples::{Reading, SampleRow, readings};
use numalens_cling::whatif::{Seen, Site, WhatIf};
use numalens_core::provenance::Label;
use numalens_replay::migrations::{How, Migration};
use numalens_replay::numa::{Attempt, ClingLine, TargetFrom, Verdict};

use crate::cling_common::{
    JIFFY, MS, Op, Printed, S, attempt, events_of, gid, kernel, partner, pid, replayed,
};

const NODES: [i32; 2] = [0, 1];

fn lines(printed: &Printed) -> Lines {
    replayed(printed, &NODES)
}

fn inputs(printed: &Printed) -> Inputs<'_> {
    events_of(printed, &NODES)
}

fn table(lines: &Lines, events: &Events, printed: &Printed, lost: &[(u64, u64)]) -> Table {
    compare(&compare::Inputs {
        lines,
        events,
        attempts: &printed.attempts,
        lost,
        jiffy_ns: JIFFY,
        late_ns: 300 * MS,
    })
}

fn failure(group: usize, nid: i32) -> Op {
    Op::Attempt {
        group,
        nid,
        failed: true,
    }
}

const TIMER: Op = Op::Timer { group: 0 };
const READ: Op = Op::Read { group: 0 };

/// Node 1 becomes busy at the third op and stops being it at the fifth.
fn busy() -> [Op; 6] {
    [READ, failure(0, 1), TIMER, failure(0, 1), TIMER, READ]
}

#[test]
fn flips_and_stretches() {
    let printed = kernel(1, &NODES, &busy(), 50 * MS, 20);
    let lines = lines(&printed);
    let history = &lines.histories[0];
    let flips = history.flips(&lines.degrees);
    assert_eq!(flips.len(), 2);
    assert_eq!((flips[0].nid, flips[0].busy), (1, true));
    assert_eq!(
        flips[0].stat,
        Stat {
            f: 1536,
            t: 1536,
            q: 99
        }
    );
    assert_eq!(flips[0].busiest_nid, 1);
    assert_eq!(flips[1].t_ns - flips[0].t_ns, 50 * MS);
    assert_eq!(history.busy(&lines.degrees).len(), 1);
    // A degree that is raised in the meantime ends it sooner.
    let mut degrees = Degrees::constant(20);
    degrees.push(flips[0].t_ns + 10 * MS, 99);
    let cut = history.busy(&degrees);
    assert_eq!(cut[0].to_ns - cut[0].from_ns, 10 * MS);
    assert!(history.busy(&Degrees::constant(99)).is_empty());
    assert_eq!(history.group.cgroup.as_deref(), Some("/g0"));
}

#[test]
fn attempts_of_other_groups_are_not_counted() {
    let mut printed = kernel(1, &NODES, &busy(), 50 * MS, 20);
    let mut stranger = attempt(S + 120 * MS, 0, 1, true);
    for ngid in [0, 77] {
        stranger.ngid = ngid;
        stranger.pid = 5000 + ngid;
        printed.attempts.push(stranger);
    }
    printed.attempts.sort_by_key(|attempt| attempt.start_ns);
    let events = events::replay(&inputs(&printed));
    let fates: Vec<Fate> = events.applied.iter().map(|applied| applied.fate).collect();
    assert_eq!(
        fates,
        [
            Fate::Counted,
            Fate::NoGroup,
            Fate::OtherGroup,
            Fate::Counted
        ]
    );
    let table = table(&lines(&printed), &events, &printed, &[]);
    assert_eq!(table.rightly_not_counted, 2);
    assert_eq!((table.attempts.printed, table.attempts.reproduced), (2, 2));
    assert_eq!((table.flips.printed, table.flips.reproduced), (2, 2));
    assert_eq!(table.counters.percent, Some(100.0));
    assert!(
        events
            .residuals
            .iter()
            .all(|row| row.reached == Reached::Exactly)
    );
    assert_eq!(events.histories[0].label, Label::Replayed);
}

#[test]
fn a_silent_failure_shows_in_the_reading() {
    let mut printed = kernel(1, &NODES, &busy(), 50 * MS, 20);
    printed.attempts.remove(1);
    let events = events::replay(&inputs(&printed));
    let last = events.residuals.last().unwrap();
    assert_eq!(last.reached, Reached::Not);
    let (stat, read) = (
        Stat {
            f: 256,
            t: 256,
            q: 99,
        },
        Stat {
            f: 768,
            t: 768,
            q: 99,
        },
    );
    assert_eq!(last.nodes, [(1, stat, read)]);
    assert_eq!(events.histories[0].label, Label::Inferred);
    // The replay continues from what was read.
    assert_eq!(events.histories[0].at(u64::MAX).stat(1), read);
    let lines = lines(&printed);
    let table_of = |lost: &[(u64, u64)]| table(&lines, &events, &printed, lost);
    assert_eq!(table_of(&[]).attempts.missed[0].reason, Reason::Silent);
    assert_eq!(table_of(&[]).flips.missed[0].reason, Reason::Silent);
    let gap = [(S, 2 * S)];
    assert_eq!(table_of(&gap).attempts.missed[0].reason, Reason::Lost);
}

#[test]
fn reasons_of_misses() {
    let wrong = |change: &dyn Fn(&mut Attempt)| {
        let mut printed = kernel(1, &NODES, &busy(), 50 * MS, 20);
        change(&mut printed.attempts[1]);
        printed
            .readings
            .retain(|reading| reading.t0_ns < S + 200 * MS);
        let events = events::replay(&inputs(&printed));
        table(&lines(&printed), &events, &printed, &[])
    };
    for (reason, change) in [
        (
            Reason::WrongTarget,
            (&|attempt: &mut Attempt| attempt.target_nid = 0) as &dyn Fn(&mut Attempt),
        ),
        (Reason::UnknownTarget, &|attempt| attempt.target_nid = -1),
        (Reason::WrongVerdict, &|attempt| {
            (attempt.ret, attempt.verdict) = (None, Verdict::Moved);
        }),
        (Reason::UnknownVerdict, &|attempt| {
            (attempt.ret, attempt.verdict) = (None, Verdict::Unknown);
        }),
        (Reason::NotJoined, &|attempt| attempt.ngid = 0),
        (Reason::OtherGroup, &|attempt| attempt.ngid = 9),
    ] {
        let table = wrong(change);
        assert_eq!(table.attempts.reproduced, 1, "{reason:?}");
        assert_eq!(table.attempts.missed[0].reason, reason);
        assert_eq!(table.flips.missed[0].reason, reason);
        assert!(
            table
                .counters
                .missed
                .iter()
                .any(|miss| miss.reason == reason)
        );
    }
}

#[test]
fn a_move_is_counted_late() {
    // Its events are before a timer, the kernel counts it after; only the reading shows.
    let ops = [READ, TIMER, failure(0, 1), failure(0, 1), READ, TIMER, READ];
    let mut printed = kernel(1, &NODES, &ops, 50 * MS, 20);
    let late = &mut printed.attempts[0];
    (late.start_ns, late.end_ns) = (late.start_ns - 60 * MS, late.end_ns - 60 * MS);
    (late.ret, late.verdict) = (None, Verdict::SwapRaced);
    let mut input = inputs(&printed);
    input.lateness.other_ns = 100 * MS;
    let events = events::replay(&input);
    let reached: Vec<Reached> = events.residuals.iter().map(|row| row.reached).collect();
    assert_eq!(
        reached,
        [Reached::Exactly, Reached::Reordered, Reached::Exactly]
    );
    assert_eq!(
        events.histories[0].at(u64::MAX),
        lines(&printed).histories[0].at(u64::MAX)
    );
}

#[test]
fn an_attempt_beside_a_timer_may_fall_on_either_side() {
    let ops = [READ, failure(0, 1), failure(0, 1), TIMER, READ];
    for (after, reached) in [(3 * MS, Reached::Reordered), (5 * MS, Reached::Not)] {
        let mut printed = kernel(1, &NODES, &ops, 50 * MS, 20);
        let timer = printed.timers[0];
        let last = &mut printed.attempts[1];
        (last.start_ns, last.end_ns) = (timer + after, timer + after);
        let events = events::replay(&inputs(&printed));
        assert_eq!(events.residuals[1].reached, reached);
    }
}

#[test]
fn readings_tell_which_node_it_was() {
    let nodes = [0, 1, 2, 3];
    let ops = [READ, failure(0, 2), failure(0, 3), READ, TIMER, READ];
    let mut printed = kernel(1, &nodes, &ops, 50 * MS, 20);
    // One with a destination that was a second choice, one of which nothing shows.
    let [wrong, unknown] = &mut printed.attempts[..] else {
        unreachable!()
    };
    (wrong.target_nid, wrong.target_from) = (1, TargetFrom::Destination);
    (unknown.target_nid, unknown.target_from) = (-1, TargetFrom::Unknown);
    let mut input = inputs(&printed);
    input.nodes = &nodes;
    let events = events::replay(&input);
    let nids: Vec<(i32, bool, Fate)> = events
        .applied
        .iter()
        .map(|row| (row.nid, row.from_reading, row.fate))
        .collect();
    // Both failed alike, so their order is not known from them; the counters show it.
    assert_eq!(nids.iter().map(|row| row.0).sum::<i32>(), 5);
    assert!(nids.iter().all(|row| row.1 && row.2 == Fate::Counted));
    assert_eq!(events.residuals[1].reached, Reached::Reordered);
    assert_eq!(events.residuals[2].reached, Reached::Exactly);
    assert_eq!(events.histories[0].label, Label::Inferred);
    // With a probe on the entry they are as they are, and the reading is not reached.
    printed.attempts[0].target_from = TargetFrom::Entry;
    let mut input = inputs(&printed);
    input.nodes = &nodes;
    let events = events::replay(&input);
    assert_eq!(events.residuals[1].reached, Reached::Not);
    // On two nodes there is only one other.
    let mut printed = kernel(1, &NODES, &busy(), 50 * MS, 20);
    printed.attempts[0].target_nid = 0;
    printed.attempts[0].target_from = TargetFrom::Unknown;
    let events = events::replay(&inputs(&printed));
    assert_eq!(events.residuals[1].reached, Reached::Not);
}

#[test]
fn disabled_groups_go_on_counting_without_a_timer() {
    let mut printed = kernel(1, &NODES, &busy(), 50 * MS, 20);
    let off = printed.end_ns;
    printed.readings.push(Reading {
        t0_ns: off,
        t1_ns: off + 1,
        enabled: false,
        group: None,
        ..printed.readings[1].clone()
    });
    // Callbacks of other groups' timers continue.
    printed.timers.push(off + 50 * MS);
    printed.attempts.push(attempt(off + 100 * MS, 0, 0, true));
    printed.attempts.push(attempt(off + 200 * MS, 0, 0, true));
    printed.end_ns = off + S;
    let events = events::replay(&inputs(&printed));
    let history = &events.histories[0];
    assert_eq!(history.disabled_ns, Some(off));
    let end = history.at(u64::MAX);
    assert_eq!(
        end.stat(0),
        Stat {
            f: 2048,
            t: 2048,
            q: 99
        }
    );
    // No timer, so nothing decays, and the busiest node stays the old one.
    assert_eq!(end.stat(1).f, 768);
    assert_eq!(end.busiest_nid, 1);
    assert!(!end.busy(0, 20));
    // The lines say the same, and are not surprised by it.
    let mut replay = Replay::new(Config::new(NODES.to_vec()));
    for (t_ns, cpu, line) in &printed.lines {
        replay.push(*t_ns, *cpu, line);
    }
    let disable = ClingLine::Disable {
        gid: gid(0),
        nr_tasks: 1,
        cgroup_id: 10,
        grp: 1,
    };
    replay.push(off, 0, &disable);
    for (times, at) in [(1, 100), (2, 200)] {
        let line = ClingLine::MigrateStat {
            gid: gid(0),
            pid: pid(0),
            nid: 0,
            failed: true,
            f: 1024 * times,
            t: 1024 * times,
            q: 99,
            busiest_nid: 1,
            grp: 1,
        };
        replay.push(off + at * MS, 0, &line);
    }
    let lines = replay.finish(&[]);
    assert_eq!(lines.violations, []);
    assert_eq!(lines.histories[0].disabled_ns, Some(off));
    assert_eq!(lines.histories[0].at(u64::MAX), end);
}

#[test]
fn a_group_that_is_made_again_starts_anew() {
    let mut printed = kernel(1, &NODES, &busy(), 50 * MS, 20);
    let off = printed.end_ns;
    let reading = |t_ns: u64, enabled: bool, gid: i32| Reading {
        t0_ns: t_ns,
        t1_ns: t_ns + 1,
        enabled,
        gid,
        group: enabled.then(|| Group::new(&NODES)),
        ..printed.readings[1].clone()
    };
    let more = [
        reading(off, false, 0),
        reading(off + 100 * MS, true, 0),
        reading(off + 200 * MS, true, 555),
    ];
    printed.readings.extend(more);
    let mut old = attempt(off + 150 * MS, 0, 1, true);
    printed.attempts.push(old);
    (old.ngid, old.start_ns, old.end_ns) = (555, off + 300 * MS, off + 300 * MS);
    printed.attempts.push(old);
    printed.end_ns = off + S;
    let events = events::replay(&inputs(&printed));
    assert_eq!(events.histories.len(), 2);
    // A task that has not switched yet counts for the old group.
    assert_eq!(events.histories[0].at(u64::MAX).stat(1).f, 768 + 1024);
    assert_eq!(events.histories[1].at(u64::MAX).stat(1).f, 1024);
    assert!(
        events
            .residuals
            .iter()
            .all(|row| row.reached == Reached::Exactly)
    );
}

#[test]
fn a_recording_that_begins_later_takes_over_what_is_read() {
    let mut printed = kernel(1, &NODES, &busy(), 50 * MS, 20);
    printed
        .readings
        .retain(|reading| reading.enabled && reading.t0_ns > S + 200 * MS);
    printed.lines.retain(|row| row.0 > S + 180 * MS);
    let events = events::replay(&inputs(&printed));
    assert_eq!(events.residuals[0].reached, Reached::Adopted);
    let lines = lines(&printed);
    assert_eq!(lines.violations, []);
    assert!(lines.checked(Check::Attempt).unwrap().adopted > 0);
    assert_eq!(
        events.histories[0].at(u64::MAX),
        lines.histories[0].at(u64::MAX)
    );
}

#[test]
fn rows_become_readings() {
    let row = |nid: i32, f: u64| SampleRow {
        t0_ns: 5,
        t1_ns: 6,
        cgroup: "/g".to_owned(),
        enabled: true,
        gid: 7,
        nr_tasks: 1,
        busiest_nid: Some(1),
        nid,
        stat: Some(Stat { f, t: f, q: 0 }),
        degree: Some(20),
        faults: Some((30, 10)),
    };
    let other = SampleRow {
        cgroup: "/h".to_owned(),
        ..row(0, 3)
    };
    let all = readings([row(0, 1), row(1, 2), other]);
    assert_eq!(all.len(), 2);
    let group = all[0].group.as_ref().unwrap();
    assert_eq!((group.stat(0).f, group.stat(1).f), (1, 2));
    assert_eq!(group.busiest_nid, 1);
    // The series' third revision shows no counters.
    let old = SampleRow {
        stat: None,
        busiest_nid: None,
        ..row(0, 0)
    };
    assert_eq!(readings([old])[0].group, None);
}

/// `task_scan_max` scales with the number of tasks times the share of shared faults, unless the group clings (G20).
#[test]
fn cling_keeps_scan_periods_short() {
    let row = |nid: i32, faults: Option<(u64, u64)>, nr_tasks: i32| SampleRow {
        t0_ns: 5,
        t1_ns: 6,
        cgroup: "/g".to_owned(),
        enabled: true,
        gid: 7,
        nr_tasks,
        busiest_nid: None,
        nid,
        stat: None,
        degree: None,
        faults,
    };
    let factor = |rows: [SampleRow; 2]| readings(rows)[0].scan_factor();
    // 8 references, and 200 of 800 faults are shared ones.
    let known = factor([row(0, Some((300, 100)), 7), row(1, Some((300, 99)), 7)]);
    assert_eq!(known, Some(8.0 * 200.0 / 800.0));
    // Private memory never shortens them; a node without counts leaves it open, and so does a group that is off.
    assert_eq!(
        factor([row(0, Some((800, 0)), 7), row(1, Some((0, 0)), 7)]),
        Some(1.0)
    );
    assert_eq!(factor([row(0, Some((300, 100)), 7), row(1, None, 7)]), None);
    let off = |nid| SampleRow {
        enabled: false,
        ..row(nid, Some((300, 100)), 7)
    };
    assert_eq!(factor([off(0), off(1)]), None);
}

fn migration(ts_ns: u64, how: How, (cpu, orig_cpu, dest_cpu): (u32, u32, u32)) -> Migration {
    Migration {
        ts_ns,
        cpu,
        pid: pid(0),
        task: 0,
        orig_cpu,
        dest_cpu,
        how,
    }
}

/// CPU 0 and 1 on node 0, 2 and 3 on node 1.
fn node_of(cpu: u32) -> Option<i32> {
    (cpu < 4).then_some(cpu as i32 / 2)
}

fn what_if(printed: &Printed, prefs: &Prefs, migrations: &[Migration]) -> WhatIf {
    let seen = Seen {
        migrations,
        prefs,
        node_of: &node_of,
        direct: true,
    };
    WhatIf::of_events(&inputs(printed), &Grouping::Ngid, &seen)
}

/// An attempt to tell the task's group, then a while in which it prefers node 0.
fn member() -> (Printed, Prefs) {
    let mut printed = Printed {
        end_ns: 10 * S,
        ..Printed::default()
    };
    printed.attempts.push(attempt(S, 0, 0, false));
    let mut prefs = Prefs::default();
    prefs.setnuma(pid(0), S - 1, Some(-1), 0);
    (printed, prefs)
}

#[test]
fn wake_ups_that_cling_would_have_kept() {
    let (printed, prefs) = member();
    for (how, cpus, site) in [
        (How::Waking, (3, 0, 2), Some(Site::WakeAffine)),
        // The waker's node is the task's own: cling has no say.
        (How::Waking, (1, 0, 2), None),
        // It did not leave its node, or was not on the preferred one.
        (How::Waking, (3, 0, 1), None),
        (How::Waking, (3, 2, 3), None),
        (How::Runnable, (3, 0, 2), Some(Site::LoadBalance)),
        (How::Runnable, (0, 2, 3), None),
        (How::Asleep, (3, 0, 2), None),
        (How::Unknown, (3, 0, 2), None),
    ] {
        let migrations = [migration(2 * S, how, cpus)];
        let whatif = what_if(&printed, &prefs, &migrations);
        let parts = whatif.at(20).parts;
        assert_eq!(parts.map(|point| point.site), site, "{how:?} {cpus:?}");
        if let Some(point) = parts {
            assert_eq!((point.t_ns, point.snid, point.dnid), (2 * S, 0, 1));
            assert_eq!(point.label, Label::Inferred);
        }
    }
    // The attempt's own move is no balancer's.
    let own = [migration(S + MS, How::Runnable, (3, 0, 2))];
    assert!(
        what_if(&printed, &prefs, &own)
            .points
            .iter()
            .all(|point| point.site == Site::Elect)
    );
}

#[test]
fn a_busy_node_lets_go_and_a_degree_decides() {
    let (mut printed, mut prefs) = member();
    // Four failures towards node 0 with a timer between: busy, until the next timers.
    for at in 2..6 {
        printed.attempts.push(attempt(at * S, 0, 0, true));
    }
    printed.timers = vec![3 * S + 1];
    prefs.setnuma(pid(0), 6 * S, None, 0);
    let migrations = [migration(7 * S, How::Waking, (3, 0, 2))];
    let whatif = what_if(&printed, &prefs, &migrations);
    assert!(
        whatif
            .histories
            .iter()
            .all(|history| history.label == Label::WhatIf)
    );
    let wake = whatif
        .points
        .iter()
        .find(|point| point.site == Site::WakeAffine)
        .unwrap();
    assert!(!wake.differs(20), "node 0 is busy: cling lets the task go");
    assert!(wake.differs(99), "nothing is busy with 99");
    // Four attempts, three of them after a failure without an election: cling has reset the preferred node by then.
    let retries = whatif
        .points
        .iter()
        .filter(|point| point.site == Site::Retry);
    assert_eq!(retries.count(), 3);
    let view = whatif.at(20);
    assert_eq!(view.parts.unwrap().site, Site::Retry);
    assert_eq!(view.parts.unwrap().t_ns, 3 * S);
    assert_eq!(view.first_reset_ns, Some(2 * S));
    assert_eq!(view.label, Label::WhatIf);
    assert_eq!(view.groups[0].busy.len(), 1);
    assert!(whatif.at(99).groups[0].busy.is_empty());
    let notes = annotations::of_whatif(&whatif, 20, 0, u64::MAX);
    assert!(notes.iter().all(|note| note.label == Label::WhatIf));
    for note in &notes {
        assert_eq!(note.after_parting, note.t_ns > 3 * S);
    }
    let parts = notes.iter().filter(|note| note.kind == Kind::Parts);
    assert_eq!(parts.count(), 1);
    let wake = notes
        .iter()
        .find(|note| note.kind == Kind::WakeAffine)
        .unwrap();
    assert_eq!(wake.outcome, Outcome::Released);
    assert_eq!(wake.function, "select_task_rq_fair");
    // Four failures, halved once after the second: 2048 / 2 + 2 * 1024; an attempt more counts in T.
    assert_eq!(
        wake.by.stat,
        Stat {
            f: 3072,
            t: 3584,
            q: 85
        }
    );
    assert_eq!(
        (wake.by.nid, wake.by.busiest_nid, wake.by.degree),
        (0, 0, 20)
    );
}

#[test]
fn swaps_and_elections_that_cling_would_have_refused() {
    let (mut printed, mut prefs) = member();
    // Task 0 prefers node 1 now, and swaps with a task of group 1 that is on node 1 and prefers it.
    printed.attempts.push(attempt(S + 1, 1, 0, false));
    let mut swap = attempt(3 * S, 0, 1, false);
    swap.partner = Some(partner(1));
    swap.verdict = Verdict::Swapped;
    printed.attempts.push(swap);
    prefs.setnuma(pid(1), 2 * S, Some(-1), 1);
    let whatif = what_if(&printed, &prefs, &[]);
    let parts = whatif.at(20).parts.unwrap();
    assert_eq!((parts.site, parts.pid, parts.nid), (Site::Swap, pid(1), 1));
    // A node that is busy is not elected: two failures halved are just enough. Without a busy node nothing differs.
    let (mut printed, mut prefs) = member();
    printed.timers = vec![3 * S + 1];
    for at in 2..6 {
        printed.attempts.push(attempt(at * S, 0, 1, true));
        prefs.setnuma(pid(0), at * S - 1, None, 1);
        prefs.setnuma(pid(0), at * S + 1, None, -1);
    }
    let whatif = what_if(&printed, &prefs, &[]);
    let parts = whatif.at(20).parts.unwrap();
    assert_eq!((parts.site, parts.t_ns), (Site::Elect, 4 * S - 1));
    assert_eq!(whatif.at(99).parts, None);
}

#[test]
fn cgroups_as_groups() {
    let (mut printed, prefs) = member();
    printed.attempts[0].ngid = 0;
    let seen = Seen {
        migrations: &[migration(2 * S, How::Waking, (3, 0, 2))],
        prefs: &prefs,
        node_of: &node_of,
        direct: true,
    };
    let grouping = Grouping::Cgroup {
        of: &|task, _| (task == pid(0)).then_some(4),
        path: &|number| Some(format!("/c{number}")),
    };
    let whatif = WhatIf::of_events(&inputs(&printed), &grouping, &seen);
    assert_eq!(whatif.histories.len(), 1);
    assert_eq!(whatif.histories[0].group.number, 4);
    assert_eq!(whatif.histories[0].group.cgroup.as_deref(), Some("/c4"));
    assert_eq!(whatif.at(20).parts.unwrap().site, Site::WakeAffine);
    // By the ids of events there is no group.
    assert!(what_if(&printed, &prefs, &[]).histories.is_empty());
}

#[test]
fn annotations_of_printed_lines() {
    let mut ops = busy().to_vec();
    ops.truncate(4);
    ops.extend([
        Op::Wake {
            group: 0,
            snid: 1,
            dnid: 0,
        },
        Op::Wake {
            group: 0,
            snid: 0,
            dnid: 1,
        },
        Op::Elect { group: 0, nid: 1 },
        Op::Memory {
            group: 0,
            snid: 1,
            dnid: 0,
        },
        Op::Memory {
            group: 0,
            snid: 0,
            dnid: 1,
        },
    ]);
    let mut printed = kernel(1, &NODES, &ops, 50 * MS, 20);
    let setnuma = ClingLine::Setnuma {
        pid: pid(0),
        old: Some(-1),
        new: 0,
    };
    printed.lines.push((printed.end_ns, 0, setnuma));
    let lines = lines(&printed);
    assert_eq!(lines.violations, []);
    let notes = annotations::of_lines(&lines, 0, u64::MAX);
    let told: Vec<(Kind, Outcome)> = notes.iter().map(|note| (note.kind, note.outcome)).collect();
    assert_eq!(
        told,
        [
            (Kind::Busy, Outcome::Busy),
            (Kind::WakeAffine, Outcome::Released),
            (Kind::WakeAffine, Outcome::Clings),
            (Kind::PausePrefer, Outcome::Paused),
            (Kind::Memory, Outcome::MemoryLeaves),
            (Kind::Memory, Outcome::MemoryRefused),
            (Kind::Resettle, Outcome::Resettled),
        ]
    );
    for note in &notes {
        let observed = !matches!(note.kind, Kind::Busy | Kind::Resettle);
        let label = if observed {
            Label::Observed
        } else {
            Label::Replayed
        };
        assert_eq!(note.label, label);
        assert_eq!(note.by.degree, 20);
        assert_eq!(note.by.busiest_nid, 1);
        let zero = note.outcome == Outcome::Clings;
        assert_eq!(note.by.stat.f, if zero { 0 } else { 1536 });
    }
    let resettle = notes.last().unwrap();
    assert_eq!((resettle.snid, resettle.dnid), (1, 0));
    let window = annotations::of_lines(&lines, printed.end_ns, u64::MAX);
    assert_eq!(window.len(), 1);
}

#[test]
fn lines_read_without_the_lock_may_be_a_moment_off() {
    let mut printed = kernel(1, &NODES, &busy(), 50 * MS, 20);
    let counted: Vec<usize> = (0..printed.lines.len())
        .filter(|&at| matches!(printed.lines[at].2, ClingLine::MigrateStat { .. }))
        .collect();
    let t_ns = printed.lines[counted[1]].0;
    let memory = ClingLine::Memory {
        gid: gid(0),
        pid: pid(0),
        snid: 1,
        dnid: 0,
        src_busy: true,
        grp: 1,
    };
    // Just before the line that makes node 1 busy: the new counters were read. Long before: impossible.
    for (before, fits) in [(MS, true), (20 * MS, false)] {
        let mut printed = printed.clone();
        printed.lines.insert(counted[1], (t_ns - before, 1, memory));
        let lines = lines(&printed);
        assert_eq!(lines.violations.is_empty(), fits);
        assert_eq!(lines.checked(Check::Memory).unwrap().near, u64::from(fits));
        if !fits {
            assert_eq!(lines.violations[0].check, Check::Memory);
            assert_eq!(lines.violations[0].cpu, 1);
        }
    }
    // Just after the timer that ended it: the old counters were read. Long after: impossible.
    for (after, fits) in [(MS, true), (20 * MS, false)] {
        let mut printed = printed.clone();
        let timer = |row: &(u64, u32, ClingLine)| matches!(row.2, ClingLine::TimerEnd { .. });
        let end = printed.lines.iter().rposition(timer).unwrap();
        let t_ns = printed.lines[end].0 + after;
        printed.lines.insert(end + 1, (t_ns, 1, memory));
        assert_eq!(lines(&printed).violations.is_empty(), fits);
    }
    // A failure after which the preferred node is not reset.
    let kept = ClingLine::Setnuma {
        pid: pid(0),
        old: None,
        new: 1,
    };
    let reset = printed
        .lines
        .iter_mut()
        .find(|row| matches!(row.2, ClingLine::Setnuma { .. }));
    reset.unwrap().2 = kept;
    assert_eq!(lines(&printed).violations[0].check, Check::Reset);
}

#[test]
fn members_by_lines() {
    let printed = kernel(2, &NODES, &busy(), 50 * MS, 20);
    let members = Members::of_lines(&lines(&printed));
    assert_eq!(members.at(pid(1), u64::MAX), Some(2));
    assert_eq!(members.at(pid(1), 0), None);
    assert_eq!(members.pids(), [pid(0), pid(1)]);
}
