//! zip, by its central directory.

use std::io::Cursor;

use numalens_columns::{DecodeError, InputError};
use zip::CompressionMethod;
use zip::read::{Config, ZipFileEntry, ZipReadOptions};
use zip::result::ZipError;
// Not promised to stay as it is, but the only way that holds no index of all entries and shows names given twice; the
// lock file pins the crate.
use zip::unstable::read::ZipIterable;

use crate::cut_zip;
use crate::meter::{Guard, Meter, Taker, said};

type Bytes<'m> = Cursor<&'m [u8]>;

pub(crate) fn unpack<'m>(
    meter: &'m Meter<'m>,
    taker: &mut Taker<'m, '_>,
) -> Result<(), DecodeError> {
    let bytes = meter.source.bytes();
    let mut archive = match ZipIterable::try_new(Cursor::new(bytes), Config::default()) {
        Ok(archive) => archive,
        Err(error) => {
            let error = InputError::at_byte(
                meter.length(),
                "a zip archive that ends in its directory",
                format!("none ({})", said(&error)),
            );
            if !meter.tolerant {
                return Err(error.into());
            }
            return cut_zip::unpack(meter, taker, &error);
        }
    };
    let most = meter.caps.entries;
    if archive.len() as u64 > most {
        let found = archive.len().to_string();
        return Err(
            InputError::at_byte(meter.length(), format!("at most {most} entries"), found).into(),
        );
    }
    no_overlaps(meter, &mut archive)?;
    let mut body = Cursor::new(bytes);
    for entry in archive.files().map_err(|error| broken(meter, &error))? {
        match entry {
            Ok(entry) => member(meter, taker, entry, &mut body)?,
            Err(error) => {
                let error = broken(meter, &error);
                if !meter.tolerant {
                    return Err(error.into());
                }
                return taker.damage(&error, meter.length());
            }
        }
    }
    Ok(())
}

/// The directory cannot be read on.
fn broken(meter: &Meter<'_>, error: &ZipError) -> InputError {
    let expected = "a zip directory whose entries can be read";
    InputError::at_byte(
        meter.length(),
        expected,
        format!("damage ({})", said(error)),
    )
}

/// Entries that share bytes are a bomb's trick: much is made of little without any high ratio.
fn no_overlaps<'m>(
    meter: &'m Meter<'m>,
    archive: &mut ZipIterable<Bytes<'m>>,
) -> Result<(), DecodeError> {
    let bytes = meter.source.bytes();
    let mut ranges = Vec::new();
    // An entry that cannot be read is met again when it is to be unpacked.
    let files = archive.files().map_err(|error| broken(meter, &error))?;
    for entry in files.map_while(Result::ok) {
        let start = entry.header_start();
        let data = cut_zip::data_start(bytes, start).unwrap_or(start);
        ranges.push((start, data.saturating_add(entry.compressed_size())));
    }
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        if let [before, next] = pair
            && before.1 > next.0
        {
            let place = next.0.min(meter.length());
            let found = format!("two that share bytes {} to {}", next.0, before.1);
            return Err(InputError::at_byte(place, "entries that do not overlap", found).into());
        }
    }
    Ok(())
}

fn member<'m>(
    meter: &'m Meter<'m>,
    taker: &mut Taker<'m, '_>,
    entry: ZipFileEntry<'_>,
    body: &mut Bytes<'m>,
) -> Result<(), DecodeError> {
    let start = entry.header_start();
    taker.count(start)?;
    let name = match entry.name() {
        Ok(name) => name.into_owned(),
        Err(_) => String::from_utf8_lossy(entry.name_raw()).into_owned(),
    };
    let (size, compressed) = (entry.size(), entry.compressed_size());
    let end = start.saturating_add(compressed).saturating_add(1);
    if entry.is_dir() {
        return Ok(());
    }
    if entry.is_symlink() {
        let why = format!("the entry {name:?} was left out: it is a symbolic link");
        return taker.skip(start, end, &why);
    }
    let readable = matches!(
        entry.compression(),
        CompressionMethod::Stored | CompressionMethod::Deflated
    );
    let unreadable = if entry.encrypted() {
        Some("an encrypted one".to_owned())
    } else if readable {
        None
    } else {
        Some(format!("one compressed by {}", entry.compression()))
    };
    let opened = match unreadable {
        Some(found) => Err(found),
        None => entry
            .with_reader(body, ZipReadOptions::new())
            .map_err(|error| format!("damage ({})", said(&error))),
    };
    match opened {
        Ok(inner) => {
            meter.begin_entry(start, compressed);
            let mut guard = Guard {
                inner,
                meter,
                what: "zip entry",
                ended: false,
            };
            taker.entry(&name, Some(size), start, &mut guard)
        }
        Err(found) => {
            let expected = format!("the entry {name:?}, stored or deflated, without a password");
            let error = InputError::at_byte(start.min(meter.length()), expected, found);
            if meter.tolerant {
                taker.damage(&error, end.min(meter.length()))
            } else {
                Err(error.into())
            }
        }
    }
}
