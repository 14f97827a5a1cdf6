use std::fmt;
use std::ops::{Deref, DerefMut};

/// Position in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Offset from the start of the file, in bytes.
    Byte(u64),
    /// Line number, counted from 1.
    Line(u64),
}

impl Place {
    /// The number alone: bytes from 0, or lines from 1.
    #[must_use]
    pub fn number(self) -> u64 {
        match self {
            Self::Byte(n) | Self::Line(n) => n,
        }
    }

    /// The unit's name: `byte` or `line`.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Byte(_) => "byte",
            Self::Line(_) => "line",
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.unit(), self.number())
    }
}

/// Error of an unreadable input, in one sentence: position, expected and found content.
///
/// The reader does not know the file's name; the caller that opened the file puts it in front ([`InputError::sentence`]).
///
/// As wide as a pointer, since most results have no error and each call copies the width of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError(Box<Unexpected>);

/// Content of an [`InputError`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unexpected {
    /// Position.
    pub place: Place,
    /// Expected content.
    pub expected: String,
    /// Found content.
    pub found: String,
}

impl Deref for InputError {
    type Target = Unexpected;

    fn deref(&self) -> &Unexpected {
        &self.0
    }
}

impl DerefMut for InputError {
    fn deref_mut(&mut self) -> &mut Unexpected {
        &mut self.0
    }
}

impl InputError {
    fn new(place: Place, expected: String, found: String) -> Self {
        Self(Box::new(Unexpected {
            place,
            expected: one_line(expected),
            found: one_line(found),
        }))
    }

    /// An error at a byte offset.
    #[must_use]
    pub fn at_byte(offset: u64, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::new(Place::Byte(offset), expected.into(), found.into())
    }

    /// An error at a line, counted from 1.
    #[must_use]
    pub fn at_line(line: u64, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::new(Place::Line(line), expected.into(), found.into())
    }

    /// The whole sentence, with the input's name in front.
    #[must_use]
    pub fn sentence(&self, name: &str) -> String {
        format!("{name}: {self}")
    }
}

/// A sentence may quote the input: what would end its line or move a terminal's cursor is escaped.
fn one_line(text: String) -> String {
    if !text.contains(char::is_control) {
        return text;
    }
    let mut plain = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_control() {
            plain.extend(c.escape_default());
        } else {
            plain.push(c);
        }
    }
    plain
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: expected {}, found {}",
            self.place, self.expected, self.found
        )
    }
}

impl std::error::Error for InputError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_whatever_it_quotes() {
        let error = InputError::at_byte(7, "a name", "\"a\nb\u{1b}[2J\"");
        assert_eq!(
            error.sentence("x"),
            "x: byte 7: expected a name, found \"a\\nb\\u{1b}[2J\""
        );
    }
}
