//! Picks that left a waiting task, as decisions.

use numalens_replay::waits::{Cause, Order};
use numalens_subject::decisions::{At, Kind, Steps, Tally, Wording};
use numalens_subject::section::replay;
use numalens_subject::{Context, Stop};

const PICK: Wording = Wording::new("pick", "Pick that left a waiting task", "", "pick_eevdf");
/// Causes of waits that only probes of picks show.
const LEFT: [Cause; 4] = [
    Cause::NotEligible,
    Cause::LaterDeadline,
    Cause::SliceProtected,
    Cause::ShortBehindBuddy,
];

/// Returns the reasons for which picks left waiting tasks, each once for a wait.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
pub fn decisions(open: &Context, steps: Steps) -> Result<Vec<Kind>, Stop> {
    let (parts, evidence) = replay(open)?;
    let mut left = Vec::new();
    let (from, to) = (steps.window.from_ns, steps.window.to_ns);
    parts
        .waits
        .over(from, to, Order::Forwards, |wait, causes| {
            for (place, &cause) in LEFT.iter().enumerate() {
                if wait.start_ns >= from && causes.iter().any(|one| one.cause == cause) {
                    left.push((wait.start_ns, wait.task, wait.from_cpu, place));
                }
            }
        })?;
    if left.is_empty() {
        return Ok(Vec::new());
    }
    left.sort_unstable();
    let mut tally = Tally::new(steps);
    for (ts_ns, task, cpu, place) in left {
        let pid = open.index.task(task).map(|task| task.0);
        let cpu = Some(cpu);
        tally.add(place, At { ts_ns, pid, cpu });
    }
    let source = evidence.run_state_in(steps.window.from_ns, steps.window.to_ns);
    let quality = (source.label, source.missing);
    let word = |place: usize| {
        let entry = LEFT[place].entry();
        Wording::new(entry.id, entry.title, "", entry.kernel)
    };
    Ok(vec![tally.finish(open, PICK, quality, word)])
}
