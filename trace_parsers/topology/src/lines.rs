//! Lines of text with their numbers.

/// The text without blanks around it, and without the NUL bytes that end some copies of sysfs files.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0')
}

/// Returns whether a NUL byte is anywhere but at the end of a line, which is impossible in text.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    lines.any(|line| {
        let text = line.iter().rposition(|byte| !b"\0\r".contains(byte));
        text.is_some_and(|end| {
            line[..end]
                .iter()
                .skip_while(|&&byte| byte == 0)
                .any(|&byte| byte == 0)
        })
    })
}

/// A line without its end and outer blanks; bytes that are not UTF-8 make it empty.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub(crate) number: u64,
    pub(crate) text: &'a str,
}

/// The lines of a text with Unix or DOS ends.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes
        .split(|&byte| byte == b'\n')
        .zip(1..)
        .map(|(line, number)| Line {
            number,
            text: trim(std::str::from_utf8(line).unwrap_or_default()),
        })
}

/// A short quotation of the input, for an error message.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.is_empty() {
        return "nothing".to_owned();
    }
    let mut short: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push_str("...");
    }
    format!("\"{short}\"")
}
