//! The lines of an input, one after the other, letting go of what has been read.

use std::borrow::Cow;

use memchr::memchr;
use numalens_columns::ByteSource;

/// Longest line that is read.
pub(crate) const LONGEST_LINE: usize = 4 << 20;

/// Bytes after which what has been read is released.
const STEP: usize = 4 << 20;

/// A line without its end.
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub(crate) number: u64,
    /// `None` when the line is longer than [`LONGEST_LINE`].
    pub(crate) bytes: Option<&'a [u8]>,
}

impl<'a> Line<'a> {
    /// The text; bytes that are not UTF-8 are replaced.
    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        self.bytes.map(String::from_utf8_lossy)
    }
}

/// Walks over the lines of an input.
pub(crate) struct Lines<'a> {
    source: &'a dyn ByteSource,
    at: usize,
    number: u64,
    released: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(source: &'a dyn ByteSource) -> Self {
        let bom = source.bytes().starts_with(b"\xef\xbb\xbf");
        Self {
            source,
            at: if bom { 3 } else { 0 },
            number: 0,
            released: 0,
        }
    }

    /// Returns the number of read bytes, when it should be reported again.
    pub(crate) fn release(&mut self) -> Option<u64> {
        if self.at - self.released < STEP {
            return None;
        }
        self.source.release(self.released..self.at);
        self.released = self.at;
        Some(self.at as u64)
    }

    pub(crate) fn next(&mut self) -> Option<Line<'a>> {
        let bytes = self.source.bytes();
        let start = self.at;
        if start >= bytes.len() {
            return None;
        }
        self.number += 1;
        let window = &bytes[start..bytes.len().min(start + LONGEST_LINE + 1)];
        let line = match memchr(b'\n', window) {
            Some(length) => {
                self.at = start + length + 1;
                Some(&window[..length])
            }
            None if window.len() <= LONGEST_LINE => {
                self.at = bytes.len();
                Some(window)
            }
            None => {
                self.pass();
                None
            }
        };
        Some(Line {
            number: self.number,
            bytes: line,
        })
    }

    /// Goes past the end of a line that is too long.
    fn pass(&mut self) {
        let bytes = self.source.bytes();
        while self.at < bytes.len() {
            let window = &bytes[self.at..bytes.len().min(self.at + STEP)];
            if let Some(length) = memchr(b'\n', window) {
                self.at += length + 1;
                return;
            }
            self.at += window.len();
            self.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::ops::Range;

    use super::*;

    struct Watched<'a>(&'a [u8], RefCell<Vec<Range<usize>>>);

    impl ByteSource for Watched<'_> {
        fn bytes(&self) -> &[u8] {
            self.0
        }

        fn release(&self, range: Range<usize>) {
            self.1.borrow_mut().push(range);
        }
    }

    #[test]
    fn long_lines_are_passed_and_released() {
        let mut text = vec![b'x'; 10 << 20];
        text.push(b'\n');
        text.extend_from_slice(b"short\nlast");
        let source = Watched(&text, RefCell::default());
        let mut lines = Lines::new(&source);
        let mut read = Vec::new();
        while let Some(line) = lines.next() {
            read.push((line.number, line.text().map(Cow::into_owned)));
        }
        let short = |text: &str| Some(text.to_owned());
        assert_eq!(read, [(1, None), (2, short("short")), (3, short("last"))]);
        let released = source.1.into_inner();
        assert_eq!(released, [0..4 << 20, 4 << 20..8 << 20]);
    }
}
