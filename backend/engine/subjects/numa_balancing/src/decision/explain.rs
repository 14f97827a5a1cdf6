//! Puts attempts next to the log of states.

use std::collections::VecDeque;

use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::{Label, Source};
use numalens_core::topology::{MAX_CPUS, Node};
use numalens_events::IlbKind;
use numalens_replay::idle_balancing::IlbRow;
use numalens_replay::numa::{Attempt, Verdict};
use numalens_replay::states::StateRow;
use numalens_subject::window::{SCHED_SWITCH, lowered};

use crate::decision::counts::{Counts, NodeCounts};
use crate::decision::rules::{
    Allowance, Average, Imbalance, Maymove, NodeType, RULES, Rules, imb_numa_nr, maymove,
    node_types, rules_of,
};
use crate::decision::{
    Answer, Explanation, Explanations, KERNEL, LLC_TOPOLOGY, NoCpu, NodeAt, PELT, SCHED_CLASS,
    TASK_LOAD, no_cpu,
};

/// Time for which waits after a move are followed, ns (`docs/algorithms/numa_balancing.md`, N17).
pub(crate) const FOLLOW_NS: u64 = 100_000_000;
/// A move is into a busier node when it would run more than this many tasks above the source
/// (`docs/algorithms/numa_balancing.md`, N17).
const BUSIER: i64 = 2;

/// Query.
#[derive(Debug, Clone)]
pub struct Config<'a> {
    /// The machine.
    pub nodes: &'a [Node],
    /// The traced kernel.
    pub kernel: Option<KernelVersion>,
    /// Last-level caches of a node; one is assumed when not known.
    pub llcs_per_node: Option<u32>,
    /// Begin of the window, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Source of the run states.
    pub source: Source,
}

/// Waits on a node after a move.
#[derive(Debug, Clone, Copy)]
struct Follow {
    explanation: usize,
    place: usize,
    from_ns: u64,
    to_ns: u64,
    /// Tasks that waited when it began, and the node's wait clock then.
    waiting: u64,
    clock: u64,
}

/// A CPU's averages as they were read last.
#[derive(Debug, Clone, Copy, Default)]
struct OfCpu {
    util: u64,
    /// Expected use of its tasks (`util_est`).
    estimated: u64,
    runnable: u64,
    /// 0 while nothing is read.
    capacity: u64,
}

/// Explains the attempts of a window from state rows of the machine: first each CPU's state at the start of the window, then
/// the changes. A row costs O(1), an attempt O(nodes).
#[derive(Debug)]
pub struct Explainer<'a> {
    attempts: &'a [Attempt],
    next: usize,
    /// Before this moment no attempt begins and nothing ends, ns.
    due_ns: u64,
    counts: NodeCounts,
    /// By place: task-ns waited until `since`.
    clocks: Vec<(u64, u64)>,
    follows: VecDeque<Follow>,
    out: Vec<Explanation>,
    rules: &'static Rules,
    /// By CPU.
    averages: Vec<OfCpu>,
    config: Config<'a>,
}

impl<'a> Explainer<'a> {
    /// For attempts that ascend by `start_ns`; those that begin outside of the window are left out.
    #[must_use]
    pub fn new(config: Config<'a>, attempts: &'a [Attempt]) -> Self {
        Self {
            next: attempts.partition_point(|attempt| attempt.start_ns < config.from_ns),
            due_ns: 0,
            attempts,
            counts: NodeCounts::new(config.nodes),
            clocks: vec![(0, config.from_ns); config.nodes.len()],
            follows: VecDeque::new(),
            out: Vec::new(),
            rules: rules_of(config.kernel),
            averages: Vec::new(),
            config,
        }
    }

    /// Adds a row. Rows of cgroups, and of CPUs that are on no node, are left out.
    #[inline]
    pub fn row(&mut self, row: &StateRow) {
        let Some(change) = self.counts.change(row) else {
            return;
        };
        // What happens at the same time comes after the attempt: it was decided before its event was written.
        let ts_ns = row.ts_ns.min(self.config.to_ns);
        if ts_ns >= self.due_ns && row.ts_ns > self.config.from_ns {
            self.run(ts_ns);
        }
        // While no wait is followed, the clocks' progress does not matter.
        if !self.follows.is_empty() {
            self.settle(change.place, row.ts_ns);
        }
        self.counts.apply(&change);
    }

    /// Adds a CPU's averages ([`IlbKind::Averages`]), or that events are missing; other rows are left out. They ascend
    /// together with those of [`Self::row`], and may begin before the window.
    pub fn averages(&mut self, row: &IlbRow) {
        if !matches!(row.kind, IlbKind::Averages | IlbKind::Lost) {
            return;
        }
        let ts_ns = row.ts_ns.min(self.config.to_ns);
        if ts_ns >= self.due_ns && row.ts_ns > self.config.from_ns {
            self.run(ts_ns);
        }
        if row.kind == IlbKind::Lost {
            // It is not known whose averages the missing events were about.
            self.averages.clear();
            return;
        }
        let at = row.subject as usize;
        if at >= self.averages.len() && row.subject < MAX_CPUS {
            self.averages.resize(at + 1, OfCpu::default());
        }
        if let Some(of) = self.averages.get_mut(at) {
            let high = |value: u64| value >> 32;
            let low = |value: u64| value & u64::from(u32::MAX);
            of.estimated = low(row.b);
            if high(row.b) > 0 {
                (of.util, of.runnable, of.capacity) = (low(row.a), high(row.a), high(row.b));
            }
        }
    }

    /// The sums over a node's CPUs (`update_numa_stats`; `cpu_util_cfs` takes the larger one of use and expected use); `None`
    /// unless those of all its CPUs are known.
    fn average(&self, nid: i32) -> Option<Average> {
        let nid = u32::try_from(nid).ok()?;
        let node = self.config.nodes.iter().find(|node| node.nid == nid)?;
        let mut sum = Average {
            capacity: 0,
            util: 0,
            runnable: 0,
        };
        for &cpu in &node.cpus {
            let of = self.averages.get(cpu as usize);
            let of = of.filter(|of| of.capacity > 0)?;
            sum.capacity += of.capacity;
            sum.util += of.util.max(of.estimated);
            sum.runnable += of.runnable;
        }
        (sum.capacity > 0).then_some(sum)
    }

    /// Explains the attempts that begin until `ts_ns`, and ends what ends by then.
    fn run(&mut self, ts_ns: u64) {
        while let Some(attempt) = self.attempts.get(self.next) {
            if attempt.start_ns > ts_ns {
                break;
            }
            self.explain(self.next, attempt);
            self.next += 1;
        }
        while self
            .follows
            .front()
            .is_some_and(|follow| follow.to_ns <= ts_ns)
        {
            if let Some(follow) = self.follows.pop_front() {
                self.end(&follow);
            }
        }
        let next = self.attempts.get(self.next).map(|next| next.start_ns);
        let ends = self.follows.front().map(|follow| follow.to_ns);
        self.due_ns = next.into_iter().chain(ends).min().unwrap_or(u64::MAX);
    }

    /// The clock of the waits on a node at a moment since when nothing changed there.
    fn clock(&self, place: usize, ts_ns: u64) -> u64 {
        let (Some(&(sum, since)), Some(node)) =
            (self.clocks.get(place), self.counts.nodes().get(place))
        else {
            return 0;
        };
        sum.saturating_add(node.waiting.saturating_mul(ts_ns.saturating_sub(since)))
    }

    /// Brings the clock of a node up to date.
    fn settle(&mut self, place: usize, ts_ns: u64) {
        let now = self.clock(place, ts_ns);
        if let Some(clock) = self.clocks.get_mut(place) {
            *clock = (now, ts_ns.max(clock.1));
        }
    }

    fn end(&mut self, follow: &Follow) {
        let waited = self
            .clock(follow.place, follow.to_ns)
            .saturating_sub(follow.clock);
        let before = follow.waiting.saturating_mul(follow.to_ns - follow.from_ns);
        if let Some(explanation) = self.out.get_mut(follow.explanation) {
            explanation.extra_wait_ns = Some(waited.saturating_sub(before));
        }
    }

    fn explain(&mut self, at: usize, attempt: &Attempt) {
        let dst_nid = if attempt.dst_nid >= 0 {
            attempt.dst_nid
        } else {
            attempt.target_nid
        };
        let counts = |nid| {
            let place = self.counts.place(nid)?;
            Some((place, *self.counts.nodes().get(place)?))
        };
        let (src, dst) = (counts(attempt.src_nid), counts(dst_nid));
        let move_of = src.zip(dst).filter(|(src, dst)| src.0 != dst.0);
        let imbalance = move_of.and_then(|((_, src), (_, dst))| {
            Imbalance::of_move(as_signed(src.nr_running), as_signed(dst.nr_running))
        });
        let answers: Vec<Answer> = match (move_of, &imbalance) {
            (Some(((_, src), (_, dst))), Some(imbalance)) => {
                let average = self.average(dst_nid);
                self.answers(&src, &dst, average, imbalance).collect()
            }
            _ => Vec::new(),
        };
        let recorded = answers.iter().find(|answer| answer.recorded);
        let no_cpu = (attempt.verdict == Verdict::NoCpu).then(|| match (move_of, recorded) {
            (Some(((_, src), (_, dst))), Some(answer)) => no_cpu(&src, &dst, answer.maymove),
            _ => NoCpu::TargetUnknown,
        });
        let busier = imbalance
            .filter(|move_of| move_of.dst_running > move_of.src_running.saturating_add(BUSIER));
        if let (Verdict::Moved, Some(_), Some((place, dst))) = (attempt.verdict, busier, dst) {
            self.follows.push_back(Follow {
                explanation: self.out.len(),
                place,
                from_ns: attempt.start_ns,
                to_ns: attempt
                    .start_ns
                    .saturating_add(FOLLOW_NS)
                    .min(self.config.to_ns),
                waiting: dst.waiting,
                clock: self.clock(place, attempt.start_ns),
            });
        }
        let both = move_of.map(|(src, dst)| [src.1, dst.1]);
        let missing = self.missing(both, self.average(dst_nid).is_some(), recorded);
        self.out.push(Explanation {
            attempt: at,
            start_ns: attempt.start_ns,
            pid: attempt.pid,
            src_nid: attempt.src_nid,
            dst_nid,
            nodes: self.nodes(),
            imbalance,
            answers,
            no_cpu,
            extra_wait_ns: None,
            label: Label::Inferred,
            missing,
        });
    }

    /// Answer of each different rule, the recorded kernel's in its place.
    fn answers(
        &self,
        src: &Counts,
        dst: &Counts,
        average: Option<Average>,
        imbalance: &Imbalance,
    ) -> impl Iterator<Item = Answer> {
        let mut last = None;
        let different = RULES
            .iter()
            .filter(move |rules| last.replace(rules.allowance) != Some(rules.allowance));
        let (recorded, llcs) = (self.rules.allowance, self.llcs());
        let (src_weight, weight) = (i64::from(src.weight), i64::from(dst.weight));
        let (nr_running, of_node) = (dst.nr_running, u64::from(dst.weight));
        different.map(move |rules| {
            let types = node_types(rules, nr_running, of_node, average);
            let full = !types.is_empty() && !types.contains(&NodeType::HasSpare);
            let nr = imb_numa_nr(rules.allowance, src_weight, llcs);
            let running = nr.unwrap_or(0);
            let has_spare = nr_running < of_node || types == [NodeType::HasSpare];
            let maymove = if full {
                Maymove::LoadTest
            } else {
                maymove(rules.allowance, has_spare, imbalance, weight, running)
            };
            Answer {
                rules: rules.name,
                recorded: rules.allowance == recorded,
                maymove,
                imbalance: imbalance
                    .adjusted(rules.allowance, weight, running)
                    .filter(|_| matches!(maymove, Maymove::Allowed | Maymove::Denied)),
                imb_numa_nr: nr,
                label: if rules.allowance == recorded {
                    Label::Inferred
                } else {
                    Label::WhatIf
                },
            }
        })
    }

    fn llcs(&self) -> i64 {
        i64::from(self.config.llcs_per_node.unwrap_or(1))
    }

    /// Every node as it is now.
    fn nodes(&self) -> Vec<NodeAt> {
        let known = self.config.source.label <= Label::Replayed;
        let nodes = self.counts.nodes().iter().enumerate();
        nodes
            .filter_map(|(place, counts)| {
                // Tasks of other classes are counted as well, so fewer tasks than CPUs is certain.
                let weight = u64::from(counts.weight);
                let nid = self.counts.nid(place)?;
                let average = self.average(nid);
                let node_type = node_types(self.rules, counts.nr_running, weight, average);
                let certain = node_type == [NodeType::HasSpare] && counts.unknown == 0;
                Some(NodeAt {
                    nid,
                    nr_running: counts.nr_running,
                    weight: counts.weight,
                    idle_cpus: counts.idle,
                    unknown_cpus: counts.unknown,
                    node_type,
                    label: if certain && known {
                        Label::Replayed
                    } else {
                        Label::Inferred
                    },
                })
            })
            .collect()
    }

    /// Inputs that a better explanation needs.
    fn missing(
        &self,
        both: Option<[Counts; 2]>,
        averages: bool,
        recorded: Option<&Answer>,
    ) -> Vec<&'static str> {
        let mut missing = vec![SCHED_CLASS];
        if self.config.kernel.is_none() {
            missing.push(KERNEL);
        }
        if both.is_some_and(|both| both.iter().any(|counts| counts.unknown > 0)) {
            missing.push(SCHED_SWITCH);
        }
        let by_average = |maymove| matches!(maymove, Maymove::LoadTest | Maymove::Unknown);
        if recorded.is_some_and(|answer| by_average(answer.maymove)) {
            missing.push(if averages { TASK_LOAD } else { PELT });
        }
        let by_llcs = matches!(
            self.rules.allowance,
            Allowance::LlcQuarter | Allowance::LlcEighth
        );
        if by_llcs && self.config.llcs_per_node.is_none() {
            missing.push(LLC_TOPOLOGY);
        }
        missing
    }

    /// The explanations.
    #[must_use]
    pub fn finish(mut self) -> Explanations {
        self.run(self.config.to_ns);
        let mut missing: Vec<&str> = Vec::new();
        for name in self.out.iter().flat_map(|explained| &explained.missing) {
            if !missing.contains(name) {
                missing.push(name);
            }
        }
        let (label, missing) = lowered(&self.config.source, &missing);
        Explanations {
            rules: *self.rules,
            assumed: self.config.kernel.is_none(),
            attempts: self.out,
            label,
            missing,
        }
    }
}

fn as_signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
