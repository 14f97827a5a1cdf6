//! Files that users keep with their recordings: commands, logs, settings, a README.

/// Larger text is more likely a recording in an unknown format than a note.
const MOST: usize = 4 << 20;

/// Returns whether a file of unknown kind can be set aside: a short text. Other files may be recordings that are damaged or
/// of an unknown format, and must not be ignored silently. Neither must an empty file, which may be a recording that was
/// never written.
#[must_use]
pub fn is_note(bytes: &[u8]) -> bool {
    let control = |byte: &u8| {
        (*byte < b' ' || *byte == 0x7f) && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)
    };
    !bytes.is_empty()
        && bytes.len() <= MOST
        && std::str::from_utf8(bytes).is_ok()
        && !bytes.iter().any(control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_notes_and_nothing_else_is() {
        for text in [
            "# how it was taken\r\n\tperf record\n",
            "caf\u{e9}\n",
            "\x1b[1mbold\x1b[0m",
        ] {
            assert!(is_note(text.as_bytes()), "{text:?}");
        }
        for bytes in [
            &b""[..],
            &b"\x17\x08\x44tracing"[..],
            b"PERFILE2\0",
            b"a\0b",
            b"\xff\xfe",
            b"\x7fELF",
        ] {
            assert!(!is_note(bytes), "{bytes:?}");
        }
        assert!(is_note(&vec![b'a'; MOST]) && !is_note(&vec![b'a'; MOST + 1]));
    }
}
