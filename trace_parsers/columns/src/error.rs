use std::fmt;

/// Where in an input something was found.
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

/// An input that cannot be read, in one sentence: where, what was expected there and what stands there instead.
///
/// The reader does not know the file's name; whoever opened the file puts it in front ([`InputError::sentence`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError {
    /// Where it was found.
    pub place: Place,
    /// What was expected there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

impl InputError {
    /// An error at a byte offset.
    #[must_use]
    pub fn at_byte(offset: u64, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            place: Place::Byte(offset),
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// An error at a line, counted from 1.
    #[must_use]
    pub fn at_line(line: u64, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            place: Place::Line(line),
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// The whole sentence, with the input's name in front.
    #[must_use]
    pub fn sentence(&self, name: &str) -> String {
        format!("{name}: {self}")
    }
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
