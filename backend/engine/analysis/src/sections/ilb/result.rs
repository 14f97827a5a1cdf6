//! What the section about the idle load balancer says.

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_replay::idle_balancing::Sources;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ilb::Event;
use crate::ilb::compare::Reason;
use crate::ilb::idle::{Counting, IdleStatistics};
use crate::sections::ilb::lists::{IdleLane, WasteStretch};
use crate::sections::options::Model;

/// Kicks and what became of them; handled and dropped ones arrived on their target.
#[derive(Serialize, JsonSchema)]
pub(super) struct IlbKicks {
    /// Kicks.
    pub(super) sent: u64,
    /// Their softirq balanced.
    pub(super) handled: u64,
    /// They came, and no softirq was raised.
    pub(super) dropped: u64,
    /// They were swallowed, because an older one counted as under way.
    pub(super) latched: u64,
    /// Ticks that the first and second pick kept from kicking; 2011 only.
    pub(super) blocked: u64,
    /// They were not seen to come.
    pub(super) not_seen: u64,
    /// Those of which the sender is known.
    pub(super) with_sender: u64,
    /// How well it is known.
    pub(super) label: Label,
    /// What would make it better known.
    pub(super) missing: Vec<&'static str>,
}

/// Times that one CPU balanced for the others.
#[derive(Serialize, JsonSchema)]
pub(super) struct IlbPasses {
    /// Passes.
    pub(super) count: u64,
    /// A kick asked for it.
    pub(super) kicked: u64,
    /// Passes that ended early.
    pub(super) aborted: u64,
    /// Tasks that they moved; null of a model.
    pub(super) migrations: Option<u64>,
    /// How well it is known.
    pub(super) label: Label,
}

/// A CPU that stopped its tick though it is to be balanced before `next_balance`.
#[derive(Serialize, JsonSchema)]
pub(super) struct StaleNextBalance {
    /// When, ns.
    #[serde(with = "Moment")]
    pub(super) t_ns: u64,
    /// The CPU.
    pub(super) cpu: u32,
    /// How far `next_balance` is off.
    pub(super) jiffies: u64,
    /// How well it is known.
    pub(super) label: Label,
}

/// Idle time of one-second windows, in percent.
#[derive(Serialize, JsonSchema)]
pub(super) struct IdleShare {
    #[serde(flatten)]
    pub(super) statistics: IdleStatistics,
    /// How well it is known.
    pub(super) label: Label,
}

/// Idle time of the trace less that of the samples, in points, in the same windows and measure.
#[derive(Serialize, JsonSchema)]
pub(super) struct IdleDifference {
    /// Mean.
    pub(super) mean: f64,
    /// The largest of a window.
    pub(super) largest: f64,
    /// How the kernel counts idle time, and so how both sides do.
    pub(super) by: Counting,
    /// How many windows.
    pub(super) windows: usize,
    /// The trace's side.
    pub(super) traced: IdleShare,
    /// What the samples account for, percent of the time that passed.
    pub(super) counted_percent: f64,
    /// What the difference is of.
    pub(super) sentence: String,
}

/// Idle time by several measures.
#[derive(Default, Serialize, JsonSchema)]
#[allow(clippy::struct_field_names, reason = "as the answer calls them")]
pub(super) struct IdleTime {
    /// From the trace; null for less than a second.
    pub(super) idle_percent: Option<IdleShare>,
    /// From samples of /proc/stat, in the measure of `idle_difference`.
    pub(super) idle_sampled: Option<IdleShare>,
    /// From the same samples, as vmstat prints it.
    pub(super) idle_vmstat: Option<IdleShare>,
    /// The trace against the samples; null without samples.
    pub(super) idle_difference: Option<IdleDifference>,
}

/// Idle CPUs while tasks wait: an upper bound of what better kicks could have saved.
#[derive(Serialize, JsonSchema)]
pub(super) struct IlbWaste {
    /// Of idle CPUs whose balance was overdue.
    pub(super) cpu_ms: f64,
    /// Of all idle CPUs.
    pub(super) beside_waiting_cpu_ms: f64,
    /// The costliest, by time.
    pub(super) windows: Vec<WasteStretch>,
    /// How well it is known.
    pub(super) label: Label,
}

/// What a version of the balancer would have done with the same ticks, idle times and run queues.
#[derive(Serialize, JsonSchema)]
pub(super) struct IlbModel {
    /// Which version.
    pub(super) name: Model,
    /// How well it is known.
    pub(super) label: Label,
    /// What would make it better known.
    pub(super) missing: Vec<&'static str>,
    /// Kicks.
    pub(super) kicks: u64,
    /// Interrupts that they cost.
    pub(super) ipis: u64,
    /// Kicks that came and did nothing.
    pub(super) dropped: u64,
    /// Kicks that were swallowed.
    pub(super) latched: u64,
    /// Passes.
    pub(super) passes: u64,
    /// Ticks with waiting tasks before `next_balance`.
    pub(super) gate_closed_ticks: u64,
    /// Ticks that the picks kept from kicking.
    pub(super) blocked_ticks: u64,
    /// How far `next_balance` was off at most.
    pub(super) stale_most_jiffies: u64,
    /// Idle CPUs whose balance was overdue while tasks waited.
    pub(super) waste_cpu_ms: f64,
}

/// Why kicks are only on one side.
#[derive(Serialize, JsonSchema)]
pub(super) struct KickReason {
    /// A name; more may come.
    pub(super) reason: Reason,
    /// The same in words.
    pub(super) words: &'static str,
    /// Kicks recorded and not of the model.
    pub(super) observed_only: u64,
    /// Kicks of the model that are not recorded.
    pub(super) model_only: u64,
    /// Kicks on both sides.
    pub(super) both: u64,
    /// The row as a sentence.
    pub(super) sentence: String,
}

/// Recorded kicks against the modern model's; the reasons' counts add up to both totals.
#[derive(Serialize, JsonSchema)]
pub(super) struct KickComparison {
    /// Kicks recorded.
    pub(super) observed: u64,
    /// Kicks of the model.
    pub(super) model: u64,
    /// Kicks on both sides.
    pub(super) both: u64,
    /// By reason.
    pub(super) reasons: Vec<KickReason>,
    /// Of the kicks on both sides whose flags are known, those with the same ones.
    pub(super) same_flags: u64,
    /// Kicks on both sides whose flags are known.
    pub(super) told_flags: u64,
}

/// The nohz idle load balancer: who was kicked, what came of it, what the wait cost.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IdleBalancing")]
pub(in super::super) struct Ilb {
    /// How well it is known.
    pub(super) label: Label,
    /// What would make it better known.
    pub(super) missing: Vec<String>,
    /// The version that is shown.
    pub(super) model: Model,
    /// Release of the traced kernel.
    pub(super) kernel: Option<String>,
    /// Jiffies per second.
    pub(super) hz: u32,
    /// CPUs of the machine.
    pub(super) cpus: usize,
    /// How each step of the balancer is known.
    pub(super) observation: Sources,
    /// Kicks.
    pub(super) kicks: IlbKicks,
    /// Passes.
    pub(super) passes: IlbPasses,
    /// Ticks that the picks kept from kicking.
    pub(super) blocked_ticks: u64,
    /// Largest first.
    pub(super) stale_next_balance: Vec<StaleNextBalance>,
    #[serde(flatten)]
    pub(super) idle: IdleTime,
    /// What late kicks cost.
    pub(super) waste: IlbWaste,
    /// The versions that would have run freely.
    pub(super) models: Vec<IlbModel>,
    /// What the models allow to conclude.
    pub(super) may: [&'static str; 1],
    /// What they do not.
    pub(super) may_not: [&'static str; 1],
    /// Null where kicks would not have been recorded.
    pub(super) comparison: Option<KickComparison>,
    /// Kicks, passes, blocked ticks and stale `next_balance`, by time.
    pub(super) events: Vec<Event>,
    /// How many there are.
    pub(super) events_all: usize,
    /// Gaps of lost events in the window.
    pub(super) lost_gaps: u64,
}

/// The nohz idle load balancer: who was kicked, what came of it, what the wait cost, and when CPUs were idle.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IdleBalancing")]
pub(in super::super) struct MaskedIlb {
    #[serde(flatten)]
    pub(in super::super) ilb: Ilb,
    /// When CPUs were in the idle mask. Only pictures need it: a report of a long recording would be little else.
    pub(super) idle_mask: Vec<IdleLane>,
    /// Times in the idle mask that are close to each other are joined.
    pub(super) thinned: bool,
}
