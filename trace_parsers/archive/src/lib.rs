//! Archives and compressed files, opened safely.
//!
//! [`sniff`] identifies an input by its first bytes. [`unpack`] passes every regular file in it to an [`Unpack`] as a stream
//! with a name that stays inside any folder. Nothing is written here and no entry is held in memory. Links, devices, sparse
//! files, names that lead outside and duplicate names are left out and reported; inflating beyond the [`Caps`] is an error.
//! [`pack_tar_zst`] writes a bundle.

mod cut_zip;
mod meter;
mod names;
mod pack;
mod sniff;
mod stream;
mod tarball;
mod wrapped;
mod zipped;

use std::io::Read;

use numalens_columns::{ByteSource, DecodeError, ReadOptions, SinkError, Skipped};

use crate::meter::Meter;

pub use names::safe_name;
pub use pack::{PackEntry, pack_tar_zst};
pub use sniff::{inner_name, sniff};

/// The kinds of archive that are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArchiveKind {
    /// tar.
    Tar,
    /// tar in gzip.
    TarGz,
    /// tar in zstd.
    TarZst,
    /// zip.
    Zip,
    /// One file in gzip.
    Gz,
    /// One file in zstd.
    Zst,
    /// tar in xz.
    TarXz,
    /// One file in xz.
    Xz,
    /// tar in bzip2, as `perf archive` makes it.
    TarBz2,
    /// One file in bzip2.
    Bz2,
    /// Text after a byte order mark.
    Utf8Bom,
    /// Text in UTF-16.
    Utf16,
    /// Text of atrace, compressed by zlib or not, after `TRACE:`.
    Atrace,
    /// Text in a page of systrace.
    SystraceHtml,
    /// Text in the string `systemTraceEvents` of Chrome's JSON.
    ChromeJson,
    /// Text that the kernel printed into its log (`ftrace_dump_on_oops`).
    KernelLog,
}

impl ArchiveKind {
    /// The kind's name, as in a file's ending.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tar => "tar",
            Self::TarGz => "tar.gz",
            Self::TarZst => "tar.zst",
            Self::Zip => "zip",
            Self::Gz => "gz",
            Self::Zst => "zst",
            Self::TarXz => "tar.xz",
            Self::Xz => "xz",
            Self::TarBz2 => "tar.bz2",
            Self::Bz2 => "bz2",
            Self::Utf8Bom => "text with a byte order mark",
            Self::Utf16 => "UTF-16 text",
            Self::Atrace => "atrace",
            Self::SystraceHtml => "systrace page",
            Self::ChromeJson => "Chrome JSON",
            Self::KernelLog => "kernel log",
        }
    }

    /// Returns true for one file, compressed or with text inside. What is inside of a compressed one may still be a tar.
    #[must_use]
    pub fn is_single(self) -> bool {
        matches!(self, Self::Gz | Self::Zst | Self::Xz | Self::Bz2) || self.is_wrapped()
    }

    /// Returns true for text inside of a file that is not an archive.
    #[must_use]
    pub fn is_wrapped(self) -> bool {
        matches!(
            self,
            Self::Utf8Bom
                | Self::Utf16
                | Self::Atrace
                | Self::SystraceHtml
                | Self::ChromeJson
                | Self::KernelLog
        )
    }
}

/// Limits of an archive. Exceeding one is an error, tolerant or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Entries of every kind, folders and what is left out included.
    pub entries: u64,
    /// Bytes of all entries after inflation.
    pub total_bytes: u64,
    /// Bytes of one entry after inflation.
    pub entry_bytes: u64,
    /// Maximum ratio of inflation beyond the first MiB.
    pub ratio: u64,
}

impl Default for Caps {
    /// Enough for every recording at hand: text of a quiet machine's samples shrinks to a hundredth at most.
    fn default() -> Self {
        Self {
            entries: 10_000,
            total_bytes: 64 << 30,
            entry_bytes: 32 << 30,
            ratio: 500,
        }
    }
}

/// Takes an archive's files.
pub trait Unpack {
    /// One regular file, by a name as [`safe_name`] makes it, unique in the archive. The reader streams; it need not
    /// be read to its end. An error that the reader gives may be turned into any [`SinkError`]: the reader keeps the
    /// reason and [`unpack`] returns it.
    ///
    /// # Errors
    /// The taker wants no more.
    fn entry(&mut self, name: &str, reader: &mut dyn Read) -> Result<(), SinkError>;

    /// A part of the archive that was left out: a link or an unsafe name in every reading, damage in a tolerant one.
    ///
    /// # Errors
    /// The taker wants no more.
    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError>;
}

/// Contents of an archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchiveSummary {
    /// Files handed out.
    pub entries: u64,
    /// Bytes after inflation, as far as read.
    pub bytes: u64,
    /// Parts left out, each of which was reported.
    pub skipped: u64,
    /// Further notes, one sentence each.
    pub notes: Vec<String>,
}

/// Hands every regular file of an archive to `out`.
///
/// `name` is the input's own file name; a compressed single file gets it without its ending. `progress` is given how
/// many of how many bytes of the archive are done. In a tolerant reading a cut or damaged entry is handed out as far
/// as it goes, reported, and what follows is read where it can be found again.
///
/// # Errors
/// The archive is damaged (strict reading), needs a password or a method that is not there (strict reading), goes
/// beyond `caps`, has entries that share bytes, or `out` refuses.
pub fn unpack(
    source: &dyn ByteSource,
    kind: ArchiveKind,
    name: &str,
    caps: &Caps,
    options: &ReadOptions,
    out: &mut dyn Unpack,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<ArchiveSummary, DecodeError> {
    let kind = if kind.is_single() {
        sniff(source.bytes()).unwrap_or(kind)
    } else {
        kind
    };
    let meter = Meter::new(source, kind, *caps, options.tolerant, progress);
    let mut taker = meter::Taker::new(&meter, out);
    match kind {
        ArchiveKind::Tar
        | ArchiveKind::TarGz
        | ArchiveKind::TarZst
        | ArchiveKind::TarXz
        | ArchiveKind::TarBz2 => {
            tarball::unpack(&meter, &mut taker)?;
        }
        ArchiveKind::Zip => zipped::unpack(&meter, &mut taker)?,
        _ => {
            let mut stream = stream::open(&meter);
            taker.entry(&inner_name(name, kind), None, 0, &mut stream)?;
        }
    }
    let summary = taker.finish();
    meter.done();
    Ok(summary)
}
