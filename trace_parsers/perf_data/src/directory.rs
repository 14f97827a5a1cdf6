//! A recording of `perf record --threads`: a folder whose file `data` has the header, and in which `data.0`, `data.1` ... have
//! the records of one ring buffer each (`struct perf_data`, `tools/perf/util/data.h`, 5.16).

use std::collections::BTreeMap;
use std::io::Write;

use numalens_columns::{DecodeError, InputError, SinkError};
use numalens_event_format::Endian;

use crate::bytes::{Bytes, HEADER};
use crate::features::DIR_FORMAT;
use crate::header::{Form, Header};
use crate::inflate::Inflater;
use crate::session::kind;

/// The file with the header.
const HEAD: &str = "data";
/// Position of the size of the records in the header, and of the features.
const DATA_SIZE: usize = 48;
const FEATURE_BITS: usize = 72;
/// Size of a feature's place in the list.
const PLACE: usize = 16;
/// Number of bytes that are taken from a buffer's file at a time. Buffers are read in proportion to their sizes, so that
/// records of about the same time are adjacent and the reader need not hold many to sort them.
const STEP: usize = 64 << 10;

/// Groups of these files that are recordings of this kind: of each its `data` first, then those with the records.
#[must_use]
pub fn sets(names: &[&str]) -> Vec<Vec<usize>> {
    let mut folders: BTreeMap<&str, (Option<usize>, BTreeMap<u32, usize>)> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        let number = file.strip_prefix("data.");
        let number = number.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        if file == HEAD {
            folders.entry(folder).or_default().0 = Some(at);
        } else if let Some(number) = number.and_then(|text| text.parse().ok()) {
            folders.entry(folder).or_default().1.insert(number, at);
        }
    }
    let whole = folders.into_values().filter_map(|(head, buffers)| {
        let all = std::iter::once(head?).chain(buffers.into_values());
        Some(all.collect())
    });
    whole.filter(|set: &Vec<usize>| set.len() > 1).collect()
}

/// Writes such files as one perf.data: the records of the buffers after those of `data`, inflated, which makes at most `more`
/// bytes more than the files have.
///
/// # Errors
/// The header is invalid, a record of a buffer does not fit its file, the result exceeds the limit, or `out`
/// refuses.
pub fn join(files: &[(&str, &[u8])], more: u64, out: &mut dyn Write) -> Result<(), DecodeError> {
    let Some((&(_, head), buffers)) = files.split_first() else {
        return Ok(());
    };
    let header = Header::read(head)?;
    let Form::File { data, features, .. } = &header.form else {
        let expected = "the header of a perf.data in file mode";
        return Err(InputError::at_byte(8, expected, "one in pipe mode").into());
    };
    // Ended before it was complete, the header says 0: its records continue to the end of the file.
    let killed = data.is_empty();
    let end = if killed {
        head.len()
    } else {
        data.end as usize
    };
    let Some((records, behind)) = head.split_at_checked(end) else {
        let expected = format!("{end} bytes of header and records");
        let place = head.len() as u64;
        return Err(InputError::at_byte(place, expected, "the end of the file").into());
    };
    // The header says how much they come to.
    let packed: u64 = buffers.iter().map(|file| file.1.len() as u64).sum();
    let (mut added, most) = (0, packed.saturating_add(more));
    merge(buffers, header.endian, killed, &mut |bytes| {
        added += bytes.len() as u64;
        if added > most {
            let expected = format!("records of at most {most} bytes");
            return Err(InputError::at_byte(end as u64, expected, "more").into());
        }
        Ok(())
    })?;
    let mut front = records.to_vec();
    let endian = header.endian;
    if !killed {
        put(&mut front, DATA_SIZE, data.end - data.start + added, endian);
        let word = FEATURE_BITS + (DIR_FORMAT / 64) as usize * 8;
        let bits = endian.u64(&front, word) & !(1 << (DIR_FORMAT % 64));
        put(&mut front, word, bits, endian);
    }
    write(out, &front)?;
    merge(buffers, endian, killed, &mut |bytes| write(out, bytes))?;
    write(out, &places(behind, features, added, endian))
}

/// Bytes after the records: the positions of the features' sections, which have moved, and the sections.
fn places(behind: &[u8], features: &[u32], added: u64, endian: Endian) -> Vec<u8> {
    let (list, sections) = behind.split_at(behind.len().min(features.len() * PLACE));
    let mut out = Vec::with_capacity(behind.len());
    for (place, _) in list
        .chunks_exact(PLACE)
        .zip(features)
        .filter(|one| *one.1 != DIR_FORMAT)
    {
        let mut place = place.to_vec();
        let at = endian.u64(&place, 0).saturating_add(added);
        put(&mut place, 0, at, endian);
        out.extend(place);
    }
    out.resize(list.len(), 0);
    out.extend(sections);
    out
}

fn put(bytes: &mut [u8], at: usize, value: u64, endian: Endian) {
    if let Some(place) = bytes.get_mut(at..at + 8) {
        place.copy_from_slice(&match endian {
            Endian::Little => value.to_le_bytes(),
            Endian::Big => value.to_be_bytes(),
        });
    }
}

fn write(out: &mut dyn Write, bytes: &[u8]) -> Result<(), DecodeError> {
    let written = out.write_all(bytes);
    written.map_err(|error| DecodeError::Sink(SinkError(error.to_string())))
}

/// Takes the buffers' records, a part of each in turn. Of a recorder that was killed the last record may be cut.
fn merge(
    buffers: &[(&str, &[u8])],
    endian: Endian,
    killed: bool,
    take: &mut dyn FnMut(&[u8]) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let new = |&(name, bytes)| Lane::new(name, bytes, endian);
    let mut lanes: Vec<Lane<'_>> = buffers.iter().map(new).collect();
    loop {
        let open = lanes.iter_mut().filter(|lane| lane.at < lane.bytes.len());
        let Some(lane) = open.min_by_key(|lane| lane.done()) else {
            break;
        };
        if lane.step(take)? {
            continue;
        }
        if !killed {
            return Err(lane.error("a whole record", "a part of one").into());
        }
        lane.at = lane.bytes.len();
    }
    match lanes.iter().find(|lane| !lane.rest.is_empty()) {
        Some(lane) if !killed => Err(lane.error("the rest of a record", "the end").into()),
        _ => Ok(()),
    }
}

/// One buffer's file.
struct Lane<'a> {
    name: &'a str,
    bytes: &'a [u8],
    at: usize,
    endian: Endian,
    inflater: Inflater,
    /// Unread inflated bytes: the start of a record.
    rest: Vec<u8>,
}

impl<'a> Lane<'a> {
    fn new(name: &'a str, bytes: &'a [u8], endian: Endian) -> Self {
        Self {
            name,
            bytes,
            at: 0,
            endian,
            inflater: Inflater::default(),
            rest: Vec::new(),
        }
    }

    /// Progress, as a share of 2^32.
    fn done(&self) -> u64 {
        ((self.at as u128) << 32).div_ceil(self.bytes.len().max(1) as u128) as u64
    }

    fn error(&self, expected: &str, found: &str) -> InputError {
        let expected = format!("{expected} in {}", self.name);
        InputError::at_byte(self.at as u64, expected, found)
    }

    /// Takes the next records; false where the file ends within one.
    fn step(
        &mut self,
        take: &mut dyn FnMut(&[u8]) -> Result<(), DecodeError>,
    ) -> Result<bool, DecodeError> {
        let (bytes, until) = (self.bytes, self.at + STEP);
        while self.at < bytes.len() && self.at < until {
            let Some((record, size)) = whole(&bytes[self.at..], self.endian) else {
                return Ok(false);
            };
            let body = &bytes[self.at + HEADER..self.at + size];
            match record {
                kind::COMPRESSED => self.inflate(body, take)?,
                kind::COMPRESSED2 => {
                    // The size without the padding comes first.
                    let mut data = Bytes::new(body, self.endian);
                    let data = data.u64().and_then(|size| data.take(size));
                    let data = data.ok_or_else(|| self.error("a whole record", "a shorter one"))?;
                    self.inflate(data, take)?;
                }
                _ => take(&bytes[self.at..self.at + size])?,
            }
            self.at += size;
        }
        Ok(true)
    }

    fn inflate(
        &mut self,
        data: &[u8],
        take: &mut dyn FnMut(&[u8]) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let mut inflated = std::mem::take(&mut self.rest);
        let result = self.inflater.inflate(data, &mut inflated);
        result.map_err(|found| self.error("zstd data", &found))?;
        let mut end = 0;
        while let Some((_, size)) = whole(&inflated[end..], self.endian) {
            end += size;
        }
        take(&inflated[..end])?;
        self.rest = inflated.split_off(end);
        Ok(())
    }
}

/// Type and size of the record that the bytes begin with, when it is whole.
fn whole(bytes: &[u8], endian: Endian) -> Option<(u32, usize)> {
    let size = usize::from(endian.u16(bytes.get(..HEADER)?, 6));
    (HEADER..=bytes.len())
        .contains(&size)
        .then(|| (endian.u32(bytes, 0), size))
}

#[cfg(test)]
mod tests {
    use super::sets;

    #[test]
    fn a_folder_with_data_and_buffers_is_a_recording() {
        let names = [
            "a/data",
            "a/data.1",
            "a/data.0",
            "b/data",
            "c/data.0",
            "data.2",
            "data",
            "a/data.old",
        ];
        assert_eq!(sets(&names), [vec![6, 5], vec![0, 2, 1]]);
        assert!(sets(&["data"]).is_empty());
    }
}
