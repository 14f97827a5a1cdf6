//! What an input is made of: where its parts are, and the numbers that say how long or where they are.
//!
//! A change that keeps these in step comes further into a reader than one of any byte.

use std::ops::Range;

use crate::bundles::{Member, members};

/// A number in the input.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) at: usize,
    /// Its bytes: 2, 4 or 8.
    pub(crate) width: usize,
    /// What its value is the length of; empty when it says something else.
    pub(crate) holds: Range<usize>,
}

/// Parts that can be left out, repeated or exchanged, and numbers.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) big: bool,
    pub(crate) fields: Vec<Field>,
    pub(crate) parts: Vec<Range<usize>>,
}

/// Parts that are looked for: an input may claim to have very many.
const MOST_PARTS: usize = 4096;

impl Layout {
    pub(crate) fn of(target: &str, data: &[u8], below: impl FnOnce(usize) -> usize) -> Self {
        let mut layout = Self::default();
        match target {
            "trace_dat" => layout.trace_dat(data),
            "perf_data" => layout.perf_data(data),
            "bundle" => layout.bundle(data, below),
            _ => {}
        }
        layout
    }

    /// The number at a place; `None` past the end.
    pub(crate) fn read(&self, data: &[u8], at: usize, width: usize) -> Option<u64> {
        let bytes = data.get(at..at.checked_add(width)?)?;
        let sum = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(if self.big {
            bytes.iter().fold(0, sum)
        } else {
            bytes.iter().rev().fold(0, sum)
        })
    }

    pub(crate) fn write(&self, data: &mut [u8], at: usize, width: usize, value: u64) {
        let bytes = if self.big {
            value.to_be_bytes()[8 - width..].to_vec()
        } else {
            value.to_le_bytes()[..width].to_vec()
        };
        if let Some(place) = data.get_mut(at..at + width) {
            place.copy_from_slice(&bytes);
        }
    }

    fn field(&mut self, at: usize, width: usize, holds: Range<usize>) {
        self.fields.push(Field { at, width, holds });
    }

    /// `perf.data`: the header's numbers, then records after a type, flags and their length.
    fn perf_data(&mut self, data: &[u8]) {
        self.big = data.starts_with(b"2ELIFREP");
        let header = self.read(data, 8, 8).unwrap_or(0);
        let (mut at, end) = if header == 16 {
            (16, data.len())
        } else {
            for at in (8..104).step_by(8) {
                self.field(at, 8, 0..0);
            }
            let number = |at| self.read(data, at, 8).unwrap_or(0) as usize;
            let (from, length) = (number(40), number(48));
            let end = from.saturating_add(length).min(data.len());
            self.field(48, 8, from..end);
            (from, end)
        };
        while let Some(length) = self.read(data, at.saturating_add(6), 2) {
            let next = at + length as usize;
            if length < 8 || next > end || self.parts.len() >= MOST_PARTS {
                break;
            }
            self.field(at, 4, 0..0);
            self.field(at + 6, 2, at..next);
            for word in (at + 8..next).step_by(8) {
                self.field(word, 8, 0..0);
            }
            self.parts.push(at..next);
            at = next;
        }
    }

    /// `trace.dat`: sections of version 7 and their options, and the pages of ring buffers with their events.
    fn trace_dat(&mut self, data: &[u8]) {
        self.big = data.get(12) == Some(&1);
        let text = |from: usize| {
            let rest = data.get(from..)?;
            Some(from + rest.iter().position(|&byte| byte == 0)? + 1)
        };
        let Some(behind_version) = text(10) else {
            return;
        };
        let long = usize::from(data.get(behind_version + 1).copied().unwrap_or(8)).clamp(4, 8);
        let page_size_at = behind_version + 2;
        self.field(page_size_at, 4, 0..0);
        let page = self.read(data, page_size_at, 4).unwrap_or(4096) as usize;
        if data.get(10) == Some(&b'7') {
            let at = text(page_size_at + 4).and_then(text);
            self.sections(data, at.unwrap_or(data.len()));
        }
        if (64..=1 << 16).contains(&page) {
            for at in (page..data.len()).step_by(page) {
                self.page(data, at, page, long);
            }
        }
    }

    fn sections(&mut self, data: &[u8], first: usize) {
        self.field(first, 8, 0..0);
        let mut at = first + 8;
        while let (Some(id), Some(size)) = (self.read(data, at, 2), self.read(data, at + 8, 8)) {
            let (from, to) = (at + 16, (at + 16).saturating_add(size as usize));
            if to > data.len() || self.parts.len() >= MOST_PARTS {
                break;
            }
            self.field(at, 2, 0..0);
            self.field(at + 2, 2, 0..0);
            self.field(at + 4, 4, 0..0);
            self.field(at + 8, 8, from..to);
            self.parts.push(at..to);
            if id == 0 {
                self.options(data, from, to);
            }
            at = to;
        }
    }

    fn options(&mut self, data: &[u8], mut at: usize, end: usize) {
        while let Some(size) = self.read(data, at + 2, 4) {
            let to = (at + 6).saturating_add(size as usize);
            if to > end || self.parts.len() >= MOST_PARTS {
                break;
            }
            self.field(at, 2, 0..0);
            self.field(at + 2, 4, at + 6..to);
            for place in (at + 6..to).step_by(8) {
                self.field(place, 8, 0..0);
            }
            self.parts.push(at..to);
            at = to;
        }
    }

    /// A page of a ring buffer: its time, the length of its events, and these, whose length stands in five bits.
    fn page(&mut self, data: &[u8], start: usize, page: usize, long: usize) {
        let (events, committed) = (start + 8 + long, self.read(data, start + 8, long));
        let end = events + (committed.unwrap_or(0) as usize & 0xff_ffff).min(page);
        self.field(start, 8, 0..0);
        self.field(start + 8, long, events..end.max(events));
        let mut at = events;
        while let Some(head) = self.read(data, at, 4).filter(|_| at + 4 <= end) {
            let kind = if self.big { head >> 27 } else { head & 31 };
            let array = self.read(data, at + 4, 4).unwrap_or(0) as usize;
            let next = at
                + match kind {
                    0 | 29 => 4 + array.min(page),
                    30 | 31 => 8,
                    words => 4 + 4 * words as usize,
                };
            if next > end.min(data.len()) || next <= at || self.parts.len() >= MOST_PARTS {
                break;
            }
            for word in (at..next).step_by(4) {
                self.field(word, 4, 0..0);
            }
            self.parts.push(at..next);
            at = next;
        }
    }

    /// A bundle's files; of one of them the numbers of its Arrow metadata and columns, which are aligned.
    fn bundle(&mut self, data: &[u8], below: impl FnOnce(usize) -> usize) {
        let files = members(data);
        for file in &files {
            self.field(file.length_at, 4, file.bytes.clone());
            self.parts.push(file.start..file.bytes.end);
        }
        let Some(Member { name, bytes, .. }) = files.get(below(files.len())) else {
            return;
        };
        if name.rsplit('.').next() == Some("arrow") {
            for at in bytes.clone().step_by(4).take(MOST_PARTS) {
                self.field(at, 4, 0..0);
                self.field(at, 8, 0..0);
            }
            return;
        }
        // Of JSON: what is between quotes, and numbers.
        let text = &data[bytes.clone()];
        let mut from = 0;
        for (at, &byte) in text.iter().enumerate() {
            if !(byte.is_ascii_alphanumeric() || byte == b'_') {
                if at > from && self.parts.len() < MOST_PARTS {
                    self.parts.push(bytes.start + from..bytes.start + at);
                }
                from = at + 1;
            }
        }
    }
}
