//! The section's lists, cut to what anyone can look at.

use numalens_core::json::Moment;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ilb::{Curve, Event, MaskSpan};
use crate::sections::section::Window;

/// A time in which idle CPUs with an overdue balance stood next to waiting tasks.
#[derive(Debug, Serialize, JsonSchema)]
pub(in super::super) struct WasteStretch {
    /// When it begins, ns.
    #[serde(with = "Moment")]
    from_ns: u64,
    /// When it ends, ns.
    #[serde(with = "Moment")]
    to_ns: u64,
    /// What it cost.
    cpu_ms: f64,
}

/// The times of a curve that cost most, by time.
pub(super) fn costliest(curve: &Curve, window: Window, most: usize) -> Vec<WasteStretch> {
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

/// Evenly spread over the list when it is longer than `most`: what is seen of a window is then seen of all of it. Kicks that
/// came to nothing stay first.
pub(super) fn spread(mut events: Vec<Event>, most: usize) -> Vec<Event> {
    use crate::ilb::{EventKind, Fate};
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
pub(in super::super) struct IdleLane {
    /// The CPU.
    cpu: u32,
    /// From when and to when, ns.
    spans: Vec<(Moment, Moment)>,
}

/// Times in the idle mask that a section has at most.
const MOST_SPANS: usize = 4000;
/// Where there are more, times closer to each other than this part of the window are told as one.
const GRAINS: u64 = 1000;

/// The idle mask by CPU, and whether times were joined.
pub(super) fn mask(spans: &[MaskSpan], cpus: usize, window: Window) -> (Vec<IdleLane>, bool) {
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
