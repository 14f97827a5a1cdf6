//! mmtests' table of the counters in `/proc/vmstat`. No recording is needed.

use numalens_bundle::Error;
use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_replay::numa::Verdict;
use numalens_subject::options::Nothing;
use numalens_subject::vmstat::{Counters, VmstatSamples, deltas, span};
use numalens_subject::{Context, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

use crate::sections::balancing::attempts;
use crate::vmstat::{self, TASK_MIGRATED, TASK_SWAPPED, VmstatTable};
use numalens_subject::metrics::{Basis, Metrics, content, figures, seconds};

/// The counters of `/proc/vmstat` between the window's first and last sample.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Vmstat")]
pub(super) struct Counted {
    /// Time of the first sample, ns.
    #[serde(with = "Moment")]
    sampled_from_ns: u64,
    /// Time of the last sample, ns.
    #[serde(with = "Moment")]
    sampled_to_ns: u64,
    /// Counts between them.
    table: VmstatTable,
    /// The kernel's counts of placed tasks against the recorded events; null where the kernel does not count, or no event is recorded.
    placements: Option<Placements>,
}

/// Tasks that NUMA balancing placed, counted by the kernel and by its events between two samples.
#[derive(Serialize, JsonSchema)]
struct Placements {
    /// Growth of `numa_task_migrated`.
    migrated_counted: i64,
    /// Moves that `sched_move_numa` announced, also those that then failed.
    migrated_recorded: i64,
    /// Growth of `numa_task_swapped`; two for each swap.
    swapped_counted: i64,
    /// Tasks of the swaps that succeeded by their events.
    swapped_recorded: i64,
    /// Provenance of the recorded ones.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

impl Placements {
    fn of(open: &Context, window: Window, grown: &Counters) -> Result<Option<Self>, Error> {
        let counted = grown.get(TASK_MIGRATED).zip(grown.get(TASK_SWAPPED));
        let (Some((&migrated, &swapped)), (attempts, Some(source))) =
            (counted, attempts(open, window)?)
        else {
            return Ok(None);
        };
        let count = |wanted: &[Verdict]| {
            let own = attempts.iter().filter(|one| wanted.contains(&one.verdict));
            own.count() as i64
        };
        Ok(Some(Self {
            migrated_counted: migrated,
            migrated_recorded: count(&[Verdict::Moved, Verdict::MoveFailed]),
            swapped_counted: swapped,
            swapped_recorded: 2 * count(&[Verdict::Swapped]),
            label: source.label,
            missing: source.missing,
        }))
    }
}

pub(super) fn vmstat(open: &Context, window: Window, _: Nothing) -> Result<Counted, Stop> {
    let samples = VmstatSamples::of(open)?;
    let readings = &samples.readings;
    if readings.is_empty() {
        let given = open
            .samples
            .iter()
            .any(|one| one.table == "vmstat" && one.rows > 0);
        return Err(Stop::unavailable(if given {
            "samples of /proc/vmstat exist, but their times cannot be aligned with the trace"
        } else {
            "no input has samples of /proc/vmstat"
        }));
    }
    let Some((before, after)) = span(readings, window.from_ns, window.to_ns) else {
        return Err(Stop::unavailable(
            "/proc/vmstat was not sampled twice in the window",
        ));
    };
    let grown = deltas(&before.counters, &after.counters);
    let between = Window {
        from_ns: before.t_ns,
        to_ns: after.t_ns,
    };
    let placements = Placements::of(open, between, &grown)?;
    Ok(Counted {
        sampled_from_ns: before.t_ns,
        sampled_to_ns: after.t_ns,
        table: vmstat::table(&grown),
        placements,
    })
}

/// Figures for comparisons: the rows of the table.
pub(super) fn metrics(open: &Context, window: (u64, u64)) -> Result<Metrics, Error> {
    let counted = content(vmstat, open, window, Nothing {}, true)?;
    Ok(figures("vmstat", &counted, |counted, _| {
        let table = &counted.table;
        // Between the samples, which need not reach from end to end of the window.
        let length = seconds(counted.sampled_to_ns - counted.sampled_from_ns);
        let basis = Basis::new(table.label, &table.missing, length);
        table.rows.iter().map(|row| row.metric(&basis)).collect()
    }))
}
