//! The lines of a text, one after another, without copying.

use memchr::memchr;

use crate::bytes::MAX_LINE;

/// One line without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a [u8],
    /// Counted from 1.
    pub(crate) number: u64,
    /// Offset of its first byte.
    pub(crate) start: usize,
    /// The line was longer than [`MAX_LINE`]; `text` is its beginning.
    pub(crate) cut: bool,
}

/// A walk over a part of a text.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    /// Start of the next line.
    pub(crate) at: usize,
    /// Lines before it.
    pub(crate) before: u64,
}

impl<'a> Lines<'a> {
    /// The lines of `bytes` from `at` on; `before` lines precede it.
    pub(crate) fn new(bytes: &'a [u8], at: usize, before: u64) -> Self {
        Self { bytes, at, before }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    #[inline]
    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.bytes.get(self.at..)?;
        if rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', rest);
        let text = &rest[..end.unwrap_or(rest.len())];
        let cut = text.len() > MAX_LINE;
        let text = if cut { &text[..MAX_LINE] } else { text };
        let line = Line {
            text: text.strip_suffix(b"\r").unwrap_or(text),
            number: self.before + 1,
            start: self.at,
            cut,
        };
        self.at += end.map_or(rest.len(), |end| end + 1);
        self.before += 1;
        Some(line)
    }
}
