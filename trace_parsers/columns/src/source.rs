use std::ops::Range;

/// The bytes of one input, without saying where they come from.
///
/// A file is mapped by its owner, so `bytes` costs nothing. Readers walk several regions of a file at once and release the
/// finished bytes with `release`, so that memory does not grow with the file.
pub trait ByteSource {
    /// The whole input.
    fn bytes(&self) -> &[u8];

    /// Notes that these bytes will not be read again soon. The default does nothing.
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
