//! Reading numbers and strings one after the other.

use numalens_event_format::Endian;

/// Size of a record's header: type, flags and size.
pub(crate) const HEADER: usize = 8;

/// A position in some bytes. Every step returns `None` at the end of the bytes; the caller, which knows the place in the
/// file, makes the message.
#[derive(Debug, Clone)]
pub(crate) struct Bytes<'a> {
    all: &'a [u8],
    pub(crate) at: usize,
    pub(crate) endian: Endian,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(all: &'a [u8], endian: Endian) -> Self {
        Self { all, at: 0, endian }
    }

    /// The next `n` bytes.
    pub(crate) fn take(&mut self, n: u64) -> Option<&'a [u8]> {
        let end = self.at.checked_add(usize::try_from(n).ok()?)?;
        let slice = self.all.get(self.at..end)?;
        self.at = end;
        Some(slice)
    }

    /// Everything that is left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.all.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.take(4).map(|bytes| self.endian.u32(bytes, 0))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.take(8).map(|bytes| self.endian.u64(bytes, 0))
    }

    /// Text up to its NUL, which is taken too.
    pub(crate) fn name(&mut self) -> Option<String> {
        let rest = self.rest();
        let len = rest.iter().position(|&byte| byte == 0)?;
        self.at += len + 1;
        Some(text(&rest[..len]))
    }

    /// A string as perf's header features hold it: its size, then as many bytes, padded with NULs.
    pub(crate) fn string(&mut self) -> Option<String> {
        let size = self.u32()?;
        self.take(u64::from(size)).map(text)
    }

    /// A count, then as many strings.
    pub(crate) fn strings(&mut self) -> Option<Vec<String>> {
        let count = self.u32()?;
        (0..count).map(|_| self.string()).collect()
    }
}

/// Bytes up to the first NUL as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    let len = bytes.iter().position(|&byte| byte == 0);
    String::from_utf8_lossy(&bytes[..len.unwrap_or(bytes.len())]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_with_the_bytes() {
        let mut bytes = Bytes::new(b"\0\0\0\x04ab\0\0name\0\x01", Endian::Big);
        assert_eq!(bytes.string().as_deref(), Some("ab"));
        assert_eq!(bytes.name().as_deref(), Some("name"));
        assert_eq!((bytes.u32(), bytes.take(1)), (None, Some(&b"\x01"[..])));
        assert_eq!((bytes.take(u64::MAX), bytes.name()), (None, None));
    }

    #[test]
    fn a_forged_count_asks_for_no_memory() {
        let mut bytes = Bytes::new(&[0xff; 64], Endian::Little);
        assert_eq!(bytes.strings(), None);
    }
}
