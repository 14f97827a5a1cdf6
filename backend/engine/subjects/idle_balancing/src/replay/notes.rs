//! Inputs and results of the replay.

use std::collections::BTreeMap;
use std::fmt;

use numalens_core::kernel_version::KernelVersion;
use numalens_core::listed;
use numalens_core::provenance::Label;
use numalens_events::{IlbKind, Kinds};
use numalens_replay::idle_balancing::Jiffies;
use numalens_subject::Shared;
use serde::Serialize;

use crate::curve::Curve;
use crate::model::{Act, Annotation, Kind, Step, Why};
use crate::replay::{MaskSpan, Replay};

listed! {
    /// Model.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ModelKind {
        /// 2011 without the patch.
        V2011,
        /// 2011 with it.
        V2011Patched,
        /// 5.2 and later, with kicks that arrive as fast as they can.
        Modern,
        /// 5.2 and later, with arrivals and passes where the recording shows them: for comparison with what was recorded.
        TraceDriven,
    }
}

impl ModelKind {
    /// Returns the distinct models: without a trace of kicks the guided model has no guide.
    #[must_use]
    pub fn all(kinds: Kinds) -> Vec<Self> {
        let guided = kinds.show_kicks();
        let all = Self::ALL.into_iter();
        all.filter(|&follow| guided || follow != Self::TraceDriven)
            .collect()
    }

    /// Returns the provenance of a run's annotations for this kernel and these recorded kinds, and the missing inputs.
    /// Without a probe that reads `next_balance`, every run is inferred.
    #[must_use]
    pub fn label(
        self,
        kernel: Option<KernelVersion>,
        kinds: Kinds,
    ) -> (Label, &'static [&'static str]) {
        let ran = match self {
            Self::V2011 => kernel.is_some_and(|kernel| (kernel.major, kernel.minor) < (3, 3)),
            Self::V2011Patched => false,
            // A kernel that nothing names is taken to be of today.
            Self::Modern | Self::TraceDriven => {
                kernel.is_none_or(|kernel| (kernel.major, kernel.minor) >= (5, 2))
            }
        };
        let known = self == Self::TraceDriven && kinds.has(IlbKind::Nohz);
        let missing: &[&str] = match self {
            _ if known => &["sched_domain intervals"],
            Self::V2011 | Self::V2011Patched => &[
                "nohz.next_balance",
                "sched_domain intervals",
                "exit of nohz",
            ],
            Self::Modern | Self::TraceDriven => &[
                "nohz.next_balance",
                "sched_domain intervals",
                "nohz.has_blocked",
            ],
        };
        let label = match (ran, known) {
            (true, true) => Label::Replayed,
            (true, false) => Label::Inferred,
            (false, _) => Label::WhatIf,
        };
        (label, missing)
    }
}

/// Inputs of the replay besides the events.
#[derive(Debug, Clone)]
pub struct Config {
    /// The traced kernel; its rules are the modern model's, 6.12's when not known.
    pub kernel: Option<KernelVersion>,
    /// CPUs of the machine.
    pub cpus: usize,
    /// Each CPU's last-level cache, counted from 0; empty when not known.
    pub llc: Vec<u32>,
    /// Conversion of times to jiffies.
    pub jiffies: Jiffies,
    /// Kinds of events that were recorded.
    pub kinds: Kinds,
    /// Start of the window, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Start of reporting and counting, ns; before it, the models only reach their states.
    pub count_from_ns: u64,
    /// Models to run.
    pub follow: Vec<ModelKind>,
}

/// Counts of a model's actions.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// By kind and by why of a kick, in the order of [`Kind::ALL`] and [`Why::ALL`].
    kinds: [u64; Kind::ALL.len()],
    kicks: [u64; Why::ALL.len()],
    /// Largest stale `next_balance`, jiffies.
    pub stale_most: u64,
    /// Jiffies by which it was stale, over all.
    pub stale_sum: u64,
}

impl Counts {
    #[inline]
    pub(super) fn add(&mut self, note: &Annotation) {
        if let Some(count) = self.kinds.get_mut(note.kind as usize) {
            *count += 1;
        }
        match note.kind {
            Kind::KickSent => {
                if let Some(count) = self.kicks.get_mut(note.why as usize) {
                    *count += 1;
                }
            }
            Kind::Stale => {
                self.stale_most = self.stale_most.max(note.size);
                self.stale_sum = self.stale_sum.saturating_add(note.size);
            }
            _ => {}
        }
    }

    /// Returns the count of a kind.
    #[must_use]
    pub fn of(&self, kind: Kind) -> u64 {
        self.kinds.get(kind as usize).copied().unwrap_or(0)
    }

    /// Annotations of each kind that there is.
    pub fn kinds(&self) -> impl Iterator<Item = (Kind, u64)> + '_ {
        let all = Kind::ALL.into_iter().zip(self.kinds);
        all.filter(|(_, count)| *count > 0)
    }

    /// Kicks sent, by why.
    pub fn kicks(&self) -> impl Iterator<Item = (Why, u64)> + '_ {
        let all = Why::ALL.into_iter().zip(self.kicks);
        all.filter(|(_, count)| *count > 0)
    }
}

impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: BTreeMap<Kind, u64> = self.kinds().collect();
        let kicks: BTreeMap<Why, u64> = self.kicks().collect();
        f.debug_struct("Counts")
            .field("kinds", &kinds)
            .field("kicks", &kicks)
            .field("stale_most", &self.stale_most)
            .field("stale_sum", &self.stale_sum)
            .finish()
    }
}

/// One model's run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Model.
    pub follow: ModelKind,
    /// Counts of its actions.
    pub counts: Counts,
    /// Idle CPUs whose balancing the model has overdue while tasks wait, CPU-ns: at most this time waits for a kick.
    pub overdue_cpu_ns: u64,
    /// The same over time.
    pub overdue: Curve,
    /// Provenance.
    pub label: Label,
    /// Missing inputs.
    pub missing: Vec<&'static str>,
}

impl Replayed {
    /// A model's run, if it ran.
    #[must_use]
    pub fn run(&self, follow: ModelKind) -> Option<&Run> {
        self.runs.iter().find(|run| run.follow == follow)
    }
}

/// Results of the replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// The models, in the order of [`Config::follow`].
    pub runs: Vec<Run>,
    /// Idle CPUs while tasks wait as recorded.
    pub waste: Curve,
    /// Idle CPUs as recorded.
    pub idle: Curve,
    /// Times of CPUs in the idle mask of the traced kernel; by their ends.
    pub mask: Vec<MaskSpan>,
    /// Ticks: recorded, or made up where none are.
    pub ticks: u64,
    /// Ticks were made up.
    pub made_up: bool,
}

impl Shared for Replayed {
    fn heap_bytes(&self) -> usize {
        let runs = self.runs.iter().map(|run| run.overdue.heap_bytes());
        let curves = self.waste.heap_bytes() + self.idle.heap_bytes();
        runs.sum::<usize>() + curves + self.mask.heap_bytes()
    }
}

/// Jiffies between two balancings of a busy and of an idle CPU. Assumed: the smallest domain is the cache's, with its largest
/// interval of 2 ms per CPU; a busy CPU's is `busy_factor` times as long (32, since 5.10 16), and at most 0.1 s per CPU.
pub(super) fn intervals(config: &Config) -> [u64; 2] {
    let hz = u64::from(config.jiffies.hz.max(1));
    let shared = match config.llc.first() {
        Some(first) => config.llc.iter().filter(|cache| *cache == first).count(),
        None => config.cpus,
    };
    let later = (config.kernel).is_none_or(|kernel| (kernel.major, kernel.minor) >= (5, 10));
    let factor = if later { 16 } else { 32 };
    let ms = 2 * (shared as u64).clamp(1, 64);
    let most = (hz * config.cpus as u64 / 10).max(1);
    let jiffies = |ms: u64| (ms * hz).div_ceil(1000).clamp(1, most);
    [jiffies(ms * factor), jiffies(ms)]
}

// Time passes between two rows: kicks arrive, ticks are made up where none is recorded, CPUs fall silent.

impl Replay<'_> {
    /// Time passes up to `ts_ns`, but not beyond the window.
    #[inline]
    pub(super) fn advance(&mut self, ts_ns: u64) {
        let until = ts_ns.min(self.config.to_ns);
        if until < self.nothing_until_ns {
            self.now_ns = self.now_ns.max(until);
        } else {
            self.pass_events(until);
        }
    }

    /// Something of its own may happen at this time, ns.
    #[inline]
    pub(super) fn expect(&mut self, t_ns: u64) {
        self.nothing_until_ns = self.nothing_until_ns.min(t_ns);
    }

    #[inline(never)]
    fn pass_events(&mut self, until: u64) {
        if self.tick_kind.is_none() {
            let jiffy = 1_000_000_000 / u64::from(self.config.jiffies.hz.max(1));
            while self.next_tick_ns <= until {
                self.pass_time(self.next_tick_ns);
                self.next_tick_ns = self.next_tick_ns.saturating_add(jiffy.max(1));
                self.make_up_ticks();
            }
        }
        while let Some((due, cpu)) = self.silent.next(until) {
            self.pass_time(due);
            self.enter(cpu);
        }
        self.pass_time(until);
        self.nothing_until_ns = self.silent.first_ns().min(self.next_due_ns);
        if self.tick_kind.is_none() {
            self.expect(self.next_tick_ns);
        }
    }

    /// Without recorded ticks, each jiffy counts as one on every CPU that has not stopped it.
    fn make_up_ticks(&mut self) {
        let jiffies = self.jiffies_now();
        let now_ns = self.now_ns;
        let mut ticking = std::mem::take(&mut self.ticking);
        ticking.clear();
        for (state, cpu) in self.cpus.iter().zip(0..) {
            if !state.known || state.stopped {
                continue;
            }
            if !state.idle && self.leaves_at_tick {
                self.mask.leave(cpu, now_ns);
            }
            if now_ns >= self.config.count_from_ns {
                self.ticks += 1;
            }
            if self.runs.is_empty() {
                continue;
            }
            let act = Act::Tick {
                nr_running: state.nr_running(),
                idle: state.idle,
                next_balance: None,
            };
            ticking.push(Step {
                t_ns: now_ns,
                jiffies,
                cpu,
                act,
            });
        }
        let mut sink = NoteSink {
            from_ns: self.config.count_from_ns,
            out: &mut *self.out,
        };
        for run in &mut self.runs {
            for step in &ticking {
                run.step(step, &mut sink);
                run.set_rate(now_ns, jiffies, self.surplus);
            }
            let due = run.due().unwrap_or(u64::MAX);
            self.next_due_ns = self.next_due_ns.min(due);
        }
        self.ticking = ticking;
    }

    fn pass_time(&mut self, ts_ns: u64) {
        if self.next_due_ns <= ts_ns {
            self.next_due_ns = u64::MAX;
            let mut sink = NoteSink {
                from_ns: self.config.count_from_ns,
                out: &mut *self.out,
            };
            let jiffies = &self.config.jiffies;
            for run in &mut self.runs {
                run.arrive(self.now_ns, ts_ns, jiffies, self.surplus, &mut sink);
                self.next_due_ns = self.next_due_ns.min(run.due().unwrap_or(u64::MAX));
            }
        }
        self.now_ns = self.now_ns.max(ts_ns);
    }
}

/// Destination of the models' actions, and its start, ns.
pub(super) struct NoteSink<'o, 'a> {
    pub(super) from_ns: u64,
    pub(super) out: &'o mut (dyn FnMut(ModelKind, &Annotation) + 'a),
}
