//! Honest archives of every kind.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::io::Read;

use numalens_archive::{ArchiveKind, Caps, PackEntry, Unpack, pack_tar_zst, sniff, unpack};
use numalens_columns::{ReadOptions, SinkError, Skipped, SliceSource};
use support::{ZipEntry, good, gz, header, member, read, tar, xz, zip, zst};

fn two() -> Vec<u8> {
    tar(&[
        member(b"./bundle/", b'5', b""),
        member(b"./bundle/psi.jsonl", b'0', &[b'x'; 700]),
        member(b"./bundle/empty", b'0', b""),
        member(b"trace.dat", b'0', b"bytes"),
    ])
}

#[test]
fn tar_in_every_wrapping_gives_the_same_files() {
    let plain = two();
    let kept = good(&plain);
    assert_eq!(
        kept.names(),
        ["bundle/psi.jsonl", "bundle/empty", "trace.dat"]
    );
    assert_eq!(kept.text("bundle/psi.jsonl"), "x".repeat(700));
    assert!(kept.skipped.is_empty());
    for (packed, want) in [
        (plain.clone(), ArchiveKind::Tar),
        (gz(&plain), ArchiveKind::TarGz),
        (zst(&plain), ArchiveKind::TarZst),
        (xz(&plain), ArchiveKind::TarXz),
    ] {
        assert_eq!(sniff(&packed), Some(want));
        assert!(good(&packed) == kept, "{}", want.name());
    }
}

#[test]
fn several_members_and_frames_are_one_stream() {
    let plain = two();
    let (early, late) = plain.split_at(900);
    let kept = good(&plain);
    assert!(good(&[gz(early), gz(late)].concat()) == kept);
    assert!(good(&[xz(early), xz(late)].concat()) == kept);
    let skippable = [
        b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(),
        zst(early),
        zst(late),
    ]
    .concat();
    assert_eq!(sniff(&skippable), Some(ArchiveKind::TarZst));
    assert!(good(&skippable) == kept);
}

#[test]
fn a_single_compressed_file_is_one_entry() {
    let text = b"some avg10=0.00\n".repeat(5000);
    for (packed, name) in [
        (gz(&text), "psi.log"),
        (zst(&text), "psi.log.gz"),
        (xz(&text), "psi.log.gz"),
    ] {
        let kept = good(&packed);
        assert_eq!(kept.names(), [name]);
        assert!(kept.entries[0].1 == text);
    }
    let twice = good(&[gz(b"one "), gz(b"two")].concat());
    assert_eq!(twice.text("psi.log"), "one two");
}

#[test]
fn long_names_and_pax_records_are_understood() {
    let long = format!("{}/{}", "d".repeat(120), "f".repeat(200));
    let gnu = [
        member(b"././@LongLink", b'L', long.as_bytes()),
        member(b"short", b'0', b"gnu"),
    ]
    .concat();
    let record = b"19 path=of/the/pax\n";
    assert_eq!(record.len(), 19);
    let pax = [member(b"pax", b'x', record), member(b"short", b'0', b"pax")].concat();
    // The header says 0 bytes, the record 3.
    let sized = [
        member(b"pax", b'x', b"10 size=3\n"),
        header(b"sized", b'0', 0),
        b"abc".to_vec(),
        vec![0; 509],
    ]
    .concat();
    let kept = good(&tar(&[gnu, pax, sized, member(b"last", b'0', b"end")]));
    assert_eq!(kept.names(), [long.as_str(), "of/the/pax", "sized", "last"]);
    assert_eq!(kept.text("sized"), "abc");
    assert_eq!(kept.text("last"), "end");
}

#[test]
fn zip_in_every_form() {
    let mut stored = ZipEntry::new("a/stored", b"as it is");
    stored.deflated = false;
    let deflated = ZipEntry::new("a\\deflated", &b"shrinks ".repeat(500));
    let mut described = ZipEntry::new("described", &b"sizes follow ".repeat(50));
    described.descriptor = true;
    let mut wide = ZipEntry::new("wide", b"sizes of 64 bits");
    wide.wide = true;
    let mut folder = ZipEntry::new("a/", b"");
    folder.deflated = false;
    let bytes = zip(&[folder, stored, deflated, described, wide]);
    assert_eq!(sniff(&bytes), Some(ArchiveKind::Zip));
    let kept = good(&bytes);
    assert_eq!(
        kept.names(),
        ["a/stored", "a/deflated", "described", "wide"]
    );
    assert_eq!(kept.text("a/deflated"), "shrinks ".repeat(500));
    assert_eq!(kept.text("described"), "sizes follow ".repeat(50));
    assert_eq!(kept.text("wide"), "sizes of 64 bits");
    assert!(kept.skipped.is_empty());
    assert!(good(&zip(&[])).entries.is_empty());
}

#[test]
fn what_the_crates_write_is_read() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut head = tar::Header::new_ustar();
    head.set_size(4);
    builder
        .append_data(&mut head, "u/star", &b"four"[..])
        .unwrap();
    assert_eq!(good(&builder.into_inner().unwrap()).text("u/star"), "four");

    let mut writer = zip::ZipWriter::new_stream(Vec::new());
    let options = zip::write::SimpleFileOptions::default();
    writer.start_file("streamed", options).unwrap();
    std::io::Write::write_all(&mut writer, b"without seeking").unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    assert_eq!(good(&bytes).text("streamed"), "without seeking");
}

#[test]
fn a_packed_bundle_is_the_same_each_time_and_opens() {
    let entries = || {
        let long = "n".repeat(150);
        [
            ("trace.dat".to_owned(), vec![7_u8; 300_000]),
            (format!("samples/{long}"), b"{}\n".to_vec()),
        ]
    };
    let pack = || {
        let mut out = Vec::new();
        let mut given = entries().into_iter().map(|(name, bytes)| PackEntry {
            name,
            len: bytes.len() as u64,
            mtime: 1_700_000_000,
            reader: Box::new(std::io::Cursor::new(bytes)),
        });
        pack_tar_zst(&mut out, &mut given).unwrap();
        out
    };
    let packed = pack();
    assert!(packed == pack());
    assert_eq!(sniff(&packed), Some(ArchiveKind::TarZst));
    let kept = good(&packed);
    assert!(kept.entries == entries());

    for (name, len, said) in [
        ("../x", 1, "leads to a parent folder"),
        ("short", 9, "6 bytes shorter"),
    ] {
        let mut bad = std::iter::once(PackEntry {
            name: name.to_owned(),
            len,
            mtime: 0,
            reader: Box::new(&b"abc"[..]),
        });
        let error = pack_tar_zst(&mut Vec::new(), &mut bad).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
}

/// Reads only the first byte of each entry, and refuses one of them.
struct Lazy(Vec<u8>, Option<u8>);

impl Unpack for Lazy {
    fn entry(&mut self, _name: &str, reader: &mut dyn Read) -> Result<(), SinkError> {
        let mut byte = [0];
        reader
            .read_exact(&mut byte)
            .map_err(|error| SinkError(error.to_string()))?;
        self.0.push(byte[0]);
        if self.1 == Some(byte[0]) {
            return Err(SinkError("enough".to_owned()));
        }
        Ok(())
    }

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        panic!("{skipped:?}");
    }
}

#[test]
fn a_taker_need_not_read_an_entry_and_may_stop() {
    let tarred = tar(&[
        member(b"a", b'0', &vec![1; 2_000_000]),
        member(b"b", b'0', &[2; 3_000]),
        member(b"c", b'0', &[3; 3]),
    ]);
    let zipped = zip(&[
        ZipEntry::new("a", &vec![1; 200_000]),
        ZipEntry::new("b", &[2; 30]),
        ZipEntry::new("c", &[3; 3]),
    ]);
    for bytes in [tarred.clone(), zst(&tarred), zipped] {
        for (stop, want) in [(None, vec![1, 2, 3]), (Some(2), vec![1, 2])] {
            let mut lazy = Lazy(Vec::new(), stop);
            let result = unpack(
                &SliceSource(&bytes),
                sniff(&bytes).unwrap(),
                "x",
                &Caps {
                    ratio: u64::MAX,
                    ..Caps::default()
                },
                &ReadOptions::default(),
                &mut lazy,
                &mut |_, _| {},
            );
            assert_eq!(lazy.0, want);
            assert_eq!(result.is_ok(), stop.is_none());
        }
    }
}

#[test]
fn notes_tell_of_a_missing_end_mark() {
    let bytes = two();
    let (kept, result) = read(&bytes[..bytes.len() - 1024], &Caps::default(), false);
    assert_eq!(kept.entries.len(), 3);
    assert_eq!(
        result.unwrap().notes,
        ["the archive has no end mark: it may have been cut between entries"]
    );
}

#[test]
fn a_tar_that_the_head_did_not_show_is_known_all_the_same() {
    let mut state = 88_172_645_463_325_252_u64;
    let noise: Vec<u8> = (0..400_000)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        })
        .collect();
    let packed = zst(&tar(&[member(b"trace.dat", b'0', &noise)]));
    assert_eq!(sniff(&packed), Some(ArchiveKind::TarZst));
    assert_eq!(sniff(&packed[..100]), Some(ArchiveKind::Zst));
    let mut lazy = Lazy(Vec::new(), None);
    let kind = ArchiveKind::Zst;
    let (source, caps, options) = (
        SliceSource(&packed),
        Caps::default(),
        ReadOptions::default(),
    );
    unpack(
        &source,
        kind,
        "x",
        &caps,
        &options,
        &mut lazy,
        &mut |_, _| {},
    )
    .unwrap();
    assert_eq!(lazy.0, noise[..1]);
}
