//! A bundle as a Perfetto trace: the events of all recordings in one order, what the machine is, and what the replays found.

mod cursor;
mod events;
mod head;
mod names;
mod tracks;
mod tree;
mod wakes;

use numalens_bundle::Error;
use numalens_perfetto_packets::Trace;
use numalens_subject::Context;

use self::events::{Events, Written};
use super::Out;

/// Bytes that are handed on at once.
const PIECE: usize = 1 << 20;

/// Writes the events with `from_ns <= ts <= to_ns` as a Perfetto trace, `with_tracks` also what the replays found, and
/// returns the number of events.
///
/// # Errors
///
/// Fails when a table or log cannot be read, or writing to `out` fails.
pub fn export_trace(
    bundle: &Context,
    window: (Option<u64>, Option<u64>),
    with_tracks: bool,
    out: Out<'_>,
) -> Result<u64, Error> {
    let window = (window.0.unwrap_or(0), window.1.unwrap_or(u64::MAX));
    let mut trace = Trace::new();
    head::write(bundle, window.0, &mut trace)?;
    let mut events = Events::open(bundle, window, &mut trace)?;
    while events.some(&mut trace, PIECE)? {
        trace.hand_on(&mut *out)?;
    }
    let written = events.finish(&mut trace);
    if with_tracks {
        tracks::write(bundle, window, &written, &mut trace, &mut *out)?;
    }
    trace.hand_on(out)?;
    Ok(written.events)
}
