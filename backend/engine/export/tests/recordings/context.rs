//! What sections share is computed once, and answers are the same whether it was there or not.

use numalens_engine::{analyse, report};
use numalens_subject::Usage;

use super::*;

const ALL: (u64, u64) = (0, u64::MAX);
const OPTIONS: [(&str, &str); 5] = [
    ("cling", r#"{"degree": 5}"#),
    ("cling", r#"{"groups": "cgroup"}"#),
    ("idle_balancing", r#"{"model": "2011"}"#),
    ("page_migration", r#"{"step_ns": 500000000}"#),
    ("findings", r#"{"hz": 1000}"#),
];

fn heavy() -> Made {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/cling-2x4-heavy");
    let inputs = [
        "trace.dat",
        "psi.jsonl",
        "numa_group.jsonl",
        "numactl-H.txt",
    ];
    let inputs = inputs.map(|name| folder.join(name));
    let inputs = inputs.into_iter().filter(|path| path.exists());
    try_ingest(&inputs.collect::<Vec<_>>(), Limits::default()).unwrap()
}

fn bounded(made: &Made, bytes: usize) -> Context {
    Context::with_bound(Open::new(made.open.files.clone()).unwrap(), bytes)
}

/// The last 30 %, the whole, and 2 % of a recording.
fn windows(open: &Context) -> [(u64, u64); 3] {
    let (from, to) = (open.index.origin_ns(), open.index.end_ns());
    let part = |percent: u64| from + (to - from) / 100 * percent;
    [(part(70), to), ALL, (part(40), part(42))]
}

#[test]
fn answers_are_the_same_with_and_without() {
    for made in [heavy(), made(&["tc-small.v7-zstd.dat"])] {
        let nothing = bounded(&made, 0);
        let little = bounded(&made, 200_000);
        let names = sections();
        let all = names.iter().map(|section| (section.as_str(), "{}"));
        for window in windows(&made.open) {
            for (section, options) in all.clone().chain(OPTIONS) {
                let ask = |open: &Context| analyse(open, section, window, options, false).unwrap();
                let kept = ask(&made.open);
                assert_eq!(kept, ask(&made.open), "{section} {options} again");
                assert_eq!(kept, ask(&made.reopened()), "{section} {options} first");
                assert_eq!(kept, ask(&nothing), "{section} {options} without");
                assert_eq!(kept, ask(&little), "{section} {options} with little");
                let Usage { bytes, .. } = little.usage();
                assert!(bytes <= 200_000, "{bytes}");
            }
        }
        let whole = report(&made.open, (None, None), "{}").unwrap();
        assert_eq!(whole, report(&nothing, (None, None), "{}").unwrap());
        assert_eq!((nothing.usage().entries, nothing.usage().bytes), (0, 0));
        assert_eq!(nothing.usage().found, 0);
        assert!(little.usage().found > 0);
    }
}

#[test]
fn a_report_and_all_sections_compute_each_thing_once() {
    let made = heavy();
    report(&made.open, (None, None), "{}").unwrap();
    let first = made.open.usage();
    assert_eq!(first.computed, first.entries as u64, "{first:?}");
    assert!(first.found > 0);
    // The report's own window: nothing is left to compute but the step that its utilisation does not have.
    let window = &made.manifest["window_ns"];
    let edge = |at: usize| window[at].as_u64().unwrap();
    for section in sections() {
        analyse(&made.open, &section, (edge(0), edge(1)), "{}", false).unwrap();
    }
    let then = made.open.usage();
    assert_eq!(then.computed, then.entries as u64, "{then:?}");
    for section in sections() {
        analyse(&made.open, &section, (edge(0), edge(1)), "{}", false).unwrap();
        assert_eq!(made.open.usage().computed, then.computed, "{section}");
    }
}

#[test]
fn threads_wait_for_each_other() {
    let made = heavy();
    let ask = |section: String| analyse(&made.open, &section, ALL, "{}", false).unwrap();
    let answers: Vec<Vec<Vec<u8>>> = std::thread::scope(|scope| {
        let all = (0..4).map(|_| scope.spawn(|| sections().into_iter().map(ask).collect()));
        let all: Vec<_> = all.collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    let usage = made.open.usage();
    assert_eq!(usage.computed, usage.entries as u64, "{usage:?}");
}
