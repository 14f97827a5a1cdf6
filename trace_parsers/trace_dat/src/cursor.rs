//! Reading the container's numbers and strings with the place in every error.

use numalens_columns::InputError;
use numalens_event_format::Endian;

/// A position in bytes at `base` of the file.
///
/// For a compressed section `base` is where its compressed bytes begin and every error names that place, since
/// positions inside have no place in the file.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    base: u64,
    inflated: bool,
    endian: Endian,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor over bytes at offset `base` of the file.
    pub(crate) fn new(bytes: &'a [u8], base: u64, endian: Endian) -> Self {
        Self {
            bytes,
            at: 0,
            base,
            inflated: false,
            endian,
        }
    }

    /// Over bytes that were compressed at offset `base`.
    pub(crate) fn inflated(bytes: &'a [u8], base: u64, endian: Endian) -> Self {
        Self {
            bytes,
            at: 0,
            base,
            inflated: true,
            endian,
        }
    }

    pub(crate) fn with_endian(mut self, endian: Endian) -> Self {
        self.endian = endian;
        self
    }

    /// Offset in the file.
    pub(crate) fn place(&self) -> u64 {
        if self.inflated {
            self.base
        } else {
            self.base + self.at as u64
        }
    }

    /// Bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error at this place.
    pub(crate) fn error(
        &self,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> InputError {
        InputError::at_byte(self.place(), expected, found)
    }

    /// The next `n` bytes, which are `what`.
    pub(crate) fn take(&mut self, n: u64, what: &str) -> Result<&'a [u8], InputError> {
        let left = self.left();
        let slice = usize::try_from(n)
            .ok()
            .filter(|&n| n <= left)
            .and_then(|n| self.bytes.get(self.at..self.at + n));
        let Some(slice) = slice else {
            let whole = if self.inflated {
                "the section"
            } else {
                "the file"
            };
            return Err(self.error(
                format!("{n} bytes of {what}"),
                format!("the end of {whole} after {left} bytes"),
            ));
        };
        self.at += slice.len();
        Ok(slice)
    }

    /// The next `n` bytes as a cursor of their own.
    pub(crate) fn part(&mut self, n: u64, what: &str) -> Result<Self, InputError> {
        let base = self.place();
        let bytes = self.take(n, what)?;
        Ok(Self {
            bytes,
            at: 0,
            base,
            inflated: self.inflated,
            endian: self.endian,
        })
    }

    pub(crate) fn u8(&mut self, what: &str) -> Result<u8, InputError> {
        self.take(1, what).map(|bytes| self.endian.u8(bytes, 0))
    }

    pub(crate) fn u16(&mut self, what: &str) -> Result<u16, InputError> {
        self.take(2, what).map(|bytes| self.endian.u16(bytes, 0))
    }

    pub(crate) fn u32(&mut self, what: &str) -> Result<u32, InputError> {
        self.take(4, what).map(|bytes| self.endian.u32(bytes, 0))
    }

    pub(crate) fn u64(&mut self, what: &str) -> Result<u64, InputError> {
        self.take(8, what).map(|bytes| self.endian.u64(bytes, 0))
    }

    /// A NUL-terminated string of at most `most` bytes.
    pub(crate) fn string(&mut self, most: usize, what: &str) -> Result<String, InputError> {
        let rest = &self.bytes[self.at..];
        let Some(len) = rest.iter().take(most + 1).position(|&b| b == 0) else {
            let found = if rest.len() <= most {
                "the end of the data"
            } else {
                "no end"
            };
            return Err(self.error(
                format!("{what} of at most {most} bytes that ends in a NUL"),
                found,
            ));
        };
        self.at += len + 1;
        Ok(String::from_utf8_lossy(&rest[..len]).into_owned())
    }

    /// Exactly these bytes.
    pub(crate) fn expect(&mut self, bytes: &[u8], what: &str) -> Result<(), InputError> {
        let here = self.clone();
        let found = self.take(bytes.len() as u64, what)?;
        if found == bytes {
            Ok(())
        } else {
            Err(here.error(what, format!("{:?}", String::from_utf8_lossy(found))))
        }
    }
}
