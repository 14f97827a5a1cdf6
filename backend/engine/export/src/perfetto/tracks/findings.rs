//! Findings: one track each, since they overlap.

use numalens_bundle::Error;
use numalens_engine::{Pressure, found};
use numalens_perfetto_packets::{Mark, Value};
use numalens_subject::{Context, Window, optional};

use super::{Tracks, word};

pub(super) fn write(
    tracks: &mut Tracks<'_>,
    root: u64,
    bundle: &Context,
    window: Window,
) -> Result<(), Error> {
    let Some(found) = optional(found(bundle, window, &Pressure::default()))? else {
        return Ok(());
    };
    let parent = tracks.track(root, 0, "Findings", "Worst first.");
    for (rank, finding) in found.iter().enumerate() {
        let track = tracks.track(parent, rank, finding.id, &finding.summary);
        let (severity, label) = (word(&finding.severity), word(&finding.label));
        let arguments = [
            ("rank", Value::Int(rank as i64 + 1)),
            ("summary", Value::Text(&finding.summary)),
            ("impact_ms", Value::Double(finding.impact_ms)),
            ("severity", Value::Text(&severity)),
            ("label", Value::Text(&label)),
        ];
        let mark = Mark {
            name: finding.id,
            category: "finding",
            arguments: &arguments,
            ..Mark::default()
        };
        tracks.slice(track, (finding.from_ns, finding.to_ns), &mark)?;
    }
    Ok(())
}
