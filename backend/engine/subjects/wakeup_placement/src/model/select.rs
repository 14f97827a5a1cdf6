//! Wakeups: `select_task_rq`, `select_task_rq_fair`, `select_idle_sibling`.

use std::cell::OnceCell;

use numalens_replay::waits::Context;

use super::{Affinity, Reasons, Recent, Scene};
use crate::catalogue::PlacementReason as Reason;
use crate::lanes::Status;
use crate::tracepoints::{Affine, Call};

/// Class of the woken task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Fair, or nothing says otherwise.
    Fair,
    /// Real-time, deadline or stop.
    Higher,
    /// A BPF scheduler decides.
    Ext,
}

/// Selection of a wakeup as probes recorded it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Probed {
    /// No CPU was selected.
    Nothing,
    /// The call of `select_task_rq_fair`.
    Selected(Call),
}

/// A wakeup and where it placed the task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wakeup<'a> {
    /// The CPU of the waker.
    pub(crate) this: u32,
    /// Activity of that CPU.
    pub(crate) context: Context,
    /// True if the waker is a kernel thread bound to its CPU.
    pub(crate) by_bound_kthread: bool,
    /// The CPU where the task was before.
    pub(crate) prev: u32,
    /// CPUs that the task may use.
    pub(crate) affinity: &'a Affinity,
    /// Class of the task.
    pub(crate) class: Class,
    /// Selection as probes recorded it; `None` without probes.
    pub(crate) probed: Option<Probed>,
    /// Number of times that the task woke another one than before, at most (`wakee_flips`).
    pub(crate) wakes: u32,
    /// True if NUMA cling was seen to keep the task on its node.
    pub(crate) clings: bool,
    /// Recently used CPU of the task.
    pub(crate) recent: &'a Recent,
    /// The CPU that was recorded.
    pub(crate) to: u32,
}

impl Wakeup<'_> {
    /// Returns whether the waker's CPU was not chosen for a sync wakeup. Without a probe of `wake_affine`, an idle previous CPU
    /// in another last-level cache shows it, unless the tasks wake so many that `wake_wide` may hold.
    fn declines(&self, scene: &Scene<'_>, call: Call) -> bool {
        if let Some(affine) = call.affine {
            affine == Affine::Declined
        } else {
            let llc = scene.machine.llc(self.this);
            !llc.is_empty()
                && !llc.contains(&self.prev)
                && self.affinity.observed
                && self.affinity.has(self.this)
                && (self.wakes as usize) < llc.len()
        }
    }
}

/// Returns the reasons why the wakeup may have placed the task on the recorded CPU.
#[must_use]
pub(crate) fn wakeup(scene: &Scene<'_>, wakeup: &Wakeup<'_>) -> Reasons {
    let fixed = without_search(scene, wakeup, wakeup.to);
    fixed.unwrap_or_else(|| Fair::new(scene, wakeup).reasons(wakeup.to))
}

/// Returns all reasons why the wakeup may place the task on another CPU than the recorded one.
#[must_use]
pub(crate) fn elsewhere(scene: &Scene<'_>, wakeup: &Wakeup<'_>) -> Reasons {
    let Wakeup { this, prev, .. } = *wakeup;
    let fair = Fair::new(scene, wakeup);
    let mut reasons = Reasons::default();
    let near = scene.machine.llc(prev).iter();
    let near_waker = scene.machine.llc(this).iter().filter(|_| !fair.share);
    let near = near.chain(near_waker).copied();
    for to in near.chain([prev, this]).chain(wakeup.affinity.only()) {
        if to != wakeup.to && wakeup.affinity.has(to) {
            let fixed = without_search(scene, wakeup, to);
            reasons.add_all(fixed.unwrap_or_else(|| fair.reasons(to)));
        }
    }
    reasons
}

/// Returns the reasons for a CPU where `select_task_rq_fair` does not decide; `None` where it does.
fn without_search(scene: &Scene<'_>, wakeup: &Wakeup<'_>, to: u32) -> Option<Reasons> {
    let prev = wakeup.prev;
    let only_if = |holds, reason: Reason| {
        let reasons = if holds {
            reason.into()
        } else {
            Reasons::default()
        };
        Some(reasons)
    };
    if wakeup.class == Class::Ext {
        return Some(Reason::OtherClass.into());
    }
    match wakeup.affinity.only() {
        Some(cpu) if cpu == to => return Some(Reason::Pinned.into()),
        Some(_) if wakeup.affinity.observed => return Some(Reasons::default()),
        _ => {}
    }
    if wakeup.class == Class::Higher {
        // Without a task of a higher class on it, the previous CPU is kept.
        let kept = to == prev || !scene.of(prev).is_idle();
        return only_if(kept, Reason::OtherClass);
    }
    if wakeup.probed == Some(Probed::Nothing) {
        // The kernel asks for no CPU if the task may use one only, or is still queued on its own.
        let mut reasons = Reasons::default();
        reasons.add_if(!wakeup.affinity.observed, Reason::Pinned);
        let queued = scene.rules.delayed_dequeue && to == prev;
        reasons.add_if(queued, Reason::DelayedDequeue);
        return Some(reasons);
    }
    if wakeup.affinity.observed && !wakeup.affinity.has(prev) {
        return only_if(wakeup.affinity.has(to), Reason::Fallback);
    }
    if wakeup.clings && to != prev && !scene.machine.share_llc(prev, to) {
        return Some(Reasons::default());
    }
    let kept = wakeup.clings && !(to == prev && scene.of(prev).is_idle());
    kept.then(|| Reason::Cling.into())
}

/// Scan of a last-level cache from a CPU on (`for_each_cpu_wrap`). A rank is the position of a CPU in that order,
/// including CPUs outside the affinity.
struct Scan {
    target: u32,
    /// Rank of the first allowed CPU that was idle all the time; the largest number where there is none.
    first_idle: OnceCell<usize>,
    /// Rank of the first allowed CPU on a core of which all threads were idle all the time.
    first_core: OnceCell<usize>,
}

impl Scan {
    fn from(target: u32) -> Self {
        Self {
            target,
            first_idle: OnceCell::new(),
            first_core: OnceCell::new(),
        }
    }
}

/// Common inputs of the steps of a fair wakeup.
#[allow(clippy::struct_excessive_bools)]
struct Fair<'a> {
    scene: &'a Scene<'a>,
    wakeup: &'a Wakeup<'a>,
    /// The CPUs of waker and task.
    this: Status,
    prev: Status,
    /// Both CPUs share a last-level cache.
    share: bool,
    /// `wake_affine` may choose the waker's CPU because it is idle, for a sync wakeup, or by the loads.
    by_idle: bool,
    by_sync: bool,
    by_load: bool,
    /// The search may have begun at the previous CPU.
    from_prev: bool,
    scan_from_prev: Scan,
    scan_from_this: Scan,
    /// A CPU was certainly selected.
    selected: bool,
    /// `wake_affine` did not choose the CPU of a sync waker that ran alone.
    declined: bool,
}

impl<'a> Fair<'a> {
    fn new(scene: &'a Scene<'a>, wakeup: &'a Wakeup<'a>) -> Self {
        let (this, prev) = (scene.of(wakeup.this), scene.of(wakeup.prev));
        let share = scene.machine.share_llc(wakeup.this, wakeup.prev);
        let call = match wakeup.probed {
            Some(Probed::Selected(call)) => Some(call),
            _ => None,
        };
        let target = call.and_then(|call| call.target);
        let affine = wakeup.this != wakeup.prev
            && wakeup.affinity.has(wakeup.this)
            && target.is_none_or(|target| target == wakeup.this);
        // Handlers of interrupts wake without WF_SYNC.
        let sync = call.map_or(wakeup.context != Context::Interrupt, |call| call.sync)
            && this.least_running <= 1;
        Self {
            scene,
            wakeup,
            this,
            prev,
            share,
            by_idle: affine && share && this.may_be_idle && !prev.is_idle(),
            by_sync: affine && sync && this.may_be_busy,
            by_load: affine && prev.may_be_busy,
            from_prev: target.is_none_or(|target| target == wakeup.prev),
            scan_from_prev: Scan::from(wakeup.prev),
            scan_from_this: Scan::from(wakeup.this),
            selected: call.is_some(),
            declined: call.is_some_and(|call| call.sync && wakeup.declines(scene, call))
                && wakeup.context == Context::Task
                && (this.least_running, this.most_running) == (1, 1),
        }
    }

    fn reasons(&self, to: u32) -> Reasons {
        let Wakeup { this, prev, .. } = *self.wakeup;
        let mut reasons = Reasons::default();
        if to == prev {
            self.stays(&mut reasons);
        } else if to == this && !(self.takes_prev() && self.this.is_busy()) {
            self.comes_to_waker(&mut reasons);
        }
        if to != prev && to != this {
            self.searched(to, &mut reasons);
        }
        reasons
    }

    /// Returns whether `select_idle_sibling` takes the previous CPU at once when it has come to the waker's.
    fn takes_prev(&self) -> bool {
        let machine = self.scene.machine;
        self.share
            && self.prev.is_idle()
            && !machine.in_other_cluster(self.wakeup.this, self.wakeup.prev)
    }

    /// The task stays on its CPU.
    fn stays(&self, reasons: &mut Reasons) {
        let Wakeup { this, prev, .. } = *self.wakeup;
        if self.prev.is_idle() && self.declined {
            reasons.add(Reason::SyncDeclined);
            return;
        }
        reasons.add_if(self.prev.may_be_idle, Reason::PreviousIdle);
        if self.prev.is_idle() || !self.from_prev {
            return;
        }
        if self.by_idle && self.this.is_idle() {
            // It is not chosen although it is idle and near.
            reasons.add(Reason::WakeWide);
            return;
        }
        let stacks = self.scene.rules.kthread_stack
            && self.wakeup.by_bound_kthread
            && this == prev
            && self.prev.least_running <= 1;
        reasons.add_if(stacks, Reason::KthreadStack);
        if stacks && self.wakeup.context == Context::Task {
            return;
        }
        let others = self.scene.machine.llc(prev).iter();
        let mut found = (false, true);
        for &cpu in others.filter(|&&cpu| cpu != prev && self.wakeup.affinity.has(cpu)) {
            let status = self.scene.of(cpu);
            found.0 |= status.may_be_idle;
            found.1 &= !status.is_idle();
        }
        let (any_may_be_idle, none_is_idle) = found;
        // Whether a task without an idle CPU near was still queued makes no difference.
        let queued = self.scene.rules.delayed_dequeue && !self.selected;
        reasons.add_if(any_may_be_idle && queued, Reason::DelayedDequeue);
        reasons.add_if(none_is_idle, Reason::NoIdle);
        reasons.add_if(any_may_be_idle, Reason::SearchEnded);
    }

    /// The task comes to the waker's CPU.
    fn comes_to_waker(&self, reasons: &mut Reasons) {
        let drawn = self.by_idle || (self.by_load && self.this.may_be_idle);
        reasons.add_if(drawn && self.this.may_be_idle, Reason::WakerIdle);
        if self.this.may_be_busy {
            reasons.add_if(self.by_sync, Reason::Sync);
            reasons.add_if(self.by_load, Reason::Affine);
        }
    }

    /// The search of a last-level cache found the CPU.
    fn searched(&self, to: u32, reasons: &mut Reasons) {
        let Wakeup { this, prev, .. } = *self.wakeup;
        let machine = self.scene.machine;
        let status = self.scene.of(to);
        if !status.may_be_idle {
            return;
        }
        let from_prev = self.from_prev && self.prev.may_be_busy && machine.share_llc(prev, to);
        let drawn = self.by_sync || self.by_load || self.by_idle;
        let from_this =
            drawn && self.this.may_be_busy && !self.takes_prev() && machine.share_llc(this, to);
        if !from_prev && !from_this {
            return;
        }
        let recent = self.wakeup.recent;
        reasons.add_if(recent.may_be(to), Reason::Recent);
        if recent.is(to) && status.is_idle() {
            return;
        }
        let near = machine.share_llc(prev, to);
        let found = if near {
            Reason::IdleInLlc
        } else {
            Reason::IdleInWakerLlc
        };
        for (scanned, scan) in [
            (from_prev, &self.scan_from_prev),
            (from_this, &self.scan_from_this),
        ] {
            if scanned {
                self.scan(scan, to, near, found, reasons);
            }
        }
    }

    /// The scan takes cores first where the cache has an idle one.
    fn scan(&self, scan: &Scan, to: u32, near: bool, found: Reason, reasons: &mut Reasons) {
        let prev = self.wakeup.prev;
        let machine = self.scene.machine;
        let core = machine.core(to);
        let rank = self.rank(scan.target, to).unwrap_or(usize::MAX);
        let idle = |cpu| self.scene.of(cpu).is_idle();
        let first_idle = rank
            <= *scan
                .first_idle
                .get_or_init(|| self.first(scan.target, idle));
        if core.is_empty() {
            reasons.add_if(first_idle, found);
            return;
        }
        let core_may_be_idle = |cpu: u32| {
            let core = machine.core(cpu).iter();
            core.copied().all(|one| self.scene.of(one).may_be_idle)
        };
        let core_is_idle = |cpu: u32| {
            let core = machine.core(cpu).iter();
            core.copied().all(|one| self.scene.of(one).is_idle())
        };
        let first_core = scan
            .first_core
            .get_or_init(|| self.first(scan.target, core_is_idle));
        let ranks = core.iter().filter_map(|&cpu| self.rank(scan.target, cpu));
        let leads = rank <= *first_core && ranks.min().is_none_or(|first| rank <= first);
        reasons.add_if(leads && core_may_be_idle(to), Reason::IdleCore);
        let siblings = || machine.core(prev).iter().filter(|&&cpu| cpu != prev);
        if near && siblings().any(|&cpu| cpu == to) {
            reasons.add(Reason::IdleSibling);
            return;
        }
        let sibling = near && siblings().any(|&cpu| self.allowed_idle(cpu));
        // `has_idle_cores` stays until a scan finds none: then the siblings of the previous CPU are no first choice.
        let by_cores = *first_core == usize::MAX && self.first_by_cores(scan.target, to);
        reasons.add_if(by_cores || first_idle && !sibling, found);
    }

    /// Returns whether no CPU is certainly found before another, core by core in the order of the scan from a target.
    fn first_by_cores(&self, target: u32, to: u32) -> bool {
        let place = |cpu| {
            let core = self.scene.machine.core(cpu).iter();
            let first = core.filter_map(|&one| self.rank(target, one)).min();
            (first.unwrap_or(usize::MAX), cpu)
        };
        let mut others = self.scene.machine.llc(target).iter();
        others.all(|&cpu| !self.allowed_idle(cpu) || place(cpu) >= place(to))
    }

    fn allowed_idle(&self, cpu: u32) -> bool {
        self.wakeup.affinity.has(cpu) && self.scene.of(cpu).is_idle()
    }

    /// Place of an allowed CPU in the order of the scan from a target.
    fn rank(&self, target: u32, cpu: u32) -> Option<usize> {
        let cpus = self.scene.machine.llc(target);
        let after = cpus.partition_point(|&cpu| cpu <= target);
        let place = cpus.binary_search(&cpu).ok()?;
        let allowed = self.wakeup.affinity.has(cpu);
        allowed.then(|| (place + cpus.len() - after) % cpus.len())
    }

    /// Place of the first allowed CPU that meets a condition, in the order of the scan from a target.
    fn first(&self, target: u32, meets: impl Fn(u32) -> bool) -> usize {
        let cpus = self.scene.machine.llc(target);
        let after = cpus.partition_point(|&cpu| cpu <= target);
        let mut wrapped = cpus[after..].iter().chain(&cpus[..after]).copied();
        let first = wrapped.position(|cpu| self.wakeup.affinity.has(cpu) && meets(cpu));
        first.unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use numalens_core::CpuSet;
    use numalens_core::topology::{Node, Sharing};
    use proptest::prelude::*;

    use super::*;
    use crate::machine::Machine;
    use crate::model::Rules;

    const IDLE: Status = Status {
        may_be_idle: true,
        may_be_busy: false,
        least_running: 0,
        most_running: 0,
    };

    fn busy(runnable: u16) -> Status {
        Status {
            may_be_idle: false,
            may_be_busy: true,
            least_running: 1,
            most_running: runnable,
        }
    }

    /// Two nodes with two caches each; a cache has two cores, whose threads are two CPUs away from each other.
    fn with_threads() -> Machine {
        let groups = |len: u32| (0..16 / len).map(move |of| (of * len..(of + 1) * len).collect());
        let nodes = groups(8).zip(0..).map(|(cpus, nid)| Node { nid, cpus });
        let first = (0..16).filter(|cpu| cpu % 4 < 2);
        let sharing = Sharing {
            cores: first.map(|cpu| vec![cpu, cpu + 2]).collect(),
            llcs: groups(4).collect(),
            ..Sharing::default()
        };
        Machine::new(&nodes.collect::<Vec<_>>(), &sharing)
    }

    proptest! {
        /// The CPUs near waker and task are all that a wakeup can reach, and a scan takes the first idle one.
        #[test]
        fn all_placements_are_those_on_each_cpu(
            states in prop::collection::vec(0..4_usize, 16),
            (this, prev, to) in (0..16_u32, 0..16_u32, 0..16_u32),
            (mask, observed) in (prop::option::of(1..0x1_0000_u32), any::<bool>()),
            (clings, delayed_dequeue) in (any::<bool>(), any::<bool>()),
        ) {
            let states: Vec<_> = states.iter().map(|&at| [IDLE, busy(1), busy(2), Status::UNKNOWN][at]).collect();
            let machine = with_threads();
            let rules = Rules { delayed_dequeue, ..Rules::of(None) };
            let scene = Scene { machine: &machine, rules, status: &|cpu| states[cpu as usize] };
            let cpus = mask.map(|mask| (0..16).filter(|cpu| mask & 1 << cpu != 0).collect::<CpuSet>());
            let affinity = Affinity { cpus, observed };
            // A task that may run elsewhere only goes anywhere.
            prop_assume!(!observed || affinity.has(prev));
            let recent = Recent::default();
            let one = Wakeup {
                this, context: Context::Task, by_bound_kthread: false, prev, affinity: &affinity, class: Class::Fair,
                probed: None, wakes: 0, clings, recent: &recent, to,
            };
            let mut all = Reasons::default();
            for other in (0..16).filter(|&other| other != to && affinity.has(other)) {
                let there = wakeup(&scene, &Wakeup { to: other, ..one });
                all.add_all(there);
                if there.has(Reason::IdleInLlc) {
                    let llc = machine.llc(other);
                    let passes = |target: u32| {
                        let order: Vec<u32> = (1..=4).map(|step| llc[0] + (target - llc[0] + step) % 4).collect();
                        let allowed = order.iter().copied().filter(|&cpu| affinity.has(cpu));
                        // Core by core: each with its first allowed CPU.
                        let of_cores = allowed.clone().flat_map(|cpu| {
                            let first = cpu - cpu % 4 + cpu % 2;
                            [first, first + 2]
                        });
                        let none_before = |cpus: Vec<u32>| {
                            let mut before = cpus.iter().take_while(|&&cpu| cpu != other);
                            !before.any(|&cpu| affinity.has(cpu) && states[cpu as usize].is_idle())
                        };
                        none_before(order.clone()) || none_before(of_cores.collect())
                    };
                    let targets = [this, prev].into_iter().filter(|target| llc.contains(target));
                    prop_assert!(targets.into_iter().any(passes));
                }
            }
            prop_assert_eq!(elsewhere(&scene, &one), all);
        }
    }

    /// A waker that runs alone on CPU 0 wakes a task that slept on the idle CPU 2 of another node, and announces that it sleeps.
    fn woken(call: Call, runnable: u16, wakes: u32, to: u32) -> Reasons {
        let rules = Rules::of(None);
        probed(rules, Probed::Selected(call), true, (runnable, wakes), to)
    }

    /// The same with what the probe recorded, and with an affinity to all CPUs that is recorded or not.
    fn probed(
        rules: Rules,
        probed: Probed,
        observed: bool,
        (runnable, wakes): (u16, u32),
        to: u32,
    ) -> Reasons {
        let node = |nid, cpus: [u32; 2]| Node {
            nid,
            cpus: cpus.into(),
        };
        let machine = Machine::new(&[node(0, [0, 1]), node(1, [2, 3])], &Sharing::default());
        let (busy, idle) = (busy(runnable), IDLE);
        let scene = Scene {
            machine: &machine,
            rules,
            status: &|cpu| if cpu == 2 { idle } else { busy },
        };
        let affinity = Affinity {
            cpus: None,
            observed,
        };
        let of_call = Wakeup {
            this: 0,
            context: Context::Task,
            by_bound_kthread: false,
            prev: 2,
            affinity: &affinity,
            class: Class::Fair,
            probed: Some(probed),
            wakes,
            clings: false,
            recent: &Recent::default(),
            to,
        };
        wakeup(&scene, &of_call)
    }

    #[test]
    fn a_wakeup_without_a_call_is_of_a_task_with_one_cpu_or_a_queued_one() {
        use numalens_core::kernel_version::KernelVersion;
        let moved = |kernel, observed, to| {
            let rules = Rules::of(KernelVersion::of(kernel));
            probed(rules, Probed::Nothing, observed, (1, 0), to)
        };
        let mut either = Reasons::from(Reason::Pinned);
        either.add(Reason::DelayedDequeue);
        assert_eq!(moved("6.12.0", false, 2), either);
        assert_eq!(moved("6.12.0", false, 3), Reason::Pinned.into());
        // Before 6.12 it is not queued; as recorded, it may use other CPUs.
        assert_eq!(moved("6.1.0", false, 2), Reason::Pinned.into());
        assert_eq!(moved("6.12.0", true, 2), Reason::DelayedDequeue.into());
        assert_eq!(moved("6.12.0", true, 3), Reasons::default());
        assert_eq!(moved("6.1.0", true, 2), Reasons::default());
    }

    /// aa3ee4f (6.16): a sleeping task that was still queued on the waker's CPU counted.
    #[test]
    fn a_sync_waker_that_runs_alone_gets_the_task() {
        let call = |sync, affine| Call {
            ts_ns: 0,
            prev: None,
            sync,
            target: None,
            affine,
        };
        let declined = Reasons::from(Reason::SyncDeclined);
        let idle = Reasons::from(Reason::PreviousIdle);
        assert_eq!(woken(call(true, Some(Affine::Declined)), 1, 9, 2), declined);
        assert_eq!(
            woken(call(true, Some(Affine::Chosen)), 1, 0, 0),
            Reason::Sync.into()
        );
        // Another task ran there; the waker did not announce it.
        assert_eq!(woken(call(true, Some(Affine::Declined)), 2, 0, 2), idle);
        assert_eq!(woken(call(false, None), 1, 0, 2), idle);
        // Without a probe of wake_affine: unless wake_wide may hold.
        assert_eq!(woken(call(true, None), 1, 1, 2), declined);
        assert_eq!(woken(call(true, None), 1, 2, 2), idle);
    }

    /// Reasons of a wakeup on a cache of two cores of two threads, from the busy CPU 1; `states` are those of CPUs 0, 2 and 3.
    fn on_cores(states: [Status; 3], to: u32) -> Reasons {
        let sharing = Sharing {
            cores: vec![vec![0, 1], vec![2, 3]],
            llcs: vec![(0..4).collect()],
            ..Sharing::default()
        };
        let nodes = [Node {
            nid: 0,
            cpus: (0..4).collect(),
        }];
        let machine = Machine::new(&nodes, &sharing);
        let scene = Scene {
            machine: &machine,
            rules: Rules::of(None),
            status: &|cpu| match cpu {
                0 => states[0],
                1 => busy(1),
                _ => states[cpu as usize - 1],
            },
        };
        let affinity = Affinity {
            cpus: None,
            observed: true,
        };
        let mut recent = Recent::default();
        recent.woken(1, Reason::NoIdle.into());
        let of_call = Wakeup {
            this: 1,
            context: Context::Task,
            by_bound_kthread: false,
            prev: 1,
            affinity: &affinity,
            class: Class::Fair,
            probed: None,
            wakes: 0,
            clings: false,
            recent: &recent,
            to,
        };
        wakeup(&scene, &of_call)
    }

    /// `has_idle_cores` is set when a core becomes idle, and cleared by a scan that finds none.
    #[test]
    fn an_idle_sibling_is_passed_over_for_a_core_that_was_idle() {
        let found = Reasons::from(Reason::IdleInLlc);
        assert_eq!(on_cores([IDLE, busy(1), IDLE], 3), found);
        assert_eq!(
            on_cores([IDLE, busy(1), IDLE], 0),
            Reason::IdleSibling.into()
        );
        // The scan takes the first thread of a core, and an idle core before all.
        assert_eq!(on_cores([busy(1), IDLE, IDLE], 3), Reasons::default());
        assert_eq!(on_cores([IDLE, IDLE, IDLE], 2), Reason::IdleCore.into());
        assert_eq!(on_cores([IDLE, IDLE, IDLE], 3), Reasons::default());
    }
}
