//! Inputs changed at random: any byte of them, or what they are made of (`layout.rs`).

use std::ops::Range;

use crate::layout::Layout;

/// Numbers that look random and are the same every time (xorshift).
#[derive(Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// Those that follow from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// The next one.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// One below `end`, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.number() % end.max(1) as u64) as usize
    }

    fn range(&mut self, length: usize, most: usize) -> Range<usize> {
        let start = self.below(length);
        start..(start + 1 + self.below(most)).min(length)
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }
}

/// Numbers at which readers turn.
const TURNS: [u64; 12] = [
    0,
    1,
    7,
    8,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    u64::MAX / 2,
    u64::MAX,
];
/// Texts at which readers turn.
const TEXTS: [&[u8]; 8] = [
    b"0",
    b"-1",
    b"4294967296",
    b"18446744073709551616",
    b".",
    b" ",
    b"\n",
    b"\0",
];

/// Changes an input of a target once: what it is made of, where that is known, or any byte. It has at most `most` bytes then.
pub fn change(
    target: &str,
    numbers: &mut Numbers,
    data: &mut Vec<u8>,
    seeds: &[Vec<u8>],
    most: usize,
) {
    if numbers.below(2) == 0 || !change_parts(target, numbers, data) {
        change_bytes(numbers, data, seeds);
    }
    data.truncate(most);
}

/// Changes a number, or leaves out, repeats or exchanges a part; false when none is known.
pub fn change_parts(target: &str, numbers: &mut Numbers, data: &mut Vec<u8>) -> bool {
    let layout = Layout::of(target, data, |end| numbers.below(end));
    if numbers.below(2) == 0
        && let Some(field) = numbers.one_of(&layout.fields)
    {
        let old = layout.read(data, field.at, field.width).unwrap_or(0);
        let step = 1 << numbers.below(8 * field.width);
        let other = numbers.one_of(&layout.fields);
        let new = match numbers.below(5) {
            0 => TURNS[numbers.below(TURNS.len())],
            1 => old.wrapping_add(step),
            2 => old.wrapping_sub(step),
            3 => old ^ step,
            _ => other
                .and_then(|other| layout.read(data, other.at, other.width))
                .unwrap_or(0),
        };
        layout.write(data, field.at, field.width, new);
        return true;
    }
    let Some(part) = numbers.one_of(&layout.parts).cloned() else {
        return false;
    };
    let (place, with) = match numbers.below(4) {
        0 => (part, Vec::new()),
        1 => (part.end..part.end, data[part].to_vec()),
        2 => {
            let other = numbers.one_of(&layout.parts).cloned().unwrap_or(0..0);
            (part, data[other].to_vec())
        }
        _ if layout.fields.is_empty() || target == "bundle" => {
            (part, TEXTS[numbers.below(TEXTS.len())].to_vec())
        }
        _ => {
            // Its second half goes.
            let half = part.start + part.len() / 2;
            (half..part.end, Vec::new())
        }
    };
    replace(&layout, data, place, &with);
    true
}

/// Puts other bytes in a place, and has the lengths that stand in front of it agree again.
fn replace(layout: &Layout, data: &mut Vec<u8>, place: Range<usize>, with: &[u8]) {
    for field in &layout.fields {
        let holds = &field.holds;
        let inside = holds.start <= place.start && place.end <= holds.end && !holds.is_empty();
        if inside && field.at + field.width <= place.start {
            let old = layout.read(data, field.at, field.width).unwrap_or(0);
            let new = old
                .wrapping_add(with.len() as u64)
                .wrapping_sub(place.len() as u64);
            layout.write(data, field.at, field.width, new);
        }
    }
    data.splice(place, with.iter().copied());
}

fn change_bytes(numbers: &mut Numbers, data: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let length = data.len();
    let range = numbers.range(length, 64);
    match numbers.below(9) {
        0 if length > 0 => {
            let at = numbers.below(length);
            data[at] ^= 1 << numbers.below(8);
        }
        1 if length > 0 => {
            let at = numbers.below(length);
            data[at] = numbers.number() as u8;
        }
        2 => {
            let turn = TURNS[numbers.below(TURNS.len())];
            let bytes = if numbers.below(2) == 0 {
                turn.to_le_bytes()
            } else {
                turn.to_be_bytes()
            };
            let width = 1 << numbers.below(4);
            let at = numbers.below(length);
            let part = if numbers.below(2) == 0 {
                &bytes[..width]
            } else {
                &bytes[8 - width..]
            };
            for (place, &byte) in data.iter_mut().skip(at).zip(part) {
                *place = byte;
            }
        }
        3 => data.truncate(numbers.below(length + 1)),
        4 => drop(data.drain(range)),
        5 => {
            let part = data[range].to_vec();
            let at = numbers.below(length);
            data.splice(at..at, part);
        }
        6 if !seeds.is_empty() => {
            let other = &seeds[numbers.below(seeds.len())];
            let part = other[numbers.range(other.len(), 400)].to_vec();
            let at = numbers.below(length);
            data.splice(at..at, part);
        }
        7 if !seeds.is_empty() => {
            let other = &seeds[numbers.below(seeds.len())];
            let start = numbers.below(other.len());
            data.truncate(numbers.below(length + 1));
            data.extend(&other[start..]);
        }
        _ => {
            let part = TEXTS[numbers.below(TEXTS.len())].to_vec();
            data.splice(range, part);
        }
    }
}
