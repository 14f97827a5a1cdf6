//! Protobuf's wire format, as far as it takes to walk a message: a tag (`field << 3 | type`), then the value.

/// A field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'b> {
    /// Type 0.
    Varint(u64),
    /// Type 1.
    Fixed64(u64),
    /// Type 2: text, bytes or a message.
    Bytes(&'b [u8]),
    /// Type 5.
    Fixed32(u32),
}

/// Reason for the end of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The bytes end within a field.
    Cut,
    /// The content is not a field.
    Broken,
}

/// Reads a number of up to 64 bits; gives it and how many bytes it took.
pub(crate) fn varint(bytes: &[u8]) -> Result<(u64, usize), Stop> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Ok((value, index + 1));
        }
    }
    Err(if bytes.len() < 10 {
        Stop::Cut
    } else {
        Stop::Broken
    })
}

/// Walks the fields of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'b> {
    rest: &'b [u8],
}

impl<'b> Fields<'b> {
    pub(crate) fn new(rest: &'b [u8]) -> Self {
        Self { rest }
    }

    /// The next field's number and value; `None` at the end. After an error there is nothing more.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, Value<'b>)>, Stop> {
        let Some((field, head)) = self.tag()? else {
            return Ok(None);
        };
        let rest = &self.rest[head..];
        let (value, length) = match self.rest[0] & 7 {
            0 => {
                let (value, length) = varint(rest)?;
                (Value::Varint(value), length)
            }
            1 => {
                let (bytes, _) = rest.split_first_chunk().ok_or(Stop::Cut)?;
                (Value::Fixed64(u64::from_le_bytes(*bytes)), 8)
            }
            2 => {
                let (length, head) = varint(rest)?;
                let end = usize::try_from(length)
                    .ok()
                    .and_then(|length| head.checked_add(length))
                    .ok_or(Stop::Broken)?;
                (Value::Bytes(rest.get(head..end).ok_or(Stop::Cut)?), end)
            }
            5 => {
                let (bytes, _) = rest.split_first_chunk().ok_or(Stop::Cut)?;
                (Value::Fixed32(u32::from_le_bytes(*bytes)), 4)
            }
            _ => return Err(Stop::Broken),
        };
        self.rest = &rest[length..];
        Ok(Some((field, value)))
    }

    /// The next field's number and the length of its tag, without moving on.
    fn tag(&self) -> Result<Option<(u64, usize)>, Stop> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (tag, length) = varint(self.rest)?;
        match tag >> 3 {
            1..=0x1fff_ffff => Ok(Some((tag >> 3, length))),
            _ => Err(Stop::Broken),
        }
    }

    /// The next field's number, and what is there of its bytes, for a message that the end cuts.
    pub(crate) fn cut_message(&self) -> Option<(u64, &'b [u8])> {
        let (field, head) = self.tag().ok()??;
        let rest = &self.rest[head..];
        let (_, length) = varint(rest).ok().filter(|_| self.rest[0] & 7 == 2)?;
        Some((field, &rest[length..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_every_kind_of_field() {
        let bytes = [
            0x08, 0x96, 0x01, 0x11, 1, 0, 0, 0, 0, 0, 0, 0, 0x1a, 2, 7, 8, 0x25, 5, 0, 0, 0,
        ];
        let mut fields = Fields::new(&bytes);
        assert_eq!(fields.next(), Ok(Some((1, Value::Varint(150)))));
        assert_eq!(fields.next(), Ok(Some((2, Value::Fixed64(1)))));
        assert_eq!(fields.next(), Ok(Some((3, Value::Bytes(&[7, 8])))));
        assert_eq!(fields.next(), Ok(Some((4, Value::Fixed32(5)))));
        assert_eq!(fields.next(), Ok(None));
    }

    #[test]
    fn says_whether_bytes_are_missing_or_wrong() {
        assert_eq!(Fields::new(&[0x1a, 5, 1]).next(), Err(Stop::Cut));
        assert_eq!(Fields::new(&[0x80]).next(), Err(Stop::Cut));
        assert_eq!(Fields::new(&[0x0b]).next(), Err(Stop::Broken));
        assert_eq!(Fields::new(&[0x00, 1]).next(), Err(Stop::Broken));
        assert_eq!(Fields::new(&[0xff; 12]).next(), Err(Stop::Broken));
        assert_eq!(
            Fields::new(&[
                0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01
            ])
            .next(),
            Err(Stop::Broken)
        );
    }
}
