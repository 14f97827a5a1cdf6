//! The seeds of a target, in one archive: `seeds/<target>.tar.zst`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Result};
use std::path::{Path, PathBuf};

/// Level of zstd: archives are written rarely and cloned often.
const LEVEL: i32 = 19;

/// Inputs by file name.
pub type Seeds = BTreeMap<String, Vec<u8>>;

fn archive(target: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    folder.join(format!("{target}.tar.zst"))
}

/// Reads the seeds of a target.
///
/// # Errors
///
/// The archive is missing or damaged.
pub fn seeds(target: &str) -> Result<Seeds> {
    let packed = fs::File::open(archive(target))?;
    let mut seeds = Seeds::new();
    for entry in tar::Archive::new(zstd::Decoder::new(packed)?).entries()? {
        let mut entry = entry?;
        let name = entry.path()?.to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        seeds.insert(name, bytes);
    }
    Ok(seeds)
}

/// Replaces the seeds of a target. Equal seeds give equal bytes.
///
/// # Errors
///
/// The archive cannot be written.
pub fn keep(target: &str, seeds: &Seeds) -> Result<()> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in seeds {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        tar.append_data(&mut header, name, bytes.as_slice())?;
    }
    let packed = zstd::encode_all(&tar.into_inner()?[..], LEVEL)?;
    fs::write(archive(target), packed)
}

/// Reads the files of a folder.
///
/// # Errors
///
/// The folder or one of its files cannot be read.
pub fn files(folder: &Path) -> Result<Seeds> {
    let mut files = Seeds::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        files.insert(name, fs::read(entry.path())?);
    }
    Ok(files)
}
