//! Processes of threads, and the names of both.

use numalens_bundle::Open;
use numalens_perfetto_packets::{Thread, Trace};

/// Writes the threads whose process is known; the others get their names from the switches to them. Without a process Perfetto
/// would take them all for threads of process 0.
pub(super) fn write(bundle: &Open, trace: &mut Trace) {
    let known: Vec<Thread<'_>> = (0..)
        .zip(bundle.index.tgids())
        .filter_map(|(task, process)| {
            let (pid, name) = bundle.index.task(task)?;
            Some(Thread {
                tid: pid,
                tgid: Some((*process)?),
                name,
            })
        })
        .collect();
    trace.threads(&known);
}
