//! The formats as the tools print them, and what must be refused.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::fmt::Write;

use numalens_topology::{Format, Node, Topology, parse, sniff};
use proptest::prelude::*;

const LSCPU: &str = "# The following is the parsable format, which can be fed to other\n\
# programs. Each different item in every column has an unique ID\n\
# starting usually from zero.\n\
# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n\
0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n2,2,1,1,,2,2,2,1\n3,,,,,,,,\n";

const NUMACTL: &str = "available: 3 nodes (0-1,4)\nnode 0 cpus: 0 1 4 5\nnode 0 size: 993 MB\nnode 0 free: 964 MB\n\
node 1 cpus: 2 3\nnode 1 size: 1006 MB\nnode 1 free: 965 MB\nnode 4 cpus:\nnode 4 size: 4096 MB\n\
node distances:\nnode   0   1   4 \n  0:  10  20  17 \n  1:  20  10  28 \n  4:  17  28  10 \n";

const SYSFS: &str = "/sys/devices/system/node/online: 0-1\n/sys/devices/system/cpu/online: 0-7\n\
/sys/devices/system/node/node0/cpulist: 0-3\n/sys/devices/system/node/node1/cpulist:4-7\n\
/sys/devices/system/node/node0/distance: 10 20\n/sys/devices/system/node/node1/distance: 21 10\n\
/sys/devices/system/node/node0/meminfo: Node 0 MemTotal:        1017104 kB\nNode 0 MemFree:          991912 kB\n";

fn nodes(nodes: &[(u32, &[u32])]) -> Vec<Node> {
    nodes
        .iter()
        .map(|&(nid, cpus)| Node {
            nid,
            cpus: cpus.to_vec(),
        })
        .collect()
}

#[test]
fn lscpu_leaves_offline_cpus_out() {
    assert_eq!(sniff(LSCPU.as_bytes()), Some(Format::Lscpu));
    let topology = parse(LSCPU.as_bytes()).unwrap();
    assert_eq!(
        topology,
        Topology {
            nodes: nodes(&[(0, &[0, 1]), (1, &[2])]),
            distances: None,
            ..topology.clone()
        }
    );
}

#[test]
fn lscpu_with_chosen_columns_in_any_order() {
    let topology = parse(b"# Node,CPU,Online\r\n1,0,Y\r\n0,1,Y\r\n0,2,N\r\n").unwrap();
    assert_eq!(topology.nodes, nodes(&[(0, &[1]), (1, &[0])]));
    let topology = parse(b"# CPU,Node\n0,\n1,\n").unwrap();
    assert_eq!(topology.nodes, nodes(&[(0, &[0, 1])]), "no NUMA: one node");
}

#[test]
fn lscpu_in_every_form_says_the_same() {
    let table = "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE    MAXMHZ\n  0    0      0    0 0:0:0:0          yes 3800.0000\n\
                 \x20 1    1      1    1 1:1:1:1          yes         -\n  2    0      0    0 0:0:0:0          yes 3800.0000\n  3    -      -    - -                 no         -\n";
    let rows = r#"{"cpus": [ {"cpu":0,"node":0,"socket":0,"core":0,"l1d:l1i:l2:l3":"0:0:0:0","online":true},
        {"cpu":"1","node":"1","socket":"1","core":"1","l1d:l1i:l2:l3":"1:1:1:1","online":"yes","maxmhz":"-"},
        {"cpu":2,"node":0,"socket":0,"core":0,"l1d:l1i:l2:l3":"0:0:0:0","online":true},
        {"cpu":3,"node":null,"socket":null,"core":null,"l1d:l1i:l2:l3":"-","online":false} ]}"#;
    let want = parse(b"# CPU,NODE,SOCKET,CORE,L1d:L1i:L2:L3\n0,0,0,0,0:0:0:0\n1,1,1,1,1:1:1:1\n2,0,0,0,0:0:0:0\n").unwrap();
    assert_eq!(want.nodes, nodes(&[(0, &[0, 2]), (1, &[1])]));
    for text in [table, rows] {
        assert_eq!(sniff(text.as_bytes()), Some(Format::Lscpu), "{text}");
        assert_eq!(parse(text.as_bytes()).unwrap(), want, "{text}");
    }
    let plain = "Architecture:            x86_64\nCPU(s):                  4\n  On-line CPU(s) list:   0-2\n  Off-line CPU(s) list:  3\nNUMA:\n\
                 \x20 NUMA node(s):          2\n  NUMA node0 CPU(s):     0,2\n  NUMA node1 CPU(s):     1\n  NUMA node2 CPU(s):\n";
    let flat = r#"{"lscpu":[{"field":"Architecture:","data":"x86_64"},{"field":"NUMA node0 CPU(s):","data":"0,2"},
        {"field":"NUMA node1 CPU(s):","data":"1"},{"field":"NUMA node2 CPU(s):","data":null}]}"#;
    let nested = r#"{ "lscpu": [ {"field":"CPU(s):","data":"4","children":[{"field":"On-line CPU(s) list:","data":"0-2"}]},
        {"field":"NUMA:","data":null,"children":[{"field":"NUMA node0 CPU(s):","data":"0,2"},{"field":"NUMA node1 CPU(s):","data":"1"},{"field":"NUMA node2 CPU(s):"}]} ]}"#;
    for text in [plain, flat, nested] {
        assert_eq!(sniff(text.as_bytes()), Some(Format::LscpuSummary), "{text}");
        assert_eq!(
            parse(text.as_bytes()).unwrap().nodes,
            nodes(&[(0, &[0, 2]), (1, &[1]), (2, &[])]),
            "{text}"
        );
    }
    let alone = parse(b"CPU(s):  2\nOn-line CPU(s) list:  0,1\n").unwrap();
    assert_eq!(alone.nodes, nodes(&[(0, &[0, 1])]), "no NUMA: one node");
    assert_eq!(
        parse(b"CPU CORE ONLINE\n0 0 yes\n1 1 yes\n").unwrap().nodes,
        alone.nodes
    );
    let broken = parse(br#"{"lscpu":[{"field":"NUMA node0 CPU(s):","data":"#).unwrap_err();
    assert!(
        broken
            .to_string()
            .starts_with("line 1: expected the JSON of lscpu, found "),
        "{broken}"
    );
    for other in [
        "Architecture: x86_64\n",
        "{\"cpu\": 1}",
        "CPU usage NODE\n",
        "CPU CORES\n",
    ] {
        assert_eq!(sniff(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn numactl_may_give_ranges() {
    let ranges = NUMACTL
        .replace("0 1 4 5", "0-1,4 5")
        .replace("cpus: 2 3", "cpus: 2-3");
    assert_eq!(
        parse(ranges.as_bytes()).unwrap(),
        parse(NUMACTL.as_bytes()).unwrap()
    );
}

#[test]
fn files_of_sysfs_may_end_in_nul() {
    let want = parse(SYSFS.as_bytes()).unwrap();
    for nul in ["\0\n", "\n\0", "\0\0\r\n"] {
        let text = SYSFS.replace('\n', nul);
        assert_eq!(sniff(text.as_bytes()), Some(Format::Sysfs), "{nul:?}");
        assert_eq!(parse(text.as_bytes()).unwrap(), want, "{nul:?}");
    }
    let files: [(&str, &[u8]); 2] = [
        ("sys/devices/system/node/node0/cpulist", b"0-1\n\0"),
        ("sys/devices/system/node/node0/distance", b"10\0\n"),
    ];
    let mut out = Vec::new();
    numalens_topology::join(&files, 0, &mut out).unwrap();
    assert_eq!(parse(&out).unwrap().nodes, nodes(&[(0, &[0, 1])]));
    assert_eq!(sniff(&SYSFS.replace("0-3", "0\0-3").into_bytes()), None);
}

#[test]
fn numactl_has_distances_and_memory_only_nodes() {
    assert_eq!(sniff(NUMACTL.as_bytes()), Some(Format::Numactl));
    let topology = parse(NUMACTL.as_bytes()).unwrap();
    assert_eq!(
        topology.nodes,
        nodes(&[(0, &[0, 1, 4, 5]), (1, &[2, 3]), (4, &[])])
    );
    assert_eq!(
        topology.distances,
        Some(vec![vec![10, 20, 17], vec![20, 10, 28], vec![17, 28, 10]])
    );
}

#[test]
fn sysfs_lists() {
    assert_eq!(sniff(SYSFS.as_bytes()), Some(Format::Sysfs));
    let topology = parse(SYSFS.as_bytes()).unwrap();
    assert_eq!(
        topology.nodes,
        nodes(&[(0, &[0, 1, 2, 3]), (1, &[4, 5, 6, 7])])
    );
    assert_eq!(topology.distances, Some(vec![vec![10, 20], vec![21, 10]]));
}

#[test]
fn counters_of_nodes_are_no_topology() {
    let counters = "/sys/devices/system/node/node0/vmstat:nr_free_pages 7\n";
    assert_eq!(sniff(counters.as_bytes()), None);
    let both = format!("{counters}/sys/devices/system/node/node0/cpulist:0-1\n");
    assert_eq!(sniff(both.as_bytes()), Some(Format::Sysfs));
}

#[test]
fn line_ends_do_not_matter() {
    for text in [LSCPU, NUMACTL, SYSFS] {
        assert_eq!(
            parse(text.replace('\n', "\r\n").as_bytes()),
            parse(text.as_bytes())
        );
    }
}

#[test]
fn refusals_name_the_line() {
    for (text, line, sentence) in [
        (
            "hello\n",
            1,
            "expected the output of lscpu, numactl -H or lstopo --of xml, or sysfs node lists, found something else",
        ),
        (
            "# CPU,Node\n0,0\nx,0\n",
            3,
            "expected a CPU number below 65536, found \"x\"",
        ),
        (
            "# CPU,Core\n0,0\n",
            1,
            "expected a column \"Node\", found \"# CPU,Core\"",
        ),
        (
            "# CPU,Core,Node\n0,0\n",
            2,
            "expected at least 3 fields, found \"0,0\"",
        ),
        (
            "# CPU,Node\n0,0\n0,1\n",
            3,
            "expected each CPU on one node, found CPU 0 on the nodes 0 and 1",
        ),
        (
            "available: 1 nodes (0)\nnode 0 cpus:\n",
            2,
            "expected at least one CPU on a node, found none",
        ),
        (
            "node 0 cpus: 0-999999999\n",
            1,
            "expected a CPU number below 65536, found \"999999999\"",
        ),
        (
            "node 0 cpus: 0\nnode distances:\nnode   0\n 0: 10 20\n",
            4,
            "expected 1 distances, one for each column, found \"0: 10 20\"",
        ),
        (
            "/sys/devices/system/node/node0/cpulist: 3-1\n",
            1,
            "expected an ascending range, found \"3-1\"",
        ),
    ] {
        let error = parse(text.as_bytes()).expect_err(text);
        assert_eq!(error.to_string(), format!("line {line}: {sentence}"));
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn damaged_files_never_panic(
        which in 0..3usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = [LSCPU, NUMACTL, SYSFS][which].as_bytes().to_vec();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        if let Ok(topology) = parse(&bytes) {
            prop_assert!(topology.nodes.windows(2).all(|pair| pair[0].nid < pair[1].nid));
            let n = topology.nodes.len();
            if let Some(rows) = topology.distances {
                prop_assert!(rows.len() == n && rows.iter().all(|row| row.len() == n));
            }
        }
    }

    #[test]
    fn the_three_formats_agree(per_node in prop::collection::vec(1..9u32, 1..6)) {
        let (mut lscpu, mut numactl, mut sysfs) = ("# CPU,Node\n".to_owned(), String::new(), String::new());
        let mut next = 0;
        for (nid, &n) in per_node.iter().enumerate() {
            let cpus: Vec<u32> = (next..next + n).collect();
            next += n;
            for cpu in &cpus {
                writeln!(lscpu, "{cpu},{nid}").unwrap();
            }
            let list: Vec<String> = cpus.iter().map(u32::to_string).collect();
            writeln!(numactl, "node {nid} cpus: {}", list.join(" ")).unwrap();
            writeln!(sysfs, "/sys/devices/system/node/node{nid}/cpulist: {}-{}", cpus[0], next - 1).unwrap();
        }
        let topology = parse(lscpu.as_bytes()).unwrap();
        prop_assert_eq!(&topology, &parse(numactl.as_bytes()).unwrap());
        prop_assert_eq!(&topology, &parse(sysfs.as_bytes()).unwrap());
    }
}

#[test]
fn lscpu_says_which_cpus_share_cores_and_the_last_level_cache() {
    let text = "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,0,0,0,,0,0,0,0\n2,1,0,0,,1,1,1,1\n3,0,1,1,,2,2,2,2\n";
    let sharing = parse(text.as_bytes()).unwrap().sharing;
    assert_eq!(sharing.llcs, [vec![0, 1], vec![2], vec![3]]);
    // Core 0 of another socket is another one.
    assert_eq!(sharing.cores, [vec![0, 1], vec![2], vec![3]]);
    let one_column = "# CPU,Node,L1d:L1i:L2\n0,0,0:0:5\n1,0,1:1:5\n";
    let sharing = parse(one_column.as_bytes()).unwrap().sharing;
    assert_eq!((sharing.llcs, sharing.cores), (vec![vec![0, 1]], vec![]));
    assert_eq!(
        parse(b"# CPU,Node\n0,0\n").unwrap().sharing.llcs,
        Vec::<Vec<u32>>::new()
    );
}

#[test]
fn sysfs_says_which_cpus_share_what() {
    let mut text = String::from("/sys/devices/system/node/node0/cpulist: 0-3\n");
    for (cpu, core, llc) in [
        (0, "0-1", "0-1"),
        (1, "0-1", "0-1"),
        (2, "2", "2-3"),
        (3, "3", "2-3"),
    ] {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}");
        text.extend([format!(
            "{path}/topology/core_cpus_list: {core}\n{path}/topology/die_cpus_list: 0-3\n"
        )]);
        for (index, level, kind, shared) in [
            (0, 1, "Data", core),
            (1, 9, "Instruction", core),
            (3, 3, "Unified", llc),
        ] {
            let cache = format!("{path}/cache/index{index}");
            text.extend([format!(
                "{cache}/level: {level}\n{cache}/type: {kind}\n{cache}/shared_cpu_list: {shared}\n"
            )]);
        }
    }
    let sharing = parse(text.as_bytes()).unwrap().sharing;
    assert_eq!(sharing.cores, [vec![0, 1], vec![2], vec![3]]);
    assert_eq!(sharing.llcs, [vec![0, 1], vec![2, 3]]);
    assert_eq!(sharing.dies, [vec![0, 1, 2, 3]]);
    assert!(sharing.clusters.is_empty());
    // A list that contradicts an earlier one is left out; one that is no list is an error.
    let odd = "/sys/devices/system/node/node0/cpulist: 0-1\n/sys/devices/system/cpu/cpu0/topology/core_cpus_list: 0-1\n\
               /sys/devices/system/cpu/cpu1/topology/core_cpus_list: 1\n";
    assert_eq!(parse(odd.as_bytes()).unwrap().sharing.cores, [vec![0, 1]]);
    let broken = format!("{odd}/sys/devices/system/cpu/cpu1/cache/index0/level: x\n");
    assert!(parse(broken.as_bytes()).is_err());
}
