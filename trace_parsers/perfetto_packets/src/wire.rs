//! Writing protobuf's wire format: a tag (`field << 3 | type`), then the value.

pub(crate) const VARINT: u64 = 0;
const FIXED64: u64 = 1;
pub(crate) const LENGTH: u64 = 2;

/// Seven bits a byte, the lowest first; all but the last byte have the highest bit set.
pub(crate) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// An unsigned number, or a signed one as its 64 bits.
pub(crate) fn number(out: &mut Vec<u8>, field: u32, value: u64) {
    varint(out, u64::from(field) << 3 | VARINT);
    varint(out, value);
}

/// Eight bytes as they are.
pub(crate) fn fixed64(out: &mut Vec<u8>, field: u32, value: u64) {
    varint(out, u64::from(field) << 3 | FIXED64);
    out.extend_from_slice(&value.to_le_bytes());
}

/// A float64.
pub(crate) fn double(out: &mut Vec<u8>, field: u32, value: f64) {
    fixed64(out, field, value.to_bits());
}

/// Text, bytes, or a message that is written already.
pub(crate) fn bytes(out: &mut Vec<u8>, field: u32, value: &[u8]) {
    length(out, field, value.len());
    out.extend_from_slice(value);
}

/// Header of `length` bytes.
pub(crate) fn length(out: &mut Vec<u8>, field: u32, length: usize) {
    varint(out, u64::from(field) << 3 | LENGTH);
    varint(out, length as u64);
}

/// A message written by `write`. Its length precedes it: one byte is reserved, since most are short, and the message is moved
/// if more are needed.
pub(crate) fn nested(out: &mut Vec<u8>, field: u32, write: impl FnOnce(&mut Vec<u8>)) {
    varint(out, u64::from(field) << 3 | LENGTH);
    let at = out.len();
    out.push(0);
    write(out);
    let length = out.len() - at - 1;
    if length < 0x80 {
        out[at] = length as u8;
        return;
    }
    let mut head = Vec::with_capacity(10);
    varint(&mut head, length as u64);
    out.splice(at..=at, head);
}
