//! mmtests' table of the counters in `/proc/vmstat`. No recording is needed.

use numalens_core::json::Moment;
use numalens_subject::options::Nothing;
use numalens_subject::vmstat::{VmstatSamples, deltas, span};
use numalens_subject::{Context, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

use crate::vmstat::{self, VmstatTable};
use numalens_bundle::Error;
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
    let table = vmstat::table(&deltas(&before.counters, &after.counters));
    Ok(Counted {
        sampled_from_ns: before.t_ns,
        sampled_to_ns: after.t_ns,
        table,
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
