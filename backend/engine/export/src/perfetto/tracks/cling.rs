//! NUMA cling: each group's ratio of failures by node, when a node was busy for it, and what was decided.

use numalens_bundle::Error;
use numalens_cling::annotations::Annotation;
use numalens_engine::cling_tracks;
use numalens_perfetto_packets::{Mark, Value};
use numalens_subject::{Context, Window};

use super::{MOST, Tracks, cut, known, word};

const DECISIONS: &str = "Decisions of cling about tasks that were to change nodes.";

pub(super) fn write(
    tracks: &mut Tracks<'_>,
    root: u64,
    bundle: &Context,
    window: Window,
) -> Result<(), Error> {
    let cling = cling_tracks(bundle, window)?.filter(|cling| !cling.groups.is_empty());
    let Some(cling) = cling else {
        return Ok(());
    };
    let parent = tracks.track(
        root,
        2,
        "NUMA cling",
        "Migrations between nodes that failed, by numa group.",
    );
    for (rank, group) in cling.groups.iter().enumerate() {
        let cgroup = group.cgroup.as_deref().unwrap_or_default();
        let name = format!("Group {} {cgroup}", group.gid);
        let label = known(group.label, &group.missing);
        let track = tracks.track(parent, rank, name.trim_end(), &label);
        for (rank, node) in group.nodes.iter().enumerate() {
            let name = format!("failures to node {}", node.nid);
            let ratio = tracks.counter(track, (2 * rank, &name), "%", &label);
            for &(at_ns, percent) in &node.ratios {
                tracks.value(ratio, at_ns, percent as f64)?;
            }
            let name = format!("node {} busy", node.nid);
            let busy = tracks.track(track, 2 * rank + 1, &name, &label);
            let mark = Mark {
                name: &name,
                category: "cling",
                ..Mark::default()
            };
            for span in &node.busy {
                tracks.slice(busy, (span.from_ns, span.to_ns), &mark)?;
            }
        }
    }
    decisions(tracks, parent, cling.groups.len(), &cling.decisions)
}

fn decisions(
    tracks: &mut Tracks<'_>,
    parent: u64,
    rank: usize,
    decisions: &[Annotation],
) -> Result<(), Error> {
    let description = format!("{DECISIONS}{}", cut("decisions", decisions.len()));
    let track = tracks.track(parent, rank, "Decisions", &description);
    for decision in decisions.iter().take(MOST) {
        let [kind, outcome, label] = [
            word(&decision.kind),
            word(&decision.outcome),
            word(&decision.label),
        ];
        let mut arguments = vec![
            ("kind", Value::Text(&kind)),
            ("outcome", Value::Text(&outcome)),
            ("function", Value::Text(decision.function)),
            ("group", Value::Int(decision.group.into())),
            ("snid", Value::Int(decision.snid.into())),
            ("dnid", Value::Int(decision.dnid.into())),
            ("label", Value::Text(&label)),
        ];
        arguments.extend(decision.pid.map(|pid| ("pid", Value::Int(pid.into()))));
        let mark = Mark {
            name: &outcome,
            category: "cling",
            arguments: &arguments,
            ..Mark::default()
        };
        tracks.instant(track, decision.t_ns, &mark)?;
    }
    Ok(())
}
