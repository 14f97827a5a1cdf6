//! Kind of an input, by its first bytes.

use std::io::Read;

use crate::ArchiveKind;
use crate::stream;
use crate::tarball::is_header;
use crate::wrapped;

/// Number of inspected bytes: one block of zstd data takes up to 128 KiB, and has no output before its end.
const LOOK: usize = 256 << 10;
/// A block of bzip2 comes out whole, and is of up to 900 kB.
#[cfg(not(target_family = "wasm"))]
const LOOK_BZIP2: usize = 1 << 20;

/// The kind of archive that begins like this; a compressed file whose inside begins like a tar is a compressed tar.
///
/// At most 256 KiB are looked at, 1 MiB of bzip2. With less, a compressed tar may pass for a compressed file; [`crate::unpack`] looks
/// again. Pages, JSON documents and logs are searched for a trace to their end.
#[must_use]
pub fn sniff(file: &[u8]) -> Option<ArchiveKind> {
    #[cfg(not(target_family = "wasm"))]
    let whole = &file[..file.len().min(LOOK_BZIP2)];
    let head = &file[..file.len().min(LOOK)];
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return Some(ArchiveKind::Zip);
    }
    if head.starts_with(b"\x1f\x8b\x08") {
        let tar = begins_with_tar(flate2::bufread::MultiGzDecoder::new(head));
        return Some(if tar {
            ArchiveKind::TarGz
        } else {
            ArchiveKind::Gz
        });
    }
    // A zstd file may begin with a frame that is to be skipped: 0x184D2A50 to 0x184D2A5F.
    let skippable = matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
    if skippable || head.starts_with(b"\x28\xb5\x2f\xfd") {
        let tar = zstd::stream::read::Decoder::with_buffer(head).is_ok_and(begins_with_tar);
        return Some(if tar {
            ArchiveKind::TarZst
        } else {
            ArchiveKind::Zst
        });
    }
    // The xz file format, 2.1.1.1: magic bytes.
    if head.starts_with(b"\xfd7zXZ\0") {
        return Some(if begins_with_tar(stream::xz(head)) {
            ArchiveKind::TarXz
        } else {
            ArchiveKind::Xz
        });
    }
    // A bzip2 file has the size of its blocks, and the first of them, behind its magic.
    #[cfg(not(target_family = "wasm"))]
    if head.starts_with(b"BZh") && head.get(4..10) == Some(b"\x31\x41\x59\x26\x53\x59") {
        return Some(
            if begins_with_tar(bzip2::bufread::MultiBzDecoder::new(whole)) {
                ArchiveKind::TarBz2
            } else {
                ArchiveKind::Bz2
            },
        );
    }
    if is_header(head) {
        return Some(ArchiveKind::Tar);
    }
    wrapped::sniff(file)
}

fn begins_with_tar(mut inflated: impl Read) -> bool {
    let mut block = [0; 512];
    inflated.read_exact(&mut block).is_ok() && is_header(&block)
}

/// The name of the file inside a compressed single file: the input's own without its ending, without folders.
#[must_use]
pub fn inner_name(name: &str, kind: ArchiveKind) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let endings: &[&str] = match kind {
        ArchiveKind::Gz | ArchiveKind::TarGz => &[".gz", ".gzip", ".tgz", ".z"],
        ArchiveKind::Xz | ArchiveKind::TarXz => &[".xz", ".txz"],
        ArchiveKind::Bz2 | ArchiveKind::TarBz2 => &[".bz2", ".tbz2", ".tbz"],
        kind if kind.is_wrapped() => &[],
        _ => &[".zst", ".zstd", ".tzst"],
    };
    let lower = file.to_ascii_lowercase();
    let ending = endings.iter().find(|ending| lower.ends_with(**ending));
    let inner = &file[..file.len() - ending.map_or(0, |ending| ending.len())];
    crate::safe_name(inner).unwrap_or_else(|_| "inflated".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_taken_off() {
        assert_eq!(inner_name("trace.dat.zst", ArchiveKind::Zst), "trace.dat");
        assert_eq!(inner_name("a/psi.log.GZ", ArchiveKind::Gz), "psi.log");
        assert_eq!(inner_name("trace.dat.xz", ArchiveKind::Xz), "trace.dat");
        assert_eq!(inner_name("trace", ArchiveKind::Gz), "trace");
        assert_eq!(inner_name(".gz", ArchiveKind::Gz), "inflated");
        assert_eq!(inner_name("x\u{212a}.gz", ArchiveKind::Gz), "x\u{212a}");
    }
}
