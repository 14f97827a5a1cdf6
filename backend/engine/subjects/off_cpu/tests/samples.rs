//! The ledgers of all tasks of all recordings of the samples.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use numalens_bundle::{Files, IngestRequest, Inputs, Memory, Open, Progress, ingest, unpack};
use numalens_columns::{ByteSource, ReadOptions};
use numalens_off_cpu::{Ledger, State};
use numalens_replay::timeline::TaskState;

/// The recordings below a folder.
fn recordings(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            recordings(&path, found);
        } else if [".dat", ".dat.zst", ".data", ".data.zst", "bundle.tar.zst"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            found.push(path);
        }
    }
}

/// A recording as a bundle; `None` for one that is not read alone.
fn open(path: &Path) -> Option<Open> {
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let source: Box<dyn ByteSource> = Box::new(std::fs::read(path).unwrap());
    let inputs: Inputs<'_> = vec![(name, source)];
    let unpacked = Memory::default();
    let mut progress = Progress::new(None);
    let options = ReadOptions { tolerant: true };
    let members = unpack(&inputs, &unpacked, None, options, &mut progress).ok()?;
    let members = members.into_iter().filter(|member| member.kind.is_some());
    let inputs = members.map(|member| {
        let bytes = match &member.file {
            Some(file) => unpacked.whole(file).unwrap().to_vec(),
            None => inputs[member.source as usize].1.bytes().to_vec(),
        };
        (member.name, Box::new(bytes) as Box<dyn ByteSource>)
    });
    let files = Memory::default();
    let request = IngestRequest {
        inputs: inputs.collect(),
        options,
        ..IngestRequest::default()
    };
    ingest(request, &files, &mut progress).ok()?;
    let open = Open::new(Arc::new(files)).unwrap();
    (open.switches && open.evidence.is_some()).then_some(open)
}

/// The states of the timeline, which the ledger has to agree with but for sleeps that a missing switch makes look like one.
fn state(state: TaskState) -> State {
    match state {
        TaskState::Running => State::Running,
        TaskState::Woken | TaskState::Preempted | TaskState::Resumed => State::Runnable,
        _ => State::Asleep,
    }
}

#[test]
fn the_states_of_each_task_add_up_to_its_time_in_any_window() {
    let mut paths = Vec::new();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../samples");
    recordings(&samples, &mut paths);
    let mut tasks = 0;
    for path in paths {
        let Some(open) = open(&path) else {
            continue;
        };
        let ledger = Ledger::new(&open).unwrap();
        let narrow = Ledger::new(&open).unwrap();
        let origin = open.index.origin_ns();
        let third = (open.index.end_ns() - origin) / 3;
        let (from_ns, to_ns) = (origin + third, origin + 2 * third);
        let mut pids: Vec<i32> = (0..)
            .map_while(|task| open.index.task(task))
            .map(|it| it.0)
            .collect();
        pids.sort_unstable();
        pids.dedup();
        for pid in pids.into_iter().filter(|&pid| pid != 0) {
            let spans = open
                .index
                .task_spans(pid, &open.parts().unwrap().waits)
                .unwrap();
            let pieces = ledger.pieces(pid, 0, u64::MAX).unwrap();
            let mut at = 0;
            for span in spans.all() {
                let (from, to) = (origin + span.start, origin + span.end);
                let mut reached = from;
                while pieces.get(at).is_some_and(|piece| piece.from_ns < to) {
                    let piece = pieces[at];
                    assert_eq!(piece.from_ns, reached, "{} {pid}", path.display());
                    assert!(piece.from_ns < piece.to_ns && piece.to_ns <= to);
                    let own = state(span.state);
                    assert!(own == State::Asleep || piece.cause.state() == own);
                    (reached, at) = (piece.to_ns, at + 1);
                }
                assert_eq!(reached, to, "{} {pid}", path.display());
            }
            assert_eq!(at, pieces.len());
            // A window that was read alone has the same.
            let mut cut = pieces;
            cut.retain(|piece| piece.from_ns < to_ns && piece.to_ns > from_ns);
            for piece in &mut cut {
                piece.from_ns = piece.from_ns.max(from_ns);
                piece.to_ns = piece.to_ns.min(to_ns);
            }
            let inside = narrow.pieces(pid, from_ns, to_ns).unwrap();
            assert_eq!(inside, cut, "{} {pid}", path.display());
            let mut sleeps = ledger.sleeps(pid, 0, u64::MAX).unwrap();
            sleeps.retain(|sleep| sleep.from_ns < to_ns && sleep.to_ns > from_ns);
            let inside = narrow.sleeps(pid, from_ns, to_ns).unwrap();
            assert_eq!(inside, sleeps, "{} {pid}", path.display());
            tasks += 1;
        }
    }
    assert!(tasks > 500, "{tasks}");
}
