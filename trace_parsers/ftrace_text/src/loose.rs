//! Events that the catalogue does not know: their columns follow from the `name=value` words of their first rows.

use memchr::memchr;
use numalens_columns::{Column, ColumnType, argument_name};

use crate::bytes::{hexadecimal, trim_end};
use crate::template::number;

/// Most columns of one event.
const MAX_COLUMNS: usize = 64;
/// The column with the unparsed details.
pub(crate) const TEXT: &str = "text";

/// Syntax of an event's details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// `name=value` words.
    Ftrace,
    /// The same of perf's own events, after an address.
    Perf,
    /// `name = value, ...`.
    Lttng,
}

/// One word of an event's details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) value: &'a [u8],
    /// The value is an address: hexadecimal without `0x`.
    address: bool,
}

impl<'a> Word<'a> {
    fn new(name: &'a [u8], value: &'a [u8]) -> Self {
        Self {
            name,
            value,
            address: false,
        }
    }

    fn address(name: &'a [u8], value: &'a [u8]) -> Self {
        Self {
            name,
            value,
            address: is_address(value),
        }
    }

    /// The number of a value for a column of numbers; 0 for other values, which the text column then has.
    pub(crate) fn bits(&self) -> u64 {
        self.guess().1
    }

    /// The number in a value, and how it is written.
    fn guess(&self) -> (Guess, u64) {
        let whole = |read: Option<(u64, usize)>| {
            read.filter(|&(_, end)| end == self.value.len())
                .map(|(bits, _)| bits)
        };
        if self.address {
            return (
                Guess::Unsigned,
                whole(hexadecimal(self.value, 0)).unwrap_or(0),
            );
        }
        let Some(bits) = whole(number(self.value, 0)) else {
            return (Guess::Text, 0);
        };
        let signed = !self.value.starts_with(b"0x")
            && (self.value.starts_with(b"-") || i64::try_from(bits).is_ok());
        (
            if signed {
                Guess::Signed
            } else {
                Guess::Unsigned
            },
            bits,
        )
    }
}

/// Returns whether a word is the number of an address.
fn is_address(word: &[u8]) -> bool {
    word.len() >= 4 && hexadecimal(word, 0).is_some_and(|(_, end)| end == word.len())
}

/// Splits details into `name=value` words. A value goes up to the next such word, so that it may have blanks. A probe's
/// address in front, `(addr)` or `(addr <- addr)`, gets the kernel's field names, and the address of a sample of `perf`'s
/// own events the name `ip`.
pub(crate) fn words<'a>(details: &'a [u8], syntax: Syntax, mut take: impl FnMut(Word<'a>)) {
    let mut rest = match syntax {
        Syntax::Perf => sample(details, &mut take),
        Syntax::Ftrace => probe(details, &mut take),
        Syntax::Lttng => {
            return crate::lttng::fields(details, |name, value| take(Word::new(name, value)));
        }
    };
    let mut open: Option<(&[u8], usize)> = None;
    let mut from = 0;
    while let Some(equals) = memchr(b'=', &rest[from..]).map(|n| from + n) {
        let start = rest[..equals]
            .iter()
            .rposition(|&byte| !in_name(byte))
            .map_or(0, |n| n + 1);
        from = equals + 1;
        let begins =
            start == 0 || matches!(rest[start - 1], b' ' | b'\t' | b',' | b'(' | b'[' | b'{');
        if start == equals
            || rest[start].is_ascii_digit()
            || !begins
            || start < open.map_or(0, |(_, value)| value)
        {
            continue;
        }
        if let Some((name, value)) = open.replace((&rest[start..equals], equals + 1)) {
            take(Word::new(name, clean(&rest[value..start])));
        }
    }
    if let Some((name, value)) = open {
        rest = &rest[value..];
        take(Word::new(name, clean(rest)));
    }
}

/// Characters of field names; the colon of old kernels' `name: value` is not one.
fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')
}

fn clean(value: &[u8]) -> &[u8] {
    let value = trim_end(value);
    trim_end(value.strip_suffix(b",").unwrap_or(value))
}

/// The address at the start of a sample of perf's own event. With more columns of addresses (`-F +addr`) they are ambiguous,
/// so none gets a name.
fn sample<'a>(details: &'a [u8], take: &mut impl FnMut(Word<'a>)) -> &'a [u8] {
    let mut words = details
        .split(|&byte| byte == b' ')
        .filter(|word| !word.is_empty());
    if let Some(first) = words.next()
        && is_address(first)
        && !words.any(is_address)
    {
        take(Word::address(b"ip", first));
    }
    details
}

fn probe<'a>(details: &'a [u8], take: &mut impl FnMut(Word<'a>)) -> &'a [u8] {
    let close = details
        .strip_prefix(b"(")
        .and_then(|rest| memchr(b')', rest));
    let Some(close) = close else {
        return details;
    };
    let inside = &details[1..=close];
    match inside.windows(4).position(|four| four == b" <- ") {
        // As numbers the function comes first, as symbols the place that it returns to.
        Some(arrow) => {
            let (first, second) = (&inside[..arrow], &inside[arrow + 4..]);
            let (function, place) = if is_address(first) {
                (first, second)
            } else {
                (second, first)
            };
            take(Word::address(b"__probe_func", function));
            take(Word::address(b"__probe_ret_ip", place));
        }
        None if is_address(inside) || memchr(b'+', inside).is_some() => {
            take(Word::address(b"__probe_ip", inside));
        }
        None => return details,
    }
    &details[close + 2..]
}

/// Possible type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guess {
    /// Decimal within i64.
    Signed,
    /// Hexadecimal, or decimal above i64.
    Unsigned,
    Text,
}

/// The columns that rows of such details get, with [`TEXT`] as the last.
pub(crate) fn infer<'a>(rows: impl Iterator<Item = &'a [u8]>, syntax: Syntax) -> Vec<Column> {
    let mut seen: Vec<(&[u8], Guess)> = Vec::new();
    for details in rows {
        words(details, syntax, |word| {
            let (new, bits) = word.guess();
            let Some(at) = seen.iter().position(|(name, _)| *name == word.name) else {
                if seen.len() < MAX_COLUMNS {
                    seen.push((word.name, new));
                }
                return;
            };
            let old = seen[at].1;
            // A number that is small in decimal fits an unsigned column too, unless it is negative.
            let mixed = old != Guess::Text && new != Guess::Text && i64::try_from(bits).is_ok();
            seen[at].1 = match (old, new) {
                (old, new) if old == new => old,
                (Guess::Signed, Guess::Unsigned) => new,
                _ if mixed => Guess::Unsigned,
                _ => Guess::Text,
            };
        });
    }
    let mut columns: Vec<Column> = Vec::new();
    for (name, guess) in seen {
        let name = String::from_utf8_lossy(name);
        let (ty, ctype) = match guess {
            Guess::Signed => (ColumnType::Int(8), "s64"),
            Guess::Unsigned => (ColumnType::UInt(8), "u64"),
            Guess::Text => (ColumnType::Text, "char[]"),
        };
        columns.push(Column {
            ctype: format!("{ctype} {name}"),
            name: argument_name(&name, &columns),
            ty,
        });
    }
    columns.push(text_column(&columns));
    columns
}

fn text_column(taken: &[Column]) -> Column {
    Column {
        name: argument_name(TEXT, taken),
        ty: ColumnType::Text,
        ctype: format!("char[] {TEXT}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(details: &str) -> Vec<(String, String)> {
        let mut all = Vec::new();
        words(details.as_bytes(), Syntax::Ftrace, |word| {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            all.push((text(word.name), text(word.value)));
        });
        all
    }

    fn types(rows: &[&str]) -> Vec<(String, ColumnType)> {
        let columns = infer(rows.iter().map(|row| row.as_bytes()), Syntax::Ftrace);
        columns
            .into_iter()
            .map(|column| (column.name, column.ty))
            .collect()
    }

    #[test]
    fn words_keep_their_blanks() {
        assert_eq!(
            of("comm=a b pid=1, x=(2)"),
            [("comm", "a b"), ("pid", "1"), ("x", "(2)")].map(|(a, b)| (a.into(), b.into()))
        );
        assert_eq!(of("no words = here"), []);
        assert_eq!(of("a=b=c"), [("a".into(), "b=c".into())]);
        assert_eq!(
            of("(ffffffff94c04824) cpu=1"),
            [("__probe_ip", "ffffffff94c04824"), ("cpu", "1")].map(|(a, b)| (a.into(), b.into()))
        );
        assert_eq!(
            of("(f+0x10/0x20 <- g)"),
            [("__probe_func", "g"), ("__probe_ret_ip", "f+0x10/0x20")]
                .map(|(a, b)| (a.into(), b.into()))
        );
        assert_eq!(
            of("(ffffffff94c020a0 <- ffffffff94c040a7) moved=0")[0].1,
            "ffffffff94c020a0"
        );
    }

    #[test]
    fn columns_take_what_all_rows_have() {
        assert_eq!(
            types(&[
                "cpu=1 flags=0x1 name=a n=1",
                "cpu=-2 flags=0x2 name=3 n=0x10"
            ]),
            [
                ("arg_cpu".into(), ColumnType::Int(8)),
                ("flags".into(), ColumnType::UInt(8)),
                ("name".into(), ColumnType::Text),
                ("n".into(), ColumnType::UInt(8)),
                ("text".into(), ColumnType::Text)
            ]
        );
        assert_eq!(
            types(&["text=1"]),
            [
                ("text".into(), ColumnType::Int(8)),
                ("text_1".into(), ColumnType::Text)
            ]
        );
    }
}
