//! The flag letters that the kernel prints before the timestamp, and their two bytes of the record.
//!
//! `common_flags` has interrupts off 0x01, need-resched-lazy 0x02, need-resched 0x04, hardirq 0x08, softirq 0x10,
//! preempt-resched 0x20, NMI 0x40, bottom halves off 0x80. `common_preempt_count` has the preemption depth in its low four
//! bits and the migrate-disable depth in the high four.

use crate::bytes::word_end;

/// Meaning of one letter of the flags column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlagColumn {
    IrqsOff,
    NeedResched,
    NeedReschedLazy,
    Context,
    Depth,
    MigrateDisable,
    /// A column without a place in the record (`preempt-lazy-depth`, the lock depth of old kernels).
    Other,
}

/// The order of a kernel's letters without a header, by their number.
pub(crate) const USUAL: [FlagColumn; 5] = [
    FlagColumn::IrqsOff,
    FlagColumn::NeedResched,
    FlagColumn::Context,
    FlagColumn::Depth,
    FlagColumn::MigrateDisable,
];

/// The letter's meaning by the words that a header has for it.
pub(crate) fn column_of(label: &str) -> Option<FlagColumn> {
    Some(match label {
        label if label.starts_with("irqs-off") => FlagColumn::IrqsOff,
        "need-resched" => FlagColumn::NeedResched,
        "need-resched_lazy" | "need-resched-lazy" => FlagColumn::NeedReschedLazy,
        "hardirq/softirq" => FlagColumn::Context,
        "preempt-depth" => FlagColumn::Depth,
        "preempt-lazy-depth" | "preemptlazy-depth" => FlagColumn::Other,
        "migrate-disable" => FlagColumn::MigrateDisable,
        _ => return None,
    })
}

/// Returns whether a word can be a flags column: only letters of the kernel, in a number that some kernel prints.
#[inline]
pub(crate) fn is_flags(word: &[u8]) -> bool {
    (3..=8).contains(&word.len())
        && matches!(word[0], b'.' | b'd' | b'D' | b'b' | b'X')
        && word.iter().all(|byte| {
            matches!(byte, b'.' | b'0'..=b'9' | b'a'..=b'f' | b'B' | b'D' | b'H' | b'L' | b'N' | b'X' | b'Z'
                | b'h' | b'l' | b'n' | b'p' | b's' | b'z')
        })
}

/// The flags word from `at` on: its letters and its end.
#[inline]
pub(crate) fn flags_at(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let end = word_end(text, at);
    let word = text.get(at..end)?;
    is_flags(word).then_some((word, end))
}

/// Returns the two bytes of the letters.
#[inline]
pub(crate) fn decode(word: &[u8], columns: &[FlagColumn]) -> (u8, u8) {
    let (mut flags, mut count) = (0, 0);
    for (&letter, column) in word.iter().zip(columns) {
        match column {
            FlagColumn::IrqsOff => {
                flags |= match letter {
                    b'd' => 0x01,
                    b'b' => 0x80,
                    b'D' => 0x81,
                    b'X' => 0x02,
                    _ => 0,
                }
            }
            FlagColumn::NeedResched => {
                flags |= match letter {
                    b'n' => 0x04,
                    b'p' => 0x20,
                    b'N' => 0x24,
                    b'l' => 0x02,
                    b'L' => 0x22,
                    b'b' => 0x06,
                    b'B' => 0x26,
                    _ => 0,
                }
            }
            FlagColumn::NeedReschedLazy => flags |= if letter == b'.' { 0 } else { 0x02 },
            FlagColumn::Context => {
                flags |= match letter {
                    b'h' => 0x08,
                    b's' => 0x10,
                    b'H' => 0x18,
                    b'z' => 0x40,
                    b'Z' => 0x48,
                    _ => 0,
                }
            }
            FlagColumn::Depth => count |= depth(letter),
            FlagColumn::MigrateDisable => count |= depth(letter) << 4,
            FlagColumn::Other => {}
        }
    }
    (flags, count)
}

fn depth(letter: u8) -> u8 {
    char::from(letter).to_digit(16).unwrap_or(0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_the_bits_of_the_record() {
        assert_eq!(decode(b"dNh21", &USUAL), (0x01 | 0x24 | 0x08, 0x12));
        assert_eq!(decode(b".....", &USUAL), (0, 0));
        assert_eq!(decode(b"DLZ.f", &USUAL), (0x81 | 0x22 | 0x48, 0xf0));
        assert_eq!(decode(b"d..2", &USUAL[..4]), (1, 2));
        assert!(
            is_flags(b"d..2.") && !is_flags(b"1867.") && !is_flags(b"d.") && !is_flags(b"dx...")
        );
    }
}
