//! A few seconds of every target: its seeds, every input that once broke it, then seeds changed at random.
//!
//! The changes are the same in every run; `NUMALENS_FUZZ_SECONDS` sets how long they go on (3 without it). An input that
//! breaks a target is written to a file, whose name the failure tells.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use numalens_fuzz::target;

/// Longest time for one input.
const HANG: Duration = Duration::from_secs(10);
/// Longest input that changes make.
const MOST: usize = 1 << 16;

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

/// Numbers that look random and are the same every time (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `end`, or 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn range(&mut self, length: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        start..(start + 1 + self.below(most)).min(length)
    }
}

/// Numbers at which readers turn.
const TURNS: [u64; 12] = [
    0,
    1,
    7,
    8,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    u64::MAX / 2,
    u64::MAX,
];

fn change(numbers: &mut Numbers, data: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let length = data.len();
    let range = numbers.range(length, 64);
    match numbers.below(9) {
        0 if length > 0 => {
            let at = numbers.below(length);
            data[at] ^= 1 << numbers.below(8);
        }
        1 if length > 0 => {
            let at = numbers.below(length);
            data[at] = numbers.next() as u8;
        }
        2 => {
            let turn = TURNS[numbers.below(TURNS.len())];
            let bytes = if numbers.below(2) == 0 {
                turn.to_le_bytes()
            } else {
                turn.to_be_bytes()
            };
            let width = 1 << numbers.below(4);
            let at = numbers.below(length);
            let part = if numbers.below(2) == 0 {
                &bytes[..width]
            } else {
                &bytes[8 - width..]
            };
            for (place, &byte) in data.iter_mut().skip(at).zip(part) {
                *place = byte;
            }
        }
        3 => data.truncate(numbers.below(length + 1)),
        4 => drop(data.drain(range)),
        5 => {
            let part = data[range].to_vec();
            let at = numbers.below(length);
            data.splice(at..at, part);
        }
        6 => {
            let other = &seeds[numbers.below(seeds.len())];
            let part = other[numbers.range(other.len(), 400)].to_vec();
            let at = numbers.below(length);
            data.splice(at..at, part);
        }
        7 => {
            let other = &seeds[numbers.below(seeds.len())];
            let start = numbers.below(other.len());
            data.truncate(numbers.below(length + 1));
            data.extend(&other[start..]);
        }
        _ => {
            let digits = [
                &b"0"[..],
                b"-1",
                b"4294967296",
                b"18446744073709551616",
                b".",
                b" ",
                b"\n",
                b"\0",
            ];
            let part = digits[numbers.below(digits.len())].to_vec();
            data.splice(range, part);
        }
    }
    data.truncate(MOST);
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
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    while Instant::now() < end {
        let mut data = seeds[numbers.below(seeds.len())].clone();
        for _ in 0..=numbers.below(6) {
            change(&mut numbers, &mut data, &seeds);
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

targets! { trace_dat event_format perf_data ftrace_text perfetto_rows samples topology archive sniff }
