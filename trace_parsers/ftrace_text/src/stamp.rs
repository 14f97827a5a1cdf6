//! Time stamps: seconds with six or nine decimals, plain integers, or microseconds of the latency format.

use crate::bytes::decimal;

/// Form of a timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StampForm {
    /// `1867.141115`
    Micro,
    /// `1867.141115242`
    Nano,
    /// `1867141115242`: ns, or counts of a clock that has no unit (`x86-tsc`, `counter`).
    Integer,
    /// `292992us`: since the tracing buffer was reset.
    Relative,
    /// `14:23:41.123456789`: time of the day, without the day.
    OfDay,
}

impl StampForm {
    /// The smallest step, ns.
    pub(crate) fn resolution_ns(self) -> u64 {
        match self {
            Self::Micro | Self::Relative => 1000,
            Self::Nano | Self::Integer | Self::OfDay => 1,
        }
    }
}

/// A stamp from `at` on, without what follows it: ns, form, end.
#[inline]
pub(crate) fn stamp_at(text: &[u8], at: usize) -> Option<(u64, StampForm, usize)> {
    let (whole, end) = decimal(text, at)?;
    match text.get(end) {
        Some(b'.') => {
            let (part, after) = decimal(text, end + 1)?;
            let (scale, form) = match after - end - 1 {
                6 => (1000, StampForm::Micro),
                9 => (1, StampForm::Nano),
                _ => return None,
            };
            let ns = whole
                .checked_mul(1_000_000_000)?
                .checked_add(part * scale)?;
            Some((ns, form, after))
        }
        Some(b'u') if text.get(end + 1) == Some(&b's') => {
            Some((whole.checked_mul(1000)?, StampForm::Relative, end + 2))
        }
        _ => Some((whole, StampForm::Integer, end)),
    }
}

/// As [`stamp_at`], with the colon that ends the column: ns, form, end after the colon. In the latency format a mark for the
/// delay (`!`, `#`, `*`, `@`, `$`, `+`) and a blank may precede the colon.
#[inline]
pub(crate) fn stamp_column(text: &[u8], at: usize) -> Option<(u64, StampForm, usize)> {
    let (ns, form, mut end) = stamp_at(text, at)?;
    if form == StampForm::Relative {
        if matches!(
            text.get(end),
            Some(b'!' | b'#' | b'*' | b'@' | b'$' | b'+' | b' ')
        ) {
            end += 1;
        }
        if text.get(end) == Some(&b' ') {
            end += 1;
        }
    }
    (text.get(end) == Some(&b':')).then_some((ns, form, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_every_form() {
        assert_eq!(
            stamp_column(b"1867.141115: x", 0),
            Some((1_867_141_115_000, StampForm::Micro, 12))
        );
        assert_eq!(
            stamp_column(b"1.000000007:", 0),
            Some((1_000_000_007, StampForm::Nano, 12))
        );
        assert_eq!(
            stamp_column(b"12345: x", 0),
            Some((12345, StampForm::Integer, 6))
        );
        assert_eq!(
            stamp_column(b"292992us : x", 0),
            Some((292_992_000, StampForm::Relative, 10))
        );
        assert_eq!(
            stamp_column(b"7us!: x", 0),
            Some((7000, StampForm::Relative, 5))
        );
        assert_eq!(
            stamp_column(b"7us+: x", 0),
            Some((7000, StampForm::Relative, 5))
        );
        assert_eq!(
            stamp_column(b"1000001.000001:", 0).map(|s| s.0),
            Some(1_000_001_000_001_000)
        );
        for bad in [
            &b"1.5: x"[..],
            b"1.0000000: x",
            b"1.000000 x",
            b".000000:",
            b"99999999999999999999.000000:",
        ] {
            assert_eq!(
                stamp_column(bad, 0),
                None,
                "{}",
                String::from_utf8_lossy(bad)
            );
        }
    }
}
