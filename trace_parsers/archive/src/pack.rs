//! Writing a bundle.

use std::io::{self, Read, Write};

use crate::safe_name;

/// zstd's own default: fast, and small enough for text.
const LEVEL: i32 = 3;
/// Mode of every entry: writable by its owner, readable by all.
const MODE: u32 = 0o644;

/// One file of a bundle.
pub struct PackEntry<'a> {
    /// Name, valid for [`safe_name`].
    pub name: String,
    /// Length, bytes.
    pub len: u64,
    /// Time of the last change, s since 1970.
    pub mtime: u64,
    /// Gives at least `len` bytes.
    pub reader: Box<dyn Read + 'a>,
}

/// Writes a tar in zstd; equal entries give equal bytes.
///
/// # Errors
/// `out` cannot be written, an entry cannot be read, is shorter than it says or has a name that [`safe_name`] refuses.
pub fn pack_tar_zst(
    out: &mut dyn Write,
    entries: &mut dyn Iterator<Item = PackEntry<'_>>,
) -> io::Result<()> {
    let mut encoder = zstd::stream::write::Encoder::new(out, LEVEL)?;
    encoder.include_checksum(true)?;
    let mut builder = tar::Builder::new(encoder);
    for entry in entries {
        let name = safe_name(&entry.name).map_err(|why| {
            let sentence = format!("{:?} cannot be packed: {why}", entry.name);
            io::Error::new(io::ErrorKind::InvalidInput, sentence)
        })?;
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(entry.len);
        header.set_mode(MODE);
        header.set_mtime(entry.mtime);
        let mut exact = Exact {
            name: &name,
            reader: entry.reader,
            left: entry.len,
        };
        builder.append_data(&mut header, &name, &mut exact)?;
    }
    builder.into_inner()?.finish()?;
    Ok(())
}

/// As many bytes as were promised: a file that grows while it is packed is cut, one that shrank is an error.
struct Exact<'n, 'a> {
    name: &'n str,
    reader: Box<dyn Read + 'a>,
    left: u64,
}

impl Read for Exact<'_, '_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).map_or(buf.len(), |left| left.min(buf.len()));
        let n = self.reader.read(&mut buf[..most])?;
        if n == 0 && most > 0 {
            let sentence = format!("{:?} is {} bytes shorter than it was", self.name, self.left);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, sentence));
        }
        self.left -= n as u64;
        Ok(n)
    }
}
