//! Task states: the letters that `sched_switch` prints, and the bits that the kernel stores (Linux 4.14 and later).

/// Bits of the letters: the kernel's own. `x` and `W` are of kernels before 4.14 (dead, waking), as are `K` and `N`,
/// which change the meaning of other letters and have no bit of their own.
fn bit(letter: u8) -> Option<u64> {
    Some(match letter {
        b'R' | b'K' | b'N' => 0,
        b'S' => 0x01,
        b'D' => 0x02,
        b'T' => 0x04,
        b't' => 0x08,
        b'X' | b'x' => 0x10,
        b'Z' => 0x20,
        b'P' => 0x40,
        b'I' => 0x80,
        b'W' => 0x200,
        b'+' => 0x100,
        _ => return None,
    })
}

/// Bits of the letters that trace-cmd's `sched_switch` plugin prints. It names the bits by the table of kernels before
/// 4.14, whatever the recorded kernel was: `Z` is 0x10, `X` 0x20, `x` 0x40, `W` 0x80. `P` and `I` are of a newer plugin.
fn plugin_bit(letter: u8) -> Option<u64> {
    Some(match letter {
        b'Z' => 0x10,
        b'X' => 0x20,
        b'x' => 0x40,
        b'W' => 0x80,
        b'H' => 0x100,
        _ => return bit(letter),
    })
}

/// Letters joined by `|`, with or without `+`; numbers of bits without a letter are taken too.
fn bits(text: &[u8], of: impl Fn(u8) -> Option<u64>) -> Option<u64> {
    let mut state = 0;
    for part in text.split(|&byte| byte == b'|') {
        match part {
            [letter] => state |= of(*letter)?,
            [letter, b'+'] => state |= of(*letter)? | 0x100,
            _ => {
                let (value, end) = crate::bytes::hexadecimal(part, 0)?;
                if !part.starts_with(b"0x") || end != part.len() {
                    return None;
                }
                state |= value;
            }
        }
    }
    Some(state)
}

/// `S`, `R+`, `D|K`, `0x402` as the kernel prints them.
#[inline]
pub(crate) fn state(text: &[u8]) -> Option<u64> {
    match text {
        b"S" => Some(1),
        b"R" => Some(0),
        _ => bits(text, bit),
    }
}

/// As trace-cmd's plugin prints them.
#[inline]
pub(crate) fn plugin_state(text: &[u8]) -> Option<u64> {
    bits(text, plugin_bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_the_bits_of_the_kernel() {
        for (text, bits) in [
            ("R", 0),
            ("S", 1),
            ("D", 2),
            ("T", 4),
            ("t", 8),
            ("X", 0x10),
            ("Z", 0x20),
            ("P", 0x40),
            ("I", 0x80),
            ("R+", 0x100),
            ("S|D", 3),
            ("D|K", 2),
            ("S+", 0x101),
            ("x", 0x10),
            ("0x402", 0x402),
            ("D|0x400", 0x402),
        ] {
            assert_eq!(state(text.as_bytes()), Some(bits), "{text}");
        }
        for bad in ["", "q", "SS", "S|", "0x", "12"] {
            assert_eq!(state(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(plugin_state(b"W"), Some(0x80));
        assert_eq!(plugin_state(b"X"), Some(0x20));
        assert_eq!(plugin_state(b"S|W"), Some(0x81));
    }
}
