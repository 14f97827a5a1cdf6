//! A short run of every target: its seeds, among them every input that once broke it, then seeds changed at random.
//!
//! The changes are the same in every run. There are `CHANGES` changed inputs, or with `NUMALENS_TEST=all` as many as fit into
//! three seconds. `NUMALENS_FUZZ_SECONDS` sets another time. An input that breaks a target is written to a file, which the
//! failure names.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use numalens_fuzz::{Numbers, change, opens, seeds, target};

/// Longest time for one input.
const HANG: Duration = Duration::from_secs(10);
/// Longest input that changes make.
const MOST: usize = 1 << 17;
/// Changed inputs of a target where no time is set.
const CHANGES: usize = 5000;

/// How long changed inputs are run, if that is limited by time.
fn seconds() -> Option<u64> {
    match std::env::var("NUMALENS_FUZZ_SECONDS") {
        Ok(text) => Some(text.parse().unwrap()),
        Err(_) => (std::env::var("NUMALENS_TEST").as_deref() == Ok("all")).then_some(3),
    }
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
    let seeds: Vec<Vec<u8>> = seeds(name).unwrap().into_values().collect();
    assert!(!seeds.is_empty(), "{name} has no seeds");
    for data in &seeds {
        run(name, data);
    }
    for start in [&b""[..], b"\0", b"\n"] {
        run(name, start);
    }
    let end = seconds().map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut numbers = Numbers::new(0x9e37_79b9_7f4a_7c15);
    let mut done = 0;
    while end.map_or(done < CHANGES, |end| Instant::now() < end) {
        done += 1;
        let mut data = seeds[numbers.below(seeds.len())].clone();
        for _ in 0..=numbers.below(6) {
            change(name, &mut numbers, &mut data, &seeds, MOST);
        }
        run(name, &data);
    }
}

/// Bundles of an older version reach nothing but the error message.
#[test]
fn seeds_are_bundles_that_open() {
    let seeds = seeds("bundle").unwrap();
    for name in ["events", "samples", "stacks"] {
        let hint = "run cargo test -p numalens-fuzz --test seeds -- --ignored";
        assert!(opens(&seeds[name]), "{name} does not open: {hint}");
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
