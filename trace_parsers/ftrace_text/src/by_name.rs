//! Fields of a known event by their names, for kernels and vendors whose texts have more fields, or fewer.

use crate::catalogue::Version;
use crate::loose::{Syntax, words};
use crate::template::{Kind, Piece, Symbols, Value, clear, read_alone};

/// Reads the fields that the details have as `name=value` into `values`, and returns their slots in ascending order. Fields that the version
/// does not have are ignored. `None` when a field is missing that no text may lack, or when a value does not fit.
pub(crate) fn by_name<'a>(
    details: &'a [u8],
    version: &Version,
    symbols: &[Symbols],
    values: &mut Vec<Value<'a>>,
) -> Option<Vec<usize>> {
    clear(values, &version.types);
    let named = named_fields(version);
    let (mut slots, mut unfit) = (Vec::new(), Vec::new());
    words(details, Syntax::Ftrace, |word| {
        let Some((_, slot, kind)) = named.iter().find(|(name, ..)| *name == word.name) else {
            return;
        };
        // Between the two tasks of a switch there is an arrow.
        let value = word.value.strip_suffix(b" ==>").unwrap_or(word.value);
        // A task's name may imitate a field, which follows then again.
        unfit.retain(|it| it != slot);
        if read_alone((*slot, kind), value, &version.types, symbols, values) {
            slots.push(*slot);
        } else {
            unfit.push(*slot);
        }
    });
    slots.sort_unstable();
    slots.dedup();
    let whole = (0..)
        .zip(&version.fields)
        .all(|(slot, field)| field.optional || slots.binary_search(&slot).is_ok());
    (unfit.is_empty() && whole && !slots.is_empty()).then_some(slots)
}

/// The name before the `=` of each field of the version's first text.
fn named_fields(version: &Version) -> Vec<(&[u8], usize, &Kind)> {
    let pieces = version
        .templates
        .first()
        .map_or(&[][..], |template| &template.pieces);
    let pairs = pieces.windows(2).filter_map(|pair| match pair {
        [Piece::Fixed(fixed), Piece::Field { slot, kind }] if *kind != Kind::Skip => {
            let name = fixed.strip_suffix(b"=")?;
            let start = name
                .iter()
                .rposition(u8::is_ascii_whitespace)
                .map_or(0, |at| at + 1);
            Some((&name[start..], *slot, kind))
        }
        _ => None,
    });
    pairs.collect()
}
