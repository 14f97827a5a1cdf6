//! hwloc's XML, as two versions of it are written, and what must be refused.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::fmt::Write;
use std::path::Path;

use numalens_topology::{Format, Node, Sharing, Topology, parse, sniff};
use proptest::prelude::*;

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/fixtures/samples");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// CPUs from 0 on, so many in each group.
fn groups(cpus: u32, each: u32) -> Vec<Vec<u32>> {
    let firsts = (0..cpus).step_by(each as usize);
    firsts
        .map(|first| (first..first + each).collect())
        .collect()
}

fn node(nid: u32, cpus: impl IntoIterator<Item = u32>) -> Node {
    let cpus = cpus.into_iter().collect();
    Node { nid, cpus }
}

#[test]
fn both_versions_say_the_same() {
    let expected = Topology {
        nodes: vec![node(0, 0..4), node(1, 4..8)],
        distances: Some(vec![vec![10, 21], vec![21, 10]]),
        sharing: Sharing {
            cores: groups(8, 1),
            ..Sharing::default()
        },
    };
    for name in ["hwloc-2x4.v1.xml", "hwloc-2x4.v2.xml"] {
        let text = fixture(name);
        assert_eq!(sniff(text.as_bytes()), Some(Format::Hwloc), "{name}");
        let mut found = parse(text.as_bytes()).unwrap();
        // Version 1 does not say whether packages have dies.
        assert_eq!(
            found.sharing.dies.len(),
            if name.contains("v2") { 2 } else { 0 }
        );
        found.sharing.dies.clear();
        assert_eq!(found, expected, "{name}");
    }
    let relative = fixture("hwloc-2x4.v1.xml")
        .replace("latency_base=\"1.000000\"", "latency_base=\"10.000000\"")
        .replace("value=\"10.000000\"", "value=\"1.000000\"")
        .replace("value=\"21.000000\"", "value=\"2.100000\"");
    assert_eq!(
        parse(relative.as_bytes()).unwrap(),
        expected,
        "multiples of the local latency"
    );
}

#[test]
fn a_machine_with_one_node() {
    let text = fixture("hwloc-1x2.xml");
    let expected = Topology {
        nodes: vec![node(0, 0..2)],
        ..Topology::default()
    };
    let found = parse(text.as_bytes()).unwrap();
    let sharing = Sharing {
        cores: groups(2, 1),
        clusters: Vec::new(),
        // The caches for instructions are no last level, nor are those of the levels below.
        llcs: groups(2, 2),
        dies: groups(2, 2),
    };
    assert_eq!(
        (found.nodes, found.sharing),
        (expected.nodes.clone(), sharing)
    );
    let old = "<?xml version=\"1.0\"?>\n<topology>\n<object type=\"Machine\" cpuset=\"0x00000003\"/>\n</topology>\n";
    assert_eq!(
        parse(old.as_bytes()).unwrap(),
        expected,
        "version 1 leaves the node out"
    );
}

/// hwloc gives memory without CPUs those near it: here a slower memory in each of two packages.
#[test]
fn cpus_belong_to_main_memory() {
    let object = |nid: u32, cpus: &str, rest: &str| {
        format!("<object type=\"NUMANode\" os_index=\"{nid}\" cpuset=\"{cpus}\" {rest}/>\n")
    };
    let near = "0x0000ffff,0xffffffff";
    let far = "0xffffffff,0xffff0000,0x0";
    for (first, second) in [
        ("subtype=\"MCDRAM\"", "subtype=\"DRAM\""),
        ("subtype=\"NVM\"", ""),
    ] {
        let mut text =
            "<topology version=\"2.0\">\n<object type=\"Machine\" os_index=\"0\">\n".to_owned();
        text += &object(0, near, first);
        text += &object(1, near, second);
        text += &object(2, far, second);
        text += &object(3, far, first);
        text += "</object>\n</topology>\n";
        let expected = [node(0, []), node(1, 0..48), node(2, 48..96), node(3, [])];
        assert_eq!(parse(text.as_bytes()).unwrap().nodes, expected);
    }
}

#[test]
fn cores_caches_and_dies_are_those_of_each_cpu() {
    for (name, dies) in [
        ("hwloc-llc.v2.xml", groups(32, 8)),
        ("hwloc-llc.v1.xml", Vec::new()),
    ] {
        let sharing = parse(fixture(name).as_bytes()).unwrap().sharing;
        let expected = Sharing {
            cores: groups(32, 2),
            clusters: Vec::new(),
            llcs: groups(32, 4),
            dies,
        };
        assert_eq!(sharing, expected, "{name}");
    }
    // CPUs 4 to 7 are of another kind and have no cache of level 3; a memory-side cache belongs to no CPU.
    let object = |attributes: &str| format!("<object {attributes}/>\n");
    let cache = |level: u32, cpus: &str, kind: u32| {
        object(&format!(
            "type=\"L{level}Cache\" cpuset=\"{cpus}\" depth=\"{level}\" cache_type=\"{kind}\""
        ))
    };
    let text = [
        "<topology version=\"2.0\">\n".to_owned(),
        object("type=\"NUMANode\" os_index=\"0\" cpuset=\"0xff\""),
        object("type=\"MemCache\" cpuset=\"0xff\" depth=\"1\" cache_type=\"0\""),
        cache(2, "0x3", 0),
        cache(2, "0x30", 0),
        cache(2, "0xc0", 0),
        cache(3, "0xf", 0),
        cache(4, "0xff", 2),
        // It contradicts the first one of its level, and has no CPUs of its own.
        cache(3, "0x18", 0),
        cache(1, "0x0", 1),
        object("type=\"Group\" subtype=\"Cluster\" cpuset=\"0xf0\""),
        object("type=\"Group\" cpuset=\"0xff\""),
        "</topology>".to_owned(),
    ]
    .concat();
    let sharing = parse(text.as_bytes()).unwrap().sharing;
    assert_eq!(sharing.llcs, [vec![0, 1, 2, 3], vec![4, 5], vec![6, 7]]);
    assert_eq!(sharing.clusters, [vec![4, 5, 6, 7]]);
}

#[test]
fn entities_are_not_expanded() {
    let text = "<!DOCTYPE topology [<!ENTITY a \"0xf\"><!ENTITY b \"&a;,&a;,&a;\">]>\n<topology version=\"2.0\">\n\
        <object type=\"NUMANode\" os_index=\"0\" cpuset=\"&b;\"/>\n</topology>";
    let error = parse(text.as_bytes()).expect_err(text).to_string();
    assert!(error.contains("a set such as 0x0000000f"), "{error}");
    // Thousands of elements within each other are as good as any.
    let deep = "<object type=\"Core\" cpuset=\"0x1\">".repeat(50_000);
    let text = format!("<topology version=\"2.0\">\n{deep}");
    assert!(parse(text.as_bytes()).is_err());
}

fn with_matrix(matrix: &str) -> Topology {
    let text = format!(
        "<topology version=\"2.0\">\n<object type=\"NUMANode\" os_index=\"4\" gp_index=\"20\" cpuset=\"0x1\"/>\n\
         <object type=\"NUMANode\" os_index=\"1\" gp_index=\"30\" cpuset=\"0x2\"/>\n{matrix}\n</topology>\n"
    );
    parse(text.as_bytes()).unwrap()
}

#[test]
fn matrices_in_any_order_of_the_nodes() {
    let values =
        "<u64values length=\"6\">10 21 </u64values><u64values length=\"6\">31 10 </u64values>";
    let matrix = |attributes: &str, indexes: &str| {
        format!(
            "<distances2 nbobjs=\"2\" {attributes}>\n<indexes length=\"6\">{indexes}</indexes>{values}</distances2>"
        )
    };
    let latency = "type=\"NUMANode\" kind=\"5\" indexing";
    let turned = Some(vec![vec![10, 31], vec![21, 10]]);
    let by_os = matrix(&format!("{latency}=\"os\""), "4 1 ");
    assert_eq!(with_matrix(&by_os).distances, turned);
    let by_gp = matrix(&format!("{latency}=\"gp\""), "20 30");
    assert_eq!(with_matrix(&by_gp).distances, turned);
    for other in [
        matrix("type=\"NUMANode\" kind=\"9\" indexing=\"os\"", "4 1"),
        matrix("type=\"Package\" kind=\"5\" indexing=\"os\"", "4 1"),
        matrix(&format!("{latency}=\"os\""), "4 4"),
        matrix(&format!("{latency}=\"os\""), "4 7"),
        matrix(&format!("{latency}=\"os\""), "4"),
    ] {
        assert_eq!(with_matrix(&other).distances, None, "{other}");
        let second = format!("{other}\n{by_os}");
        let expected = if other.contains("kind=\"9\"") || other.contains("Package") {
            turned.clone()
        } else {
            None
        };
        assert_eq!(with_matrix(&second).distances, expected, "{second}");
    }
}

#[test]
fn other_xml_is_none_of_ours() {
    for other in [
        "<capabilities>\n<host><topology sockets='1'/></host></capabilities>",
        "<topologyx/>",
        "<?xml version=\"1.0\"?>\n<html/>",
        "text <topology>",
        "<",
    ] {
        assert_eq!(sniff(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn refusals_name_the_line() {
    let object = "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x1\"/>";
    for (text, line, sentence) in [
        (
            "<topology>\n<object type=\"Machine\">\n",
            3,
            "expected complete XML of hwloc, found \"the end of the file\"",
        ),
        (
            "<topology>\n</object>\n",
            2,
            "expected complete XML of hwloc, found",
        ),
        (
            "<topology>\n</topology>\n",
            3,
            "expected at least one CPU on a node, found none",
        ),
        (
            "<topology>\n<object type=\"NUMANode\" os_index=\"-1\"/>",
            2,
            "expected a node number below 65536, found \"-1\"",
        ),
        (
            "<topology>\n<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0xf...f\"/>",
            2,
            "expected a set such as 0x0000000f, found \"0xf...f\"",
        ),
        (
            "<topology>\n<distances2 type=\"NUMANode\" kind=\"5\" nbobjs=\"60000\">",
            2,
            "expected at most 1024 nodes, found 60000",
        ),
        (
            "<topology>\n<distances2 kind=\"5\" nbobjs=\"1\">\n<u64values>1 2</u64values>",
            3,
            "expected a matrix of 1 nodes, found more values",
        ),
        (
            "<topology>\n<distances nbobjs=\"1\">\n<latency value=\"x\"/>",
            3,
            "expected a latency, found \"x\"",
        ),
        (
            "<topology>\n<object type=\"L3Cache\" cpuset=\"0x1\"/>",
            2,
            "expected the level of a cache below 65536, found nothing",
        ),
    ] {
        let error = parse(text.as_bytes()).expect_err(text).to_string();
        assert!(
            error.starts_with(&format!("line {line}: {sentence}")),
            "{error}"
        );
    }
    assert!(parse(format!("<topology>{object}</topology>").as_bytes()).is_ok());
}

proptest! {
    #[test]
    fn damaged_files_never_panic(
        which in 0..4usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = fixture(["hwloc-1x2.xml", "hwloc-2x4.v1.xml", "hwloc-2x4.v2.xml", "hwloc-llc.v2.xml"][which]).into_bytes();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        if let Ok(topology) = parse(&bytes) {
            prop_assert!(topology.nodes.windows(2).all(|pair| pair[0].nid < pair[1].nid));
        }
    }

    #[test]
    fn it_agrees_with_the_other_formats(per_node in prop::collection::vec(1..40u32, 1..6)) {
        let (mut lscpu, mut hwloc) = ("# CPU,Node\n".to_owned(), "<topology version=\"2.0\">".to_owned());
        let mut next = 0;
        for (nid, &n) in per_node.iter().enumerate() {
            let mut words = [0_u32; 8];
            for cpu in next..next + n {
                writeln!(lscpu, "{cpu},{nid}").unwrap();
                words[(cpu / 32) as usize] |= 1 << (cpu % 32);
            }
            next += n;
            let shown = |word: &u32| if *word == 0 { String::new() } else { format!("0x{word:08x}") };
            let set: Vec<String> = words.iter().rev().map(shown).collect();
            writeln!(hwloc, "<object type=\"NUMANode\" os_index=\"{nid}\" cpuset=\"{}\"/>", set.join(",")).unwrap();
        }
        hwloc += "</topology>";
        prop_assert_eq!(parse(lscpu.as_bytes()).unwrap(), parse(hwloc.as_bytes()).unwrap());
    }
}
