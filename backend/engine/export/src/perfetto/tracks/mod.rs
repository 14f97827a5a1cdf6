//! Replay results, as tracks below the events: findings, nodes, cling, pressure, the idle load balancer, waits, sleeps,
//! requests.
//!
//! Every track says in its description how its values are known.

mod cling;
mod findings;
mod kicks;
mod nodes;
mod off_cpu;
mod pressure;
mod waits;

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_perfetto_packets::{Counter, Mark, Trace, Track};
use numalens_subject::{Context, Window};
use serde::Serialize;

use super::super::Out;
use super::{PIECE, Written};

/// Entries of one kind that are shown: attempts, decisions, kicks.
const MOST: usize = 1 << 20;

/// Tracks in order, and their numbers.
struct Tracks<'t> {
    trace: &'t mut Trace,
    out: Out<'t>,
    made: u64,
    flows: u64,
}

/// Writes the tracks of a window, after the events.
pub(super) fn write(
    bundle: &Context,
    window: (u64, u64),
    written: &Written,
    trace: &mut Trace,
    out: Out<'_>,
) -> Result<(), Error> {
    let window = Window {
        from_ns: window.0.max(bundle.index.origin_ns()),
        to_ns: window.1.min(bundle.index.end_ns()),
    };
    if window.from_ns >= window.to_ns || bundle.tables.is_empty() {
        return Ok(());
    }
    let mut tracks = Tracks {
        trace,
        out,
        made: 0,
        flows: 0,
    };
    let root = tracks.track(0, 0, "NumaLens", &root(written));
    findings::write(&mut tracks, root, bundle, window)?;
    nodes::write(&mut tracks, root, bundle, window)?;
    cling::write(&mut tracks, root, bundle, window)?;
    pressure::write(&mut tracks, root, bundle, window)?;
    kicks::write(&mut tracks, root, bundle, window)?;
    waits::write(&mut tracks, root, bundle, window)?;
    off_cpu::write(&mut tracks, root, bundle, window)
}

fn root(written: &Written) -> String {
    let text = "Replay results of NumaLens.";
    match written.made {
        0 => text.to_owned(),
        made => format!(
            "{text} {made} sched_waking events are not from the recording. Each is made from the sched_wakeup or sched_wakeup_new at the same moment and has success = 0, since Perfetto takes only them as a sign that a task is runnable."
        ),
    }
}

impl Tracks<'_> {
    fn track(&mut self, parent: u64, rank: usize, name: &str, description: &str) -> u64 {
        self.make(parent, rank, name, description, None)
    }

    fn counter(
        &mut self,
        parent: u64,
        (rank, name): (usize, &str),
        unit: &str,
        description: &str,
    ) -> u64 {
        let counter = Some(Counter { unit, axis: unit });
        self.make(parent, rank, name, description, counter)
    }

    fn make(
        &mut self,
        parent: u64,
        rank: usize,
        name: &str,
        description: &str,
        counter: Option<Counter<'_>>,
    ) -> u64 {
        self.made += 1;
        self.trace.track(&Track {
            uuid: self.made,
            parent,
            rank: i32::try_from(rank).unwrap_or(i32::MAX),
            name,
            description,
            counter,
        });
        self.made
    }

    fn value(&mut self, track: u64, at_ns: u64, value: f64) -> Result<(), Error> {
        self.trace.value(track, at_ns, value);
        self.hand_on()
    }

    fn slice(&mut self, track: u64, span: (u64, u64), mark: &Mark<'_>) -> Result<(), Error> {
        self.trace.slice(track, span.0, span.1, mark);
        self.hand_on()
    }

    fn instant(&mut self, track: u64, at_ns: u64, mark: &Mark<'_>) -> Result<(), Error> {
        self.trace.instant(track, at_ns, mark);
        self.hand_on()
    }

    /// Hands on what is written when that is a piece.
    fn hand_on(&mut self) -> Result<(), Error> {
        if self.trace.pending() < PIECE {
            return Ok(());
        }
        self.trace.hand_on(&mut *self.out)
    }
}

/// The word that the sections have for it.
fn word(of: &impl Serialize) -> String {
    let value = serde_json::to_value(of).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// Provenance of a value, and its missing inputs.
fn known(label: Label, missing: &[String]) -> String {
    let label = word(&label);
    if missing.is_empty() {
        format!("{label}.")
    } else {
        format!("{label}; missing: {}.", missing.join(", "))
    }
}

/// Note for a list of which only the first [`MOST`] entries are shown.
fn cut(what: &str, all: usize) -> String {
    match all.saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" {more} more {what} are not shown: export a shorter window."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_counted() {
        assert_eq!(cut("kicks", MOST), "");
        assert_eq!(
            cut("kicks", MOST + 3),
            " 3 more kicks are not shown: export a shorter window."
        );
    }

    #[test]
    fn made_requests_are_counted() {
        let text = |made| root(&Written { events: 9, made });
        assert!(!text(0).contains("sched_waking"));
        assert!(text(2).contains(" 2 sched_waking events are not from the recording"));
    }
}
