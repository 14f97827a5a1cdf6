//! A bundle as a Perfetto trace: the events of all recordings in one order, what the machine is, and what the replays found.

mod events;
mod head;
mod notes;

use numalens_perfetto_packets::Trace;

use self::events::Events;
use super::Out;
use crate::bundle::Open;
use crate::error::Error;

/// Bytes that are handed on at once.
const PIECE: usize = 1 << 20;

/// Writes the events with `from_ns <= ts <= to_ns` as a Perfetto trace and gives their number.
pub(crate) fn export_trace(
    bundle: &Open,
    window: (Option<u64>, Option<u64>),
    out: Out<'_>,
) -> Result<u64, Error> {
    let window = (window.0.unwrap_or(0), window.1.unwrap_or(u64::MAX));
    let mut trace = Trace::new();
    head::write(bundle, window.0, &mut trace)?;
    let mut events = Events::open(bundle, window, &mut trace)?;
    while events.some(&mut trace, PIECE)? {
        out(&trace.take())?;
    }
    let written = events.finish(&mut trace);
    notes::write(bundle, window, &mut trace)?;
    out(&trace.take())?;
    Ok(written)
}
