//! Moves of tasks to another node: whether memory followed, and whether that paid off.

use std::collections::HashMap;

use numalens_core::topology::{MemoryRange, Node, node_of_memory};
use numalens_replay::memory_samples::MemorySample;
use numalens_replay::migrations::{How, Migration};
use schemars::JsonSchema;
use serde::Serialize;

use super::loads::{LoadSource, Loads, Sum};

/// Loads from memory, of each part of a move, that a share is made of.
const LEAST_LOADS: u64 = 20;
/// Pages that a task must touch again.
const LEAST_PAGES: u64 = 8;
/// Stays that are looked at, and pages that are remembered.
const MOST_STAYS: usize = 1 << 15;
const MOST_PAGES: usize = 1 << 18;
/// A share of loads from other nodes that is nothing to speak of.
pub(crate) const NEAR: f64 = 0.1;
/// Minimum change of a mean, as a share, and in standard errors.
const CHANGED: f64 = 0.05;
const ERRORS: f64 = 2.0;

/// Nodes of CPUs and memory.
pub(crate) struct Machine<'a> {
    cpus: HashMap<u32, u32>,
    memory: &'a [MemoryRange],
}

impl<'a> Machine<'a> {
    pub(crate) fn new(nodes: &[Node], memory: &'a [MemoryRange]) -> Self {
        let of = |node: &Node| {
            let nid = node.nid;
            node.cpus.clone().into_iter().map(move |cpu| (cpu, nid))
        };
        Self {
            cpus: nodes.iter().flat_map(of).collect(),
            memory,
        }
    }

    /// The node of a CPU.
    pub(crate) fn node_of(&self, cpu: u32) -> Option<u32> {
        self.cpus.get(&cpu).copied()
    }

    /// The node of the CPU that loaded.
    pub(crate) fn node(&self, sample: &MemorySample) -> Option<u32> {
        self.node_of(sample.cpu)
    }

    /// The node of the memory, by its physical address.
    pub(crate) fn memory(&self, sample: &MemorySample) -> Option<u32> {
        let known = sample.phys_addr != 0;
        known.then(|| node_of_memory(self.memory, sample.phys_addr))?
    }
}

/// Outcome for the memory of a task that moved to another node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MemoryOutcome {
    /// Came after the task.
    Followed,
    /// Was already there: the task came to it.
    WasThere,
    /// Stayed where it was.
    Stayed,
    /// The task used little memory elsewhere from the start.
    Near,
    /// The task used different pages than before: the location of the old ones is unknown.
    OtherPages,
    /// Too little was sampled.
    Unknown,
}

/// Change of load latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Paid {
    /// Mean latency decreased.
    Faster,
    /// No change beyond chance.
    Same,
    /// Mean latency increased.
    Slower,
    /// Too few have a latency.
    Unknown,
}

/// Loads of a part of a move.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[schemars(rename = "LoadPhase")]
pub(crate) struct Phase {
    /// All loads, and their mean latency.
    pub(crate) all: Sum,
    /// Loads from memory.
    pub(crate) dram_loads: u64,
    /// The share of them that another node's memory served; `None` without any.
    pub(crate) remote_share: Option<f64>,
}

impl Phase {
    fn of(loads: &Loads) -> Self {
        let (dram_loads, share) = loads.dram();
        Self {
            all: loads.all,
            dram_loads,
            remote_share: (dram_loads > 0).then_some(share),
        }
    }
}

/// A task's time on a node, as its samples have it.
#[derive(Debug)]
pub(crate) struct TimeOnNode {
    pub(crate) pid: i32,
    pub(crate) nid: u32,
    /// The node before; `None` for a task's first.
    pub(crate) came_from: Option<u32>,
    /// The last sample there.
    pub(crate) left_ns: u64,
    /// First and last sample.
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
    /// Time of its migration event to this node, and state of the task then.
    pub(crate) moved: Option<(u64, How)>,
    /// Pages that NUMA balancing migrated for the task.
    pub(crate) migrated: u64,
    pub(crate) pages: Pages,
    halves: [Loads; 2],
}

/// Pages that a task touched on a node, by where their physical addresses were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PagesTouched")]
pub(crate) struct Pages {
    /// Touched before, and lay on the node before.
    pub(crate) left_behind: u64,
    /// Number of these on the new node later.
    pub(crate) followed: u64,
    /// Touched before, and lay on the new node.
    pub(crate) were_there: u64,
    /// Not seen before.
    pub(crate) other: u64,
}

impl TimeOnNode {
    fn whole(&self) -> Loads {
        let mut all = self.halves[0].clone();
        all.join(&self.halves[1]);
        all
    }

    /// First and second half.
    pub(crate) fn halves(&self) -> [Phase; 2] {
        [Phase::of(&self.halves[0]), Phase::of(&self.halves[1])]
    }
}

/// A page as a task last met it.
struct Page {
    nid: u32,
    /// The stay that counted it.
    counted: u32,
    /// True if the memory was left behind when the task came there.
    behind: bool,
}

/// The stays of tasks on nodes.
#[derive(Default)]
pub(crate) struct Moves {
    stays: Vec<TimeOnNode>,
    /// Stays of each task, ascending, and which of them is the present one.
    of: HashMap<i32, (Vec<u32>, usize)>,
    /// Stays that were too many.
    pub(crate) left_out: u64,
    pages: HashMap<(i32, u64), Page>,
    /// True if there were too many pages.
    pub(crate) forgot_pages: bool,
}

impl Moves {
    /// Takes a sample in the first reading, in which stays are found. All are in order.
    pub(crate) fn find(&mut self, nid: u32, sample: &MemorySample) {
        let last = self.of.get(&sample.pid).and_then(|known| known.0.last());
        let mut came = None;
        if let Some(last) = last.and_then(|&at| self.stays.get_mut(at as usize)) {
            if last.nid == nid {
                last.to_ns = sample.ts_ns;
                return;
            }
            came = Some((last.nid, last.to_ns));
        }
        if self.stays.len() >= MOST_STAYS {
            self.left_out += 1;
            return;
        }
        let (stays, _) = self.of.entry(sample.pid).or_default();
        stays.push(self.stays.len() as u32);
        self.stays.push(TimeOnNode {
            pid: sample.pid,
            nid,
            came_from: came.map(|came| came.0),
            left_ns: came.map_or(sample.ts_ns, |came| came.1),
            from_ns: sample.ts_ns,
            to_ns: sample.ts_ns,
            moved: None,
            migrated: 0,
            pages: Pages::default(),
            halves: [Loads::default(), Loads::default()],
        });
    }

    /// The stay of a task that a moment is in, or the way to it.
    fn at(&mut self, pid: i32, ts_ns: u64) -> Option<&mut TimeOnNode> {
        let (stays, _) = self.of.get(&pid)?;
        let past = stays.partition_point(|&at| self.stays[at as usize].to_ns < ts_ns);
        let stay = self.stays.get_mut(*stays.get(past)? as usize)?;
        (stay.left_ns <= ts_ns).then_some(stay)
    }

    /// Takes an event of a migration, in ascending time.
    pub(crate) fn migration(&mut self, one: &Migration, dest_nid: Option<u32>) {
        if let Some(stay) = self.at(one.pid, one.ts_ns)
            && stay.came_from.is_some()
            && one.ts_ns <= stay.from_ns
            && dest_nid == Some(stay.nid)
        {
            stay.moved = Some((one.ts_ns, one.how));
        }
    }

    /// Takes a call of a task that migrated pages to its node.
    pub(crate) fn page_call(&mut self, pid: i32, ts_ns: u64, pages: u64) {
        if let Some(stay) = self.at(pid, ts_ns) {
            stay.migrated = stay.migrated.saturating_add(pages);
        }
    }

    /// Takes a sample in the second reading.
    pub(crate) fn tally(&mut self, nid: u32, memory: Option<u32>, sample: &MemorySample) {
        let Some((stays, now)) = self.of.get_mut(&sample.pid) else {
            return;
        };
        while stays
            .get(*now)
            .is_some_and(|&at| self.stays[at as usize].to_ns < sample.ts_ns)
        {
            *now += 1;
        }
        let Some(&number) = stays.get(*now) else {
            return;
        };
        let stay = &mut self.stays[number as usize];
        if stay.nid != nid || stay.from_ns > sample.ts_ns {
            return;
        }
        if let Some(source) = LoadSource::of(sample) {
            let second = sample.ts_ns - stay.from_ns > (stay.to_ns - stay.from_ns) / 2;
            stay.halves[usize::from(second)].add(source, sample.weight);
        }
        let Some(memory) = memory.filter(|_| sample.addr != 0) else {
            return;
        };
        let size = sample.page_size;
        let size = if size.is_power_of_two() {
            size.max(4096)
        } else {
            4096
        };
        let key = (sample.pid, sample.addr & !(size - 1));
        if let Some(page) = self.pages.get_mut(&key) {
            if page.counted != number {
                page.counted = number;
                page.behind = Some(page.nid) == stay.came_from;
                stay.pages.left_behind += u64::from(page.behind);
                stay.pages.were_there += u64::from(page.nid == stay.nid);
            }
            if page.behind && memory == stay.nid {
                page.behind = false;
                stay.pages.followed += 1;
            }
            page.nid = memory;
            return;
        }
        stay.pages.other += 1;
        if self.pages.len() < MOST_PAGES {
            let page = Page {
                nid: memory,
                counted: number,
                behind: false,
            };
            self.pages.insert(key, page);
        } else {
            self.forgot_pages = true;
        }
    }

    /// The stays that another one of the task comes before, with that one, in the order of their begins.
    pub(crate) fn moves(&self) -> Vec<(&TimeOnNode, &TimeOnNode)> {
        let pairs = self.of.values().flat_map(|(stays, _)| stays.windows(2));
        let stay = |at: u32| &self.stays[at as usize];
        let mut pairs: Vec<_> = pairs.map(|pair| (stay(pair[0]), stay(pair[1]))).collect();
        pairs.sort_by_key(|(_, stay)| (stay.from_ns, stay.pid));
        pairs
    }
}

/// Judgement of a move.
pub(crate) struct Judgement {
    /// The loads of the stay before.
    pub(crate) before: Phase,
    pub(crate) memory: MemoryOutcome,
    /// True if based on the pages' physical addresses, false if on shares of loads.
    pub(crate) by_pages: bool,
    pub(crate) paid: Paid,
    /// The second half against the stay before: what it costs to the end.
    pub(crate) lasts: Paid,
}

/// Judges a move by the stays before and after.
pub(crate) fn judge(before: &TimeOnNode, stay: &TimeOnNode) -> Judgement {
    let old = before.whole();
    let [early, late] = &stay.halves;
    let new = stay.whole();
    let by_pages = by_pages(&stay.pages);
    let memory = by_pages.unwrap_or_else(|| by_shares(&old, early, late));
    let paid = match memory {
        // What it would have gone on costing is what it cost at first.
        MemoryOutcome::Followed => compare(&early.all, &late.all),
        _ => compare(&old.all, &new.all),
    };
    Judgement {
        before: Phase::of(&old),
        memory,
        by_pages: by_pages.is_some(),
        paid,
        lasts: compare(&old.all, &late.all),
    }
}

/// Judges by the pages seen on both nodes; `None` if too few have physical addresses.
fn by_pages(pages: &Pages) -> Option<MemoryOutcome> {
    let again = pages.left_behind + pages.were_there;
    if again >= LEAST_PAGES {
        Some(if pages.were_there > pages.left_behind {
            MemoryOutcome::WasThere
        } else if pages.followed * 2 >= pages.left_behind {
            MemoryOutcome::Followed
        } else {
            MemoryOutcome::Stayed
        })
    } else {
        (again + pages.other >= LEAST_PAGES).then_some(MemoryOutcome::OtherPages)
    }
}

/// By the shares of loads that other nodes' memory served: before, in the first half of the stay, and in the second.
fn by_shares(old: &Loads, early: &Loads, late: &Loads) -> MemoryOutcome {
    let [(n0, share0), (n1, share1), (n2, share2)] = [old.dram(), early.dram(), late.dram()];
    if n0.min(n1).min(n2) < LEAST_LOADS {
        MemoryOutcome::Unknown
    } else if share1 < NEAR && share2 < NEAR {
        if share0 >= 0.5 {
            MemoryOutcome::WasThere
        } else {
            MemoryOutcome::Near
        }
    } else if share1 >= NEAR && share2 <= share1 / 2.0 {
        MemoryOutcome::Followed
    } else {
        MemoryOutcome::Stayed
    }
}

/// Returns whether a mean changed by more than chance.
fn compare(was: &Sum, is: &Sum) -> Paid {
    let ((n0, mean0, error0), (n1, mean1, error1)) = (was.mean(), is.mean());
    let least = LEAST_LOADS as f64;
    if n0 < least || n1 < least {
        return Paid::Unknown;
    }
    let change = mean1 - mean0;
    let noise = ERRORS * (error0 + error1).sqrt();
    if change.abs() <= noise.max(CHANGED * mean0) {
        Paid::Same
    } else if change < 0.0 {
        Paid::Faster
    } else {
        Paid::Slower
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: u64 = 0x2 | 0x82 << 5 | 0xd << 33;
    const REMOTE: u64 = 0x2 | 0x102 << 5 | 0xd << 33 | 1 << 37;

    /// A load of task 7: time, node, data source, latency, page, node of the page (-1 when not recorded).
    type Load = (u64, u32, u64, u64, u64, i64);

    fn moves(loads: &[Load]) -> Moves {
        let samples: Vec<_> = loads
            .iter()
            .map(|&(ts_ns, nid, data_src, weight, page, memory)| {
                let sample = MemorySample {
                    ts_ns,
                    cpu: nid,
                    pid: 7,
                    data_src,
                    weight,
                    addr: page << 12 | 8,
                    phys_addr: 0,
                    page_size: 0,
                };
                (nid, u32::try_from(memory).ok(), sample)
            })
            .collect();
        let mut moves = Moves::default();
        for (nid, _, sample) in &samples {
            moves.find(*nid, sample);
        }
        for (nid, memory, sample) in &samples {
            moves.tally(*nid, *memory, sample);
        }
        moves
    }

    fn judged(loads: &[Load]) -> (MemoryOutcome, bool, Paid) {
        let moves = moves(loads);
        let all = moves.moves();
        assert_eq!(all.len(), 1);
        let found = judge(all[0].0, all[0].1);
        (found.memory, found.by_pages, found.paid)
    }

    /// 90 loads of three thirds; the last two are on node 1. Each third: data source, latency.
    fn thirds(parts: [(u64, u64); 3], page: impl Fn(u64) -> (u64, i64)) -> Vec<Load> {
        let of = |at: u64| {
            let (data_src, weight) = parts[at as usize / 30];
            let spread = if weight > 0 { at % 3 } else { 0 };
            let (page, memory) = page(at);
            (
                at,
                u32::from(at >= 30),
                data_src,
                weight + spread,
                page,
                memory,
            )
        };
        (0..90).map(of).collect()
    }

    #[test]
    fn without_addresses_shares_tell() {
        let none = |_| (0, -1);
        let of = |parts| judged(&thirds(parts, none));
        let (near, far) = ((LOCAL, 100), (REMOTE, 300));
        assert_eq!(
            of([near, far, near]),
            (MemoryOutcome::Followed, false, Paid::Faster)
        );
        assert_eq!(
            of([near, far, far]),
            (MemoryOutcome::Stayed, false, Paid::Slower)
        );
        assert_eq!(
            of([near, near, near]),
            (MemoryOutcome::Near, false, Paid::Same)
        );
        assert_eq!(
            of([far, near, near]),
            (MemoryOutcome::WasThere, false, Paid::Faster)
        );
        assert_eq!(
            of([near, far, (LOCAL, 300)]),
            (MemoryOutcome::Followed, false, Paid::Same)
        );
        assert_eq!(of([near, (REMOTE, 0), (LOCAL, 0)]).2, Paid::Unknown);
        let few: Vec<Load> = thirds([near, far, near], none)
            .into_iter()
            .step_by(2)
            .collect();
        assert_eq!(judged(&few).0, MemoryOutcome::Unknown);
    }

    #[test]
    fn addresses_tell_more_than_shares() {
        let parts = [(LOCAL, 100), (REMOTE, 300), (LOCAL, 100)];
        let of = |page: &dyn Fn(u64) -> (u64, i64)| judged(&thirds(parts, page));
        // Ten pages, met repeatedly.
        let followed = |at: u64| (at % 10, i64::from(at >= 60));
        assert_eq!(of(&followed), (MemoryOutcome::Followed, true, Paid::Faster));
        let stayed = |at: u64| (at % 10, 0);
        assert_eq!(of(&stayed).0, MemoryOutcome::Stayed);
        let few_followed = |at: u64| (at % 10, i64::from(at >= 60 && at % 10 < 4));
        assert_eq!(of(&few_followed).0, MemoryOutcome::Stayed);
        let there = |at: u64| (at % 10, 1);
        assert_eq!(of(&there).0, MemoryOutcome::WasThere);
        let others = |at: u64| (at % 10 + at / 30 * 10, i64::from(at >= 30));
        assert_eq!(of(&others), (MemoryOutcome::OtherPages, true, Paid::Slower));
        // Too few pages: the shares show.
        let one = |at: u64| (0, i64::from(at >= 60));
        assert_eq!(of(&one), (MemoryOutcome::Followed, false, Paid::Faster));
    }

    #[test]
    fn events_are_of_the_move_that_they_lie_in() {
        let mut loads = thirds([(LOCAL, 1); 3], |_| (0, -1));
        for load in &mut loads {
            load.0 *= 10;
        }
        let mut moves = moves(&loads);
        let event = |ts_ns| Migration {
            ts_ns,
            cpu: 1,
            pid: 7,
            task: 0,
            orig_cpu: 0,
            dest_cpu: 1,
            how: How::Asleep,
        };
        // One inside of the first stay, one on the way to another node, one on the way, one behind.
        moves.migration(&event(200), Some(1));
        moves.migration(&event(294), Some(2));
        moves.migration(&event(295), Some(1));
        moves.migration(&event(400), Some(1));
        for ts_ns in [100, 295, 500, 2_000] {
            moves.page_call(7, ts_ns, 1);
            moves.page_call(8, ts_ns, 100);
        }
        let (_, stay) = moves.moves()[0];
        assert_eq!(stay.moved, Some((295, How::Asleep)));
        assert_eq!(stay.migrated, 2);
    }

    #[test]
    fn stays_and_pages_are_bounded() {
        let loads: Vec<Load> = (0..300_000)
            .map(|at| (at, (at % 2) as u32, LOCAL, 1, at, 0))
            .collect();
        let moves = moves(&loads);
        assert_eq!(moves.stays.len(), MOST_STAYS);
        assert!(moves.left_out > 100_000);
        assert!(moves.pages.len() <= MOST_PAGES);
        let mut many = Moves::default();
        for pid in 0..100_000 {
            let sample = MemorySample {
                ts_ns: pid as u64,
                cpu: 0,
                pid,
                data_src: LOCAL,
                weight: 1,
                addr: 0,
                phys_addr: 0,
                page_size: u64::MAX,
            };
            many.find(0, &sample);
            many.tally(0, Some(0), &sample);
        }
        assert_eq!(
            (many.of.len(), many.left_out),
            (MOST_STAYS, 100_000 - MOST_STAYS as u64)
        );
    }
}
