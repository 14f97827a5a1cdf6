//! What the replays found, as tracks below the events: nodes, cling, pressure, the idle load balancer, findings.
//!
//! Every track says in its description how its values are known.

use numalens_perfetto_packets::{Argument, Counter, Mark, Trace, Track, Value as Told};
use serde_json::Value;

use crate::analysis::analyse;
use crate::bundle::Open;
use crate::error::Error;

/// Steps of a node's counters over the window.
const STEPS: u64 = 1000;
/// The shortest step, ns.
const SHORTEST_NS: u64 = 1_000_000;
/// Most entries that a section lists.
const ENTRIES: &str = r#"{"limit":1000}"#;

const ATTEMPTS: &str =
    "Attempts to bring tasks of this node to another (task_numa_migrate), replayed.";

/// Tracks in the order in which they stand, and their numbers.
struct Notes<'t> {
    trace: &'t mut Trace,
    tracks: u64,
    flows: u64,
}

/// Writes the tracks of a window.
pub(super) fn write(bundle: &Open, window: (u64, u64), trace: &mut Trace) -> Result<(), Error> {
    let from = window.0.max(bundle.index.origin_ns());
    let to = window.1.min(bundle.index.end_ns());
    if from >= to || bundle.tables.is_empty() {
        return Ok(());
    }
    let mut notes = Notes {
        trace,
        tracks: 0,
        flows: 0,
    };
    let ask = |section: &str, options: &str| -> Result<Option<Value>, Error> {
        let answer = analyse(bundle, section, (from, to), options)?;
        let answer: Value = serde_json::from_str(&answer).map_err(super::super::broken)?;
        Ok(Some(answer).filter(|answer| answer["available"] != Value::Bool(false)))
    };
    let root = notes.track(
        0,
        0,
        "NumaLens",
        "What NumaLens replayed of this recording.",
    );
    if let Some(findings) = ask("findings", "{}")? {
        notes.findings(root, &findings);
    }
    let step_ns = ((to - from) / STEPS).max(SHORTEST_NS);
    let utilisation = ask("utilisation", &format!(r#"{{"step_ns":{step_ns}}}"#))?;
    let balancing = ask("balancing", ENTRIES)?;
    notes.nodes(root, utilisation.as_ref(), balancing.as_ref(), (from, to));
    if let Some(cling) = ask("cling", ENTRIES)? {
        notes.cling(root, &cling);
    }
    if let Some(pressure) = ask("psi", "{}")? {
        notes.pressure(root, &pressure);
    }
    if let Some(ilb) = ask("ilb", ENTRIES)? {
        notes.kicks(root, &ilb);
    }
    Ok(())
}

impl Notes<'_> {
    fn track(&mut self, parent: u64, rank: i32, name: &str, description: &str) -> u64 {
        self.made(parent, rank, name, description, None)
    }

    fn counter(&mut self, parent: u64, place: (i32, &str), unit: &str, description: &str) -> u64 {
        let counter = Some(Counter { unit, axis: unit });
        self.made(parent, place.0, place.1, description, counter)
    }

    fn made(
        &mut self,
        parent: u64,
        rank: i32,
        name: &str,
        description: &str,
        counter: Option<Counter<'_>>,
    ) -> u64 {
        self.tracks += 1;
        self.trace.track(&Track {
            uuid: self.tracks,
            parent,
            rank,
            name,
            description,
            counter,
        });
        self.tracks
    }

    /// One track each, since they overlap.
    fn findings(&mut self, root: u64, findings: &Value) {
        let parent = self.track(root, 0, "Findings", "Ranked by what they cost.");
        for (rank, finding) in list(&findings["findings"]).iter().enumerate() {
            let id = text(&finding["id"]);
            let track = self.track(parent, rank as i32, id, text(&finding["summary"]));
            let arguments = [
                ("summary", Told::Text(text(&finding["summary"]))),
                ("impact_ms", number(&finding["impact_ms"])),
                ("severity", Told::Text(text(&finding["severity"]))),
                ("label", Told::Text(text(&finding["label"]))),
            ];
            let mark = Mark {
                name: id,
                category: "finding",
                arguments: &arguments,
                ..Mark::default()
            };
            if let (Some(from), Some(to)) = (time(&finding["from_ns"]), time(&finding["to_ns"])) {
                self.trace.slice(track, from, to, &mark);
            }
        }
    }

    /// Each node's use, its waiting tasks, and the NUMA balancer's attempts to take tasks from it.
    fn nodes(
        &mut self,
        root: u64,
        utilisation: Option<&Value>,
        balancing: Option<&Value>,
        window: (u64, u64),
    ) {
        let Some(utilisation) = utilisation else {
            return;
        };
        let parent = self.track(root, 1, "Nodes", "In the order of the machine's topology.");
        let known = label(utilisation);
        let depth = &utilisation["depth"];
        for (rank, node) in list(&utilisation["nodes"]).iter().enumerate() {
            let nid = &node["nid"];
            let track = self.track(parent, rank as i32, &format!("Node {nid}"), "");
            let busy = self.counter(track, (0, "busy"), "%", &known);
            let step = utilisation["step_ns"].as_u64().unwrap_or(1);
            self.values(busy, &node["percent"], window, step);
            let waiting = list(&depth["nodes"]).iter().find(|of| of["nid"] == *nid);
            if let Some(waiting) = waiting {
                let track = self.counter(track, (1, "waiting tasks, mean"), "tasks", &known);
                let step = depth["step_ns"].as_u64().unwrap_or(1);
                self.values(track, &waiting["mean"], window, step);
            }
            if let Some(balancing) = balancing {
                self.attempts(track, nid, balancing);
            }
        }
    }

    fn values(&mut self, track: u64, values: &Value, window: (u64, u64), step_ns: u64) {
        let mut at = window.0;
        for value in list(values) {
            if let Some(value) = value.as_f64() {
                self.trace.value(track, at, value);
            }
            at = at.saturating_add(step_ns);
        }
    }

    fn attempts(&mut self, node: u64, nid: &Value, balancing: &Value) {
        let more = match balancing["attempts_more"].as_u64() {
            None | Some(0) => String::new(),
            Some(more) => {
                format!(" {more} more of all nodes are not shown: export a shorter window.")
            }
        };
        let description = format!("{ATTEMPTS}{more}");
        let track = self.track(node, 2, "NUMA attempts", &description);
        for attempt in list(&balancing["attempts"]) {
            if attempt["src_nid"] != *nid {
                continue;
            }
            let arguments = [
                ("verdict", Told::Text(text(&attempt["verdict"]))),
                ("comm", Told::Text(text(&attempt["comm"]))),
                ("pid", number(&attempt["pid"])),
                ("ngid", number(&attempt["ngid"])),
                ("src_cpu", number(&attempt["src_cpu"])),
                ("dst_cpu", number(&attempt["dst_cpu"])),
                ("target_nid", number(&attempt["target_nid"])),
                ("failed", Told::Bool(attempt["failed"] == Value::Bool(true))),
            ];
            self.instant(
                track,
                text(&attempt["verdict"]),
                "numa",
                &arguments,
                &attempt["start_ns"],
            );
        }
    }

    /// Each group's ratio of failures by node, when a node was busy for it, and what cling decided.
    fn cling(&mut self, root: u64, cling: &Value) {
        if list(&cling["groups"]).is_empty() {
            return;
        }
        let parent = self.track(
            root,
            2,
            "NUMA cling",
            "Migrations between nodes that failed, by numa group.",
        );
        for (rank, group) in list(&cling["groups"]).iter().enumerate() {
            let name = format!("Group {} {}", group["gid"], text(&group["cgroup"]));
            let track = self.track(parent, rank as i32, name.trim_end(), &label(group));
            for (rank, node) in list(&group["nodes"]).iter().enumerate() {
                let nid = &node["nid"];
                let name = format!("failures to node {nid}");
                let ratio = self.counter(track, (2 * rank as i32, &name), "%", &label(group));
                for point in list(&group["series"])
                    .iter()
                    .filter(|point| point["nid"] == *nid)
                {
                    if let (Some(at), Some(value)) =
                        (time(&point["t_ns"]), point["ratio_percent"].as_f64())
                    {
                        self.trace.value(ratio, at, value);
                    }
                }
                let name = format!("node {nid} busy");
                let busy = self.track(track, 2 * rank as i32 + 1, &name, &label(group));
                for span in list(&group["busy"])
                    .iter()
                    .filter(|span| span["nid"] == *nid)
                {
                    if let (Some(from), Some(to)) = (time(&span["from_ns"]), time(&span["to_ns"])) {
                        let mark = Mark {
                            name: &name,
                            category: "cling",
                            ..Mark::default()
                        };
                        self.trace.slice(busy, from, to, &mark);
                    }
                }
            }
        }
        let rank = list(&cling["groups"]).len() as i32;
        let track = self.track(
            parent,
            rank,
            "Decisions",
            "What cling decided about tasks that were to change nodes.",
        );
        for decision in list(&cling["decisions"]) {
            let arguments = [
                ("kind", Told::Text(text(&decision["kind"]))),
                ("outcome", Told::Text(text(&decision["outcome"]))),
                ("function", Told::Text(text(&decision["function"]))),
                ("group", number(&decision["group"])),
                ("pid", number(&decision["pid"])),
                ("snid", number(&decision["snid"])),
                ("dnid", number(&decision["dnid"])),
                ("label", Told::Text(text(&decision["label"]))),
            ];
            self.instant(
                track,
                text(&decision["outcome"]),
                "cling",
                &arguments,
                &decision["t_ns"],
            );
        }
    }

    /// The averages, as rebuilt of the scheduler's events.
    fn pressure(&mut self, root: u64, pressure: &Value) {
        let parent = self.track(root, 3, "Pressure", "Rebuilt of scheduler events.");
        let known = label(&pressure["series"]);
        for (rank, resource) in ["cpu", "memory", "io"].iter().enumerate() {
            let points = list(&pressure["series"][*resource]);
            for (at, half) in ["some", "full"].iter().enumerate() {
                let key = format!("{half}_avg10");
                if points.iter().all(|point| point[&key].is_null()) {
                    continue;
                }
                let name = format!("{resource} {half} avg10");
                let track = self.counter(parent, ((2 * rank + at) as i32, &name), "%", &known);
                for point in points {
                    if let (Some(at), Some(value)) = (time(&point["t_ns"]), point[&key].as_f64()) {
                        self.trace.value(track, at, value);
                    }
                }
            }
        }
    }

    /// Kicks, with an arrow from where they were sent to where they were to balance.
    fn kicks(&mut self, root: u64, ilb: &Value) {
        if ilb["cpus"].as_u64().unwrap_or(0) == 0 {
            return;
        }
        let parent = self.track(root, 4, "Idle load balancer", &label(ilb));
        let sent = self.track(
            parent,
            0,
            "Kicks sent",
            "By the CPU that sent them, where that is known.",
        );
        let came = self.track(
            parent,
            1,
            "Kicks arrived",
            "What became of them on the CPU they came to.",
        );
        for event in list(&ilb["events"]) {
            let kind = text(&event["kind"]);
            let arguments = [
                ("kind", Told::Text(kind)),
                ("fate", Told::Text(text(&event["fate"]))),
                ("cpu", number(&event["cpu"])),
                ("target", number(&event["target"])),
                ("why", Told::Text(text(&event["why"]))),
                ("jiffies", number(&event["jiffies"])),
                ("label", Told::Text(text(&event["label"]))),
            ];
            let Some(at) = time(&event["t_ns"]) else {
                continue;
            };
            let arrived = time(&event["arrived_ns"]).filter(|arrived| *arrived >= at);
            self.flows += 1;
            let mark = Mark {
                name: kind,
                category: "ilb",
                arguments: &arguments,
                flow: arrived.map(|_| self.flows),
                ends: None,
            };
            self.trace.instant(sent, at, &mark);
            if let Some(arrived) = arrived {
                let mark = Mark {
                    name: text(&event["fate"]),
                    flow: None,
                    ends: Some(self.flows),
                    ..mark
                };
                self.trace.instant(came, arrived, &mark);
            }
        }
    }

    fn instant(
        &mut self,
        track: u64,
        name: &str,
        category: &str,
        arguments: &[Argument<'_>],
        at: &Value,
    ) {
        if let Some(at) = time(at) {
            let mark = Mark {
                name,
                category,
                arguments,
                ..Mark::default()
            };
            self.trace.instant(track, at, &mark);
        }
    }
}

/// How a value is known, and what is missing for knowing it better.
fn label(of: &Value) -> String {
    let missing: Vec<&str> = list(&of["missing"]).iter().map(text).collect();
    let known = match text(&of["label"]) {
        "" => "replayed",
        known => known,
    };
    if missing.is_empty() {
        format!("{known}.")
    } else {
        format!("{known}; missing: {}.", missing.join(", "))
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// ns, written as a number or as a decimal text.
fn time(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn number(value: &Value) -> Told<'_> {
    match (value.as_i64(), value.as_f64()) {
        (Some(whole), _) => Told::Int(whole),
        (None, Some(real)) => Told::Double(real),
        (None, None) => Told::Text(text(value)),
    }
}
