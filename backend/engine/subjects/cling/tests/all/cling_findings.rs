//! The detectors (`docs/algorithms/cling.md`, G18): a case that each tells, with its cost, and one just below its threshold.

#![allow(clippy::unwrap_used, clippy::float_cmp)]

use numalens_cling::findings::{ClingFacts, Ran, Share, Tables, Wait, detect};
use numalens_cling::group::Group;
use numalens_cling::history::{Cause, Degrees, GroupId, History};
use numalens_cling::prefs::Prefs;
use numalens_core::provenance::Label;
use numalens_replay::migrations::{How, Migration};
use numalens_subject::findings::Finding;

use crate::cling_common::{MS, S, pid};

const NODES: [i32; 2] = [0, 1];
const PERIOD: u64 = 6144 * MS;

/// What happens to a group, and when.
type Change<'a> = (u64, &'a dyn Fn(&mut Group));

/// A group of number 1 whose state is set at moments.
fn history(steps: &[Change<'_>], to_ns: u64) -> History {
    let id = GroupId {
        number: 1,
        gid: 77,
        cgroup_id: None,
        cgroup: Some("/db".to_owned()),
    };
    let mut history = History::new(id, 0, Label::Replayed);
    let mut group = Group::new(&NODES);
    history.record(0, &group, Cause::Start);
    for (t_ns, change) in steps {
        change(&mut group);
        history.record(*t_ns, &group, Cause::Timer);
    }
    history.to_ns = to_ns;
    history
}

#[derive(Default)]
struct Case {
    histories: Vec<History>,
    migrations: Vec<Migration>,
    prefs: Prefs,
    costs: Tables,
    to_ns: u64,
}

impl Case {
    fn find(&self, id: &str) -> Vec<Finding> {
        let degrees = Degrees::constant(20);
        let facts = ClingFacts {
            from_ns: 0,
            to_ns: self.to_ns,
            histories: &self.histories,
            degrees: &degrees,
            period_ns: PERIOD,
            scan_ns: S,
            migrations: &self.migrations,
            prefs: &self.prefs,
            group_of: &|task, _| (task == pid(0)).then_some(1),
            node_of: &|cpu| Some(cpu as i32 / 2),
            costs: &self.costs,
        };
        let found = detect(&facts);
        found
            .into_iter()
            .filter(|finding| finding.id == id)
            .collect()
    }

    fn moved(&mut self, ts_ns: u64, how: How, (cpu, orig_cpu, dest_cpu): (u32, u32, u32)) {
        self.migrations.push(Migration {
            ts_ns,
            cpu,
            pid: pid(0),
            task: 0,
            orig_cpu,
            dest_cpu,
            how,
        });
    }
}

fn fail(group: &mut Group, nid: i32, times: usize) {
    (0..times).for_each(|_| group.attempt(nid, true));
}

/// A CPU of node 0 recorded nothing in this time.
fn missing(case: &mut Case, from_ns: u64, to_ns: u64) {
    for (nid, most) in [(0, 1.0), (1, 0.5)] {
        case.costs.share(Share {
            from_ns,
            to_ns,
            nid,
            busy: (0.5, most),
        });
    }
}

#[test]
fn busy_node() {
    let steps: [Change<'_>; 3] = [
        (S, &|group| {
            fail(group, 1, 4);
            group.timer();
        }),
        (2 * S, &|group| (0..2).for_each(|_| group.timer())),
        (3 * S, &|group| fail(group, 1, 1)),
    ];
    let mut case = Case {
        histories: vec![history(&steps, 3 * S + PERIOD * 3)],
        to_ns: 60 * S,
        ..Case::default()
    };
    for (nid, from, to) in [(1, S / 2, S + S / 2), (0, S, 2 * S), (1, 4 * S, 5 * S)] {
        case.costs.wait(Wait {
            from_ns: from,
            to_ns: to,
            group: 1,
            nid,
        });
    }
    let found = case.find("CLING_BUSY_NODE");
    assert_eq!(found.len(), 1);
    // Half a second of the first wait, the whole of the last; node 0's does not count.
    assert_eq!(found[0].impact_ms, 1500.0);
    // Two intervals, of which the later one cost more.
    let (count, worst) = (found[0].occurrences.count, &found[0].occurrences.worst);
    let costs: Vec<f64> = worst.iter().map(|one| one.cost_ms).collect();
    assert_eq!((count, &costs[..]), (2, &[1000.0, 500.0][..]));
    assert_eq!(
        (found[0].from_ns, found[0].to_ns),
        (3 * S, 3 * S + PERIOD * 3)
    );
    assert_eq!((worst[0].from_ns, worst[1].from_ns), (3 * S, S));
    assert_eq!(found[0].nodes, [1]);
    assert_eq!(found[0].cgroup.as_deref(), Some("/db"));
    assert_eq!(found[0].label, Label::Replayed);
    assert!(
        found[0]
            .summary
            .contains("(2 times, the first 1.000 s into the window)")
    );
    assert!(
        found[0].summary.contains("does not settle"),
        "{}",
        found[0].summary
    );
    // The second interval lacks the attempts of a CPU.
    let costs = case.costs.clone();
    missing(&mut case, 2 * S + S / 2, 60 * S);
    assert_eq!(case.find("CLING_BUSY_NODE")[0].impact_ms, 500.0);
    case.costs = costs;
    // One span of less than three timers is reported without that.
    case.to_ns = 2 * S;
    let found = case.find("CLING_BUSY_NODE");
    assert!(!found[0].summary.contains("does not settle"));
    assert_eq!(found[0].impact_ms, 500.0);
    // One failure never makes a node busy.
    let once: [Change<'_>; 1] = [(S, &|group| {
        fail(group, 1, 1);
        group.timer();
    })];
    case.histories = vec![history(&once, 9 * S)];
    assert!(case.find("CLING_BUSY_NODE").is_empty());
}

#[test]
fn failures_that_nobody_recognises() {
    // Example 5: node 0 was the busiest, then node 1 fails.
    let steps: [Change<'_>; 3] = [
        (S, &|group| {
            fail(group, 0, 2);
            (0..13).for_each(|_| group.timer());
        }),
        (2 * S, &|group| fail(group, 1, 2)),
        (5 * S, &Group::timer),
    ];
    let case = Case {
        histories: vec![history(&steps, 9 * S)],
        to_ns: 10 * S,
        ..Case::default()
    };
    for id in ["PREF_FAIL_STORM", "STALE_BUSIEST"] {
        let found = case.find(id);
        assert_eq!(found.len(), 1, "{id}");
        assert_eq!(found[0].impact_ms, 3000.0);
        assert_eq!((found[0].from_ns, found[0].to_ns), (2 * S, 5 * S));
        assert_eq!(found[0].nodes, [1]);
    }
    // For a second a CPU of the other node recorded nothing, so its attempts are missing.
    let mut case = case;
    missing(&mut case, 3 * S, 4 * S);
    for id in ["PREF_FAIL_STORM", "STALE_BUSIEST"] {
        let found = case.find(id);
        let worst = &found[0].occurrences.worst;
        let spans: Vec<_> = worst.iter().map(|one| (one.from_ns, one.to_ns)).collect();
        assert_eq!(spans, [(2 * S, 3 * S), (4 * S, 5 * S)], "{id}");
    }
    case.costs = Tables::default();
    // One failure less: no storm, while the busiest node is as stale.
    let fewer: [Change<'_>; 3] = [
        steps[0],
        (2 * S, &|group| fail(group, 1, 1)),
        (5 * S, &Group::timer),
    ];
    let case = Case {
        histories: vec![history(&fewer, 9 * S)],
        ..case
    };
    assert!(case.find("PREF_FAIL_STORM").is_empty());
    assert_eq!(case.find("STALE_BUSIEST").len(), 1);
    // Example 1: no timer yet, so no node is the busiest; that is a storm, and not stale.
    let early: [Change<'_>; 2] = [(S, &|group| fail(group, 1, 2)), (2 * S, &Group::timer)];
    let case = Case {
        histories: vec![history(&early, 9 * S)],
        ..case
    };
    assert_eq!(case.find("PREF_FAIL_STORM")[0].impact_ms, 1000.0);
    assert!(case.find("STALE_BUSIEST").is_empty());
}

fn round_trips(times: u64, apart: u64) -> Case {
    let mut case = Case {
        to_ns: 1000 * S,
        ..Case::default()
    };
    case.prefs.setnuma(pid(0), 0, Some(-1), 0);
    for at in 0..times {
        case.moved(S + at * apart, How::Runnable, (0, 0, 2));
        case.moved(S + at * apart + 100 * MS, How::Runnable, (0, 2, 1));
    }
    case.costs.ran(Ran {
        from_ns: S + 50 * MS,
        to_ns: S + 300 * MS,
        pid: pid(0),
    });
    case
}

#[test]
fn ping_pong() {
    let found = round_trips(3, 29 * S).find("CLING_PINGPONG");
    assert_eq!(found.len(), 1);
    // The part of its run that lies between leaving and coming back.
    assert_eq!(found[0].impact_ms, 50.0);
    assert_eq!(found[0].pids, [pid(0)]);
    assert_eq!(found[0].nodes, [0, 1]);
    assert!(found[0].missing.is_empty());
    // Coming back to go away again is a trip as well, so two there-and-backs are three trips.
    assert_eq!(round_trips(2, 29 * S).find("CLING_PINGPONG").len(), 1);
    assert!(round_trips(1, S).find("CLING_PINGPONG").is_empty());
    // Three in more than a minute.
    assert!(round_trips(2, 61 * S).find("CLING_PINGPONG").is_empty());
    // Another task's group is no cling group.
    let mut other = round_trips(3, S);
    other.migrations.iter_mut().for_each(|row| row.pid = 1);
    assert!(other.find("CLING_PINGPONG").is_empty());
}

#[test]
fn wake_drag() {
    let mut case = Case {
        to_ns: 100 * S,
        ..Case::default()
    };
    case.prefs.setnuma(pid(0), 0, Some(-1), 0);
    // Drawn to node 1 by a waker there; home again after 3 s, of which the first counts.
    case.moved(10 * S, How::Waking, (2, 0, 3));
    case.moved(13 * S, How::Runnable, (0, 3, 0));
    // A waker of its own node draws no task away.
    case.moved(20 * S, How::Waking, (1, 0, 3));
    case.costs.ran(Ran {
        from_ns: 10 * S,
        to_ns: 12 * S,
        pid: pid(0),
    });
    (0..20).for_each(|_| case.costs.woken(pid(0)));
    let found = case.find("WAKE_DRAG");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].impact_ms, 1000.0);
    assert!(found[0].summary.starts_with("1 of 20 wakeups (5 %)"));
    case.costs.woken(pid(0));
    assert!(case.find("WAKE_DRAG").is_empty(), "1 of 21 is below 5 %");
}

#[test]
fn imbalance() {
    let full = |busy: f64, idle: f64, steps: u64| {
        let mut case = Case {
            histories: vec![history(&[], 100 * S)],
            to_ns: 100 * S,
            ..Case::default()
        };
        for at in 0..steps {
            let (from_ns, to_ns) = (S + at * 500 * MS, S + (at + 1) * 500 * MS);
            for (nid, busy) in [(0, busy), (1, idle)] {
                case.costs.share(Share {
                    from_ns,
                    to_ns,
                    nid,
                    busy: (busy, busy),
                });
            }
            case.costs.waste(from_ns, to_ns, 0, 1, 200 * MS);
        }
        case.costs.wait(Wait {
            from_ns: S,
            to_ns: 2 * S,
            group: 1,
            nid: 0,
        });
        case
    };
    let found = full(0.95, 0.8, 2).find("CLING_IMBALANCE");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].impact_ms, 400.0);
    assert_eq!(found[0].nodes, [0, 1]);
    assert_eq!((found[0].from_ns, found[0].to_ns), (S, 2 * S));
    assert!(full(0.94, 0.8, 2).find("CLING_IMBALANCE").is_empty());
    assert!(full(0.95, 0.81, 2).find("CLING_IMBALANCE").is_empty());
    assert!(full(0.95, 0.8, 1).find("CLING_IMBALANCE").is_empty());
    // No task of the group waits there.
    let mut other = full(0.95, 0.8, 2);
    other.histories[0].group.number = 2;
    assert!(other.find("CLING_IMBALANCE").is_empty());
}
