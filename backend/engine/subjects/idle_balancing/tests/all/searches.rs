//! Searches that contradict the kernel's rules, each as a kernel with a known bug and one without it make them (I19).

use numalens_core::kernel_version::KernelVersion;
use numalens_events::Kinds;
use numalens_idle_balancing::Curve;
use numalens_idle_balancing::findings::{IdleBalancingFacts, detect};
use numalens_idle_balancing::searches::Search;
use numalens_replay::evidence::CpuSpan;

const MS: u64 = 1_000_000;

/// A busy CPU's search of four CPUs at a time.
fn search(ms: u64, domain_cpus: u32, moved: u64, idle_neighbor: Option<u32>) -> Search {
    Search {
        from_ns: ms * MS,
        to_ns: ms * MS + 20_000,
        cpu: 0,
        busy: true,
        domain_cpus,
        moved,
        idle_neighbor,
    }
}

fn named(searches: &[Search], offline: &[CpuSpan]) -> Vec<&'static str> {
    let mut waste = Curve::default();
    waste.set(0, 1);
    let found = detect(&IdleBalancingFacts {
        from_ns: 0,
        to_ns: 4_000 * MS,
        cpus: 4,
        hz: 250,
        kernel: Some(KernelVersion { major: 6, minor: 6 }),
        what_if: false,
        kinds: Kinds::default(),
        kicks: &[],
        passes: &[],
        searches,
        offline,
        annotations: &[],
        waste: &waste,
        idle: &Curve::default(),
    });
    found.iter().map(|finding| finding.id).collect()
}

/// 6d7e478 (6.7): besides the idle sibling, the CPU that balances for its group searched, too.
#[test]
fn a_busy_cpu_leaves_searches_to_an_idle_one_of_its_group() {
    let mut buggy: Vec<Search> = (0..5).map(|at| search(at, 4, 1, Some(1))).collect();
    // The idle CPU may be isolated, unless it searches the same domain.
    assert!(named(&buggy, &[]).is_empty());
    let neighbor = |domain_cpus| Search {
        cpu: 1,
        busy: false,
        ..search(9, domain_cpus, 0, None)
    };
    buggy.push(neighbor(2));
    assert!(named(&buggy, &[]).is_empty());
    buggy.push(neighbor(4));
    assert_eq!(named(&buggy, &[]), ["BUSY_PULL"]);
    // Searches that move nothing may have ended there; a group without an idle CPU is its busy one's to balance.
    let fixed = (0..9).map(|at| search(at, 4, at % 2, (at % 2 == 0).then_some(1)));
    let fixed: Vec<Search> = fixed.chain([neighbor(4)]).collect();
    assert!(named(&fixed, &[]).is_empty());
}

/// Missing scheduling domains (`EuroSys` 2016): domains across nodes were not built again when a CPU came back.
#[test]
fn a_cpu_that_comes_back_brings_its_domains() {
    let off = [CpuSpan {
        cpu: 3,
        from_ns: 1_000 * MS,
        to_ns: Some(1_100 * MS),
    }];
    let wide = |from: u64, to: u64| (from..to).step_by(10).map(|ms| search(ms, 4, 0, None));
    let narrow = || (0..4_000).step_by(20).map(|ms| search(ms, 2, 0, None));
    let all = |to: u64| {
        let mut all: Vec<Search> = narrow()
            .chain(wide(0, 1_000))
            .chain(wide(1_250, to))
            .collect();
        all.sort_by_key(|one| one.from_ns);
        all
    };
    assert_eq!(named(&all(0), &off), ["DOMAINS_NARROWER"]);
    assert!(named(&all(4_000), &off).is_empty());
    // Busy CPUs search so rarely that none may have been due.
    let rare = narrow().chain(wide(0, 1_000).step_by(5));
    assert!(named(&rare.collect::<Vec<_>>(), &off).is_empty());
    // Without a CPU that was off, the widest domain may have had nothing to do.
    assert!(named(&all(0), &[]).is_empty());
}
