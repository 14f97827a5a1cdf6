//! Events while they wait for their packet: written eight bytes at a time at a place that moves on, with room requested once
//! an event instead of once a byte.

use crate::wire;

/// Buffer for bytes, and the number of written ones.
#[derive(Debug, Default)]
pub(crate) struct Page {
    bytes: Vec<u8>,
    used: usize,
}

impl Page {
    pub(crate) fn written(&self) -> &[u8] {
        &self.bytes[..self.used]
    }

    pub(crate) fn clear(&mut self) {
        self.used = 0;
    }

    /// Lets `write` write at most `most` bytes.
    #[inline]
    pub(crate) fn write(&mut self, most: usize, write: impl FnOnce(&mut Pen<'_>)) {
        let wanted = self.used + most + WORD;
        if self.bytes.len() < wanted {
            self.bytes.resize(wanted.next_power_of_two(), 0);
        }
        let mut pen = Pen {
            out: &mut self.bytes[self.used..],
            at: 0,
        };
        write(&mut pen);
        self.used += pen.at;
    }
}

/// Bytes that are written at once.
const WORD: usize = size_of::<u64>();
/// Most bytes of a tag, a length or a number each.
pub(crate) const MOST: usize = 10;

/// A field's number and type, as they are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tag {
    word: u64,
    len: usize,
}

impl Tag {
    pub(crate) const fn number(field: u32) -> Self {
        Self::of(field, wire::VARINT)
    }

    /// Of a text or a message.
    pub(crate) const fn length(field: u32) -> Self {
        Self::of(field, wire::LENGTH)
    }

    const fn of(field: u32, kind: u64) -> Self {
        let (word, len) = spread((field as u64) << 3 | kind);
        Self { word, len }
    }
}

/// Position of the next bytes.
#[derive(Debug)]
pub(crate) struct Pen<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl Pen<'_> {
    /// Writes eight bytes, of which the first `len` stay.
    #[inline]
    fn word(&mut self, word: u64, len: usize) {
        self.out[self.at..self.at + WORD].copy_from_slice(&word.to_le_bytes());
        self.at += len;
    }

    #[inline]
    pub(crate) fn number(&mut self, tag: Tag, value: u64) {
        if value >= SPREAD {
            return self.long(tag, value);
        }
        let (word, len) = spread(value);
        if tag.len + len <= WORD {
            self.word(tag.word | word << (8 * tag.len), tag.len + len);
        } else {
            self.word(tag.word, tag.len);
            self.word(word, len);
        }
    }

    /// A number of more than 56 bits, as every negative one is.
    fn long(&mut self, tag: Tag, mut value: u64) {
        self.word(tag.word, tag.len);
        while value >= 0x80 {
            self.out[self.at] = value as u8 | 0x80;
            self.at += 1;
            value >>= 7;
        }
        self.out[self.at] = value as u8;
        self.at += 1;
    }

    #[inline]
    pub(crate) fn bytes(&mut self, tag: Tag, value: &[u8]) {
        self.number(tag, value.len() as u64);
        self.out[self.at..self.at + value.len()].copy_from_slice(value);
        self.at += value.len();
    }

    /// Begins a message and keeps one byte for its length, since most are short.
    #[inline]
    pub(crate) fn begin(&mut self, tag: Tag) -> Begun {
        self.word(tag.word, tag.len + 1);
        Begun(self.at)
    }

    /// Ends it; a length of more bytes gets its room now.
    #[inline]
    pub(crate) fn end(&mut self, begun: Begun) {
        let (from, length) = (begun.0, self.at - begun.0);
        if length < 0x80 {
            self.out[from - 1] = length as u8;
            return;
        }
        let (word, len) = spread(length as u64);
        self.out.copy_within(from..self.at, from - 1 + len);
        self.out[from - 1..from - 1 + len].copy_from_slice(&word.to_le_bytes()[..len]);
        self.at += len - 1;
    }
}

/// The first byte of a message that is not ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun(usize);

/// Numbers below have at most eight bytes.
const SPREAD: u64 = 1 << 56;

/// A number below [`SPREAD`] with seven bits in each byte, all but the last one marked as such, and how many bytes that are.
#[inline]
const fn spread(value: u64) -> (u64, usize) {
    // The halves, then the quarters, then the eighths are separated.
    let word = (value & 0x00ff_ffff_f000_0000) << 4 | value & 0x0fff_ffff;
    let word = (word & 0x0fff_c000_0fff_c000) << 2 | word & 0x0000_3fff_0000_3fff;
    let word = (word & 0x3f80_3f80_3f80_3f80) << 1 | word & 0x007f_007f_007f_007f;
    let len = (70 - (value | 1).leading_zeros() as usize) / 7;
    let marks = 0x0080_8080_8080_8080 & ((1 << (8 * (len - 1))) - 1);
    (word | marks, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_plain_writer() {
        let edges = (0..64).flat_map(|bit| {
            let power = 1_u64 << bit;
            [power - 1, power, power + 1]
        });
        for value in edges.chain([u64::MAX]) {
            for field in [1, 15, 16, 491, 65536 + 1000] {
                let (mut page, mut plain) = (Page::default(), Vec::new());
                page.write(2 * MOST, |pen| pen.number(Tag::number(field), value));
                wire::number(&mut plain, field, value);
                assert_eq!(page.written(), plain, "{field}: {value}");
            }
        }
    }

    #[test]
    fn messages_of_any_length_are_those_of_the_plain_writer() {
        for length in [0, 1, 125, 126, 127, 128, 16_380, 16_384, 3 << 20] {
            let text = vec![7; length];
            let (mut page, mut plain) = (Page::default(), Vec::new());
            page.write(length + 4 * MOST, |pen| {
                let begun = pen.begin(Tag::length(491));
                pen.bytes(Tag::length(1), &text);
                pen.end(begun);
            });
            wire::nested(&mut plain, 491, |out| wire::bytes(out, 1, &text));
            assert_eq!(page.written(), plain);
        }
    }
}
