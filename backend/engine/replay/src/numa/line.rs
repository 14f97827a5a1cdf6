//! Reads the lines that a kernel which runs cling prints into the trace.

use std::str::FromStr;

use super::ClingLine;

/// Prefix of such a line.
const PREFIX: &[u8] = b"cling: ";

/// The line in a printed text; `None` when the cling kernel did not print it.
///
/// A recording as text may have the printing function's name before the line, and `task_numa_cling: cling: decision
/// ...` holds the prefix twice: the line begins after the prefix that a known word follows.
#[must_use]
pub fn cling_line(text: &[u8]) -> Option<ClingLine> {
    let mut from = 0;
    while let Some(at) = find(text.get(from..)?, PREFIX) {
        let begin = from + at;
        let before = text.get(..begin)?;
        let rest = text.get(begin + PREFIX.len()..)?;
        if function(before)
            && let Some(line) = read(rest)
        {
            return Some(line);
        }
        from = begin + 1;
    }
    None
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    if text.starts_with(wanted) {
        return Some(0);
    }
    text.windows(wanted.len())
        .position(|window| window == wanted)
}

/// Returns whether the text is empty, or a function's name or address followed by `: `.
fn function(before: &[u8]) -> bool {
    let before = before.trim_ascii_start();
    let Some(name) = before.strip_suffix(b": ") else {
        return before.is_empty();
    };
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.+/".contains(byte);
    !name.is_empty() && name.iter().all(part)
}

fn read(rest: &[u8]) -> Option<ClingLine> {
    let (word, rest) = split(rest.trim_ascii_end())?;
    ClingLine::read(&mut Fields { word, rest })
}

/// Text before the first space, and after it.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|byte| *byte == b' ')?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The word that says which line it is, and after it `key=value` in their order, one space between them.
pub(super) struct Fields<'a> {
    pub(super) word: &'a [u8],
    rest: &'a [u8],
}

// There are many lines, and comparing with a name of known length is a matter of two instructions.
#[allow(clippy::inline_always)]
impl<'a> Fields<'a> {
    #[inline(always)]
    fn text(&mut self, key: &str) -> Option<&'a [u8]> {
        let value = self.rest.strip_prefix(key.as_bytes())?;
        let value = value.strip_prefix(b"=")?;
        let (value, rest) = split(value).unwrap_or((value, b""));
        self.rest = rest;
        Some(value)
    }

    #[inline(always)]
    pub(super) fn number<T: TryFrom<i64> + FromStr>(&mut self, key: &str) -> Option<T> {
        let value = self.rest.strip_prefix(key.as_bytes())?;
        let value = value.strip_prefix(b"=")?;
        let Some((number, rest)) = number(value) else {
            // A number that is very long, or none at all.
            return str::from_utf8(self.text(key)?).ok()?.parse().ok();
        };
        self.rest = rest;
        T::try_from(number).ok()
    }

    /// A number that probes, the other source of the same, may lack.
    #[inline(always)]
    #[allow(
        clippy::option_option,
        reason = "the outer one says whether it could be read"
    )]
    pub(super) fn optional(&mut self, key: &str) -> Option<Option<i32>> {
        self.number(key).map(Some)
    }

    #[inline(always)]
    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        Some(self.number::<u8>(key)? != 0)
    }

    /// Returns whether the value is the first of two words; `None` when it is neither.
    #[inline(always)]
    pub(super) fn either(&mut self, key: &str, yes: &str, no: &str) -> Option<bool> {
        let value = self.text(key)?;
        let is = value == yes.as_bytes();
        (is || value == no.as_bytes()).then_some(is)
    }

    /// The one of `all` whose name is the value.
    #[inline(always)]
    pub(super) fn named<T: Copy>(
        &mut self,
        key: &str,
        all: &[T],
        name: fn(T) -> &'static str,
    ) -> Option<T> {
        let value = self.text(key)?;
        let found = all.iter().find(|one| name(**one).as_bytes() == value);
        found.copied()
    }

    /// Returns whether this word says which line it is.
    #[inline(always)]
    #[allow(
        clippy::unnecessary_wraps,
        reason = "as every other method that reads a value"
    )]
    pub(super) fn is(&mut self, word: &str) -> Option<bool> {
        Some(self.word == word.as_bytes())
    }
}

/// The number at the start of a text, and the text after the following space. Reads each byte once.
fn number(text: &[u8]) -> Option<(i64, &[u8])> {
    /// Number of digits that always fit into 64 bits.
    const FIT: usize = 18;
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let (mut sum, mut at) = (0, 0);
    while let Some(digit) = digits.get(at).filter(|byte| byte.is_ascii_digit()) {
        if at == FIT {
            return None;
        }
        sum = sum * 10 + i64::from(digit - b'0');
        at += 1;
    }
    let rest = match digits.get(at..)? {
        [] => &[],
        [b' ', rest @ ..] => rest,
        _ => return None,
    };
    let sum = if digits.len() < text.len() { -sum } else { sum };
    (at > 0).then_some((sum, rest))
}
