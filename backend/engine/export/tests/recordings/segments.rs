//! The segments of every wait add up to the causes that the replay wrote, on the repository's recordings.

use numalens_support::recordings::check_segments;

use super::*;

/// Checks the waits of an analysis; how many it has.
fn checked(made: &Made) -> usize {
    let Ok(parts) = made.open.parts() else {
        return 0;
    };
    let logs = parts.segment_logs(&made.open).unwrap();
    let pid = |task| made.open.index.task(task).unwrap().0;
    check_segments(&parts.waits, logs, pid)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn samples(folder: &str) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples");
    samples.join(folder)
}

#[test]
fn of_recordings_of_every_format() {
    let (mut recordings, mut waits) = (0, 0);
    for folder in ["", "perf", "perfetto", "text", "stacks"] {
        for file in files(&samples("fixtures").join(folder)) {
            let made = file
                .is_file()
                .then(|| try_ingest(&[file], Limits::default()));
            if let Some(Ok(made)) = made {
                let found = checked(&made);
                recordings += usize::from(found > 0);
                waits += found;
            }
        }
    }
    assert!(recordings > 30 && waits > 50_000, "{recordings} {waits}");
}

#[test]
fn of_incidents() {
    for folder in files(&samples("scenarios")) {
        let made = try_ingest(&[folder.join("bundle.tar.zst")], Limits::default()).unwrap();
        assert!(checked(&made) > 0, "{}", folder.display());
    }
}

#[test]
fn of_the_recording_of_the_first_start() {
    let made = try_ingest(&files(&samples("cling-2x4-heavy")), Limits::default()).unwrap();
    assert!(checked(&made) > 0);
}
