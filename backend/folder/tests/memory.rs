//! A bundle is the same in memory and in a folder.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use numalens_bundle::{Files, IngestRequest, Memory, Open, Progress, ingest};
use numalens_columns::ByteSource;
use numalens_folder::{Folder, Mapped};
use numalens_replay::timeline::Lane;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples");

fn made(files: &dyn Files, inputs: &[PathBuf], mapped: bool) -> String {
    let input = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let source: Box<dyn ByteSource> = if mapped {
            Box::new(Mapped::open(path).unwrap())
        } else {
            Box::new(std::fs::read(path).unwrap())
        };
        (name, source)
    };
    let request = IngestRequest {
        inputs: inputs.iter().map(input).collect(),
        offsets: [(0, 1_000)].into(),
        ..IngestRequest::default()
    };
    ingest(request, files, &mut Progress::new(None)).unwrap()
}

/// The names of all files below a folder.
fn below(folder: &Path, name: &str, found: &mut Vec<String>) {
    for entry in folder.join(name).read_dir().unwrap() {
        let entry = entry.unwrap();
        let inside = entry.file_name().into_string().unwrap();
        let inside = match name {
            "" => inside,
            _ => format!("{name}/{inside}"),
        };
        if entry.file_type().unwrap().is_dir() {
            below(folder, &inside, found);
        } else {
            found.push(inside);
        }
    }
}

fn window(open: &Open) -> RecordBatch {
    let index = &open.index;
    let nodes = index.nodes().iter();
    let lanes: Vec<Lane> = nodes
        .flat_map(|node| node.cpus.iter().map(|&cpu| Lane::Cpu(cpu)))
        .collect();
    let (from_ns, to_ns) = (index.origin_ns(), index.end_ns());
    index.window(&lanes, from_ns, to_ns, 500).unwrap()
}

fn same(inputs: &[&str]) {
    let inputs: Vec<PathBuf> = inputs
        .iter()
        .map(|name| Path::new(SAMPLES).join(name))
        .collect();
    let place = tempfile::tempdir().unwrap();
    let (memory, folder) = (Memory::default(), Folder::new(place.path()));
    let manifest = made(&memory, &inputs, false);
    assert_eq!(made(&folder, &inputs, true), manifest);
    let mut names = Vec::new();
    below(place.path(), "", &mut names);
    names.sort();
    assert_eq!(memory.names(), names);
    for name in &names {
        assert_eq!(
            memory.whole(name).unwrap(),
            folder.whole(name).unwrap(),
            "{name}"
        );
    }
    let memory = Open::new(Arc::new(memory)).unwrap();
    let folder = Open::new(Arc::new(folder)).unwrap();
    assert!(window(&memory).num_rows() > 100);
    assert_eq!(window(&memory), window(&folder));
}

#[test]
fn a_recording_is_the_same_in_memory_and_in_a_folder() {
    same(&["fixtures/tc-dropped.v7-zstd.dat"]);
}

#[test]
fn so_are_samples_next_to_it() {
    same(&[
        "cling-2x4-heavy/trace.dat",
        "cling-2x4-heavy/psi.jsonl",
        "cling-2x4-heavy/numactl-H.txt",
    ]);
}
