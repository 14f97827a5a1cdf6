//! Numbers in text, and the errors of invalid ones.

use std::fmt::Display;
use std::str::FromStr;

/// Longest text that becomes a value: the kernel's own limit of paths (`PATH_MAX`).
pub(crate) const LONGEST_TEXT: usize = 4096;

/// Nodes that a kernel can have (`MAX_NUMNODES` is at most 2^10).
pub(crate) const MAX_NODES: i32 = 1 << 10;

/// An invalid line. The caller, which knows the line's number, makes the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Odd {
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl Odd {
    /// `found` is quoted.
    pub(crate) fn new(expected: impl Into<String>, found: &str) -> Self {
        Self {
            expected: expected.into(),
            found: quoted(found),
        }
    }
}

impl Display for Odd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

/// Start of the found text, for an error message.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN: usize = 60;
    let text = text.trim();
    if text.is_empty() {
        return "nothing".to_owned();
    }
    let printable = |c: char| if c.is_control() { '?' } else { c };
    let short: String = text.chars().take(SHOWN).map(printable).collect();
    let more = if text.chars().nth(SHOWN).is_some() {
        "..."
    } else {
        ""
    };
    format!("\"{short}{more}\"")
}

/// A number of any type; `what` says which in an error.
pub(crate) fn number<T: FromStr>(text: &str, what: &str) -> Result<T, Odd> {
    // Rust takes a leading plus, the kernel never prints one.
    match text.parse() {
        Ok(value) if !text.starts_with('+') => Ok(value),
        _ => Err(Odd::new(what, text)),
    }
}

/// A decimal number that is finite.
pub(crate) fn decimal(text: &str, what: &str) -> Result<f64, Odd> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    match text.parse::<f64>() {
        Ok(value) if plain && value.is_finite() => Ok(value),
        _ => Err(Odd::new(what, text)),
    }
}

/// A node's number.
pub(crate) fn node(text: &str) -> Result<i32, Odd> {
    let what = "a node number below 1024";
    match number::<i32>(text, what)? {
        nid if (0..MAX_NODES).contains(&nid) => Ok(nid),
        _ => Err(Odd::new(what, text)),
    }
}

/// A text that is short enough to be a value.
pub(crate) fn short(text: &str) -> Result<&str, Odd> {
    if text.len() > LONGEST_TEXT {
        return Err(Odd::new("at most 4096 bytes of text", text));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert_eq!(number::<u64>("18446744073709551615", "n"), Ok(u64::MAX));
        for text in ["18446744073709551616", "-1", "+1", "", "1 ", "0x1"] {
            assert!(number::<u64>(text, "n").is_err(), "{text}");
        }
        for text in ["nan", "inf", "1e3", "", "1.2.3", "+1"] {
            assert!(decimal(text, "n").is_err(), "{text}");
        }
        assert_eq!(decimal("-1.50", "n"), Ok(-1.5));
        assert!(node("1024").is_err() && node("-1").is_err());
    }

    #[test]
    fn quotations_are_short_and_printable() {
        assert_eq!(quoted("a\tb"), "\"a?b\"");
        assert_eq!(quoted(&"x".repeat(100)).len(), 65);
        assert_eq!(quoted(" "), "nothing");
    }
}
