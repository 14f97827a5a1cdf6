//! Searches for tasks (`sched_balance_rq`, before 6.10 `load_balance`) that contradict the kernel's rules (I19).

use std::collections::{BTreeMap, HashSet};

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_events::IlbKind;
use numalens_replay::evidence::CpuSpan;
use numalens_replay::idle_balancing::{IlbRow, NR_KNOWN};
use numalens_replay::states::{OnCpu, StateRow};
use numalens_replay::waits::PassedOver;
use numalens_subject::Window;
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{Evidence, Finding, FindingEntry};
use numalens_subject::window::time;

use crate::findings::IdleBalancingFacts;
use crate::left::{Known, LeftTask, Machine, left_by};
use crate::sections::logs::IdleInputs;

/// The kernel from which on an idle CPU is 1 and a busy one 0; before, it was the other way round (`enum cpu_idle_type`,
/// `include/linux/sched/idle.h`).
pub const IDLE_IS_ONE: (u16, u16) = (6, 10);
/// Fewest searches that make a finding.
const FEWEST: usize = 5;
/// A CPU that became idle more lately may not have been seen so by another one, ns.
const LATELY_NS: u64 = 10_000;
/// Factor by which busy CPUs may balance less often than idle ones (`busy_factor`, `kernel/sched/topology.c`, 16 or 32).
const BUSY_FACTOR: u64 = 32;
/// A newly idle CPU (`CPU_NEWLY_IDLE`).
pub const NEWLY_IDLE: u64 = 2;
/// Most tasks of a queue that a search looks at (`sysctl_sched_nr_migrate`).
const MOST_LOOKED: u32 = 32;
/// Time that no look at a task takes, ns: an emulated guest of 7.2 took 1 µs.
const MOST_LOOK_NS: u64 = 10_000;
/// Least time beyond that of other searches that makes a finding, ns.
const LEAST_NS: u64 = 10_000_000;
/// A pass is known to have looked at a task when its softirq ends, at most this long after its search, ns.
const SOON_NS: u64 = 1_000_000;
/// Time that the kernel has to rebuild its domains when a CPU comes back, ns.
const REBUILT_NS: u64 = 100_000_000;

/// A search in one domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Search {
    /// Start, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// CPU that ran it.
    pub cpu: u32,
    /// CPU for which it ran.
    pub target: u32,
    /// True if that CPU searched for itself and was busy.
    pub busy: bool,
    /// True if it was for an idle CPU.
    pub idle: bool,
    /// CPUs of the domain; 0 when not recorded.
    pub domain_cpus: u32,
    /// Number of tasks that it moved.
    pub moved: u64,
    /// CPU of its group that was idle when it began: of its core, else of its last-level cache.
    pub idle_neighbor: Option<u32>,
    /// Most tasks that wait on another CPU of the domain and are bound to it.
    pub bound: u32,
    /// Waiting task that it left although the groups' numbers of tasks allowed it to move one.
    pub left: Option<LeftTask>,
}

/// Returns the searches of a window, ascending; none where they were not probed.
pub(crate) fn searches(known: &IdleInputs<'_>, window: Window) -> Result<Vec<Search>, Error> {
    if !known.has_searches() {
        return Ok(Vec::new());
    }
    let kernel = known.evidence.kernel;
    let state = |idle: bool| {
        let one = kernel.map(|it| (it.major, it.minor) >= IDLE_IS_ONE);
        one.map(|one| u64::from(one == idle) | NR_KNOWN)
    };
    let (busy, idle) = (state(false), state(true));
    let mut open: Vec<Option<IlbRow>> = vec![None; known.cpus()];
    let mut found = Vec::new();
    for row in known.open.ilb_log()?.rows(window.from_ns, window.to_ns)? {
        let Some(of_cpu) = open.get_mut(row.cpu as usize) else {
            continue;
        };
        match row.kind {
            IlbKind::Search => *of_cpu = Some(row),
            IlbKind::Lost => *of_cpu = None,
            IlbKind::SearchEnd => found.extend(of_cpu.take().map(|began| Search {
                from_ns: began.ts_ns,
                to_ns: row.ts_ns,
                cpu: row.cpu,
                target: began.subject,
                busy: began.subject == row.cpu && busy == Some(began.a),
                idle: began.subject != row.cpu
                    || idle == Some(began.a)
                    || began.a == NEWLY_IDLE | NR_KNOWN,
                domain_cpus: began.b as u32,
                moved: u64::try_from((row.a & !NR_KNOWN) as i32).unwrap_or(0),
                idle_neighbor: None,
                bound: 0,
                left: None,
            })),
            _ => {}
        }
    }
    found.sort_by_key(|search| (search.from_ns, search.cpu));
    look(known, window, &mut found)?;
    Ok(found)
}

/// Adds what the CPUs were when each search began.
fn look(known: &IdleInputs<'_>, window: Window, searches: &mut [Search]) -> Result<(), Error> {
    let sharing = &known.open.sharing;
    let machine = Machine::new(known.open.index.nodes(), sharing);
    let phases = known.parts.segment_logs(known.open)?.phases;
    let passed_over = phases.passed_over(window.from_ns, window.to_ns)?;
    let mut passed_over = passed_over.into_iter().peekable();
    let mut waiting: Vec<PassedOver> = Vec::new();
    let mut cpus: Vec<Known> = vec![Known::default(); known.cpus()];
    let mut next = 0;
    let mut until = |to_ns: u64, cpus: &[Known]| {
        while let Some(search) = searches.get_mut(next).filter(|one| one.from_ns < to_ns) {
            let small = |group: &&Vec<u32>| {
                group.contains(&search.cpu)
                    && group.len() > 1
                    && (group.len() as u32) < search.domain_cpus
            };
            let group =
                (sharing.cores.iter().find(small)).or_else(|| sharing.llcs.iter().find(small));
            let idle = |cpu: &&u32| {
                let since = cpus.get(**cpu as usize).and_then(|cpu| cpu.idle_since);
                since.is_some_and(|since| since + LATELY_NS <= search.from_ns)
            };
            search.idle_neighbor = group.and_then(|group| group.iter().find(idle)).copied();
            let soon = search.to_ns.saturating_add(SOON_NS);
            waiting.extend(std::iter::from_fn(|| {
                passed_over.next_if(|one| one.start_ns <= soon)
            }));
            waiting.retain(|one| one.end_ns > search.from_ns);
            if search.moved == 0
                && let Some(domain) = machine.domain(search.target, search.domain_cpus)
            {
                let others = domain.iter().filter(|&&cpu| cpu != search.target);
                let bound = others.filter_map(|&cpu| cpus.get(cpu as usize));
                search.bound = bound.map(|cpu| cpu.bound).max().unwrap_or(0);
                let mut left = waiting.iter().filter(|one| domain.contains(&one.cpu));
                search.left = left.find_map(|one| left_by(&machine, cpus, search, one));
            }
            next += 1;
        }
    };
    let states = &known.parts.states;
    states.scan_machine(window.from_ns, window.to_ns, |row: &StateRow| {
        until(row.ts_ns, &cpus);
        if let Some(cpu) = cpus.get_mut(row.cpu as usize) {
            let idle = row.state.on == OnCpu::Idle && row.state.running == 0;
            let since = cpu.idle_since.unwrap_or(row.ts_ns);
            *cpu = Known {
                idle_since: idle.then_some(since),
                runnable: u32::from(row.state.running),
                bound: u32::from(row.state.bound),
            };
        }
    })?;
    until(u64::MAX, &cpus);
    Ok(())
}

fn cost(searches: &[&Search]) -> u64 {
    let each = searches
        .iter()
        .map(|one| one.to_ns.saturating_sub(one.from_ns));
    each.fold(0, u64::saturating_add)
}

/// The finding about some searches, which cost their time.
fn found(
    entry: &FindingEntry,
    label: Label,
    facts: &IdleBalancingFacts<'_>,
    searches: &[&Search],
    summary: String,
) -> Vec<Finding> {
    let places = searches.iter().map(|one| {
        let ns = one.to_ns.saturating_sub(one.from_ns);
        Occurrence::new(one.from_ns, one.to_ns, ns).on(one.cpu)
    });
    vec![
        Finding {
            summary,
            impact_ms: cost(searches) as f64 / 1e6,
            ..entry.finding(label, facts.from_ns, facts.to_ns)
        }
        .at(Occurrences::of(places)),
    ]
}

pub(crate) const BUSY_PULL: FindingEntry = FindingEntry {
    id: "BUSY_PULL",
    title: "Busy CPUs balanced for an idle one",
    meaning: "Busy CPUs pulled tasks although a CPU of their core or cache was idle, which should have pulled them.",
    kernel: "should_we_balance (6.6)",
    threshold: "5 searches of busy CPUs moved tasks while another CPU of their core, or else cache, which searches the same domain, was idle",
    cost: "time of these searches",
    evidence: Evidence::WAITS,
};

/// `BUSY_PULL`: of a group with an idle CPU, a busy one pulls tasks.
pub(crate) fn busy_pull(facts: &IdleBalancingFacts<'_>) -> Vec<Finding> {
    // An isolated CPU is in no domain, so it cannot pull instead.
    let able: HashSet<(u32, u32)> = facts
        .searches
        .iter()
        .map(|one| (one.cpu, one.domain_cpus))
        .collect();
    let pulls = |one: &&Search| {
        let able = |neighbor| able.contains(&(neighbor, one.domain_cpus));
        one.busy && one.moved > 0 && one.idle_neighbor.is_some_and(able)
    };
    let searches: Vec<&Search> = facts.searches.iter().filter(pulls).collect();
    let Some((first, neighbor)) =
        (searches.first()).and_then(|one| Some((one, one.idle_neighbor?)))
    else {
        return Vec::new();
    };
    if searches.len() < FEWEST {
        return Vec::new();
    }
    let summary = format!(
        "{} times a busy CPU pulled tasks while an idle CPU of its group could have (should_we_balance), first CPU {} while CPU \
         {neighbor} was idle.",
        searches.len(),
        first.cpu,
    );
    found(&BUSY_PULL, Label::Replayed, facts, &searches, summary)
}

pub(crate) const DOMAINS_NARROWER: FindingEntry = FindingEntry {
    id: "DOMAINS_NARROWER",
    title: "Scheduling domains lost",
    meaning: "After a CPU came back, no search covered as many CPUs as before, so tasks no longer move between these parts of the machine.",
    kernel: "sched_init_domains, partition_sched_domains (2016: generate_sched_domains)",
    threshold: "160 searches of the widest domain would be due after a CPU came back, and none came, but others did",
    cost: "waste from then on",
    evidence: Evidence::WAITS,
};

/// `DOMAINS_NARROWER`: the widest domain is gone after a CPU was offline.
pub(crate) fn narrower(facts: &IdleBalancingFacts<'_>) -> Vec<Finding> {
    let widest = |some: &mut dyn Iterator<Item = &Search>| some.map(|one| one.domain_cpus).max();
    let back = |span: &CpuSpan| {
        Some((
            span.from_ns,
            span.to_ns?.saturating_add(REBUILT_NS),
            span.cpu,
        ))
    };
    let mut found = Vec::new();
    for (off_ns, back_ns, cpu) in facts.offline.iter().filter_map(back) {
        let before = || facts.searches.iter().filter(|one| one.to_ns < off_ns);
        let after = || facts.searches.iter().filter(|one| one.from_ns > back_ns);
        let (Some(was), Some(is)) = (widest(&mut before()), widest(&mut after())) else {
            continue;
        };
        let due = before().filter(|one| one.domain_cpus == was).count() as u64;
        let length_ns = off_ns.saturating_sub(facts.from_ns).max(1);
        let due = due * facts.to_ns.saturating_sub(back_ns) / length_ns;
        if is >= was || due < FEWEST as u64 * BUSY_FACTOR {
            continue;
        }
        let cost = facts.waste.between(back_ns, facts.to_ns);
        let summary = format!(
            "Before CPU {cpu} went offline, searches covered up to {was} CPUs; since it came back, up to {is} \
             (partition_sched_domains). CPUs were idle while tasks waited ({} of CPU time).",
            time(cost),
        );
        found.push(
            Finding {
                summary,
                impact_ms: cost as f64 / 1e6,
                ..DOMAINS_NARROWER.finding(Label::Observed, back_ns.min(facts.to_ns), facts.to_ns)
            }
            .at(Occurrences::of([Occurrence::new(
                back_ns,
                facts.to_ns,
                cost,
            )
            .on(cpu)])),
        );
    }
    found.truncate(1);
    found
}

pub(crate) const LONG_SEARCH: FindingEntry = FindingEntry {
    id: "LONG_SEARCH",
    title: "Searches over pinned tasks took long",
    meaning: "Searches for tasks took much longer while many tasks that may not move waited on a CPU of the domain.",
    kernel: "detach_tasks (6.1 to 6.9; fixed by 2feab24)",
    threshold: "while more than 32 tasks wait on the CPU to which they are bound, the median of 5 searches that moved nothing is 0.32 ms longer, and all are 10 ms longer",
    cost: "time of these searches beyond that of the others",
    evidence: Evidence::WAITS,
};

/// `LONG_SEARCH`: searches look at all pinned tasks of a queue, although 32 are the most that they may.
pub(crate) fn long(facts: &IdleBalancingFacts<'_>) -> Vec<Finding> {
    let length = |one: &&Search| one.to_ns.saturating_sub(one.from_ns);
    let median = |some: &[&Search]| {
        let mut all: Vec<u64> = some.iter().map(length).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied().unwrap_or(0)
    };
    let mut by_domain: BTreeMap<u32, [Vec<&Search>; 2]> = BTreeMap::new();
    for one in facts.searches.iter().filter(|one| one.moved == 0) {
        let of = by_domain.entry(one.domain_cpus).or_default();
        of[usize::from(one.bound > MOST_LOOKED)].push(one);
    }
    let mut searches: Vec<(&Search, u64)> = Vec::new();
    let (mut usual_ns, mut long_ns) = (u64::MAX, 0);
    for [usual, over_pinned] in by_domain.values() {
        let (base, long) = (median(usual), median(over_pinned));
        let enough = usual.len().min(over_pinned.len()) >= FEWEST;
        if enough && long >= base + u64::from(MOST_LOOKED) * MOST_LOOK_NS {
            let beyond = |one: &&Search| length(one).saturating_sub(base);
            searches.extend(over_pinned.iter().map(|one| (*one, beyond(one))));
            (usual_ns, long_ns) = (usual_ns.min(base), long_ns.max(long));
        }
    }
    let cost = searches
        .iter()
        .map(|one| one.1)
        .fold(0, u64::saturating_add);
    let Some(most) = searches.iter().max_by_key(|one| one.0.bound) else {
        return Vec::new();
    };
    if cost < LEAST_NS {
        return Vec::new();
    }
    let summary = format!(
        "{} searches moved nothing and took {} (median) instead of {} while up to {} tasks waited on a CPU that they are bound to: \
         detach_tasks looks at all of them. That took {} longer.",
        searches.len(),
        time(long_ns),
        time(usual_ns),
        most.0.bound,
        time(cost),
    );
    let places = searches
        .iter()
        .map(|(one, beyond)| Occurrence::new(one.from_ns, one.to_ns, *beyond).on(one.cpu));
    vec![
        Finding {
            summary,
            impact_ms: cost as f64 / 1e6,
            ..LONG_SEARCH.finding(Label::Inferred, facts.from_ns, facts.to_ns)
        }
        .at(Occurrences::of(places)),
    ]
}
