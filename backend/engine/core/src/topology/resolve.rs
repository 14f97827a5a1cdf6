//! Chooses among what is known of the nodes.

use std::collections::BTreeMap;

use super::{Learner, MemoryRange, Node, Sharing, Source, Topology};

/// A topology that a file or a recording's header states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedTopology {
    /// Name of the source, for notes.
    pub name: String,
    /// Kind of the source.
    pub source: Source,
    /// Node and its CPUs.
    pub nodes: Vec<(u32, Vec<u32>)>,
    /// Distances in the order of `nodes`.
    pub distances: Option<Vec<Vec<u32>>>,
    /// CPUs that share cores and caches.
    pub sharing: Sharing,
    /// Nodes of the physical memory; ascending, without overlaps.
    pub memory: Vec<MemoryRange>,
}

/// Returns the topology of the analysis. `known` are the inputs' statements in order: sidecars win over headers, and the
/// first one wins. `learner` has the nodes learned from events. `cpus` are the CPUs of the recordings, each of which gets a
/// node.
#[must_use]
pub fn resolve(known: &[StatedTopology], learner: &Learner, cpus: &[u32]) -> Topology {
    let mut remarks = Vec::new();
    let mut stated: Vec<&StatedTopology> = known
        .iter()
        .filter(|known| known.source == Source::Sidecar)
        .collect();
    stated.extend(known.iter().filter(|known| known.source != Source::Sidecar));
    let (learnt, unsure) = learner.learnt();
    let (source, mut node_of, mut distances, mut nids) = match stated.first() {
        Some(first) => {
            let node_of = map(first);
            for other in &stated[1..] {
                if map(other) != node_of {
                    remarks.push(format!(
                        "{} places CPUs on other nodes than {}, which is used.",
                        other.name, first.name
                    ));
                }
            }
            contradiction(&node_of, &learnt, &first.name, &mut remarks);
            let distances = stated
                .iter()
                .find(|known| known.nodes.len() == first.nodes.len() && known.distances.is_some());
            let nids: Vec<u32> = first.nodes.iter().map(|&(nid, _)| nid).collect();
            (
                first.source,
                node_of,
                distances.and_then(|known| known.distances.clone()),
                nids,
            )
        }
        None if !learnt.is_empty() => {
            if !unsure.is_empty() {
                remarks.push(format!(
                    "Events place {} on several nodes; the most frequent is used.",
                    cpu_names(&unsure)
                ));
            }
            (Source::Events, learnt, None, Vec::new())
        }
        None => {
            remarks.push("No input has the NUMA nodes of CPUs: one node is assumed.".to_owned());
            (Source::Assumed, BTreeMap::new(), None, Vec::new())
        }
    };
    let missing: Vec<u32> = cpus
        .iter()
        .copied()
        .filter(|cpu| !node_of.contains_key(cpu))
        .collect();
    if source == Source::Assumed {
        node_of.extend(missing.iter().map(|&cpu| (cpu, 0)));
    } else if !missing.is_empty() {
        let placed: Vec<(u32, u32)> = missing
            .iter()
            .map(|&cpu| (cpu, neighbour(&node_of, cpu)))
            .collect();
        node_of.extend(placed);
        let what = if source == Source::Events {
            "No event shows the node"
        } else {
            "The topology leaves out the node"
        };
        remarks.push(format!(
            "{what} of {}: the node of the nearest CPU number is assumed.",
            cpu_names(&missing)
        ));
    }
    nids.extend(node_of.values());
    nids.sort_unstable();
    nids.dedup();
    if distances
        .as_ref()
        .is_some_and(|rows| rows.len() != nids.len())
    {
        distances = None;
    }
    let mut nodes: Vec<Node> = nids
        .into_iter()
        .map(|nid| Node {
            nid,
            cpus: Vec::new(),
        })
        .collect();
    for (cpu, nid) in node_of {
        if let Ok(at) = nodes.binary_search_by_key(&nid, |node| node.nid) {
            nodes[at].cpus.push(cpu);
        }
    }
    Topology {
        source,
        nodes,
        distances,
        sharing: sharing(&stated),
        memory: memory(&stated),
        notes: remarks,
    }
}

/// Shared cores and caches of CPUs: of each kind, the first file that has it.
fn sharing(stated: &[&StatedTopology]) -> Sharing {
    let first = |of: fn(&Sharing) -> &Vec<Vec<u32>>| {
        let mut said = stated.iter().map(|known| of(&known.sharing));
        said.find(|groups| !groups.is_empty())
            .cloned()
            .unwrap_or_default()
    };
    Sharing {
        cores: first(|one| &one.cores),
        clusters: first(|one| &one.clusters),
        llcs: first(|one| &one.llcs),
        dies: first(|one| &one.dies),
    }
}

/// Memory of nodes: the first that says so.
fn memory(stated: &[&StatedTopology]) -> Vec<MemoryRange> {
    let mut said = stated.iter().map(|known| &known.memory);
    let found = said.find(|ranges| !ranges.is_empty());
    found.cloned().unwrap_or_default()
}

fn map(known: &StatedTopology) -> BTreeMap<u32, u32> {
    known
        .nodes
        .iter()
        .flat_map(|(nid, cpus)| cpus.iter().map(move |&cpu| (cpu, *nid)))
        .collect()
}

/// Notes when events contradict a stated topology: it may be that of another machine.
fn contradiction(
    node_of: &BTreeMap<u32, u32>,
    learnt: &BTreeMap<u32, u32>,
    name: &str,
    remarks: &mut Vec<String>,
) {
    let other: Vec<u32> = learnt
        .iter()
        .filter(|(cpu, nid)| node_of.get(cpu).is_some_and(|stated| stated != *nid))
        .map(|(&cpu, _)| cpu)
        .collect();
    if !other.is_empty() {
        remarks.push(format!(
            "Events place {} on a different node than {name}, which is used.",
            cpu_names(&other)
        ));
    }
}

/// The node of the nearest CPU number, the lower one of two.
fn neighbour(node_of: &BTreeMap<u32, u32>, cpu: u32) -> u32 {
    let below = node_of.range(..cpu).next_back();
    let above = node_of.range(cpu..).next();
    match (below, above) {
        (Some((&low, &nid)), Some((&high, _))) if cpu - low <= high - cpu => nid,
        (_, Some((_, &nid))) | (Some((_, &nid)), None) => nid,
        (None, None) => 0,
    }
}

/// `CPU 3` or `CPUs 3, 4, 5 and 9 more`.
fn cpu_names(cpus: &[u32]) -> String {
    const NAMED: usize = 8;
    let names: Vec<String> = cpus.iter().take(NAMED).map(u32::to_string).collect();
    match cpus.len() {
        1 => format!("CPU {}", names[0]),
        n if n > NAMED => format!("CPUs {} and {} more", names.join(", "), n - NAMED),
        _ => format!("CPUs {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use arrow_array::{Int32Array, RecordBatch};
    use arrow_schema::{DataType, Field, Schema};

    fn learnt(rows: &[(i32, i32)]) -> Learner {
        let schema = Schema::new(vec![
            Field::new("src_cpu", DataType::Int32, false),
            Field::new("src_nid", DataType::Int32, false),
        ]);
        let batch = RecordBatch::try_new(
            Arc::new(schema),
            vec![
                Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.0))),
                Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.1))),
            ],
        )
        .expect("a batch");
        let mut learner = Learner::default();
        learner.observe(&batch);
        learner
    }

    fn sidecar(name: &str, nodes: &[(u32, &[u32])]) -> StatedTopology {
        StatedTopology {
            name: name.to_owned(),
            source: Source::Sidecar,
            nodes: nodes
                .iter()
                .map(|&(nid, cpus)| (nid, cpus.to_vec()))
                .collect(),
            distances: None,
            sharing: Sharing::default(),
            memory: Vec::new(),
        }
    }

    fn nodes(topology: &Topology) -> Vec<(u32, Vec<u32>)> {
        topology
            .nodes
            .iter()
            .map(|node| (node.nid, node.cpus.clone()))
            .collect()
    }

    #[test]
    fn nothing_known_is_one_assumed_node() {
        let topology = resolve(&[], &Learner::default(), &[0, 1, 2]);
        assert_eq!(
            (topology.source, nodes(&topology)),
            (Source::Assumed, vec![(0, vec![0, 1, 2])])
        );
        assert_eq!(topology.notes.len(), 1);
        assert!(resolve(&[], &Learner::default(), &[]).nodes.is_empty());
    }

    #[test]
    fn events_teach_and_neighbours_fill() {
        let learner = learnt(&[
            (0, 0),
            (4, 1),
            (4, 1),
            (4, 0),
            (-1, 1),
            (7, -1),
            (5, 1),
            (1 << 20, 1),
            (3, 1 << 20),
        ]);
        let topology = resolve(&[], &learner, &[0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(topology.source, Source::Events);
        assert_eq!(
            nodes(&topology),
            [(0, vec![0, 1, 2]), (1, vec![3, 4, 5, 6, 7])]
        );
        assert_eq!(
            topology.notes,
            [
                "Events place CPU 4 on several nodes; the most frequent is used.",
                "No event shows the node of CPUs 1, 2, 3, 6, 7: the node of the nearest CPU number is assumed.",
            ]
        );
    }

    #[test]
    fn a_sidecar_wins_and_contradictions_are_reported() {
        let first = sidecar("a.txt", &[(0, &[0]), (1, &[1]), (2, &[])]);
        let second = sidecar("b.txt", &[(0, &[0, 1])]);
        let topology = resolve(&[first, second], &learnt(&[(0, 1)]), &[0, 1, 2]);
        assert_eq!(
            (topology.source, nodes(&topology)),
            (
                Source::Sidecar,
                vec![(0, vec![0]), (1, vec![1, 2]), (2, vec![])]
            )
        );
        assert_eq!(
            topology.notes,
            [
                "b.txt places CPUs on other nodes than a.txt, which is used.",
                "Events place CPU 0 on a different node than a.txt, which is used.",
                "The topology leaves out the node of CPU 2: the node of the nearest CPU number is assumed.",
            ]
        );
    }
}
