//! Kicks of the modern model against those that were recorded, and models against each other.

use std::collections::BTreeMap;

use numalens_replay::idle_balancing::{ObservedKick, ObservedPass};
use numalens_subject::Shared;
use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Annotation, Kind, Why, flags};
use crate::{ModelKind, Replayed};

/// Reason for which a kick is only on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[schemars(rename = "KickReasonName")]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// On both sides.
    Same,
    /// The model kicks another CPU in that moment: its idle mask differs.
    OtherTarget,
    /// The model has a kick to that CPU under way, of which the recording shows no arrival.
    UnderWay,
    /// The model was held back by `next_balance`, whose value no event shows.
    NextBalanceUnknown,
    /// Only blocked load is updated: no event shows whether there is any, and when it is due.
    BlockedLoadUnknown,
    /// Only `next_balance` is updated: whether that is due depends on passes that the recording does not show.
    NextKick,
    /// The model found no CPU to kick.
    NobodyIdle,
    /// No tick is recorded where the kick could have been sent.
    TickNotSeen,
    /// A tick is recorded, and its CPU has too few tasks for a kick: other tasks, misfit ones or capacities decided.
    NrRunningDiffers,
    /// The recording shows no kick, but a pass of the target: the probe on the arrival missed.
    MissedProbe,
    /// The recording shows neither a kick nor a pass: the kernel's `next_balance` was later than the model's.
    GateLater,
    /// Events of the CPU are missing where the other side would show it.
    LostEvents,
}

impl Reason {
    /// Text at the start of a table row.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Same => "on both sides",
            Self::OtherTarget => "another CPU is kicked, as the idle masks differ",
            Self::UnderWay => "the model has a kick to that CPU in progress",
            Self::NextBalanceUnknown => {
                "next_balance held the model back, and no event shows its value"
            }
            Self::BlockedLoadUnknown => "only blocked load, and no event shows whether it is due",
            Self::NextKick => "only next_balance is to be updated, and no event shows when",
            Self::NobodyIdle => "the model found no CPU to kick",
            Self::TickNotSeen => "no tick is recorded where the kick could have been sent",
            Self::NrRunningDiffers => {
                "too few tasks on the ticking CPU, so that capacities or misfit tasks decided"
            }
            Self::MissedProbe => "a pass is recorded without its kick, as the probe missed it",
            Self::GateLater => "the kernel's next_balance was later than the model's",
            Self::LostEvents => "events are missing there",
        }
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ReasonCount {
    /// Reason.
    pub reason: Reason,
    /// Kicks recorded and not of the model.
    pub observed_only: u64,
    /// Kicks of the model that are not recorded.
    pub model_only: u64,
    /// Kicks on both sides.
    pub both: u64,
}

impl ReasonCount {
    /// The row as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let words = self.reason.words();
        let kicks = |count: u64| if count == 1 { "kick" } else { "kicks" };
        let mut parts = Vec::new();
        for (count, of) in [
            (self.both, "on both sides"),
            (self.observed_only, "only recorded"),
            (self.model_only, "only of the model"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {} {of}", kicks(count)));
            }
        }
        if self.reason == Reason::Same {
            format!("{}.", parts.join(", "))
        } else {
            format!("{}: {words}.", parts.join(", "))
        }
    }
}

/// The comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// Kicks recorded.
    pub observed: u64,
    /// Kicks of the model.
    pub model: u64,
    /// The table; its counts add up to both totals.
    pub reasons: Vec<ReasonCount>,
    /// Of the kicks on both sides whose flags are recorded: those with the same ones.
    pub same_flags: u64,
    /// Kicks on both sides whose flags are recorded.
    pub told_flags: u64,
}

/// Results of the model that the comparison needs.
#[derive(Debug, Clone, Default)]
pub struct Guided {
    notes: Vec<Annotation>,
    /// Times of ticks on busy CPUs, ns.
    ticks: Vec<u64>,
    /// Gaps: CPU, from, to, ns; by their beginnings.
    gaps: Vec<(u32, u64, u64)>,
}

impl Shared for Guided {
    fn heap_bytes(&self) -> usize {
        self.notes.heap_bytes() + self.ticks.heap_bytes() + self.gaps.heap_bytes()
    }
}

impl Guided {
    /// Takes what a model did, in ascending time; only the guided one counts.
    pub fn annotation(&mut self, follow: ModelKind, note: &Annotation) {
        let counts = matches!(
            note.kind,
            Kind::KickSent | Kind::KickLatched | Kind::NoTarget | Kind::GateClosed
        );
        if follow == ModelKind::TraceDriven && counts {
            self.notes.push(*note);
        }
    }

    /// Takes the time of a tick on a busy CPU, ns, ascending.
    pub fn tick(&mut self, t_ns: u64) {
        self.ticks.push(t_ns);
    }

    /// Notes a gap in a CPU's events, ns; gaps come in the order of their starts.
    pub fn gap(&mut self, cpu: u32, from_ns: u64, to_ns: u64) {
        self.gaps.push((cpu, from_ns, to_ns));
    }

    /// Takes ticks and gaps of another one, which has none here.
    pub(super) fn join(&mut self, other: Self) {
        self.ticks.extend(other.ticks);
        self.gaps.extend(other.gaps);
    }

    /// Returns whether events of the CPU, or of any, are missing in a time.
    fn lost(&self, cpu: Option<u32>, from_ns: u64, to_ns: u64) -> bool {
        let mut gaps = self.gaps.iter();
        gaps.any(|gap| cpu.is_none_or(|cpu| cpu == gap.0) && gap.1 <= to_ns && gap.2 >= from_ns)
    }
}

/// A kick takes this long from the tick to its arrival at most, in jiffies. Assumed.
const JIFFIES: u64 = 2;

/// Compares. All lists ascend in time.
#[must_use]
pub fn kicks(
    observed: &[ObservedKick],
    passes: &[ObservedPass],
    guided: &Guided,
    hz: u32,
) -> Compared {
    let reach = JIFFIES * 1_000_000_000 / u64::from(hz.max(1));
    let sent: Vec<&Annotation> = of_kind(&guided.notes, Kind::KickSent).collect();
    let mut taken = vec![false; sent.len()];
    let mut rows: BTreeMap<Reason, [u64; 3]> = BTreeMap::new();
    let mut add = |reason, side: usize| rows.entry(reason).or_default()[side] += 1;
    let (mut same_flags, mut told_flags) = (0, 0);
    for kick in observed {
        // From the tick to the kick: where only its arrival is seen, the tick lies before it.
        let late = if kick.from.is_some() {
            reach / 4
        } else {
            reach
        };
        let until = kick.arrived_ns.unwrap_or(kick.t_ns).max(kick.t_ns);
        let first = sent.partition_point(|note| note.t_ns < kick.t_ns.saturating_sub(late));
        let window = || (first..sent.len()).take_while(|&at| sent[at].t_ns <= until);
        let fits = |at: &usize| !taken[*at] && sent[*at].target == Some(kick.target);
        let best = window().filter(fits).min_by_key(|&at| {
            (
                kick.from != Some(sent[at].cpu),
                kick.t_ns.abs_diff(sent[at].t_ns),
            )
        });
        if let Some(at) = best {
            taken[at] = true;
            add(Reason::Same, 2);
            if let Some(recorded) = kick.flags {
                told_flags += 1;
                same_flags += u64::from(recorded & flags::KICKS == sent[at].flags & flags::KICKS);
            }
            continue;
        }
        let from = kick.t_ns.saturating_sub(late);
        add(why_observed_only(kick, guided, from, until), 0);
    }
    for (note, _) in sent.iter().zip(&taken).filter(|(_, taken)| !**taken) {
        let until = note.t_ns.saturating_add(reach);
        let lost = note
            .target
            .is_some_and(|cpu| guided.lost(Some(cpu), note.t_ns, until));
        let why = if lost {
            Reason::LostEvents
        } else {
            why_model_only(note, observed, passes, reach)
        };
        add(why, 1);
    }
    Compared {
        observed: observed.len() as u64,
        model: sent.len() as u64,
        reasons: rows
            .into_iter()
            .map(|(reason, [observed_only, model_only, both])| ReasonCount {
                reason,
                observed_only,
                model_only,
                both,
            })
            .collect(),
        same_flags,
        told_flags,
    }
}

fn of_kind(all: &[Annotation], kind: Kind) -> impl Iterator<Item = &Annotation> {
    all.iter().filter(move |note| note.kind == kind)
}

fn why_observed_only(kick: &ObservedKick, guided: &Guided, from: u64, until: u64) -> Reason {
    let first = guided.notes.partition_point(|note| note.t_ns < from);
    let near = guided.notes.get(first..).unwrap_or_default();
    let sender = |note: &&Annotation| kick.from.is_none_or(|from| from == note.cpu);
    let near = || {
        near.iter()
            .take_while(|note| note.t_ns <= until)
            .filter(sender)
    };
    let has = |kind| near().any(|note| note.kind == kind);
    let to_target = |note: &Annotation| note.target == Some(kick.target);
    if near().any(|note| note.kind == Kind::KickLatched && to_target(note)) {
        return Reason::UnderWay;
    }
    if near()
        .any(|note| matches!(note.kind, Kind::KickSent | Kind::KickLatched) && !to_target(note))
    {
        return Reason::OtherTarget;
    }
    match kick.flags.map(|recorded| recorded & flags::KICKS) {
        Some(flags::NEXT) => return Reason::NextKick,
        Some(recorded) if recorded != 0 && recorded & flags::BALANCE == 0 => {
            return Reason::BlockedLoadUnknown;
        }
        _ => {}
    }
    if has(Kind::NoTarget) {
        return Reason::NobodyIdle;
    }
    if has(Kind::GateClosed) {
        return Reason::NextBalanceUnknown;
    }
    if guided.lost(kick.from, from, until) {
        return Reason::LostEvents;
    }
    let tick = guided.ticks.partition_point(|&tick| tick < from);
    if guided.ticks.get(tick).is_none_or(|&tick| tick > until) {
        return Reason::TickNotSeen;
    }
    Reason::NrRunningDiffers
}

fn why_model_only(
    note: &Annotation,
    observed: &[ObservedKick],
    passes: &[ObservedPass],
    reach: u64,
) -> Reason {
    let until = note.t_ns.saturating_add(reach);
    let first = passes.partition_point(|pass| pass.from_ns < note.t_ns);
    let near = passes.get(first..).unwrap_or_default();
    let mut near = near.iter().take_while(|pass| pass.from_ns <= until);
    let arrived = |pass: &ObservedPass| {
        let since = pass.from_ns.saturating_sub(reach);
        let first = observed.partition_point(|kick| kick.t_ns < since);
        let kicks = observed.get(first..).unwrap_or_default().iter();
        let mut kicks = kicks.take_while(|kick| kick.t_ns <= pass.from_ns);
        kicks.any(|kick| kick.target == pass.cpu)
    };
    if near.any(|pass| pass.kicked && Some(pass.cpu) == note.target && !arrived(pass)) {
        return Reason::MissedProbe;
    }
    let first = observed.partition_point(|kick| kick.t_ns < note.t_ns);
    let near = observed.get(first..).unwrap_or_default();
    let mut near = near.iter().take_while(|kick| kick.t_ns <= until);
    if near.any(|kick| Some(kick.target) != note.target) {
        return Reason::OtherTarget;
    }
    match note.why {
        Why::BlockedLoad => Reason::BlockedLoadUnknown,
        Why::NextBalance => Reason::NextKick,
        _ => Reason::GateLater,
    }
}

/// A row of the table of models.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelRow {
    /// Model.
    pub follow: ModelKind,
    /// Kicks sent.
    pub kicks: u64,
    /// Kicks swallowed because one counted as under way.
    pub latched: u64,
    /// Kicks that came and did nothing.
    pub dropped: u64,
    /// Passes.
    pub passes: u64,
    /// Ticks with waiting tasks before `next_balance`.
    pub gate_closed: u64,
    /// Ticks blocked by the picks.
    pub pick_blocked: u64,
    /// CPU-ms at most: idle CPUs with overdue balance while tasks wait.
    pub overdue_cpu_ms: f64,
}

/// The models side by side.
#[must_use]
pub fn models(replayed: &Replayed) -> Vec<ModelRow> {
    let rows = replayed.runs.iter().map(|run| ModelRow {
        follow: run.follow,
        kicks: run.counts.of(Kind::KickSent),
        latched: run.counts.of(Kind::KickLatched),
        dropped: run.counts.of(Kind::KickDropped),
        passes: run.counts.of(Kind::Pass),
        gate_closed: run.counts.of(Kind::GateClosed),
        pick_blocked: run.counts.of(Kind::PickBlocked),
        overdue_cpu_ms: run.overdue_cpu_ns as f64 / 1e6,
    });
    rows.collect()
}

/// Valid conclusions from the table of models.
pub const MAY: &str = "Given the recorded ticks, idle times and runqueues, these are the kicks that each version would have sent. The time is that in which a tickless idle CPU was due for balancing while tasks waited elsewhere: an upper bound of what timely kicks could have saved.";
/// Invalid conclusions.
pub const MAY_NOT: &str = "It does not predict idle time: a pulled task changes all that follows, and none of that is replayed. Two versions differ in decisions on the same recording, not in speed.";
