//! A few seconds of every target: its seeds, every input that once broke it, then seeds changed at random.
//!
//! The changes are the same in every run; `NUMALENS_FUZZ_SECONDS` sets how long they go on (3 without it). An input that
//! breaks a target is written to a file, whose name the failure tells.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use numalens_fuzz::{Numbers, change, target};

/// Longest time for one input.
const HANG: Duration = Duration::from_secs(10);
/// Longest input that changes make.
const MOST: usize = 1 << 17;

fn folder(kind: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(kind).join(name)
}

/// The files of a folder, by name; none when it is missing.
fn files(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
        .iter()
        .map(|name| std::fs::read(name).unwrap())
        .collect()
}

/// Runs one input; keeps it in a file when it breaks the target.
fn run(name: &str, data: &[u8]) {
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| (target(name).unwrap().run)(data)));
    let took = start.elapsed();
    if result.is_ok() && took < HANG {
        return;
    }
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("broke-{name}"));
    std::fs::write(&kept, data).unwrap();
    println!(
        "the input of {} bytes is kept in {}",
        data.len(),
        kept.display()
    );
    match result {
        Ok(()) => panic!("{name} took {took:?}"),
        Err(reason) => resume_unwind(reason),
    }
}

fn smoke(name: &str) {
    let seeds = files(&folder("seeds", name));
    assert!(!seeds.is_empty(), "{name} has no seeds");
    for data in seeds.iter().chain(&files(&folder("crashes", name))) {
        run(name, data);
    }
    for start in [&b""[..], b"\0", b"\n"] {
        run(name, start);
    }
    let seconds = std::env::var("NUMALENS_FUZZ_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(3);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut numbers = Numbers::new(0x9e37_79b9_7f4a_7c15);
    while Instant::now() < end {
        let mut data = seeds[numbers.below(seeds.len())].clone();
        for _ in 0..=numbers.below(6) {
            change(name, &mut numbers, &mut data, &seeds, MOST);
        }
        run(name, &data);
    }
}

/// A test for each target: they run side by side, and a failure names its target.
macro_rules! targets {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                smoke(stringify!($name));
            }
        )*

        #[test]
        fn every_target_is_here() {
            let here = [$(stringify!($name)),*];
            assert_eq!(numalens_fuzz::TARGETS.iter().map(|target| target.name).collect::<Vec<_>>(), here);
        }
    };
}

targets! { trace_dat event_format perf_data ftrace_text perfetto_rows samples topology elf archive spread sniff bundle }
