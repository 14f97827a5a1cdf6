//! The worked examples (`docs/algorithms/cling.md`, G16) and the timer (G3), literally.

use numalens_cling::group::{DEFAULT_DEGREE, Group, NO_NODE, Stat};
use numalens_cling::timer::{Clock, Timer, msecs_to_jiffies, period, steady_period, wheel_expiry};

const D: u32 = DEFAULT_DEGREE;

fn group() -> Group {
    Group::new(&[0, 1])
}

fn stat(f: u64, t: u64, q: u64) -> Stat {
    Stat { f, t, q }
}

fn fail(group: &mut Group, nid: i32, times: usize) {
    (0..times).for_each(|_| group.attempt(nid, true));
}

#[test]
fn example_1_one_failure_is_not_enough() {
    let mut group = group();
    fail(&mut group, 1, 1);
    assert_eq!(group.stat(1), stat(1024, 1024, 99));
    assert_eq!(group.busiest_nid, NO_NODE);
    assert!(!group.busy(1, D));
    group.timer();
    assert_eq!(group.stat(1), stat(512, 512, 99));
    assert_eq!(group.busiest_nid, 1);
    assert!(!group.busy(1, D));
    fail(&mut group, 1, 1);
    assert_eq!(group.stat(1).f, 1536);
    assert!(group.busy(1, D));
    group.timer();
    assert_eq!(group.stat(1).f, 768);
    assert!(!group.busy(1, D));
}

#[test]
fn example_2_ties_keep_the_lowest_node() {
    let mut group = group();
    fail(&mut group, 0, 2);
    fail(&mut group, 1, 2);
    group.timer();
    assert_eq!((group.stat(0).f, group.stat(1).f), (1024, 1024));
    assert_eq!(group.busiest_nid, 0);
    assert!(group.busy(0, D));
    assert!(!group.busy(1, D));
    assert_eq!(group.busy_node(D), Some(0));
}

#[test]
fn example_3_the_ratio_must_be_above_the_degree() {
    let mut group = group();
    (0..8).for_each(|_| group.attempt(1, false));
    fail(&mut group, 1, 2);
    assert_eq!(group.stat(1), stat(2048, 10240, 19));
    group.timer();
    assert_eq!(group.stat(1), stat(1024, 5120, 19));
    assert_eq!(group.busiest_nid, 1);
    assert!(!group.busy(1, D));
    fail(&mut group, 1, 1);
    assert_eq!(group.stat(1), stat(2048, 6144, 33));
    assert!(group.busy(1, D));
}

#[test]
fn example_4_a_failure_is_gone_at_the_eleventh_timer() {
    let mut group = group();
    fail(&mut group, 0, 1);
    let mut f = vec![group.stat(0).f];
    let mut q = vec![group.stat(0).q];
    for _ in 0..11 {
        group.timer();
        f.push(group.stat(0).f);
        q.push(group.stat(0).q);
    }
    assert_eq!(f, [1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 0]);
    assert_eq!(q[..11], [99, 99, 99, 99, 98, 96, 94, 88, 80, 66, 50]);
    assert_eq!(q[11], 0);
}

#[test]
fn example_5_the_busiest_node_stays_when_nothing_fails() {
    let mut group = group();
    fail(&mut group, 0, 2);
    group.timer();
    assert_eq!(group.busiest_nid, 0);
    (0..12).for_each(|_| group.timer());
    assert_eq!(group.stat(0).f, 0);
    assert_eq!(group.busiest_nid, 0);
    fail(&mut group, 1, 2);
    assert_eq!(group.stat(1), stat(2048, 2048, 99));
    assert!(!group.busy(1, D));
    group.timer();
    assert_eq!(group.busiest_nid, 1);
    assert_eq!(group.stat(1).f, 1024);
    assert!(group.busy(1, D));
}

#[test]
fn example_6_steady_failures() {
    for (rate, before, after, always) in [(1, 2047, 1023, false), (2, 4095, 2047, true)] {
        let mut group = group();
        for _ in 0..40 {
            fail(&mut group, 1, rate);
            group.timer();
        }
        assert_eq!(group.stat(1).f, after);
        assert_eq!(after, 1024 * rate as u64 - 1);
        assert_eq!(group.busy(1, D), always);
        fail(&mut group, 1, rate);
        assert_eq!(group.stat(1).f, before);
        assert!(group.busy(1, D));
    }
}

#[test]
fn predicates_in_the_kernels_order() {
    let mut group = group();
    fail(&mut group, 1, 4);
    group.timer();
    assert!(group.busy(1, D));
    // Only one who prefers the node it is on, and would leave it, clings; and not to a busy node.
    assert!(group.clings(0, 0, 1, D));
    assert!(!group.clings(1, 1, 0, D));
    assert!(!group.clings(NO_NODE, 0, 1, D));
    assert!(!group.clings(1, 0, 1, D));
    assert!(!group.clings(0, 1, 0, D));
    assert!(!group.clings(0, 0, 0, D));
    assert!(group.pauses(1, D) && !group.pauses(0, D));
    assert_eq!(group.memory(0, 1, D), Some(false));
    assert_eq!(group.memory(1, 0, D), Some(true));
    assert_eq!(group.memory(0, 2, D), None);
    // The ratio never passes 99.
    assert!(group.busy(1, 98));
    assert!(!group.busy(1, 99) && !group.busy(1, 100));
}

#[test]
fn the_timer_is_rounded_up_by_the_wheel() {
    // (HZ, jiffies that are set, jiffies that it takes, ms).
    for (hz, set, takes, ms) in [
        (1000, 6000, 6144, 6144),
        (250, 1500, 1536, 6144),
        (300, 1800, 1856, 6187),
        (100, 600, 640, 6400),
    ] {
        assert_eq!(period(60_000, hz), set);
        assert_eq!(steady_period(set), takes);
        assert_eq!((takes * 1000 + u64::from(hz) / 2) / u64::from(hz), ms);
    }
    for (set, takes) in [(2001, 2048), (501, 504), (201, 208)] {
        assert_eq!(steady_period(set), takes);
    }
    // Recordings: set to 75, it came after 76 to 83 jiffies; set to 50, after 51.
    for now in 0..64 {
        assert!((76..=83).contains(&(wheel_expiry(now, now + 75) - now)));
        assert_eq!(wheel_expiry(now, now + 50) - now, 51);
        assert!((201..=208).contains(&(wheel_expiry(now, now + 200) - now)));
    }
    assert_eq!(wheel_expiry(8, 8 + 496), 512);
}

#[test]
fn the_timer_at_its_edges() {
    // Just made: with the next tick. Period 0: every tick.
    let mut timer = Timer::made(100, 0);
    assert_eq!([timer.fire(), timer.fire(), timer.fire()], [101, 102, 103]);
    assert_eq!(period(30, 250), 0);
    assert_eq!(msecs_to_jiffies(1, 250), 1);
    assert_eq!(msecs_to_jiffies(60_000, 300), 18_000);
    assert_eq!(msecs_to_jiffies(u32::MAX, 1000), u64::from(u32::MAX));
    assert_eq!(wheel_expiry(5, 0), 6);
    assert_eq!(wheel_expiry(0, u64::MAX), u64::MAX);
    let mut last = Timer::made(u64::MAX, 1);
    last.fire();
    let clock = Clock {
        at_ns: 1_000,
        jiffies: 7,
        hz: 250,
    };
    assert_eq!(clock.at(8), 4_001_000);
    assert_eq!(clock.jiffy(4_000_999), 7);
    assert_eq!(clock.jiffy(4_001_000), 8);
    assert_eq!(clock.jiffy(999), 6);
    assert_eq!(clock.at(0), 0);
}
