//! Text and binary of one recording give equal tables, as far as text can carry them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use support::{Memory, Rows, fixture, rows, strict, text};

/// Columns that text cannot carry, by `event.column`, besides those that are text for a number (kernel symbols).
const NOT_IN_TEXT: &[&str] = &[];

/// What a comparison allows.
struct Allowance {
    /// Largest difference of stamps, ns.
    ns: u64,
    /// trace-cmd's plugin prints `R+` as `R`.
    no_preempted: bool,
}

const MICRO: Allowance = Allowance {
    ns: 1000,
    no_preempted: false,
};
const PRETTY: Allowance = Allowance {
    no_preempted: true,
    ..MICRO
};
const NANO: Allowance = Allowance { ns: 0, ..MICRO };
const PRETTY_NANO: Allowance = Allowance { ns: 0, ..PRETTY };

fn names(memory: &Memory) -> BTreeSet<(String, String)> {
    memory
        .specs
        .iter()
        .map(|spec| (spec.system.clone(), spec.event.clone()))
        .collect()
}

/// Compares all tables and returns the columns that were compared.
fn compare(name: &str, binary: &str, buffers: &[u8], allow: &Allowance) -> BTreeSet<String> {
    let (ours, recording) = strict(&text(name));
    let (theirs, _) = support::trace_dat::decode(&fixture(binary)).unwrap();
    let systems = |memory| {
        names(memory)
            .into_iter()
            .filter(|(system, _)| system != "unknown" && system != "nbk")
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(systems(&ours.memory), systems(&theirs), "{name}");
    assert_eq!(
        recording.summary.events,
        ours.memory.rows() as u64,
        "{name}"
    );
    let mut compared = BTreeSet::new();
    for (system, event) in names(&ours.memory) {
        let (ours, theirs) = (rows(&ours.memory, &event), rows(&theirs, &event));
        assert_eq!(ours.rows.len(), theirs.rows.len(), "{name} {event}");
        if system == "unknown" {
            continue;
        }
        let columns = same_columns(&event, &ours, &theirs);
        for (at, (our, their)) in ours.rows.iter().zip(&theirs.rows).enumerate() {
            compare_row(
                &format!("{name} {event} row {at}"),
                our,
                their,
                &columns,
                buffers,
                allow,
            );
        }
        compared.extend(columns.iter().map(|column| format!("{event}.{column}")));
    }
    compared
}

/// Columns of the same name, which must be of the same type unless the text has a symbol for the number.
fn same_columns(event: &str, ours: &Rows, theirs: &Rows) -> Vec<String> {
    let theirs: BTreeMap<_, _> = theirs.columns.iter().cloned().collect();
    let mut same = Vec::new();
    for (column, ty) in &ours.columns {
        let their = theirs
            .get(column)
            .unwrap_or_else(|| panic!("{event} has no {column}"));
        let known = NOT_IN_TEXT.contains(&format!("{event}.{column}").as_str());
        if ty == their && !known {
            same.push(column.clone());
        } else {
            assert!(
                known || ty == "Utf8",
                "{event}.{column} is {ty}, not {their}"
            );
        }
    }
    same
}

fn compare_row(
    place: &str,
    our: &BTreeMap<String, String>,
    their: &BTreeMap<String, String>,
    columns: &[String],
    buffers: &[u8],
    allow: &Allowance,
) {
    for column in columns {
        let (our, their) = (&our[column], &their[column]);
        match column.as_str() {
            "seq" => {}
            "ts_ns" => {
                let (our, their): (u64, u64) = (our.parse().unwrap(), their.parse().unwrap());
                assert!(
                    our.abs_diff(their) <= allow.ns,
                    "{place}: {our} is not {their}"
                );
            }
            "buffer" => assert_eq!(
                buffers[our.parse::<usize>().unwrap()].to_string(),
                *their,
                "{place}"
            ),
            // trace-cmd has no letters for lazy rescheduling and for rescheduling without preemption.
            "common_flags" => {
                let mask = |value: &str| value.parse::<u8>().unwrap() & 0x19;
                assert_eq!(mask(our), mask(their), "{place}");
            }
            "prev_state" if allow.no_preempted && their == "256" => assert_eq!(our, "0", "{place}"),
            _ => assert_eq!(our, their, "{place} {column}"),
        }
    }
}

#[test]
fn every_form_of_one_report_equals_the_binary() {
    let binary = "tc-small.v7-zstd.dat";
    for (name, allow) in [
        ("tc-small.report", PRETTY),
        ("tc-small.report-l", PRETTY),
        ("tc-small.report-t", PRETTY_NANO),
        ("tc-small.report-tsdiff", PRETTY),
        ("tc-small.report-w-l", PRETTY),
        ("tc-small.report-N", MICRO),
        ("tc-small.report-R", MICRO),
        ("tc-small.report-R-l-t", NANO),
    ] {
        let compared = compare(name, binary, &[0], &allow);
        for column in [
            "sched_switch.prev_state",
            "sched_wakeup.target_cpu",
            "irq_handler_exit.ret",
            "softirq_raise.vec",
        ] {
            assert!(compared.contains(column), "{name} {column}");
        }
    }
}

#[test]
fn instances_equal_the_binary() {
    // The text names them in the order in which their events come: top level, nschedA, npowerB.
    compare(
        "tc-multi.report",
        "tc-multi.v7-zstd.dat",
        &[0, 2, 1],
        &PRETTY,
    );
    compare(
        "tc-multi.report-N-l-t",
        "tc-multi.v7-zstd.dat",
        &[0, 2, 1],
        &NANO,
    );
}

#[test]
fn numa_events_equal_the_binary() {
    let compared = compare(
        "cling-2x4-small.report-N-t",
        "cling-2x4-small.v7-zstd.dat",
        &[0],
        &NANO,
    );
    for column in [
        "sched_move_numa.dst_nid",
        "mm_migrate_pages.reason",
        "sched_stick_numa.dst_cpu",
        "sched_swap_numa.dst_nid",
    ] {
        assert!(compared.contains(column), "{column} of {compared:?}");
    }
}

#[test]
fn lost_events_equal_the_binary() {
    let (ours, recording) = strict(&text("tc-dropped.report.tail"));
    let (theirs, _) = support::trace_dat::decode(&fixture("tc-dropped.v7-zstd.dat")).unwrap();
    let marks = &ours.memory.lost;
    assert_eq!(recording.summary.lost_marks, marks.len() as u64);
    let theirs = &theirs.lost[theirs.lost.len() - marks.len()..];
    assert_eq!(marks.len(), 10, "all but the first are in this part");
    for (our, their) in marks.iter().zip(theirs) {
        assert_eq!(
            (our.cpu, our.count, our.buffer),
            (their.cpu, their.count, their.buffer)
        );
        assert!(our.ts_ns.abs_diff(their.ts_ns) <= 1000, "{our:?} {their:?}");
    }
}
