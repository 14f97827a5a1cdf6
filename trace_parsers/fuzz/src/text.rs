//! Topology, and the telling of formats.

use numalens_columns::{FileFunctions, FilePlace};

use crate::check::Extent;

pub(crate) fn topology(data: &[u8]) {
    match numalens_topology::parse(data) {
        Ok(topology) => {
            assert!(!topology.nodes.is_empty());
            assert!(
                topology
                    .nodes
                    .is_sorted_by(|before, next| before.nid < next.nid)
            );
            if let Some(distances) = &topology.distances {
                assert_eq!(distances.len(), topology.nodes.len());
                assert!(distances.iter().all(|row| row.len() == distances.len()));
            }
            let sharing = &topology.sharing;
            for groups in [
                &sharing.cores,
                &sharing.clusters,
                &sharing.llcs,
                &sharing.dies,
            ] {
                let mut cpus: Vec<u32> = groups.concat();
                assert!(
                    groups
                        .iter()
                        .all(|group| group.is_sorted() && !group.is_empty())
                );
                cpus.sort_unstable();
                assert!(
                    cpus.windows(2).all(|two| two[0] < two[1]),
                    "a CPU in two groups"
                );
            }
        }
        Err(error) => Extent::of(data).error(&error),
    }
}

pub(crate) fn elf(data: &[u8]) {
    match numalens_elf::parse(data) {
        Ok(program) => {
            for at in [0, 0x10c2, 0x1000_1000, u64::MAX] {
                let behind = FilePlace::Behind {
                    symbol: "_start",
                    bytes: at,
                };
                for place in [FilePlace::Offset(at), FilePlace::Code(at), behind] {
                    let name = program.name(place);
                    assert!(name.is_none_or(|name| name.len() <= 4096));
                }
            }
        }
        Err(error) => Extent::of(data).error(&error),
    }
}

/// Bytes by which whoever opens an input tells its kind.
const HEAD: usize = 64 << 10;

/// Whether a file begins like any of the formats. Those with a magic exclude each other.
pub(crate) fn sniff(data: &[u8]) {
    let head = &data[..data.len().min(HEAD)];
    let trace_dat = numalens_trace_dat::sniff(head);
    let perf_data = numalens_perf_data::sniff(head);
    let archive = numalens_archive::sniff(head).is_some();
    let _ = numalens_formats::Found::expect(data);
    let magic = [trace_dat, perf_data];
    assert!(magic.iter().filter(|&&found| found).count() <= 1);
    // A tar has no magic at its start: its first entry may be named like another format's magic.
    assert!(!archive || !trace_dat && !perf_data || head.len() >= 512);
}
