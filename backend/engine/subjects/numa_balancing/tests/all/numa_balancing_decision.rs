//! The rules of the NUMA balancer by version: worked examples, one rule at a time, and properties.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_core::kernel_version::KernelVersion;
use numalens_numa_balancing::decision::{
    Allowance, Average, Imbalance, Maymove, NodeType, RULES, Rules, classify, imb_numa_nr, maymove,
    possible_types, rules_of,
};
use proptest::prelude::*;

fn of(major: u16, minor: u16) -> &'static Rules {
    rules_of(Some(KernelVersion { major, minor }))
}

/// Whether a version allows a move from a node with `src` tasks to one with `dst`, of `weight` CPUs each.
fn allowed(version: (u16, u16), src: i64, dst: i64, weight: i64, imb_nr: i64) -> bool {
    let move_of = Imbalance::of_move(src, dst).unwrap();
    let allowance = of(version.0, version.1).allowance;
    move_of.adjusted(allowance, weight, imb_nr) == Some(0)
}

#[test]
fn worked_examples_of_imbalance() {
    assert_eq!(Imbalance::of_move(3, 0).unwrap().imbalance, 0);
    for version in [(5, 7), (5, 11), (6, 12)] {
        assert!(allowed(version, 3, 0, 8, 4), "{version:?}");
    }
    let move_of = Imbalance::of_move(2, 3).unwrap();
    assert_eq!(
        (move_of.src_running, move_of.dst_running, move_of.imbalance),
        (1, 4, 3)
    );
    assert!(allowed((5, 7), 2, 3, 8, 4));
    assert!(!allowed((6, 12), 2, 3, 8, 4));
    assert_eq!(Imbalance::of_move(8, 8).unwrap().imbalance, 2);
    // A source without a task cannot give one.
    assert_eq!(Imbalance::of_move(0, 3), None);
    for version in [(5, 7), (5, 11), (6, 12)] {
        assert!(!allowed(version, 8, 8, 8, 4), "{version:?}");
    }
}

#[test]
fn versions_have_their_rules() {
    for (version, allowance) in [
        ((3, 14), Allowance::LoadTest),
        ((5, 2), Allowance::LoadTest),
        ((5, 6), Allowance::LoadTest),
        ((5, 7), Allowance::SourceAlmostIdle),
        ((5, 10), Allowance::SourceAlmostIdle),
        ((5, 11), Allowance::QuarterOfNode),
        ((5, 17), Allowance::QuarterOfNode),
        ((5, 18), Allowance::LlcQuarter),
        ((6, 0), Allowance::LlcEighth),
        ((6, 12), Allowance::LlcEighth),
        ((7, 2), Allowance::LlcEighth),
    ] {
        assert_eq!(of(version.0, version.1).allowance, allowance, "{version:?}");
    }
    assert_eq!(rules_of(None), of(7, 0));
    assert!(!of(5, 6).idle_core_bug && of(5, 7).idle_core_bug && !of(6, 12).idle_core_bug);
    assert!(!of(5, 6).prefers_home && of(5, 7).prefers_home);
    assert_eq!(
        (of(5, 2).imb_pct(), of(5, 7).imb_pct(), of(6, 12).imb_pct()),
        (112, 112, 108)
    );
    assert_eq!((Rules::imb_pct_of(110), Rules::imb_pct_of(90)), (105, 100));
}

#[test]
fn what_may_move_since_5_7() {
    // The source keeps two: however busy the destination is.
    assert!(allowed((5, 7), 3, 100, 200, 0));
    assert!(!allowed((5, 7), 4, 100, 200, 0));
    // 5.11: below a quarter of the node, and by at most two.
    assert!(allowed((5, 11), 1, 1, 12, 0));
    assert!(!allowed((5, 11), 1, 2, 12, 0));
    assert!(!allowed((5, 11), 1, 3, 12, 0));
    // 6.0: up to imb_numa_nr, and by at most two.
    assert!(allowed((6, 0), 2, 1, 64, 4));
    assert!(allowed((6, 0), 3, 3, 64, 4));
    assert!(!allowed((6, 0), 4, 4, 64, 4));
    assert!(!allowed((6, 0), 2, 3, 64, 4));
}

#[test]
fn imb_numa_nr_follows_the_caches() {
    let nr = |allowance, weight, llcs| imb_numa_nr(allowance, weight, llcs);
    assert_eq!(nr(Allowance::LlcEighth, 64, 1), Some(8));
    assert_eq!(nr(Allowance::LlcEighth, 4, 1), Some(1));
    assert_eq!(nr(Allowance::LlcQuarter, 64, 1), Some(16));
    assert_eq!(nr(Allowance::LlcQuarter, 3, 1), Some(0));
    assert_eq!(nr(Allowance::LlcEighth, 64, 16), Some(16));
    assert_eq!(nr(Allowance::QuarterOfNode, 64, 1), None);
    assert_eq!(nr(Allowance::LoadTest, 64, 1), None);
}

#[test]
fn who_has_no_averages_does_not_know_full_nodes() {
    let move_of = Imbalance::of_move(8, 8).unwrap();
    let of = |allowance, spare| maymove(allowance, spare, &move_of, 8, 1);
    assert_eq!(of(Allowance::LoadTest, true), Maymove::LoadTest);
    assert_eq!(of(Allowance::LlcEighth, false), Maymove::Unknown);
    assert_eq!(of(Allowance::LlcEighth, true), Maymove::Denied);
    let move_of = Imbalance::of_move(3, 0).unwrap();
    assert_eq!(
        maymove(Allowance::LlcEighth, true, &move_of, 8, 1),
        Maymove::Allowed
    );
}

#[test]
fn nodes_are_classified() {
    let average = |capacity, util, runnable| Average {
        capacity,
        util,
        runnable,
    };
    let old = of(5, 7);
    let new = of(6, 1);
    assert_eq!(classify(of(5, 6), 9, 8, average(1, 1, 1)), None);
    // 5.7, pct 112: capacity 1120 and util 1000 are just even.
    assert_eq!(
        classify(old, 9, 8, average(1120, 1001, 0)),
        Some(NodeType::Overloaded)
    );
    assert_eq!(
        classify(old, 8, 8, average(1120, 1001, 0)),
        Some(NodeType::FullyBusy)
    );
    assert_eq!(
        classify(old, 7, 8, average(1120, 9999, 0)),
        Some(NodeType::HasSpare)
    );
    assert_eq!(
        classify(old, 9, 8, average(1120, 1000, 0)),
        Some(NodeType::FullyBusy)
    );
    assert_eq!(
        classify(old, 9, 8, average(1120, 999, 9999)),
        Some(NodeType::HasSpare)
    );
    // Later kernels, pct 108: capacity 1000 and runnable 1080 are just even.
    assert_eq!(
        classify(new, 9, 8, average(1000, 1, 1081)),
        Some(NodeType::Overloaded)
    );
    assert_eq!(
        classify(new, 9, 8, average(1000, 1, 1080)),
        Some(NodeType::FullyBusy)
    );
    assert_eq!(
        classify(new, 9, 8, average(1000, 1, 1079)),
        Some(NodeType::HasSpare)
    );
    assert_eq!(
        classify(new, 8, 8, average(1000, 1, 1081)),
        Some(NodeType::FullyBusy)
    );
}

proptest! {
    /// 5.7's flaw: whoever leaves at most two behind may go wherever there is room.
    #[test]
    fn an_almost_idle_source_may_always_push(src in 1_i64..=3, dst in 0_i64..1000) {
        prop_assert!(allowed((5, 7), src, dst, 1 << 20, 0));
    }

    /// What evens out is allowed by all; what later rules allow is small.
    #[test]
    fn rules_agree_on_moves_that_even_out(src in 1_i64..100, dst in 0_i64..100, weight in 1_i64..200, llcs in 1_i64..9) {
        let move_of = Imbalance::of_move(src, dst).unwrap();
        for rules in RULES.iter().filter(|rules| rules.allowance != Allowance::LoadTest) {
            let nr = imb_numa_nr(rules.allowance, weight, llcs).unwrap_or(0);
            let left = move_of.adjusted(rules.allowance, weight, nr).unwrap();
            prop_assert!(left == 0 || left == move_of.imbalance);
            if dst + 2 <= src {
                prop_assert_eq!(left, 0);
            }
            if left == 0 && rules.allowance != Allowance::SourceAlmostIdle {
                prop_assert!(move_of.imbalance <= 2);
            }
        }
    }

    /// Types that are possible by tasks alone are those that some average makes.
    #[test]
    fn possible_types_are_those_that_come(nr in 0_u64..20, weight in 1_u64..20, util in 0_u64..3000, runnable in 0_u64..3000) {
        for rules in &RULES {
            let average = Average { capacity: 1024, util, runnable };
            let possible = possible_types(rules, nr, weight);
            match classify(rules, nr, weight, average) {
                Some(found) => prop_assert!(possible.contains(&found)),
                None => prop_assert!(possible.is_empty()),
            }
            for (util, runnable) in [(0, 0), (1_000_000, 1_000_000), (1024 * 100 / u64::from(rules.imb_pct()), 0)] {
                let found = classify(rules, nr, weight, Average { util, runnable, ..average });
                prop_assert_eq!(found.is_none(), possible.is_empty());
            }
        }
    }

    #[test]
    fn any_numbers_are_taken(src in any::<i64>(), dst in any::<i64>(), a in any::<i64>(), b in any::<i64>(), c in any::<i64>(), spare in any::<bool>()) {
        let move_of = Imbalance::of_move(src, dst);
        for rules in &RULES {
            let nr = imb_numa_nr(rules.allowance, a, b).unwrap_or(0);
            let _ = move_of.map(|move_of| maymove(rules.allowance, spare, &move_of, c, nr));
            let average = Average { capacity: c as u64, util: dst as u64, runnable: a as u64 };
            let _ = classify(rules, a as u64, b as u64, average);
        }
    }
}

/// What a probe on `task_numa_find_cpu` printed on kernels 6.1 and 7.2, and what the search found: nothing, the idle CPU at once,
/// a move after comparing tasks, or a swap.
const PROBES: &str = include_str!("numa_balancing_probes/find_cpu.csv");

#[test]
fn rules_are_those_of_running_kernels() {
    let mut moves = [0; 3];
    for line in PROBES.lines().skip(1) {
        let words: Vec<&str> = line.split(',').collect();
        let (found, numbers) = words[1..].split_last().unwrap();
        let numbers: Vec<i64> = numbers.iter().map(|word| word.parse().unwrap()).collect();
        let (imb_nr, pct, src, dst, idle_cpu) = (
            numbers[0],
            numbers[1],
            &numbers[2..8],
            &numbers[8..14],
            numbers[14],
        );
        let (major, minor) = words[0].split_once('.').unwrap();
        let rules = of(major.parse().unwrap(), minor.parse().unwrap());
        assert_eq!(i64::from(rules.imb_pct()), pct);
        assert_eq!(imb_numa_nr(rules.allowance, src[1], 1), Some(imb_nr));
        let types = [
            NodeType::HasSpare,
            NodeType::FullyBusy,
            NodeType::Overloaded,
        ];
        for node in [src, dst] {
            let average = Average {
                capacity: node[2] as u64,
                util: node[3] as u64,
                runnable: node[4] as u64,
            };
            let told = classify(rules, node[0] as u64, node[1] as u64, average);
            assert_eq!(told, types.get(node[5] as usize).copied(), "{line}");
        }
        let move_of = Imbalance::of_move(src[0], dst[0]).unwrap();
        let spare = dst[5] == 0;
        match maymove(rules.allowance, spare, &move_of, dst[1], imb_nr) {
            // With an idle CPU the search ends there, without one it may still find one.
            Maymove::Allowed => {
                assert!(idle_cpu < 0 || *found == "idle", "{line}");
                moves[0] += 1;
            }
            Maymove::Denied => {
                assert!(["none", "swap"].contains(found), "{line}");
                moves[1] += 1;
            }
            _ => moves[2] += 1,
        }
    }
    assert!(moves.iter().all(|&count| count >= 20), "{moves:?}");
}
