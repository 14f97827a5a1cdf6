//! Marks of lost events.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use numalens_core::ipc::IpcFile;

use crate::bundle::{LOST, Open};
use crate::error::Error;

/// Events that are missing in a window, as far as their number is known; a gap without a number counts as one.
///
/// # Errors
///
/// Fails when the marks of lost events cannot be read.
pub fn lost_events(open: &Open, from_ns: u64, to_ns: u64) -> Result<u64, Error> {
    let mut lost: u64 = 0;
    for name in open.files.list(LOST)? {
        let file = open.files.pieces(&format!("{LOST}/{name}"))?;
        let file = IpcFile::open(file, None)?;
        for batch in file.into_batches() {
            let batch = batch?;
            let numbers = |name: &str| {
                batch
                    .column_by_name(name)
                    .and_then(|array| array.as_primitive_opt::<UInt64Type>())
            };
            let (Some(times), Some(counts)) = (numbers("ts_ns"), numbers("count")) else {
                continue;
            };
            for (&time, count) in times.values().iter().zip(counts) {
                if (from_ns..=to_ns).contains(&time) {
                    lost = lost.saturating_add(count.unwrap_or(1));
                }
            }
        }
    }
    Ok(lost)
}
