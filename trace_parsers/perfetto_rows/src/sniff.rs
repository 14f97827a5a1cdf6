//! Detection of Perfetto traces.

use crate::packets::{FTRACE_EVENTS, PACKET};
use crate::wire::{Fields, Stop, Value, varint};

/// Bytes that are looked at.
const HEAD: usize = 64 << 10;
/// Largest field number in use: Perfetto's own go to some hundred, extensions begin at 1000.
const MAX_FIELD: u64 = 10_000;

/// Fields of `TracePacket` that are numbers: stamps, identities, flags.
const NUMBERS: &[u64] = &[3, 8, 10, 13, 41, 42, 58, 76, 79, 87, 98];
/// Fields of `TracePacket` that are messages or bytes and that a recorder writes early or often.
const MESSAGES: &[u64] = &[
    1, 2, 4, 5, 6, 7, 9, 11, 12, 33, 34, 35, 36, 43, 44, 45, 46, 47, 50, 59, 60, 61, 66, 67, 69,
    89, 90, 133,
];

/// Returns whether an input with this start is a Perfetto trace: consecutive packets, each made of fields with the types of
/// `TracePacket`, and at least one of them well known.
#[must_use]
pub fn sniff(head: &[u8]) -> bool {
    let mut rest = &head[..head.len().min(HEAD)];
    let mut known = 0;
    while let Some((&first, behind)) = rest.split_first() {
        let length = if first == PACKET {
            varint(behind)
        } else {
            Err(Stop::Broken)
        };
        let (length, size) = match length {
            Ok(found) => found,
            // The head ends within a length.
            Err(Stop::Cut) => break,
            Err(Stop::Broken) => return false,
        };
        let body = &behind[size..];
        let whole = usize::try_from(length)
            .ok()
            .and_then(|length| body.get(..length));
        let Some(packet) = whole else {
            // A packet that the head cuts speaks for a trace only when it is the first and holds events.
            return known > 0 || bundle_begins(body);
        };
        let Some(found) = packet_fields(packet) else {
            return false;
        };
        known += found;
        rest = &body[packet.len()..];
    }
    known > 0
}

/// Number of well-known fields of a packet; `None` for other bytes.
fn packet_fields(packet: &[u8]) -> Option<usize> {
    let mut known = 0;
    let mut fields = Fields::new(packet);
    loop {
        match fields.next() {
            Ok(Some((field, value))) => known += usize::from(well_known(field, value)?),
            Ok(None) => return Some(known),
            Err(_) => return None,
        }
    }
}

/// Returns whether a field is well known; `None` when it cannot be a field of a packet.
fn well_known(field: u64, value: Value<'_>) -> Option<bool> {
    if field > MAX_FIELD {
        return None;
    }
    let is_number = matches!(value, Value::Varint(_));
    let is_message = matches!(value, Value::Bytes(_));
    if NUMBERS.contains(&field) {
        return is_number.then_some(true);
    }
    if MESSAGES.contains(&field) {
        return is_message.then_some(true);
    }
    // Every other field of a packet is a number or a message, too.
    (is_number || is_message).then_some(false)
}

/// Returns whether a packet that the head cuts has an `FtraceEventBundle` in front, of several events that each begin with
/// their time.
fn bundle_begins(packet: &[u8]) -> bool {
    const EVENT: u64 = 2;
    const TIME: u8 = 0x08;
    let Some((FTRACE_EVENTS, begin)) = Fields::new(packet).cut_message() else {
        return false;
    };
    let mut events = 0;
    let mut fields = Fields::new(begin);
    while let Ok(Some((field, value))) = fields.next() {
        match value {
            Value::Bytes([TIME, ..]) if field == EVENT => events += 1,
            Value::Varint(_) if field != EVENT => {}
            _ => return false,
        }
    }
    events >= 2
}
