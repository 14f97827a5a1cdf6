//! Puts the explanations of `numa_balancing::decision` next to what a probe on `task_numa_find_cpu` printed of the kernel's own
//! numbers: `cargo run -p numalens-lab --example numa_balancing_probe -- BUNDLE...`. The probe prints
//! the whole `task_numa_env`; each of its rows stands for an attempt.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    unreachable_pub
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt32Type, UInt64Type};
use arrow_buffer::Buffer;
use numalens_core::ipc::IpcFile;
use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_numa_balancing::decision::{
    Average, Config, Explainer, Explanation, Explanations, Imbalance, Maymove, NodeAt, NodeType,
    Rules, classify, rules_of,
};
use numalens_replay::numa::{Attempt, TargetFrom, Verdict};
use numalens_replay::states::{States, Which};

/// What the probe printed of one node.
struct Stats {
    nr_running: u32,
    weight: u32,
    node_type: u32,
    idle_cpu: i32,
    average: Average,
}

struct Probe {
    ts_ns: u64,
    pid: i32,
    src_nid: i32,
    dst_nid: i32,
    imb_numa_nr: i32,
    imbalance_pct: i32,
    src: Stats,
    dst: Stats,
}

fn read(batch: &RecordBatch) -> Vec<Probe> {
    let int = |name: &str, row: usize| {
        let column = batch.column_by_name(name).unwrap();
        column.as_primitive::<Int32Type>().value(row)
    };
    let uint = |name: &str, row: usize| {
        let column = batch.column_by_name(name).unwrap();
        column.as_primitive::<UInt32Type>().value(row)
    };
    let long = |name: &str, row: usize| {
        let column = batch.column_by_name(name).unwrap();
        column.as_primitive::<UInt64Type>().value(row)
    };
    let stats = |side: &str, row: usize| Stats {
        nr_running: uint(&format!("{side}_nr_running"), row),
        weight: uint(&format!("{side}_weight"), row),
        node_type: uint(&format!("{side}_node_type"), row),
        idle_cpu: int(&format!("{side}_idle_cpu"), row),
        average: Average {
            capacity: long(&format!("{side}_compute_capacity"), row),
            util: long(&format!("{side}_util"), row),
            runnable: long(&format!("{side}_runnable"), row),
        },
    };
    (0..batch.num_rows())
        .map(|row| Probe {
            ts_ns: long("ts_ns", row),
            pid: int("pid", row),
            src_nid: int("src_nid", row),
            dst_nid: int("dst_nid", row),
            imb_numa_nr: int("imb_numa_nr", row),
            imbalance_pct: int("imbalance_pct", row),
            src: stats("src", row),
            dst: stats("dst", row),
        })
        .collect()
}

fn attempt(probe: &Probe) -> Attempt {
    Attempt {
        start_ns: probe.ts_ns,
        end_ns: probe.ts_ns,
        cpu: 0,
        pid: probe.pid,
        tgid: 0,
        ngid: -1,
        src_cpu: -1,
        src_nid: probe.src_nid,
        dst_cpu: -1,
        dst_nid: -1,
        partner: None,
        verdict: Verdict::NoCpu,
        target_nid: probe.dst_nid,
        target_from: TargetFrom::Entry,
        ret: None,
    }
}

fn bytes(path: &Path) -> Buffer {
    Buffer::from_vec(fs::read(path).unwrap())
}

fn nodes(manifest: &serde_json::Value) -> Vec<Node> {
    let nodes = manifest["topology"]["nodes"].as_array().unwrap().iter();
    nodes
        .map(|node| Node {
            nid: node["nid"].as_u64().unwrap() as u32,
            cpus: node["cpus"]
                .as_array()
                .unwrap()
                .iter()
                .map(|cpu| cpu.as_u64().unwrap() as u32)
                .collect(),
        })
        .collect()
}

/// What the probe printed, in order; `None` without the probe.
fn probes(bundle: &Path, manifest: &serde_json::Value) -> Option<Vec<Probe>> {
    let mut tables = manifest["tables"].as_array().unwrap().iter();
    let table = tables.find(|table| table["event"] == "numa_find_cpu")?;
    let file = bundle.join(table["file"].as_str().unwrap());
    let table = IpcFile::open(bytes(&file), None).unwrap();
    let batches = table.into_batches();
    let mut probes: Vec<Probe> = batches.flat_map(|batch| read(&batch.unwrap())).collect();
    probes.sort_by_key(|probe| probe.ts_ns);
    Some(probes)
}

fn explain(
    bundle: &Path,
    manifest: &serde_json::Value,
    kernel: Option<KernelVersion>,
    attempts: &[Attempt],
) -> Explanations {
    let states = States::open(bytes(&bundle.join("states/machine.arrow")), None).unwrap();
    let nodes = nodes(manifest);
    let number = |key: &str| manifest[key].as_u64().unwrap();
    let (from_ns, to_ns) = (number("origin_ns"), number("end_ns"));
    let config = Config {
        nodes: &nodes,
        kernel,
        llcs_per_node: None,
        from_ns,
        to_ns,
        source: Source {
            name: "states".to_owned(),
            label: Label::Replayed,
            missing: Vec::new(),
        },
    };
    let mut explainer = Explainer::new(config, attempts);
    states
        .scan(Which::Machine, from_ns, to_ns, |row| explainer.row(row))
        .unwrap();
    explainer.finish()
}

/// How often each thing held, and of how many.
#[derive(Default)]
struct Held(BTreeMap<&'static str, (usize, usize)>);

impl Held {
    fn count(&mut self, name: &'static str, holds: bool) {
        let sums = self.0.entry(name).or_default();
        *sums = (sums.0 + usize::from(holds), sums.1 + 1);
    }

    /// One of the two nodes.
    fn node(&mut self, rules: &Rules, side: &Stats, node: &NodeAt, destination: bool) {
        let nr_running = u64::from(side.nr_running);
        let names = [
            NodeType::HasSpare,
            NodeType::FullyBusy,
            NodeType::Overloaded,
        ];
        let kernels = names.get(side.node_type as usize).copied();
        let found = classify(rules, nr_running, u64::from(side.weight), side.average);
        self.count("classify() of the kernel's numbers", found == kernels);
        self.count("weight", node.weight == side.weight);
        self.count("nr_running, exact", node.nr_running == nr_running);
        let near = node.nr_running.abs_diff(nr_running) <= 1;
        self.count("nr_running, by at most 1", near);
        let possible = kernels.is_some_and(|kernels| node.node_type.contains(&kernels));
        self.count("node_type among the possible ones", possible);
        if node.label == Label::Replayed {
            self.count("node_type where it is replayed", possible);
        }
        // The kernel looks for one on the destination only, and only where the task may run.
        if destination && side.idle_cpu >= 0 {
            self.count("an idle CPU where the kernel had one", node.idle_cpus > 0);
        } else if destination {
            let name = "no idle CPU where the kernel had none for the task";
            self.count(name, node.idle_cpus == 0);
        }
    }

    /// What both are compared by.
    fn both(&mut self, rules: &Rules, probe: &Probe, explained: &Explanation) {
        let pct = rules.imb_pct() as i32 == probe.imbalance_pct;
        self.count("imbalance_pct", pct);
        let Some(answer) = explained.answers.iter().find(|answer| answer.recorded) else {
            return;
        };
        let request = i64::from(probe.imb_numa_nr);
        let name = "imb_numa_nr with one cache per node";
        self.count(name, answer.imb_numa_nr == Some(request));
        if answer.maymove != Maymove::Unknown {
            let (src, dst) = (probe.src.nr_running, probe.dst.nr_running);
            let kernels = Imbalance::of_move(i64::from(src), i64::from(dst));
            let weight = i64::from(probe.dst.weight);
            let left = kernels.and_then(|of| of.adjusted(rules.allowance, weight, request));
            let same = (answer.maymove == Maymove::Allowed) == (left == Some(0));
            self.count("maymove as from the kernel's numbers", same);
        }
    }
}

fn check(bundle: &Path) {
    let text = fs::read_to_string(bundle.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let kernel = serde_json::from_value(manifest["evidence"]["kernel"].clone()).unwrap();
    let Some(probes) = probes(bundle, &manifest) else {
        println!("{}: no numa_find_cpu", bundle.display());
        return;
    };
    let attempts: Vec<Attempt> = probes.iter().map(attempt).collect();
    let all = explain(bundle, &manifest, kernel, &attempts);
    let rules = rules_of(kernel);
    println!(
        "{}: {} rows, rules of {}",
        bundle.display(),
        probes.len(),
        rules.name
    );
    let mut held = Held::default();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (probe, explained) in probes.iter().zip(&all.attempts) {
        for (side, nid) in [(&probe.src, probe.src_nid), (&probe.dst, probe.dst_nid)] {
            if let Some(node) = explained.nodes.iter().find(|node| node.nid == nid) {
                held.node(rules, side, node, nid == probe.dst_nid);
            }
        }
        held.both(rules, probe, explained);
        let reason = explained.no_cpu.map(|reason| format!("{reason:?}"));
        *reasons.entry(reason.unwrap_or_default()).or_default() += 1;
    }
    for (name, (held, of)) in held.0 {
        let percent = 100.0 * held as f64 / of.max(1) as f64;
        println!("  {name:52} {held:5} of {of:5} ({percent:5.1} %)");
    }
    println!("  reasons, had none found a CPU: {reasons:?}");
}

fn main() {
    for bundle in std::env::args().skip(1) {
        check(Path::new(&bundle));
    }
}
