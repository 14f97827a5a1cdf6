//! One ring-buffer sub-buffer ("page"): a stamp, a commit word, then events.
//!
//! Event head: 32 bits, 5 of type and 27 of time delta (from the low end in little-endian recordings, from the high
//! end in big-endian ones). Types, from the kernel's `events/header_event`: 1 to 28 data of four times as many bytes,
//! 0 data whose length follows, 29 padding, 30 time extend, 31 absolute time stamp.

use numalens_columns::InputError;
use numalens_event_format::Endian;

use crate::metadata::PageHeader;

const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// Bits of the time delta in an event's head.
const DELTA_BITS: u32 = 27;
/// The commit word's low bits are the used bytes; the two high ones mark lost events.
const COMMIT_MASK: u64 = (1 << 27) - 1;
const MISSED_EVENTS: u64 = 1 << 31;
const MISSED_STORED: u64 = 1 << 30;
/// An absolute stamp carries 59 bits; the rest comes from the time before it.
const STAMP_HIGH_BITS: u64 = 0xf8 << 56;

/// The kernel's record of events lost before a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missed {
    /// Number of lost events.
    Counted(u64),
    /// Some, without a number.
    Uncounted,
}

impl Missed {
    pub(crate) fn count(self) -> Option<u64> {
        match self {
            Self::Counted(count) => Some(count),
            Self::Uncounted => None,
        }
    }
}

/// A sub-buffer's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageHead {
    /// Raw stamp that the first event's delta counts from.
    pub(crate) stamp: u64,
    /// First byte of the first event, from the page's start.
    pub(crate) start: usize,
    /// First byte after the last event.
    pub(crate) end: usize,
    /// Events were lost before this page.
    pub(crate) missed: Option<Missed>,
}

/// Reads a page's head. `place` is the page's offset for error messages.
pub(crate) fn head(
    page: &[u8],
    header: PageHeader,
    endian: Endian,
    place: u64,
) -> Result<PageHead, InputError> {
    let fixed = header
        .data
        .max(header.timestamp + 8)
        .max(header.commit + usize::from(header.long_size));
    if page.len() < fixed {
        return Err(InputError::at_byte(
            place,
            format!("a page head of {fixed} bytes"),
            format!("{} bytes", page.len()),
        ));
    }
    let long = |at: usize| {
        if header.long_size == 4 {
            u64::from(endian.u32(page, at))
        } else {
            endian.u64(page, at)
        }
    };
    let stamp = endian.u64(page, header.timestamp);
    let commit = long(header.commit);
    let used = (commit & COMMIT_MASK) as usize;
    let end = header.data + used;
    if end > page.len() {
        let room = page.len() - header.data;
        return Err(InputError::at_byte(
            place + header.commit as u64,
            format!("a commit of at most {room} bytes"),
            format!("{used}"),
        ));
    }
    let missed = (commit & MISSED_EVENTS != 0).then(|| {
        let stored =
            commit & MISSED_STORED != 0 && end + usize::from(header.long_size) <= page.len();
        match long(end) {
            count if stored && count > 0 => Missed::Counted(count),
            _ => Missed::Uncounted,
        }
    });
    Ok(PageHead {
        stamp,
        start: header.data,
        end,
        missed,
    })
}

/// A data event within its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageEvent {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) next: usize,
}

/// An event that does not fit its page: its position and claimed size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageFault {
    pub(crate) at: usize,
    pub(crate) claimed: u64,
}

/// The next data event from `at` on; `stamp` moves to its raw time. `None` at the page's end.
#[inline]
pub(crate) fn next_event(
    page: &[u8],
    mut at: usize,
    end: usize,
    stamp: &mut u64,
    endian: Endian,
) -> Result<Option<PageEvent>, PageFault> {
    while at + 4 <= end {
        let word = endian.u32(page, at);
        let (kind, delta) = match endian {
            Endian::Little => (word & 31, u64::from(word >> 5)),
            Endian::Big => (
                word >> DELTA_BITS,
                u64::from(word & ((1 << DELTA_BITS) - 1)),
            ),
        };
        let body = at + 4;
        let (start, len) = match kind {
            PADDING => {
                // A zero delta marks the unused rest of the page, whose content means nothing.
                if delta == 0 || body + 4 > end {
                    return Ok(None);
                }
                *stamp = stamp.wrapping_add(delta);
                at = body
                    .saturating_add(endian.u32(page, body) as usize)
                    .max(body + 4);
                continue;
            }
            TIME_EXTEND | TIME_STAMP => {
                if body + 4 > end {
                    return Err(PageFault { at, claimed: 8 });
                }
                let long = (u64::from(endian.u32(page, body)) << DELTA_BITS) + delta;
                *stamp = if kind == TIME_EXTEND {
                    stamp.wrapping_add(long)
                } else {
                    long | (*stamp & STAMP_HIGH_BITS)
                };
                at = body + 4;
                continue;
            }
            0 => {
                // The length counts its own word.
                let claimed = endian.u32(page, body);
                if body + 4 > end || claimed < 4 {
                    return Err(PageFault {
                        at,
                        claimed: u64::from(claimed),
                    });
                }
                (body + 4, claimed as usize - 4)
            }
            words => (body, words as usize * 4),
        };
        let next = start.saturating_add(len.next_multiple_of(4));
        if start + len > end {
            return Err(PageFault {
                at,
                claimed: (start - at + len) as u64,
            });
        }
        *stamp = stamp.wrapping_add(delta);
        return Ok(Some(PageEvent { start, len, next }));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn word(kind: u32, delta: u32) -> [u8; 4] {
        (kind | delta << 5).to_le_bytes()
    }

    #[test]
    fn deltas_extends_and_absolute_stamps_add_up() {
        let mut page = Vec::new();
        page.extend(word(1, 5)); // 4 bytes of data at +5
        page.extend([1; 4]);
        page.extend(word(TIME_EXTEND, 1)); // + (2 << 27) + 1
        page.extend(2_u32.to_le_bytes());
        page.extend(word(0, 7)); // 6 bytes of data, padded to 8
        page.extend(10_u32.to_le_bytes());
        page.extend([2; 8]);
        page.extend(word(PADDING, 1)); // a discarded event of 8 bytes: its delta counts
        page.extend(8_u32.to_le_bytes());
        page.extend([0; 4]);
        page.extend(word(TIME_STAMP, 9)); // absolute
        page.extend(3_u32.to_le_bytes());
        page.extend(word(2, 0));
        page.extend([3; 8]);
        page.extend(word(PADDING, 0)); // rest of the page
        page.extend([0xff; 8]);
        let mut stamp = 100;
        let mut at = 0;
        let mut seen = Vec::new();
        while let Some(event) =
            next_event(&page, at, page.len(), &mut stamp, Endian::Little).unwrap()
        {
            seen.push((stamp, page[event.start..event.start + event.len].to_vec()));
            at = event.next;
        }
        let second = 105 + (2 << 27) + 1 + 7;
        assert_eq!(
            seen,
            [
                (105, vec![1; 4]),
                (second, vec![2; 6]),
                ((3 << 27) + 9, vec![3; 8])
            ]
        );
    }

    #[test]
    fn an_event_longer_than_its_page_is_a_fault() {
        let mut page = word(28, 0).to_vec();
        page.extend([0; 8]);
        let fault = next_event(&page, 0, page.len(), &mut 0, Endian::Little).unwrap_err();
        assert_eq!(
            fault,
            PageFault {
                at: 0,
                claimed: 116
            }
        );
    }

    #[test]
    fn lost_events_are_counted_when_the_kernel_stored_them() {
        let header = PageHeader::usual(8);
        let mut page = vec![0_u8; 64];
        page[8..16].copy_from_slice(&(8 | MISSED_EVENTS | MISSED_STORED).to_le_bytes());
        page[24..32].copy_from_slice(&87_u64.to_le_bytes());
        assert_eq!(
            head(&page, header, Endian::Little, 0).unwrap().missed,
            Some(Missed::Counted(87))
        );
        page[8..16].copy_from_slice(&(8 | MISSED_EVENTS).to_le_bytes());
        assert_eq!(
            head(&page, header, Endian::Little, 0).unwrap().missed,
            Some(Missed::Uncounted)
        );
        page[8..16].copy_from_slice(&8_u64.to_le_bytes());
        assert_eq!(head(&page, header, Endian::Little, 0).unwrap().missed, None);
        page[8..16].copy_from_slice(&4000_u64.to_le_bytes());
        assert_eq!(
            head(&page, header, Endian::Little, 4096)
                .unwrap_err()
                .to_string(),
            "byte 4104: expected a commit of at most 48 bytes, found 4000"
        );
    }

    proptest! {
        #[test]
        fn any_bytes_end(page in proptest::collection::vec(any::<u8>(), 0..512), long_size in prop_oneof![Just(4_u8), Just(8)], big in any::<bool>()) {
            let endian = if big { Endian::Big } else { Endian::Little };
            if let Ok(head) = head(&page, PageHeader::usual(long_size), endian, 0) {
                let (mut at, mut stamp) = (head.start, head.stamp);
                while let Ok(Some(event)) = next_event(&page, at, head.end, &mut stamp, endian) {
                    prop_assert!(event.next > at && event.start + event.len <= page.len());
                    at = event.next;
                }
            }
        }
    }
}
