use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use proptest::prelude::*;

use super::Filter;

fn batch() -> RecordBatch {
    let columns: [(&str, ArrayRef); 4] = [
        (
            "ts_ns",
            Arc::new(UInt64Array::from(vec![
                1_000,
                2_000_000,
                3_000_000_000,
                u64::MAX,
            ])),
        ),
        ("cpu", Arc::new(UInt32Array::from(vec![0, 1, 2, 7]))),
        (
            "prev_comm",
            Arc::new(StringArray::from(vec![
                Some("stress-ng"),
                Some("bash"),
                None,
                Some("7"),
            ])),
        ),
        (
            "prev_pid",
            Arc::new(Int32Array::from(vec![Some(12), Some(-1), Some(7), None])),
        ),
    ];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn rows(text: &str) -> Vec<usize> {
    let batch = batch();
    let filter = Filter::parse(text).expect("a filter");
    let Some(table) = filter.of_table("sched", "sched_switch", &batch.schema()) else {
        return Vec::new();
    };
    let names: Vec<&str> = table.columns().into_iter().collect();
    let places: Vec<usize> = names
        .iter()
        .map(|name| batch.schema().index_of(name).expect("a column"))
        .collect();
    // Only what was requested: the mask may need nothing else.
    let mask = if places.is_empty() {
        table.mask(&batch)
    } else {
        table.mask(&batch.project(&places).expect("columns"))
    };
    (0..batch.num_rows())
        .filter(|&row| mask.value(row))
        .collect()
}

fn wrong(text: &str) -> (usize, String) {
    let wrong = Filter::parse(text).expect_err("no filter");
    (wrong.at, wrong.sentence)
}

#[test]
fn conditions_hold_of_numbers_text_and_the_event_itself() {
    assert_eq!(rows(""), [0, 1, 2, 3]);
    assert_eq!(
        rows("event == sched_switch && prev_comm ~ stress && cpu in 0-3"),
        [0]
    );
    assert!(rows("event = sched_waking").is_empty());
    assert_eq!(
        rows("system in sched, irq and event ~ *switch"),
        [0, 1, 2, 3]
    );
    assert_eq!(rows("cpu >= 1 and cpu < 7"), [1, 2]);
    assert_eq!(rows("cpu in 0,2-3,7"), [0, 2, 3]);
    assert_eq!(rows("prev_pid == -1 or prev_pid == 0xC"), [0, 1]);
    assert_eq!(rows("ts_ns <= 2ms"), [0, 1]);
    assert_eq!(
        rows("ts_ns == 0.002s || ts_ns == 18446744073709551615"),
        [1, 3]
    );
    assert_eq!(rows("prev_comm == \"stress-ng\" or prev_comm == 7"), [0, 3]);
    assert_eq!(rows("prev_comm ~ str?ss*"), [0]);
    assert_eq!(rows("prev_comm ~ *s*"), [0, 1]);
    assert_eq!(rows("prev_comm !~ s"), [3]);
    assert_eq!(rows("prev_comm in bash, zsh"), [1]);
}

#[test]
fn what_is_not_there_fits_nothing_and_not_turns_that_around() {
    assert_eq!(rows("prev_pid != 5"), [0, 1, 2]);
    assert_eq!(rows("not prev_pid != 5"), [3]);
    assert!(rows("next_pid == 5").is_empty());
    assert_eq!(rows("!(next_pid == 5)"), [0, 1, 2, 3]);
    assert_eq!(rows("event == sched_waking || prev_comm == bash"), [1]);
    assert_eq!(rows("!(event == sched_switch && cpu == 1)"), [0, 2, 3]);
}

#[test]
fn and_binds_closer_than_or() {
    assert_eq!(rows("cpu == 0 or cpu == 1 and prev_comm == stress-ng"), [0]);
    assert_eq!(rows("(cpu == 0 or cpu == 1) and prev_comm == bash"), [1]);
}

#[test]
fn errors_are_one_sentence_with_the_place() {
    assert_eq!(wrong("cpu").0, 4);
    assert_eq!(
        wrong("cpu == 1 &&").1,
        "The filter is wrong at character 12: expected a field, found the end."
    );
    assert_eq!(
        wrong("cpu 1").1,
        "The filter is wrong at character 5: expected ==, !=, <, <=, >, >=, ~, !~ or in, found 1."
    );
    assert_eq!(wrong("(cpu == 1").0, 10);
    assert_eq!(wrong("comm == \"bash").0, 9);
    assert_eq!(wrong("cpu in 3-1").0, 8);
    assert_eq!(wrong("cpu == 1 cpu == 2").0, 10);
    assert_eq!(wrong("comm == b;sh").0, 10);
    assert_eq!(
        wrong(&"(".repeat(100)).1,
        "The filter is wrong at character 65: it is nested too deeply."
    );
    assert_eq!(wrong(&"x".repeat(3000)).0, 2001);
}

#[test]
fn a_field_that_nothing_has_and_a_number_that_is_none_are_rejected() {
    let has = |name: &str| match name {
        "prev_pid" | "cpu" => (true, false),
        "comm" => (false, true),
        "reason" => (true, true),
        _ => (false, false),
    };
    let checked = |text: &str| {
        Filter::parse(text)
            .expect("a filter")
            .check(&has)
            .map_err(|wrong| wrong.at)
    };
    assert_eq!(
        checked("prev_pid == 1 && reason == idle && reason == 3"),
        Ok(())
    );
    assert_eq!(checked("cpu == 1 && pid == 3"), Err(13));
    assert_eq!(checked("!(prev_pid == bash)"), Err(15));
    assert_eq!(checked("cpu in 1, two"), Err(8));
    assert_eq!(checked("comm in 1-3"), Err(9));
    assert_eq!(checked("cpu ~ 1"), Err(7));
}

proptest! {
    #[test]
    fn nothing_that_is_typed_panics(text in "[a-z0-9_ ()!&|<>=~,.*?\"\\\\-]{0,60}") {
        if let Ok(filter) = Filter::parse(&text)
            && let Some(table) = filter.of_table("sched", "sched_switch", &batch().schema())
        {
            prop_assert_eq!(table.mask(&batch()).len(), 4);
        }
    }

    #[test]
    fn a_pattern_says_what_a_slow_and_simple_matcher_says(pattern in "[ab*?]{0,8}", text in "[ab]{0,8}") {
        fn slow(pattern: &[u8], text: &[u8]) -> bool {
            match (pattern.first(), text.first()) {
                (None, None) => true,
                (Some(b'*'), _) => slow(&pattern[1..], text) || (!text.is_empty() && slow(pattern, &text[1..])),
                (Some(b'?'), Some(_)) => slow(&pattern[1..], &text[1..]),
                (Some(a), Some(b)) if a == b => slow(&pattern[1..], &text[1..]),
                _ => false,
            }
        }
        prop_assume!(pattern.contains(['*', '?']));
        let filter = Filter::parse(&format!("event ~ \"{pattern}\"")).expect("a filter");
        let table = filter.of_table("", &text, &arrow_schema::Schema::empty());
        prop_assert_eq!(table.is_some(), slow(pattern.as_bytes(), text.as_bytes()));
    }
}
