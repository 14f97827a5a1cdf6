//! From a file's first byte to its recording.

use std::ops::Range;

use numalens_columns::{ByteSource, DecodeError, EventSink, InputError, ReadOptions, Recording};

use crate::attrs::Attr;
use crate::bytes::Bytes;
use crate::features;
use crate::header::{Form, Header, section};
use crate::session::Session;

/// Position of the attributes' section in the header.
const ATTRS: u64 = 24;
/// Size of a section's place in the file: offset and size.
const SECTION: u64 = 16;

/// Decodes a recording: every sample becomes a row, ascending by time; equal stamps keep the recording's order.
/// `progress` is given how many of how many bytes of records are done.
///
/// # Errors
/// The input is not a perf.data; it is damaged and the read is strict; or the sink refuses.
pub fn decode(
    source: &dyn ByteSource,
    options: &ReadOptions,
    sink: &mut dyn EventSink,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Recording, DecodeError> {
    let header = Header::read(source.bytes())?;
    let mut session = Session::new(source, header.endian, *options, sink);
    let length = source.bytes().len() as u64;
    let (records, killed) = match &header.form {
        Form::Pipe { records } => {
            session.fact("form", "pipe");
            (*records..length, false)
        }
        Form::File {
            attrs,
            attr_size,
            data,
            features,
        } => {
            session.fact("form", "file");
            attributes(&mut session, attrs.clone(), *attr_size)?;
            let killed = data.is_empty();
            if killed {
                session.note(
                    "perf was stopped before it could complete the file: the records are read up to its end, and the contents of the header are missing",
                );
            } else {
                read_features(&mut session, data.end, features)?;
            }
            (records(&mut session, data, killed)?, killed)
        }
    };
    session.run(
        records.start as usize..records.end as usize,
        killed,
        progress,
    )?;
    session.finish()
}

/// The attributes of a file and their ids; nothing can be read without.
fn attributes(
    session: &mut Session<'_>,
    range: Range<u64>,
    attr_size: u64,
) -> Result<(), InputError> {
    let endian = session.endian;
    let count = (range.end - range.start) / attr_size;
    for index in 0..count {
        let at = range.start + index * attr_size;
        let entry = session.slice(at..at + attr_size, "an event's attributes")?;
        let (attr, ids) = entry.split_at(entry.len() - SECTION as usize);
        let attr = Attr::read(attr, endian).ok_or_else(|| {
            InputError::at_byte(at, "an event's attributes of at least 64 bytes", "fewer")
        })?;
        let ids = section(&mut Bytes::new(ids, endian)).unwrap_or(0..0);
        let ids = session.slice(ids, "an event's ids")?;
        session
            .add_attr(attr, ids)
            .map_err(|expected| InputError::at_byte(at, expected, "one more"))?;
    }
    if count == 0 {
        return Err(InputError::at_byte(
            ATTRS,
            "the attributes of at least one event",
            "none",
        ));
    }
    Ok(())
}

/// The features, whose sections are listed after the records.
fn read_features(
    session: &mut Session<'_>,
    list: u64,
    features: &[u32],
) -> Result<(), DecodeError> {
    for (index, &feature) in (0..).zip(features) {
        let at = list.saturating_add(index * SECTION);
        let place = at..at.saturating_add(SECTION);
        let found = session
            .slice(place.clone(), "the place of a header feature")
            .and_then(|bytes| {
                let place = section(&mut Bytes::new(bytes, session.endian)).unwrap_or(0..0);
                Ok((
                    session.slice(place.clone(), "a header feature")?,
                    place.start,
                ))
            });
        match found {
            Ok((bytes, start)) if feature == features::TRACING_DATA => {
                session.formats(bytes, start)?;
            }
            Ok((bytes, _)) => session.feature(feature, bytes),
            Err(error) => {
                // The places are one after the other: behind the first that is missing there is none.
                return session.damage(&error, place, None);
            }
        }
    }
    Ok(())
}

/// The bytes of the records that there are.
fn records(
    session: &mut Session<'_>,
    data: &Range<u64>,
    killed: bool,
) -> Result<Range<u64>, DecodeError> {
    let length = session.length();
    if data.start > length || (data.end > length && !killed) {
        let error = InputError::at_byte(
            length,
            format!(
                "{} bytes of records from byte {} on",
                data.end - data.start,
                data.start
            ),
            "the end of the file",
        );
        session.damage(&error, length..data.end.max(length + 1), None)?;
        session.cut = true;
    }
    let end = if killed { length } else { data.end.min(length) };
    Ok(data.start.min(length)..end)
}
