//! One text of an event: fixed pieces and fields, matched against an event's details.

use memchr::memmem;
use numalens_columns::ColumnType;

use crate::bytes::{decimal, hexadecimal, skip_blanks, trim_end};
use crate::states::{plugin_state, state};

/// Form of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Decimal, or hexadecimal with `0x`; blanks may precede it, as before words.
    Number,
    /// Hexadecimal, with or without `0x`.
    Hex,
    /// Up to the next fixed piece.
    Text,
    /// Letters of the kernel, see `states`.
    State,
    /// Letters of trace-cmd's plugin.
    PluginState,
    /// A name out of the table; numbers are taken too.
    Symbol(usize),
    /// Names out of the table, joined by `|`.
    Flags(usize),
    /// Upper and lower part of a device number.
    Major,
    Minor,
    /// Bytes; the field counts pages of 4096.
    Page,
    /// The last byte of a page.
    LastPage,
    /// Microseconds; the field counts nanoseconds.
    Micro,
    /// A power of two; the field is the power.
    Log2,
    /// Known from other fields.
    Skip,
}

/// A part of a template.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Fixed(Vec<u8>),
    Field { slot: usize, kind: Kind },
}

/// Symbols by name.
pub(crate) type Symbols = Vec<(Vec<u8>, i64)>;

/// A field's value as in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// The bits that the kernel stored.
    Bits(u64),
    Text(&'a [u8]),
}

/// A template with the width of its fields.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    pub(crate) pieces: Vec<Piece>,
}

/// Makes every value of these columns empty.
pub(crate) fn clear(values: &mut Vec<Value<'_>>, types: &[ColumnType]) {
    values.clear();
    values.extend(types.iter().map(|ty| match ty {
        ColumnType::Text => Value::Text(b""),
        _ => Value::Bits(0),
    }));
}

/// Most places that are tried for one line; task names that imitate fields need a few.
const TRIES: u32 = 256;

impl Template {
    /// Matches the details and leaves the fields' values in `values`, by slot.
    #[inline]
    pub(crate) fn apply<'a>(
        &self,
        text: &'a [u8],
        types: &[ColumnType],
        symbols: &[Symbols],
        address_behind: bool,
        values: &mut Vec<Value<'a>>,
    ) -> bool {
        clear(values, types);
        let mut walk = Walk {
            types,
            symbols,
            values,
            tries: TRIES,
            address_behind,
        };
        walk.pieces(&self.pieces, text)
    }

    /// The fields that it gives, in the order of their slots.
    pub(crate) fn slots(&self) -> Vec<usize> {
        let slot = |piece: &Piece| match piece {
            Piece::Field { slot, kind } if *kind != Kind::Skip => Some(*slot),
            _ => None,
        };
        let mut slots: Vec<usize> = self.pieces.iter().filter_map(slot).collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }
}

/// Reads a single field into `values`; false when it does not fit.
pub(crate) fn read_alone<'a>(
    (slot, kind): (usize, &Kind),
    text: &'a [u8],
    types: &[ColumnType],
    symbols: &[Symbols],
    values: &mut [Value<'a>],
) -> bool {
    if *kind == Kind::Text {
        values[slot] = Value::Text(text);
        return true;
    }
    let mut walk = Walk {
        types,
        symbols,
        values,
        tries: 0,
        address_behind: false,
    };
    let end = walk.number(slot, kind, text, 0);
    end.is_some_and(|end| matches!(text.get(end), None | Some(b' ' | b'\t' | b',')))
}

struct Walk<'a, 'w> {
    types: &'w [ColumnType],
    symbols: &'w [Symbols],
    values: &'w mut [Value<'a>],
    tries: u32,
    address_behind: bool,
}

impl<'a> Walk<'a, '_> {
    fn pieces(&mut self, pieces: &[Piece], text: &'a [u8]) -> bool {
        let mut at = 0;
        for (index, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Fixed(fixed) => {
                    if !text[at..].starts_with(fixed) {
                        return false;
                    }
                    at += fixed.len();
                }
                Piece::Field {
                    slot,
                    kind: kind @ (Kind::Text | Kind::Skip),
                } => {
                    return self.text(*slot, kind, &pieces[index + 1..], &text[at..]);
                }
                Piece::Field { slot, kind } => match self.number(*slot, kind, text, at) {
                    Some(end) => at = end,
                    None => return false,
                },
            }
        }
        let rest = &text[at..];
        ends(rest) || (self.address_behind && is_address(rest))
    }

    /// A text field: it ends at the first place from where on the rest fits too.
    fn text(&mut self, slot: usize, kind: &Kind, rest: &[Piece], text: &'a [u8]) -> bool {
        let Some(Piece::Fixed(fixed)) = rest.first() else {
            self.set(slot, kind, text);
            return true;
        };
        let mut from = 0;
        while let Some(end) = memmem::find(&text[from..], fixed).map(|n| from + n) {
            self.set(slot, kind, &text[..end]);
            if self.pieces(rest, &text[end..]) {
                return true;
            }
            if self.tries == 0 {
                return false;
            }
            self.tries -= 1;
            from = end + 1;
        }
        false
    }

    fn set(&mut self, slot: usize, kind: &Kind, text: &'a [u8]) {
        if *kind == Kind::Text {
            self.values[slot] = Value::Text(text);
        }
    }

    fn number(&mut self, slot: usize, kind: &Kind, text: &'a [u8], at: usize) -> Option<usize> {
        let ty = &self.types[slot];
        let (bits, end) = match kind {
            Kind::Number => {
                let at = skip_blanks(text, at);
                let (bits, end) = number(text, at)?;
                (fit(bits, text[at] == b'-', ty)?, end)
            }
            Kind::Hex => {
                let (bits, end) = pointer(text, at)?;
                (fit(bits, false, ty)?, end)
            }
            Kind::Major | Kind::Minor => {
                let (part, end) = decimal(text, at).filter(|&(part, _)| part < 1 << 20)?;
                let other = if let Value::Bits(bits) = self.values[slot] {
                    bits
                } else {
                    0
                };
                if *kind == Kind::Major {
                    (part << 20, end)
                } else {
                    (other | part, end)
                }
            }
            Kind::Page | Kind::LastPage => {
                decimal(text, at).map(|(bytes, end)| (bytes >> 12, end))?
            }
            Kind::Micro => {
                decimal(text, at).and_then(|(us, end)| Some((us.checked_mul(1000)?, end)))?
            }
            Kind::Log2 => decimal(text, at)
                .filter(|(power, _)| power.is_power_of_two())
                .map(|(power, end)| (u64::from(power.trailing_zeros()), end))?,
            Kind::State | Kind::PluginState | Kind::Symbol(_) | Kind::Flags(_) => {
                self.word(kind, text, at)?
            }
            Kind::Text | Kind::Skip => return None,
        };
        self.values[slot] = Value::Bits(bits);
        Some(end)
    }

    /// A word that represents a number. Names are sometimes padded with blanks; one is left for the next piece.
    fn word(&self, kind: &Kind, text: &[u8], at: usize) -> Option<(u64, usize)> {
        let at = skip_blanks(text, at);
        let end = text[at..]
            .iter()
            .position(|byte| b" ]),".contains(byte))
            .map_or(text.len(), |n| at + n);
        let word = &text[at..end];
        let bits = match kind {
            Kind::State => state(word).or_else(|| plain(word)),
            Kind::PluginState => plugin_state(word),
            Kind::Symbol(table) => symbol(word, &self.symbols[*table]),
            Kind::Flags(table) => {
                let mut bits = 0;
                for part in word.split(|&byte| byte == b'|') {
                    bits |= symbol(part, &self.symbols[*table])?;
                }
                Some(bits)
            }
            _ => None,
        }?;
        let blanks = skip_blanks(text, end);
        Some((
            bits,
            if blanks > end && blanks < text.len() {
                blanks - 1
            } else {
                end
            },
        ))
    }
}

/// Allowed text after the last field: blanks, and the additions of `trace-cmd report -w`.
#[inline]
fn ends(rest: &[u8]) -> bool {
    rest.is_empty() || trim_end(rest).is_empty() || rest.starts_with(b" Latency: ")
}

/// Additions of `perf script -F +ip,+addr`: an address, with or without its symbol.
fn is_address(rest: &[u8]) -> bool {
    let at = skip_blanks(rest, 0);
    at > 0
        && hexadecimal(rest, at).is_some_and(|(_, end)| matches!(rest.get(end), None | Some(b' ')))
}

/// A decimal number with its sign, or a hexadecimal one with `0x`: bits, end.
#[inline]
pub(crate) fn number(text: &[u8], at: usize) -> Option<(u64, usize)> {
    match text.get(at)? {
        b'-' => {
            let (value, end) = decimal(text, at + 1)?;
            (value <= 1 << 63).then_some((value.wrapping_neg(), end))
        }
        b'0' if text.get(at + 1) == Some(&b'x') => hexadecimal(text, at),
        b'(' => pointer(text, at),
        _ => decimal(text, at),
    }
}

/// Hexadecimal, or the null pointer as a C library or the kernel prints it.
#[inline]
fn pointer(text: &[u8], at: usize) -> Option<(u64, usize)> {
    hexadecimal(text, at).or_else(|| {
        let null: [&[u8]; 2] = [b"(nil)", b"(null)"];
        let null = null.iter().find(|null| text[at..].starts_with(null))?;
        Some((0, at + null.len()))
    })
}

/// A word that is a number as a whole.
fn plain(word: &[u8]) -> Option<u64> {
    number(word, 0)
        .filter(|&(_, end)| end == word.len())
        .map(|(bits, _)| bits)
}

fn symbol(word: &[u8], table: &Symbols) -> Option<u64> {
    let known = table
        .iter()
        .find(|(name, _)| name == word)
        .map(|&(_, value)| value as u64);
    known.or_else(|| plain(word))
}

/// The bits in a column of this width; formats sometimes print an `int` as unsigned, so both forms are accepted.
#[inline]
pub(crate) fn fit(bits: u64, negative: bool, ty: &ColumnType) -> Option<u64> {
    let (ColumnType::Int(width) | ColumnType::UInt(width)) = *ty else {
        return Some(bits);
    };
    if width >= 8 {
        return Some(bits);
    }
    let width = u32::from(width) * 8;
    let fits = if negative {
        bits as i64 >= -(1_i64 << (width - 1))
    } else {
        bits >> width == 0
    };
    fits.then_some(bits)
}
