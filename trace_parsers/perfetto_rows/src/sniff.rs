//! Whether bytes are the begin of a Perfetto trace.

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

/// Whether an input that begins like this is a Perfetto trace: packets one behind the other, each made of fields
/// whose kinds are those of `TracePacket`, and at least one of them well known.
#[must_use]
pub fn sniff(head: &[u8]) -> bool {
    let mut rest = &head[..head.len().min(HEAD)];
    let (mut packets, mut known) = (0, 0);
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
        let Some(packet) = usize::try_from(length)
            .ok()
            .and_then(|length| body.get(..length))
        else {
            let Some(found) = cut_packet(body) else {
                return false;
            };
            known += found;
            // Only a packet longer than the head may be the only one.
            packets += usize::from(found > 0);
            break;
        };
        let Some(found) = packet_fields(packet) else {
            return false;
        };
        known += found;
        packets += 1;
        rest = &body[packet.len()..];
    }
    packets > 0 && known > 0
}

/// How many of a packet's fields are well known; `None` when it is no packet.
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

/// The same for the begin of a packet whose end is not there.
fn cut_packet(packet: &[u8]) -> Option<usize> {
    let mut known = 0;
    let mut fields = Fields::new(packet);
    loop {
        match fields.next() {
            Ok(Some((field, value))) => known += usize::from(well_known(field, value)?),
            Ok(None) => return Some(known),
            Err(Stop::Broken) => return None,
            Err(Stop::Cut) => break,
        }
    }
    if let Some((field, kind, begin)) = fields.cut_field() {
        let value = match kind {
            2 => Value::Bytes(begin),
            0 => Value::Varint(0),
            1 => Value::Fixed64(0),
            _ => Value::Fixed32(0),
        };
        let well = well_known(field, value)?;
        known += usize::from(well && (field != FTRACE_EVENTS || bundle_begins(begin)));
    }
    Some(known)
}

/// Whether a field is one of those that are known; `None` when it cannot be a field of a packet.
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

/// Whether bytes begin like an `FtraceEventBundle`: its CPU, or an event.
fn bundle_begins(bytes: &[u8]) -> bool {
    match bytes.first() {
        Some(0x08) => true,
        Some(0x12) => varint(&bytes[1..]).is_ok_and(|(length, _)| length > 0),
        _ => bytes.is_empty(),
    }
}
