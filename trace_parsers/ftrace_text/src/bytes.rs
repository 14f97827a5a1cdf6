//! Small steps over bytes that all forms share.

use std::fmt::Write as _;

/// Longest line, bytes.
pub(crate) const MAX_LINE: usize = 1 << 20;

/// Decimal digits from `at` on: their value and where they end. `None` without a digit or above u64.
#[inline]
pub(crate) fn decimal(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value: u64 = 0;
    let mut end = at;
    while let Some(digit) = text
        .get(end)
        .map(|byte| byte.wrapping_sub(b'0'))
        .filter(|&d| d < 10)
    {
        // Nineteen digits always fit.
        value = if end - at < 19 {
            value * 10 + u64::from(digit)
        } else {
            value.checked_mul(10)?.checked_add(u64::from(digit))?
        };
        end += 1;
    }
    (end > at).then_some((value, end))
}

/// Hexadecimal digits from `at` on, with or without `0x`.
#[inline]
pub(crate) fn hexadecimal(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let prefixed = matches!(text.get(at..at + 2), Some(b"0x" | b"0X"));
    let start = if prefixed { at + 2 } else { at };
    let mut value: u64 = 0;
    let mut end = start;
    while let Some(digit) = text
        .get(end)
        .and_then(|&byte| char::from(byte).to_digit(16))
    {
        if value >> 60 != 0 {
            return None;
        }
        value = value << 4 | u64::from(digit);
        end += 1;
    }
    (end > start).then_some((value, end))
}

/// Returns the end of the blanks from `at` on.
#[inline]
pub(crate) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// Returns the end of the word from `at` on: at a blank or at the end of the text.
#[inline]
pub(crate) fn word_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter()
        .position(|&byte| byte == b' ' || byte == b'\t')
        .map_or(text.len(), |n| at + n)
}

/// The text without blanks at its end.
#[inline]
pub(crate) fn trim_end(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .rposition(|&byte| byte != b' ' && byte != b'\t')
        .map_or(0, |n| n + 1);
    &text[..end]
}

/// A number of at most 31 bits that ends where the text ends, and where it begins.
#[inline]
pub(crate) fn number_at_end(text: &[u8]) -> Option<(i32, usize)> {
    let digits = text
        .iter()
        .rev()
        .take(11)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let start = text.len() - digits;
    let (value, _) = decimal(text, start)?;
    i32::try_from(value).ok().map(|value| (value, start))
}

/// The first sixty characters of a line as they can be shown in a sentence.
pub(crate) fn shown(line: &[u8]) -> String {
    const MOST: usize = 60;
    if line.is_empty() {
        return "an empty line".to_owned();
    }
    let head = String::from_utf8_lossy(&line[..line.len().min(4 * MOST)]);
    let mut text = String::from("\"");
    for letter in head.chars().take(MOST) {
        let _ = write!(text, "{}", letter.escape_debug());
    }
    text.push('"');
    if head.chars().count() > MOST || line.len() > 4 * MOST {
        text.push_str(" ...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_their_digits_end() {
        assert_eq!(decimal(b"a120 ", 1), Some((120, 4)));
        assert_eq!(decimal(b"18446744073709551615", 0), Some((u64::MAX, 20)));
        assert_eq!(decimal(b"18446744073709551616", 0), None);
        assert_eq!(hexadecimal(b"0x1f,", 0), Some((31, 4)));
        assert_eq!(hexadecimal(b"0x", 0), None);
        assert_eq!(hexadecimal(b"1ffffffffffffffff", 0), None);
        assert_eq!(number_at_end(b"a-17"), Some((17, 2)));
        assert_eq!(number_at_end(b"9999999999"), None);
        assert_eq!(trim_end(b" a \t "), b" a");
    }

    #[test]
    fn what_is_shown_is_short_and_printable() {
        assert_eq!(shown(b"a\x00\"\xff"), "\"a\\0\\\"\u{fffd}\"");
        assert!(shown(&[b'x'; 1000]).len() < 80);
    }
}
