//! Answer of the section about the idle load balancer.

use numalens_bundle::Error;
use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_replay::idle_balancing::Sources;
use numalens_subject::Window;
use numalens_subject::report::Request;
use numalens_subject::section::Answer;
use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::Reason;
use crate::idle::{Counting, IdleStatistics};
use crate::options::Model;
use crate::{Curve, Event, MaskSpan};

/// Kicks and what became of them; handled and dropped ones arrived on their target.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IlbKicks {
    /// Kicks.
    pub(crate) sent: u64,
    /// Kicks whose softirq balanced.
    pub(crate) handled: u64,
    /// Kicks that arrived without a softirq.
    pub(crate) dropped: u64,
    /// Kicks dropped because an older one counted as in progress.
    pub(crate) latched: u64,
    /// Ticks that the first and second pick kept from kicking; 2011 only.
    pub(crate) blocked: u64,
    /// Kicks without a recorded arrival.
    pub(crate) not_seen: u64,
    /// Kicks with a known sender.
    pub(crate) with_sender: u64,
    /// Provenance.
    pub(crate) label: Label,
    /// Inputs that would improve the provenance.
    pub(crate) missing: Vec<&'static str>,
}

/// Times that one CPU balanced for the others.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IlbPasses {
    /// Passes.
    pub(crate) count: u64,
    /// A kick requested it.
    pub(crate) kicked: u64,
    /// Passes that ended early.
    pub(crate) aborted: u64,
    /// Tasks that they moved; null of a model.
    pub(crate) migrations: Option<u64>,
    /// Provenance.
    pub(crate) label: Label,
}

/// A CPU that stopped its tick though it is to be balanced before `next_balance`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct StaleNextBalance {
    /// Time, ns.
    #[serde(with = "Moment")]
    pub(crate) t_ns: u64,
    /// The CPU.
    pub(crate) cpu: u32,
    /// Distance of `next_balance` from now, jiffies.
    pub(crate) jiffies: u64,
    /// Provenance.
    pub(crate) label: Label,
}

/// Spread of the jiffies by which `next_balance` was stale when CPUs stopped their ticks.
#[derive(Serialize, JsonSchema)]
pub(crate) struct StaleSpread {
    /// Times.
    pub(crate) count: u64,
    /// The least, jiffies.
    pub(crate) least_jiffies: u64,
    /// Median, jiffies.
    pub(crate) median_jiffies: u64,
    /// The most, jiffies.
    pub(crate) most_jiffies: u64,
    /// Provenance.
    pub(crate) label: Label,
}

/// Idle time of one-second windows, in percent.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IdleShare {
    #[serde(flatten)]
    pub(crate) statistics: IdleStatistics,
    /// Provenance.
    pub(crate) label: Label,
}

/// Idle time of the trace less that of the samples, in points, in the same windows and measure.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IdleDifference {
    /// Mean.
    pub(crate) mean: f64,
    /// The largest of a window.
    pub(crate) largest: f64,
    /// Counting method of the kernel, and so of both sides.
    pub(crate) by: Counting,
    /// Number of windows.
    pub(crate) windows: usize,
    /// The trace's side.
    pub(crate) traced: IdleShare,
    /// Time that the samples account for, percent of the elapsed time.
    pub(crate) counted_percent: f64,
    /// Meaning of the difference.
    pub(crate) sentence: String,
}

/// Idle time by several measures.
#[derive(Default, Serialize, JsonSchema)]
#[allow(clippy::struct_field_names, reason = "as the answer calls them")]
pub(crate) struct IdleTime {
    /// From the trace; null for less than a second.
    pub(crate) idle_percent: Option<IdleShare>,
    /// From samples of /proc/stat, in the measure of `idle_difference`.
    pub(crate) idle_sampled: Option<IdleShare>,
    /// From the same samples, as vmstat prints it.
    pub(crate) idle_vmstat: Option<IdleShare>,
    /// The trace against the samples; null without samples.
    pub(crate) idle_difference: Option<IdleDifference>,
}

/// Idle CPUs while tasks wait: an upper bound of what better kicks could have saved.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IlbWaste {
    /// Of idle CPUs whose balance was overdue.
    pub(crate) cpu_ms: f64,
    /// Of all idle CPUs.
    pub(crate) beside_waiting_cpu_ms: f64,
    /// The costliest, by time.
    pub(crate) windows: Vec<WasteStretch>,
    /// Provenance.
    pub(crate) label: Label,
}

/// Result of a version of the balancer with the same ticks, idle times and runqueues.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IlbModel {
    /// Version.
    pub(crate) name: Model,
    /// Provenance.
    pub(crate) label: Label,
    /// Inputs that would improve the provenance.
    pub(crate) missing: Vec<&'static str>,
    /// Kicks.
    pub(crate) kicks: u64,
    /// Interrupts that they cost.
    pub(crate) ipis: u64,
    /// Kicks that came and did nothing.
    pub(crate) dropped: u64,
    /// Kicks that were swallowed.
    pub(crate) latched: u64,
    /// Passes.
    pub(crate) passes: u64,
    /// Ticks with waiting tasks before `next_balance`.
    pub(crate) gate_closed_ticks: u64,
    /// Ticks that the picks kept from kicking.
    pub(crate) blocked_ticks: u64,
    /// Maximum distance of `next_balance` from now, jiffies.
    pub(crate) stale_most_jiffies: u64,
    /// Idle CPUs whose balance was overdue while tasks waited.
    pub(crate) waste_cpu_ms: f64,
}

/// Reason for which kicks are only on one side.
#[derive(Serialize, JsonSchema)]
pub(crate) struct KickReason {
    /// A name; more may come.
    pub(crate) reason: Reason,
    /// The same in words.
    pub(crate) words: &'static str,
    /// Kicks recorded and not of the model.
    pub(crate) observed_only: u64,
    /// Kicks of the model that are not recorded.
    pub(crate) model_only: u64,
    /// Kicks on both sides.
    pub(crate) both: u64,
    /// The row as a sentence.
    pub(crate) sentence: String,
}

/// Recorded kicks against the modern model's; the reasons' counts add up to both totals.
#[derive(Serialize, JsonSchema)]
pub(crate) struct KickComparison {
    /// Kicks recorded.
    pub(crate) observed: u64,
    /// Kicks of the model.
    pub(crate) model: u64,
    /// Kicks on both sides.
    pub(crate) both: u64,
    /// By reason.
    pub(crate) reasons: Vec<KickReason>,
    /// Of the kicks on both sides whose flags are known, those with the same ones.
    pub(crate) same_flags: u64,
    /// Kicks on both sides whose flags are known.
    pub(crate) told_flags: u64,
}

/// The nohz idle load balancer: kicked CPUs, outcomes, and costs of waiting.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IdleBalancing")]
pub(crate) struct Ilb {
    /// Provenance.
    pub(crate) label: Label,
    /// Inputs that would improve the provenance.
    pub(crate) missing: Vec<String>,
    /// The version that is shown.
    pub(crate) model: Model,
    /// Release of the traced kernel.
    pub(crate) kernel: Option<String>,
    /// Jiffies per second.
    pub(crate) hz: u32,
    /// CPUs of the machine.
    pub(crate) cpus: usize,
    /// Source of each step of the balancer.
    pub(crate) observation: Sources,
    /// Kicks.
    pub(crate) kicks: IlbKicks,
    /// Passes.
    pub(crate) passes: IlbPasses,
    /// Ticks that the picks kept from kicking.
    pub(crate) blocked_ticks: u64,
    /// Largest first.
    pub(crate) stale_next_balance: Vec<StaleNextBalance>,
    /// All of them; null without any.
    pub(crate) stale: Option<StaleSpread>,
    #[serde(flatten)]
    pub(crate) idle: IdleTime,
    /// Costs of late kicks.
    pub(crate) waste: IlbWaste,
    /// The versions that would have run freely.
    pub(crate) models: Vec<IlbModel>,
    /// Valid conclusions from the models.
    pub(crate) may: [&'static str; 1],
    /// Invalid conclusions.
    pub(crate) may_not: [&'static str; 1],
    /// Null where kicks would not have been recorded.
    pub(crate) comparison: Option<KickComparison>,
    /// Kicks, passes, blocked ticks and stale `next_balance`, by time.
    pub(crate) events: Vec<Event>,
    /// Number of events.
    pub(crate) events_all: usize,
    /// Gaps of lost events in the window.
    pub(crate) lost_gaps: u64,
    /// On which tasks of BPF schedulers the balancers do not act; null when none was loaded.
    pub(crate) sched_ext: Option<String>,
}

/// The nohz idle load balancer: kicked CPUs, outcomes, costs of waiting, and idle times of CPUs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IdleBalancing")]
pub(crate) struct MaskedIlb {
    #[serde(flatten)]
    pub(crate) ilb: Ilb,
    /// Times of CPUs in the idle mask. Only pictures need it: it would dominate the report of a long recording.
    pub(crate) idle_mask: Vec<IdleLane>,
    /// Times in the idle mask that are close to each other are joined.
    pub(crate) thinned: bool,
}

// The section's lists, cut to what anyone can look at.

/// A time in which tasks waited while CPUs with an overdue balance were idle.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WasteStretch {
    /// Start, ns.
    #[serde(with = "Moment")]
    from_ns: u64,
    /// End, ns.
    #[serde(with = "Moment")]
    to_ns: u64,
    /// Cost, CPU ms.
    cpu_ms: f64,
}

/// The times of a curve that cost most, by time.
pub(crate) fn costliest(curve: &Curve, window: Window, most: usize) -> Vec<WasteStretch> {
    let all = curve.stretches(1, window.to_ns).into_iter();
    let inside = all.filter(|&(from, to)| to > window.from_ns && from < window.to_ns);
    let mut found: Vec<WasteStretch> = inside
        .map(|(from, to)| {
            let (from_ns, to_ns) = (from.max(window.from_ns), to.min(window.to_ns));
            WasteStretch {
                from_ns,
                to_ns,
                cpu_ms: curve.between(from_ns, to_ns) as f64 / 1e6,
            }
        })
        .collect();
    found.sort_by(|a, b| b.cpu_ms.total_cmp(&a.cpu_ms));
    found.truncate(most);
    found.sort_by_key(|stretch| stretch.from_ns);
    found
}

/// Evenly distributed over the list when it is longer than `most`, so that the whole window is represented. Kicks without a
/// result stay first.
pub(crate) fn spread(mut events: Vec<Event>, most: usize) -> Vec<Event> {
    use crate::{EventKind, Fate};
    if events.len() <= most {
        return events;
    }
    let rank = |event: &Event| match (event.kind, event.fate) {
        (EventKind::KickSent, Some(Fate::Handled)) => 1,
        (EventKind::KickSent, _) => 0,
        _ => 2,
    };
    let mut kept: Vec<Event> = Vec::with_capacity(most);
    for wanted in 0..=2 {
        let of: Vec<Event> = events
            .iter()
            .filter(|event| rank(event) == wanted)
            .copied()
            .collect();
        let room = most - kept.len();
        if of.len() <= room {
            kept.extend(of);
        } else {
            kept.extend((0..room).filter_map(|at| of.get(at * of.len() / room)));
            break;
        }
    }
    events.clear();
    kept.sort_by_key(|event| event.t_ns);
    kept
}

/// A CPU's times in the idle mask.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct IdleLane {
    /// The CPU.
    cpu: u32,
    /// From when and to when, ns.
    spans: Vec<(Moment, Moment)>,
}

/// Times in the idle mask that a section has at most.
const MOST_SPANS: usize = 4000;
/// Share of the window within which times are joined, if there are more.
const GRAINS: u64 = 1000;

/// The idle mask by CPU, and whether times were joined.
pub(crate) fn mask(spans: &[MaskSpan], cpus: usize, window: Window) -> (Vec<IdleLane>, bool) {
    let mut lanes: Vec<IdleLane> = (0..cpus as u32)
        .map(|cpu| IdleLane {
            cpu,
            spans: Vec::new(),
        })
        .collect();
    let thinned = spans.len() > MOST_SPANS;
    let grain = if thinned {
        (window.to_ns - window.from_ns) / GRAINS
    } else {
        0
    };
    for span in spans {
        let Some(lane) = lanes.get_mut(span.cpu as usize) else {
            continue;
        };
        match lane.spans.last_mut() {
            Some(last) if thinned && span.from_ns.saturating_sub(last.1.0) <= grain => {
                last.1 = Moment(span.to_ns);
            }
            _ => (lane.spans).push((Moment(span.from_ns), Moment(span.to_ns))),
        }
    }
    (lanes, thinned)
}

/// Idle load balancing without the mask of idle CPUs.
#[allow(clippy::unnecessary_wraps, reason = "other shapes can fail")]
pub(super) fn without_mask(
    answer: Answer<MaskedIlb>,
    _: &Request<'_>,
) -> Result<Answer<Ilb>, Error> {
    Ok(answer.map(|masked| masked.ilb))
}
