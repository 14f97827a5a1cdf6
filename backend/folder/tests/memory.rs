//! A bundle is the same in memory and in a folder, and made by one thread or by two.
#![allow(clippy::unwrap_used)]

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use arrow_array::RecordBatch;
use numalens_bundle::{
    Files, IngestRequest, Inputs, Limits, Memory, Open, Progress, ingest, unpack,
};
use numalens_columns::{ByteSource, ReadOptions};
use numalens_core::Helper;
use numalens_core::ipc::Bytes;
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

fn same_files(memory: &Memory, folder: &Folder, place: &Path) {
    let mut names = Vec::new();
    below(place, "", &mut names);
    names.sort();
    assert_eq!(memory.names(), names);
    for name in &names {
        assert_eq!(
            memory.whole(name).unwrap(),
            folder.whole(name).unwrap(),
            "{name}"
        );
    }
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
    same_files(&memory, &folder, place.path());
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

/// The inputs of a file, which may be an archive; `None` when it is no input.
fn unpacked(path: &Path, into: &Memory) -> Option<Inputs<'static>> {
    let name = path.file_name()?.to_str()?.to_owned();
    let source = || -> Box<dyn ByteSource> { Box::new(Mapped::open(path).unwrap()) };
    let options = ReadOptions::default();
    let given = vec![(name, source())];
    let members = unpack(&given, into, None, options, &mut Progress::new(None)).ok()?;
    let inputs = members
        .iter()
        .filter(|member| member.kind.is_some_and(|kind| !kind.is_empty()));
    let inputs = inputs.map(|member| {
        let source = member
            .file
            .as_ref()
            .map_or_else(source, |file| into.source(file).unwrap());
        (member.name.clone(), source)
    });
    Some(inputs.collect())
}

/// Files of which one write fails: the one that goes beyond a number of bytes.
#[derive(Debug)]
struct Failing<'a>(&'a dyn Files, Arc<AtomicI64>);

struct FailingFile(Box<dyn Write + Send>, Arc<AtomicI64>);

impl Write for FailingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.1.fetch_sub(bytes.len() as i64, Ordering::Relaxed);
        if (0..bytes.len() as i64).contains(&left) {
            return Err(io::Error::other("the disk is full"));
        }
        self.0.write_all(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Files for Failing<'_> {
    fn has(&self, name: &str) -> bool {
        self.0.has(name)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.0.list(folder)
    }

    fn mapped(&self, name: &str) -> io::Result<Bytes> {
        self.0.mapped(name)
    }

    fn pieces(&self, name: &str) -> io::Result<Bytes> {
        self.0.pieces(name)
    }

    fn source(&self, name: &str) -> io::Result<Box<dyn ByteSource>> {
        self.0.source(name)
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send>> {
        let file = FailingFile(self.0.create(name)?, Arc::clone(&self.1));
        Ok(Box::new(file))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)
    }

    fn helper(&self) -> Helper {
        self.0.helper()
    }
}

/// Makes a bundle by one thread in memory and by two in a folder, and compares them; gives the error if there is one.
fn by_one_and_by_two(
    inputs: impl Fn() -> Option<Inputs<'static>>,
    limits: Limits,
    stop_at: Option<(&str, u64)>,
    fail_at: i64,
) -> Option<String> {
    let place = tempfile::tempdir().unwrap();
    let (memory, folder) = (
        Memory::default(),
        Folder::new(place.path()).in_two_threads(),
    );
    let [one, two] = [&memory as &dyn Files, &folder].map(|files| {
        let request = IngestRequest {
            inputs: inputs().unwrap(),
            limits,
            ..IngestRequest::default()
        };
        let mut progress = Progress::new(Some(Box::new(|stage, done, _| {
            if stop_at.is_some_and(|(at, after)| at == stage && done >= after) {
                return Err(format!("stopped while {stage}").into());
            }
            Ok(())
        })));
        let files = Failing(files, Arc::new(fail_at.into()));
        ingest(request, &files, &mut progress).map_err(|error| error.to_string())
    });
    assert_eq!(one, two);
    if one.is_ok() {
        same_files(&memory, &folder, place.path());
    }
    one.err()
}

#[test]
fn two_threads_make_the_same_bundle() {
    let mut names = Vec::new();
    below(Path::new(SAMPLES), "", &mut names);
    let mut made = 0;
    for name in names {
        let path = Path::new(SAMPLES).join(name);
        let inputs = || unpacked(&path, &Memory::default());
        if inputs().is_some() {
            made +=
                u32::from(by_one_and_by_two(inputs, Limits::default(), None, i64::MAX).is_none());
        }
    }
    assert!(made > 50, "{made} bundles");
}

#[test]
fn two_threads_end_with_the_same_error() {
    let path = Path::new(SAMPLES).join("cling-2x4-heavy/trace.dat");
    let ended = |limits, stop_at, fail_at| {
        let inputs = || unpacked(&path, &Memory::default());
        by_one_and_by_two(inputs, limits, stop_at, fail_at)
    };
    assert_eq!(ended(Limits::default(), None, i64::MAX), None);
    for bytes in [1 << 20, 5 << 20, 15 << 20] {
        let error = ended(Limits::default(), None, bytes).unwrap();
        assert!(error.ends_with("the disk is full"), "{error}");
    }
    for bytes in [100, 10_000, 1_000_000, 10_000_000] {
        let limits = Limits {
            bytes: Some(bytes),
            events: None,
        };
        let error = ended(limits, None, i64::MAX).unwrap();
        assert!(error.contains("(max_bytes)"), "{error}");
    }
    for stage in ["decoding", "indexing"] {
        for after in [1, 1 << 16, 1 << 17] {
            let error = ended(Limits::default(), Some((stage, after)), i64::MAX).unwrap();
            assert_eq!(error, format!("stopped while {stage}"));
        }
    }
}
