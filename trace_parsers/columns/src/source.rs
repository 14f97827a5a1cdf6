use std::ops::Range;

/// The bytes of one input, without saying where they come from.
///
/// A file is mapped by whoever owns it, so `bytes` costs nothing. Readers walk several regions of a file at once and
/// tell with `release` which bytes they are done with, so that memory does not grow with the file.
pub trait ByteSource {
    /// The whole input.
    fn bytes(&self) -> &[u8];

    /// These bytes will not be read again soon. The default does nothing.
    fn release(&self, _range: Range<usize>) {}
}

impl ByteSource for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// Bytes that are in memory anyway.
#[derive(Debug, Clone, Copy)]
pub struct SliceSource<'a>(pub &'a [u8]);

impl ByteSource for SliceSource<'_> {
    fn bytes(&self) -> &[u8] {
        self.0
    }
}
