//! A zip whose directory is missing, because the file was cut: entries by their local headers, from the start on.

use std::io::{self, Read};

use flate2::bufread::DeflateDecoder;
use numalens_columns::{DecodeError, InputError};

use crate::meter::{Guard, Meter, Taker};

const SIGNATURE: &[u8] = b"PK\x03\x04";
/// A local header up to its name.
const HEADER: usize = 30;
/// Flag: the entry is encrypted.
const ENCRYPTED: u16 = 1;
/// Flag: sizes follow the data, because the writer did not know them before.
const SIZES_FOLLOW: u16 = 1 << 3;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// Extra field with sizes of 64 bits.
const ZIP64: u16 = 1;

/// An entry as its local header describes it.
struct Local<'a> {
    name: String,
    flags: u16,
    method: u16,
    /// `None`: follows the data.
    compressed: Option<u64>,
    size: Option<u64>,
    data: &'a [u8],
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// Offset of the data of the entry whose local header is at `start`.
pub(crate) fn data_start(bytes: &[u8], start: u64) -> Option<u64> {
    let at = usize::try_from(start).ok()?;
    let name = u16_at(bytes, at.checked_add(26)?)?;
    let extra = u16_at(bytes, at.checked_add(28)?)?;
    start.checked_add(HEADER as u64 + u64::from(name) + u64::from(extra))
}

impl<'a> Local<'a> {
    fn read(bytes: &'a [u8], at: usize) -> Option<Self> {
        let data = usize::try_from(data_start(bytes, at as u64)?).ok()?;
        let head = bytes.get(at..data)?;
        let name_end = HEADER + usize::from(u16_at(head, 26)?);
        let flags = u16_at(head, 6)?;
        let (mut compressed, mut size) =
            (u64::from(u32_at(head, 18)?), u64::from(u32_at(head, 22)?));
        let wide = extra(head.get(name_end..)?, ZIP64);
        let mut wide_at = 0;
        // Only the sizes that do not fit their own field are in the extra field.
        for value in [&mut size, &mut compressed] {
            if *value == u64::from(u32::MAX) {
                *value = u64_at(wide?, wide_at)?;
                wide_at += 8;
            }
        }
        let known = flags & SIZES_FOLLOW == 0;
        Some(Self {
            name: String::from_utf8_lossy(head.get(HEADER..name_end)?).into_owned(),
            flags,
            method: u16_at(head, 8)?,
            compressed: known.then_some(compressed),
            size: known.then_some(size),
            data: &bytes[data..],
        })
    }
}

/// The extra field of a kind.
fn extra(mut fields: &[u8], kind: u16) -> Option<&[u8]> {
    loop {
        let len = usize::from(u16_at(fields, 2)?);
        let body = fields.get(4..4 + len)?;
        if u16_at(fields, 0)? == kind {
            return Some(body);
        }
        fields = &fields[4 + len..];
    }
}

/// `why` says what the directory lacks; it is reported first.
pub(crate) fn unpack<'m>(
    meter: &'m Meter<'m>,
    taker: &mut Taker<'m, '_>,
    why: &InputError,
) -> Result<(), DecodeError> {
    taker.damage(why, meter.length())?;
    let bytes = meter.source.bytes();
    let mut at = 0;
    while let Some(start) = find(bytes, at, SIGNATURE) {
        taker.count(start as u64)?;
        let Some(local) = Local::read(bytes, start) else {
            at = start + SIGNATURE.len();
            continue;
        };
        let data = bytes.len() - local.data.len();
        let length = member(meter, taker, start as u64, &local)?;
        at = data.saturating_add(length);
    }
    Ok(())
}

/// Passes on one entry and returns the number of its data bytes.
fn member<'m>(
    meter: &'m Meter<'m>,
    taker: &mut Taker<'m, '_>,
    start: u64,
    local: &Local<'m>,
) -> Result<usize, DecodeError> {
    let length = local
        .compressed
        .map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
    let data = &local.data[..local.data.len().min(length)];
    let end = start
        .saturating_add(local.compressed.unwrap_or(0))
        .saturating_add(1);
    let readable = local.flags & ENCRYPTED == 0
        && (local.method == DEFLATED || local.method == STORED && local.compressed.is_some());
    if local.name.ends_with('/') {
        return Ok(local.compressed.map_or(0, |_| data.len()));
    }
    if !readable {
        let why = format!(
            "the entry {:?} was left out: it cannot be read without the directory",
            local.name
        );
        taker.skip(start, end, &why)?;
        return Ok(local.compressed.map_or(0, |_| data.len()));
    }
    meter.begin_entry(start, data.len() as u64);
    let mut inflater = Inflater::new(data, local.method);
    let mut guard = Guard {
        inner: &mut inflater,
        meter,
        what: "zip entry",
        ended: false,
    };
    taker.entry(&local.name, local.size, start, &mut guard)?;
    if local.compressed.is_some() {
        return Ok(data.len());
    }
    // The end of inflated data shows where the entry ends, so what was left unread is read over.
    io::copy(&mut guard, &mut io::sink()).ok();
    meter.check()?;
    Ok(inflater.taken())
}

enum Inflater<'a> {
    Stored(&'a [u8]),
    Deflated(DeflateDecoder<&'a [u8]>),
}

impl<'a> Inflater<'a> {
    fn new(data: &'a [u8], method: u16) -> Self {
        if method == STORED {
            Self::Stored(data)
        } else {
            Self::Deflated(DeflateDecoder::new(data))
        }
    }

    fn taken(&self) -> usize {
        match self {
            Self::Stored(_) => 0,
            Self::Deflated(decoder) => usize::try_from(decoder.total_in()).unwrap_or(usize::MAX),
        }
    }
}

impl Read for Inflater<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stored(data) => data.read(buf),
            Self::Deflated(decoder) => decoder.read(buf),
        }
    }
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(what.len())
        .position(|window| window == what)
        .map(|at| from + at)
}
