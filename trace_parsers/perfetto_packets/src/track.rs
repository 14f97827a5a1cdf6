//! Tracks of our own: slices, instants and counters next to the events.

use crate::trace::Trace;
use crate::wire::{bytes, double, fixed64, nested, number};

const TIMESTAMP: u32 = 8;
const TRACK_EVENT: u32 = 11;
const TRACK_DESCRIPTOR: u32 = 60;
const EXPLICIT_ORDER: u64 = 3;
const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

/// A track.
#[derive(Debug, Clone, Default)]
pub struct Track<'a> {
    /// Number, unique in the trace and not 0.
    pub uuid: u64,
    /// Parent track; 0 for none.
    pub parent: u64,
    /// Position among its siblings.
    pub rank: i32,
    /// Name.
    pub name: &'a str,
    /// Description, in a sentence.
    pub description: &'a str,
    /// Counter, for a track of values instead of slices.
    pub counter: Option<Counter<'a>>,
}

/// Values of a counter.
#[derive(Debug, Clone, Copy)]
pub struct Counter<'a> {
    /// Unit.
    pub unit: &'a str,
    /// Counters below one track that have the same key share their axis.
    pub axis: &'a str,
}

/// A value of an argument.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// Text.
    Text(&'a str),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Double(f64),
    /// Yes or no.
    Bool(bool),
}

/// A name and a value.
pub type Argument<'a> = (&'a str, Value<'a>);

/// Content of a slice or an instant.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mark<'a> {
    /// Name.
    pub name: &'a str,
    /// Category.
    pub category: &'a str,
    /// Arguments.
    pub arguments: &'a [Argument<'a>],
    /// An arrow starts here.
    pub flow: Option<u64>,
    /// The arrow of that number ends here.
    pub ends: Option<u64>,
}

impl Trace {
    /// Declares a track, before the first event on it.
    pub fn track(&mut self, track: &Track<'_>) {
        self.packet(|out| {
            nested(out, TRACK_DESCRIPTOR, |out| {
                number(out, 1, track.uuid);
                bytes(out, 2, track.name.as_bytes());
                if track.parent != 0 {
                    number(out, 5, track.parent);
                }
                if let Some(counter) = track.counter {
                    nested(out, 8, |out| {
                        bytes(out, 6, counter.unit.as_bytes());
                        bytes(out, 7, counter.axis.as_bytes());
                    });
                }
                number(out, 11, EXPLICIT_ORDER);
                number(out, 12, i64::from(track.rank) as u64);
                if !track.description.is_empty() {
                    bytes(out, 14, track.description.as_bytes());
                }
            });
        });
    }

    /// A slice from `from_ns` to `to_ns`. Slices of one track must nest.
    pub fn slice(&mut self, track: u64, from_ns: u64, to_ns: u64, mark: &Mark<'_>) {
        self.event(track, from_ns, SLICE_BEGIN, |out| mark.write(out));
        self.event(track, to_ns, SLICE_END, |_| ());
    }

    /// A moment.
    pub fn instant(&mut self, track: u64, at_ns: u64, mark: &Mark<'_>) {
        self.event(track, at_ns, INSTANT, |out| mark.write(out));
    }

    /// A counter's value from `at_ns` on.
    pub fn value(&mut self, track: u64, at_ns: u64, value: f64) {
        self.event(track, at_ns, COUNTER, |out| double(out, 44, value));
    }

    fn event(&mut self, track: u64, at_ns: u64, kind: u64, write: impl FnOnce(&mut Vec<u8>)) {
        self.packet(|out| {
            number(out, TIMESTAMP, at_ns);
            nested(out, TRACK_EVENT, |out| {
                number(out, 9, kind);
                number(out, 11, track);
                write(out);
            });
        });
    }
}

impl Mark<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        bytes(out, 22, self.category.as_bytes());
        bytes(out, 23, self.name.as_bytes());
        for (name, value) in self.arguments {
            nested(out, 4, |out| {
                bytes(out, 10, name.as_bytes());
                match value {
                    Value::Bool(value) => number(out, 2, u64::from(*value)),
                    Value::Int(value) => number(out, 4, *value as u64),
                    Value::Double(value) => double(out, 5, *value),
                    Value::Text(value) => bytes(out, 6, value.as_bytes()),
                }
            });
        }
        if let Some(flow) = self.flow {
            fixed64(out, 47, flow);
        }
        if let Some(flow) = self.ends {
            fixed64(out, 48, flow);
        }
    }
}
