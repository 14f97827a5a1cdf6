//! What was written, read by a reader of its own; and that any columns make a trace that can be walked.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use numalens_perfetto_packets::{Bundles, Clock, Mark, Table, Thread, Trace, Track, Value};
use proptest::prelude::*;

#[derive(Debug, Clone, PartialEq)]
enum Read {
    Number(u64),
    Fixed(u64),
    Bytes(Vec<u8>),
}

/// The fields of a message.
fn read(mut bytes: &[u8]) -> Vec<(u64, Read)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return value;
            }
        }
        panic!("a number of more than ten bytes")
    }
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let value = match tag & 7 {
            0 => Read::Number(varint(&mut bytes)),
            1 => {
                let (head, rest) = bytes.split_at(8);
                bytes = rest;
                Read::Fixed(u64::from_le_bytes(head.try_into().unwrap()))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (head, rest) = bytes.split_at(length);
                bytes = rest;
                Read::Bytes(head.to_vec())
            }
            other => panic!("type {other}"),
        };
        found.push((tag >> 3, value));
    }
    found
}

fn message(fields: &[(u64, Read)], number: u64) -> Vec<(u64, Read)> {
    match fields.iter().find(|field| field.0 == number) {
        Some((_, Read::Bytes(bytes))) => read(bytes),
        other => panic!("field {number}: {other:?}"),
    }
}

/// The packets of a trace.
fn packets(bytes: &[u8]) -> Vec<Vec<(u64, Read)>> {
    let read_packet = |(field, value)| match (field, value) {
        (1, Read::Bytes(bytes)) => read(&bytes),
        other => panic!("{other:?}"),
    };
    read(bytes).into_iter().map(read_packet).collect()
}

fn batch(rows: &[(u64, u32, i32, i32, &str)]) -> RecordBatch {
    let schema = Schema::new(vec![
        Field::new("ts_ns", DataType::UInt64, false),
        Field::new("cpu", DataType::UInt32, false),
        Field::new("common_pid", DataType::Int32, false),
        Field::new("arg_cpu", DataType::Int32, false),
        Field::new("word", DataType::Utf8, false),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.0))),
        Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.1))),
        Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.2))),
        Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.3))),
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.4))),
    ];
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

fn number(value: u64) -> Read {
    Read::Number(value)
}

fn text(value: &str) -> Read {
    Read::Bytes(value.as_bytes().to_vec())
}

#[test]
fn an_event_without_a_message_is_described_once_and_written_by_number() {
    let batch = batch(&[(5, 2, 7, -1, "a"), (6, 0, 8, 3, "")]);
    let table = Table::new("nbk", "probe", &batch.schema(), 4);
    let mut trace = Trace::new();
    Bundles::describe(&mut trace, &table);
    let mut rows = table.rows(&batch).unwrap();
    let mut bundles = Bundles::new();
    bundles.push(&mut trace, &mut rows, 0);
    bundles.push(&mut trace, &mut rows, 1);
    bundles.finish(&mut trace);
    let packets = packets(&trace.take());
    assert_eq!(packets.len(), 3);

    // The sequence begins with the first packet, and only there.
    assert!(packets[0].contains(&(13, number(1))) && packets[0].contains(&(87, number(1))));
    assert!(packets[1..].iter().flatten().all(|field| field.0 != 87));
    let described = message(&message(&packets[0], 1), 11);
    assert_eq!(described[0], (1, number(65540)));
    let proto = message(&described, 2);
    assert_eq!(proto[0], (1, text("probe")));
    assert_eq!(described[2], (3, text("nbk")));
    let field = |at: usize| match &proto[at].1 {
        Read::Bytes(bytes) => read(bytes),
        other => panic!("{other:?}"),
    };
    // The name is the kernel's, not the column's; 3 is a signed number, 9 a text.
    assert_eq!(
        field(1),
        [
            (1, text("cpu")),
            (3, number(1)),
            (4, number(1)),
            (5, number(3))
        ]
    );
    assert_eq!(
        field(2),
        [
            (1, text("word")),
            (3, number(2)),
            (4, number(1)),
            (5, number(9))
        ]
    );

    let of_cpu_2 = message(&packets[2], 1);
    assert_eq!(of_cpu_2[0], (1, number(2)));
    let event = message(&of_cpu_2, 2);
    assert_eq!(event[..2], [(1, number(5)), (2, number(7))]);
    assert_eq!(
        message(&event, 65540),
        [(1, number(u64::MAX)), (2, text("a"))]
    );
}

#[test]
fn a_message_is_only_taken_where_it_has_a_field_for_every_column() {
    let schema = |names: &[&str]| {
        let fields = names
            .iter()
            .map(|name| Field::new(*name, DataType::UInt32, false));
        Schema::new(fields.collect::<Vec<_>>())
    };
    let mut trace = Trace::new();
    let known = Table::new("irq", "softirq_raise", &schema(&["ts_ns", "cpu", "vec"]), 0);
    Bundles::describe(&mut trace, &known);
    assert!(trace.take().is_empty());
    let more = schema(&["ts_ns", "cpu", "vec", "new_field"]);
    Bundles::describe(&mut trace, &Table::new("irq", "softirq_raise", &more, 0));
    assert_eq!(packets(&trace.take()).len(), 1);
    // A number where Perfetto has a text.
    let other = schema(&["ts_ns", "cpu", "ip", "buf"]);
    Bundles::describe(&mut trace, &Table::new("ftrace", "print", &other, 0));
    assert_eq!(packets(&trace.take()).len(), 1);
    // A callchain is left out instead: without its message a switch would be none.
    let sampled = schema(&["ts_ns", "cpu", "vec", "callchain", "common_tgid"]);
    Bundles::describe(&mut trace, &Table::new("irq", "softirq_raise", &sampled, 0));
    assert!(trace.take().is_empty());
}

#[test]
fn a_loss_is_recorded_on_the_bundle_after_it() {
    let batch = batch(&[(5, 1, 7, 0, ""), (9, 1, 7, 0, "")]);
    let table = Table::new("nbk", "probe", &batch.schema(), 0);
    let mut rows = table.rows(&batch).unwrap();
    let (mut trace, mut bundles) = (Trace::new(), Bundles::new());
    bundles.push(&mut trace, &mut rows, 0);
    bundles.lost(&mut trace, 1);
    bundles.push(&mut trace, &mut rows, 1);
    bundles.finish(&mut trace);
    let found: Vec<(bool, u64)> = packets(&trace.take())
        .iter()
        .map(|packet| {
            let bundle = message(packet, 1);
            let (_, Read::Number(at)) = message(&bundle, 2)[0].clone() else {
                panic!("an event begins with its time")
            };
            (bundle.contains(&(3, number(1))), at)
        })
        .collect();
    assert_eq!(found, [(false, 5), (true, 9)]);
}

#[test]
fn the_head_says_clock_machine_and_threads() {
    let mut trace = Trace::new();
    trace.clocks(Clock::Mono, 100, Some(1_700));
    trace.system(Some("6.1.0"), Some("x86_64"), 8);
    trace.cpus(["node 0", "node 1"].into_iter());
    trace.threads(&[
        Thread {
            tid: 7,
            tgid: Some(7),
            name: "lead",
        },
        Thread {
            tid: 8,
            tgid: Some(7),
            name: "more",
        },
    ]);
    let packets = packets(&trace.take());
    let snapshot = message(&packets[0], 6);
    assert_eq!(snapshot.len(), 4);
    assert_eq!(snapshot[3], (2, number(3)));
    let system = message(&packets[1], 45);
    assert_eq!(message(&system, 1)[1], (3, text("6.1.0")));
    assert_eq!(message(&packets[2], 67).len(), 2);
    let tree = message(&packets[3], 2);
    assert_eq!(
        tree.iter().map(|field| field.0).collect::<Vec<_>>(),
        [1, 2, 2]
    );
}

#[test]
fn tracks_have_slices_instants_counters_and_arrows() {
    let mut trace = Trace::new();
    trace.track(&Track {
        uuid: 3,
        parent: 2,
        rank: -1,
        name: "Node 0",
        description: "d",
        counter: None,
    });
    let arguments = [
        ("failed", Value::Bool(true)),
        ("n", Value::Int(-1)),
        ("x", Value::Double(0.5)),
    ];
    let mark = Mark {
        name: "stick",
        category: "numa",
        arguments: &arguments,
        flow: Some(9),
        ends: None,
    };
    trace.slice(3, 10, 20, &mark);
    trace.value(3, 30, 62.5);
    let packets = packets(&trace.take());
    let node = message(&packets[0], 60);
    assert!(node.contains(&(1, number(3))) && node.contains(&(5, number(2))));
    assert!(node.contains(&(12, number(u64::MAX))));
    assert_eq!(
        packets[1].iter().find(|field| field.0 == 8),
        Some(&(8, number(10)))
    );
    let begin = message(&packets[1], 11);
    assert_eq!(begin[..2], [(9, number(1)), (11, number(3))]);
    assert!(begin.contains(&(47, Read::Fixed(9))));
    assert_eq!(begin.iter().filter(|field| field.0 == 4).count(), 3);
    assert_eq!(
        message(&packets[2], 11)[..],
        [(9, number(2)), (11, number(3))]
    );
    let value = message(&packets[3], 11);
    assert_eq!(value[2], (44, Read::Fixed(62.5_f64.to_bits())));
}

proptest! {
    /// Every row comes out once, on its CPU, with its values, however long its texts are.
    #[test]
    fn rows_come_out_as_they_went_in(
        rows in prop::collection::vec((any::<u64>(), 0_u32..6, any::<i32>(), any::<i32>(), ".{0,200}"), 0..200),
        lost in prop::collection::vec(0_u32..6, 0..4),
    ) {
        let borrowed: Vec<_> = rows.iter().map(|row| (row.0, row.1, row.2, row.3, row.4.as_str())).collect();
        let batch = batch(&borrowed);
        let table = Table::new("nbk", "probe", &batch.schema(), 0);
        let mut made = table.rows(&batch).unwrap();
        let (mut trace, mut bundles) = (Trace::new(), Bundles::new());
        for row in 0..rows.len() {
            if let Some(cpu) = lost.get(row) {
                bundles.lost(&mut trace, *cpu);
            }
            bundles.push(&mut trace, &mut made, row);
        }
        bundles.finish(&mut trace);
        let mut found = Vec::new();
        for packet in packets(&trace.take()) {
            let bundle = message(&packet, 1);
            let (_, Read::Number(cpu)) = bundle[0].clone() else { panic!("no CPU") };
            for (field, value) in bundle {
                if let (2, Read::Bytes(bytes)) = (field, value) {
                    let event = read(&bytes);
                    found.push((event[0].1.clone(), cpu, event[1].1.clone(), message(&event, 65536)));
                }
            }
        }
        let mut wanted: Vec<_> = rows.iter().map(|row| {
            let values = vec![(1, number(i64::from(row.3) as u64)), (2, text(&row.4))];
            (number(row.0), u64::from(row.1), number(u64::from(row.2 as u32)), values)
        }).collect();
        // Those of a CPU keep their order.
        wanted.sort_by_key(|event| event.1);
        found.sort_by_key(|event| event.1);
        prop_assert_eq!(found, wanted);
    }
}
