//! Printed decisions of NUMA cling.

use numalens_core::provenance::Label;
use numalens_replay::numa::{ClingLine, Site};
use numalens_subject::decisions::{At, Kind, Steps, Tally, Wording};
use numalens_subject::logs::NumaInputs;
use numalens_subject::{Context, Stop};

const CLING: Wording = Wording::new(
    "cling",
    "Decision of NUMA cling",
    "G4, G5",
    "task_numa_cling (patch series of 2019)",
);

/// Returns the decisions that a kernel with cling printed in a window.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
pub fn decisions(open: &Context, steps: Steps) -> Result<Vec<Kind>, Stop> {
    NumaInputs::of(open)?;
    let window = steps.window;
    let mut tally = Tally::new(steps);
    let lines = &open.numa_logs()?.lines;
    lines.scan(window.from_ns, window.to_ns, |row| {
        if let ClingLine::Decision {
            site, pid, busy, ..
        } = row.line
        {
            let at = At {
                ts_ns: row.ts_ns,
                pid: Some(pid),
                cpu: None,
            };
            tally.add((site, busy), at);
        }
    })?;
    let kind = tally.finish(open, CLING, (Label::Observed, Vec::new()), word);
    Ok(if kind.count > 0 {
        vec![kind]
    } else {
        Vec::new()
    })
}

fn word((site, busy): (Site, bool)) -> Wording {
    let (id, title, kernel) = match site {
        Site::Wake => ("wake", "Wakeup", "select_task_rq_fair"),
        Site::LoadBalance => ("load_balance", "Pull", "migrate_degrades_locality"),
        Site::Swap => ("swap", "Swap", "task_numa_compare"),
    };
    let (end, what) = if busy {
        ("released", "let off a busy node")
    } else {
        ("kept", "kept on its node")
    };
    Wording {
        id: format!("{id}_{end}").into(),
        title: format!("{title}: task {what}").into(),
        ..Wording::new("", "", "G5", kernel)
    }
}
