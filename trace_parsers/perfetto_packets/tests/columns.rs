//! Columns of every type that an event can have, written and read by a reader of this file's own.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, UInt32Builder};
use arrow_array::{
    ArrayRef, BinaryArray, Int8Array, Int16Array, Int32Array, Int64Array, RecordBatch, StringArray,
    UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_schema::{Field, Schema};
use numalens_perfetto_packets::{Bundles, Table, Trace, Waking};
use proptest::prelude::*;

/// One event: time, CPU, thread, and a value of each type.
#[derive(Debug, Clone)]
struct Event {
    ts: u64,
    cpu: u32,
    thread: i32,
    signed: i64,
    unsigned: u64,
    text: String,
    bytes: Vec<u8>,
    list: Vec<u32>,
}

fn event() -> impl Strategy<Value = Event> {
    // Numbers of every length, not only large ones.
    let number = (any::<u64>(), 0_u32..64).prop_map(|(value, shift)| value >> shift);
    let thread = prop_oneof![any::<i32>(), 0..100];
    let text = prop_oneof![9 => ".{0,20}", 1 => ".{100,400}"];
    let bytes = prop::collection::vec(any::<u8>(), 0..20);
    let list = prop::collection::vec(any::<u32>(), 0..5);
    (
        number.clone(),
        0_u32..4,
        thread,
        any::<i64>(),
        number,
        text,
        bytes,
        list,
    )
        .prop_map(
            |(ts, cpu, thread, signed, unsigned, text, bytes, list)| Event {
                ts,
                cpu,
                thread,
                signed,
                unsigned,
                text,
                bytes,
                list,
            },
        )
}

fn batch(events: &[Event]) -> RecordBatch {
    let all = || events.iter();
    let mut lists = ListBuilder::new(UInt32Builder::new());
    for event in events {
        lists.append_value(event.list.iter().map(|item| Some(*item)));
    }
    let columns: Vec<(&str, ArrayRef)> = vec![
        (
            "ts_ns",
            Arc::new(UInt64Array::from_iter_values(all().map(|it| it.ts))),
        ),
        (
            "cpu",
            Arc::new(UInt32Array::from_iter_values(all().map(|it| it.cpu))),
        ),
        (
            "common_pid",
            Arc::new(Int32Array::from_iter_values(all().map(|it| it.thread))),
        ),
        (
            "i8",
            Arc::new(Int8Array::from_iter_values(all().map(|it| it.signed as i8))),
        ),
        (
            "text",
            Arc::new(StringArray::from_iter_values(all().map(|it| &it.text))),
        ),
        (
            "u8",
            Arc::new(UInt8Array::from_iter_values(
                all().map(|it| it.unsigned as u8),
            )),
        ),
        (
            "i16",
            Arc::new(Int16Array::from_iter_values(
                all().map(|it| it.signed as i16),
            )),
        ),
        (
            "u16",
            Arc::new(UInt16Array::from_iter_values(
                all().map(|it| it.unsigned as u16),
            )),
        ),
        (
            "bytes",
            Arc::new(BinaryArray::from_iter_values(all().map(|it| &it.bytes))),
        ),
        (
            "i32",
            Arc::new(Int32Array::from_iter_values(
                all().map(|it| it.signed as i32),
            )),
        ),
        (
            "u32",
            Arc::new(UInt32Array::from_iter_values(
                all().map(|it| it.unsigned as u32),
            )),
        ),
        ("list", Arc::new(lists.finish())),
        (
            "i64",
            Arc::new(Int64Array::from_iter_values(all().map(|it| it.signed))),
        ),
        (
            "u64",
            Arc::new(UInt64Array::from_iter_values(all().map(|it| it.unsigned))),
        ),
    ];
    let fields = columns
        .iter()
        .map(|(name, column)| Field::new(*name, column.data_type().clone(), false));
    let schema = Schema::new(fields.collect::<Vec<_>>());
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

/// A field as it is read: a number, or bytes.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Number(u64),
    Bytes(Vec<u8>),
}

fn text(value: &str) -> Value {
    Value::Bytes(value.as_bytes().to_vec())
}

/// What the table's fields are, in their order.
fn wanted(event: &Event) -> Vec<Value> {
    let signed = |value: i64| Value::Number(value as u64);
    let hex: Vec<String> = event
        .bytes
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let list: Vec<String> = event.list.iter().map(ToString::to_string).collect();
    vec![
        signed(i64::from(event.signed as i8)),
        text(&event.text),
        Value::Number(u64::from(event.unsigned as u8)),
        signed(i64::from(event.signed as i16)),
        Value::Number(u64::from(event.unsigned as u16)),
        text(&hex.concat()),
        signed(i64::from(event.signed as i32)),
        Value::Number(u64::from(event.unsigned as u32)),
        text(&list.join(",")),
        signed(event.signed),
        Value::Number(event.unsigned),
    ]
}

/// The numbered fields of a message, byte by byte.
fn fields(bytes: &[u8]) -> Vec<(u64, Value)> {
    let mut at = 0;
    let number = |at: &mut usize| {
        let mut value = 0_u128;
        for place in 0.. {
            let byte = bytes[*at];
            *at += 1;
            value |= u128::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                break;
            }
        }
        u64::try_from(value).unwrap()
    };
    let mut found = Vec::new();
    while at < bytes.len() {
        let tag = number(&mut at);
        let value = match tag % 8 {
            0 => Value::Number(number(&mut at)),
            2 => {
                let length = number(&mut at) as usize;
                at += length;
                Value::Bytes(bytes[at - length..at].to_vec())
            }
            other => panic!("type {other}"),
        };
        found.push((tag / 8, value));
    }
    found
}

fn inside(value: &Value) -> Vec<(u64, Value)> {
    match value {
        Value::Bytes(bytes) => fields(bytes),
        Value::Number(_) => panic!("a number"),
    }
}

/// CPU, loss before it, and the fields of an event.
type Found = (u64, bool, Vec<(u64, Value)>);

/// The events in the order of the trace.
fn events(trace: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    for (_, packet) in fields(trace) {
        let packet = inside(&packet);
        let Some((_, bundle)) = packet.iter().find(|field| field.0 == 1) else {
            continue;
        };
        let bundle = inside(bundle);
        let Value::Number(cpu) = bundle[0].1 else {
            panic!("no CPU")
        };
        let mut lost = bundle.contains(&(3, Value::Number(1)));
        for (_, event) in bundle.iter().filter(|field| field.0 == 2) {
            found.push((cpu, std::mem::take(&mut lost), inside(event)));
        }
    }
    found
}

proptest! {
    /// Batches of two tables, row by row in turn: each CPU has its events in the order in which they came.
    #[test]
    fn every_type_comes_out_as_it_went_in(
        one in prop::collection::vec(event(), 1..150),
        other in prop::collection::vec(event(), 1..150),
        turns in prop::collection::vec(any::<bool>(), 300),
        lost in prop::collection::vec((0_usize..300, 0_u32..4), 0..4),
    ) {
        let batches = [batch(&one), batch(&other)];
        let tables = [0, 1].map(|at| Table::new("s", "e", &batches[at].schema(), at as u32));
        let mut rows = [0, 1].map(|at| tables[at].rows(&batches[at]).unwrap());
        let (mut trace, mut bundles) = (Trace::new(), Bundles::new());
        let mut next = [0, 0];
        let mut expected: Vec<Vec<(bool, usize, Event)>> = vec![Vec::new(); 4];
        let mut gaps = [false; 4];
        for (turn, first) in turns.into_iter().enumerate() {
            for (_, cpu) in lost.iter().filter(|gap| gap.0 == turn) {
                bundles.lost(&mut trace, *cpu);
                gaps[*cpu as usize] = true;
            }
            let at = usize::from(first);
            let Some(event) = [&one, &other][at].get(next[at]) else {
                continue;
            };
            bundles.push(&mut trace, &mut rows[at], next[at]);
            next[at] += 1;
            let gap = std::mem::take(&mut gaps[event.cpu as usize]);
            expected[event.cpu as usize].push((gap, at, event.clone()));
        }
        bundles.finish(&mut trace);
        let mut found = events(&trace.take());
        found.sort_by_key(|event| event.0);
        let expected: Vec<_> = expected.into_iter().flatten().collect();
        prop_assert_eq!(found.len(), expected.len());
        for ((cpu, gap, fields), (wanted_gap, at, event)) in found.into_iter().zip(&expected) {
            prop_assert_eq!((cpu, gap), (u64::from(event.cpu), *wanted_gap));
            prop_assert_eq!(&fields[0], &(1, Value::Number(event.ts)));
            prop_assert_eq!(&fields[1], &(2, Value::Number(u64::from(event.thread as u32))));
            prop_assert_eq!(fields[2].0, 65536 + *at as u64);
            let numbered = (1..).zip(wanted(event)).collect::<Vec<_>>();
            prop_assert_eq!(inside(&fields[2].1), numbered);
        }
    }

    #[test]
    fn a_made_request_says_so(pid in any::<i32>(), prio in any::<i32>(), comm in ".{0,300}", cpu in 0_u32..9) {
        let (mut trace, mut bundles) = (Trace::new(), Bundles::new());
        bundles.push_waking(&mut trace, &Waking {
            ts_ns: 5, cpu, thread: 3, pid, comm: comm.as_bytes(), prio, target_cpu: 2,
        });
        bundles.finish(&mut trace);
        let found = events(&trace.take());
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(found[0].0, u64::from(cpu));
        prop_assert_eq!(found[0].2[2].0, 20);
        prop_assert_eq!(inside(&found[0].2[2].1), vec![
            (1, text(&comm)),
            (2, Value::Number(i64::from(pid) as u64)),
            (3, Value::Number(i64::from(prio) as u64)),
            (4, Value::Number(0)),
            (5, Value::Number(2)),
        ]);
    }
}
