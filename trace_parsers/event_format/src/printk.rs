//! Output of `trace_printk`: the formats in the kernel, and the arguments of each call.
//!
//! A call records the address of its format and its arguments as `vbin_printf` packs them; the text is created when it is
//! read (`bstr_printf`, `lib/vsprintf.c` of Linux 6.12). Numbers are aligned to their size, those of 8 bytes to 4; texts are
//! unaligned and end with NUL.

use std::collections::HashMap;

use crate::Endian;

/// Longest text, bytes: the kernel's own limit for a call (`TRACE_BUF_SIZE`).
const MAX_TEXT: usize = 1024;
/// Longest line of formats that is believed, bytes.
const MAX_FORMAT: usize = 4096;

/// The formats of `printk_formats` by their addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printk(HashMap<u64, Vec<u8>>);

impl Printk {
    /// Reads lines like `0xffffffff9998d328 : "Running rebalance for %d\n"`; other lines are left out.
    #[must_use]
    pub fn parse(text: &[u8]) -> Self {
        let lines = text.split(|&byte| byte == b'\n');
        Self(lines.filter_map(line).collect())
    }

    /// The format at an address of the kernel.
    #[must_use]
    pub fn format(&self, address: u64) -> Option<&[u8]> {
        self.0.get(&address).map(Vec::as_slice)
    }
}

fn line(line: &[u8]) -> Option<(u64, Vec<u8>)> {
    let text = std::str::from_utf8(line).ok()?;
    let (address, quoted) = text.split_once(" : ")?;
    let address = u64::from_str_radix(address.trim().strip_prefix("0x")?, 16).ok()?;
    let inside = quoted.trim().strip_prefix('"')?.strip_suffix('"')?;
    if inside.len() > MAX_FORMAT {
        return None;
    }
    let mut format = Vec::with_capacity(inside.len());
    let mut bytes = inside.bytes();
    while let Some(byte) = bytes.next() {
        format.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b't' => b'\t',
                other => other,
            },
            byte => byte,
        });
    }
    Some((address, format))
}

/// Returns the text of a call. `function` names an address; its flag also asks for the position inside the function. Missing
/// arguments end the text.
#[must_use]
pub fn text(
    format: &[u8],
    arguments: &[u8],
    endian: Endian,
    long_size: u8,
    function: &mut dyn FnMut(u64, bool) -> Option<String>,
) -> String {
    let mut printing = Printing {
        arguments: Arguments {
            bytes: arguments,
            at: 0,
            endian,
        },
        long_size,
        function,
        out: Vec::new(),
    };
    printing.all(format);
    let mut out = printing.out;
    out.truncate(MAX_TEXT);
    if out.last() == Some(&b'\n') {
        out.pop();
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The arguments that are left.
struct Arguments<'a> {
    bytes: &'a [u8],
    at: usize,
    endian: Endian,
}

impl<'a> Arguments<'a> {
    /// A number of 1, 2, 4 or 8 bytes, without its sign.
    fn number(&mut self, width: u8) -> Option<u64> {
        let width = usize::from(width);
        let begin = self.at.next_multiple_of(width.clamp(1, 4));
        let found = self.bytes.get(begin..begin + width)?;
        self.at = begin + width;
        Some(match width {
            1 => u64::from(self.endian.u8(found, 0)),
            2 => u64::from(self.endian.u16(found, 0)),
            4 => u64::from(self.endian.u32(found, 0)),
            _ => self.endian.u64(found, 0),
        })
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let len = rest.iter().position(|&byte| byte == 0)?;
        self.at += len + 1;
        rest.get(..len)
    }
}

/// A conversion.
#[derive(Debug, Default)]
struct Spec {
    left: bool,
    /// In front of a number that is not negative.
    plus: &'static [u8],
    special: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// `hh`, `h`, `l`, `ll`, `L`, `z`, `t`.
    length: Length,
    kind: u8,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Length {
    Char,
    Short,
    #[default]
    Int,
    Long,
    LongLong,
}

impl Spec {
    fn read(rest: &mut &[u8], arguments: &mut Arguments<'_>) -> Option<Self> {
        let mut spec = Self::default();
        while let Some(&flag) = rest.first() {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = b"+",
                b' ' if spec.plus.is_empty() => spec.plus = b" ",
                b' ' => {}
                b'#' => spec.special = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            *rest = &rest[1..];
        }
        if let Some(width) = count(rest, arguments)? {
            spec.left |= width < 0;
            spec.width = (width.unsigned_abs() as usize).min(MAX_TEXT);
        }
        if let Some(behind) = rest.strip_prefix(b".") {
            *rest = behind;
            let precision = count(rest, arguments)?.unwrap_or(0);
            spec.precision = Some((precision.max(0) as usize).min(MAX_TEXT));
        }
        let lengths: [(&[u8], Length); 9] = [
            (b"hh", Length::Char),
            (b"h", Length::Short),
            (b"ll", Length::LongLong),
            (b"l", Length::Long),
            (b"L", Length::LongLong),
            (b"zz", Length::Long),
            (b"z", Length::Long),
            (b"Z", Length::Long),
            (b"t", Length::Long),
        ];
        if let Some((prefix, length)) = lengths
            .into_iter()
            .find(|(prefix, _)| rest.starts_with(prefix))
        {
            spec.length = length;
            *rest = &rest[prefix.len()..];
        }
        let (&kind, behind) = rest.split_first()?;
        *rest = behind;
        spec.kind = kind;
        Some(spec)
    }

    /// Bytes that an argument of this conversion takes.
    fn bytes(&self, long_size: u8) -> u8 {
        match self.length {
            Length::Char => 1,
            Length::Short => 2,
            Length::Int => 4,
            Length::Long => long_size,
            Length::LongLong => 8,
        }
    }

    /// Pads the content of a field to the conversion's width.
    fn pad(&self, text: &[u8], out: &mut Vec<u8>) {
        let fill = self.width.saturating_sub(text.len());
        if !self.left {
            out.resize(out.len() + fill, b' ');
        }
        out.extend_from_slice(text);
        if self.left {
            out.resize(out.len() + fill, b' ');
        }
    }

    /// As the kernel's `number()`.
    fn number(&self, sign: &[u8], digits: &[u8], out: &mut Vec<u8>) {
        let least = self.precision.unwrap_or(1).max(digits.len());
        let fill = self.width.saturating_sub(sign.len() + least);
        let zeros = self.zero && !self.left;
        if !self.left && !zeros {
            out.resize(out.len() + fill, b' ');
        }
        out.extend_from_slice(sign);
        let zeros = least - digits.len() + if zeros { fill } else { 0 };
        out.resize(out.len() + zeros, b'0');
        out.extend_from_slice(digits);
        if self.left {
            out.resize(out.len() + fill, b' ');
        }
    }
}

/// A width or precision: digits, or a star that takes an argument. `None` inside for neither, outside where the argument is missing.
#[allow(clippy::option_option)]
fn count(rest: &mut &[u8], arguments: &mut Arguments<'_>) -> Option<Option<i32>> {
    if let Some(behind) = rest.strip_prefix(b"*") {
        *rest = behind;
        return arguments.number(4).map(|number| Some(number as i32));
    }
    let mut found = None;
    while let Some(&digit) = rest.first().filter(|byte| byte.is_ascii_digit()) {
        let digit = i32::from(digit - b'0');
        found = Some(
            found
                .unwrap_or(0_i32)
                .saturating_mul(10)
                .saturating_add(digit),
        );
        *rest = &rest[1..];
    }
    Some(found)
}

/// A call on its way to text.
struct Printing<'a, 'f> {
    arguments: Arguments<'a>,
    long_size: u8,
    function: &'f mut dyn FnMut(u64, bool) -> Option<String>,
    out: Vec<u8>,
}

impl Printing<'_, '_> {
    fn all(&mut self, format: &[u8]) {
        let mut rest = format;
        while let Some((&byte, behind)) = rest.split_first() {
            if self.out.len() >= MAX_TEXT {
                break;
            }
            rest = behind;
            if byte != b'%' {
                self.out.push(byte);
                continue;
            }
            let Some(spec) = Spec::read(&mut rest, &mut self.arguments) else {
                // The kernel does not know it either, and prints nothing more.
                break;
            };
            if self.put(&spec, &mut rest).is_none() {
                self.out.push(b'%');
                self.out.extend_from_slice(behind);
                break;
            }
        }
    }

    /// Puts what a conversion shows; `None` where its argument is missing.
    fn put(&mut self, spec: &Spec, rest: &mut &[u8]) -> Option<()> {
        match spec.kind {
            b'%' => self.out.push(b'%'),
            b'c' => {
                let byte = self.arguments.number(1)? as u8;
                spec.pad(&[byte], &mut self.out);
            }
            b's' => {
                let text = self.arguments.text()?;
                let most = spec.precision.unwrap_or(text.len()).min(text.len());
                spec.pad(&text[..most], &mut self.out);
            }
            b'p' => self.pointer(spec, rest)?,
            b'd' | b'i' => {
                let width = spec.bytes(self.long_size);
                let unused = 64 - 8 * u32::from(width);
                let value = (self.arguments.number(width)? << unused) as i64 >> unused;
                let sign = if value < 0 { b"-" } else { spec.plus };
                let digits = value.unsigned_abs().to_string();
                spec.number(sign, digits.as_bytes(), &mut self.out);
            }
            b'u' | b'x' | b'X' | b'o' => {
                let value = self.arguments.number(spec.bytes(self.long_size))?;
                let (prefix, digits): (&[u8], String) = match spec.kind {
                    b'x' => (b"0x", format!("{value:x}")),
                    b'X' => (b"0X", format!("{value:X}")),
                    b'o' => (if value == 0 { b"" } else { b"0" }, format!("{value:o}")),
                    _ => (b"", value.to_string()),
                };
                let prefix = if spec.special { prefix } else { b"" };
                spec.number(prefix, digits.as_bytes(), &mut self.out);
            }
            // `%n` and unknown conversions.
            _ => return None,
        }
        Some(())
    }

    /// A pointer: functions by their names, addresses as they are; of what else a pointer shows the kernel has recorded the text.
    fn pointer(&mut self, spec: &Spec, rest: &mut &[u8]) -> Option<()> {
        let suffix = rest.iter().position(|byte| !byte.is_ascii_alphanumeric());
        let (suffix, behind) = rest.split_at(suffix.unwrap_or(rest.len()));
        *rest = behind;
        let named = matches!(suffix.first(), Some(b's' | b'S' | b'f' | b'F')) && suffix != b"fw";
        if !named && !matches!(suffix.first(), None | Some(b'x' | b'K' | b'e')) {
            spec.pad(self.arguments.text()?, &mut self.out);
            return Some(());
        }
        let address = self.arguments.number(self.long_size)?;
        let inside = matches!(suffix.first(), Some(b'S' | b'F'));
        let name = named.then(|| (self.function)(address, inside)).flatten();
        let digits = 2 * usize::from(self.long_size);
        let shown = name.unwrap_or_else(|| format!("{address:0>digits$x}"));
        spec.pad(shown.as_bytes(), &mut self.out);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Printk, text};
    use crate::Endian;

    fn shown(format: &str, arguments: &[u8]) -> String {
        let mut function = |address: u64, inside: bool| {
            (address == 0x10).then(|| if inside { "f+0x0/0x8" } else { "f" }.to_owned())
        };
        text(
            format.as_bytes(),
            arguments,
            Endian::Little,
            8,
            &mut function,
        )
    }

    #[test]
    fn formats_are_found_by_their_addresses() {
        let formats = Printk::parse(
            b"0xff10 : \"a\\tb \\\"c\\\" 100%% \\\\n\\n\"\n0xff20 : \"\"\nwhat\n0xzz : \"x\"\n0xff30 : \"open\n0xff40 : \"trailing\\\"",
        );
        assert_eq!(formats.format(0xff10), Some(&b"a\tb \"c\" 100%% \\n\n"[..]));
        assert_eq!(formats.format(0xff20), Some(&b""[..]));
        for absent in [0, 0xff30, 0xff40] {
            assert_eq!(formats.format(absent), None);
        }
    }

    #[test]
    fn numbers_stand_at_multiples_of_their_size() {
        // A char, a short at 2, an int at 4, a long at 8, a char at 16, a long at 20.
        let mut arguments = vec![b'q', 0xee];
        arguments.extend((-7_i16).to_le_bytes());
        arguments.extend(5_u32.to_le_bytes());
        arguments.extend((-9_i64).to_le_bytes());
        arguments.extend([200, 0, 0, 0]);
        arguments.extend(u64::MAX.to_le_bytes());
        assert_eq!(
            shown("%c %hd %u %ld %hhu %lx\n", &arguments),
            "q -7 5 -9 200 ffffffffffffffff"
        );
    }

    #[test]
    fn widths_flags_and_texts_are_the_kernels() {
        let number = |value: i32| value.to_le_bytes();
        assert_eq!(
            shown(
                "%08x|%-4d|%+d|% d|%#o|%5.3d",
                &[
                    number(0xbeef),
                    number(3),
                    number(4),
                    number(5),
                    number(8),
                    number(7)
                ]
                .concat()
            ),
            "0000beef|3   |+4| 5|010|  007"
        );
        assert_eq!(
            shown(
                "%*d|%-6s|%.2s|%4c|%%",
                &[&number(-5)[..], &number(42), b"ab\0xyz\0", b"c"].concat()
            ),
            "42   |ab    |xy|   c|%"
        );
        let address = |value: u64| value.to_le_bytes();
        assert_eq!(
            shown(
                "%ps %pS %pS %px %p",
                &[
                    address(0x10),
                    address(0x10),
                    address(0x11),
                    address(0x1234),
                    address(1)
                ]
                .concat()
            ),
            "f f+0x0/0x8 0000000000000011 0000000000001234 0000000000000001"
        );
        // The kernel has recorded the text of what it had to look into.
        assert_eq!(shown("%pI4 %pd.", b"10.0.0.1\0name\0"), "10.0.0.1 name.");
    }

    #[test]
    fn what_is_missing_stands_as_the_format_has_it() {
        assert_eq!(shown("a=%d b=%d", &7_u32.to_le_bytes()), "a=7 b=%d");
        assert_eq!(shown("s=%s", b"no end"), "s=%s");
        assert_eq!(shown("%n %d", &[0; 16]), "%n %d");
        assert_eq!(shown("50%", &[]), "50");
        assert_eq!(shown("%999999999d", &[0; 4]).len(), 1024);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_text(format: Vec<u8>, arguments: Vec<u8>, big: bool, long in prop::sample::select(vec![4_u8, 8])) {
            let endian = if big { Endian::Big } else { Endian::Little };
            let shown = text(&format, &arguments, endian, long, &mut |_, _| None);
            // A byte that is no UTF-8 becomes a sign of three.
            prop_assert!(shown.len() <= 3 * super::MAX_TEXT);
        }

        #[test]
        fn conversions_do_not_panic(specs in prop::collection::vec("%[-+ #0]{0,3}[0-9*]{0,4}(\\.[0-9*]{0,3})?(hh|h|ll|l|z|t|L)?[cspdiuxXon]", 0..6), arguments: Vec<u8>) {
            let _ = text(specs.concat().as_bytes(), &arguments, Endian::Little, 8, &mut |_, _| None);
        }
    }
}
