//! Text inside of a file that is not an archive: in another encoding, in a page or a JSON document, or in the kernel's log.

use std::io::Read;

use flate2::bufread::ZlibDecoder;
use memchr::memmem;

use crate::ArchiveKind;

/// Number of inspected bytes for detecting the wrapper of a text.
const HEAD: usize = 4096;
/// Number of inspected lines of a log.
const LOG_LINES: usize = 20;
/// The kernel's words before the ftrace buffer that `ftrace_dump_on_oops` prints.
const DUMP: &[u8] = b"Dumping ftrace buffer:";

/// The text of a file as a stream.
type Text<'a> = Box<dyn Read + 'a>;

/// Returns the kind of a file with text inside; `None` for pages, JSON documents and logs without a trace.
pub(crate) fn sniff(bytes: &[u8]) -> Option<ArchiveKind> {
    let head = &bytes[..bytes.len().min(HEAD)];
    if head.starts_with(b"\xef\xbb\xbf") {
        return Some(ArchiveKind::Utf8Bom);
    }
    if utf16(head).is_some() {
        return Some(ArchiveKind::Utf16);
    }
    if after_atrace(head).is_some() {
        return Some(ArchiveKind::Atrace);
    }
    let text = head.trim_ascii_start();
    if text.starts_with(b"{") && json_string(bytes).is_some() {
        return Some(ArchiveKind::ChromeJson);
    }
    let page =
        |start: &[u8]| text.len() >= start.len() && text[..start.len()].eq_ignore_ascii_case(start);
    if (page(b"<!doctype html") || page(b"<html")) && in_page(bytes).is_some() {
        return Some(ArchiveKind::SystraceHtml);
    }
    let mut lines = head.split(|&byte| byte == b'\n').take(LOG_LINES);
    let log = lines.any(|line| log_text(line).is_some() || line.starts_with(DUMP));
    (log && memmem::find(bytes, DUMP).is_some()).then_some(ArchiveKind::KernelLog)
}

/// The text inside of such a file, and what it is in for messages.
pub(crate) fn open(kind: ArchiveKind, bytes: &[u8]) -> (Text<'_>, &'static str) {
    let nothing = &b""[..];
    match kind {
        ArchiveKind::Utf16 => {
            let (big, at) = utf16(bytes).unwrap_or_default();
            let units = bytes[at..].chunks_exact(2).map(move |unit| {
                let unit = [unit[0], unit[1]];
                if big {
                    u16::from_be_bytes(unit)
                } else {
                    u16::from_le_bytes(unit)
                }
            });
            let letters = char::decode_utf16(units);
            let letters = letters.map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER));
            (Box::new(Bytes(letters.flat_map(utf8))), "UTF-16 text")
        }
        ArchiveKind::Atrace => {
            let text = after_atrace(bytes).unwrap_or(nothing);
            // RFC 1950: deflate with a window of 32 KiB.
            if text.first() == Some(&0x78) {
                (Box::new(ZlibDecoder::new(text)), "zlib data")
            } else {
                (Box::new(text), "atrace text")
            }
        }
        ArchiveKind::SystraceHtml => {
            let text: Text<'_> = match in_page(bytes) {
                Some(Inside::Plain(text)) => Box::new(text.chain(&b"\n"[..])),
                Some(Inside::Quoted(text)) => {
                    Box::new(Bytes(Unquoted::new(text)).chain(&b"\n"[..]))
                }
                None => Box::new(nothing),
            };
            (text, "a systrace page")
        }
        ArchiveKind::ChromeJson => {
            let text = Unquoted::new(json_string(bytes).unwrap_or(nothing));
            (Box::new(Bytes(text).chain(&b"\n"[..])), "Chrome JSON")
        }
        ArchiveKind::KernelLog => (
            Box::new(Bytes(dumped(bytes).flatten().copied())),
            "a kernel log",
        ),
        _ => (
            Box::new(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)),
            "text",
        ),
    }
}

/// Bytes that are made one by one.
struct Bytes<I>(I);

impl<I: Iterator<Item = u8>> Read for Bytes<I> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let mut read = 0;
        for (slot, byte) in out.iter_mut().zip(&mut self.0) {
            *slot = byte;
            read += 1;
        }
        Ok(read)
    }
}

fn utf8(letter: char) -> impl Iterator<Item = u8> {
    let mut bytes = [0; 4];
    let length = letter.encode_utf8(&mut bytes).len();
    bytes.into_iter().take(length)
}

/// Byte order of UTF-16 (true: big-endian), and the start of its text: after the byte order mark, or at the start when every
/// other byte is 0.
fn utf16(head: &[u8]) -> Option<(bool, usize)> {
    const LOOK: usize = 32;
    match head {
        [0xff, 0xfe, ..] => return Some((false, 2)),
        [0xfe, 0xff, ..] => return Some((true, 2)),
        _ => {}
    }
    let units = head.get(..LOOK)?.chunks_exact(2);
    let is_text = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    [false, true].into_iter().find_map(|big| {
        let (high, low) = if big { (0, 1) } else { (1, 0) };
        let fits = units
            .clone()
            .all(|unit| unit[high] == 0 && is_text(unit[low]));
        fits.then_some((big, 0))
    })
}

/// Text after the line `TRACE:` of atrace, which `capturing trace... done` may precede.
fn after_atrace(bytes: &[u8]) -> Option<&[u8]> {
    const MARK: &[u8] = b"TRACE:";
    let head = &bytes[..bytes.len().min(HEAD)];
    let at = if head.starts_with(MARK) {
        0
    } else {
        let said = head.starts_with(b"capturing trace");
        memmem::find(head, b"\nTRACE:").filter(|_| said)? + 1
    };
    let rest = &bytes[at + MARK.len()..];
    let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
    rest.strip_prefix(b"\n")
}

/// The inside of the string `systemTraceEvents`, to the document's end.
fn json_string(bytes: &[u8]) -> Option<&[u8]> {
    const KEY: &[u8] = b"\"systemTraceEvents\"";
    let at = memmem::find(bytes, KEY)? + KEY.len();
    let value = bytes[at..].trim_ascii_start().strip_prefix(b":")?;
    value.trim_ascii_start().strip_prefix(b"\"")
}

/// Position of text in a page.
enum Inside<'a> {
    Plain(&'a [u8]),
    /// As a string of JavaScript, to the page's end.
    Quoted(&'a [u8]),
}

/// The ftrace text of a page of systrace: a script of class `trace-data`; in pages before 2014 the string `linuxPerfData`.
fn in_page(bytes: &[u8]) -> Option<Inside<'_>> {
    const STRING: &[u8] = b"linuxPerfData = \"";
    let scripts = memmem::find_iter(bytes, b"<script");
    let mut data = scripts.filter_map(|at| {
        let tag = &bytes[at..bytes.len().min(at + HEAD)];
        let tag = &tag[..memchr::memchr(b'>', tag)?];
        memmem::find(tag, b"trace-data")?;
        let inside = &bytes[at + tag.len() + 1..];
        let end = memmem::find(inside, b"</script>").unwrap_or(inside.len());
        let inside = inside[..end].trim_ascii();
        let begin = &inside[..inside.len().min(HEAD)];
        let traced = after_atrace(inside).is_some() || memmem::find(begin, b"# tracer:").is_some();
        traced.then_some(inside)
    });
    if let Some(inside) = data.next() {
        // What a tool says in front is no part of the trace.
        let begin = memmem::find(inside, b"# tracer:").filter(|_| after_atrace(inside).is_none());
        return Some(Inside::Plain(&inside[begin.unwrap_or(0)..]));
    }
    let at = memmem::find(bytes, STRING)? + STRING.len();
    Some(Inside::Quoted(&bytes[at..]))
}

/// A string of JSON or JavaScript, from after its first quote to the last.
struct Unquoted<'a> {
    rest: &'a [u8],
    /// A letter on its way: bytes, how many, and how many are out.
    letter: ([u8; 4], usize, usize),
}

impl<'a> Unquoted<'a> {
    fn new(rest: &'a [u8]) -> Self {
        Self {
            rest,
            letter: ([0; 4], 0, 0),
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// The number of `\u0041`, of which two may make a letter.
    fn unit(&mut self) -> Option<u16> {
        let digits = std::str::from_utf8(self.rest.get(..4)?).ok()?;
        let unit = u16::from_str_radix(digits, 16).ok()?;
        self.rest = &self.rest[4..];
        Some(unit)
    }

    fn letter(&mut self) -> Option<u8> {
        let first = self.unit()?;
        let mut units = vec![first];
        if (0xd800..0xdc00).contains(&first) && self.rest.starts_with(b"\\u") {
            self.rest = &self.rest[2..];
            units.extend(self.unit());
        }
        let letter = char::decode_utf16(units).next()?;
        let letter = letter.unwrap_or(char::REPLACEMENT_CHARACTER);
        let mut bytes = [0; 4];
        let length = letter.encode_utf8(&mut bytes).len();
        self.letter = (bytes, length, 1);
        Some(bytes[0])
    }
}

impl Iterator for Unquoted<'_> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        let (bytes, length, out) = &mut self.letter;
        if out < length {
            *out += 1;
            return Some(bytes[*out - 1]);
        }
        loop {
            match self.byte()? {
                b'"' => self.rest = b"",
                b'\\' => match self.byte()? {
                    b'n' => return Some(b'\n'),
                    b't' => return Some(b'\t'),
                    b'r' => return Some(b'\r'),
                    b'b' => return Some(8),
                    b'f' => return Some(12),
                    b'u' => return self.letter(),
                    // In JavaScript the string continues in the next line.
                    b'\n' => {}
                    b'\r' => self.rest = self.rest.strip_prefix(b"\n").unwrap_or(self.rest),
                    other => return Some(other),
                },
                other => return Some(other),
            }
        }
    }
}

/// Kernel text in a line of its log: without `<4>`, `[   12.345678]`, `[  T123]`, and syslog's prefix.
fn log_text(line: &[u8]) -> Option<&[u8]> {
    const LONGEST: usize = 200;
    let mut text = line;
    let begin = &line[..line.len().min(LONGEST)];
    if let Some(at) = memmem::find(begin, b" kernel: ").filter(|_| !line.starts_with(b"[")) {
        text = &line[at + b" kernel: ".len()..];
    } else if let [b'<', digit, b'>', rest @ ..] = line
        && digit.is_ascii_digit()
    {
        text = rest;
    }
    while let Some(inside) = text.strip_prefix(b"[") {
        let Some(close) = memchr::memchr(b']', &inside[..inside.len().min(LONGEST)]) else {
            break;
        };
        let word = inside[..close].trim_ascii();
        let word = word
            .strip_prefix(b"T")
            .or(word.strip_prefix(b"C"))
            .unwrap_or(word);
        if word.is_empty()
            || !word
                .iter()
                .all(|&byte| byte.is_ascii_digit() || byte == b'.')
        {
            break;
        }
        let rest = &inside[close + 1..];
        text = rest.strip_prefix(b" ").unwrap_or(rest);
    }
    (text.len() < line.len()).then_some(text)
}

/// The lines of the ftrace buffer that the kernel printed into its log, each with its end.
fn dumped(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    // Dashes are before the first line and after the last.
    let (mut announced, mut inside) = (false, false);
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    lines.filter_map(move |line| {
        let text = log_text(line).unwrap_or(line);
        let dashes = text.trim_ascii();
        if dashes.len() >= 8 && dashes.iter().all(|&byte| byte == b'-') {
            inside = announced && !inside;
            announced &= inside;
            return None;
        }
        announced |= text.starts_with(DUMP);
        inside.then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        let kind = sniff(bytes).unwrap();
        let mut text = String::new();
        open(kind, bytes).0.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn encodings_are_undone() {
        let plain = "# tracer: nop\n# \u{e4}\u{1f600}\n";
        assert_eq!(text(format!("\u{feff}{plain}").as_bytes()), plain);
        let units = || plain.encode_utf16();
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        assert_eq!(text(&[&b"\xff\xfe"[..], &little].concat()), plain);
        assert_eq!(text(&[&b"\xfe\xff"[..], &big].concat()), plain);
        // Without a mark, as `iconv -t UTF-16LE` writes it.
        let ascii: Vec<u8> = "# CPU,Core,Socket,Node\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(text(&ascii), "# CPU,Core,Socket,Node\n");
        assert_eq!(sniff(plain.as_bytes()), None);
        assert_eq!(sniff(&[0; 64]), None);
    }

    #[test]
    fn atrace_is_text_or_zlib() {
        let plain = "# tracer: nop\n#\n";
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut zlib, plain.as_bytes()).unwrap();
        let zlib = zlib.finish().unwrap();
        assert_eq!(text(format!("TRACE:\n{plain}").as_bytes()), plain);
        assert_eq!(text(format!("TRACE:\r\n{plain}").as_bytes()), plain);
        assert_eq!(
            text(format!("capturing trace... done\nTRACE:\n{plain}").as_bytes()),
            plain
        );
        assert_eq!(text(&[&b"TRACE:\n"[..], &zlib].concat()), plain);
        assert_eq!(sniff(b"# TRACE:\n"), None);
        assert_eq!(sniff(b"something\nTRACE:\n"), None);
    }

    #[test]
    fn pages_have_their_trace_in_a_script_or_in_a_string() {
        let new = "<!DOCTYPE html>\n<html><script>var a = '<script';</script>\n<script class=\"trace-data\" type=\"application/text\">\n\
                   PROCESS DUMP\n</script><script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\nline <1>\n</script></html>";
        assert_eq!(text(new.as_bytes()), "# tracer: nop\nline <1>\n");
        let old = "<HTML><script>\n  var linuxPerfData = \"\\\n# tracer: nop\\n\\\na \\\"b\\\" \\\\c\\n\\\n\";\n</script>";
        assert_eq!(text(old.as_bytes()), "# tracer: nop\na \"b\" \\c\n\n");
        let zipped = "<html><script class=\"trace-data\">\nTRACE:\n# tracer: nop\n</script>";
        assert_eq!(text(zipped.as_bytes()), "TRACE:\n# tracer: nop\n");
        assert_eq!(
            sniff(b"<html><script class=\"trace-data\">nothing</script>"),
            None
        );
        assert_eq!(sniff(b"<html>A report</html>"), None);
    }

    #[test]
    fn json_has_its_trace_in_a_string() {
        let json = r#" {"traceEvents":[{"a":"\"systemTraceEvents\" :"}], "systemTraceEvents" : "a\n\t\u00e4\ud83d\ude00\/\\\"b","x":"y"}"#;
        assert_eq!(text(json.as_bytes()), "a\n\t\u{e4}\u{1f600}/\\\"b\n");
        assert_eq!(text(br#"{"systemTraceEvents":"a\"#), "a\n");
        assert_eq!(sniff(br#"{"traceEvents":[]}"#), None);
        assert_eq!(sniff(br#"{"systemTraceEvents":{"cycles":1}}"#), None);
    }

    #[test]
    fn logs_have_their_trace_between_dashes() {
        let dump = |prefix: &dyn Fn(u32) -> String| {
            let lines = [
                "x: y",
                "Dumping ftrace buffer:",
                "---------------------------------",
                "  a-1  0d..2 12us : e: x",
                "CPU:1 [LOST 2 EVENTS]",
                "---------------------------------",
                "---[ end trace ]---",
            ];
            let lines = (0..)
                .zip(lines)
                .map(|(at, line)| format!("{}{line}\n", prefix(at)));
            lines.collect::<String>()
        };
        let inside = "  a-1  0d..2 12us : e: x\nCPU:1 [LOST 2 EVENTS]\n";
        assert_eq!(
            text(dump(&|at| format!("[   12.34567{at}] ")).as_bytes()),
            inside
        );
        assert_eq!(
            text(dump(&|at| format!("<4>[   12.34567{at}][  T12{at}] ")).as_bytes()),
            inside
        );
        assert_eq!(
            text(dump(&|at| format!("Nov 27 10:00:0{at} host kernel: [ 1.{at}] ")).as_bytes()),
            inside
        );
        assert_eq!(text(&dump(&|_| String::new()).as_bytes()[5..]), inside);
        assert_eq!(
            sniff(b"[    0.000000] Linux version 6.1\n[    1.000000] x: y\n"),
            None
        );
    }
}
