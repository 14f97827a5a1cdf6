//! Files that cannot be read, found before they are uploaded.

use numalens_formats::{Found, SPREAD, is_note};
use pyo3::prelude::*;

/// Says which files cannot be read, by their names, sizes and first bytes: a sentence for each of those, else `None`.
///
/// Notes and the parts of one input are not such files where something else can be read.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 passes lists by value")]
pub(crate) fn refused(files: Vec<(String, u64, Vec<u8>)>) -> Vec<Option<String>> {
    let found: Vec<Option<String>> = files
        .iter()
        .map(|(name, _, head)| Found::expect(head).err().map(|error| error.sentence(name)))
        .collect();
    let names: Vec<&str> = files.iter().map(|file| file.0.as_str()).collect();
    let mut parts = SPREAD.iter().flat_map(|spread| (spread.sets)(&names));
    if parts.any(|set| !set.is_empty()) {
        return vec![None; files.len()];
    }
    if found.iter().all(Option::is_some) {
        return found;
    }
    let all = files.iter().zip(found);
    all.map(|((_, bytes, head), sentence)| sentence.filter(|_| !is_note(whole(head, *bytes))))
        .collect()
}

/// The first bytes of a text without a character that they cut.
fn whole(head: &[u8], bytes: u64) -> &[u8] {
    let text = std::str::from_utf8(head);
    let cut = text.err().filter(|error| error.error_len().is_none());
    match cut {
        Some(error) if bytes > head.len() as u64 => &head[..error.valid_up_to()],
        _ => head,
    }
}

#[cfg(test)]
mod tests {
    use super::refused;

    const TOPOLOGY: &[u8] = b"# CPU,Core,Socket,Node\n0,0,0,0\n1,1,0,0\n";

    fn file(name: &str, head: &[u8]) -> (String, u64, Vec<u8>) {
        (name.to_owned(), head.len() as u64, head.to_vec())
    }

    #[test]
    fn unknown_files_are_refused_and_notes_only_alone() {
        let known = file("lscpu-p.txt", TOPOLOGY);
        let note = file("README", b"how it was taken\n");
        let unknown = file("photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0");
        let all = refused(vec![known.clone(), note.clone(), unknown.clone()]);
        assert_eq!(
            all.iter().map(Option::is_some).collect::<Vec<_>>(),
            [false, false, true]
        );
        let alone = refused(vec![note, unknown]);
        assert!(alone.iter().all(Option::is_some), "{alone:?}");
        assert_eq!(refused(vec![known]), [None]);
    }

    #[test]
    fn a_long_text_may_be_cut_inside_a_character() {
        let known = file("lscpu-p.txt", TOPOLOGY);
        let cut = (
            "notes.txt".to_owned(),
            100,
            "gr\u{fc}n".as_bytes()[..3].to_vec(),
        );
        assert_eq!(refused(vec![known.clone(), cut.clone()]), [None, None]);
        let damaged = ("notes.txt".to_owned(), 3, cut.2);
        assert!(refused(vec![known, damaged])[1].is_some());
    }
}
