//! Archives made to do harm, and archives that were cut or damaged.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use numalens_archive::{Caps, sniff};
use proptest::prelude::*;
use support::{
    ZipEntry, good, gz, header, member, read, seal, sentence, tar, tolerant, xz, zip, zst,
};

const CAPS: Caps = Caps {
    entries: 20,
    total_bytes: 8 << 20,
    entry_bytes: 4 << 20,
    ratio: 100,
};

#[test]
fn names_that_lead_elsewhere_are_left_out_and_reported() {
    let names: [&[u8]; 9] = [
        b"/etc/passwd",
        b"../up",
        b"a/../../up",
        b"C:\\windows",
        b"c:x",
        b"\\\\host\\share",
        b"bad\x01name",
        b"a\nb",
        b"./",
    ];
    let mut members: Vec<Vec<u8>> = names
        .iter()
        .map(|name| member(name, b'0', b"bad"))
        .collect();
    members.push(member(b"good", b'0', b"fine"));
    let plain = tar(&members);
    for bytes in [plain.clone(), gz(&plain), zst(&plain)] {
        let kept = good(&bytes);
        assert_eq!(kept.names(), ["good"]);
        // "./" is a folder.
        assert_eq!(kept.skipped.len(), names.len() - 1, "{}", kept.reasons());
    }
    assert_eq!(
        good(&plain).skipped[1].range,
        1024..1024 + 4,
        "header and data"
    );
    let mut entries: Vec<ZipEntry> = names
        .iter()
        .map(|name| ZipEntry {
            name: name.to_vec(),
            ..ZipEntry::new("", b"bad")
        })
        .collect();
    entries.push(ZipEntry {
        name: b"nul\0.dat".to_vec(),
        ..ZipEntry::new("", b"bad")
    });
    entries.push(ZipEntry {
        name: vec![b'x'; 300],
        ..ZipEntry::new("", b"bad")
    });
    entries.push(ZipEntry::new("good", b"fine"));
    let kept = good(&zip(&entries));
    assert_eq!(kept.names(), ["good"]);
    assert_eq!(kept.skipped.len(), entries.len() - 2, "{}", kept.reasons());
    assert!(
        kept.reasons()
            .contains("its name holds a control character")
    );
}

#[test]
fn links_devices_pipes_and_sparse_files_are_left_out_and_reported() {
    let link = |kind, to: &[u8]| {
        let mut block = header(b"link", kind, 0);
        block[157..157 + to.len()].copy_from_slice(to);
        seal(&mut block);
        block
    };
    let pax_sparse = [
        member(
            b"pax",
            b'x',
            b"22 GNU.sparse.major=1\n30 GNU.sparse.realsize=99999999\n",
        ),
        member(b"GNUSparseFile.0/x", b'0', b"1\n0\n3\n"),
    ]
    .concat();
    // A file of 2^60 bytes that is one hole.
    let mut hole = header(b"hole", b'S', 0);
    hole[257..265].copy_from_slice(b"ustar  \0");
    hole[386..398].copy_from_slice(b"\x80\0\0\0\x10\0\0\0\0\0\0\0");
    hole[398..410].copy_from_slice(b"00000000000\0");
    hole[483..495].copy_from_slice(b"\x80\0\0\0\x10\0\0\0\0\0\0\0");
    seal(&mut hole);
    let bytes = tar(&[
        link(b'1', b"/etc/shadow"),
        link(b'2', b"../.."),
        link(b'3', b""),
        link(b'4', b""),
        link(b'6', b""),
        link(b'V', b""),
        pax_sparse,
        hole,
        member(b"global", b'g', b"11 path=x\n "),
        member(b"good", b'7', b"fine"),
    ]);
    let kept = good(&bytes);
    assert_eq!(kept.names(), ["good"]);
    let reasons = kept.reasons();
    let words = [
        "hard link",
        "symbolic link",
        "device",
        "device",
        "pipe",
        "unknown kind",
        "sparse",
        "sparse",
    ];
    for (said, word) in reasons.lines().zip(words) {
        assert!(said.contains(word), "{said}");
    }
    assert_eq!(kept.skipped.len(), words.len(), "{reasons}");

    let mut symlink = ZipEntry::new("link", b"/etc/passwd");
    symlink.mode = 0o120_777;
    let kept = good(&zip(&[symlink, ZipEntry::new("good", b"fine")]));
    assert_eq!(kept.names(), ["good"]);
    assert!(kept.reasons().contains("symbolic link"));
}

#[test]
fn a_name_given_twice_is_reported() {
    let twice = [
        ("a", "first"),
        ("./a", "second"),
        ("a/b", "under a file"),
        ("c/d", "deep"),
        ("c", "a folder"),
    ];
    let members: Vec<Vec<u8>> = twice
        .iter()
        .map(|(name, text)| member(name.as_bytes(), b'0', text.as_bytes()))
        .collect();
    let entries: Vec<ZipEntry> = twice
        .iter()
        .map(|(name, text)| ZipEntry::new(name, text.as_bytes()))
        .collect();
    for bytes in [tar(&members), zip(&entries)] {
        let kept = good(&bytes);
        assert_eq!(kept.names(), ["a", "c/d"]);
        assert_eq!(kept.text("a"), "first");
        assert_eq!(kept.skipped.len(), 3, "{}", kept.reasons());
    }
}

#[test]
fn bombs_end_in_a_sentence_in_both_readings() {
    let zeros = vec![0; 3 << 20];
    let many: Vec<Vec<u8>> = (0..30)
        .map(|i| member(format!("f{i}").as_bytes(), b'5', b""))
        .collect();
    let folders: Vec<ZipEntry> = (0..30)
        .map(|i| ZipEntry::new(&format!("f{i}/"), b""))
        .collect();
    let noise: Vec<u8> = (0_u32..5 << 20)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let large = tar(&[member(b"large", b'0', &noise)]);
    let three = |name| member(name, b'0', &noise[..3 << 20]);
    let total = tar(&[three(b"a"), three(b"b"), three(b"c")]);
    let lots = Caps {
        ratio: u64::MAX,
        ..CAPS
    };
    for tolerant in [false, true] {
        for (bytes, caps, said) in [
            (gz(&zeros), CAPS, "inflates to at most 100 times its size"),
            (
                zst(&tar(&[member(b"z", b'0', &zeros)])),
                CAPS,
                "inflates to at most 100 times",
            ),
            (
                zip(&[ZipEntry::new("z", &zeros)]),
                CAPS,
                "inflates to at most 100 times",
            ),
            (tar(&many), CAPS, "expected at most 20 entries"),
            (zip(&folders), CAPS, "expected at most 20 entries"),
            (large.clone(), CAPS, "at most 4194304 bytes in one entry"),
            (zst(&noise), lots, "at most 4194304 bytes in one entry"),
            (total.clone(), CAPS, "at most 8388608 bytes after inflation"),
            (xz(&zeros), CAPS, "inflates to at most 100 times"),
            (xz(&noise), lots, "at most 4194304 bytes in one entry"),
            (zst(&total), lots, "at most 8388608 bytes after inflation"),
        ] {
            let found = sentence(&bytes, &caps, tolerant);
            assert!(found.contains(said), "{found}");
        }
    }
}

#[test]
fn headers_ask_for_no_memory() {
    // A long name that says 2^40 bytes, and one that really has 4 MiB.
    let mut forged = header(b"././@LongLink", b'L', 0);
    forged[124..136].copy_from_slice(b"\x80\0\0\0\0\0\x01\0\0\0\0\0");
    seal(&mut forged);
    let bytes = tar(&[forged, member(b"x", b'0', b"x")]);
    assert!(sentence(&bytes, &CAPS, false).contains("expected"));
    let long = member(b"././@LongLink", b'L', &vec![b'n'; 3 << 20]);
    let bytes = tar(&[
        member(b"first", b'0', b"1"),
        long,
        member(b"last", b'0', b"2"),
    ]);
    let said = sentence(&bytes, &CAPS, false);
    assert_eq!(
        said,
        "byte 1024: expected an entry's header, found none (more than a header may hold)"
    );
    let kept = tolerant(&bytes);
    assert_eq!(kept.names(), ["first", "last"]);
    assert_eq!(kept.skipped.len(), 1);
    let first = tar(&[
        member(b"././@LongLink", b'L', &vec![b'n'; 3 << 20]),
        member(b"only", b'0', b"2"),
    ]);
    assert!(sentence(&first, &CAPS, false).starts_with("byte 0: expected an entry's header"));
    assert_eq!(tolerant(&first).names(), ["only"]);
    // A zip whose end says more entries than its directory has bytes.
    let mut bytes = zip(&[ZipEntry::new("a", b"a")]);
    let at = bytes.len() - 14;
    bytes[at..at + 4].copy_from_slice(&[0xf0; 4]);
    assert!(!sentence(&bytes, &Caps::default(), false).is_empty());
}

#[test]
fn a_size_that_reaches_beyond_the_archive_is_a_cut_entry() {
    let mut bytes = header(b"endless", b'0', 1 << 30);
    bytes.extend([b'x'; 1000]);
    let caps = Caps::default();
    assert_eq!(
        sentence(&bytes, &caps, false),
        "byte 1512: expected 1073741824 bytes of \"endless\", found the end after 1000"
    );
    let kept = tolerant(&bytes);
    assert_eq!(kept.text("endless").len(), 1000);
    assert_eq!(kept.skipped.len(), 1, "{}", kept.reasons());
    // 2^63 bytes do not overflow anything.
    bytes[124..136].copy_from_slice(b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff");
    seal(&mut bytes);
    assert!(sentence(&bytes, &caps, false).contains("in one entry"));
}

#[test]
fn zip_entries_that_cannot_be_read_say_why() {
    let plain = |name| ZipEntry::new(name, b"some text");
    let encrypted = ZipEntry {
        flags: 1,
        ..plain("secret")
    };
    let method = ZipEntry {
        method: Some(14),
        ..plain("lzma")
    };
    let long = ZipEntry {
        size: Some(4),
        ..plain("longer than it says")
    };
    let short = ZipEntry {
        size: Some(400),
        ..plain("shorter than it says")
    };
    let crc = ZipEntry {
        crc: Some(7),
        ..plain("another checksum")
    };
    for (entry, said) in [
        (encrypted, "without a password, found an encrypted one"),
        (
            method,
            "stored or deflated, without a password, found one compressed by",
        ),
        (long, "found"),
        (short, "found"),
        (crc, "found damaged data"),
    ] {
        let bytes = zip(&[plain("before"), entry.clone(), plain("after")]);
        let found = sentence(&bytes, &CAPS, false);
        let place: u64 = found["byte ".len()..]
            .split(':')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!(found.contains(said) && place > 30 && place < 100, "{found}");
        let kept = tolerant(&bytes);
        assert!(kept.names().contains(&"before") && kept.names().contains(&"after"));
        assert_eq!(kept.skipped.len(), 1, "{}", kept.reasons());
    }
}

#[test]
fn zip_entries_that_share_bytes_are_refused() {
    let shared = ZipEntry {
        points_to: Some(0),
        ..ZipEntry::new("copy", b"some text")
    };
    let bytes = zip(&[ZipEntry::new("some", b"some text"), shared]);
    for tolerant in [false, true] {
        let said = sentence(&bytes, &CAPS, tolerant);
        assert!(
            said.contains("expected entries that do not overlap"),
            "{said}"
        );
    }
}

#[test]
fn a_damaged_tar_header_costs_only_its_own_entry() {
    let plain = tar(&[
        member(b"a", b'0', &[1; 600]),
        member(b"b", b'0', &[2; 2000]),
        member(b"c", b'0', b"three"),
    ]);
    let mut bytes = plain.clone();
    bytes[512 + 1024 + 3] ^= 1;
    assert_eq!(
        sentence(&bytes, &CAPS, false),
        "byte 1536: expected an entry's header, found none (archive header checksum mismatch)"
    );
    let kept = tolerant(&bytes);
    assert_eq!(kept.names(), ["a", "c"]);
    assert_eq!(kept.skipped.len(), 1);
    assert_eq!(kept.skipped[0].range, 1536..4096);
    assert_eq!(tolerant(&zst(&bytes)).names(), ["a", "c"]);
}

#[test]
fn data_behind_the_end_mark_is_reported() {
    let bytes = [
        tar(&[member(b"a", b'0', b"1")]),
        vec![0; 9000],
        member(b"hidden", b'0', b"2"),
    ]
    .concat();
    let kept = good(&bytes);
    assert_eq!(kept.names(), ["a"]);
    assert_eq!(
        kept.reasons(),
        "data after the archive's end mark was left out"
    );
}

#[test]
fn damaged_compressed_data_keeps_what_came_before() {
    let text: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
    let plain = tar(&[
        member(b"first", b'0', b"whole"),
        member(b"second", b'0', &text),
    ]);
    for packed in [gz(&plain), zst(&plain)] {
        let mut bytes = packed.clone();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 64].fill(0x55);
        let said = sentence(&bytes, &Caps::default(), false);
        assert!(said.contains(" data, found damaged data"), "{said}");
        let kept = tolerant(&bytes);
        assert_eq!(kept.names(), ["first", "second"]);
        assert_eq!(kept.text("first"), "whole");
        let second = &kept.entries[1].1;
        assert!(!kept.skipped.is_empty() && *second != text);
        // The checksum alone may be damaged: nothing is lost.
        let mut bytes = packed;
        let end = bytes.len() - 2;
        bytes[end] ^= 0xff;
        let said = sentence(&bytes, &Caps::default(), false);
        assert!(said.contains(" data, found damaged data"), "{said}");
        assert!(tolerant(&bytes).entries[1].1 == text);
    }
    let single = gz(&text);
    let kept = tolerant(&single[..single.len() / 2]);
    assert!(text.starts_with(&kept.entries[0].1) && kept.skipped.len() == 1);
}

fn samples() -> Vec<Vec<u8>> {
    let text: Vec<u8> = (0..3000_u32).flat_map(|i| (i * i).to_le_bytes()).collect();
    let plain = tar(&[
        member(b"a", b'0', &text),
        member(b"b", b'0', b"short"),
        member(b"c", b'0', &text[4000..]),
    ]);
    let mut described = ZipEntry::new("described", &text[2000..]);
    described.descriptor = true;
    let mut stored = ZipEntry::new("stored", &text[..3000]);
    stored.deflated = false;
    let wide = ZipEntry {
        wide: true,
        ..ZipEntry::new("wide", &text)
    };
    let entries = [
        ZipEntry::new("a", &text),
        described,
        stored,
        wide,
        ZipEntry::new("z", b"end"),
    ];
    vec![
        plain.clone(),
        gz(&plain),
        zst(&plain),
        xz(&plain),
        zip(&entries),
        gz(&text),
        zst(&text),
        xz(&text),
    ]
}

#[test]
fn a_cut_archive_gives_what_stands_before_the_cut() {
    for whole in samples() {
        let all = good(&whole);
        let mut most = 0;
        for cut in (whole.len().min(600)..whole.len()).step_by(37) {
            let bytes = &whole[..cut];
            if sniff(bytes) != sniff(&whole) {
                // Not even the first block of compressed data is there.
                continue;
            }
            let (strict, result) = read(bytes, &Caps::default(), false);
            let kept = tolerant(bytes);
            assert!(
                result.is_err()
                    || result.is_ok_and(|summary| !summary.notes.is_empty())
                    || strict == all,
                "cut at {cut} unnoticed"
            );
            let mut held = 0;
            for (at, (name, data)) in kept.entries.iter().enumerate() {
                let whole = all.entries.iter().find(|entry| entry.0 == *name).unwrap();
                assert!(whole.1.starts_with(data), "{name} cut at {cut}");
                assert!(
                    at + 1 == kept.entries.len() || whole.1 == *data,
                    "{name} cut at {cut}"
                );
                held += data.len();
            }
            assert!(held >= most, "cut at {cut}: a later cut holds less");
            most = held;
        }
        assert!(most > 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn flipped_bytes_never_panic(
        whole in proptest::sample::select(samples()),
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..8),
        tolerant in any::<bool>(),
    ) {
        let mut bytes = whole;
        for (index, value) in flips {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        if sniff(&bytes).is_some() {
            let _ = read(&bytes, &CAPS, tolerant);
        }
    }

    #[test]
    fn noise_never_panics(
        start in proptest::sample::select(vec![&b"PK\x03\x04"[..], b"PK\x05\x06", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0"]),
        noise in proptest::collection::vec(any::<u8>(), 0..300),
        tolerant in any::<bool>(),
    ) {
        let _ = read(&[start, &noise[..]].concat(), &CAPS, tolerant);
    }
}
