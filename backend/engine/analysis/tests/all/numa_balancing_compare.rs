//! What one CPU of the destination is worth: one rule at a time.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_analysis::numa_balancing::decision::{
    Best, Candidate, Compared, Cur, Loads, Rules, Search, SkipReason, Weights, compare,
    improvement, less_sixteenth, load_too_imbalanced, rules_of,
};
use numalens_core::kernel_version::KernelVersion;
use proptest::prelude::*;

fn of(major: u16, minor: u16) -> &'static Rules {
    rules_of(Some(KernelVersion { major, minor }))
}

const HOME: i32 = 0;
const AWAY: i32 = 1;

fn search(version: (u16, u16), maymove: bool) -> Search<'static> {
    Search {
        rules: of(version.0, version.1),
        src_nid: HOME,
        dst_nid: AWAY,
        group: None,
        taskimp: 100,
        groupimp: 0,
        maymove,
        idle_cpu: false,
        load: 10,
        loads: Loads {
            src: 100,
            dst: 100,
            src_capacity: 1,
            dst_capacity: 1,
        },
    }
}

fn cur(preferred_nid: i32, src: i64, dst: i64) -> Cur {
    Cur {
        preferred_nid,
        group: None,
        task: Weights { src, dst },
        group_faults: Weights::default(),
        allowed: true,
        load: 10,
    }
}

fn skipped(reason: SkipReason) -> Compared {
    Compared::Skipped {
        reason,
        stop: false,
    }
}

#[test]
fn c_divides_towards_zero() {
    assert_eq!(
        (less_sixteenth(-20), less_sixteenth(20), less_sixteenth(15)),
        (-19, 19, 15)
    );
    assert_eq!((less_sixteenth(-15), less_sixteenth(-32)), (-15, -30));
    // A bonus for going home makes a loss larger.
    let worse = Search {
        taskimp: -20,
        ..search((5, 7), false)
    };
    assert_eq!(improvement(&worse, &cur(HOME, 0, 0)), -22);
    assert_eq!(improvement(&worse, &cur(AWAY, 0, 0)), -19);
    let old = Search {
        taskimp: -20,
        ..search((5, 6), false)
    };
    assert_eq!(improvement(&old, &cur(HOME, 0, 0)), -20);
}

#[test]
fn gains_are_those_of_tasks_or_groups() {
    let with = |group, taskimp, groupimp| Search {
        group,
        taskimp,
        groupimp,
        ..search((5, 6), false)
    };
    let own = Cur {
        group_faults: Weights { src: 500, dst: 100 },
        ..cur(2, 300, 250)
    };
    let grouped = |group| Cur {
        group: Some(group),
        ..own
    };
    // Neither has a group: both tasks count.
    assert_eq!(improvement(&with(None, 100, 700), &own), 150);
    // The same group: the same, less a sixteenth.
    assert_eq!(improvement(&with(Some(7), 110, 700), &grouped(7)), 150);
    // Two groups: both groups count.
    assert_eq!(improvement(&with(Some(7), 100, 700), &grouped(8)), 1100);
    // One has a group: its gain, and the task of the other.
    assert_eq!(improvement(&with(Some(7), 100, 700), &own), 750);
    assert_eq!(improvement(&with(None, 100, 700), &grouped(8)), 150);
}

#[test]
fn cpus_are_compared_in_the_kernels_order() {
    let none = Best::default();
    let free = |idle| Candidate::Free { idle };
    let at = |search: &Search<'_>, best: &Best, candidate| compare(search, best, &candidate);
    let may = search((5, 7), true);
    let not = search((5, 7), false);
    assert_eq!(
        at(&may, &none, Candidate::Migrating),
        skipped(SkipReason::Migrating)
    );
    assert_eq!(
        at(&may, &none, Candidate::Itself),
        Compared::Skipped {
            reason: SkipReason::Itself,
            stop: true
        }
    );
    assert_eq!(
        at(&search((5, 6), true), &none, Candidate::Itself),
        skipped(SkipReason::Itself)
    );
    // A free CPU: as good as the best is good enough.
    assert_eq!(
        at(&may, &none, free(true)),
        Compared::Move {
            imp: 100,
            stop: true
        }
    );
    assert_eq!(
        at(&may, &none, free(false)),
        Compared::Move {
            imp: 100,
            stop: false
        }
    );
    let best = |imp| Best {
        imp,
        swap_preferred: None,
    };
    assert_eq!(
        at(&may, &best(100), free(true)),
        Compared::Move {
            imp: 100,
            stop: true
        }
    );
    assert_eq!(
        at(&may, &best(101), free(true)),
        skipped(SkipReason::MoveNotBetter)
    );
    assert_eq!(
        at(&not, &none, free(true)),
        skipped(SkipReason::MoveNotBetter)
    );
    let old = search((5, 6), true);
    assert_eq!(
        at(&old, &none, free(true)),
        Compared::Move {
            imp: 100,
            stop: false
        }
    );
    // Affinity comes before all gains.
    let pinned = Cur {
        allowed: false,
        ..cur(HOME, 900, 0)
    };
    assert_eq!(
        at(&not, &none, Candidate::Busy(pinned)),
        skipped(SkipReason::Affinity)
    );
    // Moving gains more than swapping.
    let loses = Candidate::Busy(cur(2, 0, 10));
    assert_eq!(
        at(&may, &none, loses),
        Compared::Move {
            imp: 100,
            stop: false
        }
    );
    let at_hand = Search {
        idle_cpu: true,
        ..may
    };
    assert_eq!(
        at(&at_hand, &none, loses),
        Compared::Move {
            imp: 100,
            stop: true
        }
    );
    // But not more than the best.
    assert_eq!(at(&may, &best(100), loses), skipped(SkipReason::SmallGain));
}

#[test]
fn swaps_that_bring_a_task_home_are_preferred() {
    let at = |search: &Search<'_>, best: &Best, cur| compare(search, best, &Candidate::Busy(cur));
    let not = search((5, 7), false);
    let home = Best {
        imp: 200,
        swap_preferred: Some(HOME),
    };
    let other = Best {
        imp: 200,
        swap_preferred: Some(2),
    };
    // The best goes home, this one does not.
    assert_eq!(
        at(&not, &home, cur(2, 900, 0)),
        skipped(SkipReason::BestGoesHome)
    );
    // This one goes home, the best does not: at once, whatever it gains, and the search ends.
    assert_eq!(
        at(&not, &other, cur(HOME, 0, 100)),
        Compared::Swap { imp: 0, stop: true }
    );
    let uneven = Cur {
        load: 0,
        ..cur(HOME, 0, 100)
    };
    assert_eq!(
        at(&not, &other, uneven),
        Compared::Swap { imp: 0, stop: true }
    );
    // Both go home: by gain.
    assert_eq!(
        at(&not, &home, cur(HOME, 0, 0)),
        skipped(SkipReason::SmallGain)
    );
    assert_eq!(
        at(&not, &home, cur(HOME, 200, 0)),
        Compared::Swap {
            imp: 337,
            stop: true
        }
    );
    // Where moves are allowed, swaps do not end the search.
    let may = search((5, 7), true);
    assert_eq!(
        at(&may, &home, cur(HOME, 200, 0)),
        Compared::Swap {
            imp: 337,
            stop: false
        }
    );
    // None of it before 5.7.
    let old = search((5, 6), false);
    assert_eq!(
        at(&old, &home, cur(2, 900, 0)),
        Compared::Swap {
            imp: 1000,
            stop: false
        }
    );
    assert_eq!(
        at(&old, &other, cur(HOME, 0, 100)),
        skipped(SkipReason::SmallGain)
    );
}

#[test]
fn small_gains_and_uneven_loads_are_refused() {
    let at = |best_imp, gain, load| {
        let search = Search {
            taskimp: 0,
            ..search((5, 7), false)
        };
        let best = Best {
            imp: best_imp,
            swap_preferred: None,
        };
        let cur = Cur {
            load,
            ..cur(2, gain, 0)
        };
        compare(&search, &best, &Candidate::Busy(cur))
    };
    assert_eq!(at(0, 29, 10), skipped(SkipReason::SmallGain));
    assert_eq!(
        at(0, 30, 10),
        Compared::Swap {
            imp: 30,
            stop: false
        }
    );
    assert_eq!(at(15, 30, 10), skipped(SkipReason::SmallGain));
    assert_eq!(
        at(15, 31, 10),
        Compared::Swap {
            imp: 31,
            stop: false
        }
    );
    // Loads of 10 and 9: the nodes, even before, would not be.
    assert_eq!(at(0, 100, 9), skipped(SkipReason::Load));
}

proptest! {
    #[test]
    fn any_numbers_are_taken(numbers in any::<[i64; 12]>(), flags in any::<[bool; 4]>(), version in any::<(u16, u16)>()) {
        let [src, dst, src_capacity, dst_capacity, load, taskimp, groupimp, a, b, c, d, imp] = numbers;
        let loads = Loads { src, dst, src_capacity, dst_capacity };
        let search = Search {
            group: flags[0].then_some(1), taskimp, groupimp, maymove: flags[1], load, loads, ..search(version, false)
        };
        let cur = Cur {
            preferred_nid: a as i32, group: flags[2].then_some(1), task: Weights { src: a, dst: b },
            group_faults: Weights { src: c, dst: d }, allowed: true, load: c,
        };
        let best = Best { imp, swap_preferred: flags[3].then_some(b as i32) };
        let _ = compare(&search, &best, &Candidate::Busy(cur));
        let _ = load_too_imbalanced(&loads, load);
    }
}
