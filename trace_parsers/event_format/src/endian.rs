/// Byte order of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// `N` bytes at `at`, or zeros where the record is too short: kernels may write less than the format's fixed part
/// (`kernel_stack`), and a reader must not fail on that.
#[inline]
fn take<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk::<N>())
        .copied()
        .unwrap_or([0; N])
}

macro_rules! readers {
    ($($name:ident: $ty:ty),*) => {$(
        /// The number at `at`; zero beyond the end.
        #[inline]
        #[must_use]
        pub fn $name(self, bytes: &[u8], at: usize) -> $ty {
            match self {
                Self::Little => <$ty>::from_le_bytes(take(bytes, at)),
                Self::Big => <$ty>::from_be_bytes(take(bytes, at)),
            }
        }
    )*};
}

impl Endian {
    readers!(u8: u8, u16: u16, u32: u32, u64: u64, i8: i8, i16: i16, i32: i32, i64: i64);

    /// The name used in reports: `little` or `big`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Little => "little",
            Self::Big => "big",
        }
    }
}
