//! Forms that no recording at hand has, from a writer: byte orders, packed records, losses, order.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use support::writer::{FAULT_IDS, Form, Item, write};
use support::{decode, read};

/// Two rounds of two CPUs, of which the second brings what lies before the first's end.
fn items() -> Vec<Item> {
    let mut items = Vec::new();
    for round in 0..4_u64 {
        for cpu in 0..2_u32 {
            for i in 0..20_u64 {
                let ts = 1000 + round * 200 + i * 10 + u64::from(cpu) * 5;
                let chain = vec![u64::MAX - 127, ts];
                items.push(Item::Mini(ts, cpu, i as i32 - 3, chain));
                if i % 7 == 0 {
                    items.push(Item::Fault(ts + 1, cpu, ts << 12));
                }
            }
        }
        items.push(Item::Round);
    }
    items
}

#[test]
fn every_form_gives_the_same_tables() {
    let (first, recording) = decode(&write(Form::PLAIN, &items()));
    let lines = |sink: &support::Memory| {
        let mut all = sink.order();
        all.push(sink.text("mini", 200));
        all.push(sink.text("page-faults", 200));
        all
    };
    assert_eq!(recording.summary.events, 160 + 24);
    let shown = ["mini", "page-faults"].map(|event| first.text(event, 3));
    insta::assert_snapshot!(shown.join("\n"));
    let order = first.order();
    assert!(order.is_sorted(), "stamps of equal length ascend");
    for form in Form::all() {
        let (sink, other) = decode(&write(form, &items()));
        assert_eq!(lines(&sink), lines(&first), "{form:?}");
        assert_eq!(other.summary, recording.summary, "{form:?}");
        let info = other.info;
        assert_eq!(info.kernel.as_deref(), Some("6.9.1-test"), "{form:?}");
        assert_eq!(
            info.nodes,
            Some(vec![(0, vec![0, 2]), (3, vec![1, 3])]),
            "{form:?}"
        );
        assert_eq!(
            (info.cpus, info.clock.as_deref()),
            (2, Some("mono")),
            "{form:?}"
        );
        assert_eq!(info.clock_pairs[0].trace_ns, 5000, "{form:?}");
    }
}

#[test]
fn messages_of_perf_are_left_out() {
    for form in Form::all().into_iter().filter(|form| form.pipe) {
        let whole = write(form, &items());
        let said = "[ perf record: Woken up 1 times to write data ]\n[ perf record: Captured and wrote 0.012 MB - ]\n";
        let (want, recording) = decode(&whole);
        let (sink, with) = decode(&[&whole, said.as_bytes()].concat());
        assert_eq!(sink.order(), want.order(), "{form:?}");
        assert_eq!(with.summary, recording.summary, "{form:?}");
        assert_eq!(
            with.info.notes.len(),
            recording.info.notes.len() + 1,
            "{:?}",
            with.info.notes
        );
        let cut = decode(&[&whole, &said.as_bytes()[..said.len() - 9]].concat());
        assert_eq!(
            (cut.0.order(), cut.1.info.notes),
            (want.order(), with.info.notes)
        );
        // What is no text is damage.
        assert!(
            read(
                &[&whole, &b"[ perf record: \x01\x02 ]\n"[..]].concat(),
                false
            )
            .is_err()
        );
    }
}

#[test]
fn lost_events_are_placed_by_their_time() {
    let items = [
        Item::Mini(100, 0, 1, vec![]),
        Item::Mini(300, 0, 2, vec![]),
        Item::Lost(200, 0, 5),
        Item::Lost(210, 0, 6),
        Item::Lost(150, 1, 7),
        Item::Mini(110, 1, 3, vec![]),
        Item::Round,
    ];
    for form in Form::all() {
        let (sink, recording) = decode(&write(form, &items));
        let seen: Vec<_> = sink
            .lost
            .iter()
            .map(|lost| (lost.ts_ns, lost.cpu, lost.seq, lost.count))
            .collect();
        // CPU 1 has no event behind its gap: the mark is at the end.
        assert_eq!(
            seen,
            [(300, 0, 2, Some(11)), (300, 1, 3, Some(7))],
            "{form:?}"
        );
        let summary = recording.summary;
        assert_eq!(
            (summary.lost_marks, summary.lost_events),
            (2, 18),
            "{form:?}"
        );
    }
}

#[test]
fn what_perf_counted_beyond_the_marks_is_lost_at_the_end() {
    // ID_INDEX: one entry of id, index, CPU and thread.
    let index: Vec<u8> = [1, FAULT_IDS[1], 0, 1, 0_u64]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let mut items = vec![
        Item::Other(69, index),
        Item::Mini(100, 1, 1, vec![]),
        Item::Lost(120, 1, 4),
        Item::Mini(140, 1, 1, vec![]),
        Item::Counted(FAULT_IDS[1], 4),
    ];
    let (sink, recording) = decode(&write(Form::PLAIN, &items));
    assert_eq!((sink.lost.len(), recording.summary.lost_events), (1, 4));
    items.push(Item::Counted(FAULT_IDS[1], 3));
    items.push(Item::Counted(77, 9));
    let (sink, recording) = decode(&write(Form::PLAIN, &items));
    assert_eq!((sink.lost[1].count, sink.lost[1].seq), (Some(3), 2));
    assert_eq!(recording.summary.lost_events, 7);
    let note = "perf lost 9 samples (CPU unknown)";
    assert_eq!(recording.info.notes, [note]);
}

#[test]
fn records_of_unknown_types_and_processor_traces_are_stepped_over() {
    let mut trace = 24_u64.to_le_bytes().to_vec();
    trace.extend([0; 8]);
    let items = [
        Item::Mini(100, 0, 1, vec![]),
        Item::Other(22, vec![1; 40]),
        Item::Other(90, vec![2; 16]),
        Item::Other(71, trace),
        // The trace itself looks like three headers of size 8.
        Item::Other(68, vec![]),
        Item::Other(68, vec![]),
        Item::Other(68, vec![]),
        Item::Mini(50, 0, 2, vec![]),
    ];
    let (sink, recording) = decode(&write(Form::PLAIN, &items));
    assert_eq!(sink.lines("mini", &["ts_ns", "value"]), ["50|2", "100|1"]);
    assert_eq!(
        recording.summary.backwards, 0,
        "the trace is no end of rounds"
    );
    assert!(
        recording.info.notes[0].contains("perf inject"),
        "{:?}",
        recording.info.notes
    );
}

#[test]
fn events_later_than_their_round_allows_are_counted() {
    let mut items = vec![Item::Mini(100, 0, 1, vec![]), Item::Round, Item::Round];
    items.push(Item::Mini(90, 1, 2, vec![]));
    let (sink, recording) = decode(&write(Form::PLAIN, &items));
    assert_eq!(sink.order(), ["100|0|mini", "90|1|mini"]);
    assert_eq!(recording.summary.backwards, 1);
}

#[test]
fn a_file_whose_perf_was_killed_is_read_to_its_end() {
    let mut bytes = write(Form::PLAIN, &items());
    let data = u64::from_le_bytes(bytes[40..48].try_into().unwrap());
    let size = u64::from_le_bytes(bytes[48..56].try_into().unwrap());
    bytes[48..56].fill(0);
    bytes.truncate((data + size) as usize - 30); // the last record is cut; the header's features were never written
    for tolerant in [false, true] {
        let (sink, recording) = read(&bytes, tolerant).unwrap();
        assert!(
            recording.summary.events > 180,
            "{}",
            recording.summary.events
        );
        assert!(sink.skipped.is_empty());
        assert_eq!(recording.info.kernel, None);
        let notes = recording.info.notes.join("; ");
        for part in [
            "perf was stopped",
            "the last record is cut",
            "no format for 1 tracepoints",
        ] {
            assert!(notes.contains(part), "{notes}");
        }
        // Without the formats a tracepoint's record stays bytes.
        assert_eq!(sink.tables[0].0.event, "type_7");
    }
}

#[test]
fn samples_without_a_time_are_refused_in_a_sentence() {
    let mut bytes = write(Form::PLAIN, &items());
    let attr = u64::from_le_bytes(bytes[24..32].try_into().unwrap()) as usize;
    bytes[attr + 24] &= !4;
    let said = support::sentence(&bytes);
    assert!(
        said.contains("expected samples with their times, found event"),
        "{said}"
    );
}
