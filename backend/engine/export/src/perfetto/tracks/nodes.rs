//! Each node's use, its waiting tasks, and the NUMA balancer's attempts to take tasks from it.

use numalens_bundle::Error;
use numalens_engine::{attempts, used};
use numalens_perfetto_packets::{Mark, Value};
use numalens_replay::numa::Attempt;
use numalens_subject::{Context, Window, optional};

use super::{MOST, Tracks, cut, known, word};

/// Steps of a node's counters over the window.
const STEPS: u64 = 1000;
/// The shortest step, ns.
const SHORTEST_NS: u64 = 1_000_000;

pub(super) fn write(
    tracks: &mut Tracks<'_>,
    root: u64,
    bundle: &Context,
    window: Window,
) -> Result<(), Error> {
    let step_ns = ((window.to_ns - window.from_ns) / STEPS).max(SHORTEST_NS);
    let Some(used) = optional(used(bundle, window, Some(step_ns)))? else {
        return Ok(());
    };
    let (attempts, source) = attempts(bundle, window)?;
    let how = source.map(|source| known(source.label, &source.missing));
    let parent = tracks.track(root, 1, "Nodes", "In the order of the machine's topology.");
    let label = known(used.label, &used.missing);
    for (rank, node) in used.nodes.iter().enumerate() {
        let track = tracks.track(parent, rank, &format!("Node {}", node.nid), "");
        let busy = tracks.counter(track, (0, "busy"), "%", &label);
        let shares = node.percent.iter();
        let shares = shares.map(|percent| percent.map(|percent| percent as f64));
        values(tracks, busy, shares, window, used.step_ns)?;
        let depth = used.depth.nodes.iter().find(|of| of.nid == node.nid);
        if let Some(depth) = depth {
            let waiting = tracks.counter(track, (1, "waiting tasks, mean"), "tasks", &label);
            let means = depth.mean.iter().copied().map(Some);
            values(tracks, waiting, means, window, used.depth.step_ns)?;
        }
        if let Some(how) = &how {
            let from = |attempt: &&Attempt| attempt.src_nid == node.nid as i32;
            tried(tracks, track, how, bundle, attempts.iter().filter(from))?;
        }
    }
    Ok(())
}

fn values(
    tracks: &mut Tracks<'_>,
    track: u64,
    values: impl Iterator<Item = Option<f64>>,
    window: Window,
    step_ns: u64,
) -> Result<(), Error> {
    let mut at = window.from_ns;
    for value in values {
        if let Some(value) = value {
            tracks.value(track, at, value)?;
        }
        at = at.saturating_add(step_ns);
    }
    Ok(())
}

fn tried<'a>(
    tracks: &mut Tracks<'_>,
    node: u64,
    how: &str,
    bundle: &Context,
    attempts: impl Iterator<Item = &'a Attempt> + Clone,
) -> Result<(), Error> {
    let description = format!(
        "Attempts to bring tasks of this node to another (task_numa_migrate), {how}{}",
        cut("attempts", attempts.clone().count())
    );
    let track = tracks.track(node, 2, "NUMA attempts", &description);
    for attempt in attempts.take(MOST) {
        let verdict = word(&attempt.verdict);
        let arguments = [
            ("verdict", Value::Text(&verdict)),
            (
                "comm",
                Value::Text(bundle.index.comm_of(attempt.pid).unwrap_or_default()),
            ),
            ("pid", Value::Int(attempt.pid.into())),
            ("ngid", Value::Int(attempt.ngid.into())),
            ("src_cpu", Value::Int(attempt.src_cpu.into())),
            ("dst_cpu", Value::Int(attempt.dst_cpu.into())),
            ("target_nid", Value::Int(attempt.target_nid.into())),
            ("failed", Value::Bool(attempt.failed() == Some(true))),
        ];
        let mark = Mark {
            name: &verdict,
            category: "numa",
            arguments: &arguments,
            ..Mark::default()
        };
        tracks.instant(track, attempt.start_ns, &mark)?;
    }
    Ok(())
}
